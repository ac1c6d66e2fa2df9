"""Many simulations: each row is the simulation it says it is, whoever computes it, and is computed once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator import code, engines, measures
from replication.simulator import grid as sweep
from replication.simulator.estimates import (
    Deterministic,
    EstimateError,
    EstimateModel,
    Exact,
    FModel,
    Modal,
    Users,
)
from replication.simulator.kernels import cells
from replication.simulator.observed import observe
from replication.simulator.predictors import Last, Tsafrir, Virtual
from replication.simulator.schedulers import EASY, FCFS, Conservative, PVEasy
from replication.simulator.simulation import SimulationError, simulate
from replication.simulator.workload import Workload
from tests.executors import InLine
from tests.workloads import workloads


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


def grid(seeds=(1, 2, 3)):
    """A few tasks of every model that needs no E_max, on two workloads."""
    return [
        sweep.Task(workload, model, seeds=seeds, watched=True)
        for workload in (some_jobs(), some_jobs(seed=4))
        for model in (FModel(0), FModel(2.5), Deterministic(1.25), Users(2))
    ]


def expected(workload, model, seed):
    """A row as the public functions give it."""
    seen = observe(workload, model, seed)
    found = seen.schedule.measures | seen.measures
    return [found[name] for name in cells.ROW]


@pytest.mark.parametrize(
    "model",
    [
        FModel(3),
        FModel(30, e_max=80),
        FModel(30, e_max=60),
        Deterministic(0.5),
        Deterministic(9, e_max=60),
        Users(),
        Users(2, e_max=60),
        Exact(2),
        Modal(3600),
    ],
    ids=repr,
)
def test_a_row_is_what_the_public_functions_give(model):
    workload = some_jobs()
    found = sweep.compute(sweep.Task(workload, model, seeds=(7, 8), watched=True))
    for row, seed in enumerate((7, 8)):
        assert [found[name][row] for name in cells.ROW] == pytest.approx(
            expected(workload, model, seed), rel=1e-12
        )


@pytest.mark.parametrize(
    "scheduler", [FCFS(), Conservative(), PVEasy(), EASY(candidates="sjf")], ids=repr
)
def test_a_row_of_any_scheduler_is_the_simulation_it_says(scheduler):
    workload = some_jobs()
    found = sweep.compute(sweep.Task(workload, FModel(2), scheduler, (7, 8)))
    for row, seed in enumerate((7, 8)):
        measured = simulate(workload, scheduler, FModel(2), seed).measures
        for name in set(measured) & set(cells.ROW):
            assert found[name][row] == measured[name]
        assert found["backfilled_size"][row] >= 1 or scheduler == FCFS()
        assert np.isnan(found["wild"][row])


def test_a_watched_row_of_easy_with_predictions_is_what_observe_gives():
    workload, scheduler = some_jobs(), EASY(candidates="sjf", predictor=Tsafrir())
    found = sweep.compute(sweep.Task(workload, FModel(2), scheduler, (7,), watched=True))
    seen = observe(workload, FModel(2), 7, scheduler).measures
    assert seen["wild"] > 0
    for name, value in seen.items():
        assert found[name] == pytest.approx([value])


def test_the_compiled_cell_and_simulations_give_the_same_row():
    """Two ways to the same numbers: EASY by another name of one of its options is not the textbook's."""
    workload = some_jobs()
    cell = sweep.compute(sweep.Task(workload, FModel(2), seeds=(1, 2)))
    other = [sweep._simulated(sweep.Task(workload, FModel(2)), seed) for seed in (1, 2)]
    for name, values in zip(cells.ROW[: cells.PLAIN], zip(*other, strict=True), strict=False):
        assert cell[name] == pytest.approx(values, rel=1e-12)


@settings(max_examples=150, deadline=None)
@given(workloads(most=120), st.integers(0, 40))
def test_the_jobs_left_out_are_those_that_measures_leaves_out(workload, left_out):
    """With any number left out, not only 1 %: the shortcut to the first jobs that end must hold for ties."""
    schedule = simulate(workload)
    left_out = min(left_out, len(workload))
    kept = schedule.end <= workload.submit.max()
    kept[np.argsort(schedule.end, kind="stable")[:left_out]] = False
    row = np.empty(len(cells.ROW))
    cells.performance(workload.submit, workload.run_time, schedule.start, left_out, row)
    assert row[0] == kept.sum()
    if kept.any():
        slowdown = measures.bounded_slowdown(schedule.wait[kept], workload.run_time[kept])
        assert row[1:3] == pytest.approx([schedule.wait[kept].mean(), slowdown.mean()])
    else:
        assert np.isnan(row[1:3]).all()


