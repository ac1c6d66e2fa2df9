"""Threads, processes and Dask give the same rows; finished results survive failures."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import joblib
import pandas as pd
import pytest

import replication as rp
from replication.simulator import paths
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


def stored(folder, tasks):
    """Return the sizes of the workloads all of whose tasks are stored."""
    with Store(folder) as store:
        lost = {len(task.workload) for task in tasks if store.get(task.key) is None}
    return {len(task.workload) for task in tasks} - lost


def test_processes_give_the_same_and_share_the_store(tmp_path, monkeypatch):
    in_threads = sweep.run(tasks(), folder=None)
    with joblib.parallel_config("loky", n_jobs=2):
        table = sweep.run(tasks(), folder=tmp_path)
    pd.testing.assert_frame_equal(table, in_threads, check_exact=True)
    monkeypatch.setattr(sweep, "compute", lambda task: pytest.fail("computed again"))
    pd.testing.assert_frame_equal(sweep.run(tasks(), folder=tmp_path), in_threads)


def test_processes_use_the_compiled_kernels():
    def folder(task):
        return {"folder": [os.environ["NUMBA_CACHE_DIR"]]}

    with joblib.parallel_config("loky", n_jobs=2):
        rows = engines.results(tasks(), folder, folder=None)
    assert rows == [{"folder": [os.environ["NUMBA_CACHE_DIR"]]}] * len(tasks())


@dataclass(frozen=True)
class Versioned(Failing, name="failing-versioned"):
    version = 1


@pytest.mark.parametrize(("backend", "workers"), [("threading", 1), ("threading", 2), ("loky", 2)])
def test_an_error_ends_the_run_and_keeps_finished_results(backend, workers, tmp_path):
    grid = tasks(Versioned(at=60), [Users()])
    with (
        joblib.parallel_config(backend, n_jobs=workers),
        pytest.raises(ArithmeticError, match="it does not add up"),
    ):
        sweep.run(grid, folder=tmp_path)
    kept = stored(tmp_path, grid)
    assert kept == {40, 50} if workers == 1 else kept <= {40, 50}


def test_a_refusal_is_raised_after_the_others_are_done(tmp_path):
    refused = sweep.Task(some_jobs(50), FModel(1e16))
    with pytest.raises(SimulationError, match="some: times reach"):
        sweep.run([refused, *tasks()], 1, folder=tmp_path)
    assert stored(tmp_path, tasks()) == {40, 50, 60}


@pytest.mark.parametrize("workers", [0, -1, 1.5, True])
def test_a_wrong_number_of_workers_is_refused(workers):
    with pytest.raises(engines.WorkerError, match="allowed: a whole number from 1"):
        sweep.run(tasks(), workers, folder=None)


def test_a_stopped_sweep_says_so_and_continues(tmp_path, monkeypatch):
    whole = sweep.run(tasks(), folder=None)
    compute, done = sweep.compute, []

    def stop(task):
        if len(done) == 7:
            raise KeyboardInterrupt
        done.append(task)
        return compute(task)

    monkeypatch.setattr(sweep, "compute", stop)
    with pytest.raises(KeyboardInterrupt, match="finished results are stored"):
        sweep.run(tasks(), 1, folder=tmp_path)
    with Store(tmp_path) as store:
        kept = sum(store.get(task.key) is not None for task in tasks())
    monkeypatch.setattr(sweep, "compute", lambda task: done.append(task) or compute(task))
    pd.testing.assert_frame_equal(sweep.run(tasks(), 1, folder=tmp_path), whole)
    assert kept >= 6 and len(done) == 7 + len(tasks()) - kept


def test_own_classes_are_simulated_again_unless_they_state_a_version(tmp_path):
    runs = []

    class Counted(rp.PythonScheduler, name="counted"):
        most: int = 16

        def schedule(self, now):
            if now == 0:
                runs.append(type(self).__name__)
            for job in [job for job in self.queue if job.size <= min(self.free, self.most)]:
                if job.size <= self.free:
                    self.begin(job)

    class First(Counted, name="counted-1"):
        version = 1

    class Below(First, name="counted-below"):
        pass

    log = rp.Workload.from_columns("two", 4, [0, 1], [9, 5], [3, 4])
    for own in (Counted, First, Below):
        for _ in range(2):
            rp.sweep(log, own(), folder=tmp_path)
    assert runs == ["Counted"] * 2 + ["First"] + ["Below"] * 2
    First.version = 2
    rp.sweep(log, [First(), rp.EASY(rp.Last())], folder=tmp_path)
    assert runs[5:] == ["First"]
    rp.sweep(log, First(most=8), folder=tmp_path)
    assert runs[6:] == ["First"]


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
def test_a_killed_process_ends_the_sweep_and_the_next_one_completes_it(tmp_path):
    mixed = [*tasks(), *tasks(Deadly(str(tmp_path)), [Users()])]
    with joblib.parallel_config("loky", n_jobs=2):
        with pytest.raises(joblib.externals.loky.process_executor.TerminatedWorkerError):
            sweep.run(mixed, folder=tmp_path / "store")
        table = sweep.run(mixed, folder=tmp_path / "store")
    expected = sweep.run([*tasks(), *tasks(FCFS(), [Users()])], folder=None)
    assert table["mean_wait"].tolist() == expected["mean_wait"].tolist()


class Slow(rp.PythonScheduler, name="slow-in-python"):
    """FCFS in Python, so that a worker can be killed while it simulates."""

    number: int = 0

    def schedule(self, now):
        for job in self.queue:
            if job.size > self.free:
                break
            self.begin(job)


@pytest.fixture
def cluster(tmp_path):
    """The address of a Dask scheduler, and two workers in processes of their own."""
    pytest.importorskip("distributed", reason="Dask is not installed: requirements/dask.lock")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, env = f"tcp://127.0.0.1:{port}", dict(os.environ)
    env["PYTHONPATH"] = os.pathsep.join([str(paths.ROOT), str(paths.ROOT / "tests")])

    def start(module, *words):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, cwd=tmp_path, env=env, **silent)

    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
    one = [address, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny"]
    workers = [start("dask_worker", *one) for _ in range(2)]
    yield address, workers
    for process in (scheduler, *workers):
        process.kill()
        process.wait()


@pytest.mark.slow
def test_rows_of_dask_are_those_of_threads_though_a_worker_is_killed(cluster, tmp_path):
    from distributed import Client

    address, workers = cluster
    log = random_jobs(3000, 64, 900_000, 9000, 9000, name="some")
    choices = [Slow(number=k) for k in range(8)], [Users(), Users(2)]
    expected = rp.sweep(log, *choices, folder=None)
    with Client(address) as client, joblib.parallel_config("dask"):
        client.wait_for_workers(2, timeout=60)
        begun = time.monotonic()
        killing = threading.Timer(4, workers[0].kill)
        killing.start()
        table = rp.sweep(log, *choices, folder=None)
        ended = time.monotonic()
        left = len(client.scheduler_info()["workers"])
    assert ended - begun > 4 and left == 1  # it was killed in the middle
    pd.testing.assert_frame_equal(table, expected, check_exact=True)
