"""Where tasks run changes nothing of what is found, and what fails or dies is named and takes nothing with it."""

import os
from concurrent.futures import BrokenExecutor, Future

import numpy as np
import pytest

import replication as rp
from replication import __main__
from replication.simulator import engines, kept
from replication.simulator import grid as sweep
from replication.simulator.estimates import FModel, Users
from replication.simulator.schedulers import EASY, Conservative
from replication.simulator.simulation import SimulationError
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


def tasks(scheduler=None, models=(Users(), FModel(1), FModel(3))):
    """A grid over three workloads and several choices."""
    schedulers = [EASY(), Conservative()] if scheduler is None else [scheduler]
    return [
        sweep.Task(some_jobs(n), model, one, seeds=(1, 2) if isinstance(model, FModel) else (1,))
        for n in (40, 50, 60)
        for one in schedulers
        for model in models
    ]


def kept_of(folder, tasks):
    """Sizes of the workloads all of whose tasks are kept."""
    with kept.Kept(folder) as found:
        lost = {len(task.workload) for task in tasks if found.get(task.key) is None}
    return {len(task.workload) for task in tasks} - lost


def written(table):
    """The bytes of a table as the command writes it."""
    return table.to_parquet(index=False)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 0.0005)


@pytest.fixture(scope="module")
def in_threads():
    return written(sweep.run(tasks(), folder=None))


def test_processes_find_the_same_to_the_byte(in_threads, tmp_path):
    found = sweep.run(tasks(), workers=2, engine="processes", folder=tmp_path)
    assert written(found) == in_threads
    assert len(list(tmp_path.glob("*.kept"))) == 1
    # What was found elsewhere is found again here.
    again = sweep.run(tasks(), engine="processes", folder=tmp_path)
    assert written(again) == in_threads


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


class Timed:
    """A task that takes a known time a job."""

    def __init__(self, jobs, scheduler):
        self.jobs, self.scheduler = jobs, scheduler


def test_batches_come_to_about_a_second_whatever_a_job_takes_and_keep_the_order(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 1.0)
    takes = {"quick": 2e-7, "slow": 4e-5}
    grid = [Timed(10_000, "quick")] * 40_000 + [Timed(10_000, "slow")] * 400
    grid = [Timed(task.jobs, task.scheduler) for task in grid]
    waiting, pace, sent, lasted = engines.deque(grid), engines.Pace(), [], {"quick": [], "slow": []}
    for batch in pace.batches(waiting):
        seconds = sum(task.jobs * takes[task.scheduler] for task in batch)
        pace.took(batch, seconds)
        sent += batch
        lasted[batch[0].scheduler].append(seconds)
    assert sent == grid
    for scheduler, seconds in lasted.items():
        assert max(seconds) < 10, scheduler  # the first slow ones go before their pace is known
        assert all(0.5 < each < 1.5 for each in seconds[10:-1]), scheduler


def test_tasks_go_one_at_a_time_until_something_is_known_of_their_scheduler(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 1.0)
    grid = [Timed(10, scheduler) for scheduler in "aaaabbb"]
    pace, sent = engines.Pace(), []
    batches = pace.batches(engines.deque(grid))
    sent += [next(batches), next(batches)]
    pace.took(sent[0], 0.1)
    sent += batches
    assert [len(batch) for batch in sent] == [1, 1, 2, 1, 1, 1]


def ended(answer):
    """What an engine gives for a batch whose worker died, or that took a second."""
    future = Future()
    if answer is None:
        future.set_exception(BrokenExecutor())
    else:
        future.set_result((1.0, [(task, None) for task in answer]))
    return future


def test_a_batch_whose_worker_died_goes_out_again_in_halves_beside_the_others(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 1.0)
    grid = [Timed(1, "any") for _ in range(13)]
    left, deaths = engines._Left(grid), engines._Plain.deaths
    (first,) = left.next(1, False)
    assert len(list(left.settle(first, ended(first), deaths))) == 1  # a second each
    left.pace._seconds["any"] = 0.25
    one, other = left.next(2, False)
    assert not list(left.settle(one, ended(None), deaths))
    assert left.next(3, True) == [one[:2], one[2:], grid[9:]]
    assert not left.alone and other == grid[5:9]


def test_a_task_whose_worker_died_with_it_alone_keeps_nobody_waiting():
    grid = [Timed(1, "any") for _ in range(3)]
    left, deaths = engines._Left(grid), engines._Plain.deaths
    first, second = left.next(2, False)
    list(left.settle(first, ended(None), deaths))
    assert left.next(2, True) == [grid[2:]] and left.next(2, True) == []
    for tried in range(engines.TRIES):
        assert left.next(2, False) == [first] and not left.aside, tried
        list(left.settle(first, ended(None), deaths))
    assert not left and list(left.aside) == first


def test_where_tasks_go_no_more_than_four_batches_a_worker_are_on_their_way(monkeypatch):
    monkeypatch.setattr(engines, "SECONDS", 0.0)  # a batch for each task

    class Watched(engines._Plain):
        most = 0

        def wait(self, futures):
            self.most = max(self.most, len(futures))
            return super().wait(futures)

    with engines.ThreadPoolExecutor(2) as pool:
        engine = Watched(pool, 2, "watched")
        grid = [Timed(1, "any") for _ in range(100)]
        found = [rows for _, rows in engines.computed(grid, lambda task: task.jobs, engine)]
    assert (sum(found), engine.most) == (100, 2 * engines.IN_FLIGHT)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_task_that_fails_is_set_aside_and_named_and_the_others_are_kept(engine, tmp_path):
    with pytest.raises(
        engines.SetAside, match=r"3 of 9 tasks failed 3 times .*does not add up, and"
    ):
        sweep.run(tasks(Failing(at=50)), 2, engine, folder=tmp_path)
    assert kept_of(tmp_path, tasks(Failing(at=50))) == {40, 60}


