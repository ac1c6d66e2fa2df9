"""Small tools of the generator: ranks, correlated normal numbers, tables bent to a mean."""

import numpy as np


def blend(share, known, rng):
    """Normal numbers, correlated by `share` with the standard normal ones known."""
    return share * known + np.sqrt(1 - share**2) * rng.standard_normal(len(known))


def rank(values):
    """Place of each value in ascending order, from 0; ties in order of position."""
    return np.argsort(np.argsort(values, kind="stable"))


def spread(values):
    """Ranks as evenly spaced shares between 0 and 1."""
    return (rank(values) + 0.5) / len(values)


def by_taste(taste, kind):
    """Jobs in ascending order of their kind's taste, those of a kind in order of submission."""
    return np.argsort(rank(taste)[kind], kind="stable")


def bend(values, shares, mean):
    """Shares times a power of the value, so that they sum to 1 and have this mean."""
    logs = np.log(values / mean)

    def bent(power):
        weights = shares * np.exp(power * logs)
        return weights / weights.sum()

    return bent(bisect(lambda power: (bent(power) * values).sum() - mean, -5, 5))


def bisect(rises, low, high, halvings=50):
    """Where a rising function goes from 0 or below to above 0, or an end, after so many halvings."""
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) > 0 else (middle, high)
    return low


def pareto_exponent(mean):
    """The a for which lengths with P(length >= k) = k**-a have this mean, that is zeta(a) = mean."""
    k = np.arange(1, 2001.0)
    return bisect(lambda a: mean - (k**-a).sum() - 2000.5 ** (1 - a) / (a - 1), 1.01, 6)
