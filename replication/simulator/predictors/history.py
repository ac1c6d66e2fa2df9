"""Predictors that use the run times of ended jobs of the same user or class:
Last, Tsafrir and Complete.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from replication.simulator.predictors.base import Predictor, compiled

LAST, BEFORE, ESTIMATE = range(3)  # columns of `newest`
DECAY = 0.8
TOTAL, COUNT = range(2)  # columns of `means`


def number_groups(*columns) -> np.ndarray:
    """Return a group number for each row of int64[n] columns, int64[n]: equal rows form a group."""
    code, values = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        least = column.min()
        span = int(column.max()) - int(least) + 1
        if values * span >= 2**63:  # the pair does not fit into one number
            code, column = pd.factorize(code)[0], pd.factorize(column)[0]
            least, values, span = 0, len(code), len(code)
        code = code * span + (column - least)
        values *= span
    return pd.factorize(code)[0]


def finest_classes(workload, estimate) -> tuple[np.ndarray, np.ndarray]:
    """Return each job's class, int64[n], by executable, user, estimate and size;
    and these values of each class, int64[4, c].
    """
    columns = np.stack([workload.executable, workload.user, estimate, workload.processors])
    group = number_groups(*columns)
    # Classes are numbered as they first appear, so the running maximum steps up at a class's first
    # job.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))
    return group, columns[:, first]


@dataclass(frozen=True)
class Last(Predictor):
    """The estimate times the accuracy of the same user's last ended job:
    its run time over its estimate (PV-EASY, 5.2).

    The prediction is rounded to the nearest second and at most the estimate. It is the estimate as
    long as no job of the user has ended.
    """

    draws_at_random = False
    changes_only_at_ends = True

    def tables(self, workload, estimate, seed) -> dict:
        """Return ``group``, each job's user, and ``newest``,
        each user's last two run times and last estimate, or -1.
        """
        group, users = pd.factorize(workload.user)
        return {"group": group, "newest": np.full((len(users), 3), -1)}

    def classes(self, workload, estimate) -> np.ndarray:
        """Return classes of equal user and estimate."""
        return number_groups(workload.user, np.asarray(estimate, np.int64))

    @compiled
    def predict(memory, job, now) -> int:
        """Return the user's last accuracy times the estimate."""
        newest, estimate = memory.newest[memory.group[job]], memory.estimate[job]
        if newest[ESTIMATE] <= 0:
            return estimate
        return min(np.int64(np.rint(newest[LAST] / newest[ESTIMATE] * estimate)), estimate)

    @compiled
    def learn(memory, job, now) -> None:
        """Record the job as the user's last ended job."""
        newest = memory.newest[memory.group[job]]
        newest[BEFORE] = newest[LAST]
        newest[LAST], newest[ESTIMATE] = memory.run_time[job], memory.estimate[job]


@dataclass(frozen=True)
class Tsafrir(Last):
    """Mean of the user's last two run times (Tsafrir, Etsion and Feitelson 2007, section 4.1).

    The prediction is rounded down to whole seconds and at most the estimate. It is the estimate as
    long as fewer than two jobs of the user have ended.
    """

    draws_at_random = False
    changes_only_at_ends = True
    classes = Last.classes

    @compiled
    def predict(memory, job, now) -> int:
        """Return the mean of the last two run times."""
        newest, estimate = memory.newest[memory.group[job]], memory.estimate[job]
        return (
            estimate if newest[BEFORE] < 0 else min((newest[LAST] + newest[BEFORE]) // 2, estimate)
        )


@dataclass(frozen=True)
class Complete(Predictor):
    """The decaying mean of run times in the first of a job's fifteen classes with an ended job
    (Top Percent, section IV.A).

    The jobs of a class agree in some of executable, user, estimate and size: in the first class in
    all four, in later classes in fewer.
    """

    draws_at_random = False
    changes_only_at_ends = True

    def tables(self, workload, estimate, seed) -> dict:
        """Return ``group``, each job's finest class; ``classes``, the fifteen classes of each; and
        ``means``, of all classes.

        A row of ``means`` holds a class's decayed sum of run times and its decayed count.
        """
        group, finest = finest_classes(workload, estimate)
        n = finest.shape[1]
        columns = [pd.factorize(column)[0] for column in finest[::-1]]
        # A bit of a mask is a column: 8 the executable, 4 the user, 2 the estimate, 1 the size.
        codes = [np.zeros(n, np.int64)]
        for mask in range(1, 16):
            lowest = columns[(mask & -mask).bit_length() - 1]
            codes.append(pd.factorize(codes[mask & (mask - 1)] * n + lowest)[0])
        classes, count = np.empty((n, 15), np.int64), 0
        for k, code in enumerate(codes[:0:-1]):  # most specific first
            classes[:, k] = count + code
            count += int(code.max()) + 1
        return {"group": group, "classes": classes, "means": np.zeros((count, 2))}

    def classes(self, workload, estimate) -> np.ndarray:
        """Return classes of equal executable, user, estimate and size."""
        return finest_classes(workload, np.asarray(estimate, np.int64))[0]

    @compiled
    def predict(memory, job, now) -> int:
        """Return the rounded mean of the first class with an ended job, at most the estimate;
        without one, the estimate.
        """
        for c in memory.classes[memory.group[job]]:
            mean = memory.means[c]
            if mean[COUNT] > 0:
                return min(np.int64(np.rint(mean[TOTAL] / mean[COUNT])), memory.estimate[job])
        return memory.estimate[job]

    @compiled
    def learn(memory, job, now) -> None:
        """Update the classes of the job."""
        for c in memory.classes[memory.group[job]]:
            mean = memory.means[c]
            mean[TOTAL] = DECAY * mean[TOTAL] + memory.run_time[job]
            mean[COUNT] = DECAY * mean[COUNT] + 1
