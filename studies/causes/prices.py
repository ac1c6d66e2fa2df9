"""The price of a gain: what the heads of the queue pay for a shorter mean wait, under three ways to
loosen their reservation.

The rules are in docs/decisions/causes.md (November 27, 2026).
"""

from itertools import product

import joblib
import matplotlib.patheffects as patheffects
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import ticker

from causes import EQUAL_WILD, resampled_runs
from notebooks import audits, over_seeds, placebo
from notebooks.heel_and_toe.trends import ends
from notebooks.panels import below_all, log_ticks
from notebooks.paper_easy import PaperEASY
from relaxed_backfilling import Relaxed
from replication import EASY, FModel, Perfect, Users, simulate
from replication.drawing import style
from replication.simulator.observation import observe

#: The ways, and the unit of their levels.
F, RANDOM, RELAXED = WAYS = "f-model", "random exceptions", "relaxed backfilling"
#: Quantities of a schedule, as changes from EASY with perfect estimates, per cent; a gain is a
#: shorter wait. The share of wild backfills is per cent of all jobs.
CHANGES = ("gain", "slowdown gain", "heads", "longest")
QUANTITIES = ("wild", *CHANGES)
MEASURED = ("wild", "mean_wait", "mean_bounded_slowdown", "heads", "longest")
#: Where two ways are compared, and the quantity that is equal there.
EQUAL = {"equal wild backfills": "wild", "equal gain": "gain"}
#: Levels with a marker and a label in pictures of prices, and in that of gains, and the place of
#: the label: right (1) or left, above (1) or below.
IN_PRICES = {
    F: dict.fromkeys((1, 10), (-1, 1)),
    RANDOM: {0.5: (1, 1), 1: (1, -1)},
    RELAXED: {1: (1, 1)},
}
IN_GAINS = {F: {1: (1, -1), 10: (-1, -1)}, RANDOM: {0.1: (-1, 1), 0.5: (1, 1), 1: (1, -1)}}
SHOWN = 5  # the largest share of the expected wait in pictures; the end is that of `RANDOM`
POINTS = "points"
UNITS = {one: "%" for name in QUANTITIES for one in ends(name)}
UNITS |= {one: POINTS for name in CHANGES for one in ends(f"{name}, more")}
UNITS |= dict.fromkeys((*(f"{name} of f" for name in CHANGES), "most gain"), "%")


def runs(workloads, badness, let_past, shares, seeds, workers=1):
    """Return the runs of the three ways.

    Parameters
    ----------
    workloads : dict of str to replication.Workload
    badness, let_past, shares : sequence of float
        Levels of the three ways: f, the share of jobs let past at random, and the share of its
        expected wait by which the head may be delayed.
    seeds : sequence of int
        Of the runs of each point. A seed also shifts submissions by up to a minute, since without
        random numbers there would be one schedule, whose mean wait is partly chance.
    workers : int
        Threads.

    Returns
    -------
    pandas.DataFrame
        A row for each run. Columns log, way, level, seed; `MEASURED`: wild, share of all jobs;
        mean wait [s] and mean bounded slowdown; the mean wait of the heads and the longest wait,
        s. Level 0 of each way is EASY with perfect estimates.
    """
    points = [(F, f, EASY(), FModel(f)) for f in badness]
    points += [(RANDOM, one, PaperEASY(let_past=one), Perfect()) for one in let_past]
    points += [(RELAXED, one, Relaxed(share=one), Perfect()) for one in shares]
    is_head = {log: heads(workload) for log, workload in workloads.items()}
    jobs = {
        (log, seed): placebo.shifted(workload, seed)
        for log, workload in workloads.items()
        for seed in seeds
    }

    def one(log, seed, way, level, scheduler, model):
        seen = observe(jobs[log, seed], model, seed, scheduler)
        wait = seen.schedule.wait
        means = seen.schedule.measured(names=MEASURED[1:3]).values()
        wild, own = seen.measures["wild"], wait[is_head[log]]
        return log, way, level, seed, wild, *means, own.mean(), wait.max()

    rows = joblib.Parallel(workers, prefer="threads")(
        joblib.delayed(one)(*key, *point) for key, point in product(jobs, points)
    )
    return pd.DataFrame(rows, columns=["log", "way", "level", "seed", *MEASURED])


