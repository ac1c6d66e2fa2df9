"""A predictor that lies in one file outside the package runs
under every scheduler that predicts.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from replication.simulator import predictors
from replication.simulator.choices import Number, option
from replication.simulator.predictors import compiled
from replication.simulator.schedulers import (
    EASY,
    Conservative,
    LargestAreaFirst,
    PVEasy,
    Scheduler,
    SchedulerError,
)
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.reference.predictors import REFERENCES, Predictor
from tests.workloads import random_jobs


@dataclass(frozen=True)
class Longest(predictors.Predictor):
    """A share of the longest run of the same user that has ended; 0 without any."""

    share: float = option(allowed=Number(0, 1), about="of the longest run")

    def tables(self, workload, estimate, seed):
        users, user = np.unique(workload.user, return_inverse=True)
        return {"user": user, "longest": np.zeros(len(users), np.int32), "share": self.share}

    @compiled
    def predict(memory, job, now):
        longest = memory.longest[memory.user[job]]
        return min(np.int64(longest * memory.share), memory.estimate[job])

    @compiled
    def learn(memory, job, now):
        user = memory.user[job]
        memory.longest[user] = max(memory.longest[user], memory.run_time[job])


@dataclass(frozen=True)
class Counted(Longest):
    """The same, which also counts starts."""

    def tables(self, workload, estimate, seed):
        return super().tables(workload, estimate, seed) | {"starts": np.zeros(1, np.int64)}

    @compiled
    def begin(memory, job, now):
        memory.starts[0] += 1


@dataclass(frozen=True)
class Squared(predictors.Predictor):
    """One that does not learn: the square root of the run time, rounded down, squared again."""

    def predictions(self, workload, estimate, seed):
        return np.floor(np.sqrt(workload.run_time)) ** 2


class ReferenceLongest(Predictor):
    """The reference implementation."""

    def __init__(self, workload, estimate, share):
        super().__init__(workload, estimate)
        self.share, self.longest = share, {}

    def predict(self, job, now):
        return min(int(self.longest.get(self.user[job], 0) * self.share), self.estimate[job])

    def learn(self, job, now):
        user = self.user[job]
        self.longest[user] = max(self.longest.get(user, 0), self.run_time[job])


@pytest.fixture(autouse=True)
def references(monkeypatch):
    monkeypatch.setitem(REFERENCES, Longest, ReferenceLongest)
    monkeypatch.setitem(REFERENCES, Counted, ReferenceLongest)


@pytest.fixture(scope="module")
def crowd():
    """Two hundred jobs on a machine that is too small."""
    return random_jobs(200, 8, 3000, 200, 400)


@pytest.mark.parametrize("scheduler", [EASY(), Conservative(), LargestAreaFirst(), PVEasy()])
@pytest.mark.parametrize("predictor", [Longest(0.5), Counted(0.5), Squared()])
def test_it_runs_and_equals_its_reference(crowd, scheduler, predictor):
    if isinstance(scheduler, PVEasy) and predictor.has_begin:
        with pytest.raises(SchedulerError, match=r"Counted\(share=0.5\) uses the starts of jobs"):
            PVEasy(predictor)
        return
    schedule = agree(crowd, replace(scheduler, predictor=predictor))
    assert schedule.start.tolist() != simulate(crowd, scheduler).start.tolist()


def test_text_names_it():
    assert predictors.Predictor.check("longest=0.25") == Longest(0.25)
    assert Scheduler.check("EASY(predictor=Longest(0.25))") == EASY(predictor=Longest(0.25))
    with pytest.raises(predictors.PredictorError, match="allowed: a number from 0 to 1"):
        predictors.Predictor.check("longest=2")
    with pytest.raises(predictors.PredictorError, match=r"longest=SHARE \(a number from 0 to 1\)"):
        predictors.Predictor.check("longest")
