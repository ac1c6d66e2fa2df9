"""Resampled weeks of a log, and their intervals."""

import numpy as np
import pytest

from replication.verdicts import resampling
from tests.workloads import jobs

N = 4000
# A week holds 20 jobs, so stretches are short beside the log.
WORKLOAD = jobs(4, *[(k * resampling.WEEK // 20, 1, 1) for k in range(N)])
VALUES = np.random.default_rng(1).normal(10, 2, N)
COLUMNS = np.column_stack([VALUES, np.ones(N)])


def drawn(columns, jobs=WORKLOAD):
    return resampling.weeks(columns, jobs.submit, "made")


def test_the_interval_is_the_spread_of_independent_jobs():
    sums = drawn(COLUMNS)
    value, low, high = resampling.interval(resampling.ratio(sums, 0, 1))
    assert value == pytest.approx(VALUES.mean()) and low < value < high
    assert high - low == pytest.approx(2 * 1.96 * 2 / N**0.5, rel=0.15)
    assert (sums == drawn(COLUMNS)).all()


def test_columns_keep_together():
    alone, beside = drawn(COLUMNS[:, :1]), drawn(np.hstack([COLUMNS, 2 * COLUMNS]))
    assert alone[:, 0] == pytest.approx(beside[:, 0], rel=1e-12)
    assert resampling.ratio(beside, 2, 0) == pytest.approx(2)


def test_weeks_are_drawn_in_blocks():
    """24 weeks make 12 blocks of two, over which a sum that changes its sign every week is 0."""
    week = np.arange(24)
    sums = resampling.weeks((-1.0) ** week[:, None], week * resampling.WEEK, "made")
    assert (sums == 0).all()


def test_draws_of_few_blocks_are_widened():
    assert resampling.widening(12) == pytest.approx(2.201 / 1.960 * (12 / 11) ** 0.5, rel=1e-3)
    assert resampling.widening(1000) == pytest.approx(1, rel=2e-3)
    two = resampling.weeks(np.array([[1.0], [2.0]]), np.array([0, resampling.WEEK]), "made")
    assert two[0, 0] == 3 and np.isnan(resampling.interval(two[:, 0])[1:]).all()


def test_a_week_without_jobs_does_not_count():
    late = WORKLOAD.submit + 50 * resampling.WEEK * (np.arange(N) >= N // 2)
    drawn = resampling.weeks(COLUMNS, late, "made")
    assert len(drawn) == 1 + resampling.DRAWS
    assert drawn[0].tolist() == pytest.approx([VALUES.sum(), N])
    assert drawn[:, 1].min() > 0.9 * N


def test_an_interval_of_a_higher_level_is_wider():
    means = resampling.ratio(drawn(COLUMNS), 0, 1)
    (_, low, high), (_, lower, higher) = (
        resampling.interval(means),
        resampling.interval(means, 0.99),
    )
    assert lower < low < high < higher


def test_an_interval_of_mostly_missing_values_is_missing():
    value, low, high = resampling.interval(np.array([3.0, 1.0, np.nan, np.nan]))
    assert value == 3 and np.isnan([low, high]).all()
    assert np.isnan(resampling.ratio(np.array([[1.0, 0.0]]), 0, 1))[0]
