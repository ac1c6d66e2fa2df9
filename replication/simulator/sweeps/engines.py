"""Run tasks by joblib and store their results.

Tasks run in threads, or where ``joblib.parallel_config`` says. A ValueError of a task does not stop
the others; the first one is raised at the end. Any other error ends the run; finished results are
stored, and the next run continues from there.
"""

import contextlib
import operator
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from replication.simulator.errors import InputError
from replication.simulator.sweeps.keys import FILES
from replication.simulator.sweeps.store import RESULTS, Rows, Store


class WorkerError(InputError):
    """A number of workers that does not exist."""


def check_workers(workers: int | None) -> int | None:
    """Return a number of workers, or None; WorkerError for anything else."""
    if workers is None:
        return None
    with contextlib.suppress(TypeError):
        if not isinstance(workers, bool) and operator.index(workers) >= 1:
            return operator.index(workers)
    raise WorkerError(f"workers {workers!r}; allowed: a whole number from 1, or None")


def each(function: Callable, arguments: Iterable, workers: int | None) -> list:
    """Return the results of a function for each argument, in order, computed in threads."""
    import joblib  # takes 0.1 s, and a single simulation does not need it

    pool = joblib.Parallel(check_workers(workers) or -1, backend="threading", batch_size=1)
    return pool(joblib.delayed(function)(argument) for argument in arguments)


def results(
    tasks: Iterable,
    compute: Callable[[Any], Rows],
    workers: int | None = None,
    folder: str | os.PathLike | None = RESULTS,
    progress: bool | None = None,
) -> list[Rows]:
    """Run tasks, or return their stored results.

    Parameters
    ----------
    tasks : iterable
        Each with `key` (a hash of everything that its rows depend on, None if it is not to be
        stored), `columns` (those that stored rows have) and `jobs` (jobs to simulate, for the
        progress bar). Tasks of one key are computed once.
    compute : callable
        ``compute(task)`` returns columns of equal length by name: numbers and strings only.
    workers, folder, progress
        As in `replication.simulator.sweeps.grid.sweep`.

    Returns
    -------
    list of dict of str to list
        In the order of the tasks.

    Raises
    ------
    WorkerError, ValueError
    """
    import joblib
    from tqdm.auto import tqdm

    tasks, workers = list(tasks), check_workers(workers)
    keys = [task.key or k for k, task in enumerate(tasks)]
    stored = {key for key in keys if isinstance(key, str)} if folder is not None else set()
    by_key: dict[str | int, Rows | None] = dict.fromkeys(keys)
    in_notebook, refusal = "ipykernel" in sys.modules, None
    with contextlib.ExitStack() as stack:
        if stored:
            store = stack.enter_context(Store(folder))
            named = dict(zip(keys, tasks, strict=True))
            by_key |= {key: store.get(key, named[key].columns) for key in stored}
        missing = {key: task for key, task in zip(keys, tasks, strict=True) if by_key[key] is None}
        bar = stack.enter_context(
            tqdm(
                desc="simulated",
                total=sum(task.jobs for task in missing.values()),
                unit="job",
                unit_scale=True,
                dynamic_ncols=True,
                leave=not in_notebook,
                delay=1,
                disable=progress is False or not missing or (False if in_notebook else None),
            )
        )
        _, configured = joblib.parallel.get_active_backend()
        pool = joblib.Parallel(
            workers or configured or -1, prefer="threads", return_as="generator_unordered"
        )
        calls = (
            joblib.delayed(_outcome)(key, compute, task, FILES) for key, task in missing.items()
        )
        try:
            for key, rows, problem in pool(calls):
                by_key[key], refusal = rows, refusal or problem
                if key in stored and problem is None:
                    store.put(key, rows)
                bar.update(missing[key].jobs)
        except KeyboardInterrupt:  # without joblib's lines of the traceback
            raise KeyboardInterrupt("finished results are stored" if stored else "") from None
    if refusal is not None:
        raise refusal
    return [by_key[key] for key in keys]


def _outcome(key, compute, task, files):
    """Return key, rows and refusal of a task, which may run in a process with other sources."""
    if files != FILES:
        raise RuntimeError(
            f"worker {os.uname().nodename}, process {os.getpid()}, has other sources of "
            "replication.simulator; restart it with those of the client"
        )
    try:
        return key, compute(task), None
    except ValueError as refusal:
        return key, None, refusal
