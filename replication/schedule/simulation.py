"""The one public way to run a scheduler: check everything, call a kernel, return a `Schedule`."""

import importlib

import numpy as np

from replication.basics.hints import did_you_mean
from replication.estimates import models
from replication.logs.workload import Workload
from replication.schedule.schedule import Schedule

FAMILIES = ("easy", "predicted", "conservative", "pv_easy")
SCHEDULERS = {
    name: scheduler
    for family in FAMILIES
    for name, scheduler in importlib.import_module(
        f"replication.schedulers.{family}"
    ).SCHEDULERS.items()
}


class SimulationError(ValueError):
    """A scheduler, option or estimate that cannot be simulated; the message lists what is allowed."""


def simulate(workload, scheduler="easy", estimates=None, seed=1, **options):
    """Run a scheduler on a workload.

    Parameters
    ----------
    workload : Workload
    scheduler : str
        One of ``SCHEDULERS``.
    estimates : str or int64[n], s, optional
        What the scheduler is told: a model as text (see `replication.estimates.models.parse`) or one value a job.
        The workload's own estimates by default.
    seed : int
        Of random estimate models and of random predictors.
    **options
        The scheduler's own; ``SCHEDULERS[name].options`` lists them.

    Returns
    -------
    Schedule

    Raises
    ------
    SimulationError, EstimateError, OptionError
        For unknown names and impossible values.

    Examples
    --------
    >>> from replication import simulate
    >>> from replication.logs.workload import Workload
    >>> three = Workload.from_columns("three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1])
    >>> simulate(three).start.tolist()
    [0, 9, 2]
    """
    if not isinstance(workload, Workload):
        raise SimulationError(
            f"workload is a {type(workload).__name__}, allowed: a Workload "
            "(from traces.load, or Workload.from_columns)"
        )
    if scheduler not in SCHEDULERS:
        hint = did_you_mean(scheduler, SCHEDULERS)
        raise SimulationError(
            f"scheduler {scheduler!r} unknown{hint}; allowed: {', '.join(SCHEDULERS)}"
        )
    chosen = SCHEDULERS[scheduler].settle(options)
    told = {
        "estimates": estimates
        if isinstance(estimates, str)
        else "log"
        if estimates is None
        else "given",
        "seed": seed,
    }
    if isinstance(estimates, str):
        workload, estimates = models.make(workload, estimates, seed)
    estimate = _checked(workload, workload.estimate if estimates is None else estimates)
    decided = SCHEDULERS[scheduler].run(workload, estimate, seed, **chosen)
    defaults = {"prediction": estimate, "times_killed": np.zeros(len(workload), np.int64)}
    return Schedule(
        workload, scheduler, estimate=estimate, options=told | chosen, **defaults | decided
    )


def _checked(workload, estimate):
    """`estimate` as int64[n], or one clear line why not."""
    from replication.core.running import LATEST, MOST

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
    last = (
        float(workload.submit[-1])
        + float(workload.run_time.sum(dtype=np.float64))
        + float(given.max())
    )
    if last >= LATEST:
        raise SimulationError(
            f"{workload.name}: times reach {last:.0f} s, allowed: below {LATEST} s"
        )
    if min(len(workload), workload.machine) > MOST:
        raise SimulationError(
            f"{workload.name}: up to {workload.machine} jobs could run at once, allowed: {MOST}"
        )
    return np.ascontiguousarray(
        np.rint(given) if given.dtype.kind == "f" else given, dtype=np.int64
    )


def warm():
    """Compile every kernel once, so that parallel runs find them in the cache."""
    tiny = Workload.from_columns(
        "tiny", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1]
    )
    for scheduler in SCHEDULERS:
        simulate(tiny, scheduler)
