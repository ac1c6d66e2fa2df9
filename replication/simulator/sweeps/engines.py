"""Run tasks in threads, in processes or on a Dask cluster, and store their results.

joblib runs threads and processes, `distributed` the cluster. Results do not depend on the engine. A ValueError of a task
does not stop the others; the first one is raised at the end. Any other error ends the run; finished results are stored,
and the next run continues from there.
"""

import contextlib
import copy
import operator
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import cloudpickle
import pandas as pd

from replication.simulator import writing
from replication.simulator.sweeps import code
from replication.simulator.sweeps.store import RESULTS, Rows, Store
from replication.simulator.workload import Workload

ENGINES = {"threads": "threading", "processes": "loky"}
ENVIRONMENT = "REPLICATION_ENGINE"


class EngineError(ValueError):
    """An engine or a number of workers that does not exist, or a worker that cannot be used."""


def check(engine: str | None = None) -> str:
    """Return the name of an engine, by default that of ``REPLICATION_ENGINE`` or threads.

    Raises
    ------
    EngineError
        For anything but ``threads``, ``processes`` and an address such as ``tcp://host:8786``.
    """
    engine = engine or os.environ.get(ENVIRONMENT) or "threads"
    if not isinstance(engine, str) or not (engine in ENGINES or "://" in engine):
        raise EngineError(
            f"engine {engine!r}; allowed: {', '.join(ENGINES)}, or the address of a Dask scheduler "
            "such as tcp://host:8786"
        )
    return engine


def check_workers(workers: int | None) -> int:
    """Return a number of threads or processes, one for each processor by default."""
    if workers is None:
        return os.cpu_count() or 1
    with contextlib.suppress(TypeError):
        if not isinstance(workers, bool) and operator.index(workers) >= 1:
            return operator.index(workers)
    raise EngineError(f"workers {workers!r}; allowed: a whole number from 1, or None")


def each(function: Callable, arguments: Iterable, workers: int) -> list:
    """Return the results of a function for each of the arguments, in their order, computed in threads."""
    import joblib  # takes 0.1 s, and a single simulation does not need it

    pool = joblib.Parallel(check_workers(workers), backend="threading", batch_size=1)
    return pool(joblib.delayed(function)(one) for one in arguments)


def results(
    tasks: Iterable,
    compute: Callable[[Any], Rows],
    workers: int | None = None,
    engine: str | None = None,
    folder: str | os.PathLike | None = RESULTS,
    progress: bool | None = None,
) -> list[Rows]:
    """Run tasks, or return their stored results.

    Parameters
    ----------
    tasks : iterable
        Each with `key` (a hash of everything that its rows depend on, None if it is not to be stored), `jobs` (jobs to
        simulate, for the progress bar), `workload`, and `things`, the classes and functions of users that it needs.
        Tasks of one key are computed once.
    compute : callable
        ``compute(task)`` returns columns of equal length by name: numbers and strings only.
    workers : int, optional
        Threads or processes; one for each processor by default.
    engine : str, optional
        ``threads`` (the default), ``processes``, or the address of a Dask scheduler.
    folder : path, optional
        Folder of the store; None to store nothing.
    progress : bool, optional
        False for no progress bar. There is one on a terminal and in a notebook.

    Returns
    -------
    list of dict of str to list
        In the order of the tasks.

    Raises
    ------
    EngineError, ValueError
    """
    from tqdm.auto import tqdm

    in_notebook = "ipykernel" in sys.modules
    tasks, engine, workers = list(tasks), check(engine), check_workers(workers)
    keys = [task.key or f"task {k}" for k, task in enumerate(tasks)]
    stored = {key for key in keys if not key.startswith("task ")} if folder is not None else set()
    by_key: dict[str, Rows | None] = dict.fromkeys(keys)
    with contextlib.ExitStack() as stack:
        if stored:
            store = stack.enter_context(Store(folder))
            by_key |= {key: store.get(key) for key in stored}
            if store.damaged:
                writing.report(f"{store.path}: {store.damaged} damaged results are computed again")
        missing = {key: task for key, task in zip(keys, tasks, strict=True) if by_key[key] is None}
        bar = stack.enter_context(
            tqdm(
                desc=engine,
                total=sum(task.jobs for task in missing.values()),
                unit="job",
                unit_scale=True,
                dynamic_ncols=True,
                leave=not in_notebook,
                delay=1 if in_notebook else 0,
                disable=progress is False or not missing or (False if in_notebook else None),
            )
        )
        refusal = None
        for key, rows, problem in _outcomes(missing, compute, workers, engine):
            by_key[key], refusal = rows, refusal or problem
            if key in stored and problem is None:
                store.put(key, rows)
            bar.update(missing[key].jobs)
    if refusal is not None:
        raise refusal
    return [by_key[key] for key in keys]


