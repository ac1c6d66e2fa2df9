"""Fig. 12: how likely a shorter job looks the longer one, by formula and by drawing."""

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.seeding import generator

RATIOS = (0.1, 0.25, 0.5, 0.75, 0.9)  # r1 / r2
FACTORS = (1.5, 2, 3, 5, 10, 20, 50, 100)


def probability(ratio, factor):
    """Pr(e1 > e2) for estimates uniform in [r, F r] (section 6).

    Parameters
    ----------
    ratio : float
        r1 / r2, at most 1.
    factor : float or float[n]
        F, above 1.

    Returns
    -------
    float or float[n]
    """
    overlap = np.maximum(np.asarray(factor) * ratio - 1, 0)
    return 0.5 * overlap**2 / ((np.asarray(factor) - 1) ** 2 * ratio)


def limit(ratio):
    """What the probability tends to as F grows: r1 / (2 r2)."""
    return ratio / 2


def drawn(draws, seed=1):
    """The same by drawing both estimates.

    Parameters
    ----------
    draws : int
    seed : int

    Returns
    -------
    pandas.DataFrame
        ratio, F, exact, drawn, error (the standard error of `drawn`, from the exact value), limit.
    """
    rows = []
    for ratio in RATIOS:
        for factor in FACTORS:
            random = generator("masquerade", ratio, factor, seed)
            e1 = ratio * (1 + (factor - 1) * random.random(draws))
            e2 = 1 + (factor - 1) * random.random(draws)
            exact = float(probability(ratio, factor))
            rows.append(
                {
                    "ratio": ratio,
                    "F": factor,
                    "exact": exact,
                    "drawn": float((e1 > e2).mean()),
                    "error": float(np.sqrt(exact * (1 - exact) / draws)),
                    "limit": limit(ratio),
                }
            )
    return pd.DataFrame(rows)


def draw(table):
    """The formula as lines, its limit as dotted lines, the drawing as points."""
    figure, axes = plt.subplots()
    factors = np.geomspace(1.001, 100, 400)
    looks = style.series([f"r1/r2 = {ratio:g}" for ratio in RATIOS])
    for ratio, look in zip(RATIOS, looks.values(), strict=True):
        part = table[table["ratio"] == ratio]
        marker = look.pop("marker")
        axes.plot(factors, probability(ratio, factors), **look)
        axes.plot(part["F"], part["drawn"], marker=marker, color=look["color"], linestyle="none")
        axes.axhline(limit(ratio), color=look["color"], linewidth=0.8, linestyle=":")
    axes.set(
        xscale="log", xlabel="F = f + 1", ylabel="Pr(the shorter job looks longer)", ylim=(0, 0.5)
    )
    figure.legend(loc="outside lower center", ncols=len(RATIOS))
    return figure


def verdict(table):
    """How far the drawing is from the formula: the largest distance, in standard errors, where one is
    defined.
    """
    some = table[table["error"] > 0]
    never = table[table["error"] == 0]
    return {
        "largest": float((abs(some["drawn"] - some["exact"]) / some["error"]).max()),
        "points": len(some),
        "impossible": len(never),
        "impossible_drawn": float(never["drawn"].sum()),
    }
