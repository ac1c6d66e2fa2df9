"""Resampled workloads: the identity is the log itself, and each job is one of the log's."""

from functools import partial

import numpy as np
import pytest

import replication as rp
import resampling
from replication.simulator.workload import COLUMNS
from resampling import WEEK, resample_users, resample_weeks

DAY = 24 * 3600


def small(weeks=6, each=30):
    """Return a log of some weeks: one user throughout, one in each week,
    and jobs without a user.
    """
    rng = np.random.default_rng(3)
    submit = np.sort(rng.integers(0, weeks * WEEK, weeks * each)) + 1000
    submit[0] = 1000
    user = np.where(rng.random(len(submit)) < 0.5, 7, 10 + (submit - 1000) // WEEK)
    user[rng.random(len(submit)) < 0.1] = -1
    return rp.Workload.from_columns(
        "small",
        8,
        submit,
        rng.integers(1, 9000, len(submit)),
        rng.integers(1, 9, len(submit)),
        user=user,
    )


def same(one, other):
    return len(one) == len(other) and all(
        (getattr(one, name) == getattr(other, name)).all() for name in COLUMNS
    )


def whole(log):
    return int((log.submit[-1] - log.submit[0]) // WEEK) + 1


def test_all_weeks_in_their_order_are_the_log():
    log = small()
    assert same(resampling.concatenate_weeks(log, range(whole(log))), log)


def test_all_users_in_their_weeks_are_the_log():
    log = small()
    week = (log.submit - log.submit[0]) // WEEK
    parts = [
        (own, week[own], 0) for own in (np.flatnonzero(log.user == u) for u in np.unique(log.user))
    ]
    assert same(resampling.move_jobs(log, parts, whole(log)), log)


@pytest.mark.parametrize(
    "how",
    [resample_weeks, resample_users, partial(resample_users, stays=2)],
    ids=["weeks", "users", "stays"],
)
def test_each_job_is_one_of_the_log(how):
    log, drawn = small(), how(small(), 9, 4)
    assert (drawn.name, drawn.machine) == (log.name, log.machine)
    assert len(np.unique(drawn.job_id)) == len(drawn)
    assert drawn.submit[-1] - log.submit[0] < 9 * WEEK
    # Each job is one of the log's, at its second of the week.
    place = drawn.job_id % (log.job_id.max() + 1) - 1
    for column in ("run_time", "estimate", "processors", "group", "executable", "queue"):
        assert (getattr(drawn, column) == getattr(log, column)[place]).all()
    assert ((drawn.submit - log.submit[place]) % WEEK == 0).all()
    # About as many jobs a week as in the log.
    assert 0.5 < (len(drawn) / 9) / (len(log) / 6) < 1.6
    assert same(drawn, how(log, 9, 4)) and not same(drawn, how(log, 9, 5))


def test_weeks_are_whole_and_may_come_again():
    log = small()
    drawn = resample_weeks(log, 40, 1)
    place = drawn.job_id % (log.job_id.max() + 1) - 1
    came = (log.submit[place] - log.submit[0]) // WEEK
    at = (drawn.submit - log.submit[0]) // WEEK
    for week in range(40):
        one = np.unique(came[at == week])
        assert (
            len(one) == 1
            and (at == week).sum() == ((log.submit - log.submit[0]) // WEEK == one[0]).sum()
        )
    assert (drawn.user == log.user[place]).all()
    assert came.max() < whole(log) - 1 or (log.span % WEEK == 0), "a part of a week is not drawn"


def test_long_term_users_are_unique_and_others_have_copies():
    log = small()
    drawn = resample_users(log, 60, 1, stays=4)
    stride = log.user.max() + 1
    assert {7, -1} <= set(drawn.user)
    assert (drawn.user % stride == 7).sum() == (drawn.user == 7).sum() == 10 * (log.user == 7).sum()
    others = drawn.user[(drawn.user % stride >= 10)]
    assert others.max() >= stride, "someone like him is someone else"


def test_jobs_without_a_user_stay_without_one():
    log = rp.Workload.from_columns("log", 4, [0, 10, 20], [1] * 3, [1] * 3, user=[-1, -1, 9])
    first, last = np.array([0, 1]), np.array([2])
    moved = resampling.move_jobs(log, [(first, 0, 0), (first, 1, 1), (last, 0, 0), (last, 2, 1)], 3)
    assert moved.user.tolist() == [-1, -1, 9, -1, -1, 19]
