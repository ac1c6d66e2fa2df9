"""The accuracy of the user's last job.

``group`` holds the number of each job's user. ``newest`` and ``asked`` have an entry for each user: run time
and request of the job that ended last, and a request of 0 as long as none has.
"""

from dataclasses import dataclass

import numpy as np

from replication.core.uncounted import uncounted
from replication.predictors.base import Predictor
from replication.predictors.classes import numbered


@uncounted
def predict(memory, job, now):
    """The request times the user's last accuracy; the request where there is none."""
    user, request = memory.group[job], memory.request[job]
    asked = memory.asked[user]
    if asked == 0:
        return request
    return min(np.int64(np.rint(memory.newest[user] / asked * request)), request)


@uncounted
def learn(memory, job, start, now):
    """Take note of the job as the user's last."""
    user = memory.group[job]
    memory.newest[user], memory.asked[user] = memory.run_time[job], memory.request[job]


@dataclass(frozen=True)
class Last(Predictor, predict=predict, learn=learn):
    """The request times run time over request of the same user's last ended job (PV-EASY, section 5.2).

    Rounded to the nearest second, and at most the request.
    """

    draws_at_random = False

    def tables(self, workload, request, seed):
        """See the module."""
        group, users = numbered(workload.user[:, None])
        return {
            "group": group,
            "newest": np.zeros(users, np.int64),
            "asked": np.zeros(users, np.int64),
        }
