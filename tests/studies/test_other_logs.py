"""The study of thirteen machines: its words, effects and pools, by hand."""

import math

import numpy as np
import pandas as pd
import pytest

import other_logs
import replication as rp
from replication.verdicts import published


def test_each_rule_names_a_claim_and_a_statistic():
    for key, rule in other_logs.CONCLUSIONS.items():
        claims = published.entries(rule["paper"], "claims.toml")
        assert rule["claim"] in claims, key
        assert ("below" in rule) != ("above" in rule)
        assert key in other_logs.PAIRS or key == "easy-last-violates"


@pytest.mark.parametrize(
    "rule, interval, word",
    [
        ({"below": 0.99}, (0.9, 0.8, 0.98), "for"),
        ({"below": 0.99}, (0.9, 0.8, 1.0), "open"),
        ({"below": 0.99}, (1.1, 0.99, 1.3), "against"),
        ({"above": 1.01}, (1.2, 1.1, 1.3), "for"),
        ({"above": 1.01}, (0.9, 0.8, 1.01), "against"),
        ({"above": 9}, (10, 10, 10), "for"),
        ({"above": 9}, (9, 9, 9), "against"),
        ({"above": 9}, (10, math.nan, math.nan), "open"),
        ({"above": 9}, (math.nan, math.nan, math.nan), "open"),
    ],
)
def test_a_case_is_decided_by_its_whole_interval(rule, interval, word):
    assert other_logs.word(rule, *interval) == word


def test_a_log_is_against_if_no_case_is_for():
    words = {"a": "for open", "b": "for against", "c": "against open", "d": "open open"}
    rows = [
        {"log": log, "conclusion": "x", "word": word, "recorded load": True}
        for log, both in words.items()
        for word in both.split()
    ]
    rows.append({"log": "d", "conclusion": "x", "word": "for", "recorded load": False})
    found = other_logs.of_log(pd.DataFrame(rows)).set_index("log")["word"]
    assert found.to_dict() == {"a": "for", "b": "open", "c": "against", "d": "open"}


def test_effects_of_weekly_sums():
    # Waits of 20 over 2 jobs and of 10 over 2 jobs, in each of three weeks: no week differs, so the
    # interval is a point or open.
    sums = {
        "perfect": {"mean_wait": np.array([[10.0, 10, 10], [2.0, 2, 2]])},
        "users": {"mean_wait": np.array([[20.0, 20, 20], [2.0, 2, 2]])},
        "PV-EASY": {"killed": np.array([[100.0, 0, 200], [4.0, 4, 8]])},
        "Top 3 %": {"underpredicted": np.array([[1.0, 0, 0], [1.0, 1, 1]])},
        **{
            name: {"underpredicted": np.array([[k, k, k], [1.0, 1, 1]])}
            for name, k in (("Complete", 2.0), ("CVH", 5.0), ("Tsafrir", 3.0))
        },
    }
    assert other_logs.effect(sums, "perfect-helps", "mean_wait")[0] == pytest.approx(0.5)
    assert other_logs.effect(sums, "few-are-killed", "killed")[0] == pytest.approx(300 / 16)
    points = other_logs.effect(sums, "top-underpredicts-least", "underpredicted")[0]
    assert points == pytest.approx(1 / 3 - 2)


def test_the_standard_error_of_a_quotient():
    # Six weeks of one job, waits of 1 and 3 by turns over waits of 2: the pseudo-values of a mean
    # are the values themselves, whose standard error is sqrt(6 / 5 / 6); linearized, the
    # logarithm's is that over the mean of 2, and the jackknife's is near.
    waits, jobs = np.tile([1.0, 3.0], 3), np.ones(6)
    sums = {"perfect": {"mean_wait": np.array([waits, jobs])}}
    sums["users"] = {"mean_wait": np.array([2 * jobs, jobs])}
    value, low, high, error = other_logs.effect(sums, "perfect-helps", "mean_wait")
    assert value == 1 and low < 1 < high
    assert error == pytest.approx((1 / 5) ** 0.5 / 2, rel=0.02)


def test_pooling_equal_logs_gives_their_effect():
    found = other_logs.pool([0.5, 0.5, 0.5, 0.9, 0.7], [0.1, 0.1, 0.1, math.nan, 0.0])
    assert found == {name: pytest.approx(0.5) for name in other_logs.POOLED} | {
        "I2": 0,
        "pooled_logs": 3,
    }


def test_pooling_logs_that_differ():
    # Logarithms -1, 0, 1 with errors of 0.1: q = 200, between = (200 - 2) / (300 - 100) = 0.99, so
    # all weigh alike.
    found = other_logs.pool(np.exp([-1.0, 0, 1]), [0.1] * 3)
    # Hartung and Knapp: the variance of the mean is (1 + 0 + 1) / (2 * 3); t with 2 degrees of
    # freedom is 4.303.
    half = 4.3027 * math.sqrt(1 / 3)
    # Higgins and others: that of one more log is 0.99 larger; t with one degree is 12.706.
    wide = 12.7062 * math.sqrt(0.99 + 1 / 3)
    assert found["pooled"] == pytest.approx(1)
    for name, one in (("", half), ("prediction_", wide)):
        assert math.log(found[f"{name}high"]) == pytest.approx(one, rel=1e-4)
        assert math.log(found[f"{name}low"]) == pytest.approx(-one, rel=1e-4)
    assert found["I2"] == pytest.approx(198 / 200)
    assert math.isnan(other_logs.pool([1, 2], [0.1, 0.1])["pooled"])


def test_a_log_without_estimates_takes_no_part_in_conclusions_on_them():
    log = rp.synthetic(400, 64, 0.9, seed=3).replace(without_estimate=0.5, name="mine")
    cases, facts = other_logs.cases(log, workers=1)
    found = set(cases["conclusion"])
    assert found and not any(other_logs.CONCLUSIONS[one].get("estimates") for one in found)
    assert "violations" not in facts