def test_a_task_that_kills_its_worker_is_set_aside_and_the_others_are_kept(tmp_path):
    grid = tasks(Deadly(at=50), [Users()])
    with pytest.raises(engines.SetAside, match="1 of 3 tasks failed 3 times .*its worker died"):
        sweep.run(grid, 2, "processes", folder=tmp_path)
    assert kept_of(tmp_path, grid) == {40, 60}


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
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as made,
    ):
        yield made


def test_dask_finds_the_same(cluster, in_threads):
    found = sweep.run(tasks(), engine=cluster.scheduler_address, folder=None)
    assert written(found) == in_threads


def test_dask_is_asked_to_keep_few_workloads_and_sends_each_again_when_it_must(
    cluster, in_threads, monkeypatch
):
    monkeypatch.setattr(engines, "HELD", 1)
    found = sweep.run(tasks() + tasks(), engine=cluster.scheduler_address, folder=None)
    assert written(found.iloc[: len(found) // 2]) == in_threads


def test_a_workload_that_died_with_too_many_workers_is_sent_again(cluster):
    grid = tasks()
    with engines.opened(cluster.scheduler_address) as engine:
        for task in grid:
            lost = engine._client.submit(divmod, 1, 0)
            engine._sent[engines.identity(task.workload)] = lost
        engines.distributed.wait(list(engine._sent.values()))
        assert {future.status for future in engine._sent.values()} == {"error"}
        found = list(engines.computed(grid, sweep.compute, engine))
    assert len(found) == len(grid)


def test_where_dask_is_and_its_dashboard_are_said(cluster, capsys):
    with engines.opened(cluster.scheduler_address) as engine:
        assert (engine.name, engine.workers) == (cluster.scheduler_address, 2)
    said = capsys.readouterr().err
    assert f"Dask at {cluster.scheduler_address}: 2 workers; its dashboard: " in said


def test_dasks_workers_may_die(cluster, tmp_path):
    grid = tasks(Deadly(at=50), [Users()])
    with pytest.raises(engines.SetAside, match="1 of 3 tasks failed 3 times .*its worker died"):
        sweep.run(grid, engine=cluster.scheduler_address, folder=tmp_path)
    assert kept_of(tmp_path, grid) == {40, 60}


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_what_is_refused_is_said_at_once_in_its_own_words_and_the_others_are_finished(
    engine, tmp_path, capsys
):
    refused = sweep.Task(some_jobs(50), FModel(1e16))
    with pytest.raises(SimulationError, match="some: times reach"):
        sweep.run([refused, *tasks()], 1, engine, folder=tmp_path)
    assert "refused, and the others go on: some: times reach" in capsys.readouterr().err
    assert kept_of(tmp_path, tasks()) == {40, 50, 60}


def test_the_command_ends_with_1_where_tasks_were_set_aside(tmp_path, monkeypatch, capsys):
    log = tmp_path / "three.swf"
    log.write_text(
        "; MaxProcs: 4\n"
        + "".join(f"{k} {k} -1 9 2 -1 -1 2 9 -1 1 {' '.join(['-1'] * 7)}\n" for k in range(1, 4))
    )
    monkeypatch.setattr(sweep, "_simulated", lambda task, seed: 1 / 0)
    words = ["sweep", str(log), "--scheduler", "easy", "fcfs", "--folder", str(tmp_path / "kept")]
    assert __main__.main([*words, "--out", str(tmp_path / "three.csv")]) == 1
    said = capsys.readouterr().err
    assert "1 of 2 tasks failed 3 times and were set aside" in said and "FCFS()" in said
    assert not (tmp_path / "three.csv").exists()


def test_figures_take_the_same_engines(monkeypatch, capsys):
    monkeypatch.setenv(engines.NAMED_BY, "threads")
    seen = []
    monkeypatch.setattr(
        "replication.report.run.figures",
        lambda *asked, **how: seen.append(os.environ[engines.NAMED_BY]) or 0,
    )
    assert __main__.main(["figures", "--engine", "processes"]) == 0
    assert __main__.main(["figures", "--engine", "treads"]) == 1
    assert seen == ["processes"]
    assert "engine 'treads', allowed: threads, processes, or the address" in capsys.readouterr().err


def test_a_stopped_sweep_goes_on_and_two_sweeps_share_what_they_have_in_common(
    tmp_path, monkeypatch
):
    whole = sweep.run(tasks(), folder=tmp_path / "whole")
    sweep.run(tasks()[:7], folder=tmp_path / "kept")
    computed = []
    compute = sweep.compute
    monkeypatch.setattr(sweep, "compute", lambda task: computed.append(task) or compute(task))
    found = sweep.run(tasks()[3:], folder=tmp_path / "kept")
    assert len(computed) == len(tasks()) - 7
    assert written(found) == written(whole[whole.index >= len(whole) - len(found)])
