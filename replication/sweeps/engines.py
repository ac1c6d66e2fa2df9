"""Where tasks run: in threads, in processes, or on the workers of a Dask scheduler.

Tasks go out in batches of about a second's work, at most `IN_FLIGHT` for each worker at once. Outside this process a
workload is sent once to each worker that needs it and a task refers to it by its fingerprint, so a task is small
however long its log. What a task finds depends on the task alone, so nothing in the results tells where it ran.

A task that raises an error, or whose worker dies, is tried again, `TRIES` times in all; then it is set aside and
named, and the others go on. Who killed a worker cannot be told from several that ran there, so those run again one
at a time. What is refused (a ValueError, such as times that cannot be counted) would be refused again, so it ends the
run at once; what is done by then is kept.
"""

import contextlib
import functools
import hashlib
import io
import json
import multiprocessing
import pickle
import sys
import tempfile
from collections import deque
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import fields
from pathlib import Path

import numpy as np

from replication.basics import writing
from replication.basics.lazy import distributed, tqdm
from replication.logs.workload import Workload

ENGINES = ("threads", "processes")
IN_FLIGHT = 4  # batches for each worker
TRIES = 3
NAMING = ("log", "load", "scheduler", "estimates")  # what a task is called by in a message
BATCH = 4_000_000  # jobs, about a second's work


class EngineError(ValueError):
    """An engine that does not exist or cannot be reached; the message says what is allowed."""


class SetAside(ValueError):
    """Tasks that failed every time they were tried; all others are done and kept."""


@contextlib.contextmanager
def opened(engine="threads", workers=1):
    """An engine, for as long as it is needed.

    Parameters
    ----------
    engine : str or concurrent.futures.Executor
        ``threads``, ``processes``, the address of a Dask scheduler such as ``tcp://host:8786``, or an executor.
    workers : int
        Threads or processes.

    Yields
    ------
    object
        With `workers`, `submit(compute, tasks)`, `wait(futures)` and `deaths`, what a future raises whose worker
        died.

    Raises
    ------
    EngineError
    """
    if not isinstance(engine, str):
        yield _Plain(engine, workers)
    elif engine == "threads":
        with ThreadPoolExecutor(workers) as pool:
            yield _Plain(pool, workers)
    elif engine == "processes":
        with tempfile.TemporaryDirectory(prefix="replication-") as folder:
            pool = _Processes(workers, Path(folder))
            try:
                yield pool
            finally:
                pool.close()
    elif "://" in engine:
        with _Dask(engine) as pool:
            yield pool
    else:
        raise EngineError(
            f"engine {engine!r}, allowed: {', '.join(ENGINES)}, or the address of a Dask scheduler "
            "such as tcp://host:8786"
        )


def computed(tasks, compute, engine, progress=None):
    """Run tasks on an engine.

    Parameters
    ----------
    tasks : sequence
        Each with `jobs`, how much work it is.
    compute : Callable
        ``compute(task)`` returns plain data.
    engine : object
        From `opened`.
    progress : bool, optional
        Show a bar with the time left on standard error; by default if that is a terminal.

    Yields
    ------
    task, object
        What was computed, as it comes.

    Raises
    ------
    ValueError
        What a task is refused with.
    SetAside
        At the end, if there are tasks that failed `TRIES` times.
    """
    left = _Left(tasks)
    flying = {}
    shown = sys.stderr.isatty() if progress is None else progress
    bar = tqdm.tqdm(
        total=sum(task.jobs for task in tasks),
        unit="job",
        unit_scale=True,
        disable=not shown,
        dynamic_ncols=True,
    )
    with bar:
        try:
            while flying or left:
                for batch in left.next(IN_FLIGHT * engine.workers - len(flying), bool(flying)):
                    flying[engine.submit(compute, batch)] = batch
                for future in engine.wait(flying):
                    batch = flying.pop(future)
                    for task, rows in left.settle(batch, future, engine.deaths):
                        yield task, rows
                        bar.update(task.jobs)
        except (Exception, KeyboardInterrupt):
            for future, batch in flying.items():
                if not future.cancel() and future.done() and future.exception() is None:
                    answers = zip(batch, future.result(), strict=True)
                    yield from ((task, rows) for task, (rows, error) in answers if error is None)
            raise
        finally:
            for future in flying:
                future.cancel()
    left.complain(len(tasks))


