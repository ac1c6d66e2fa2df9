"""Confidence intervals over the weeks of a log."""

import numpy as np
import pytest
from scipy import stats

import replication as rp
from replication.simulator.schedules import intervals
from tests.workloads import random_jobs

WEEK = intervals.WEEK
NAN = float("nan")


def with_means_without(means):
    """Return the mean of the means of blocks, and the means without each block."""
    return np.array([means.mean(), *(np.delete(means, k).mean() for k in range(len(means)))])


def submits(weeks):
    """Return ten submissions in each of some weeks."""
    return (np.arange(10 * weeks) * WEEK) // 10


@pytest.mark.parametrize(
    ("weeks", "number"), [(1, 1), (2, 2), (5, 5), (20, 6), (52, 6), (56, 7), (104, 13)]
)
def test_blocks_have_eight_weeks_or_as_many_as_six_blocks_allow(weeks, number):
    counts = np.bincount(intervals.blocks(submits(weeks)))
    assert len(counts) == number
    assert counts.max() - counts.min() <= 10 and counts.sum() == 10 * weeks


def test_a_week_without_jobs_does_not_count():
    submit = submits(48)
    late = submit + 50 * WEEK * (np.arange(480) >= 240)
    assert (intervals.blocks(late) == intervals.blocks(submit)).all()


def test_sums_without_a_block_are_those_of_the_other_jobs():
    columns = np.random.default_rng(1).normal(size=(480, 2))
    block = intervals.blocks(submits(48))
    sums = intervals.sums_without(columns, submits(48))
    assert sums[0] == pytest.approx(columns.sum(axis=0))
    for k in range(6):
        assert sums[1 + k] == pytest.approx(columns[block != k].sum(axis=0))


def test_what_one_block_alone_contains_is_zero_without_it():
    """0.1 + 0.2 - 0.3 is no zero; a quotient over these jobs has no interval."""
    columns = np.zeros((480, 1))
    columns[100:103, 0] = 0.1, 0.2, 0.3
    assert (intervals.sums_without(columns, submits(48)) == 0).sum() == 1


def test_the_interval_of_a_mean_is_that_of_its_blocks():
    """The pseudo-values of a mean over equal blocks are the means of the blocks."""
    means = np.array([3.0, 5.0, 4.0, 8.0, 5.0, 5.0])
    values = with_means_without(means)
    # By hand: the squares of the deviations sum up to 14, the fourth powers to 98, so that the
    # kurtosis is 3.
    assert intervals.pseudo_values(values) == pytest.approx(means)
    kurtosis = 6 * 98 / 14**2
    freedom = min(max(6 / (kurtosis - 1), 1.2), 2.5)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(14 / 5 / 6)
    assert kurtosis == 3 and freedom == 2.5
    assert intervals.interval(values) == pytest.approx((5, 5 - half, 5 + half))
    assert intervals.p_value(values, 5 + half) == pytest.approx(0.05)
    assert intervals.p_value(values, 5.0) == pytest.approx(1)


def test_one_bad_block_and_priority_measures_widen_the_interval():
    def width(means, **how):
        _, low, high = intervals.interval(with_means_without(means), **how)
        return (high - low) / np.std(means)

    even, odd = np.tile([1.0, 3.0], 10), np.array([1.0] * 17 + [4.0] * 3)
    assert width(even) < width(odd) < width(odd, factor=intervals.PRIORITY)
    assert width(odd, level=0.9) < width(odd) < width(odd, level=0.99)


def test_the_interval_of_a_logarithm_lies_above_zero():
    values = np.array([10.0, 2.0, 11.0, 11.0, 11.0, 11.0, 11.0])
    value, low, high = intervals.interval(values, log=True)
    assert value == 10 and 0 < low < high
    assert intervals.interval(values)[1] < 0


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 1.0, 2.0],  # two blocks
        [1.0, 2.0, NAN, 1.0, 1.0, 1.0, 1.0],  # undefined without the second block
        [NAN, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        [1.0, np.inf, 1.0, 1.0, 1.0],
    ],
)
def test_a_result_that_some_blocks_decide_alone_has_no_interval(values):
    assert np.isnan(intervals.interval(np.array(values))[1:]).all()
    assert np.isnan(intervals.p_value(np.array(values), 1.0))


def test_a_logarithm_of_zero_has_no_interval():
    assert np.isnan(intervals.interval(np.zeros(7), log=True)[1:]).all()


def test_equal_results_have_an_interval_of_width_zero():
    assert intervals.interval(np.full(7, 2.0)) == (2, 2, 2)
    assert intervals.interval(np.full(7, 2.0), log=True) == pytest.approx((2, 2, 2))


def test_intervals_of_independent_blocks_cover():
    """Means of 13 normal blocks, and of 13 blocks of a skewed distribution."""
    random = np.random.default_rng(3)
    for means in (random.normal(size=(500, 13)), random.exponential(size=(500, 13)) - 1):
        results = (intervals.interval(with_means_without(row)) for row in means)
        assert np.mean([low <= 0 <= high for _, low, high in results]) > 0.93


def test_schedules_without_a_block_close_the_gap():
    log = random_jobs(600, 8, 26 * WEEK, 80_000, 1)
    run = rp.simulate(log, rp.PVEasy())
    assert len(run.killed_runs)
    block, kills = intervals.blocks(log.submit), 0
    for k, part in enumerate(intervals.schedules_without(run)):
        kept = block != k
        for column in ("wait", "backfilled"):
            assert (getattr(part, column) == getattr(run, column)[kept]).all()
        assert (np.diff(part.workload.submit) >= 0).all()
        assert part.workload.span <= log.span - 3 * WEEK or k in (0, 5)
        counts = np.bincount(part.killed_runs[:, 0], minlength=kept.sum())
        assert (counts == run.times_killed[kept]).all()
        kills += len(part.killed_runs)
    assert kills == 5 * len(run.killed_runs)
