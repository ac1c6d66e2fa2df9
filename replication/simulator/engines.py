"""Where tasks run: in threads, in processes, or on the workers of a Dask scheduler.

Tasks go out in batches of about a second's work, at most `IN_FLIGHT` for each worker at once; how long a job takes
under a scheduler is learnt from the batches that came back. Outside this process a workload is sent once to each
worker that needs it and a task refers to it by its fingerprint, so a task is small however long its log. What a task
finds depends on the task alone, so nothing in the results tells where it ran.

A task that raises an error, or whose worker dies, is tried again, `TRIES` times in all; then it is set aside and
named, and the others go on. Who killed a worker cannot be told from several that ran there, and often it is none of
them: a batch whose worker died goes out again in halves, beside all others, and a task alone in a batch waits until
all others are done and is then tried with nothing beside it. What is refused (a ValueError, such as times that cannot be
counted) would be refused again: that is said at once, the others are finished, and it ends the run in its own words.
"""

import contextlib
import functools
import hashlib
import io
import itertools
import json
import math
import multiprocessing
import pickle
import sys
import tempfile
import time
from collections import OrderedDict, deque
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
from tqdm import tqdm

from replication.simulator import writing
from replication.simulator.workload import Workload

ENGINES = ("threads", "processes")
NAMED_BY = "REPLICATION_ENGINE"  # where nothing else names one
IN_FLIGHT = 4  # batches for each worker
TRIES = 3
NAMING = ("log", "load", "scheduler", "estimates")  # what a task is called by in a message
SECONDS = 1.0  # that a batch should take
EVERY = 60.0  # s between the lines that tell how far it is, where there is no terminal
TOLD = "{desc}: {percentage:.0f} % of {total_fmt} jobs in {elapsed}, about {remaining} left"
HELD = 32  # workloads that a Dask scheduler is asked to keep; those of batches in flight it keeps anyway


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
        With `name`, `workers`, `submit(compute, tasks)`, `wait(futures)` and `deaths`, what a future raises whose
        worker died.

    Raises
    ------
    EngineError
    """
    if not isinstance(engine, str):
        yield _Plain(engine, workers, type(engine).__name__)
    elif engine == "threads":
        with ThreadPoolExecutor(workers) as pool:
            yield _Plain(pool, workers, engine)
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
        False for nothing on standard error. Otherwise how far it is and how long the rest takes is said there: a terminal
        shows a bar, anything else gets a line a minute.

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
    with _bar(engine.name, sum(task.jobs for task in tasks), progress) as bar:
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
                    answers = zip(batch, future.result()[1], strict=True)
                    yield from ((task, rows) for task, (rows, error) in answers if error is None)
            raise
        finally:
            for future in flying:
                future.cancel()
    left.complain(len(tasks))


def _bar(name, jobs, progress):
    how = {"dynamic_ncols": True}
    if not sys.stderr.isatty():
        how = {
            "file": _Lines,
            "bar_format": TOLD,
            "delay": EVERY,
            "mininterval": EVERY,
            "miniters": 1,
        }
    return tqdm(
        desc=name, total=jobs, unit="job", unit_scale=True, disable=progress is False, **how
    )


class _Lines:
    """Where a bar is written that is not to be seen as one: each of its states is a line."""

    @staticmethod
    def write(text):
        if text.strip():
            writing.tell(text.strip())

    @staticmethod
    def flush():
        pass


class _Left:
    """What is still to be run, and how often each task has failed."""

    def __init__(self, tasks):
        self.waiting = deque(tasks)
        self.several = len(self.waiting) > 1
        self.halves = deque()  # of batches whose worker died
        self.suspects = deque()  # tasks whose worker died, and that had it for themselves
        self.alone = False
        self.pace = Pace()
        self.failed, self.aside = {}, {}

    def __bool__(self):
        return bool(self.waiting or self.halves or self.suspects)

    def next(self, room, flying):
        """The batches to send now."""
        self.alone = not (self.waiting or self.halves or flying)
        if self.alone:
            return [[self.suspects.popleft()]]
        batches = itertools.chain(_taken(self.halves), self.pace.batches(self.waiting))
        return list(itertools.islice(batches, max(room, 0)))

    def settle(self, batch, future, deaths):
        """What came of a batch: tasks and their rows; others are tried again, or set aside."""
        try:
            seconds, answers = future.result()
        except deaths as death:
            self._died(batch, death)
            return
        self.pace.took(batch, seconds)
        for task, (rows, error) in zip(batch, answers, strict=True):
            if error is None:
                yield task, rows
            elif isinstance(error, ValueError):
                told = any(isinstance(why, ValueError) for why in self.aside.values())
                if self.several and not told:
                    writing.tell(f"refused, and the others go on: {error}")
                self.aside[task] = error
            elif self._may_again(task, error):
                self.waiting.append(task)

    def _died(self, batch, death):
        half = len(batch) // 2
        if half:
            self.halves.extend((batch[:half], batch[half:]))
        elif not self.alone or self._may_again(
            batch[0], f"its worker died ({type(death).__name__})"
        ):
            self.suspects.append(batch[0])

    def _may_again(self, task, why):
        self.failed[task] = self.failed.get(task, 0) + 1
        if self.failed[task] == TRIES:
            self.aside[task] = why
        return self.failed[task] < TRIES

    def complain(self, of):
        """Raise what is to be said of the tasks that were set aside."""
        tried = [task for task, why in self.aside.items() if not isinstance(why, ValueError)]
        if not tried:
            for refusal in self.aside.values():
                raise refusal
            return
        others = f", and {len(self.aside) - 1} more" if len(self.aside) > 1 else ""
        asked = getattr(tried[0], "asked", {})
        name = ", ".join(str(asked[k]) for k in NAMING if k in asked) or repr(tried[0])
        raise SetAside(
            f"{len(self.aside)} of {of} tasks failed {TRIES} times and were set aside; the others are "
            f"done. {name}: {self.aside[tried[0]]}{others}"
        )


def _taken(batches):
    while batches:
        yield batches.popleft()


class Pace:
    """How long a job takes under each scheduler, learnt from batches, and batches of about `SECONDS` by that.

    A task of a scheduler of which nothing is known yet is a batch.
    """

    def __init__(self):
        self._seconds = {}  # a job, by scheduler

    def expected(self, task):
        """Seconds that a task should take."""
        return task.jobs * self._seconds.get(_kind(task), math.inf)

    def batches(self, waiting):
        """Take batches from the left of a deque of tasks, in their order."""
        while waiting:
            batch = [waiting.popleft()]
            seconds = self.expected(batch[0])
            while waiting and (seconds := seconds + self.expected(waiting[0])) <= SECONDS:
                batch.append(waiting.popleft())
            yield batch

    def took(self, batch, seconds):
        """Learn from a batch: halfway from what was thought to what was seen."""
        if _kind(batch[0]) not in self._seconds:
            self._seconds[_kind(batch[0])] = seconds / batch[0].jobs
            return
        factor = (1 + seconds / sum(map(self.expected, batch))) / 2
        for kind in set(map(_kind, batch)):
            self._seconds[kind] *= factor


def _kind(task):
    return getattr(task, "scheduler", None)


def _answers(compute, tasks):
    """The seconds that a batch took, and what each of its tasks gives.

    That is its rows and None, or None and the error, in words unless it is a refusal.
    """
    began, answers = time.perf_counter(), []
    for task in tasks:
        try:
            answers.append((compute(task), None))
        except ValueError as refusal:
            answers.append((None, refusal))
        except Exception as error:
            answers.append((None, f"{type(error).__name__}: {error}"))
    return time.perf_counter() - began, answers


class _Plain:
    """Threads of this process, or an executor that takes any Python value."""

    deaths = (BrokenExecutor,)

    def __init__(self, pool, workers, name):
        self._pool, self.workers, self.name = pool, workers, name

    def submit(self, compute, tasks):
        return self._pool.submit(_answers, compute, tasks)

    def wait(self, futures):
        return wait(futures, return_when=FIRST_COMPLETED).done


class _Processes(_Plain):
    """Processes of this machine; workloads lie in a folder of this run."""

    def __init__(self, workers, folder):
        super().__init__(None, workers, "processes")
        self._folder = folder

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

    def close(self):
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


class _Dask:
    """The workers of a Dask scheduler, which hand each workload to those that need it."""

    def __init__(self, address):
        try:
            import distributed

            self._client = distributed.Client(address, timeout=10)
        except ModuleNotFoundError:
            raise EngineError(
                f"engine {address}: Dask is not installed; pip install 'replication[dask]'"
            ) from None
        except (OSError, ValueError) as error:
            raise EngineError(f"engine {address}: {error}") from None
        self.deaths = (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError)
        self.name = address
        self._sent = OrderedDict()
        workers = len(self._client.nthreads()) or "no"
        writing.tell(
            f"Dask at {address}: {workers} workers; its dashboard: {self._client.dashboard_link}"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._sent.clear()
        self._client.close()

    @property
    def workers(self):
        return max(1, sum(self._client.nthreads().values()))

    def submit(self, compute, tasks):
        packed, workloads = pack(compute, tasks)
        needed = {name: self._held(name, workload) for name, workload in workloads.items()}
        while len(self._sent) > HELD:
            self._sent.popitem(last=False)
        return self._client.submit(_unpacked, packed, needed, pure=False)

    def _held(self, name, workload):
        """A workload on the cluster, as a task and not as scattered data, which would be lost with its worker.

        One that too many workers died with is sent again, or all that need it would fail for ever.
        """
        if name not in self._sent or self._sent[name].status not in ("pending", "finished"):
            self._sent[name] = self._client.submit(_itself, workload, pure=False)
        self._sent.move_to_end(name)
        return self._sent[name]

    def wait(self, futures):
        import distributed

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
    dict of str to replication.simulator.workload.Workload
    """
    file = io.BytesIO()
    packing = _Pack(file)
    packing.dump((compute, tasks))
    return file.getvalue(), packing.workloads


def fingerprint(workload, columns):
    """Hash of a workload's name, machine and some columns, in hexadecimal; worked out once a workload."""
    known = workload.__dict__.get("_fingerprints", {})
    if columns not in known:
        digest = hashlib.sha256(
            f"{workload.name} {workload.draw_key} {workload.machine}\n".encode()
        )
        for column in columns:
            value = getattr(workload, column)
            digest.update(value if isinstance(value, np.ndarray) else repr(value).encode())
        known = known | {columns: digest.hexdigest()}
        object.__setattr__(workload, "_fingerprints", known)
    return known[columns]


def identity(workload):
    """`fingerprint` of all that a workload holds."""
    return fingerprint(workload, tuple(own.name for own in fields(workload)))


def _itself(workload):
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
