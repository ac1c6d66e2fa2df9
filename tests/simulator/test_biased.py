"""Predictions times a factor by hand."""

import numpy as np
import pytest

from replication.simulator.kernels import memory as kernel
from replication.simulator.predictors import CVH, Biased, Clairvoyant, Last, Scaled, Virtual
from replication.simulator.reference.easy import Easy
from replication.simulator.schedulers import EASY, PVEasy, SchedulerError
from replication.simulator.simulation import simulate
from tests.workloads import jobs


def test_by_hand():
    w = jobs(4, (0, 9, 4, 50), (0, 9, 4, 30), (0, 9, 4, 10))
    assert simulate(w, EASY(Biased(Clairvoyant(), 2))).prediction.tolist() == [18, 18, 10]
    assert simulate(w, EASY(Biased(Clairvoyant(), 0.5))).prediction.tolist() == [4, 4, 4]
    assert simulate(w, EASY(Biased(Scaled(2), 0.5))).prediction.tolist() == [9, 9, 9]


def test_a_factor_beyond_all_bounds_gives_the_request():
    w = jobs(4, (0, 9, 4, 50), (0, 9, 4, 30))
    biased = Biased(Clairvoyant(), 1e300)
    assert simulate(w, EASY(biased)).prediction.tolist() == [50, 30]
    assert Easy(w, w.estimate, predictor=biased).run().prediction == [50, 30]


def test_the_state_of_the_other_is_copied():
    w = jobs(4, (0, 9, 4, 50), (1, 9, 4, 30)).replace(user=np.array([1, 1]))
    biased = Biased(Last(), 2)
    with biased.memory(w, w.estimate) as memory, biased.memory(w, w.estimate) as spare:
        kernel.learn(memory, 0, 9)
        assert kernel.predict(spare, 1, 9) == 30
        spare.state[:] = memory.state
        assert kernel.predict(spare, 1, 9) == kernel.predict(memory, 1, 9) == 10


def test_it_is_as_random_and_as_curious_as_the_other():
    assert Biased(Virtual(0.5)).draws_at_random and not Biased(Last()).draws_at_random
    with pytest.raises(SchedulerError, match="uses the starts of jobs"):
        PVEasy(Biased(CVH(), 2))
    assert repr(Biased(Last(), 2)) == "Biased(of=Last(), factor=2.0)"
