"""Threads and processes give the same rows; finished results survive failures."""

import builtins
import threading

import joblib
import pandas as pd
import pytest

from replication.simulator.estimates import FModel, Users
from replication.simulator.schedulers import EASY, Conservative
from replication.simulator.simulation import SimulationError
from replication.simulator.sweeps import engines
from replication.simulator.sweeps import grid as sweep
from replication.simulator.sweeps.store import Store
from tests.simulator.failing import Failing
from tests.workloads import random_jobs


def busy(n):
    return random_jobs(n, 16, 40 * n, 500, 500, name="busy")


def tasks(scheduler=None, models=(Users(), FModel(1), FModel(3))):
    """A grid over three workloads and several choices."""
    schedulers = [EASY(), Conservative()] if scheduler is None else [scheduler]
    return [
        sweep.Task(busy(n), model, scheduler, sweep.seeds_of(scheduler, model, (1, 2)))
        for n in (40, 50, 60)
        for scheduler in schedulers
        for model in models
    ]


def stored(folder, tasks):
    """Return the sizes of the workloads all of whose tasks are stored."""
    with Store(folder) as store:
        lost = {len(task.workload) for task in tasks if store.get(task.key) is None}
    return {len(task.workload) for task in tasks} - lost


def test_processes_and_any_order_give_the_same_and_share_the_store(tmp_path, monkeypatch):
    in_threads = sweep.run(tasks(), folder=None)
    reverse = sweep.run(tasks()[::-1], 3, folder=None)
    key = ["offered_load", "scheduler", "estimates", "seed"]
    both = (table.sort_values(key, ignore_index=True) for table in (reverse, in_threads))
    pd.testing.assert_frame_equal(*both)
    sweep.run(tasks()[::2], folder=tmp_path)
    with joblib.parallel_config("loky", n_jobs=2):
        table = sweep.run(tasks(), folder=tmp_path)
    pd.testing.assert_frame_equal(table, in_threads, check_exact=True)
    monkeypatch.setattr(sweep, "compute", lambda task: pytest.fail("computed again"))
    pd.testing.assert_frame_equal(sweep.run(tasks(), folder=tmp_path), in_threads)


@pytest.mark.parametrize(
    ("backend", "workers", "error", "message"),
    [
        ("threading", 1, "ArithmeticError", "it does not add up"),
        ("loky", 2, "ArithmeticError", "it does not add up"),
        ("threading", 1, "KeyboardInterrupt", "finished results are stored"),
    ],
)
def test_an_error_ends_the_run_and_keeps_finished_results(
    backend, workers, error, message, tmp_path
):
    grid = tasks(Failing(at=60, error=error), [Users()])
    with (
        joblib.parallel_config(backend, n_jobs=workers),
        pytest.raises(getattr(builtins, error), match=message),
    ):
        sweep.run(grid, folder=tmp_path)
    kept = stored(tmp_path, grid)
    assert kept == {40, 50} if workers == 1 else kept <= {40, 50}


def test_a_refusal_is_raised_after_the_others_are_done(tmp_path):
    refused = sweep.Task(busy(50), FModel(1e16))
    with pytest.raises(SimulationError, match="busy: times reach"):
        sweep.run([refused, *tasks()], 1, folder=tmp_path)
    assert stored(tmp_path, tasks()) == {40, 50, 60}


def test_one_worker_computes_alone_and_two_at_once():
    threads = engines.each(lambda k: threading.current_thread(), range(9), 1)
    assert {*threads} == {threading.current_thread()}
    both = threading.Barrier(2, timeout=60)
    assert sorted(engines.each(lambda k: both.wait(), range(2), 2)) == [0, 1]


@pytest.mark.parametrize("workers", [0, 1.5, True])
def test_a_wrong_number_of_workers_is_refused(workers):
    with pytest.raises(engines.WorkerError, match="allowed: a whole number from 1"):
        sweep.run(tasks(), workers, folder=None)
