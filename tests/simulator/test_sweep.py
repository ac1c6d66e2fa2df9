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


def some_jobs(n=300, seed=3):
    """Enough jobs that a hundredth of them is some, on a busy machine."""
    rng = np.random.default_rng(seed)
    run_time = rng.integers(0, 90, n)
    return Workload.from_columns(
        f"some{seed}",
        8,
        submit=np.sort(rng.integers(0, 20 * n, n)),
        run_time=run_time,
        processors=rng.integers(1, 7, n),
        estimate=run_time + rng.integers(0, 200, n),
    )


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
    task = sweep.Task(some_jobs(), model, scheduler, seeds=(7, 8), watched=True)
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
    rows = sweep.compute(sweep.Task(some_jobs(), FModel(2), scheduler, (7, 8), measures=names))
    for row, seed in enumerate(rows.pop("seed")):
        run = simulate(some_jobs(), scheduler, FModel(2), seed, measures=names)
        one = {name: values[row] for name, values in rows.items()}
        assert one == pytest.approx(run.measures, rel=0, nan_ok=True)
        # A sweep does not simulate with estimates that make no difference.
        assert scheduler == FCFS() or one["backfilled_size"] >= 1


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
    found = schedule.measured((share, True), ("jobs", "mean_wait", "mean_bounded_slowdown"))
    assert found["jobs"] == kept.sum()
    if kept.any():
        slowdown = measures.bounded_slowdown(schedule.wait[kept], workload.run_time[kept])
        means = [schedule.wait[kept].mean(), slowdown.mean()]
        assert [found["mean_wait"], found["mean_bounded_slowdown"]] == pytest.approx(means)


def test_the_key_depends_on_everything_that_matters():
    workload = some_jobs()
    base = {"workload": workload, "estimates": FModel(1), "seeds": (1, 2)}
    first = sweep.Task(
        **base
    ).key  # workloads that are made from this one later have keys of their own
    run_time = np.where(np.arange(len(workload)) == 5, 1, workload.run_time)
    changes = [
        {"workload": workload.replace(run_time=run_time)},
        {"workload": workload.scaled(0.9)},
        {"workload": workload.take(slice(299))},
        {"workload": workload.replace(machine=9)},
        {"estimates": Deterministic(1)},
        {"estimates": FModel(1.1)},
        {"estimates": FModel(1, e_max=500)},
        {"seeds": (1,)},
        {"watched": True},
        {"scheduler": FCFS()},
        {"scheduler": EASY(candidates="shortest")},
        {"measures": ("mean_wait",)},
        {"trim": False},
        {"workload": workload.replace(user=workload.user + 2)},
        {"workload": workload.replace(draw_key="else")},
    ]
    changes += [{"workload": sweep.Jobs(workload, *how)} for how in ((0.5,), (0.6,), (0.5, 60))]
    keys = [first, *(sweep.Task(**(base | change)).key for change in changes)]
    assert len(set(keys)) == len(keys)
    assert sweep.Task(**base).key == sweep.Task(**base, load="high").key == first
    assert sweep.Task(**base | {"workload": sweep.Jobs(workload)}).key == first


def test_two_choices_of_one_name_have_results_and_labels_of_their_own(tmp_path):
    jobs = some_jobs()

    def order_by(sign):
        def order(workload):
            return sign * workload.processors

        return OrderedEASY(order=order)

    both = order_by(1), order_by(-1)
    expected = [simulate(jobs, one).measures["mean_wait"] for one in both]
    assert expected[0] != expected[1]
    for one, value in zip(both, expected, strict=True):
        assert sweep.sweep(jobs, one, folder=tmp_path)["mean_wait"].tolist() == [value]
    table = sweep.sweep(jobs, both, folder=tmp_path)
    assert table["mean_wait"].tolist() == expected
    assert table["scheduler"].tolist() == [
        "OrderedEASY(order=order)",
        "OrderedEASY(order=order) #2",
    ]
    assert rp.compare(jobs, both)["scheduler"].tolist() == table["scheduler"].tolist()
    with pytest.raises(sweep.SweepError, match="is given twice"):
        sweep.sweep(jobs, [both[0], both[0]], folder=None)


def test_a_function_inside_a_function_is_not_stored(tmp_path):
    def smallest_of_all(workload):
        return workload.processors

    for _ in range(2):
        table = sweep.sweep(some_jobs(), OrderedEASY(order=smallest_of_all), folder=tmp_path)
        assert len(table) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_table_can_be_written_as_parquet(tmp_path):
    table = sweep.sweep(some_jobs(), loads=["log", 0.5], folder=None)
    table.to_parquet(tmp_path / "table.parquet")
    assert table["load"].dtype == float and table["load"].isna().tolist() == [True, False]


def test_the_table_has_a_row_for_each_simulation():
    two = [some_jobs(), some_jobs(seed=4)]
    models = [*FModel.grid(0, 1, 0.5), Users()]
    table = sweep.sweep(two, [FCFS(), EASY()], models, 2, [None, 0.5], 1, folder=None)
    assert len(table) == 2 * 2 * (4 + 3 * 2 + 1)
    assert list(table.columns)[:10] == (
        "log stand_in load offered_load scheduler estimates model e_max f factor".split()
    )
    assert set(table["load"].dropna()) == {0.5} and table["load"].isna().sum() == len(table) / 2
    chosen = (table["log"] == "some4") & (table["f"] == 0.5) & (table["load"] == 0.5)
    row = table[chosen & (table["scheduler"] == "EASY()") & (table["seed"] == 2)].iloc[0]
    at = two[1].at_load(0.5)
    assert row["mean_wait"] == simulate(at, EASY(), FModel(0.5), 2).measures["mean_wait"]
    assert row["offered_load"] == at.load == pytest.approx(0.5, rel=0.01)


