"""Heel-and-toe: the size of the campaign, decisions about curves, and estimates at E_max."""

import math

import numpy as np
import pandas as pd
import pytest

from notebooks.heel_and_toe import (
    campaign,
    claims,
    curves,
    extreme,
    masquerade,
    real_estimates,
    trends,
)
from replication.simulator.estimates import Deterministic, FModel, Users
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from replication.verdicts import published
from replication.verdicts.rules import answers
from tests.workloads import jobs

LOGS = ("CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE")


def few_jobs(name="few"):
    return jobs(4, (0, 10, 1, 15), (50, 20, 2), (100, 30, 3, 90)).replace(name=name)


def runs(curve, noise=0.0, seeds=20, seed=1):
    """Random runs around a curve, as the campaign gives them."""
    random = np.random.default_rng(seed)
    rows = [
        ("x", "log", "random", f, s, value + (random.normal(0, noise) if f > 0 else 0.0))
        for f, value in curve.items()
        for s in range(1, seeds + 1)
    ]
    return pd.DataFrame(rows, columns=["log", "load", "model", "f", "seed", "mean_wait"])


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("largest", campaign.RANGES)
def test_the_campaign_is_as_large_as_the_paper_says(cut, largest):
    """Footnotes 4, 6 and 8: 101 values of f and ten pairs of trace and load, with each model. Up to
    f = 10 there are a hundred runs of each.
    """
    workloads = {log: few_jobs(log) for log in LOGS}
    scale, runs = campaign.PAPER_SCALE, 100 if largest == 10 else campaign.PAPER_SCALE.wide_seeds
    tasks = [
        task
        for load in campaign.LOADS
        for task in campaign.tasks(workloads, scale, load, largest, cut=cut)
    ]
    assert len({(t.workload.name, t.load) for t in tasks}) == 10
    assert sum(len(t.seeds) for t in tasks if isinstance(t.estimates, FModel)) == 10 * 101 * runs
    assert {t.estimates.e_max is None for t in tasks} == {not cut}


def test_the_deterministic_model_has_the_random_models_mean():
    """Drawn at the same f: its estimate is the random model's mean, (f/2 + 1) r."""
    assert campaign.models([3.0]) == [Users(), FModel(3), Deterministic(1.5)]


def test_loads_are_those_of_table_1():
    assert [campaign.loads_of(log) for log in LOGS] == [
        ["log", "high"],
        ["log", "high", "low"],
        ["log", "low"],
        ["log", "high", "low"],
    ]
    scaled = campaign.at_load(few_jobs().replace(name="SDSC-BLUE"), "high")
    printed = {
        row.trace: row.value
        for row in published.rows("heel_and_toe", "table1")
        if row.measure == "utilization"
    }
    assert scaled.submit[-1] == round(100 * printed["SDSC-BLUE"] / printed["SDSC-SP2"])
    assert campaign.at_load(few_jobs(), "log").submit[-1] == 100


def test_join_takes_equal_points_from_the_first_range():
    first, second = runs({0: 5.0, 10: 6.0}), runs({0: 1.0, 10: 2.0, 20: 3.0})
    both = campaign.join([first, second])
    assert both.groupby("f")["mean_wait"].mean().to_dict() == {0: 5.0, 10: 6.0, 20: 3.0}


def test_a_summary_has_the_mean_its_interval_and_the_percentiles_of_the_runs():
    table = runs({1.0: 600.0}, noise=60.0, seeds=400)
    row = curves.summary(table, {"mean_wait": ("wait", 1 / 60)}).iloc[0]
    values = table["mean_wait"] / 60
    assert row["value"] == pytest.approx(values.mean(), rel=1e-5)
    assert [row["p5"], row["p95"]] == pytest.approx(
        np.percentile(values, [5, 95]).tolist(), rel=1e-5
    )
    half = 1.959964 * values.std() / 20
    assert row["mean_high"] - row["mean_low"] == pytest.approx(2 * half, rel=1e-3)
    assert row["p95"] - row["p5"] > 10 * half


F = np.round(np.arange(0, 10.01, 0.1), 1)


@pytest.mark.parametrize("values", [np.full(len(F), 100.0), 100 - 0.05 * F], ids=["flat", "0.5 %"])
def test_a_curve_without_a_fall_of_1_per_cent_is_flat(values):
    band = trends.shape(runs(dict(zip(F, values, strict=True)), noise=2.0, seeds=100), "mean_wait")
    assert band["shape"] == "flat"
    assert band["fall low [%]"] <= band["fall [%]"] <= band["fall high [%]"]


