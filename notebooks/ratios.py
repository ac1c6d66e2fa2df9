"""Ratios to a measure that may be 0, such as the mean wait of a log in which nobody waits, and
correlations with one that may be the same for all.
"""

import math

import numpy as np


def over(values, bases) -> np.ndarray:
    """Return numbers over others, element by element; nan over 0."""
    return values / np.where(bases == 0, np.nan, bases)


def ratio(value, base) -> float:
    """Return a number over another, nan over 0."""
    return float(value / base) if base else math.nan


def percent_more(value, base) -> float:
    """Return how much more a number is than another, per cent of the other; nan of 0."""
    return 100 * (ratio(value, base) - 1)


def rank_correlation(x, y) -> float:
    """Return Spearman's rank correlation of two series; nan where one of them is constant."""
    if min(len(np.unique(x)), len(np.unique(y))) < 2:
        return math.nan
    from scipy import stats  # takes half a second, and most notebooks need no correlation

    return float(stats.spearmanr(x, y).statistic)
