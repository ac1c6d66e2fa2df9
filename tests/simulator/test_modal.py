"""The modal model of estimates: its distribution, and the assignment to jobs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.estimates import EstimateError, Modal, modal
from replication.simulator.kernels.supply import deal
from replication.simulator.workload import Workload, generator

HOUR = 3600


def short_jobs(n, longest=600, seed=1):
    run_time = np.random.default_rng(seed).integers(0, longest + 1, n)
    return Workload.from_columns(
        "short", 4, submit=np.arange(n), run_time=run_time, processors=np.ones(n, int)
    )


def shares(n=100_000):
    times, jobs = modal.modes(n, 18 * HOUR, None, generator("test", 1))
    return dict(zip(times.tolist(), (jobs / n).tolist(), strict=True))


@pytest.mark.parametrize("e_max_known", [False, True])
def test_ranks_are_unique_and_never_earlier_than_in_the_logs(e_max_known):
    earliest = {
        rank: min(t for t, row in enumerate(modal.RANKS) if rank in row) for rank in range(1, 21)
    }
    for seed in range(300):
        ranks = modal.ranks(e_max_known, generator("ranks", seed))
        assert sorted(ranks) == list(range(1, 21))
        assert all(place >= earliest[rank] for place, rank in enumerate(ranks) if rank != 1)
        assert e_max_known or ranks[0] == 1


def test_head_times_of_18_hours():
    """E_max, then the round values below it, then 20 by multiples of 5 h, 2 h."""
    minutes = [5, 10, 15, 20, 30, *(60 * h for h in (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 15, 16))]
    times = modal.head_times(18 * HOUR)
    assert times[0] == max(times) == 18 * HOUR
    assert len(set(times)) == modal.HEAD and times[1:] == sorted(times[1:])
    assert {60 * m for m in minutes} <= set(times)


def test_20_values_cover_89_per_cent_and_e_max_is_the_most_popular():
    share = shares()
    popular = sorted(share.values(), reverse=True)
    assert sum(popular[:20]) == pytest.approx(0.89, abs=0.001)
    assert max(share, key=share.get) == 18 * HOUR
    rest = sum(14.0491 * np.exp(-0.177531 * x) + 0.462513 for x in range(2, 21)) / 100
    assert share[18 * HOUR] == pytest.approx(0.89 - rest, abs=1e-4)


@pytest.mark.parametrize(
    ("n", "expected"), [(70_000, 340), (40_000, 215), (250_000, 565), (10**6, 565)]
)
def test_the_number_of_distinct_values(n, expected):
    """Collisions may drop a few of the tail; nothing is added."""
    assert expected - 15 <= len(shares(n)) <= expected


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5000), st.sampled_from([1, 4, 18, 36]), st.floats(0, 1), st.integers(0, 99))
def test_jobs_add_up_and_have_the_known_share(n, hours, share, seed):
    times, jobs = modal.modes(n, hours * HOUR, share, generator(seed))
    assert jobs.sum() == n
    assert (np.diff(times) > 0).all()
    assert times.min() > 0 and times.max() <= hours * HOUR
    assert jobs[times == hours * HOUR].sum() == round(share * n)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30),
    st.integers(0, 99),
)
def test_dealing_is_a_matching_if_there_is_one(pairs, seed):
    run_time = np.sort(np.array([r for r, _ in pairs]))[::-1].copy()
    supply = np.sort(np.array([e for _, e in pairs]))[::-1].copy()
    dealt = np.full(len(pairs), -1)
    stuck = deal(run_time, supply.copy(), generator(seed).random(len(pairs)), dealt)
    possible = (supply >= run_time).all()
    assert (stuck == -1) == possible
    if possible:
        assert (dealt >= run_time).all()
        assert sorted(dealt.tolist()) == sorted(supply.tolist())
    else:
        assert supply[stuck] < run_time[stuck]


def test_a_job_draws_evenly_among_what_is_long_enough():
    counts = np.zeros(3)
    for seed in range(3000):
        dealt = np.empty(3, np.int64)
        deal(np.array([5, 1, 1]), np.array([9, 7, 6]), generator(seed).random(3), dealt)
        counts[[9, 7, 6].index(dealt[0])] += 1
    assert counts == pytest.approx(1000, abs=110)  # four standard deviations


def test_estimates_depend_on_their_key_alone_and_cover_the_run_times():
    workload = short_jobs(5000)
    model = Modal(4 * HOUR, 0.3)
    estimate, again, other_seed = (model.estimate(workload, seed) for seed in (5, 5, 6))
    assert np.array_equal(estimate, again) and not np.array_equal(estimate, other_seed)
    assert (estimate >= workload.run_time).all()
    assert (estimate == 4 * HOUR).mean() == pytest.approx(0.3)
    assert Modal(HOUR) == Modal(3600.0, share=None)


def test_runs_are_cut_to_the_longest_estimate():
    workload = short_jobs(2000)
    run_time = np.where(workload.run_time == 600, 5000, workload.run_time)
    workload = workload.replace(run_time=run_time)
    cut, estimate = Modal(HOUR, 0.5).make(workload, 2)
    assert cut.run_time.max() == HOUR
    assert np.array_equal(estimate, Modal(HOUR, 0.5).estimate(cut, 2))


def test_covers_agrees_with_the_estimates():
    long = short_jobs(1000).replace(run_time=np.where(np.arange(1000) < 300, HOUR, 1))
    for share in (0.1, 0.29, 0.3, 0.5):
        model = Modal(HOUR, share)
        if model.covers(long):
            assert (model.estimate(long, 1) >= long.run_time).all()
        else:
            assert share < 0.3
            with pytest.raises(EstimateError, match="raise E_max"):
                model.estimate(long, 1)


def test_impossible_models_and_jobs_are_refused():
    with pytest.raises(EstimateError, match="see estimates.cut_runs"):
        Modal(HOUR).estimate(short_jobs(50, longest=9000), 1)
    with pytest.raises(EstimateError, match="e_max=600.*a whole number from 3600"):
        Modal(600)
    with pytest.raises(EstimateError, match="share=1.5.*a number from 0 to 1"):
        Modal(HOUR, 1.5)
