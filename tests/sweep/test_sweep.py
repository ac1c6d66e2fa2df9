"""Many simulations: each row is the simulation it says it is, whoever computes it, and is computed once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.core import cells
from replication.estimates import Deterministic, FModel, Users, cut_runs
from replication.logs.workload import Workload
from replication.schedule import measures
from replication.schedule.observed import observe
from replication.schedule.simulation import simulate
from replication.sweep import grid as sweep
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
        sweep.Task(workload, "log", model, amount, seeds, watched=True)
        for workload in (some_jobs(), some_jobs(seed=4))
        for model, amount in (
            ("random", 0.0),
            ("random", 2.5),
            ("deterministic", 1.25),
            ("log", 2.0),
        )
    ]


def expected(workload, estimates, seed):
    """A row as the public functions give it."""
    seen = observe(workload, estimates, seed)
    found = seen.schedule.measures | seen.measures
    return [found[name] for name in cells.ROW]


@pytest.mark.parametrize(
    ("model", "amount", "e_max", "estimates"),
    [
        ("random", 3.0, None, FModel(3)),
        ("random", 30.0, 80, FModel(30, 80)),
        ("deterministic", 0.5, None, Deterministic(0.5)),
        ("deterministic", 9.0, 80, Deterministic(9, 80)),
        ("log", 1.0, None, Users()),
        ("log", 2.0, 80, Users(2, 80)),
    ],
)
def test_a_row_is_what_the_public_functions_give(model, amount, e_max, estimates):
    workload = some_jobs()
    used = workload if e_max is None else cut_runs(workload, e_max)
    found = sweep.compute(sweep.Task(used, "log", model, amount, (7, 8), e_max, watched=True))
    for row, seed in enumerate((7, 8)):
        assert [found[name][row] for name in cells.ROW] == pytest.approx(
            expected(workload, estimates, seed), rel=1e-12
        )


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
    task = {
        "workload": some_jobs(),
        "load": "log",
        "model": "random",
        "amount": 4.0,
        "seeds": (1, 2),
    }
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
    other = sweep.run(tasks, executor=InLine(), folder=tmp_path / "other")
    order = ["log", "model", "amount", "seed"]
    pd.testing.assert_frame_equal(one, other)
    pd.testing.assert_frame_equal(*(f.sort_values(order, ignore_index=True) for f in (one, three)))
    assert len(one) == 3 * len(tasks)


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path, monkeypatch):
    tasks, done = grid(), []
    with pytest.raises(KeyboardInterrupt):
        sweep.run(tasks, executor=InLine(fail_after=3), folder=tmp_path)
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
    base = {"workload": workload, "load": "log", "model": "random", "amount": 1.0, "seeds": (1, 2)}
    changes = [
        {},
        {"workload": other},
        {"workload": workload.scaled(0.9)},
        {"workload": workload.replace(machine=9)},
        {"load": "high"},
        {"model": "deterministic"},
        {"amount": 1.1},
        {"seeds": (1,)},
        {"e_max": 500},
        {"watched": True},
        {"workload": workload.replace(name="else")},
    ]
    keys = [sweep.Task(**(base | change)).key for change in changes]
    assert len(set(keys)) == len(keys)
    assert sweep.Task(**base).key == keys[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "randm"}, "model 'randm', allowed: random, deterministic, log, modal"),
        ({"seeds": ()}, "no seeds"),
        ({"e_max": 10}, "allowed: up to E_max 10 s"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(change, message):
    base = {"workload": some_jobs(), "load": "log", "model": "random", "amount": 1.0}
    with pytest.raises(sweep.SweepError, match=message):
        sweep.Task(**(base | change))


def test_progress_counts_all_jobs(tmp_path, capsys):
    sweep.run(grid()[:2], folder=tmp_path, progress=True)
    assert "1.80k/1.80k" in capsys.readouterr().err
