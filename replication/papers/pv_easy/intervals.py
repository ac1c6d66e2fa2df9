"""Intervals for means over the jobs of one run: moving blocks, because neighbouring jobs are alike."""

import numpy as np

from replication.basics.seeding import generator

DRAWS = 1000
WEEK = 7 * 24 * 3600


def resample(columns, workload, seed, draws=DRAWS):
    """Sums of columns over resampled blocks of consecutive jobs.

    Parameters
    ----------
    columns : float64[n, c]
        One row a job, in order of submission; columns keep together, so that differences are paired.
    workload : replication.logs.workload.Workload
    seed : int
    draws : int

    Returns
    -------
    float64[draws, c]
        A block holds as many jobs as a week does on average, and there are as many blocks as cover all jobs.
    """
    n = len(columns)
    block = int(min(max(round(n * WEEK / max(workload.span, 1)), 1), n))
    total = np.vstack([np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)])
    sums = total[block:] - total[:-block]
    first = generator(workload.name, n, "blocks", int(seed)).integers(
        0, len(sums), (draws, -(-n // block))
    )
    return np.array([sums[row].sum(axis=0) for row in first])


def between(values, level=0.95):
    """The middle `level` of resampled values, as (low, high); nan where a value is missing in most draws."""
    kept = values[np.isfinite(values)]
    if len(kept) < len(values) / 2:
        return float("nan"), float("nan")
    return tuple(float(v) for v in np.quantile(kept, [(1 - level) / 2, (1 + level) / 2]))


def ratio(sums, top, bottom):
    """Quotient of two columns of sums, nan where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, bottom] > 0, sums[:, top] / sums[:, bottom], np.nan)