def frame(parts: list[Rows]) -> pd.DataFrame:
    """Return all rows as one table; nan where a part lacks a column."""
    columns = dict.fromkeys(name for rows in parts for name in rows)
    whole: Rows = {name: [] for name in columns}
    for rows in parts:
        length = len(next(iter(rows.values())))
        for name in columns:
            whole[name] += rows.get(name, [float("nan")] * length)
    return pd.DataFrame(whole)


def _outcomes(tasks: dict, compute: Callable, workers: int, engine: str) -> Iterator:
    """Yield key, rows and refusal of each task as it ends."""
    if engine not in ENGINES:
        yield from _on_dask(tasks, compute, engine)
        return
    import joblib

    backend = ENGINES[engine]
    if engine == "processes":
        # Without joblib's NUMBA_NUM_THREADS; that setting would compile all kernels again, into another folder.
        backend = joblib.parallel.LokyBackend()
        names = [name for name in backend.MAX_NUM_THREADS_VARS if not name.startswith("NUMBA_")]
        backend.MAX_NUM_THREADS_VARS = names
    pool = joblib.Parallel(
        min(workers, max(len(tasks), 1)),
        backend=backend,
        return_as="generator_unordered",
        max_nbytes=100_000,
    )
    yield from pool(joblib.delayed(_outcome)(key, compute, task) for key, task in tasks.items())


def _outcome(key: str, compute: Callable, task: Any) -> tuple:
    try:
        return key, compute(task), None
    except ValueError as refusal:
        return key, None, refusal


def _on_dask(tasks: dict, compute: Callable, address: str) -> Iterator:
    try:
        import distributed
    except ModuleNotFoundError:
        raise EngineError(
            f"engine {address}: Dask is not installed; run `pip install --require-hashes -r dask.lock`"
        ) from None
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise EngineError(f"engine {address}: {problem}") from None
    with client:
        workloads, futures = {}, []
        for key, task in tasks.items():
            if id(task.workload) not in workloads:
                # Sent as the result of a task instead of scattered: Dask repeats a task whose worker died.
                sent = client.submit(_itself, task.workload, pure=False)
                workloads[id(task.workload)] = sent
            hashes = code.of_simulator(), _code_of(task)
            sent, packed = workloads[id(task.workload)], _without_workload(compute, task)
            futures.append(client.submit(_on_worker, key, packed, sent, hashes, pure=False))
        for future in distributed.as_completed(futures, loop=client.loop):
            yield future.result()


def _itself(workload: Workload) -> Workload:
    return workload


def _code_of(task: Any) -> str | None:
    try:
        return code.of(*task.things)
    except code.Unknown:
        return None


def _without_workload(compute: Callable, task: Any) -> bytes:
    """Return the bytes of a task without its workload, which is sent once for many tasks."""
    light = copy.copy(task)
    object.__setattr__(light, "workload", None)
    return cloudpickle.dumps((compute, light))


def _on_worker(key: str, packed: bytes, workload: Workload, hashes: tuple) -> tuple:
    """Run a task on a worker of a cluster; raise EngineError unless the worker has the code of the client."""
    import distributed

    name = distributed.get_worker().address
    advice = "restart the worker with the sources of the client"
    if code.of_simulator() != hashes[0]:
        raise EngineError(f"worker {name} has other sources of replication.simulator; {advice}")
    try:
        compute, task = pickle.loads(packed)  # noqa: S301, it comes from the client
    except ImportError as problem:
        raise EngineError(
            f"worker {name} cannot import {problem.name}; put the module into its PYTHONPATH"
        ) from None
    if hashes[1] is not None and _code_of(task) != hashes[1]:
        modules = ", ".join(sorted({thing.__module__ for thing in task.things}))
        raise EngineError(f"worker {name} has other sources of {modules}; {advice}")
    object.__setattr__(task, "workload", workload)
    return _outcome(key, compute, task)
