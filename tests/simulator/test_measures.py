"""Measures against values computed by hand."""

import functools
import math

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator.observation import Observed
from replication.simulator.schedules import measures
from tests.workloads import jobs, random_jobs


def test_a_mean_over_no_jobs_is_missing_not_zero():
    empty = rp.simulate(jobs(4, (0, 10, 3))).measures
    assert empty["jobs"] == 0 and np.isnan(empty["mean_wait"])


def observed_jobs(n=400, machine=40):
    """An observed run with made-up numbers of all kinds; no scheduler made its schedule."""
    rng = np.random.default_rng(11)
    run_time = rng.choice([0, 3, 8, 50, 700, 5000], n) + rng.integers(0, 3, n)
    submit = np.sort(rng.integers(0, 90_000, n))
    size = rng.integers(1, machine, n, endpoint=True)
    workload = rp.Workload.from_columns("invented", machine, submit, run_time, size)
    start = submit + rng.integers(0, 3000, n) * rng.integers(0, 2, n)
    preempted = np.sort(rng.choice(n, 30))
    ended = start[preempted] - rng.integers(1, 50, 30)
    schedule = rp.Schedule(
        workload,
        *(None, None, None),
        start,
        workload.estimate,
        backfilled=rng.random(n) < 0.4,
        prediction=run_time,
        first_prediction=run_time + rng.integers(-60, 300, n),
        times_killed=np.bincount(preempted, minlength=n),
        killed_runs=np.column_stack([preempted, ended - rng.integers(1, 900, 30), ended]),
    )
    events = rng.integers(0, 3, n) * rng.integers(0, 2, n)
    delay = np.where(events > 0, rng.integers(0, 900, n), 0)
    return Observed(schedule, rng.random(n) < 0.7, rng.random(n) < 0.2, events, delay)


SEEN = observed_jobs()
SCHEDULE = SEEN.schedule
COLUMNS = {"submit": "submit", "run_time": "run", "processors": "size", "start": "start"}
ROW = SCHEDULE.jobs[[*COLUMNS]].rename(columns=COLUMNS)
ROW["flow"] = ROW["start"] + ROW["run"] - ROW["submit"]
ROW["end"] = ROW["submit"] + ROW["flow"]
ROW["wait"] = ROW["flow"] - ROW["run"]
ROW["bounded"] = [max(10, run) for run in ROW["run"]]
ROW["slowdown"] = [max(1, flow / max(10, run)) for flow, run in zip(ROW["flow"], ROW["run"])]
# The trim by default: without the first 4 of 400 jobs to end, and those that end after the last
# submission.
KEPT = ROW.sort_values("end", kind="stable").iloc[4:]
KEPT = KEPT[KEPT["end"] <= ROW["submit"].max()]
PREEMPTED, SINCE, UNTIL = SCHEDULE.killed_runs.T
LOST = sum((UNTIL - SINCE) * SCHEDULE.workload.processors[PREEMPTED])
WORK = sum(ROW["run"] * ROW["size"])
TO_LAST = 40 * (ROW["submit"].max() - ROW["submit"].min())
TO_END = 40 * (ROW["end"].max() - ROW["submit"].min())
MISSED = (ROW["run"] - SCHEDULE.first_prediction) ** 2
AREA = KEPT["run"] * KEPT["size"]
PRIORITY = KEPT["size"] * (KEPT["flow"] ** 2 - KEPT["wait"] ** 2)
LATE = SEEN.events > 0
BY_HAND = {
    "jobs": len(KEPT),
    "mean_wait": sum(KEPT["wait"]) / len(KEPT),
    "median_wait": np.quantile(KEPT["wait"], 0.5),
    "max_wait": max(KEPT["wait"]),
    "wait_p95": np.quantile(KEPT["wait"], 0.95),
    "mean_bounded_slowdown": sum(KEPT["slowdown"]) / len(KEPT),
    "median_bounded_slowdown": np.quantile(KEPT["slowdown"], 0.5),
    "max_bounded_slowdown": max(KEPT["slowdown"]),
    "bounded_slowdown_p95": np.quantile(KEPT["slowdown"], 0.95),
    "mbs": np.mean(KEPT["wait"] / KEPT["bounded"] + 1),
    "mwbs": np.average(KEPT["wait"] / KEPT["bounded"] + 1, weights=KEPT["size"]),
    "af": np.mean(KEPT["flow"]),
    "ap0waf": np.average(KEPT["flow"], weights=AREA),
    "ap1waf": np.average(KEPT["flow"], weights=PRIORITY),
    "backfilled": np.mean(SCHEDULE.backfilled),
    "backfilled_run_time": np.mean(ROW["run"][SCHEDULE.backfilled]),
    "backfilled_size": np.mean(ROW["size"][SCHEDULE.backfilled]),
    "regular_run_time": np.mean(ROW["run"][~SCHEDULE.backfilled]),
    "killed": len(set(PREEMPTED)) / len(ROW),
    "under_predicted": np.mean(SCHEDULE.first_prediction < ROW["run"]),
    "r2": 1 - np.mean(MISSED) / np.var(ROW["run"]),
    "offered_load": WORK / TO_LAST,
    "offered_load_with_waste": (WORK + LOST) / TO_LAST,
    "utilisation": WORK / TO_END,
    "utilisation_with_waste": (WORK + LOST) / TO_END,
    "wild": np.mean(SEEN.wild),
    "wild_run_time": np.mean(ROW["run"][SEEN.wild]),
    "wild_size": np.mean(ROW["size"][SEEN.wild]),
    "delayed": np.mean(LATE),
    "events": sum(SEEN.events) / sum(LATE),
    "delay": sum(SEEN.delay) / sum(LATE),
    "sjfness": np.mean(SEEN.shortest),
}


