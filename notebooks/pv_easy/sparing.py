"""PV-EASY that spares victims: an interpretation of preemption that explains Table 6's kills.

Section 4.2 takes victims from the lowest priority up until the head fits. Jobs taken first may turn
out not to be needed once a larger one has been taken. `SparingPVEasy` spares them, in the same
order. In Table 6 a job then counts as preempted once it has been taken, and as killed if it was not
spared.

The interpretation was found with the numbers known, as one of six.
"""

from dataclasses import dataclass

import numpy as np

import replication as rp
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedulers.pv_easy import Preempting


@dataclass(frozen=True)
class SparingPVEasy(Preempting, Scheduler):
    """PV-EASY that spares the jobs taken that the head turns out not to need, lowest priority
    first.
    """

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        kernel, rules = super().kernel()
        return kernel, rules._replace(spares=True)


def taken(schedule: rp.Schedule) -> np.ndarray:
    """Return which jobs were taken for preemption at least once, killed or spared, bool[n].

    At an instant of preemption all running jobs from the highest priority among the killed ones
    downwards were taken, as the last that is taken is always needed.
    """
    killed, _, instant = schedule.killed_runs.T
    hit = schedule.times_killed > 0
    instants, place = np.unique(instant, return_inverse=True)
    if not len(instants):
        return hit
    highest = np.full(len(instants) + 1, len(hit))  # the highest priority is the smallest index
    np.minimum.at(highest, place, killed)
    # A job that is never killed has one run: was it taken at an instant within it?
    first = np.searchsorted(instants, schedule.start, "right")
    behind = np.searchsorted(instants, schedule.end, "left")
    ends = np.column_stack([first, behind]).ravel()
    least = np.minimum.reduceat(highest, np.minimum(ends, len(instants)))[::2]
    return hit | ((behind > first) & (least <= np.arange(len(hit))))
