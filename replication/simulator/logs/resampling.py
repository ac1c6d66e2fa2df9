"""Resample workloads from the weeks or the users of a log, for any number of weeks.

Jobs move by whole weeks, which preserves the daily and weekly cycles, and keep their run times,
estimates and sizes. A job that is drawn several times becomes several jobs with numbers of their
own. The draw depends on the workload's `draw_key`, its length, the resampling's own values and the
seed alone.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from replication.simulator.choices import Choice, ChoiceError, Number, option
from replication.simulator.workload import LARGEST, Workload, check_seed, generator

WEEK = 7 * 24 * 3600
MOST = 100_000  # weeks
LONG_TERM = 12


class ResamplingError(ChoiceError):
    """A resampling or a value that is not allowed; the message lists the allowed ones."""


class Resampling(Choice, family="resampling"):
    """The base class of the resamplings, which make a workload from another one and a seed.

    A resampling is a frozen dataclass with a method `sample`. Run times, estimates and sizes of
    jobs stay.
    """

    error = ResamplingError

    def make(self, workload: Workload, seed: int) -> Workload:
        """Return a workload resampled from another.

        Parameters
        ----------
        workload : Workload
        seed : int
            The draw depends on it, the workload's `draw_key` and length, and the resampling's own
            values alone.

        Returns
        -------
        Workload
            A workload of the same name and machine; its provenance has the resampling and the seed.

        Raises
        ------
        ResamplingError, WorkloadError
            If no job is drawn, and for another seed than a whole number from 0.
        """
        seed = check_seed(seed)
        sample = self.sample(workload, seed)
        how = {"resampling": repr(self), "seed": seed}
        return sample.replace(provenance=workload.provenance | how)

    def sample(self, workload, seed) -> Workload:
        """Return the workload of `make` without its provenance."""
        raise NotImplementedError(f"{type(self).__name__} has no method sample(workload, seed)")


def _weeks():
    return option(
        allowed=Number(1, MOST, whole=True), about="number of weeks of the workload", sign="="
    )


@dataclass(frozen=True)
class ResampledWeeks(Resampling, name="weeks"):
    """Weeks of the log drawn with replacement, one after the other.

    Parameters
    ----------
    weeks : int
        Number of weeks to draw, from the whole weeks of the log, or from a log shorter than a week.
    jobs : int, optional
        The largest number of jobs in the workload; the first jobs are taken.
    """

    weeks: int = _weeks()
    jobs: int | None = option(
        None, Number(1, whole=True, or_none=True), "at most so many jobs, the first"
    )

    def sample(self, workload, seed) -> Workload:
        """Return the resampled workload, see `Resampling.make`."""
        whole = max(workload.span // WEEK, 1)
        random = generator(
            workload.draw_key, len(workload), "weeks drawn anew", self.weeks, int(seed)
        )
        sample = concatenate_weeks(workload, random.integers(0, whole, self.weeks))
        return sample if self.jobs is None else sample.take(slice(self.jobs))


@dataclass(frozen=True)
class ResampledUsers(Resampling, name="users"):
    """Users of the log, resampled after Zakay and Feitelson (2014).

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
    weeks : int
        Number of weeks of the workload.
    stays : int
        The least number of weeks from the first to the last submission of a long-term user.
    """

    weeks: int = _weeks()
    stays: int = option(
        LONG_TERM, Number(1, MOST, whole=True), "users with so many weeks are long-term users"
    )

    def sample(self, workload, seed) -> Workload:
        """Return the resampled workload, see `Resampling.make`."""
        random = generator(
            workload.draw_key, len(workload), "users drawn anew", self.weeks, self.stays, int(seed)
        )
        week = (workload.submit - workload.submit[0]) // WEEK
        length = int(week[-1]) + 1
        _, counts = np.unique(workload.user, return_counts=True)
        jobs = np.split(np.argsort(workload.user, kind="stable"), np.cumsum(counts)[:-1])
        seen = np.array([week[own[-1]] - week[own[0]] + 1 for own in jobs])
        parts = []
        for own in (jobs[k] for k in np.flatnonzero(seen >= self.stays)):
            turned = (week[own] - random.integers(length)) % length
            parts += [
                (own, turned + again * length, 0) for again in range(-(-self.weeks // length))
            ]
        passing = np.flatnonzero(seen < self.stays)
        if len(passing):
            count = round(len(passing) * self.weeks / length)
            picked = random.integers(0, len(passing), count)
            copies = copy_numbers(picked)
            come = random.integers(0, self.weeks, count)
            for k, copy, at in zip(passing[picked], copies, come, strict=True):
                parts.append((jobs[k], (week[jobs[k]] - week[jobs[k][0]] + at) % self.weeks, copy))
        return move_jobs(workload, parts, self.weeks)


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
    return replace(workload, **columns)


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
