"""Synthetic workloads have the marginal distributions of the published model,
and the machine and load asked for.
"""

import numpy as np
import pytest

import replication as rp
from replication.simulator.logs import synthetic as model
from replication.simulator.workload import WorkloadError

JOBS = 40_000


@pytest.fixture(scope="module")
def jobs():
    return model.synthetic(JOBS)


def test_sizes_are_two_stage_uniform(jobs):
    size = jobs.processors
    power = np.log2(size)
    assert (size == 1).mean() == pytest.approx(0.244, abs=0.01)
    parallel = power[size > 1]
    # By rounding, a few of the others are powers of two as well.
    assert np.isin(size[size > 1], 2 ** np.arange(1, 8)).mean() > 0.576 / (1 - 0.244)
    # middle = log2(128) - 2.5 = 4.5: below it lie 86 % of the parallel jobs.
    assert (parallel < 4.5).mean() == pytest.approx(0.86, abs=0.02)
    assert parallel.mean() == pytest.approx((0.86 * 0.8 + 4.5 + 0.14 * 7) / 2, abs=0.05)
    assert size.max() == 128


def test_run_times_are_hyper_gamma_and_grow_with_the_size(jobs):
    logs = np.log(np.maximum(jobs.run_time, 1))
    share = -0.0054 * jobs.processors + 0.78
    expected = share.mean() * 4.2 * 0.94 + (1 - share.mean()) * 312 * 0.03
    assert logs.mean() == pytest.approx(expected, abs=0.1)
    assert jobs.run_time.max() <= np.exp(12)
    large = jobs.processors >= 64
    assert logs[large].mean() > logs[~large].mean() + 0.5
    # Two modes: the short gamma's lies at exp((4.2 - 1) * 0.94) = 20 s, the long one's at exp(9.3)
    # = 3 h.
    share = {k: (np.abs(logs - k) < 0.5).mean() for k in (3, 6.5, 9.3, 11.5)}
    assert min(share[3], share[9.3]) > 1.3 * max(share[6.5], share[11.5])


def test_arrivals_have_the_daily_cycle(jobs):
    hours = np.bincount(jobs.submit // 3600 % 24, minlength=24) / JOBS * 24
    rate = model.cycle().reshape(24, 2).mean(axis=1)
    assert rate.mean() == pytest.approx(1)
    assert np.corrcoef(hours, rate)[0, 1] > 0.97
    # The mode of gamma(8.1737, 3.9631) is at 28.4 half hours: about two o'clock in the afternoon.
    assert 13 <= rate.argmax() <= 14
    assert rate.min() < 0.2 < 1.8 < rate.max()


def test_gaps_are_more_variable_than_exponential():
    submit = model.arrivals(20_000, 2e6, np.random.default_rng(1))
    gaps = np.diff(submit)
    assert gaps.std() > 1.3 * gaps.mean()
    assert submit[-1] - submit[0] == pytest.approx(2e6, rel=0.05)


@pytest.mark.parametrize("machine, load", [(100, 0.7), (1664, 0.9), (4, 0.5), (1, 0.5)])
def test_machine_and_load_are_met(machine, load):
    w = rp.synthetic(3000, machine, load, seed=2)
    assert (len(w), w.machine) == (3000, machine)
    assert w.load == pytest.approx(load, rel=0.01)
    assert w.stand_in and "(synthetic)" in repr(w)
    assert (w.estimate >= w.run_time).all()
    assert rp.simulate(w).validate()


def test_estimates_are_modal(jobs):
    _, counts = np.unique(jobs.estimate, return_counts=True)
    assert np.sort(counts)[-20:].sum() / JOBS == pytest.approx(0.89, abs=0.03)


def test_the_same_jobs_for_the_same_arguments():
    keys = [
        rp.synthetic(500, name=name, seed=seed).draw_key
        for name, seed in (("a", 1), ("b", 1), ("a", 2))
    ]
    assert keys[0] == keys[1] != keys[2]


def test_a_single_job_no_load_and_no_processors_are_refused():
    for options in ({"jobs": 1}, {"jobs": 10, "load": 0}, {"jobs": 10, "machine": 0}):
        with pytest.raises(WorkloadError, match="2 jobs or more, a load above 0|1 processor"):
            rp.synthetic(**options)
