"""EASY watched: which backfills were wild, which heads they delayed, and how near the order came to shortest
first.

The terms are those of heel-and-toe (report 2006, sections 5 and 6). A plain `simulate` measures none of it.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator import measures
from replication.simulator.kernels import measuring
from replication.simulator.schedule import Schedule
from replication.simulator.schedulers import EASY, SchedulerError
from replication.simulator.simulation import prepared


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
        """The means of Figs. 7 and 9 to 11 over all jobs, by name; nan for a mean over none.

        See `replication.simulator.measures.NAMES`.
        """
        w, delayed = self.schedule.workload, self.events > 0
        wild = measuring.backfilling(w.run_time, w.processors, self.wild)
        return measures.of(self.schedule, measures.BACKFILLING) | {
            **dict(zip(measures.OBSERVED[:3], wild[:3], strict=True)),
            "delayed": float(delayed.mean()),
            "events": _mean(self.events[delayed]),
            "delay": _mean(self.delay[delayed]),
            "sjfness": float(self.shortest.mean()),
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