@pytest.mark.parametrize("name", measures.NAMES)
def test_every_name_has_the_value_that_it_says(name):
    value = measures.of(SCHEDULE, name, observed=SEEN)
    assert value == pytest.approx({name: BY_HAND[name]}, rel=1e-12)


def test_no_two_names_have_one_value_in_this_sample():
    assert len({round(value, 9) for value in BY_HAND.values()}) == len(BY_HAND)


def test_a_trim_says_how_many_jobs_it_leaves_out_and_why():
    run = rp.simulate(jobs(4, (0, 10, 3), (1, 20, 4), (2, 8, 1), (30, 10, 4)), trim=(0.25, True))
    assert run.trim_effect == (
        "2 of 4 jobs measured; the first 1 to end are left out (warm-up), "
        "and 1 that end after the last submission"
    )
    assert run.measures["jobs"] == 2
    with pytest.raises(measures.MeasureError, match="trim 1.5.*True, False, or"):
        rp.simulate(jobs(4, (0, 10, 3)), trim=1.5)


def test_a_measure_without_a_name_is_refused():
    with pytest.raises(measures.MeasureError, match=r"measure functools.partial\(.* has no name"):
        rp.simulate(jobs(4, (0, 10, 3)), measures=["mean_wait", functools.partial(max, 1)])


def mean_wait(schedule):
    return 1.0


def test_two_measures_of_one_name_are_refused():
    for wrong in ([mean_wait], ["mean_wait", "mean_wait"]):
        with pytest.raises(measures.MeasureError, match="two measures are called 'mean_wait'"):
            rp.simulate(jobs(4, (0, 10, 3)), measures=wrong)


def test_weighted_flow_with_priority():
    wait, run_time, size = np.array([0, 30, 100]), np.array([20, 10, 50]), np.array([1, 2, 4])
    # alpha = 2: 1 (20^3), 2 (40^3 - 30^3), 4 (150^3 - 100^3).
    weights = [8000, 2 * (64000 - 27000), 4 * (3375000 - 1000000)]
    expected = (weights[0] * 20 + weights[1] * 40 + weights[2] * 150) / sum(weights)
    assert measures.weighted_flow(wait, run_time, size, 2) == pytest.approx(expected)
    with pytest.raises(ValueError, match="alpha is -1, allowed: above -1"):
        measures.weighted_flow(wait, run_time, size, -1)


def test_a_mean_without_weight_is_nan():
    assert np.isnan(measures.weighted_flow(np.array([5]), np.array([0]), np.array([3]), 0))
    assert np.isnan(measures.determination(np.array([3, 3]), np.array([3, 3])))


def test_measures_print_with_units_and_are_a_mapping():
    values = measures.Measures(mean_wait=5839.28, mbs=66.891, mine=float("nan"))
    assert repr(values).splitlines()[::2] == ["     5,839  mean wait, s", "       nan  mine"]
    assert values == dict(values) and "mean wait, s" in values._repr_html_()


def test_a_measure_of_ones_own_cannot_change_the_schedule():
    def sorted_starts(schedule):
        schedule.start.sort()
        return schedule.start[0]

    schedule = rp.simulate(random_jobs(200, 8, 2000, 300, 60))
    start = schedule.start.copy()
    names = ["max_wait", sorted_starts, "median_wait"]
    measured = schedule.measured(False, names)
    assert np.array_equal(schedule.start, start)
    assert measured["median_wait"] == schedule.measured(False, "median_wait")["median_wait"]


def test_few_measured_jobs_and_a_long_end_are_warnings_with_a_way_out(capsys):
    few = jobs(4, (0, 9, 4), (1, 9, 4), (2, 9, 4), (3, 9, 4))
    run = rp.simulate(few)
    for printed in (repr(run.measures), run._repr_html_()):
        assert "warning: 0 of 4 jobs are measured, fewer than half; trim=False" in printed
        assert "ends 0.0003819 days after the last submission" in printed
    many = rp.simulate(jobs(4, (0, 1, 4), (1, 1, 4), (2, 1, 4), (9, 1, 4)))
    assert "warning" not in repr(many.measures) + many._repr_html_()
    rp.sweep(few, folder=None)
    assert "1 of 1 simulations measure fewer than half of the jobs; trim=False" in (
        capsys.readouterr().err
    )
    rp.sweep(few, trim=False, folder=None)
    assert "fewer" not in capsys.readouterr().err


def test_runs_without_a_measured_job_are_counted():
    table = pd.DataFrame({"mean_wait": [1.0, math.nan], "load": [math.nan, math.nan]})
    with pytest.warns(UserWarning, match="1 of 2 runs: no job is measured"):
        measures.warn_of_no_jobs(table)
