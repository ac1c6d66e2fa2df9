"""Predictors against values worked out by hand."""

import numpy as np
import pytest

from replication.simulator.kernels import memory as compiled
from replication.simulator.predictors import Biased, Clairvoyant, Predictor, Virtual
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload
from tests.workloads import jobs


def people(*rows):
    """A workload from (run time, estimate, user) rows, with one processor a job."""
    run_time, estimate, user = zip(*rows, strict=True)
    count = np.arange(len(rows))
    return Workload.from_columns(
        "people", 4, count, run_time, np.ones(len(rows), int), estimate, user=np.array(user)
    )


def memory_of(predictor, workload):
    """The memory of a simulation on the users' estimates, before its first job."""
    with Predictor.check(predictor).memory(workload, workload.estimate) as memory:
        return memory


def after(workload, predictor, ended, job):
    """The prediction for `job` once the jobs `ended` have ended, in that order."""
    memory = memory_of(predictor, workload)
    for k in ended:
        compiled.predict(memory, k, 0)
        compiled.begin(memory, k, 0)
        compiled.learn(memory, k, workload.run_time[k])
    return compiled.predict(memory, job, 99)


def test_complete_takes_the_first_class_with_a_history():
    # Executable and user differ; estimate and size are those of the third.
    w = people((30, 60, 1), (10, 60, 2), (5, 60, 3), (50, 100, 3), (1, 60, 3), (9, 20, 3))
    assert after(w, "complete", [], 4) == 60
    assert after(w, "complete", [0], 4) == 30, "anybody's job of the same estimate and size"
    assert after(w, "complete", [0, 1], 4) == round((0.8 * 30 + 10) / 1.8)
    assert after(w, "complete", [0, 1, 3], 4) == 50, (
        "the same user with another estimate goes before"
    )
    assert after(w, "complete", [0, 1, 3, 2], 4) == 5, "the whole class goes before all"
    assert after(w, "complete", [3], 5) == 20, "at most the estimate"


def test_top_percent_by_hand():
    # Two runs of 10 and one of 50 with an estimate of 100: the artificial point weighs 10 x 0.729 =
    # 7.29, the runs 8.1, 9 and 50. At or below 10: 17.1; at or below 50: 67.1; all: 74.39. 67.1 is
    # 90.2 % of all.
    w = people((10, 100, 1), (10, 100, 1), (50, 100, 1), (1, 100, 1), (1, 100, 2))
    assert after(w, "top-percent=2", [], 3) == 100
    assert after(w, "top-percent=2", [0, 1, 2], 3) == 100
    assert after(w, "top-percent=10", [0, 1, 2], 3) == 50
    assert after(w, "top-percent=9", [0, 1, 2], 3) == 100
    assert after(w, "top-percent=80", [0, 1, 2], 3) == 10
    assert after(w, "top-percent=10", [0, 1, 2], 4) == 100, "another user is another class"
    # Without decay the points weigh 10, 10, 10 and 50; with equal weights and no decay 0.1, 1, 1
    # and 1.
    assert after(w, "TopPercent(13, decay=1)", [0, 1, 2], 3) == 50
    assert after(w, "TopPercent(12, decay=1)", [0, 1, 2], 3) == 100
    assert after(w, "TopPercent(36, decay=1,weights='equal')", [0, 1, 2], 3) == 10
    assert after(w, "TopPercent(35, decay=1,weights='equal')", [0, 1, 2], 3) == 50
    assert after(w, "TopPercent(1, artificial=0)", [0, 1, 2], 3) == 50


def test_top_percent_as_coded_by_hand():
    # One run of 10 with an estimate of 100: the artificial point is as old as the run and weighs
    # 10; the lower sum is 0.9 + 10, and without the artificial point 0.9 of 10.9, 8.3 %. In words
    # it would be 10 of 19, 53 %.
    w = people((10, 100, 1), (10, 100, 1), (90, 100, 1), (95, 100, 1), (1, 100, 1))
    assert after(w, "TopPercent(92, coded=True)", [0], 4) == 10
    assert after(w, "TopPercent(91, coded=True)", [0], 4) == 100
    assert after(w, "top-percent=91", [0], 4) == 10
    # A second run of 10: 10.81 of 19.81, 54.6 %.
    assert after(w, "TopPercent(46, coded=True)", [0, 1], 4) == 10
    assert after(w, "TopPercent(45, coded=True)", [0, 1], 4) == 100
    # A run of 90 brings the threshold down to 90, where the lower sum is set to 90 and the upper
    # one is 10. One of 95 leaves 81 of 185 up to 90 and 176 of 185, 95.1 %, up to 95.
    assert after(w, "TopPercent(12, coded=True)", [2], 4) == 90
    assert after(w, "TopPercent(12, coded=True)", [2, 3], 4) == 95
    assert after(w, "TopPercent(4, coded=True)", [2, 3], 4) == 100


def test_top_percent_keeps_its_weights_in_range_through_a_long_history():
    """The weights are scaled back again and again, and old runs count as little as before."""
    n = 12_000
    w = people(*[(70 if k < n // 2 else 10, 100, 1) for k in range(n)])
    for predictor in ("top-percent=4", "TopPercent(4, coded=True)"):
        memory = memory_of(predictor, w)
        for k in range(n):
            compiled.learn(memory, k, 0)
        assert np.isfinite(memory.real).all() and np.isfinite(memory.model).all()
        assert compiled.predict(memory, 0, 0) == 10


def virtual(workload, error, seed):
    """Predicted run times."""
    return Virtual(error).predictions(workload, workload.estimate, seed)


def test_virtual_errors_are_uniform_seeded_and_bounded():
    w = Workload.from_columns(
        "virtual", 4, np.zeros(20_000, int), np.full(20_000, 10_000), np.ones(20_000, int)
    )
    error = virtual(w, 0.2, 3) / 10_000 - 1
    assert np.quantile(error, [0.25, 0.5, 0.75]) == pytest.approx(
        [-0.1, 0, 0.1], abs=5 * 0.2 / 20_000**0.5
    )
    assert abs(error).max() <= 0.2
    assert (virtual(w, 0.2, 3) == virtual(w, 0.2, 3)).all()
    assert (virtual(w, 0.2, 3) != virtual(w, 0.2, 4)).any()
    assert (virtual(w, 0, 3) == w.run_time).all()


def test_biased_predictions_by_hand():
    w = jobs(4, (0, 9, 4, 50), (0, 9, 4, 30), (0, 9, 4, 10))
    assert simulate(w, EASY(Biased(Clairvoyant(), 2))).prediction.tolist() == [18, 18, 10]
    assert simulate(w, EASY(Biased(Clairvoyant(), 0.5))).prediction.tolist() == [4, 4, 4]
    assert simulate(w, EASY(Biased(Virtual(0, 1), 0.5))).prediction.tolist() == [9, 9, 9]


def test_a_factor_beyond_all_bounds_gives_the_estimate():
    w = jobs(4, (0, 9, 4, 50), (0, 9, 4, 30))
    biased = Biased(Clairvoyant(), 1e300)
    assert simulate(w, EASY(biased)).prediction.tolist() == [50, 30]
