"""Predictors of one's own, outside the package."""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.predictors import Predictor, compiled


@dataclass(frozen=True)
class Longest(Predictor):
    """A share of the longest run of the same user that has ended; 0 without any."""

    share: float = option(allowed=Number(0, 1), about="of the longest run", sign="=")

    def tables(self, workload, request, seed):
        users, user = np.unique(workload.user, return_inverse=True)
        return {"user": user, "longest": np.zeros(len(users), np.int32), "share": self.share}

    @compiled
    def predict(memory, job, now):
        longest = memory.longest[memory.user[job]]
        return min(np.int64(longest * memory.share), memory.request[job])

    @compiled
    def learn(memory, job, now):
        user = memory.user[job]
        memory.longest[user] = max(memory.longest[user], memory.run_time[job])


@dataclass(frozen=True)
class Counted(Longest):
    """The same, which also counts starts."""

    def tables(self, workload, request, seed):
        return super().tables(workload, request, seed) | {"starts": np.zeros(1, np.int64)}

    @compiled
    def begin(memory, job, now):
        memory.starts[0] += 1


@dataclass(frozen=True)
class Squared(Predictor):
    """One that does not learn: the square root of the run time, rounded down, squared again."""

    def predictions(self, workload, request, seed):
        return np.floor(np.sqrt(workload.run_time)) ** 2