class _Left:
    """What is still to be run, and how often each task has failed."""

    def __init__(self, tasks):
        self.batches = deque(batches(tasks))
        self.suspects = deque()  # run alone: one of them may have killed its worker
        self.failed, self.aside = {}, {}

    def __bool__(self):
        return bool(self.batches or self.suspects)

    def next(self, room, flying):
        """The batches to send now."""
        if self.suspects:
            return [] if flying else [[self.suspects.popleft()]]
        return [self.batches.popleft() for _ in range(min(room, len(self.batches)))]

    def settle(self, batch, future, deaths):
        """What came of a batch: tasks and their rows; others are tried again, or set aside."""
        try:
            answers = future.result()
        except deaths as death:
            if len(batch) == 1:
                self._again(batch[0], f"its worker died ({type(death).__name__})")
            else:
                self.suspects.extend(batch)
            return
        for task, (rows, error) in zip(batch, answers, strict=True):
            if isinstance(error, ValueError):
                raise error
            if error is None:
                yield task, rows
            else:
                self._again(task, error)

    def _again(self, task, why):
        self.failed[task] = self.failed.get(task, 0) + 1
        if self.failed[task] < TRIES:
            self.suspects.append(task)
        else:
            self.aside[task] = why

    def complain(self, of):
        if self.aside:
            task, why = next(iter(self.aside.items()))
            others = f", and {len(self.aside) - 1} more" if len(self.aside) > 1 else ""
            asked = getattr(task, "asked", {})
            name = ", ".join(str(asked[k]) for k in NAMING if k in asked) or repr(task)
            raise SetAside(
                f"{len(self.aside)} of {of} tasks failed {TRIES} times and were set aside; the others are "
                f"done. {name}: {why}{others}"
            )


def batches(tasks):
    """Tasks in their order, in batches of about a second's work."""
    batch, jobs = [], 0
    for task in tasks:
        if batch and jobs + task.jobs > BATCH:
            yield batch
            batch, jobs = [], 0
        batch.append(task)
        jobs += task.jobs
    if batch:
        yield batch


def _answers(compute, tasks):
    """What each task of a batch gives: its rows and None, or None and the error, in words unless it is a refusal."""
    answers = []
    for task in tasks:
        try:
            answers.append((compute(task), None))
        except ValueError as refusal:
            answers.append((None, refusal))
        except Exception as error:
            answers.append((None, f"{type(error).__name__}: {error}"))
    return answers


class _Plain:
    """Threads of this process, or an executor that takes any Python value."""

    deaths = (BrokenExecutor,)

    def __init__(self, pool, workers):
        self._pool, self.workers = pool, workers

    def submit(self, compute, tasks):
        return self._pool.submit(_answers, compute, tasks)

    def wait(self, futures):
        return wait(futures, return_when=FIRST_COMPLETED).done


class _Processes:
    """Processes of this machine; workloads lie in a folder of this run."""

    deaths = (BrokenExecutor,)

    def __init__(self, workers, folder):
        self.workers, self._folder, self._pool = workers, folder, None

    def submit(self, compute, tasks):
        packed, workloads = pack(compute, tasks)
        for name, workload in workloads.items():
            if not (self._folder / f"{name}.npz").exists():
                _write(workload, self._folder / f"{name}.npz")
        try:
            return self._open().submit(_in_a_process, packed, str(self._folder))
        except BrokenExecutor:  # a worker died meanwhile
            self.close()
            return self._open().submit(_in_a_process, packed, str(self._folder))

    def _open(self):
        if self._pool is None:
            ways = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, mp_context=ways)
        return self._pool

    def wait(self, futures):
        return wait(futures, return_when=FIRST_COMPLETED).done

    def close(self):
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


