"""Threads, processes and Dask give the same results; finished results survive failures."""

import importlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import joblib
import pandas as pd
import pytest

from replication import __main__
from replication.simulator.choices import option
from replication.simulator.estimates import FModel, Users
from replication.simulator.schedulers import EASY, FCFS, Conservative, Scheduler
from replication.simulator.simulation import SimulationError
from replication.simulator.sweeps import engines
from replication.simulator.sweeps import grid as sweep
from replication.simulator.sweeps.store import Store
from tests.simulator.failing import Failing
from tests.workloads import random_jobs


def some_jobs(n):
    return random_jobs(n, 16, 40 * n, 500, 500, name="some")


def tasks(scheduler=None, models=(Users(), FModel(1), FModel(3))):
    """A grid over three workloads and several choices."""
    schedulers = [EASY(), Conservative()] if scheduler is None else [scheduler]
    return [
        sweep.Task(some_jobs(n), model, one, seeds=(1, 2) if isinstance(model, FModel) else (1,))
        for n in (40, 50, 60)
        for one in schedulers
        for model in models
    ]


def with_large():
    """The grid and a large workload."""
    return [*tasks(), sweep.Task(some_jobs(20_000), FModel(2), seeds=(1, 2))]


def stored(folder, tasks):
    """Sizes of the workloads all of whose tasks are stored."""
    with Store(folder) as store:
        lost = {len(task.workload) for task in tasks if store.get(task.key) is None}
    return {len(task.workload) for task in tasks} - lost


@pytest.fixture(scope="module")
def in_threads():
    return sweep.run(with_large(), folder=None)


def test_processes_give_the_same_and_share_the_store(in_threads, tmp_path, monkeypatch):
    found = sweep.run(with_large(), workers=2, engine="processes", folder=tmp_path)
    pd.testing.assert_frame_equal(found, in_threads, check_exact=True)
    monkeypatch.setattr(sweep, "compute", lambda task: pytest.fail("computed again"))
    pd.testing.assert_frame_equal(sweep.run(with_large(), folder=tmp_path), in_threads)


def test_processes_use_the_compiled_kernels():
    found = engines.results(
        tasks(), lambda task: {"folder": [os.environ["NUMBA_CACHE_DIR"]]}, 2, "processes", None
    )
    assert found == [{"folder": [os.environ["NUMBA_CACHE_DIR"]]}] * len(tasks())


@pytest.mark.parametrize(("engine", "workers"), [("threads", 1), ("threads", 2), ("processes", 2)])
def test_an_error_ends_the_run_and_keeps_finished_results(engine, workers, tmp_path):
    grid = tasks(Failing(at=60), [Users()])
    with pytest.raises(ArithmeticError, match="it does not add up"):
        sweep.run(grid, workers, engine, folder=tmp_path)
    found = stored(tmp_path, grid)
    assert found == {40, 50} if workers == 1 else found <= {40, 50}


def test_a_refusal_is_raised_after_the_others_are_done(tmp_path):
    refused = sweep.Task(some_jobs(50), FModel(1e16))
    with pytest.raises(SimulationError, match="some: times reach"):
        sweep.run([refused, *tasks()], 1, folder=tmp_path)
    assert stored(tmp_path, tasks()) == {40, 50, 60}


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_a_wrong_number_of_workers_is_refused(workers):
    with pytest.raises(engines.EngineError, match="allowed: a whole number from 1"):
        sweep.run(tasks(), workers, folder=None)


def test_an_engine_that_does_not_exist_is_refused(monkeypatch, capsys):
    with pytest.raises(engines.EngineError, match="'treads'; allowed: threads, processes, or the"):
        sweep.run(tasks(), engine="treads", folder=None)
    monkeypatch.setenv("REPLICATION_ENGINE", "treads")
    with pytest.raises(engines.EngineError, match="'treads'"):
        sweep.run(tasks(), folder=None)
    assert __main__.main(["figures", "--engine", "treads"]) == 2


