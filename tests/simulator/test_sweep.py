"""Sweeps: each row is the simulation it names, on any engine, and is computed once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from replication.simulator.estimates import Deterministic, FModel, Modal, Perfect, Users, cut_runs
from replication.simulator.observation import observe
from replication.simulator.predictors import Last, Tsafrir, Virtual
from replication.simulator.schedulers import EASY, FCFS, Conservative, OrderedEASY, PVEasy
from replication.simulator.schedules import measures
from replication.simulator.simulation import SimulationError, simulate
from replication.simulator.sweeps import grid as sweep
from replication.simulator.sweeps.results import Results
from replication.simulator.workload import Workload
from tests.workloads import random_jobs, workloads

#: Jobs on a busy machine, so many that a hundredth of them is more than none.
JOBS = random_jobs(300, 8, 6000, 90, 200, name="busy")
OTHER_JOBS = JOBS.take(slice(0, 250)).replace(name="others")


MODELS = (
    *(FModel(3), FModel(30, e_max=80), FModel(30, e_max=60), Deterministic(0.5)),
    *(Deterministic(9, e_max=60), Users(), Users(2, e_max=60), Perfect(), Modal(3600)),
)


@pytest.mark.parametrize(
    ("scheduler", "model"),
    [*((EASY(), model) for model in MODELS), (EASY(Tsafrir(), candidates="shortest"), FModel(2))],
    ids=repr,
)
def test_a_watched_row_equals_an_observed_run(scheduler, model):
    task = sweep.Task(JOBS, model, scheduler, seeds=(7, 8), watched=True)
    rows = sweep.compute(task)
    for k, seed in enumerate(rows.pop("seed")):
        seen = observe(task.workload, model, seed, scheduler)
        expected = seen.schedule.measured(names=measures.SWEEP) | seen.measures
        expected["offered_load"] = seen.schedule.workload.load
        row = {name: values[k] for name, values in rows.items()}
        assert row == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    "scheduler", [FCFS(), Conservative(), PVEasy(), EASY(candidates="shortest")], ids=repr
)
def test_a_row_equals_its_simulation(scheduler):
    names = [name for name in (*measures.NAMES, "wait_p90") if name not in measures.OBSERVED]
    rows = sweep.compute(sweep.Task(JOBS, FModel(2), scheduler, (7, 8), measures=names))
    for row, seed in enumerate(rows.pop("seed")):
        run = simulate(JOBS, scheduler, FModel(2), seed, measures=names)
        measured = {name: values[row] for name, values in rows.items()}
        assert measured == pytest.approx(run.measures, rel=0, nan_ok=True)
        # A sweep does not simulate with estimates that make no difference.
        assert scheduler == FCFS() or measured["backfilled_size"] >= 1


@settings(max_examples=150, deadline=None)
@given(workloads(most=120), st.floats(0, 0.5))
def test_the_shortcut_to_the_first_jobs_that_end_is_right_for_ties(workload, share):
    schedule = simulate(workload)
    kept = schedule.end <= workload.submit.max()
    order = np.argsort(schedule.end, kind="stable")
    kept[order[: int(len(workload) * share)]] = False
    assert (
        measures.measured_jobs(workload.submit, schedule.end, (share, True)).tolist()
        == kept.tolist()
    )
    measured = schedule.measured((share, True), ("jobs", "mean_wait"))
    assert measured["jobs"] == kept.sum()
    if kept.any():
        assert measured["mean_wait"] == pytest.approx(schedule.wait[kept].mean())


def test_the_key_depends_on_everything_that_matters():
    base = {"workload": JOBS, "estimates": FModel(1), "seeds": (1, 2)}
    key = sweep.Task(**base).key
    run_time = np.where(np.arange(len(JOBS)) == 5, 1000, JOBS.run_time)
    changes = [
        {"workload": JOBS.replace(run_time=run_time)},
        {"workload": JOBS.take(slice(200))},
        {"workload": JOBS.replace(machine=9)},
        {"estimates": Deterministic(1)},
        {"estimates": FModel(1, e_max=500)},
        {"seeds": (1,)},
        {"watched": True},
        {"scheduler": FCFS()},
        {"scheduler": EASY(candidates="shortest")},
        {"measures": ("mean_wait",)},
        {"trim": False},
        {"workload": JOBS.replace(user=JOBS.user + 2)},
        {"workload": JOBS.replace(draw_key="else")},
    ]
    changes += [{"workload": sweep.Jobs(JOBS, *how)} for how in ((0.5,), (0.6,), (0.5, 60))]
    keys = [key, *(sweep.Task(**(base | change)).key for change in changes)]
    assert len(set(keys)) == len(keys)
    assert sweep.Task(**base).key == sweep.Task(**base, load="high").key == key
    assert sweep.Task(**base | {"workload": sweep.Jobs(JOBS)}).key == key


def test_two_choices_of_one_name_have_results_and_labels_of_their_own(tmp_path):
    def order_by(sign):
        def order(workload):
            return sign * workload.processors

        return OrderedEASY(order=order)

    both = order_by(1), order_by(-1)
    waits = [simulate(JOBS, scheduler).measures["mean_wait"] for scheduler in both]
    assert waits[0] != waits[1]
    labels = ["OrderedEASY(order=order)", "OrderedEASY(order=order) #2"]
    for table in (sweep.sweep(JOBS, both, folder=tmp_path), rp.compare(JOBS, both)):
        assert table["mean_wait"].tolist() == waits
        assert table["scheduler"].tolist() == labels
    assert list(tmp_path.iterdir()) == []  # functions inside a function are not stored
    with pytest.raises(sweep.SweepError, match="is given twice"):
        sweep.sweep(JOBS, [both[0], both[0]], folder=None)


def test_the_table_can_be_written_as_parquet(tmp_path):
    table = sweep.sweep(JOBS, loads=["log", 0.5], folder=None)
    table.to_parquet(tmp_path / "table.parquet")
    assert table["load"].dtype == float and table["load"].isna().tolist() == [True, False]


def test_the_table_has_a_row_for_each_simulation():
    models = [*FModel.grid(0, 1, 0.5), Users()]
    schedulers, loads = [FCFS(), EASY()], [None, 0.5]
    table = sweep.sweep([JOBS, OTHER_JOBS], schedulers, models, 2, loads, 1, folder=None)
    assert len(table) == 2 * 2 * (4 + 3 * 2 + 1)
    columns = "log stand_in load offered_load scheduler estimates model e_max f factor"
    assert list(table.columns)[:10] == columns.split()
    assert set(table["load"].dropna()) == {0.5} and table["load"].isna().sum() == len(table) / 2
    chosen = (table["log"] == "others") & (table["f"] == 0.5) & (table["load"] == 0.5)
    row = table[chosen & (table["scheduler"] == "EASY()") & (table["seed"] == 2)].iloc[0]
    at = OTHER_JOBS.at_load(0.5)
    assert row["mean_wait"] == simulate(at, EASY(), FModel(0.5), 2).measures["mean_wait"]
    assert row["offered_load"] == at.load == pytest.approx(0.5, rel=0.01)


def test_runs_are_cut_before_submissions_are_scaled():
    whole, cut = (
        sweep.sweep(jobs, estimates=FModel(2, e_max=40), loads=0.8, folder=None)
        for jobs in (JOBS, cut_runs(JOBS, 40))
    )
    assert whole["offered_load"].iloc[0] == pytest.approx(0.8, rel=0.01)
    pd.testing.assert_frame_equal(whole, cut)


def mean_size(schedule):
    return float(schedule.workload.processors.mean())


def test_measures_are_names_or_functions(tmp_path):
    names = ["median_wait", mean_size]
    table = sweep.sweep(JOBS, measures=names, trim=False, folder=tmp_path)
    measured = simulate(JOBS, measures=names, trim=False).measures
    assert table[["median_wait", "mean_size"]].iloc[0].to_dict() == measured
    assert measured["mean_size"] == JOBS.processors.mean()
    with pytest.raises(measures.MeasureError, match=r"'mean_wiat' \(did you mean mean_wait\?\)"):
        sweep.sweep(JOBS, measures="mean_wiat", folder=None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"estimates": 2}, "estimates is 2"),
        ({"seeds": [1, 1.5]}, "seed 1.5; allowed: a whole number from 0"),
        ({"seeds": 0}, "seeds 0; allowed: a number from 1"),
        ({"seeds": [1, 1]}, "allowed: a number from 1, or different seeds"),
        *(({"loads": [load]}, "a share above 0 and up to 2") for load in ("high", 90, 0, np.nan)),
        ({"schedulers": []}, "nothing to simulate"),
        ({"measures": lambda schedule: None}, "measure <lambda> is None; expected a number"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        sweep.sweep(JOBS, folder=None, **wrong)
    with pytest.raises(TypeError, match="'seed'"):
        sweep.sweep(JOBS, seed=5)


def test_rows_that_could_not_be_distinguished_are_refused():
    with pytest.raises(SimulationError, match="two workloads are called 'busy'; expected"):
        sweep.sweep([JOBS, OTHER_JOBS.replace(name="busy")])
    for twice in ({"estimates": [FModel(1), FModel(1.0)]}, {"loads": ["log", None]}):
        with pytest.raises(sweep.SweepError, match="is given twice"):
            sweep.sweep(JOBS, **twice)


def test_only_random_points_run_with_every_seed():
    seeds = (3, 4, 5)
    assert sweep.seeds_of(EASY(predictor=Last()), Deterministic(2), seeds) == (3,)
    assert sweep.seeds_of(PVEasy(predictor=Virtual(0.1)), Users(), seeds) == seeds
    assert sweep.seeds_of(EASY(), FModel(2), seeds) == seeds
    assert sweep.seeds_of(FCFS(), FModel(2), seeds) == (3,)


def test_a_table_prints_means_over_seeds_and_the_columns_that_differ():
    rows = {"log": "<b>", "stand_in": False, "load": np.nan, "offered_load": [0.5, 0.7, 0.5, 0.7]}
    rows |= {"scheduler": ["EASY()", "EASY()", "FCFS()", "FCFS()"], "seed": [1, 2, 1, 2]}
    rows |= {"jobs": 10, "mean_wait": [1.0, 2.0, 30_000.0, 40_000.0]}
    table = Results(rows)
    assert repr(table).splitlines() == [
        "scheduler mean_wait",
        "   EASY()       1.5",
        "   FCFS()    35,000",
        "Means over the seeds of 4 rows.",
        "In all rows: log <b>, load log, offered_load 0.6, jobs 10, seeds 2.",
        "In s: mean_wait.",
    ]
    assert "<b>" not in table._repr_html_() and "&lt;b&gt;" in table._repr_html_()
    assert type(table[["jobs"]]) is pd.DataFrame and len(table) == 4


def test_a_wide_table_names_the_columns_that_it_leaves_out_unless_they_were_asked_for():
    rows = {"scheduler": ["a", "b"], "seed": 1, "mean_wait": [1.0, 2.0]}
    rows |= {f"a_long_name_of_a_measure_{k}": [0.25, 0.5] for k in range(4)}
    lines = repr(Results(rows)).splitlines()
    assert max(map(len, lines)) <= 80 and lines[0].startswith("scheduler mean_wait")
    assert lines[-1].startswith("Not shown: a_long_name_of_a_measure_2, ")
    names = [f"bounded_slowdown_p{k}" for k in range(90, 95)]
    table = rp.compare(JOBS, ["fcfs", "easy"], measures=names)
    assert "Not shown" not in repr(table) and all(name in repr(table) for name in names)


def test_a_log_without_a_load_has_no_other_load():
    at_once = Workload.from_columns("at once", 4, [0, 0], [9, 9], [3, 3])
    with pytest.raises(sweep.SweepError, match="load nan: load 0.5, allowed: only 'log'"):
        rp.sweep(at_once, loads=[0.5], folder=None)


def test_a_comparison_is_stored(tmp_path, monkeypatch):
    week = 7 * 24 * 3600
    log = random_jobs(200, 8, 26 * week, 80_000, 1)
    for options in ({}, {"intervals": True, "measures": ["mean_wait", "offered_load"]}):
        table = rp.compare(log, [FCFS(), EASY()], folder=tmp_path, **options)
        with monkeypatch.context() as patch:
            patch.setattr(sweep, "compute", lambda task: pytest.fail("computed again"))
            again = rp.compare(log, [FCFS(), EASY()], folder=tmp_path, **options)
        pd.testing.assert_frame_equal(again, table)