class _Dask:
    """The workers of a Dask scheduler, which hand each workload to those that need it."""

    def __init__(self, address):
        try:
            self._client = distributed.Client(address, timeout=10)
        except ModuleNotFoundError:
            raise EngineError(
                f"engine {address}: Dask is not installed; pip install 'replication[dask]'"
            ) from None
        except (OSError, ValueError) as error:
            raise EngineError(f"engine {address}: {error}") from None
        self.deaths = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)
        self._sent = {}
        writing.tell(f"Dask's dashboard: {self._client.dashboard_link}")

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._sent = {}
        self._client.close()

    @property
    def workers(self):
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, compute, tasks):
        packed, workloads = pack(compute, tasks)
        for name in workloads.keys() - self._sent.keys():
            # As a task and not as scattered data, which would be lost with the worker that holds it.
            self._sent[name] = self._client.submit(_held, workloads[name], key=f"workload-{name}")
        needed = {name: self._sent[name] for name in workloads}
        return self._client.submit(_unpacked, packed, needed, pure=False)

    def wait(self, futures):
        return distributed.wait(list(futures), return_when="FIRST_COMPLETED").done


class _Pack(pickle.Pickler):
    """Packs what is sent to workers; workloads are named and not packed."""

    def __init__(self, file):
        super().__init__(file, protocol=5)
        self.workloads = {}

    def persistent_id(self, value):
        if not isinstance(value, Workload):
            return None
        name = identity(value)
        self.workloads[name] = value
        return name


class _Unpack(pickle.Unpickler):
    def __init__(self, file, workload):
        super().__init__(file)
        self.persistent_load = workload


def pack(compute, tasks):
    """A batch as bytes, and the workloads it names.

    Returns
    -------
    bytes
    dict of str to replication.logs.workload.Workload
    """
    file = io.BytesIO()
    packing = _Pack(file)
    packing.dump((compute, tasks))
    return file.getvalue(), packing.workloads


def fingerprint(workload, columns):
    """Hash of a workload's name, machine and some columns, in hexadecimal; worked out once a workload."""
    known = workload.__dict__.get("_fingerprints", {})
    if columns not in known:
        digest = hashlib.sha256(f"{workload.name} {workload.machine}\n".encode())
        for column in columns:
            value = getattr(workload, column)
            digest.update(value if isinstance(value, np.ndarray) else repr(value).encode())
        known = known | {columns: digest.hexdigest()}
        object.__setattr__(workload, "_fingerprints", known)
    return known[columns]


def identity(workload):
    """`fingerprint` of all that a workload holds."""
    return fingerprint(workload, tuple(own.name for own in fields(workload)))


def _held(workload):
    return workload


def _unpacked(packed, workloads):
    """What a batch gives, on a worker that has its workloads."""
    return _answers(*_Unpack(io.BytesIO(packed), workloads.__getitem__).load())


def _in_a_process(packed, folder):
    return _answers(*_Unpack(io.BytesIO(packed), functools.partial(_read, folder)).load())


def _write(workload, path):
    """Keep a workload for the processes of this run: its columns, and as text what is no column."""
    values = {own.name: getattr(workload, own.name) for own in fields(workload)}
    columns = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    others = json.dumps({name: value for name, value in values.items() if name not in columns})
    np.savez(path, _others=np.frombuffer(others.encode(), np.uint8), **columns)


@functools.lru_cache(maxsize=8)
def _read(folder, name):
    with np.load(Path(folder) / f"{name}.npz", allow_pickle=False) as held:
        columns = {one: held[one] for one in held.files}
    others = json.loads(columns.pop("_others").tobytes())
    others["cleaning"] = tuple(map(tuple, others["cleaning"]))
    return Workload(**columns, **others)
