"""Simulate a scheduler on a workload."""

from collections.abc import Iterable
from dataclasses import fields

import numpy as np

from replication.simulator.errors import InputError
from replication.simulator.estimates import EstimateModel, Users
from replication.simulator.kernels import ordered_list
from replication.simulator.schedulers import EASY, Scheduler, SchedulerError
from replication.simulator.schedules import measures as measuring
from replication.simulator.schedules.measures import Measure, Trim
from replication.simulator.schedules.schedule import Schedule
from replication.simulator.workload import Workload, check_seed

#: The columns that a scheduler may decide.
DECIDED = {column.name for column in fields(Schedule)} - set(
    "workload scheduler estimates seed estimate measure_names trim".split()
)


class SimulationError(InputError):
    """Arguments that cannot be simulated; the message lists the allowed ones."""


def simulate(
    workload: Workload,
    scheduler: Scheduler | str = EASY(),
    estimates: EstimateModel | str | np.ndarray | None = None,
    seed: int = 1,
    *,
    measures: Measure | Iterable[Measure] | None = None,
    trim: Trim = True,
) -> Schedule:
    """Run a scheduler on a workload.

    Parameters
    ----------
    workload : Workload
    scheduler : Scheduler or str
        Textbook EASY by default. Text is its repr, such as ``"EASY(predictor=Last())"``, or its
        name, ``"easy"``; see `replication.simulator.text`.
    estimates : EstimateModel, str or int64[n], s, optional
        The estimates that the scheduler gets: a model, also as text such as ``"f-model=2"``, or one
        value for each job. The workload's own by default.
    seed : int
        Seed of random estimate models and of random predictors.
    measures : name or function of a schedule, or several, optional
        Contents of the schedule's `measures`, such as ``mean_wait``, ``wait_p95`` or
        ``utilisation``; `replication.simulator.schedules.measures.NAMES` has all names with units.
    trim : bool or (float, bool)
        Jobs that measures of waits leave out: True for the first 1 % to end and those that end
        after the last submission (heel-and-toe), False for none, or (share to end first, whether to
        leave out the late ones).

    Returns
    -------
    Schedule

    Raises
    ------
    SimulationError, SchedulerError, EstimateError, MeasureError, WorkloadError
        For values that are no scheduler, estimate, measure or seed, and for times and sizes that
        are too large.
    PredictorError
        For a prediction out of range, with the job and the value.
    ScheduleError
        If an added scheduler returns a schedule that no machine could run.

    Examples
    --------
    >>> import replication as rp
    >>> columns = {"submit": [0, 1, 2], "run_time": [9, 5, 3], "processors": [3, 4, 1]}
    >>> three = rp.Workload.from_columns("three", 4, **columns)
    >>> rp.simulate(three).start.tolist()
    [0, 9, 2]
    """
    names, trim = measuring.check_measures(measures, measuring.DEFAULT), measuring.check_trim(trim)
    seed, scheduler = check_seed(seed), Scheduler.check(scheduler)
    workload, model, estimate = prepare(workload, scheduler, estimates, seed)
    # An added scheduler may change what it gets. Kernels are compiled for writable arrays, hence a
    # copy.
    decided = scheduler.run(workload, estimate.copy() if scheduler.validated else estimate, seed)
    _check_columns(decided, workload, scheduler)
    columns = {name: np.asarray(column) for name, column in decided.items()}
    schedule = Schedule(
        workload,
        scheduler,
        model,
        seed,
        estimate=estimate,
        measure_names=names,
        trim=trim,
        **columns,
    )
    return schedule.validate() if scheduler.validated else schedule


def prepare(
    workload, scheduler, estimates, seed
) -> tuple[Workload, EstimateModel | None, np.ndarray]:
    """Return the workload to run, the estimate model (None for an array of estimates)
    and the estimates.
    """
    check_workload(workload)
    model = None
    if np.ndim(estimates) == 0 or isinstance(estimates, str | type):
        model = EstimateModel.check(Users() if estimates is None else estimates)
        model = resolve(model, scheduler, workload)
        workload, estimates = model.make(workload, seed)
    return workload, model, check_estimates(workload, estimates, scheduler)


def resolve(model, scheduler, workload) -> EstimateModel:
    """Return an estimate model as a scheduler gets it: `Users.on` the workload,
    unless estimates are ignored.
    """
    uses = getattr(scheduler, "uses_estimates", True)
    return model.on(workload) if isinstance(model, Users) and uses else model


def check_workload(workload) -> Workload:
    """Return a workload; raise SimulationError for anything else."""
    if not isinstance(workload, Workload):
        raise SimulationError(
            f"workload is a {type(workload).__name__}, allowed: a Workload "
            "(from load, or Workload.from_columns)"
        )
    return workload


def _check_columns(decided, workload, scheduler):
    """Raise SchedulerError unless the scheduler returned columns of a schedule,
    of the workload's length.
    """
    if not (isinstance(decided, dict) and {"start", "backfilled"} <= decided.keys() <= DECIDED):
        columns = ", ".join(decided) if isinstance(decided, dict) else type(decided).__name__
        raise SchedulerError(
            f"{scheduler!r} decided {columns}; allowed: a dict with start and backfilled, "
            f"and any of {', '.join(sorted(DECIDED - {'start', 'backfilled'}))}"
        )
    for name, column in decided.items():
        n, kinds = len(workload), "b" if name == "backfilled" else "iu"
        fits = np.shape(column)[:1] == (n,) or name == "killed_runs"
        if not fits or np.asarray(column).dtype.kind not in kinds:
            raise SchedulerError(
                f"{scheduler!r} decided {name} as "
                f"{np.asarray(column).dtype}{list(np.shape(column))}; allowed: "
                f"{'bool' if kinds == 'b' else 'int64'}[{n}]"
            )


def check_estimates(workload, estimate, scheduler=EASY()) -> np.ndarray:
    """Return estimates to the nearest second, int64[n].

    Raises
    ------
    SimulationError
        For estimates that are no seconds, and for times or numbers of jobs that exceed the kernels'
        integers.
    SchedulerError
        For times that exceed those of the scheduler.
    """
    estimates = np.asarray(estimate)
    if estimates.shape != (len(workload),):
        raise SimulationError(
            f"{workload.name}: estimates have shape {estimates.shape}, expected ({len(workload)},)"
        )
    if estimates.dtype.kind not in "iuf" or not np.isfinite(estimates).all():
        raise SimulationError(f"{workload.name}: estimates contain no numbers; expected seconds")
    if (estimates < 0).any():
        k = int(np.argmax(estimates < 0))
        raise SimulationError(
            f"{workload.name}: job {workload.job_id[k]}: estimate {estimates[k]}; "
            "expected seconds >= 0"
        )
    work = float(workload.run_time.sum(dtype=np.float64))
    last = float(workload.submit[-1]) + work + float(estimates.max())
    if last >= ordered_list.LATEST:
        raise SimulationError(
            f"{workload.name}: times reach {last:.0f} s, allowed: below {ordered_list.LATEST} s"
        )
    if min(len(workload), workload.machine) > ordered_list.MOST:
        raise SimulationError(
            f"{workload.name}: up to {workload.machine} jobs could run at once, "
            f"allowed: {ordered_list.MOST}"
        )
    scheduler.check_room(workload, estimates)
    whole = np.rint(estimates) if estimates.dtype.kind == "f" else estimates
    return np.array(whole, dtype=np.int64)  # a copy: the caller may change the given array later