def heads(workload):
    """Return the jobs that EASY with the users' estimates blocks at the head, bool[n]; it is none
    of the schedules that are compared.
    """
    return audits.blocked(simulate(workload, EASY(), Users()))


class Curve:
    """The quantities of a way on a log at rising levels, each with resampled seeds.

    Attributes
    ----------
    levels : float64[k]
    drawn : dict of str to float64[k, 1 + over_seeds.DRAWS]
        `QUANTITIES`, per cent: with the seeds as they are, then with resampled ones, which are the
        same for all quantities and ways.
    """

    def __init__(self, part):
        """Take the rows of `runs` of one log and way."""
        by_level = dict(list(part.groupby("level")))
        self.levels = np.array(list(by_level))
        means = [
            resampled_runs(own[[*MEASURED]].to_numpy().T, "prices") for own in by_level.values()
        ]
        wild, *changed = np.array(means).transpose(1, 0, 2)
        self.drawn = {"wild": 100 * wild}
        for name, values in zip(CHANGES, changed, strict=True):
            sign = -1 if "gain" in name else 1
            self.drawn[name] = sign * 100 * (values / values[0] - 1)

    def at(self, level):
        """Return the quantities at one of the levels, float64[1 + DRAWS] by name."""
        [k] = np.flatnonzero(self.levels == level)
        return {name: values[k] for name, values in self.drawn.items()}

    def where(self, name, wanted):
        """Return the quantities, and the level, where one of them has the wanted values.

        Interpolated linearly between the first two neighbouring levels around each of the values,
        float64[1 + DRAWS]; nan where the curve never has it, and everywhere if it never has the
        first.
        """
        below, above = self.drawn[name][:-1], self.drawn[name][1:]
        around = (np.minimum(below, above) <= wanted) & (wanted <= np.maximum(below, above))
        first, columns = around.argmax(axis=0), np.arange(around.shape[1])
        start, stop = below[first, columns], above[first, columns]
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(stop == start, 0, (wanted - start) / (stop - start))
        part[~around.any(axis=0) | ~around[:, 0].any()] = np.nan
        levels = np.repeat(self.levels[:, None], around.shape[1], axis=1)
        return {
            one: values[first, columns] * (1 - part) + values[first + 1, columns] * part
            for one, values in {**self.drawn, "level": levels}.items()
        }


def curves(table):
    """Return the `Curve` of each log and way of `runs`."""
    return {key: Curve(part) for key, part in table.groupby(["log", "way"], sort=False)}


def points(curves):
    """Return the table of all points of the curves: log, way, level, and `QUANTITIES` with their
    intervals over seeds.
    """
    rows = [
        [log, way, level, *_intervals(curve.at(level), QUANTITIES)]
        for (log, way), curve in curves.items()
        for level in curve.levels
    ]
    columns = [one for name in QUANTITIES for one in ends(name)]
    return pd.DataFrame(rows, columns=["log", "way", "level", *columns])


def prices(curves):
    """Return the two other ways compared with f = 1, 3 and 10, at equal shares of wild backfills
    and at equal gains in mean wait.

    Returns
    -------
    pandas.DataFrame
        Columns log, f, at (a key of `EQUAL`), way; level and wild where the way is equal to f;
        for each of `CHANGES` its value of f, its value with its interval, and the difference from
        f with its interval (``heads, more``); and the largest gain of the way. nan where the curve
        of the way never has the value of f, and for the difference of what is equal.
    """
    rows = []
    logs = dict.fromkeys(log for log, _ in curves)
    for log, f, (at, equal), way in product(logs, EQUAL_WILD, EQUAL.items(), (RANDOM, RELAXED)):
        own, curve = curves[log, F].at(f), curves[log, way]
        found = curve.where(equal, own[equal])
        row = [log, f, at, way, found["level"][0], found["wild"][0]]
        for name in CHANGES:
            more = found[name] - own[name] if name != equal else np.full_like(own[name], np.nan)
            row += [own[name][0], *over_seeds.interval(found[name]), *over_seeds.interval(more)]
        rows.append([*row, curve.drawn["gain"][:, 0].max()])
    columns = ["log", "f", "at", "way", "level", "wild"]
    for name in CHANGES:
        columns += [f"{name} of f", *ends(name), *ends(f"{name}, more")]
    return pd.DataFrame(rows, columns=[*columns, "most gain"])


