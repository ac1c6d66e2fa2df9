"""Confidence intervals over the weeks of a log: how far would a result change in other weeks?

Neighbouring jobs are alike, and a queue remembers more than a week. A log is therefore divided into
blocks of eight weeks, and a result is computed again without each block (jackknife). Most weeks are
quiet, and few bad ones decide a mean, so a log contains less information than its number of blocks
suggests: the degrees of freedom of Student's t follow from the kurtosis of the blocks'
contributions. The study ``intervals`` has the coverage.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

WEEK = 7 * 24 * 3600
LEVEL = 0.95
# Eight weeks make a block, or fewer, so that a log has at least so many blocks if it has so many
# weeks.
BLOCK, BLOCKS = 8, 6
FEWEST = 3  # blocks; fewer say nothing about their spread
#: Factors on the degrees of freedom: for means over jobs, and for means weighted by areas and
#: waits, in which a few jobs decide.
PLAIN, PRIORITY = 1.0, 0.5


def blocks(submit: np.ndarray) -> np.ndarray:
    """Return the block of weeks of each job, int64[n], from 0.

    The weeks with jobs are divided into blocks as equal as whole weeks allow.

    Parameters
    ----------
    submit : int64[n], s
        In order.
    """
    _, week = np.unique((submit - submit[0]) // WEEK, return_inverse=True)
    weeks = int(week[-1]) + 1
    count = max(weeks // BLOCK, min(weeks, BLOCKS))
    return week * count // weeks


def sums_without(columns: np.ndarray, submit: np.ndarray) -> np.ndarray:
    """Return sums over the jobs of a log: of all jobs, then of those outside each block of weeks.

    Parameters
    ----------
    columns : float64[n, c]
        A row for each job in order of submission.
    submit : int64[n], s

    Returns
    -------
    float64[1 + blocks, c]
    """
    block = blocks(submit)
    sums = np.column_stack([np.bincount(block, column) for column in np.transpose(columns)])
    whole = sums.sum(axis=0)
    # Added up anew, not subtracted: a sum that one block alone makes is exactly 0 without it.
    without = [np.delete(sums, k, axis=0).sum(axis=0) for k in range(len(sums))]
    return np.vstack([whole, *without])


def ratio(sums: np.ndarray, top: int, bottom: int) -> np.ndarray:
    """Return the quotient of two columns of sums, nan where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, bottom] > 0, sums[:, top] / sums[:, bottom], np.nan)


def schedules_without(schedule: Any) -> Iterator[Any]:
    """Yield a schedule without the jobs of each block of weeks; later jobs move up by its length.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    """
    jobs, block = schedule.workload, blocks(schedule.workload.submit)
    firsts = [*jobs.submit[np.unique(block, return_index=True)[1]], jobs.submit[-1]]
    for k in range(len(firsts) - 1):
        kept = block != k
        earlier = np.where(block > k, firsts[k + 1] - firsts[k], 0)
        job, start, end = schedule.killed_runs.T
        killed = np.column_stack(
            [np.cumsum(kept)[job] - 1, start - earlier[job], end - earlier[job]]
        )
        columns = {
            name: column[kept]
            for name, column in vars(schedule).items()
            if isinstance(column, np.ndarray) and name != "killed_runs"
        }
        columns["start"] = (schedule.start - earlier)[kept]
        moved = jobs.take(kept).replace(submit=(jobs.submit - earlier)[kept])
        yield replace(schedule, workload=moved, killed_runs=killed[kept[job]], **columns)


def pseudo_values(values: np.ndarray) -> np.ndarray:
    """Return the jackknife's pseudo-value of each block, float64[n],
    from a result and the results without each block.
    """
    n = len(values) - 1
    return n * values[0] - (n - 1) * values[1:]


def interval(
    values: np.ndarray, factor: float = PLAIN, log: bool = False, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return a result and the ends of its confidence interval over the weeks of a log.

    The interval is that of Student's t around the mean of the pseudo-values. For n blocks its
    degrees of freedom are ``factor * n / (kurtosis - 1)``, between 1.2 and half of n - 1.

    Parameters
    ----------
    values : float64[1 + n]
        The result of the whole log, then without each block, computed from `sums_without`.
    factor : float
        On the degrees of freedom: `PLAIN`, or `PRIORITY` for AP0WAF and AP1WAF.
    log : bool
        Compute the interval of the logarithm. For quotients and other values above 0.
    level : float

    Returns
    -------
    tuple of float
        The ends are nan for fewer than three blocks, and where a result without a block is
        undefined.
    """
    result = float(values[0])
    middle, error, freedom = _student(values, factor, log)
    half = 0.0
    if error > 0:
        from scipy import stats  # takes half a second, and only intervals need it

        half = stats.t.ppf((1 + level) / 2, freedom) * error
    ends = np.array([middle - half, middle + half])
    low, high = np.exp(ends) if log else ends
    return result, float(low), float(high)


def p_value(values: np.ndarray, null: float, factor: float = PLAIN, log: bool = False) -> float:
    """Return the two-sided probability of a result as far from `null` as this one, by the Student's
    t of `interval`: the interval of level 1 - p ends at `null`.

    nan where there is no interval; arguments as for `interval`.
    """
    from scipy import stats

    middle, error, freedom = _student(values, factor, log)
    distance = abs(middle - (np.log(null) if log else null))
    if not error > 0:
        return float("nan") if np.isnan(error) else float(distance == 0)
    return float(2 * stats.t.sf(distance / error, freedom))


def _student(values, factor, log):
    """Return the mean of the pseudo-values, its standard error and the degrees of freedom; nan for
    fewer than `FEWEST` blocks, and where a result without a block is undefined.
    """
    n = len(values) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(values) if log else np.asarray(values, float)
    if n < FEWEST or not np.isfinite(values).all():
        return (np.nan,) * 3
    pseudo = pseudo_values(values)
    middle, spread = pseudo.mean(), pseudo.std()
    if spread == 0:
        return middle, 0.0, np.nan
    kurtosis = (((pseudo - middle) / spread) ** 4).mean()
    most = (n - 1) / 2
    # Two equally frequent values have a kurtosis of 1, the least there is.
    wanted = factor * n / (kurtosis - 1) if kurtosis > 1 else most
    return middle, pseudo.std(ddof=1) / np.sqrt(n), min(max(wanted, 1.2), most)


def table(values: Mapping, columns: list, **how: Any) -> pd.DataFrame:
    """Return a table with a row for each quantity: its key and its `interval`,
    which takes the further arguments.
    """
    rows = [[*key, *interval(replicates, **how)] for key, replicates in values.items()]
    return pd.DataFrame(rows, columns=columns)
