"""Run tasks in threads, in processes or on a Dask cluster, all by joblib, and store their results.

Results do not depend on the engine. A ValueError of a task does not stop the others; the first one
is raised at the end. Any other error ends the run; finished results are stored, and the next run
continues from there.
"""

import contextlib
import operator
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import cloudpickle

from replication.simulator import writing
from replication.simulator.errors import InputError
from replication.simulator.sweeps import code
from replication.simulator.sweeps.store import RESULTS, Rows, Store

ENGINES = {"threads": "threading", "processes": "loky"}
ENVIRONMENT = "REPLICATION_ENGINE"


class EngineError(InputError):
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
    """Return the results of a function for each argument, in order, computed in threads."""
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
        Each with `key` (a hash of everything that its rows depend on, None if it is not to be
        stored) and `jobs` (jobs to simulate, for the progress bar). Tasks of one key are computed
        once.
    compute : callable
        ``compute(task)`` returns columns of equal length by name: numbers and strings only.
    workers, engine, folder, progress
        As in `replication.simulator.sweeps.grid.sweep`.

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
                delay=1,
                disable=progress is False or not missing or (False if in_notebook else None),
            )
        )
        refusal = None
        try:
            for key, rows, problem in _outcomes(missing, compute, workers, engine):
                by_key[key], refusal = rows, refusal or problem
                if key in stored and problem is None:
                    store.put(key, rows)
                bar.update(missing[key].jobs)
        except KeyboardInterrupt:  # without joblib's lines of the traceback
            raise KeyboardInterrupt("finished results are stored" if stored else "") from None
    if refusal is not None:
        raise refusal
    return [by_key[key] for key in keys]


def _outcomes(tasks: dict, compute: Callable, workers: int, engine: str) -> Iterator:
    """Yield key, rows and refusal of each task as it ends."""
    import joblib

    if engine == "threads":
        calls = (joblib.delayed(_outcome)(key, compute, task) for key, task in tasks.items())
    else:
        calls = (
            joblib.delayed(_elsewhere)(key, _pack(compute, task), code.of_simulator())
            for key, task in tasks.items()
        )
    workers = min(workers, max(len(tasks), 1))
    with _backend(engine):
        yield from joblib.Parallel(workers, return_as="generator_unordered")(calls)


def _backend(engine: str) -> Any:
    """Return the joblib configuration of an engine; EngineError without such a Dask scheduler."""
    import joblib

    if engine == "threads":
        return joblib.parallel_config("threading")
    if engine == "processes":
        # Without joblib's NUMBA_NUM_THREADS; that setting would compile all kernels again, into
        # another folder.
        backend = joblib.parallel.LokyBackend()
        names = [name for name in backend.MAX_NUM_THREADS_VARS if not name.startswith("NUMBA_")]
        backend.MAX_NUM_THREADS_VARS = names
        return joblib.parallel_config(backend)
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise EngineError(
            f"engine {engine}: Dask is not installed; run `pip install --require-hashes -r "
            "requirements/dask.lock`"
        ) from None
    try:
        return joblib.parallel_config("dask", scheduler_host=engine)
    except (OSError, ValueError) as problem:
        raise EngineError(f"engine {engine}: {problem}") from None


def _pack(compute: Callable, task: Any) -> bytes:
    """Return the bytes of a task with the code of users by value,
    so that a worker needs none of their modules.
    """
    with code.by_value():
        try:
            return cloudpickle.dumps((compute, task))
        except InputError as refusal:  # of jobs that cannot be made
            return cloudpickle.dumps((_refuse, refusal))


def _refuse(refusal: ValueError) -> Rows:
    raise refusal


def _outcome(key: str, compute: Callable, task: Any) -> tuple:
    try:
        return key, compute(task), None
    except ValueError as refusal:
        return key, None, refusal


def _elsewhere(key: str, packed: bytes, simulator: str) -> tuple:
    """Run a task in another process; EngineError if that has other sources of the simulator."""
    if code.of_simulator() != simulator:
        raise EngineError(
            f"worker {os.uname().nodename}, process {os.getpid()}, has other sources of "
            "replication.simulator; restart it with the sources of the client"
        )
    return _outcome(key, *pickle.loads(packed))  # it comes from the client
