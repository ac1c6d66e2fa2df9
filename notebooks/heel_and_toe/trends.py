"""Shapes of curves over badness, V or L, and crossings of the truncated model with the real
estimates.

A curve is the mean over the seeds at each f. Its values decide a question, and a band that holds at
all f at once (`band`) shows whether the answer is sure, whichever f was chosen.
"""

import math

import numpy as np
import pandas as pd
from scipy import stats

from notebooks.heel_and_toe.curves import Z95
from notebooks.ratios import ratio
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import level

LEVEL = 0.95
# By whether it falls to its lowest point, and whether it rises from there.
SHAPES = {(True, True): "V", (True, False): "L", (False, True): "rising", (False, False): "flat"}


def band(results, measure) -> pd.DataFrame:
    """Return a curve with a band that holds at all f at once, from random runs of one log and load.

    Columns by f: mean, low, high, and odd and even, the means over the seeds of either kind. The
    half-width is Student's t times the standard error over the seeds, with Sidak's correction for
    the number of f: 95 % for all of them together if they are independent, more if not.

    Raises
    ------
    EvidenceError
        If there are no runs.
    """
    wide = results.pivot_table(index="f", columns="seed", values=measure).sort_index()
    if wide.empty:
        raise EvidenceError(f"no random runs with {measure}")
    runs, odd = wide.count(axis=1), wide.columns % 2 == 1
    width = stats.t.ppf((1 + LEVEL ** (1 / len(wide))) / 2, runs - 1) / np.sqrt(runs)
    mean, half = wide.mean(axis=1), width * wide.std(axis=1)
    kinds = {"odd": wide.loc[:, odd].mean(axis=1), "even": wide.loc[:, ~odd].mean(axis=1)}
    return pd.DataFrame({"mean": mean, "low": mean - half, "high": mean + half} | kinds)


def higher(curve, top, bottom, unit=1.0) -> tuple[float, float, float]:
    """Return how much higher a curve is at its top than at its bottom, in a unit, with the ends of
    the difference by the band.

    Either point is a place, or ``max`` or ``min``. An extreme is found in the seeds of one kind and
    measured in those of the other, and both ways are averaged, so that the choice has no bias. The
    value may lie outside its ends: they are those of the extreme, which half of the seeds need not
    have chosen.
    """
    kinds, bounds = (("even", "odd"), ("odd", "even")), (("low", "high"), ("high", "low"))
    both = [_at(curve, top, *kind) - _at(curve, bottom, *kind) for kind in kinds]
    ends = [_at(curve, top, end) - _at(curve, bottom, other_end) for end, other_end in bounds]
    return tuple(ratio(x, unit) for x in (np.mean(both), *ends))


def _widened(value, low, high):
    """Return a value with ends that hold it."""
    return value, min(low, value), max(high, value)


def _at(curve, place, column, chooser=None):
    """Return the value of a column at a place, or at the extreme of the chooser's column; nan of an
    empty table.
    """
    if curve.empty:
        return math.nan
    if isinstance(place, int):
        return curve[column].iloc[place]
    if chooser is None:
        return curve[column].agg(place)
    return curve[column].iloc[getattr(curve[chooser].to_numpy(), f"arg{place}")()]


def shape(results, measure) -> dict:
    """Return the shape of a curve, as `band` takes it: V, L, rising or flat.

    It falls if its lowest point lies more than none (``words.toml``) below the value at f = 0, and
    rises if its end lies as much above that point. Further values: the f of its lowest mean; fall
    and rise in per cent of the value at f = 0, with ends by the band.
    """
    curve = band(results, measure)
    unit, turns = abs(curve["mean"].iloc[0]) / 100, {}
    for name, place in (("fall", 0), ("rise", -1)):
        value, *bounds = higher(curve, place, "min", unit)
        # The point itself may be the lowest.
        turns[name] = _widened(max(value, 0.0) + 0.0, *bounds)
    row = {
        "shape": SHAPES[tuple(turn[0] > level("none") for turn in turns.values())],
        "minimum at f": float(curve["mean"].idxmin()),
    }
    for name, turn in turns.items():
        row |= zip(ends(name, " [%]"), turn, strict=True)
    return row


