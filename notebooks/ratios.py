"""Ratios to a measure that may be 0, such as the mean wait of a log in which nobody waits."""

import math


def ratio(value, base) -> float:
    """Return a number over another, nan over 0."""
    return float(value / base) if base else math.nan


def percent_more(value, base) -> float:
    """Return how much more a number is than another, per cent of the other; nan of 0."""
    return 100 * (ratio(value, base) - 1)
