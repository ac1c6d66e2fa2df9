"""Intervals of a number over the jobs of one log, by resampling the log with replacement.

Neighbouring jobs are alike, so weeks or moving blocks of jobs are drawn, not single jobs. Results over several seeds have
their runs drawn. The columns of a table are drawn together, so that differences are paired. Sums are added up piece by
piece: the order of the sums in a matrix product depends on the processor.
"""

import numpy as np
import pandas as pd

from replication.simulator.workload import generator

WEEK = 7 * 24 * 3600
DRAWS = 1000
LEVEL = 0.95


def weeks(columns, submit, name) -> np.ndarray:
    """Return sums over the jobs of a log, and over its weeks drawn with replacement, as many weeks as the log has.

    Parameters
    ----------
    columns : float64[n, c]
        A row for each job in order of submission. A week without jobs does not count.
    submit : int64[n]
        s
    name : str
        Part of the seed: the same weeks are drawn for the same name and number of weeks.

    Returns
    -------
    float64[1 + DRAWS, c]
        The first row is that of the log itself.
    """
    _, week = np.unique((submit - submit[0]) // WEEK, return_inverse=True)
    sums = np.column_stack([np.bincount(week, weights=column) for column in columns.T])
    n = len(sums)
    times = generator(name, n, "weeks", DRAWS).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return _resampled(sums.sum(axis=0), sums, (np.repeat(np.arange(n), row) for row in times))


def blocks(columns, workload, seed, draws=DRAWS) -> np.ndarray:
    """Return sums over the jobs of a log, and over blocks of consecutive jobs drawn with replacement.

    A block has as many jobs as an average week, and may begin at any job.
    """
    n = len(columns)
    length = int(min(max(round(n * WEEK / max(workload.span, 1)), 1), n))
    total = np.vstack([np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)])
    sums = total[length:] - total[:-length]
    rng = generator(workload.name, n, "blocks", int(seed))
    return _resampled(
        columns.sum(axis=0), sums, rng.integers(0, len(sums), (draws, -(-n // length)))
    )


def _resampled(whole, sums, picked):
    return np.vstack([whole, *(sums[row].sum(axis=0) for row in picked)])


def runs(values) -> np.ndarray:
    """Return the means of several quantities over runs, float64[k, n], and over resampled runs: float64[k, 1 + DRAWS].

    The same runs are drawn for all quantities, so that differences are paired.
    """
    n = values.shape[1]
    picked = generator("seeds drawn anew", n, DRAWS).integers(0, n, (DRAWS, n))
    # Each row lies in one piece, so that its sum does not depend on how the table was made.
    drawn = (np.take(values, row, axis=1) for row in (np.arange(n), *picked))
    return np.column_stack([one.mean(axis=1) for one in drawn])


def ratio(sums, top, bottom) -> np.ndarray:
    """Return the quotient of two columns of sums, nan where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, bottom] > 0, sums[:, top] / sums[:, bottom], np.nan)


def table(drawn, columns, whole=None) -> pd.DataFrame:
    """Return a table with a row for each quantity: its key and its `interval`.

    If a name for the whole is given, rows with it in place of the first part of the key follow, with the `median` over that.
    """
    rows = [[*key, *interval(values)] for key, values in drawn.items()]
    for rest in dict.fromkeys(key[1:] for key in drawn if whole):
        alike = [values for key, values in drawn.items() if key[1:] == rest]
        rows.append([whole, *rest, *median(alike)])
    return pd.DataFrame(rows, columns=columns)


def median(rows) -> tuple[float, float, float]:
    """Return the median over several quantities, float64[1 + draws] each, with its `interval`."""
    return interval(np.median(np.array(rows), axis=0))


def interval(values, level=LEVEL) -> tuple[float, float, float]:
    """Return a value, the first of float64[1 + draws], with the bounds that hold a share `level` of the draws.

    Both are nan where most draws have no value.
    """
    own, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if 2 * len(drawn) < len(values) - 1:
        return own, float("nan"), float("nan")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return own, float(low), float(high)