def ends(name, unit="") -> list[str]:
    """Return the columns of a value and of the ends of its interval."""
    return [f"{name}{end}{unit}" for end in ("", " low", " high")]


def change(row, name) -> tuple[float, float, float]:
    """Return the fall or the rise of a row of `shapes`, with its ends."""
    return tuple(row[column] for column in ends(name, " [%]"))


def span(results, measure, least=0.0) -> tuple[float, float, float]:
    """Return how much higher a curve's highest point is than its lowest, per cent of the value at f
    = 0, with ends by the band.

    Points of an f below `least` are left out.
    """
    curve = band(results, measure)
    unit = curve["mean"].iloc[0] / 100
    return _widened(*higher(curve[curve.index >= least], "max", "min", unit))


def more(before, after, unit=1.0) -> tuple[float, float, float]:
    """Return `difference` of two means, each given with its standard error."""
    return difference(after[0] - before[0], math.hypot(before[1], after[1]), unit)


def difference(value, error, unit=1.0) -> tuple[float, float, float]:
    """Return a difference of means with its 95 % interval, per cent of a unit, from the difference
    and its standard error.
    """
    half = Z95 * error
    return tuple(100 * ratio(x, unit) for x in (value, value - half, value + half))


def shapes(results, measures) -> pd.DataFrame:
    """Return the `shape` of every curve, with a row for each log, load and measure."""
    random = results[results["model"] == "random"]
    rows = [
        {"log": log, "load": load, "measure": measure} | shape(part, measure)
        for (log, load), part in random.groupby(["log", "load"], sort=False)
        for measure in measures
    ]
    return pd.DataFrame(rows)


def on_grid(results, largest, step) -> pd.DataFrame:
    """Return the runs of one range of f: 0, `step`, ..., `largest`."""
    steps = results["f"] / step
    return results[(results["f"] <= largest) & np.isclose(steps, steps.round())]


def crossovers(results, measures) -> pd.DataFrame:
    """Return the f at which the mean of the random model rises to the real estimates (table of Fig.
    16).

    Columns: log, load, measure; the f of the first crossing beyond the lowest point, linear between
    grid points, nan if there is none; and from and to, where the mean's 95 % interval crosses.
    """
    rows = []
    for (log, load), part in results.groupby(["log", "load"], sort=False):
        for measure in measures:
            real = float(part.loc[part["model"] == "users", measure].iloc[0])
            by = part[part["model"] == "random"].groupby("f")[measure].agg(["mean", "std", "size"])
            half = Z95 * by["std"].fillna(0) / np.sqrt(by["size"])
            last = float(by["mean"].iloc[-1]), float(by.index[-1])
            met = (
                crossing(curve, real)
                for curve in (by["mean"], by["mean"] + half, by["mean"] - half)
            )
            rows.append([log, load, measure, real, float(by["mean"].min()), *last, *met])
    columns = ["log", "load", "measure", "real", "lowest", "at the largest f", "largest f"]
    return pd.DataFrame(rows, columns=[*columns, "meets at f", "from", "to"])


def crossing(curve, level) -> float:
    """Return where a curve first reaches a level from below, beyond its lowest point; nan if it
    does not.
    """
    f, values = curve.index.to_numpy(float), curve.to_numpy(float)
    lowest = int(np.argmin(values))
    behind = np.flatnonzero(values[lowest:] >= level)
    if values[lowest] > level or not len(behind):
        return math.nan
    k = lowest + int(behind[0])
    if k == lowest:
        return float(f[k])
    part = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(f[k - 1] + part * (f[k] - f[k - 1]))
