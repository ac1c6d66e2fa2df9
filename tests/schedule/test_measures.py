"""Measures against values computed by hand."""

import numpy as np
import pytest

from replication.simulator import measures
from replication.simulator.simulation import simulate
from tests.workloads import jobs

WAIT = np.array([0, 30, 100, 5])
RUN = np.array([20, 10, 4, 0])
SIZE = np.array([1, 2, 4, 1])


def test_bounded_slowdown():
    # (0 + 20) / 20, (30 + 10) / 10, (100 + 4) / 10, and (5 + 0) / 10 raised to 1.
    assert measures.bounded_slowdown(WAIT, RUN).tolist() == [1.0, 4.0, 10.4, 1.0]


def test_bounded_slowdown_as_pv_easy_writes_it():
    # (0 + 20) / 20, (30 + 10) / 10, (100 + 10) / 10, (5 + 10) / 10.
    assert measures.pv_bounded_slowdown(WAIT, RUN).tolist() == [1.0, 4.0, 11.0, 1.5]
    assert measures.mbs(WAIT, RUN) == (1 + 4 + 11 + 1.5) / 4
    assert measures.mwbs(WAIT, RUN, SIZE) == (1 + 8 + 44 + 1.5) / 8


def test_load():
    # 20 + 20 + 16 + 0 processor seconds on 4 processors for 28 s.
    assert measures.load(RUN, SIZE, 4, 28) == 0.5
    assert np.isnan(measures.load(RUN, SIZE, 4, 0))


def test_the_measures_of_a_schedule():
    # Job 2 waits for job 1 until 10, job 3 passes it at 2, job 4 waits until 30.
    schedule = simulate(jobs(4, (0, 10, 3), (1, 20, 4), (2, 8, 1), (40, 10, 4)))
    found = schedule.measured(trim=False)
    assert schedule.wait.tolist() == [0, 9, 0, 0]
    assert found["jobs"] == 4
    assert found["mean_wait"] == 9 / 4
    assert found["mean_bounded_slowdown"] == pytest.approx((1 + 29 / 20 + 1 + 1) / 4)
    assert found["mwbs"] == pytest.approx((3 + 4 * 29 / 20 + 1 + 4) / 12)
    assert found["backfilled"] == 1 / 4
    work = 30 + 80 + 8 + 40
    assert found["load"] == work / (4 * 40)
    assert found["total_load"] == work / (4 * 50)
    assert found.keys() == measures.NAMES.keys()


def test_trimming_leaves_out_what_ends_after_the_last_arrival():
    schedule = simulate(jobs(4, (0, 10, 3), (1, 20, 4), (2, 8, 1), (30, 10, 4)))
    found = schedule.measures
    assert found["jobs"] == 3
    assert found["mean_wait"] == 3


def test_a_mean_over_no_jobs_is_missing_not_zero():
    found = simulate(jobs(4, (0, 10, 3))).measures
    assert found["jobs"] == 0
    assert np.isnan(found["mean_wait"])
