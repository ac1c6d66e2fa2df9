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
        ({"above": 9}, (10, math.nan, math.nan), "for"),
        ({"above": 9}, (9, math.nan, math.nan), "against"),
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
    # Waits of 20 over 2 jobs and of 10 over 2 jobs, in each of three weeks: no week differs, so the interval is a point or open.
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
    assert other_logs.effect(sums, "perfect-helps", "mean_wait", "x")[0] == pytest.approx(0.5)
    assert other_logs.effect(sums, "few-are-killed", "killed", "x")[0] == pytest.approx(300 / 16)
    points = other_logs.effect(sums, "top-underpredicts-least", "underpredicted", "x")[0]
    assert points == pytest.approx(1 / 3 - 2)


def test_a_standard_error_by_linearization():
    # Means of 1 and 3 over two blocks of one job: deviations of 1, so the error of their mean is sqrt((1 + 1) * 2 / 1) / 2 = 1.
    rows = np.array([[[[1.0, 3.0]], [[1.0, 1.0]]]])
    value, error = other_logs._estimate(rows, quotient=False)
    assert (value[0], error[0]) == (2, pytest.approx(1))


def test_pooling_equal_logs_gives_their_effect():
    found = other_logs.pool([0.5, 0.5, 0.5], [0.4] * 3, [0.625] * 3)
    assert found == (*[pytest.approx(0.5)] * 3, 0)


def test_pooling_logs_that_differ():
    # Logarithms -1, 0, 1 with errors of 0.1: q = 200, between = (200 - 2) / (300 - 100) = 0.99, so all weigh alike.
    error = 1.96 * 0.1
    y = np.array([-1.0, 0, 1])
    mean, low, high, share = other_logs.pool(np.exp(y), np.exp(y - error), np.exp(y + error))
    # Hartung and Knapp: the variance of the mean is (1 + 0 + 1) / (2 * 3); t with 2 degrees of freedom is 4.303.
    half = 4.3027 * math.sqrt(1 / 3)
    assert mean == pytest.approx(1)
    assert math.log(high) == pytest.approx(half, rel=1e-4)
    assert math.log(low) == pytest.approx(-half, rel=1e-4)
    assert share == pytest.approx(198 / 200)


def test_a_log_without_estimates_takes_no_part_in_conclusions_on_them():
    log = rp.synthetic(400, 64, 0.9, seed=3).replace(without_estimate=0.5, name="mine")
    cases, facts = other_logs.cases(log, workers=1)
    found = set(cases["conclusion"])
    assert found and not any(other_logs.CONCLUSIONS[one].get("estimates") for one in found)
    assert "violations" not in facts