def test_a_plain_row_is_a_watched_row_without_what_was_watched():
    task = {"workload": some_jobs(), "estimates": FModel(4), "seeds": (1, 2)}
    plain, watched = (sweep.compute(sweep.Task(**task, watched=yes)) for yes in (False, True))
    for name in cells.ROW[: cells.PLAIN]:
        assert plain[name] == watched[name]
    for name in cells.ROW[cells.PLAIN :]:
        assert np.isnan(plain[name]).all()
        assert not np.isnan(watched[name]).all()


def test_neither_workers_nor_order_nor_executor_matter(tmp_path):
    tasks = grid()
    one = sweep.run(tasks, 1, folder=tmp_path / "one")
    three = sweep.run(tasks[::-1], 3, folder=tmp_path / "three")
    other = sweep.run(tasks, engine=InLine(), folder=tmp_path / "other")
    order = ["log", "estimates", "seed"]
    pd.testing.assert_frame_equal(one, other)
    pd.testing.assert_frame_equal(*(f.sort_values(order, ignore_index=True) for f in (one, three)))
    assert len(one) == 3 * len(tasks)


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 0.0)
    tasks, done = grid(), []
    with pytest.raises(KeyboardInterrupt):
        sweep.run(tasks, engine=InLine(fail_after=3), folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["001.kept"]
    compute = sweep.compute
    monkeypatch.setattr(sweep, "compute", lambda task: done.append(task) or compute(task))
    whole = sweep.run(tasks, folder=tmp_path)
    assert len(done) == len(tasks) - 3
    pd.testing.assert_frame_equal(whole, sweep.run(tasks, folder=tmp_path))
    assert len(done) == len(tasks) - 3


def test_the_key_depends_on_everything_that_matters():
    workload = some_jobs()
    other = workload.replace(run_time=np.where(np.arange(len(workload)) == 5, 1, workload.run_time))
    base = {"workload": workload, "estimates": FModel(1), "seeds": (1, 2)}
    changes = [
        {},
        {"workload": other},
        {"workload": workload.scaled(0.9)},
        {"workload": workload.replace(machine=9)},
        {"workload": workload.replace(name="else")},
        {"estimates": Deterministic(1)},
        {"estimates": FModel(1.1)},
        {"estimates": FModel(1, e_max=500)},
        {"seeds": (1,)},
        {"watched": True},
        {"scheduler": FCFS()},
        {"scheduler": EASY(candidates="sjf")},
    ]
    keys = [sweep.Task(**(base | change)).key for change in changes]
    assert len(set(keys)) == len(keys)
    assert sweep.Task(**base).key == keys[0]
    assert sweep.Task(**base, load="high").key == keys[0]


def test_what_shows_results_does_not_make_them_stale():
    """Few modules decide the campaign's keys; none of another scheduler, none that reads logs or draws."""
    followed = set(code.modules(sweep.cell.__name__, FModel.__module__))
    assert {
        "replication.simulator.kernels.easy",
        "replication.simulator.kernels.waiting",
    } <= followed
    assert {name for name in followed if not name.startswith("replication.simulator.kernels.")} == {
        "replication.simulator.seeding",
        "replication.simulator.workload",
        "replication.simulator.estimates.models",
        "replication.simulator.cell",
    }
    every = code.modules(sweep.__name__, EASY.__module__)
    assert "replication.simulator.predictors.top_percent" in every
    assert not {"replication.simulator.gantt", "replication.simulator.html"} & set(every)


def test_a_choice_without_source_is_never_kept(tmp_path):
    source = (
        "from dataclasses import dataclass\n"
        "from replication.simulator.estimates import EstimateModel\n"
        "@dataclass(frozen=True)\n"
        "class OfANotebook(EstimateModel, name='of-a-notebook'):\n"
        "    def estimate(self, workload, seed):\n"
        "        return workload.run_time + seed\n"
    )
    names = {"__name__": "a_notebook"}
    exec(source, names)  # noqa: S102, as a notebook's cell is run
    try:
        task = sweep.Task(some_jobs(), names["OfANotebook"](), seeds=(1, 2))
        assert task.key is None
        table = sweep.run([task], folder=tmp_path)
        assert len(table) == 2
        assert list(tmp_path.iterdir()) == []
    finally:
        del EstimateModel.members["of-a-notebook"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"workload": "KTH-SP2"}, "workload is a str, allowed: a Workload"),
        ({"seeds": ()}, "no seeds"),
        ({"estimates": "f=2"}, "f=2"),
        ({"scheduler": "easy"}, "easy"),
        ({"scheduler": FCFS(), "watched": True}, r"FCFS\(\) watched, allowed: any EASY"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(change, message):
    base = {"workload": some_jobs(), "estimates": FModel(1)}
    with pytest.raises(ValueError, match=message):
        sweep.Task(**(base | change))


@pytest.mark.parametrize(
    "model", [FModel(1e16), FModel(1e300), Deterministic(1e16), Users(1e16)], ids=repr
)
def test_times_that_cannot_be_counted_are_refused_as_by_simulate(model):
    workload = some_jobs()
    with pytest.raises((SimulationError, EstimateError)) as simulated:
        simulate(workload, EASY(), model)
    for scheduler in (EASY(), FCFS()):
        with pytest.raises(type(simulated.value)) as swept:
            sweep.sweep(workload, scheduler, model, folder=None)
        assert str(swept.value) == str(simulated.value)


def test_run_times_that_cannot_be_counted_are_refused():
    workload = Workload.from_columns("long", 8, [0, 0, 1], [9 * 10**17] * 3, [5, 5, 5])
    with pytest.raises(SimulationError, match="allowed: below"):
        sweep.sweep(workload, estimates=[FModel(0), Users()], folder=None)


def test_large_but_countable_times_are_right():
    workload = some_jobs()
    table = sweep.sweep(workload, estimates=FModel(1e9), folder=None)
    found = simulate(workload, EASY(), FModel(1e9)).measures
    assert table["mean_wait"].iloc[0] == pytest.approx(found["mean_wait"], rel=1e-12)


def test_the_table_says_what_was_asked_for():
    two = [some_jobs(), some_jobs(seed=4)]
    table = sweep.sweep(
        two, [FCFS(), EASY()], [*FModel.grid(0, 1, 0.5), Users()], 2, [None, 0.5], 1, folder=None
    )
    assert len(table) == 2 * 2 * 2 * (3 * 2 + 1)
    assert list(table.columns)[:9] == (
        ["log", "stand_in", "load", "scheduler", "estimates", "model", "e_max", "f", "factor"]
    )
    assert set(table["scheduler"]) == {"FCFS()", "EASY()"}
    assert set(table["load"]) == {"log", 0.5}
    row = table[
        (table["log"] == "some4")
        & (table["scheduler"] == "FCFS()")
        & (table["f"] == 0.5)
        & (table["load"] == 0.5)
        & (table["seed"] == 2)
    ].iloc[0]
    at = two[1].scaled(two[1].load / 0.5)
    assert row["mean_wait"] == simulate(at, FCFS(), FModel(0.5), 2).measures["mean_wait"]


@pytest.mark.parametrize("loads", [["high"], [0], [-1], [float("nan")], [float("inf")]])
def test_a_load_that_is_no_share_is_refused(loads):
    with pytest.raises(sweep.SweepError, match="allowed: a share above 0"):
        sweep.sweep(some_jobs(), loads=loads, folder=None)


def test_nothing_to_simulate_is_refused():
    with pytest.raises(sweep.SweepError, match="nothing to simulate"):
        sweep.sweep([], folder=None)


def test_a_terminal_sees_a_bar_that_counts_all_jobs(capsys, monkeypatch):
    monkeypatch.setattr(engines.sys.stderr, "isatty", lambda: True)
    sweep.run(grid()[:2], folder=None)
    assert "1.80k/1.80k" in capsys.readouterr().err


def test_anything_but_a_terminal_gets_a_line_now_and_then(capsys, monkeypatch):
    sweep.run(grid()[:2], folder=None)
    assert capsys.readouterr().err == "", "nothing in the first minute"
    monkeypatch.setattr(engines, "EVERY", 1e-9)
    monkeypatch.setattr(engines, "SECONDS", 0.0)  # a batch for each task
    sweep.run(grid()[:2], folder=None)
    first, last = (said := capsys.readouterr().err.splitlines())[0], said[-1]
    assert first.startswith("replication: threads: 50 % of 1.80k jobs in 00:00, about 00:")
    assert last.startswith("replication: threads: 100 % of 1.80k jobs in 00:00")
    sweep.run(grid()[:2], folder=None, progress=False)
    assert capsys.readouterr().err == ""


def test_only_what_draws_at_random_runs_with_every_seed():
    seeds = (3, 4, 5)
    for model in (Users(), Exact(), Deterministic(2)):
        assert sweep.seeds_of(EASY(), model, seeds) == (3,)
        assert sweep.seeds_of(EASY(predictor=Last()), model, seeds) == (3,)
        assert sweep.seeds_of(PVEasy(predictor=Virtual(0.1)), model, seeds) == seeds
    for model in (FModel(2), Modal(3600)):
        assert sweep.seeds_of(FCFS(), model, seeds) == seeds
