"""The one public way to run a scheduler: check everything, let it decide, return a `Schedule`."""

from dataclasses import fields

import numpy as np
import pandas as pd

from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.kernels import running
from replication.simulator.schedule import Schedule
from replication.simulator.schedulers import (
    EASY,
    FCFS,
    Conservative,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
    Scheduler,
    SchedulerError,
)
from replication.simulator.workload import Workload

#: The columns that a scheduler may decide.
DECIDED = {own.name for own in fields(Schedule)} - {
    "workload",
    "scheduler",
    "estimates",
    "seed",
    "estimate",
}


class SimulationError(ValueError):
    """What cannot be simulated; the message lists what is allowed."""


def simulate(workload, scheduler=EASY(), estimates=None, seed=1):  # noqa: B008, it is frozen
    """Run a scheduler on a workload.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    scheduler : replication.simulator.schedulers.Scheduler
    estimates : replication.simulator.estimates.EstimateModel or int64[n], s, optional
        What the scheduler is told: a model, or one value a job. The workload's own estimates by default.
    seed : int
        Of random estimate models and of random predictors.

    Returns
    -------
    replication.simulator.schedule.Schedule

    Raises
    ------
    SimulationError, SchedulerError, EstimateError
        For what is no scheduler or no estimate, and for times and sizes that cannot be counted.

    Examples
    --------
    >>> import replication as rp
    >>> three = rp.Workload.from_columns("three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1])
    >>> rp.simulate(three).start.tolist()
    [0, 9, 2]
    """
    workload, model, estimate = prepared(workload, Scheduler.check(scheduler), estimates, seed)
    decided = scheduler.run(workload, estimate, seed)
    _check_columns(decided, workload, scheduler)
    schedule = Schedule(workload, scheduler, model, seed, estimate=estimate, **decided)
    return schedule.validate() if scheduler.validated else schedule


def prepared(workload, scheduler, estimates, seed):
    """The workload that is run, the estimate model (None for values of one's own) and the estimates, all checked."""
    _check_workload(workload)
    given_values = np.ndim(estimates) > 0 and not isinstance(estimates, str | type)
    model = (
        None if given_values else EstimateModel.check(Users() if estimates is None else estimates)
    )
    if model is not None:
        workload, estimates = model.make(workload, seed)
    return workload, model, checked(workload, estimates, scheduler)


def _check_workload(workload):
    if not isinstance(workload, Workload):
        raise SimulationError(
            f"workload is a {type(workload).__name__}, allowed: a Workload "
            "(from load, or Workload.from_columns)"
        )
    return workload


def _check_columns(decided, workload, scheduler):
    """Refuse what is no column of a schedule, and columns of another length."""
    if not (isinstance(decided, dict) and {"start", "backfilled"} <= decided.keys() <= DECIDED):
        given = ", ".join(decided) if isinstance(decided, dict) else type(decided).__name__
        raise SchedulerError(
            f"{scheduler!r} decided {given}; allowed: a dict with start and backfilled, "
            f"and any of {', '.join(sorted(DECIDED - {'start', 'backfilled'}))}"
        )
    for name, column in decided.items():
        n, kinds = len(workload), "b" if name == "backfilled" else "iu"
        fits = np.shape(column)[:1] == (n,) or name == "killed_runs"
        if not fits or np.asarray(column).dtype.kind not in kinds:
            raise SchedulerError(
                f"{scheduler!r} decided {name} as {np.asarray(column).dtype}{list(np.shape(column))}; "
                f"allowed: {'bool' if kinds == 'b' else 'int64'}[{n}]"
            )


def compare(workloads, schedulers, estimates=None, seed=1):
    """Measures of schedulers on workloads, side by side; arguments as of `simulate`, one or several each.

    Returns
    -------
    pandas.DataFrame
        A row each: log, stand_in, scheduler, estimates (as one types them), seed, and the measures of
        `replication.simulator.measures.NAMES`, with heel-and-toe's trim.

    Raises
    ------
    SimulationError, SchedulerError, EstimateError
        As `simulate`; nothing is simulated then.
    """
    one = isinstance(workloads, Workload)
    workloads = [_check_workload(w) for w in ([workloads] if one else _several(workloads))]
    keys = {}
    for workload in workloads:
        if keys.setdefault(workload.name, workload.draw_key) != workload.draw_key:
            raise SimulationError(
                f"two workloads are called {workload.name!r}; expected distinct names (workload.replace(name=...))"
            )
    schedulers = [Scheduler.check(one) for one in _several(schedulers)]
    models = [
        EstimateModel.check(one) for one in _several(Users() if estimates is None else estimates)
    ]
    return pd.DataFrame(
        {
            "log": workload.name,
            "stand_in": workload.stand_in,
            "scheduler": repr(scheduler),
            "estimates": repr(model),
            "seed": seed,
        }
        | simulate(workload, scheduler, model, seed).measures
        for workload in workloads
        for model in models
        for scheduler in schedulers
    )


def _several(given):
    return given if np.iterable(given) and not isinstance(given, str) else [given]


def checked(workload, estimate, scheduler=EASY()):  # noqa: B008, it is frozen
    """The estimates, int64[n], s, to the nearest second: the guard on times and sizes of everything
    that simulates. SimulationError for estimates that are no seconds, and times or numbers of
    jobs that our whole numbers do not hold; SchedulerError where the scheduler can hold less
    than that.
    """
    given = np.asarray(estimate)
    if given.shape != (len(workload),):
        raise SimulationError(
            f"{workload.name}: estimates have shape {given.shape}, expected ({len(workload)},)"
        )
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        raise SimulationError(
            f"{workload.name}: estimates hold values that are not numbers; allowed: seconds"
        )
    if (given < 0).any():
        k = int(np.argmax(given < 0))
        raise SimulationError(
            f"{workload.name}: job {workload.job_id[k]}: estimate {given[k]}, "
            "allowed: 0 or more seconds"
        )
    work = float(workload.run_time.sum(dtype=np.float64))
    last = float(workload.submit[-1]) + work + float(given.max())
    if last >= running.LATEST:
        raise SimulationError(
            f"{workload.name}: times reach {last:.0f} s, allowed: below {running.LATEST} s"
        )
    if min(len(workload), workload.machine) > running.MOST:
        raise SimulationError(
            f"{workload.name}: up to {workload.machine} jobs could run at once, "
            f"allowed: {running.MOST}"
        )
    scheduler.check_room(workload, given)
    return np.ascontiguousarray(
        np.rint(given) if given.dtype.kind == "f" else given, dtype=np.int64
    )


def warm():
    """Compile every kernel once, so that parallel runs find them in the cache."""
    tiny = Workload.from_columns(
        "tiny", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1]
    )
    textbook = (FCFS(), EASY(), Conservative(), LargestAreaFirst(), OrderedEASY(), PVEasy())
    for scheduler in (*textbook, EASY(candidates="sjf")):
        simulate(tiny, scheduler)
