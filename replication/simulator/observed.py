"""EASY watched: which backfills were wild, which heads they delayed, and how near the order came to shortest
first.

The terms are those of heel-and-toe (report 2006, sections 5 and 6). A plain `simulate` measures none of it.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.schedule import Schedule
from replication.simulator.schedulers import EASY, SchedulerError
from replication.simulator.simulation import prepared

NAMES = {
    "backfilled": "share of jobs backfilled",
    "backfilled_run_time": "mean run time of the backfilled jobs, s",
    "backfilled_size": "mean size of the backfilled jobs, processors",
    "regular_run_time": "mean run time of the jobs that were not backfilled, s",
    "wild": "share of jobs backfilled wildly",
    "wild_run_time": "mean run time of the wildly backfilled jobs, s",
    "wild_size": "mean size of the wildly backfilled jobs, processors",
    "delayed": "share of jobs that suffered a wild backfill while at the head of the queue",
    "events": "mean number of wild backfills that a delayed job suffered",
    "delay": "mean delay of the delayed jobs, from first real shadow time to start, s",
    "sjfness": "share of jobs that were the shortest in the queue when started",
}


@dataclass(frozen=True)
class Observed:
    """A schedule of EASY and what was seen while it was made, a row a job.

    ``shortest``: no job in the queue had a shorter true run time when this one was started.
    Everything submitted by that instant is in the queue, the job itself too; equally short is
    shortest. ``wild``: it was backfilled and moved the head's real shadow time. ``events``: how
    many wild backfills it suffered while at the head; above 0 it is delayed. ``delay``, s: of
    delayed jobs, from the first real shadow time to the start; 0 otherwise.
    """

    schedule: Schedule
    shortest: np.ndarray
    wild: np.ndarray
    events: np.ndarray
    delay: np.ndarray

    @property
    def measures(self):
        """The means of Figs. 7 and 9 to 11, over all jobs, by the names in `NAMES`; nan for a mean over none."""
        run_time, size = self.schedule.workload.run_time, self.schedule.workload.processors
        delayed = self.events > 0
        return backfilling(self.schedule) | {
            "wild": float(self.wild.mean()),
            "wild_run_time": _mean(run_time[self.wild]),
            "wild_size": _mean(size[self.wild]),
            "delayed": float(delayed.mean()),
            "events": _mean(self.events[delayed]),
            "delay": _mean(self.delay[delayed]),
            "sjfness": float(self.shortest.mean()),
        }


def backfilling(schedule):
    """Which jobs of a schedule were backfilled, on average; by the first names in `NAMES`."""
    run_time, size = schedule.workload.run_time, schedule.workload.processors
    backfilled = schedule.backfilled
    return {
        "backfilled": float(backfilled.mean()),
        "backfilled_run_time": _mean(run_time[backfilled]),
        "backfilled_size": _mean(size[backfilled]),
        "regular_run_time": _mean(run_time[~backfilled]),
    }


def _mean(values):
    return float(values.mean()) if len(values) else float("nan")


def observe(workload, estimates=None, seed=1, scheduler=EASY()):  # noqa: B008, it is frozen
    """Run EASY, also one that plans with predictions, and watch it.

    Arguments and errors are those of `replication.simulator.simulation.simulate`; other schedulers are refused.

    Returns
    -------
    Observed

    Examples
    --------
    >>> from replication.simulator.estimates import Exact
    >>> from replication.simulator.observed import observe
    >>> from replication.simulator.workload import Workload
    >>> three = Workload.from_columns("three", 2, submit=[0, 0, 0], run_time=[4, 2, 3], processors=[1, 2, 1])
    >>> observe(three, Exact(2)).delay.tolist()
    [0, 0, 0]
    """
    if not isinstance(scheduler, EASY):
        raise SchedulerError(f"{scheduler!r} cannot be watched; allowed: any EASY")
    workload, model, estimate = prepared(workload, scheduler, estimates, seed)
    seen = scheduler.watch(workload)
    decided = scheduler.watched(workload, estimate, seed, seen)
    schedule = Schedule(workload, scheduler, model, seed, estimate=estimate, **decided)
    return Observed(schedule, seen.shortest, seen.wild, seen.events, seen.delay)
