"""Intervals of a number over the jobs of one log, by resampling the log with replacement.

Neighbouring jobs are alike, and a queue remembers more than a week, so blocks of weeks are drawn, not single jobs. Results
over several seeds have their runs drawn. The columns of a table are drawn together, so that differences are paired. Sums are
added up piece by piece: the order of the sums in a matrix product depends on the processor.
"""

import numpy as np
import pandas as pd
from scipy import stats

from replication.simulator.workload import generator

WEEK = 7 * 24 * 3600
DRAWS = 1000
LEVEL = 0.95
# Four weeks make a block, or fewer, so that a log has at least so many blocks if it has so many weeks.
BLOCK, BLOCKS = 4, 12
FEWEST = 3  # blocks; fewer say nothing about their spread


def weeks(columns, submit, name) -> np.ndarray:
    """Return sums over the jobs of a log, and over blocks of its weeks drawn with replacement, as many blocks as the log has.

    The deviations of the drawn sums from the log's own are widened as Student's t demands for so few blocks (compare the
    expanded percentile interval of Hesterberg, 2015). The study ``intervals`` has the coverage. Drawn sums are nan where a log
    has fewer than three blocks.

    Parameters
    ----------
    columns : float64[n, c]
        A row for each job in order of submission. A week without jobs does not count.
    submit : int64[n]
        s
    name : str
        Part of the seed: the same blocks are drawn for the same name and number of blocks.

    Returns
    -------
    float64[1 + DRAWS, c]
        The first row is that of the log itself.
    """
    _, week = np.unique((submit - submit[0]) // WEEK, return_inverse=True)
    sums = np.column_stack([np.bincount(week, weights=column) for column in columns.T])
    length = min(max(len(sums) // BLOCKS, 1), BLOCK)
    sums = np.add.reduceat(sums, np.arange(0, len(sums), length))
    n, whole = len(sums), columns.sum(axis=0)
    picked = generator(name, n, "blocks of weeks", DRAWS).integers(0, n, (DRAWS, n))
    drawn = np.array([sums[row].sum(axis=0) for row in picked])
    return np.vstack([whole, whole + widening(n) * (drawn - whole)])


def widening(n) -> float:
    """Return the factor on the deviations of draws from n blocks that gives a mean's percentiles the width of Student's interval."""
    if n < FEWEST:
        return float("nan")
    ends = (1 + LEVEL) / 2
    return float(stats.t.ppf(ends, n - 1) / stats.norm.ppf(ends) * np.sqrt(n / (n - 1)))


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
