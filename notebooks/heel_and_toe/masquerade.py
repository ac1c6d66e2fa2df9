"""Fig. 12: the probability that a shorter job has the longer estimate, by formula and by random
draws.
"""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from notebooks.panels import below_all
from replication.drawing import style
from replication.simulator.workload import generator

RATIOS = (0.1, 0.25, 0.5, 0.75, 0.9)  # r1 / r2
FACTORS = (1.5, 2, 3, 5, 10, 20, 50, 100)


def probability(ratio, factor) -> np.ndarray:
    """Return Pr(e1 > e2) for estimates uniform in [r, F r] (section 6), by r1 / r2, at most 1, and
    F, above 1.
    """
    overlap = np.maximum(np.asarray(factor) * ratio - 1, 0)
    return 0.5 * overlap**2 / ((np.asarray(factor) - 1) ** 2 * ratio)


def limit(ratio) -> float:
    """Return the limit of the probability for large F: r1 / (2 r2)."""
    return ratio / 2


def samples(draws, seed=1) -> pd.DataFrame:
    """Return the same from random draws: ratio, F, exact, drawn, error (standard error of `drawn`,
    from the exact value), limit.
    """
    rows = []
    for ratio, factor in itertools.product(RATIOS, FACTORS):
        random = generator("masquerade", ratio, factor, seed)
        e1 = ratio * (1 + (factor - 1) * random.random(draws))
        e2 = 1 + (factor - 1) * random.random(draws)
        exact = float(probability(ratio, factor))
        error = float(np.sqrt(exact * (1 - exact) / draws))
        rows.append((ratio, factor, exact, float((e1 > e2).mean()), error, limit(ratio)))
    return pd.DataFrame(rows, columns=["ratio", "F", "exact", "drawn", "error", "limit"])


def draw(table) -> Figure:
    """Draw the two jobs of the paper's picture (left), and the formula, its limit and the draws
    (right).
    """
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(style.size(1, 2)[0], 3.6), width_ratios=(2, 3)
    )
    _jobs(left, r1=3, r2=4, factor=2.5)
    factors = np.geomspace(1.001, 100, 400)
    looks = style.series([f"r1/r2 = {ratio:g}" for ratio in RATIOS])
    for ratio, look in zip(RATIOS, looks.values(), strict=True):
        part = table[table["ratio"] == ratio]
        marker = look.pop("marker")
        right.plot(factors, probability(ratio, factors), **look)
        right.plot(part["F"], part["drawn"], marker=marker, color=look["color"], linestyle="none")
        right.axhline(limit(ratio), color=look["color"], linewidth=0.8, linestyle=":")
    right.set(xscale="log", xlim=(1, 110), xlabel="F = f + 1", ylabel="Pr(e1 > e2)", ylim=(0, 0.5))
    right.xaxis.set_major_formatter("{x:g}")
    below_all(figure, right)
    return figure


def _jobs(axes, r1, r2, factor):
    """Draw run times and ranges of estimates; where both ranges lie, either estimate may be the
    longer one.
    """
    ends = r1, r2, factor * r1, factor * r2
    for y, run_time, end, job in ((1, r1, factor * r1, 1), (0, r2, factor * r2, 2)):
        axes.broken_barh([(0, run_time)], (y - 0.3, 0.6), facecolor="#C9D6E8", edgecolor="black")
        axes.broken_barh(
            [(run_time, end - run_time)], (y - 0.3, 0.6), fc="white", ec="black", hatch="..."
        )
        axes.text(run_time / 2, y, f"job {job}", ha="center", va="center")
        axes.text((run_time + end) / 2, y, f"e{job}", ha="center", va="center", bbox={"fc": "w"})
    axes.axvspan(r2, factor * r1, color=style.COLOURS[1], alpha=0.35, lw=0, zorder=0)
    axes.text((r2 + factor * r1) / 2, 1.55, "both", ha="center", va="center")
    axes.set_xticks(ends, ["r1", "r2", "F r1", "F r2"])
    axes.set(xlabel="time", yticks=[], xlim=(0, 1.03 * ends[-1]), ylim=(-0.6, 1.8))
    axes.grid(visible=False)


def verdict(table) -> dict:
    """Return the largest difference of draws and formula, in standard errors, where one
    is defined.
    """
    varying = table[table["error"] > 0]
    never = table[table["error"] == 0]
    return {
        "largest": float((abs(varying["drawn"] - varying["exact"]) / varying["error"]).max()),
        "points": len(varying),
        "impossible": len(never),
        "impossible_drawn": float(never["drawn"].sum()),
    }
