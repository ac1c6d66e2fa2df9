"""The study of thirteen machines: its words, effects and pools, by hand."""

import math

import numpy as np
import pandas as pd
import pytest

import other_logs
import replication as rp


@pytest.mark.parametrize(
    "rule, interval, word",
    [
        ({"below": 0.99}, (0.9, 0.8, 0.98), "for"),
        ({"below": 0.99}, (0.9, 0.8, 1.0), "open"),
        ({"below": 0.99}, (1.1, 0.99, 1.3), "against"),
        ({"above": 1.01}, (1.2, 1.1, 1.3), "for"),
        ({"above": 9}, (9, 9, 9), "against"),
        ({"above": 9}, (10, math.nan, math.nan), "no interval"),
        # A quotient of a wide interval decides nothing.
        ({"below": 0.99, "effect": "quotient"}, (0.05, 0.001, 0.9), "no interval"),
        ({"below": 0.99, "effect": "quotient"}, (0.05, 0.02, 0.9), "for"),
    ],
)
def test_a_case_is_decided_by_its_whole_interval(rule, interval, word):
    assert other_logs.word(rule, *interval) == word


def test_a_log_is_against_if_no_case_is_for():
    cases = {"a": "for open", "b": "for against", "c": "against open", "d": "open open"}
    rows = [
        {"log": log, "conclusion": "x", "word": word, "recorded load": True}
        for log, both in cases.items()
        for word in both.split()
    ]
    rows.append({"log": "d", "conclusion": "x", "word": "for", "recorded load": False})
    table = other_logs.of_log(pd.DataFrame(rows))
    words = table[table["conclusion"] == "x"].set_index("log")["word"]
    assert words.to_dict() == {"a": "for", "b": "open", "c": "against", "d": "open"}
    # All others have no case on any log.
    assert {*table["conclusion"]} == {"x", *other_logs.CONCLUSIONS}
    assert {*table.loc[table["conclusion"] != "x", "word"]} == {other_logs.NO_INTERVAL}


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


def test_the_p_value_of_a_quotient_is_at_the_rules_threshold():
    waits, jobs = np.tile([1.0, 3.0], 3), np.ones(6)
    sums = {"perfect": {"mean_wait": np.array([waits, jobs])}}
    sums["users"] = {"mean_wait": np.array([2 * jobs, jobs])}
    value, low, high, p = other_logs.effect(sums, "perfect-helps", "mean_wait")
    assert value == 1 and low < 0.99 < high and 0.05 < p < 1


def test_results_that_survive_holms_correction():
    # Thresholds of 0.05 / 3, 0.05 / 2 and 0.05 / 1 for three p-values in order.
    assert other_logs.certain([0.02, math.nan, 0.001, 0.03]).tolist() == [True, False, True, True]
    assert other_logs.certain([0.03, 0.001, 0.04]).tolist() == [False, True, False]
    assert other_logs.certain([0.04]).tolist() == [True]


def test_the_mean_of_machines_and_what_one_more_would_show():
    # Logarithms -1, 0 and 1: a standard deviation of 1; t with two degrees of freedom is 4.3027.
    mean = other_logs.pool(np.exp([-1.0, 0, 1]))
    assert mean["pooled"] == pytest.approx(1) and mean["pooled_logs"] == 3
    assert mean["above_one"] == pytest.approx(0.5)
    assert math.log(mean["high"]) == pytest.approx(4.3027 * math.sqrt(1 / 3), rel=1e-4)
    assert math.log(mean["prediction_low"]) == pytest.approx(-4.3027 * math.sqrt(4 / 3), rel=1e-4)
    # A mean as far from 1 as the prediction interval reaches has 2.5 % beyond 1.
    low = other_logs.pool(np.exp(np.array([-1.0, 0, 1]) + math.log(mean["prediction_low"])))
    assert low["above_one"] == pytest.approx(0.025)
    assert math.isnan(other_logs.pool([1, 2])["pooled"])


def test_a_prediction_interval_holds_what_one_more_machine_shows():
    """Machines whose precision differs by a factor of ten, and errors that grow with effects."""
    rng, inside = np.random.default_rng(1), []
    for _ in range(2000):
        true = rng.normal(-0.2, 0.3, 12)
        error = np.abs(true) * rng.uniform(0.05, 0.5, 12) + 0.02
        seen = np.exp(true + rng.normal(0, error))
        mean = other_logs.pool(seen[:-1])
        inside.append(mean["prediction_low"] <= seen[-1] <= mean["prediction_high"])
    assert 0.92 <= np.mean(inside) <= 0.97


def test_a_log_without_as_many_random_exceptions_decides_nothing():
    log = rp.synthetic(600, 8, 1.9, seed=1)  # f = 1 has more wild backfills than any share
    cases, facts = other_logs.cases(log, workers=1)
    case = cases.set_index("conclusion").loc["random-wild-backfills"]
    assert not facts["matched"] and case["word"] == other_logs.NO_MATCH and math.isnan(case["p"])
    assert other_logs.of_log(cases).set_index("conclusion")["word"]["random-wild-backfills"] == (
        other_logs.NO_MATCH
    )
    assert "random-wild-backfills" not in set(other_logs.compared(cases)["conclusion"])
