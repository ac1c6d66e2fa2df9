"""Where tasks run changes nothing of what is found, and what fails or dies is named and takes nothing with it."""

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.estimates import FModel, Users
from replication.schedule.simulation import SimulationError
from replication.schedulers import EASY, Conservative
from replication.sweeps import engines, kept
from replication.sweeps import grid as sweep
from tests.sweeps.deadly import Deadly, Failing


def some_jobs(n=60, name="some"):
    rng = np.random.default_rng(n)
    run_time = rng.integers(1, 500, n)
    return rp.Workload.from_columns(
        name,
        16,
        submit=np.sort(rng.integers(0, 40 * n, n)),
        run_time=run_time,
        processors=rng.integers(1, 17, n),
        estimate=2 * run_time,
        cleaning=(("left-out", 3),),
        provenance={"source": "a test"},
    )


def tasks(scheduler=None):
    """A grid over two workloads and several choices, a batch for each task."""
    schedulers = [EASY(), Conservative()] if scheduler is None else [scheduler]
    return [
        sweep.Task(some_jobs(n), model, one, seeds=(1, 2) if isinstance(model, FModel) else (1,))
        for n in (40, 50, 60)
        for one in schedulers
        for model in (Users(), FModel(1), FModel(3))
    ]


def kept_of(folder, tasks):
    """Sizes of the workloads all of whose tasks are kept."""
    with kept.Kept(folder) as found:
        lost = {len(task.workload) for task in tasks if found.get(task.key) is None}
    return {len(task.workload) for task in tasks} - lost


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(engines, "BATCH", 100)


@pytest.fixture(scope="module")
def in_threads():
    return sweep.run(tasks(), folder=None)


def test_processes_find_the_same(in_threads, tmp_path):
    found = sweep.run(tasks(), workers=2, engine="processes", folder=tmp_path)
    pd.testing.assert_frame_equal(found, in_threads)
    assert len(list(tmp_path.glob("*.kept"))) == 1
    # What was found elsewhere is found again here.
    again = sweep.run(tasks(), engine="processes", folder=tmp_path)
    pd.testing.assert_frame_equal(again, in_threads)


def test_a_workload_travels_once_and_tasks_are_small():
    large = some_jobs(20_000)
    grid = [sweep.Task(large, FModel(f / 10), seeds=(1, 2, 3)) for f in range(50)]
    packed, workloads = engines.pack(sweep.compute, grid)
    assert list(workloads.values()) == [large]
    assert len(packed) < 50 * 4096
    assert len(engines.pack(sweep.compute, grid[:1])[0]) < 4096


def test_a_workload_comes_out_as_it_went_in(tmp_path):
    one = some_jobs()
    engines._write(one, tmp_path / "x.npz")
    assert engines.identity(engines._read(str(tmp_path), "x")) == engines.identity(one)
    assert engines.identity(one) != engines.identity(one.replace(estimate=one.estimate + 1))


def test_batches_hold_about_a_seconds_work_in_order(monkeypatch):
    monkeypatch.setattr(engines, "BATCH", 130)
    grid = [sweep.Task(some_jobs(n), Users()) for n in (60, 60, 60, 200, 10, 10)]
    assert [[task.jobs for task in batch] for batch in engines.batches(grid)] == [
        [60, 60],
        [60],
        [200],
        [10, 10],
    ]


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_task_that_fails_is_set_aside_and_named_and_the_others_are_kept(engine, tmp_path):
    with pytest.raises(
        engines.SetAside, match=r"3 of 9 tasks failed 3 times .*does not add up, and"
    ):
        sweep.run(tasks(Failing(at=50)), 2, engine, folder=tmp_path)
    assert kept_of(tmp_path, tasks(Failing(at=50))) == {40, 60}


def test_a_task_that_kills_its_worker_is_set_aside_and_the_others_are_kept(tmp_path):
    with pytest.raises(engines.SetAside, match="3 of 9 tasks failed 3 times .*its worker died"):
        sweep.run(tasks(Deadly(at=50)), 2, "processes", folder=tmp_path)
    assert kept_of(tmp_path, tasks(Deadly(at=50))) == {40, 60}


def test_an_engine_that_does_not_exist_is_refused(monkeypatch):
    with pytest.raises(engines.EngineError, match="'treads', allowed: threads, processes, or the"):
        sweep.run(tasks(), engine="treads", folder=None)
    monkeypatch.setenv("REPLICATION_ENGINE", "treads")
    with pytest.raises(engines.EngineError, match="'treads'"):
        sweep.run(tasks(), folder=None)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as made,
    ):
        yield made


def test_dask_finds_the_same(cluster, in_threads):
    found = sweep.run(tasks(), engine=cluster.scheduler_address, folder=None)
    pd.testing.assert_frame_equal(found, in_threads)


def test_dasks_workers_may_die(cluster, tmp_path):
    with pytest.raises(engines.SetAside, match="3 of 9 tasks failed 3 times .*its worker died"):
        sweep.run(tasks(Deadly(at=50)), engine=cluster.scheduler_address, folder=tmp_path)
    assert kept_of(tmp_path, tasks(Deadly(at=50))) == {40, 60}


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_what_is_refused_is_refused_in_its_own_words_and_the_rest_is_kept(engine, tmp_path):
    refused = sweep.Task(some_jobs(50), FModel(1e16))
    with pytest.raises(SimulationError, match="some: times reach"):
        sweep.run([*tasks(), refused], 1, engine, folder=tmp_path)
    assert kept_of(tmp_path, tasks()) == {40, 50, 60}