def test_runs_are_cut_before_submissions_are_scaled():
    table = sweep.sweep(some_jobs(), estimates=FModel(2, e_max=40), loads=[0.8], folder=None)
    own = sweep.sweep(
        cut_runs(some_jobs(), 40), estimates=FModel(2, e_max=40), loads=0.8, folder=None
    )
    assert table["offered_load"].iloc[0] == pytest.approx(0.8, rel=0.01)
    pd.testing.assert_frame_equal(table, own)


def mean_size(schedule):
    return float(schedule.workload.processors.mean())


def test_measures_are_names_or_functions(tmp_path):
    jobs = some_jobs()
    asked = ["median_wait", mean_size]
    table = sweep.sweep(jobs, estimates=FModel(1), measures=asked, trim=False, folder=tmp_path)
    found = simulate(jobs, EASY(), FModel(1), measures=asked, trim=False).measures
    assert table[["median_wait", "mean_size"]].iloc[0].to_dict() == found
    assert found["mean_size"] == jobs.processors.mean()
    with pytest.raises(measures.MeasureError, match=r"'mean_wiat' \(did you mean mean_wait\?\)"):
        sweep.sweep(jobs, measures="mean_wiat", folder=None)


WRONG_LOADS = ("high", 3, ["high"], [90], [0], [-1], [float("nan")], [float("inf")])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"estimates": 2}, "estimates is 2"),
        ({"seeds": [1, 1.5]}, "seed 1.5; allowed: a whole number from 0"),
        ({"seeds": 2.0}, "seed 2.0; allowed"),
        ({"seeds": 0}, "seeds 0; allowed: a number from 1"),
        ({"seeds": [1, 1]}, "allowed: a number from 1, or different seeds"),
        *(({"loads": loads}, "a share above 0 and up to 2") for loads in WRONG_LOADS),
        ({"schedulers": []}, "nothing to simulate"),
        ({"measures": lambda schedule: None}, "measure <lambda> is None; expected a number"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        sweep.sweep(some_jobs(), folder=None, **wrong)
    with pytest.raises(TypeError, match="'seed'"):
        sweep.sweep(some_jobs(), seed=5)


def test_rows_that_could_not_be_distinguished_are_refused():
    for other in (some_jobs(), some_jobs(seed=4)):
        with pytest.raises(SimulationError, match="two workloads are called 'x'; expected"):
            sweep.sweep([some_jobs().replace(name="x"), other.replace(name="x")])
    for twice in ({"estimates": [FModel(1), FModel(1.0)]}, {"loads": ["log", None]}):
        with pytest.raises(sweep.SweepError, match="is given twice"):
            sweep.sweep(some_jobs(), **twice)


def test_only_random_points_run_with_every_seed():
    seeds = (3, 4, 5)
    for model in (Users(), Perfect(), Deterministic(2)):
        assert sweep.seeds_of(EASY(), model, seeds) == (3,)
        assert sweep.seeds_of(EASY(predictor=Last()), model, seeds) == (3,)
        assert sweep.seeds_of(PVEasy(predictor=Virtual(0.1)), model, seeds) == seeds
    for model in (FModel(2), Modal(3600)):
        assert sweep.seeds_of(EASY(), model, seeds) == seeds
        assert sweep.seeds_of(FCFS(), model, seeds) == (3,)


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
    asked = ["wait_p95", "wait_p5", "bounded_slowdown_p95", "median_bounded_slowdown"]
    asked += ["max_bounded_slowdown", "median_wait", "mean_wait", "max_wait", "ap0waf"]
    table = rp.compare(some_jobs(), ["fcfs", "easy"], measures=asked)
    assert [*table["scheduler"]] == ["FCFS()", "EASY()"]
    assert "Not shown" not in repr(table) and all(name in repr(table) for name in asked)


def test_a_log_without_a_load_has_no_other_load():
    at_once = Workload.from_columns("at once", 4, [0, 0], [9, 9], [3, 3])
    with pytest.raises(sweep.SweepError, match="load nan: load 0.5, allowed: only 'log'"):
        rp.sweep(at_once, loads=[0.5], folder=None)


def test_a_comparison_is_stored(tmp_path, monkeypatch):
    week = 7 * 24 * 3600
    log = random_jobs(200, 8, 26 * week, 80_000, 1)
    calls = [{}, {"intervals": True, "measures": ["mean_wait", "offered_load"]}]
    tables = [rp.compare(log, [FCFS(), EASY()], folder=tmp_path, **asked) for asked in calls]
    monkeypatch.setattr(sweep, "compute", lambda task: pytest.fail("computed again"))
    for asked, table in zip(calls, tables, strict=True):
        again = rp.compare(log, [FCFS(), EASY()], folder=tmp_path, **asked)
        pd.testing.assert_frame_equal(again, table)
