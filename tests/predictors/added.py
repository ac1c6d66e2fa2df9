"""A predictor as somebody adds it: one file, outside the package. Half of the longest run seen in its group."""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels.uncounted import uncounted
from replication.simulator.predictors import Predictor


@uncounted
def predict(memory, job, now):
    longest = memory.longest[memory.user[job]]
    return min(np.int64(longest * memory.share), memory.request[job])


@uncounted
def begun(memory, job, now):
    memory.starts[0] += 1


@uncounted
def learn(memory, job, start, now):
    user = memory.user[job]
    memory.longest[user] = max(memory.longest[user], memory.run_time[job])


@dataclass(frozen=True)
class Longest(Predictor, predict=predict, learn=learn):
    """A share of the longest run of the same user that has ended; 0 without any."""

    share: float = option(allowed=Number(0, 1), about="of the longest run", sign="=")

    def tables(self, workload, request, seed):
        users, user = np.unique(workload.user, return_inverse=True)
        return {"user": user, "longest": np.zeros(len(users), np.int64), "share": self.share}


@dataclass(frozen=True)
class Counted(Longest, begun=begun):
    """The same, which also counts starts."""

    def tables(self, workload, request, seed):
        return super().tables(workload, request, seed) | {"starts": np.zeros(1, np.int64)}


@dataclass(frozen=True)
class Squared(Predictor):
    """One that learns nothing needs no compiled functions: the square root of the run time, squared again."""

    def predicted(self, workload, request, seed):
        return np.floor(np.sqrt(workload.run_time)) ** 2
