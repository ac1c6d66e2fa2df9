"""The mean of the user's last two run times.

``group`` holds the number of each job's user. ``newest`` has a row for each user: the run times of the two
jobs that ended last, the newest first, and -1 as long as there is none.
"""

from dataclasses import dataclass

import numpy as np

from replication.core.uncounted import uncounted
from replication.predictors.base import Predictor
from replication.predictors.classes import numbered


@uncounted
def predict(memory, job, now):
    """The mean in whole seconds, at most the request; the request as long as fewer than two have ended."""
    newest, request = memory.newest[memory.group[job]], memory.request[job]
    return request if newest[1] < 0 else min((newest[0] + newest[1]) // 2, request)


@uncounted
def learn(memory, job, start, now):
    """Take note of the job's run time as the user's newest."""
    newest = memory.newest[memory.group[job]]
    newest[1] = newest[0]
    newest[0] = memory.run_time[job]


@dataclass(frozen=True)
class Tsafrir(Predictor, predict=predict, learn=learn):
    """Mean of the user's last two ended run times (Tsafrir, Etsion and Feitelson 2007, section 4.1)."""

    draws_at_random = False

    def tables(self, workload, request, seed):
        """See the module."""
        group, users = numbered(workload.user[:, None])
        return {"group": group, "newest": np.full((users, 2), -1)}
