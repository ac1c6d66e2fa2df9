"""Resample workloads from the weeks or the users of a log, for any number of weeks.

Jobs move by whole weeks, which preserves the daily and weekly cycles, and keep their run times,
estimates and sizes. A job that is drawn several times becomes several jobs with numbers of their
own.
"""

import numpy as np
import pandas as pd

from replication import Workload
from replication.simulator.workload import generator

WEEK = 7 * 24 * 3600
LONG_TERM = 12  # weeks
LARGEST = 2**62  # of the numbers of jobs and users


class ResamplingError(ValueError):
    """A workload without jobs."""


def resample_weeks(workload, weeks, seed, jobs=None) -> Workload:
    """Return weeks of a log drawn with replacement, one after the other.

    Parameters
    ----------
    workload : Workload
    weeks : int
        Number of weeks to draw, from the whole weeks of the log, or from a log shorter than a week.
    seed : int
        The draw depends on it, the workload's `draw_key` and length, and the number of weeks alone.
    jobs : int, optional
        The largest number of jobs in the workload; the first jobs are taken.

    Returns
    -------
    Workload

    Raises
    ------
    ResamplingError
        If no job is drawn.
    """
    whole = max(workload.span // WEEK, 1)
    random = generator(workload.draw_key, len(workload), "weeks drawn anew", weeks, int(seed))
    sample = concatenate_weeks(workload, random.integers(0, whole, weeks))
    return sample if jobs is None else sample.take(slice(jobs))


def resample_users(workload, weeks, seed, stays=LONG_TERM) -> Workload:
    """Return a workload of users of the log, resampled after Zakay and Feitelson (2014).

    The paper is *Workload resampling for performance evaluation of parallel job schedulers*. As
    there, the log is split into the jobs of its users. The users are combined again independently
    of each other, and all move by whole weeks. Long-term users are present throughout: they begin
    in a random week of the log, and start again when the log has ended. Temporary users are drawn
    with replacement, as many as the log has in the same time, and each begins in a random week.

    There are three differences. Weeks without jobs stay in the sequence of a long-term user, so the
    mean load is that of the log and needs no correction. Jobs of temporary users that reach past
    the end continue in the first weeks, so that these are as busy as the others. All jobs without a
    user count as jobs of one user.

    Parameters
    ----------
    workload : Workload
    weeks : int
        Number of weeks of the workload.
    seed : int
        The draw depends on it, the workload's `draw_key` and length, `weeks` and `stays` alone.
    stays : int
        The least number of weeks from the first to the last submission of a long-term user.

    Returns
    -------
    Workload

    Raises
    ------
    ResamplingError
        If no job is drawn.
    """
    random = generator(
        workload.draw_key, len(workload), "users drawn anew", weeks, stays, int(seed)
    )
    week = (workload.submit - workload.submit[0]) // WEEK
    length = int(week[-1]) + 1
    _, counts = np.unique(workload.user, return_counts=True)
    jobs = np.split(np.argsort(workload.user, kind="stable"), np.cumsum(counts)[:-1])
    seen = np.array([week[own[-1]] - week[own[0]] + 1 for own in jobs])
    parts = []
    for own in (jobs[k] for k in np.flatnonzero(seen >= stays)):
        turned = (week[own] - random.integers(length)) % length
        parts += [(own, turned + again * length, 0) for again in range(-(-weeks // length))]
    passing = np.flatnonzero(seen < stays)
    if len(passing):
        count = round(len(passing) * weeks / length)
        picked = random.integers(0, len(passing), count)
        copies = copy_numbers(picked)
        come = random.integers(0, weeks, count)
        for k, copy, at in zip(passing[picked], copies, come, strict=True):
            parts.append((jobs[k], (week[jobs[k]] - week[jobs[k][0]] + at) % weeks, copy))
    return move_jobs(workload, parts, weeks)


def concatenate_weeks(workload, weeks) -> Workload:
    """Return a workload of some weeks of a log.

    All weeks in their order make the log itself. Its last week may be incomplete.

    Parameters
    ----------
    workload : Workload
    weeks : sequence of int
        Numbers of weeks since the first submission, from 0.

    Returns
    -------
    Workload
    """
    week = (workload.submit - workload.submit[0]) // WEEK
    first = np.searchsorted(week, np.arange(week[-1] + 2))
    parts = [(np.arange(first[k], first[k + 1]), place, 0) for place, k in enumerate(weeks)]
    return move_jobs(workload, parts, len(parts))


def move_jobs(workload, parts, weeks) -> Workload:
    """Return jobs of a log moved to other weeks, in order of submission;
    equal submissions are in the log's order.

    Parameters
    ----------
    workload : Workload
    parts : list of tuple
        Each with some jobs by their places in the log, int64[k], the week of each, and the number
        of the copy: 0 for the original user, above 0 for a synthetic user.
    weeks : int
        Jobs in this week and later ones are left out.

    Returns
    -------
    Workload

    Raises
    ------
    ResamplingError
        If no job remains.
    """
    full = [np.broadcast_arrays(*part) for part in parts] or [np.empty((3, 0))]
    jobs, week, copy = np.concatenate(full, axis=1).astype(np.int64)
    jobs, week, copy = np.stack([jobs, week, copy])[:, week < weeks]
    if len(jobs) == 0:
        raise ResamplingError(
            f"{workload.name}: no jobs in the weeks drawn, allowed: a log with jobs in most weeks, "
            "or more weeks"
        )
    since = workload.submit[jobs] - workload.submit[0]
    submit = workload.submit[0] + week * WEEK + since % WEEK
    order = np.lexsort((jobs, submit))
    jobs, copy = jobs[order], copy[order]
    columns = workload.columns(jobs)
    columns["submit"] = submit[order]
    columns["job_id"] = _apart(workload.job_id, jobs, copy_numbers(jobs))
    columns["user"] = _apart(workload.user, jobs, copy)
    return workload.replace(**columns)


def _apart(numbers, jobs, copy):
    """Return the numbers of some jobs, other ones for each copy; ranks if these are too large."""
    step, known = int(numbers.max()) + 1, numbers >= 0
    if step * (int(copy.max()) + 1) > LARGEST:
        ranks = np.unique(numbers[known], return_inverse=True)[1]
        numbers, step = numbers.copy(), len(ranks)
        numbers[known] = ranks
    return numbers[jobs] + np.where(known[jobs], copy * step, 0)


def copy_numbers(drawn) -> np.ndarray:
    """Return the number of earlier occurrences of each value, int64[n]."""
    drawn = pd.Series(drawn, dtype=np.int64)
    return drawn.groupby(drawn).cumcount().to_numpy(np.int64)
