"""Observed runs of EASY: wild backfills, the heads they delay,
and how close the order is to shortest job first.

The terms are those of heel-and-toe (report 2006, sections 5 and 6). `simulate` does not measure
them.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.kernels.observation import observations
from replication.simulator.schedulers import EASY, Scheduler, SchedulerError
from replication.simulator.schedules import measures
from replication.simulator.schedules.schedule import Schedule
from replication.simulator.simulation import prepare
from replication.simulator.workload import check_seed


@dataclass(frozen=True)
class Observed:
    """A schedule of EASY with observations of each job.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    shortest : bool[n]
        Whether no job in the queue, which includes all jobs submitted by then, had a shorter run
        time when the job started.
    wild : bool[n]
        Whether the job was backfilled and moved the head's real shadow time.
    events : int64[n]
        Number of wild backfills while the job was at the head. A job with one or more is delayed.
    delay : int64[n], s
        Time from the first real shadow time to the start of a delayed job; 0 for other jobs.
    """

    schedule: Schedule
    shortest: np.ndarray
    wild: np.ndarray
    events: np.ndarray
    delay: np.ndarray

    @property
    def measures(self) -> dict[str, float]:
        """The measures of heel-and-toe's Figs. 7 and 9 to 11 by name:
        means over all jobs, nan over no jobs.

        See `replication.simulator.schedules.measures.NAMES`.
        """
        names = (*measures.BACKFILLING, *measures.OBSERVED)
        return measures.of(self.schedule, names, observed=self)


def observe(workload, estimates=None, seed=1, scheduler=EASY()) -> Observed:
    """Simulate EASY, with or without a predictor, and observe it.

    Parameters
    ----------
    workload, estimates, seed
        As in `replication.simulator.simulation.simulate`.
    scheduler : EASY
        With one reservation; or another scheduler that has a method `run_observed`.

    Returns
    -------
    Observed

    Raises
    ------
    SchedulerError
        For other schedulers; further errors are those of `simulate`.

    Examples
    --------
    >>> from replication.simulator.estimates import Deterministic
    >>> from replication.simulator.observation import observe
    >>> from replication.simulator.workload import Workload
    >>> columns = {"submit": [0, 0, 0], "run_time": [4, 2, 3], "processors": [1, 2, 1]}
    >>> three = Workload.from_columns("three", 2, **columns)
    >>> observe(three, Deterministic(1)).delay.tolist()
    [0, 0, 0]
    """
    scheduler = Scheduler.check(scheduler)
    if not hasattr(scheduler, "run_observed"):
        raise SchedulerError(f"{scheduler!r} cannot be observed; allowed: any EASY")
    seed = check_seed(seed)
    workload, model, estimate = prepare(workload, scheduler, estimates, seed)
    columns, order, submitted = scheduler.run_observed(workload, estimate, seed)
    decided = columns["start"], columns["backfilled"], order, submitted
    seen = observations(workload.run_time, workload.processors, workload.machine, *decided)
    schedule = Schedule(workload, scheduler, model, seed, estimate=estimate, **columns)
    return Observed(schedule.validate() if scheduler.validated else schedule, *seen)
