"""The public interface: simulate, compare, and the display of workloads and schedules."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest

import replication as rp
from replication.simulator.estimates.models import MissingEstimates
from replication.simulator.schedules.schedule import ScheduleError
from replication.simulator.simulation import check_estimates
from tests.workloads import jobs, random_jobs

BUSY = jobs(4, (0, 10, 3, 12), (1, 20, 4, 30), (2, 8, 1), (40, 10, 4))


def test_a_comparison_has_a_row_each():
    logs, models = [BUSY, BUSY.replace(name="copy")], [rp.Users(), rp.FModel(2)]
    schedulers = [rp.FCFS(), rp.EASY(), rp.PVEasy()]
    table = rp.compare(logs, schedulers, models, seed=3)
    assert len(table) == 12 and {*table["seed"]} == {3} and not table["stand_in"].any()
    table = table.set_index(["log", "scheduler", "estimates"])
    for log, scheduler, model in itertools.product(logs, schedulers, models):
        measured = rp.simulate(log, scheduler, model, seed=3).measures
        row = table.loc[(log.name, repr(scheduler), repr(model))]
        assert dict(row[[*measured]]) == pytest.approx(dict(measured), nan_ok=True)


def test_differences_have_intervals_over_weeks():
    log = random_jobs(400, 8, 26 * 7 * 24 * 3600, 80_000, 1)
    names = ["mean_wait", "utilisation", "ap1waf", longest_run]
    table = rp.compare(log, [rp.FCFS(), rp.EASY()], measures=names, intervals=True)
    assert list(table["measure"]) == [*names[:3], "longest_run"] * 2
    fcfs, easy = table[table["measure"] == "mean_wait"].to_dict("records")
    assert (fcfs["difference"], fcfs["low"], fcfs["high"]) == (0, 0, 0)
    assert easy["low"] < easy["difference"] < easy["high"]
    assert easy["difference"] == easy["value"] - fcfs["value"]
    for name in ("max_wait", "wait_p100", "wild"):
        with pytest.raises(ValueError, match=f"intervals: {name}"):
            rp.compare(log, rp.EASY(), measures=["mean_wait", name], intervals=True)
    with pytest.raises(ValueError, match="random has 2 weeks with jobs.*logs of 3 weeks"):
        rp.compare(log.take(log.submit < log.submit[0] + 14 * 86400), rp.EASY(), intervals=True)


def longest_run(schedule):
    return float(schedule.workload.run_time.max())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rp.simulate("KTH-SP2"), "allowed: a Workload"),
        (lambda: rp.simulate(BUSY, "EASi"), "scheduler 'EASi' unknown .did you mean easy.*fcfs"),
        (lambda: rp.simulate(BUSY, "easy", rp.FModel(1e300)), "estimates reach .* allowed: below"),
        (lambda: rp.simulate(BUSY, estimates=np.array([1])), "shape"),
        (lambda: rp.simulate(BUSY, estimates=np.array([0, -2, 3, 4])), "job 2: estimate -2"),
        (lambda: rp.simulate(BUSY, estimates=np.array([1, np.nan, 3, 4])), "no numbers"),
        (lambda: rp.simulate(BUSY, estimates=np.array([1, 2**61, 3, 4])), "times reach"),
        (lambda: rp.compare(BUSY, [rp.EASY(), rp.EASY()]), "allowed: one or more, each once"),
        (lambda: rp.simulate(BUSY, seed=2**63), f"allowed: a whole number from 0 to {2**63 - 1}"),
        (lambda: rp.FModel(2).make(BUSY, -1), "seed -1; allowed: a whole number from 0"),
        (lambda: rp.synthetic(9, seed=True), "seed True; allowed: a whole number from 0"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"start": [0, 5, 2]}, "7 processors in use at second 5|8 processors"),
        ({"start": [0, -1, 2]}, "never started"),
        ({"start": [0, 9, 1]}, "started before its submission"),
        ({"start": [0, 9]}, "2 starts for 3 jobs"),
        ({"times_killed": [0, 1, 0]}, "killed"),
    ],
)
def test_an_impossible_schedule_is_not_valid(columns, message):
    run = rp.simulate(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))).validate()
    with pytest.raises(ScheduleError, match=message):
        replace(run, **{name: np.array(column) for name, column in columns.items()}).validate()


def test_random_estimates_are_uniform_and_depend_on_the_seed():
    workload = jobs(4, *[(k, 10_000, 1) for k in range(20_000)])
    estimate, again, other_seed = (rp.FModel(2).make(workload, seed)[1] for seed in (3, 3, 4))
    assert (estimate == again).all() and (estimate != other_seed).any()
    # The quartiles of 20,000 uniform numbers, within five standard errors.
    quartiles = np.quantile((estimate - 10_000) / 20_000, [0.25, 0.5, 0.75])
    assert quartiles == pytest.approx([0.25, 0.5, 0.75], abs=5 * 0.5 / 20_000**0.5)


def test_a_schedule_shows_its_measures():
    run = rp.simulate(BUSY, rp.EASY(), rp.FModel(2))
    assert repr(run) == "Schedule of hand-made: 4 jobs, EASY(), estimates FModel(f=2.0), seed 1"
    shown = rp.simulate(BUSY.replace(name="<b>"))._repr_html_()
    assert "Schedule of &lt;b&gt;" in shown and "mean wait, s" in shown
    run = rp.simulate(BUSY, estimates=np.full(4, 30))
    assert run.provenance["estimates"] == "given"


def test_a_workload_shows_a_short_table():
    shown = BUSY.replace(name="<b>", stand_in=True)._repr_html_()
    assert "&lt;b&gt; (synthetic)" in shown
    assert "<td>4</td>" in shown


def test_times_that_a_scheduler_cannot_hold_are_refused():
    long = jobs(4, (0, 2**38 - 1, 3))
    assert check_estimates(long, long.estimate).tolist() == [2**38 - 1]
    with pytest.raises(ValueError, match="allowed with predictions: .* times below"):
        check_estimates(long, long.estimate, rp.EASY(rp.Last()))
    with pytest.raises(ValueError, match="times below"):
        check_estimates(BUSY, BUSY.estimate, rp.PVEasy(cost=10**15))
    with pytest.raises(ValueError, match="allowed: below"):
        check_estimates(jobs(4, (0, 2**61, 3)), [2**61])


def test_a_grid_of_badness_factors_has_both_ends():
    grid = rp.FModel.grid(0, 1, 0.1)
    assert [model.f for model in grid] == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    assert {model.e_max for model in rp.FModel.grid(0, 1, 1, e_max=60)} == {60}
    for wrong in ((1, 0, 1), (0, 1, 0), (0, 1, -1), (0, float("inf"), 1), (0, 1e9, 1e-9)):
        with pytest.raises(ValueError, match="allowed: upwards, up to 1,000,000 values"):
            rp.FModel.grid(*wrong)


def test_missing_estimates_are_told():
    few, third, most = (BUSY.replace(without_estimate=share) for share in (0.01, 0.3, 0.6))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rp.simulate(few).provenance["estimates"] == "Users()"
        for model in (rp.Perfect(), rp.FModel(1), rp.Users(missing="run-time")):
            rp.simulate(most, rp.EASY(), model)
        rp.simulate(most, rp.FCFS())  # plans nothing
    with pytest.warns(MissingEstimates, match="30 % of the jobs have no estimate; .* drop="):
        run = rp.simulate(third)
    assert run.provenance["estimates"] == "Users(missing='run-time')"
    with pytest.raises(ValueError, match="60 % of the jobs have no estimate.* FModel"):
        rp.simulate(most)
    for table in (rp.sweep, rp.compare):
        with pytest.warns(MissingEstimates):
            assert table(third, rp.EASY())["estimates"].item() == "Users(missing='run-time')"
        with pytest.raises(ValueError, match="60 % of the jobs have no estimate"):
            table(most, rp.EASY())
    assert third.label == "hand-made (30 % of the jobs without an estimate)"
