"""A predictor that lies in one file outside the package runs under every scheduler that predicts."""

from dataclasses import replace

import numpy as np
import pytest

from replication.simulator import predictors, text
from replication.simulator.reference import conservative
from replication.simulator.reference import pv_easy as reference_pv_easy
from replication.simulator.reference.easy import Easy
from replication.simulator.reference.predictors import REFERENCES, Predictor
from replication.simulator.schedulers import (
    EASY,
    Conservative,
    LargestAreaFirst,
    PVEasy,
    SchedulerError,
)
from replication.simulator.simulation import simulate
from tests.simulator.added import Counted, Longest, Squared
from tests.workloads import jobs


class ReferenceLongest(Predictor):
    """The reference implementation."""

    def __init__(self, workload, estimate, share):
        super().__init__(workload, estimate)
        self.share, self.longest = share, {}

    def predict(self, job, now):
        return min(int(self.longest.get(self.user[job], 0) * self.share), self.request[job])

    def learn(self, job, now):
        user = self.user[job]
        self.longest[user] = max(self.longest.get(user, 0), self.run_time[job])


@pytest.fixture(autouse=True)
def references(monkeypatch):
    monkeypatch.setitem(REFERENCES, Longest, ReferenceLongest)
    monkeypatch.setitem(REFERENCES, Counted, ReferenceLongest)


@pytest.fixture(scope="module")
def crowd():
    """Two hundred jobs of four users on a machine that is too small."""
    rng = np.random.default_rng(5)
    rows = [
        (int(submit), int(run), int(size), int(run * more))
        for submit, run, size, more in zip(
            np.sort(rng.integers(0, 3000, 200)),
            rng.integers(1, 200, 200),
            rng.integers(1, 8, 200),
            rng.integers(1, 6, 200),
            strict=True,
        )
    ]
    return jobs(8, *rows).replace(user=rng.integers(0, 4, 200))


@pytest.mark.parametrize(
    ("scheduler", "reference"),
    [
        (EASY(), Easy),
        (Conservative(), conservative.Conservative),
        (LargestAreaFirst(), conservative.LargestAreaFirst),
    ],
)
@pytest.mark.parametrize("predictor", [Longest(0.5), Counted(0.5), Squared()])
def test_it_runs_and_equals_its_reference(crowd, scheduler, reference, predictor):
    chosen = replace(scheduler, predictor=predictor)
    fast = simulate(crowd, chosen).validate()
    options = {name: getattr(chosen, name) for name in chosen.options()}
    slow = reference(crowd, fast.estimate, **options).run()
    assert fast.start.tolist() == slow.start
    assert fast.prediction.tolist() == slow.prediction
    assert fast.start.tolist() != simulate(crowd, scheduler).start.tolist()


def test_it_runs_under_pv_easy_and_equals_its_reference(crowd):
    fast = simulate(crowd, PVEasy(predictor=Longest(0.5))).validate()
    slow = reference_pv_easy.PVEasy(crowd, predictor=Longest(0.5)).run()
    assert fast.start.tolist() == slow.start
    assert fast.prediction.tolist() == slow.prediction
    assert fast.times_killed.sum() > 0


def test_a_predictor_that_uses_starts_is_refused_by_pv_easy():
    with pytest.raises(SchedulerError, match=r"Counted\(share=0.5\) uses the starts of jobs"):
        PVEasy(predictor=Counted(0.5))


def test_text_names_it():
    assert text.predictor("longest=0.25") == Longest(0.25)
    assert text.scheduler("easy:predictor=longest=0.25") == EASY(predictor=Longest(0.25))
    assert "longest=SHARE (a number from 0 to 1)" in text.forms(predictors.Predictor)
    with pytest.raises(predictors.PredictorError, match="allowed: a number from 0 to 1"):
        text.predictor("longest=2")