def _intervals(drawn, names):
    return [end for name in names for end in over_seeds.interval(drawn[name])]


def count(prices, at, way, name):
    """Return in how many rows of `prices` a way has more of a quantity than f by its interval, in
    how many less, and how many there are.
    """
    rows = prices[(prices["at"] == at) & (prices["way"] == way)]
    more, low, high = (rows[end] for end in ends(f"{name}, more"))
    return int((low > 0).sum()), int((high < 0).sum()), int(more.notna().sum())


# ---- Pictures


def draw_heads(points):
    """Draw the change of the heads' mean wait against the gain in mean wait: a panel for each log,
    a line for each way, and labels at some levels.
    """

    def one(axes, own):
        _lines(axes, own, "gain", "heads", IN_PRICES)
        axes.axhline(0, color="black", lw=0.8)
        axes.set(xlabel="gain in mean wait [%]")

    return _four(points, one, "heads' mean wait, change [%]")


def draw_longest(points):
    """Draw the longest wait, as a ratio to that with perfect estimates, as `draw_heads` does."""

    def one(axes, own):
        own = own.assign(ratio=1 + own["longest"] / 100)
        _lines(axes, own, "gain", "ratio", IN_PRICES)
        axes.set(xlabel="gain in mean wait [%]", yscale="log")
        log_ticks(axes.yaxis)

    return _four(points, one, "longest wait, ratio")


def draw_gains(points):
    """Draw the gain in mean wait against the share of wild backfills: f and random exceptions, with
    bands of their intervals, and labels at some levels.
    """

    def one(axes, own):
        _lines(axes, own, "wild", "gain", IN_GAINS)
        for way in IN_GAINS:
            part, colour = own[own["way"] == way], style.series(WAYS)[way]["color"]
            axes.fill_between(
                part["wild"], part["gain low"], part["gain high"], color=colour, alpha=0.2, lw=0
            )
        axes.axhline(0, color="black", lw=0.8)
        axes.set(xlabel="wild backfills [% of jobs]")

    return _four(points, one, "gain in mean wait [%]")


def _lines(axes, own, x, y, labelled):
    """Draw a line for each way that has labels, with markers and labels at their levels."""
    for way, levels in labelled.items():
        look = style.series(WAYS)[way]
        part = own[(own["way"] == way) & (own["level"] <= (SHOWN if way == RELAXED else np.inf))]
        marked = np.flatnonzero(part["level"].isin(levels))
        axes.plot(part[x], part[y], **look | {"lw": 1.2, "markersize": 4}, markevery=[*marked])
        for row in part.iloc[marked].to_dict("records"):
            right, above = levels[row["level"]]
            text = axes.annotate(
                f"{row['level']:g}" if way == F else f"{100 * row['level']:g} %",
                (row[x], row[y]),
                xytext=(4 * right, 2 * above),
                textcoords="offset points",
                ha="left" if right > 0 else "right",
                va="bottom" if above > 0 else "top",
                color=look["color"],
                fontsize=8,
            )
            text.set_path_effects([patheffects.withStroke(linewidth=2, foreground="white")])


def _four(points, one, label):
    """Return a figure of two columns of panels, one for each log, that is legible in a column."""
    logs = list(dict.fromkeys(points["log"]))
    with plt.rc_context({"font.size": 8, "axes.titlesize": 8.5, "axes.labelsize": 8}):
        lines = -(-len(logs) // 2)
        size = (5.2, 0.5 + 2.1 * lines)
        figure, grid = plt.subplots(lines, 2, figsize=size, squeeze=False)
        for axes in grid.ravel()[len(logs) :]:
            axes.set_axis_off()
        for axes, log in zip(grid.ravel(), logs, strict=False):
            one(axes, points[points["log"] == log])
            axes.set_title(log)
            axes.xaxis.set_major_locator(ticker.MaxNLocator(6))
        for axes in grid[:, 0]:
            axes.set_ylabel(label)
        below_all(figure, grid[0, 0], 3)
    return figure
