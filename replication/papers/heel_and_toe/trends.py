"""Shapes of curves over badness, decided by numbers: V or L, and where the truncated model meets the real
estimates.
"""

import math

import numpy as np
import pandas as pd

from replication.evidence.claims import above
from replication.papers.heel_and_toe.curves import Z95
from replication.papers.heel_and_toe.deciding import difference

MATERIAL = 0.01  # of the value at f = 0: a change below it is called none
NEAR = 5  # neighbouring f averaged to find the minimum
# By whether it falls to its lowest point, and whether it rises from there.
SHAPES = {(True, True): "V", (True, False): "L", (False, True): "rising", (False, False): "flat"}
OR = " or "


def shape(results, measure):
    """Whether a curve falls and then rises (V), falls and stays (L), or does neither.

    The minimum is looked for in the runs with odd seeds, averaged over `NEAR` neighbouring f, and the heights
    of the curve's three points are then measured with the even ones, so that picking the lowest point does
    not make it low. A fall or rise counts where its 95 % interval lies above 1 % of the value at f = 0, and
    does not where it lies below; where it covers that, both shapes are named.

    Parameters
    ----------
    results : pandas.DataFrame
        Random runs of one log and load, of `campaign.results`.
    measure : str

    Returns
    -------
    dict
        shape; f of the minimum; fall and rise in per cent of the value at f = 0, each with its 95 % interval.
    """
    odd, even, start = _halves(results, measure)
    lowest = int(np.argmin(odd.to_numpy()))
    at = [_around(even, place) for place in (0, lowest, len(even) - 1)]
    fall, rise = _change(at[1], at[0], start), _change(at[1], at[2], start)
    return {
        "shape": OR.join(_names(fall, rise)),
        "minimum at f": float(even.index[lowest]),
        "fall [%]": fall[0],
        "fall low [%]": fall[1],
        "fall high [%]": fall[2],
        "rise [%]": rise[0],
        "rise low [%]": rise[1],
        "rise high [%]": rise[2],
    }


def span(results, measure, least=0.0):
    """How much higher a curve's highest point is than its lowest, found and measured as in `shape`.

    Parameters
    ----------
    results : pandas.DataFrame
        As for `shape`.
    measure : str
    least : float
        Points of a smaller f are left out.

    Returns
    -------
    tuple of float
        Per cent of the value at f = 0, with its 95 % interval.
    """
    odd, even, start = _halves(results, measure)
    places = np.flatnonzero(even.index >= least)
    low, high = (int(places[pick(odd.to_numpy()[places])]) for pick in (np.argmin, np.argmax))
    return _change(_around(even, low), _around(even, high), start)


def _halves(results, measure):
    """The smooth curve of the runs with odd seeds, the even ones' runs by f, and their value at f = 0."""
    wide = results.pivot_table(index="f", columns="seed", values=measure).sort_index()
    odd, even = wide.loc[:, wide.columns % 2 == 1], wide.loc[:, wide.columns % 2 == 0]
    smooth = odd.mean(axis=1).rolling(min(NEAR, len(wide)), center=True, min_periods=1).mean()
    return smooth, even, float(even.iloc[0].mean())


def _around(table, place):
    """Mean and standard error of a curve at a point: f = 0 alone, which has no chance in it, else its
    neighbours.
    """
    part = (
        table.iloc[[0]]
        if place == 0
        else table.iloc[max(1, place - NEAR // 2) : place + NEAR // 2 + 1]
    )
    values = part.to_numpy().ravel()
    return float(values.mean()), (
        float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
    )


def _change(low, high, unit):
    """Difference of two points in per cent of `unit`, with its 95 % interval."""
    return difference(high[0] - low[0], math.hypot(low[1], high[1]), unit)


def _names(fall, rise):
    """Every shape that the intervals allow."""
    answers = (above(change, 100 * MATERIAL) for change in (fall, rise))
    falls, rises = ((True, False) if answer is None else (answer,) for answer in answers)
    return [SHAPES[does_fall, does_rise] for does_fall in falls for does_rise in rises]


def has_shape(found, names):
    """Whether a curve has one of some shapes: yes, no, or undecided.

    Parameters
    ----------
    found : dict
        Of `shape`.
    names : sequence of str

    Returns
    -------
    bool or None
    """
    among = [name in names for name in found["shape"].split(OR)]
    return True if all(among) else None if any(among) else False


def shapes(results, measures):
    """`shape` of every log, load and measure, one row each."""
    random = results[results["model"] == "random"]
    rows = [
        {"log": log, "load": load, "measure": measure} | shape(part, measure)
        for (log, load), part in random.groupby(["log", "load"], sort=False)
        for measure in measures
    ]
    return pd.DataFrame(rows)


def on_grid(results, largest, step):
    """The runs of one range of f: 0, `step`, ..., `largest`."""
    steps = results["f"] / step
    return results[(results["f"] <= largest) & np.isclose(steps, steps.round())]


def by_range(results, measures, ranges):
    """The shape of every curve over each range of f: whether a trend goes on (section 3, footnotes 5 and 6).

    Parameters
    ----------
    results : pandas.DataFrame
        All ranges of f of one model, of `campaign.results`.
    measures : sequence of str
    ranges : dict of float to float
        Largest f and step.

    Returns
    -------
    pandas.DataFrame
        log, load, measure, and a column for each range.
    """
    parts = []
    for largest, step in ranges.items():
        found = shapes(on_grid(results, largest, step), measures).set_index(
            ["log", "load", "measure"]
        )
        parts.append(found["shape"].rename(f"to f = {largest:,}"))
    return pd.concat(parts, axis=1).reset_index()


def crossovers(results, measures):
    """The f at which the mean of the random model comes back up to the real estimates (table of Fig. 16).

    Parameters
    ----------
    results : pandas.DataFrame
        All ranges of f of one model, of `campaign.results`.
    measures : sequence of str

    Returns
    -------
    pandas.DataFrame
        log, load, measure; f of the first crossing behind the lowest point, between grid points by a straight
        line, nan if there is none up to the largest f; low and high from the runs: where the mean's 95 %
        interval crosses.
    """
    rows = []
    for (log, load), part in results.groupby(["log", "load"], sort=False):
        for measure in measures:
            real = float(part.loc[part["model"] == "log", measure].iloc[0])
            by = part[part["model"] == "random"].groupby("f")[measure].agg(["mean", "std", "size"])
            half = Z95 * by["std"].fillna(0) / np.sqrt(by["size"])
            rows.append(
                {
                    "log": log,
                    "load": load,
                    "measure": measure,
                    "real": real,
                    "lowest": float(by["mean"].min()),
                    "at the largest f": float(by["mean"].iloc[-1]),
                    "largest f": float(by.index[-1]),
                    "meets at f": crossing(by["mean"], real),
                    "from": crossing(by["mean"] + half, real),
                    "to": crossing(by["mean"] - half, real),
                }
            )
    return pd.DataFrame(rows)


def crossing(curve, level):
    """Where a curve first reaches a level from below behind its lowest point; nan if it does not."""
    f, values = curve.index.to_numpy(float), curve.to_numpy(float)
    lowest = int(np.argmin(values))
    if values[lowest] > level:
        return math.nan
    above = np.flatnonzero(values[lowest:] >= level)
    if not len(above):
        return math.nan
    k = lowest + int(above[0])
    if k == lowest:
        return float(f[k])
    part = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(f[k - 1] + part * (f[k] - f[k - 1]))
