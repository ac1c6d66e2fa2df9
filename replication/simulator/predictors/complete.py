"""Decaying means of run times over fifteen classes of jobs, the first class with a history deciding.

``group`` holds the number of each job's finest class: the jobs with equal executable, user, request and size.
``classes`` has a row for each finest class: the fifteen classes that it belongs to, most specific first. ``means`` has
a row for each class: decayed sum of run times and decayed count.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.kernels.uncounted import uncounted
from replication.simulator.predictors.base import Predictor
from replication.simulator.predictors.classes import finest, numbered

DECAY = 0.8
TOTAL, COUNT = 0, 1  # columns of `means`

#: What the jobs of a class agree in, most specific first: 0 is the executable, 1 the user, 2 the request, 3 the size.
TEMPLATES = [[fact for fact in range(4) if kept & 8 >> fact] for kept in range(15, 0, -1)]


@uncounted
def predict(memory, job, now):
    """The mean of the first class with a history, rounded, at most the request; the request without any."""
    for c in memory.classes[memory.group[job]]:
        mean = memory.means[c]
        if mean[COUNT] > 0:
            return min(np.int64(np.rint(mean[TOTAL] / mean[COUNT])), memory.request[job])
    return memory.request[job]


@uncounted
def learn(memory, job, start, now):
    """Update the classes of the job."""
    for c in memory.classes[memory.group[job]]:
        mean = memory.means[c]
        mean[TOTAL] = DECAY * mean[TOTAL] + memory.run_time[job]
        mean[COUNT] = DECAY * mean[COUNT] + 1


@dataclass(frozen=True)
class Complete(Predictor, predict=predict, learn=learn):
    """Decaying mean of the first of fifteen classes of jobs that has seen one end (Top Percent, section IV.A).

    The classes agree in fewer and fewer of executable, user, request and size.
    """

    draws_at_random = False

    def tables(self, workload, request, seed):
        """See the module."""
        group, found = finest(workload, request)
        classes, many = np.empty((len(found), len(TEMPLATES)), np.int64), 0
        for place, facts in enumerate(TEMPLATES):
            code, different = numbered(found[:, facts])
            classes[:, place] = many + code
            many += different
        return {"group": group, "classes": classes, "means": np.zeros((many, 2))}
