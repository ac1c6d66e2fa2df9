"""Predictors that look at the run times of the user's jobs that ended last.

``group`` holds the number of each job's user. ``newest`` has a row for each user: the run times of the two jobs that
ended last, the newest first, and the request of the newest; -1 as long as there is none.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.kernels.uncounted import uncounted
from replication.simulator.predictors.base import Predictor
from replication.simulator.predictors.classes import numbered

LAST, BEFORE, ASKED = range(3)  # columns of `newest`


@uncounted
def carry_over(memory, job, now):
    """The request times the user's last accuracy; the request where there is none."""
    newest, request = memory.newest[memory.group[job]], memory.request[job]
    if newest[ASKED] <= 0:
        return request
    return min(np.int64(np.rint(newest[LAST] / newest[ASKED] * request)), request)


@uncounted
def average(memory, job, now):
    """The mean in whole seconds, at most the request; the request as long as fewer than two have ended."""
    newest, request = memory.newest[memory.group[job]], memory.request[job]
    return request if newest[BEFORE] < 0 else min((newest[LAST] + newest[BEFORE]) // 2, request)


@uncounted
def learn(memory, job, start, now):
    """Take note of the job as the user's newest."""
    newest = memory.newest[memory.group[job]]
    newest[BEFORE] = newest[LAST]
    newest[LAST], newest[ASKED] = memory.run_time[job], memory.request[job]


@dataclass(frozen=True)
class Last(Predictor, predict=carry_over, learn=learn):
    """The request times run time over request of the same user's last ended job (PV-EASY, section 5.2).

    Rounded to the nearest second, and at most the request.
    """

    draws_at_random = False

    def tables(self, workload, request, seed):
        """See the module."""
        group, users = numbered(workload.user[:, None])
        return {"group": group, "newest": np.full((users, 3), -1)}


@dataclass(frozen=True)
class Tsafrir(Last, predict=average, learn=learn):
    """Mean of the user's last two ended run times (Tsafrir, Etsion and Feitelson 2007, section 4.1)."""
