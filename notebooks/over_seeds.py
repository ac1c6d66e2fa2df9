"""Intervals of results over random seeds, by drawing the runs with replacement.

Results that belong together are drawn together, so that differences are paired. Intervals over the
weeks of a log are those of `replication.simulator.schedules.intervals`.
"""

import numpy as np
import pandas as pd

from replication.simulator.schedules.intervals import LEVEL

DRAWS = 1000


def table(drawn, columns) -> pd.DataFrame:
    """Return a table with a row for each quantity: its key and its `interval`."""
    return pd.DataFrame(
        [[*key, *interval(values)] for key, values in drawn.items()], columns=columns
    )


def median(rows) -> tuple[float, float, float]:
    """Return the median over several quantities, float64[1 + draws] each, with its `interval`."""
    return interval(np.median(np.array(rows), axis=0))


def interval(values, level=LEVEL) -> tuple[float, float, float]:
    """Return a value, the first of float64[1 + draws], with the bounds that hold a share `level` of
    the draws.

    Both are nan where most draws have no value.
    """
    value, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if 2 * len(drawn) < len(values) - 1:
        return value, float("nan"), float("nan")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return value, float(low), float(high)