@pytest.mark.slow
def test_a_stopped_sweep_continues(tmp_path, monkeypatch):
    whole = sweep.run(tasks(), folder=tmp_path / "whole")
    compute, done = sweep.compute, []

    def stop(task):
        if len(done) == 7:
            raise KeyboardInterrupt
        done.append(task)
        return compute(task)

    monkeypatch.setattr(sweep, "compute", stop)
    with pytest.raises(KeyboardInterrupt):
        sweep.run(tasks(), 1, folder=tmp_path / "part")
    with Store(tmp_path / "part") as store:
        kept = sum(store.get(task.key) is not None for task in tasks())
    monkeypatch.setattr(sweep, "compute", lambda task: done.append(task) or compute(task))
    pd.testing.assert_frame_equal(sweep.run(tasks(), 1, folder=tmp_path / "part"), whole)
    assert len(done) == 7 + len(tasks()) - kept


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as made:
        yield made.scheduler_address


@pytest.mark.slow
def test_dask_gives_the_same(cluster, in_threads):
    found = sweep.run(with_large(), engine=cluster, folder=None)
    pd.testing.assert_frame_equal(found, in_threads, check_exact=True)


@pytest.mark.slow
def test_a_worker_with_other_sources_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(engines.code, "of_simulator", lambda: "other")
    with pytest.raises(engines.EngineError, match="has other sources of replication.simulator"):
        sweep.run(tasks(), engine=cluster, folder=None)


OWN = """
from dataclasses import dataclass
import helper_of_users
from replication.simulator.schedulers import FCFS, Scheduler

@dataclass(frozen=True)
class Own(Scheduler, name="own-of-users"):
    def run(self, workload, estimate, seed):
        helper_of_users.called()
        return FCFS().run(workload, estimate, seed)
"""
HELPER = """
def called():
    pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", "Dask"])
def test_a_worker_needs_no_module_of_users(engine, request, tmp_path, monkeypatch):
    address = request.getfixturevalue("cluster") if engine == "Dask" else engine
    (tmp_path / "own_of_users.py").write_text(OWN)
    (tmp_path / "helper_of_users.py").write_text(HELPER)
    with monkeypatch.context() as here:
        here.syspath_prepend(tmp_path)
        own = importlib.import_module("own_of_users").Own()
    table = sweep.run(tasks(own, [Users()]), 2, engine=address, folder=None)
    expected = sweep.run(tasks(FCFS(), [Users()]), folder=None)
    assert table["mean_wait"].tolist() == expected["mean_wait"].tolist()


@dataclass(frozen=True)
class Deadly(Scheduler, name="deadly"):
    """End the first process that runs it, without a word."""

    folder: str = option("")

    def run(self, workload, estimate, seed):
        try:
            Path(self.folder, "died").touch(exist_ok=False)
        except FileExistsError:
            return FCFS().run(workload, estimate, seed)
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_of_dask_that_is_killed_changes_nothing(cluster, tmp_path):
    mixed = [*tasks(), *tasks(Deadly(str(tmp_path)), [Users()])]
    found = sweep.run(mixed, engine=cluster, folder=tmp_path / "store")
    assert (tmp_path / "died").exists()
    expected = sweep.run([*tasks(), *tasks(FCFS(), [Users()])], folder=None)
    assert found["mean_wait"].tolist() == expected["mean_wait"].tolist()


@pytest.mark.slow
def test_a_killed_process_ends_the_sweep_and_the_next_one_completes_it(tmp_path):
    mixed = [*tasks(), *tasks(Deadly(str(tmp_path)), [Users()])]
    with pytest.raises(joblib.externals.loky.process_executor.TerminatedWorkerError):
        sweep.run(mixed, 2, "processes", folder=tmp_path / "store")
    found = sweep.run(mixed, 2, "processes", folder=tmp_path / "store")
    expected = sweep.run([*tasks(), *tasks(FCFS(), [Users()])], folder=None)
    assert found["mean_wait"].tolist() == expected["mean_wait"].tolist()


def test_an_interrupted_sweep_says_that_results_are_stored(tmp_path, monkeypatch):
    def interrupted(task):
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "compute", interrupted)
    with pytest.raises(KeyboardInterrupt, match="finished results are stored") as problem:
        sweep.run(tasks(), 1, folder=tmp_path)
    assert problem.value.__suppress_context__
    assert not any("joblib" in str(entry.path) for entry in problem.traceback)