def test_noise_alone_makes_no_v():
    """The lowest of 101 noisy points is low by chance; measured with other seeds it is not, nor is
    it by the band.
    """
    noise = [runs(dict.fromkeys(F, 100.0), noise=3.0, seed=s, seeds=100) for s in range(20)]
    band = [trends.shape(run, "mean_wait") for run in noise]
    assert [shape["shape"] for shape in band].count("flat") >= 17
    assert not any(shape["fall low [%]"] > 1 for shape in band)
    assert sum(trends.span(run, "mean_wait")[1] > 0 for run in noise) <= 3


def test_the_band_holds_at_all_f_at_once():
    """95 % of bands around flat noise hold the truth everywhere; of pointwise intervals hardly any
    would.
    """
    inside = 0
    for seed in range(100, 160):
        band = trends.band(runs(dict.fromkeys(F, 100.0), noise=5.0, seed=seed), "mean_wait")
        inside += bool(((band["low"] <= 100) & (band["high"] >= 100)).all())
    assert inside >= 53


@pytest.mark.parametrize(
    ("fall", "rise", "expected", "sure"),
    [
        (20, 5, "V", True),
        (20, 0.4, "L", False),
        (20, 1.6, "V", False),
        (-5, 5, "rising", True),
        (0, 5, "rising", False),
    ],
)
def test_a_shape_that_the_band_leaves_open_is_not_sure(fall, rise, expected, sure):
    """The band is about 0.7 points to each side here; 1 point decides. Where the curve is flat at
    its beginning, the lowest of twenty noisy points may be a fall.
    """
    values = 100 - fall * np.minimum(F / 2, 1) + rise * np.maximum(F - 2, 0) / 8
    band = trends.shape(runs(dict(zip(F, values, strict=True)), noise=2.0, seeds=100), "mean_wait")
    assert band["shape"] == expected
    if expected in ("V", "L"):
        row = {"log": "CTC-SP2", "load": "log", "measure": "mean_wait"} | band
        parts = [case.row() for case in claims.shape_cases(row, expected)]
        entry = {"operator": ">", "threshold": 1.0}
        assert [*answers(parts, entry).values()] == [(True, sure)]


def test_if_all_ask_for_the_longest_nothing_behind_the_head_fits_in_time():
    """Section 7: only the extra processors are left. The head needs the whole machine, so there are
    none. A short job behind it starts past it if it says that it is short. The last job ends the
    time measured.
    """
    workload = jobs(4, (0, 10, 2), (1, 5, 4), (2, 2, 1), (100, 1, 1)).replace(name="CTC-SP2")
    row = extreme.results({"CTC-SP2": workload}).set_index("measure").loc["mean_wait"]
    assert row["backfilled, real [%]"] == 25
    assert row["backfilled, at E_max [%]"] == 0
    assert row["at E_max"] == row["FCFS"] > row["real"]
    assert (row["in time, real [%]"], row["in time, at E_max [%]"]) == (25, 0)


def test_a_job_past_the_reservation_runs_on_extra_processors():
    """Job 1 holds 2 of 4 processors to 10, job 2 needs 3: reserved at 10, one extra. Job 3 ends in
    time, job 4 not.
    """
    workload = jobs(4, (0, 10, 2), (1, 5, 3), (2, 2, 1), (2, 30, 1))
    schedule = simulate(workload, EASY())
    assert schedule.backfilled.tolist() == [False, False, True, True]
    assert extreme.in_time(schedule).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    ("values", "level", "expected"),
    [
        ([5, 3, 4, 6], 5, 2.5),
        ([5, 3, 4, 6], 7, math.nan),
        ([5, 3, 4, 6], 2, math.nan),
        ([5, 3, 4, 6], 4, 2.0),
    ],
)
def test_where_a_curve_comes_back_up(values, level, expected):
    assert trends.crossing(pd.Series(values, dtype=float), level) == pytest.approx(
        expected, nan_ok=True
    )


def test_the_masquerade_formula():
    assert masquerade.probability(0.5, 2) == 0  # the intervals only touch
    assert masquerade.probability(1, 7) == pytest.approx(0.5)
    assert masquerade.probability(0.25, 1e9) == pytest.approx(0.125)
    assert masquerade.probability(0.5, 3) == pytest.approx(
        0.5 * 0.5 * 0.25
    )  # λ1 λ2 λ3 of section 6
    band = masquerade.verdict(masquerade.samples(40_000))
    assert band["largest"] < 4.5
    assert band["impossible_drawn"] == 0


def test_bins_of_accuracy():
    n = 1000
    workload = jobs(1, *[(k, k + 1, 1, n) for k in range(n)])
    by_jobs, by_width = (real_estimates.accuracy(workload, equal) for equal in ("jobs", "width"))
    assert by_jobs["jobs"].tolist() == [10] * 100
    assert by_width["jobs"].sum() == n
    assert by_jobs["accuracy [%]"].iloc[0] == pytest.approx(100 * 5.5 / n)
    assert by_jobs["accuracy [%]"].is_monotonic_increasing
