"""How sure a number over the jobs of one log is: its stretches of time are drawn anew, with replacement.

Neighbouring jobs are alike, so stretches are drawn and not jobs: the weeks of the log, or moving blocks of as
many jobs as a week has. The jobs of one user are alike too: so users are drawn, each with all jobs. What was simulated
with several seeds has its runs drawn. Columns of values, a row a job, keep together, so that differences are paired.
Sums are added up stretch by stretch: a matrix product would add in an order that depends on the processor.
"""

import numpy as np
import pandas as pd

from replication.simulator.workload import generator

WEEK = 7 * 24 * 3600
DRAWS = 1000
LEVEL = 0.95


def weeks(columns, submit, name):
    """Sums over the log's weeks drawn anew, as many as it has; a week without jobs is none.

    `columns` are float64[n, c], a row a job in order of submission, and `name` names the random
    numbers. Returned are float64[1 + DRAWS, c]: the sums of the log as it is, then those of each
    draw.
    """
    return _groups(columns, (submit - submit[0]) // WEEK, name, "weeks")


def users(columns, user, name):
    """Sums over the log's users drawn anew, each with all jobs, as many as there are; see `weeks`."""
    return _groups(columns, user, name, "users")


def _groups(columns, group, name, what):
    _, group = np.unique(group, return_inverse=True)
    sums = np.column_stack([np.bincount(group, weights=column) for column in columns.T])
    n = len(sums)
    times = generator(name, n, what, DRAWS).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return _drawn(sums.sum(axis=0), sums, (np.repeat(np.arange(n), row) for row in times))


def blocks(columns, workload, seed, draws=DRAWS):
    """The same over blocks of consecutive jobs drawn anew, as many as cover all jobs: float64[1 +
    draws, c]. A block has as many jobs as a week of the workload on average.
    """
    n = len(columns)
    length = int(min(max(round(n * WEEK / max(workload.span, 1)), 1), n))
    total = np.vstack([np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)])
    sums = total[length:] - total[:-length]
    rng = generator(workload.name, n, "blocks", int(seed))
    return _drawn(columns.sum(axis=0), sums, rng.integers(0, len(sums), (draws, -(-n // length))))


def _drawn(whole, sums, picked):
    return np.vstack([whole, *(sums[row].sum(axis=0) for row in picked)])


def runs(values):
    """Means over runs and over the same runs drawn anew, as many as there are: float64[k, 1 +
    DRAWS] from float64[k, n], a row for each of several quantities and a column a run. They are
    drawn together, so that differences are paired.
    """
    n = values.shape[1]
    picked = generator("seeds drawn anew", n, DRAWS).integers(0, n, (DRAWS, n))
    # Each row lies in one piece, so that its sum does not depend on how the table was made.
    drawn = (np.take(values, row, axis=1) for row in (np.arange(n), *picked))
    return np.column_stack([one.mean(axis=1) for one in drawn])


def nested(groups, members, name):
    """Weights of means over groups, then over groups drawn anew and of each its members drawn anew, with replacement.

    Parameters
    ----------
    groups, members : int
        How many groups there are, and members of each.
    name : str
        Names the random numbers.

    Returns
    -------
    float64[1 + DRAWS, groups * members]
        Each row sums to 1; members of the first group come first.
    """
    weights = np.zeros((1 + DRAWS, groups, members))
    weights[0] = 1
    rng = generator(name, groups, members, "groups drawn anew", DRAWS)
    for row in weights[1:]:
        for group in rng.integers(0, groups, groups):
            row[group] += np.bincount(rng.integers(0, members, members), minlength=members)
    return weights.reshape(1 + DRAWS, -1) / (groups * members)


def ratio(sums, top, bottom):
    """Quotient of two columns of sums, nan where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, bottom] > 0, sums[:, top] / sums[:, bottom], np.nan)


def table(drawn, columns, whole=None):
    """A row for each of several quantities: its key and its `interval`, under the names of `columns`. If a name for the
    whole is given, rows with it in place of the first part of the key follow, with the `median` over that part.
    """
    rows = [[*key, *interval(values)] for key, values in drawn.items()]
    for rest in dict.fromkeys(key[1:] for key in drawn if whole):
        alike = [values for key, values in drawn.items() if key[1:] == rest]
        rows.append([whole, *rest, *median(alike)])
    return pd.DataFrame(rows, columns=columns)


def median(rows):
    """The median over several quantities, float64[1 + draws] each, with its `interval`."""
    return interval(np.median(np.array(rows), axis=0))


def interval(values, level=LEVEL):
    """A value (the log's own, the first of float64[1 + draws]) with the bounds between which a
    share `level` of the draws lies; these are nan where a value is missing in most draws.
    """
    own, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if 2 * len(drawn) < len(values) - 1:
        return own, float("nan"), float("nan")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return own, float(low), float(high)
