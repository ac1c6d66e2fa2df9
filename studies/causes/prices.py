"""The price of a gain: what the heads of the queue pay for a shorter mean wait, under three ways to
loosen their reservation.

The rules are in docs/decisions/causes.md.
"""

from itertools import product

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import ticker
from scipy import stats

from causes import EQUAL_WILD, resampled_runs
from notebooks import audits, over_seeds, placebo
from notebooks.heel_and_toe.trends import ends
from notebooks.panels import below_all
from notebooks.ratios import over
from relaxed_backfilling import Relaxed
from replication import EASY, FModel, PaperEASY, Perfect, Users, simulate
from replication.drawing import style
from replication.simulator.observation import observe
from replication.simulator.schedules.intervals import LEVEL
from replication.simulator.workload import generator

#: The ways, and the unit of their levels.
F, RANDOM, RELAXED = WAYS = "f-model", "random exceptions", "relaxed backfilling"
#: Quantities of a schedule, as changes from EASY with perfect estimates, per cent; a gain is a
#: shorter wait. The share of wild backfills is per cent of all jobs.
CHANGES = ("gain", "slowdown gain", "heads", "longest")
QUANTITIES = ("wild", *CHANGES)
MEASURED = ("wild", "mean_wait", "mean_bounded_slowdown", "heads", "longest")
#: A run of relaxed backfilling draws its share within this factor of its level.
AROUND = 1.25
#: Prices at which ways are compared: that of perfect estimates, and those of f.
NO_PRICE = 0
PRICES = (NO_PRICE, *EQUAL_WILD)
#: Levels with a marker in the picture of gains.
MARKED = {F: (1, 10), RANDOM: (0.1, 0.5, 1), RELAXED: (0.1, 1)}
POINTS = "points"
UNITS = {end: "%" for name in QUANTITIES for end in ends(name)}
UNITS |= {end: POINTS for name in CHANGES for end in ends(f"{name}, more")}
UNITS |= dict.fromkeys((*(f"{name} of f" for name in CHANGES), "price"), "%")


def runs(workloads, badness, let_past, shares, seeds, workers=1):
    """Return the runs of the three ways.

    Parameters
    ----------
    workloads : dict of str to replication.Workload
    badness, let_past, shares : sequence of float
        Levels of the three ways above 0: f, the share of jobs let past at random, and the share of
        its expected wait by which the head may be delayed. A run draws the last within a factor of
        `AROUND` of the level, since neighbouring shares can differ much.
    seeds : dict of str to sequence of int
        Of the runs of each point, by log. A seed also shifts submissions by up to a minute, since
        without random numbers there would be one schedule, whose mean wait is partly chance.
    workers : int
        Threads.

    Returns
    -------
    pandas.DataFrame
        A row for each run. Columns log, way, level, seed; `MEASURED`: wild, share of all jobs;
        mean wait [s] and mean bounded slowdown; the mean wait of the heads and the longest wait,
        s. Level 0 of each way is EASY with perfect estimates.
    """
    points = levels(badness, let_past, shares)
    is_head = {log: heads(workload) for log, workload in workloads.items()}

    def of_seed(log, seed):
        jobs = placebo.shifted(workloads[log], seed)
        rows = []
        for way, level in points:
            scheduler, model = choices(way, level, seed)
            seen = observe(jobs, model, seed, scheduler)
            wait = seen.schedule.wait
            means = seen.schedule.measured(names=MEASURED[1:3]).values()
            wild, head_waits = seen.measures["wild"], wait[is_head[log]]
            rows.append([log, way, level, seed, wild, *means, head_waits.mean(), wait.max()])
        return rows

    parts = joblib.Parallel(workers, prefer="threads")(
        joblib.delayed(of_seed)(log, seed) for log in workloads for seed in seeds[log]
    )
    table = pd.DataFrame(sum(parts, []), columns=["log", "way", "level", "seed", *MEASURED])
    start = table[table["level"] == 0]
    both = [start.assign(way=way) for way in (RANDOM, RELAXED)]
    return pd.concat([table, *both], ignore_index=True)


def levels(badness, let_past, shares):
    """Return the points of the three ways as (way, level), EASY with perfect estimates first."""
    ways = zip(WAYS, (badness, let_past, shares), strict=True)
    return [(F, 0.0), *((way, level) for way, several in ways for level in several)]


def choices(way, level, seed):
    """Return the scheduler and the estimates of a run."""
    if way == F:
        return EASY(), FModel(level)
    if way == RANDOM:
        return PaperEASY(let_past=level), Perfect()
    between = generator("share of the expected wait", seed).uniform(-1, 1)
    return Relaxed(share=level * AROUND ** float(between)), Perfect()


def heads(workload, estimates=Users()):
    """Return the jobs that EASY blocks at the head, bool[n], with the users' estimates, by default:
    none of the schedules that are compared.
    """
    return audits.blocked(simulate(workload, EASY(), estimates))


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
            resampled_runs(rows[[*MEASURED]].to_numpy().T, "prices") for rows in by_level.values()
        ]
        wild, *changed = np.array(means).transpose(1, 0, 2)
        self.drawn = {"wild": 100 * wild}
        for name, values in zip(CHANGES, changed, strict=True):
            sign = -1 if "gain" in name else 1
            self.drawn[name] = sign * 100 * (over(values, values[0]) - 1)

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
            quantity: values[first, columns] * (1 - part) + values[first + 1, columns] * part
            for quantity, values in {**self.drawn, "level": levels}.items()
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
    columns = [end for name in QUANTITIES for end in ends(name)]
    return pd.DataFrame(rows, columns=["log", "way", "level", *columns])


def equal_wild(curves):
    """Return the two other ways where they have as many wild backfills as f = 1, 3 and 10.

    Returns
    -------
    pandas.DataFrame
        Columns log, f, way; level and wild where the way is equal to f; for each of `CHANGES` its
        value of f, its value with its interval, and the difference from f with its interval
        (``heads, more``). nan where the curve of the way never has as many.
    """
    rows = []
    logs = dict.fromkeys(log for log, _ in curves)
    for log, f, way in product(logs, EQUAL_WILD, (RANDOM, RELAXED)):
        base = curves[log, F].at(f)
        point = curves[log, way].where("wild", base["wild"])
        row = [log, f, way, point["level"][0], point["wild"][0]]
        for name in CHANGES:
            more = point[name] - base[name]
            row += [base[name][0], *over_seeds.interval(point[name]), *over_seeds.interval(more)]
        rows.append(row)
    columns = ["log", "f", "way", "level", "wild"]
    for name in CHANGES:
        columns += [f"{name} of f", *ends(name), *ends(f"{name}, more")]
    return pd.DataFrame(rows, columns=columns)


def _intervals(drawn, names):
    return [end for name in names for end in over_seeds.interval(drawn[name])]


class Choice:
    """The mixtures of a log with the largest gain at a price, chosen on one half of the seeds and
    measured on the other.

    Parameters
    ----------
    part : pandas.DataFrame
        Runs of one log, with at least four seeds: way, level, seed, mean_wait, heads, and possibly
        others of `MEASURED`.

    Attributes
    ----------
    changes : dict of str to pandas.DataFrame
        By name of `CHANGES`, a row for each way and level, a column for each seed, per cent:
        changes from the level 0 of the seed.
    gains, prices : pandas.DataFrame
        Those of the mean wait and of the heads.
    """

    def __init__(self, part):
        measured = [name for name in MEASURED[1:] if name in part]
        wide = part.pivot(index=["way", "level"], columns="seed", values=measured)
        changed = 100 * (wide / wide.loc[(F, 0)] - 1)
        self.changes = {
            name: (-1 if "gain" in name else 1) * changed[column]
            for name, column in zip(CHANGES, MEASURED[1:], strict=True)
            if column in measured
        }
        self.gains, self.prices = self.changes["gain"], self.changes["heads"]
        self._is_odd = np.array(self.gains.columns) % 2 == 1

    def limit(self, f):
        """Return the limit of the price for the seeds, float64[seeds], per cent: `NO_PRICE`, or the
        price of f if it is above that, the same for all odd and for all even seeds.
        """
        limits = np.zeros(len(self._is_odd))
        for half in (self._is_odd, ~self._is_odd):
            limits[half] = max(NO_PRICE, self.prices.loc[(F, f)].to_numpy()[half].mean())
        return limits

    def weights(self, way, limits):
        """Return the mixture that measures each seed, as weights of the levels of a way: a row for
        each level, a column for each seed. The other half of the seeds has chosen it at its limit.
        """
        gains, prices = self.gains.loc[way], self.prices.loc[way]
        weights = pd.DataFrame(0.0, gains.index, gains.columns)
        for half in (self._is_odd, ~self._is_odd):
            means = (table.loc[:, half].mean(axis=1).to_numpy() for table in (gains, prices))
            weights.loc[:, ~half] = mixture(*means, limits[half].mean())[:, None]
        return weights

    def at(self, way, limits):
        """Return the `changes` of each seed under its mixture by name, float64[seeds] each."""
        weights = self.weights(way, limits)
        return {
            name: (weights * table.loc[way]).sum(skipna=False).to_numpy()
            for name, table in self.changes.items()
        }

    def chosen(self, way, limits):
        """Yield the mixtures that odd and that even seeds choose in words: ``0.3``, or ``0.3, 0.5
        (60 %)`` with the share of the second level; empty for none.
        """
        weights = self.weights(way, limits)
        for measured in (~self._is_odd, self._is_odd):
            shares = weights.loc[:, measured].iloc[:, 0]
            used = shares[shares > 0]
            last = f" ({100 * used.iloc[-1]:.0f} %)" if len(used) > 1 else ""
            yield ", ".join(f"{level:g}" for level in used.index) + last


def mixture(gains, prices, limit):
    """Return the weights of at most two levels whose mixture gains most at a mean price of at most
    a limit.

    Parameters
    ----------
    gains, prices : float64[k]
        Of the levels.
    limit : float

    Returns
    -------
    float64[k]
        nan if no price is at most the limit, as where no head waits.
    """
    allowed = prices <= limit
    if not allowed.any():
        return np.full(len(gains), np.nan)
    # Of each allowed level (row) with any level, the weight of the latter, and the gain.
    low, kept = np.flatnonzero(allowed)[:, None], np.where(allowed, -np.inf, prices)
    part = np.where(allowed, 1.0, (limit - prices[low]) / (kept - prices[low]))
    total = (1 - part) * gains[low] + part * gains
    row, column = np.unravel_index(total.argmax(), total.shape)
    weights = np.zeros(len(gains))
    weights[low[row, 0]] += 1 - part[row, column]
    weights[column] += part[row, column]
    return weights


def equal_price(table):
    """Return the largest gain of each way at equal prices for the heads.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `runs`.

    Returns
    -------
    pandas.DataFrame
        Columns log; f, whose price is the limit, or `NO_PRICE`; way; number of runs; price, the
        limit; the levels that odd and that even seeds choose; each of `CHANGES` at the mixtures,
        and the difference of the gain and of the slowdown gain from those of the f-model at this
        price, with intervals over seeds.
    """
    rows = []
    for log, part in table.groupby("log", sort=False):
        choice = Choice(part)
        for f in PRICES:
            rows += [{"log": log, "f": f} | row for row in at_price(choice, f)]
    return pd.DataFrame(rows)


def at_price(choice, f):
    """Yield the columns of `equal_price` of each way at the price of f, for the `changes` of a
    choice.
    """
    limits = choice.limit(f)
    base = choice.at(F, limits)
    for way in WAYS:
        changes = choice.at(way, limits)
        several = changes | {
            f"{name}, more": values - base[name]
            for name, values in changes.items()
            if "gain" in name
        }
        levels = zip(("levels, odd", "levels, even"), choice.chosen(way, limits), strict=True)
        row = {"way": way, "runs": len(limits), "price": limits.mean(), **dict(levels)}
        for name, values in several.items():
            row |= zip(ends(name), student(values), strict=True)
        yield row


def frontier(table, steps=60):
    """Return the largest gain of each way up to each price, at even steps from 0 to the largest
    price of the f of `EQUAL_WILD`.

    Columns are log, way, price, and gain with its interval over seeds, per cent.
    """
    rows = []
    for log, part in table.groupby("log", sort=False):
        choice = Choice(part)
        most = max(choice.limit(f).mean() for f in EQUAL_WILD)
        for way, price in product(WAYS, np.linspace(0, most, steps)):
            gains = choice.at(way, np.full(choice.gains.shape[1], price))["gain"]
            rows.append([log, way, price, *student(gains)])
    return pd.DataFrame(rows, columns=["log", "way", "price", *ends("gain")])


def student(values, level=LEVEL):
    """Return the mean of independent values with the ends of its interval, by Student's t."""
    mean, n = float(np.mean(values)), len(values)
    half = stats.t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n)
    return mean, float(mean - half), float(mean + half)


def sides(rows, name):
    """Return in how many rows a way has more of a quantity than f by its interval, and in how many
    less.
    """
    _, low, high = (rows[end] for end in ends(f"{name}, more"))
    return int((low > 0).sum()), int((high < 0).sum())


# ---- Pictures


def draw_frontier(table):
    """Draw the largest gain up to each price for the heads: a panel for each log, a line with the
    band of its interval for each way.
    """

    def draw_panel(axes, panel):
        for way in WAYS:
            part, look = panel[panel["way"] == way], style.series(WAYS, marker=False)[way]
            axes.plot(part["price"], part["gain"], **look | {"lw": 1.4})
            band = part["price"], part["gain low"], part["gain high"]
            axes.fill_between(*band, color=look["color"], alpha=0.2, lw=0)
        axes.set_ylim(bottom=min(0, *axes.get_ylim()))
        axes.set_xlabel("heads wait longer by at most [%]")

    return _four(table, draw_panel, "largest gain in mean wait [%]")


def draw_gains(points):
    """Draw the gain in mean wait against the share of wild backfills: a line with the band of its
    interval for each way, and markers at the levels of `MARKED`.
    """

    def draw_panel(axes, panel):
        for way, levels in MARKED.items():
            part, look = panel[panel["way"] == way], style.series(WAYS)[way] | {"markersize": 4}
            marked = np.flatnonzero(part["level"].isin(levels))
            axes.plot(part["wild"], part["gain"], **look | {"lw": 1.2}, markevery=[*marked])
            band = part["wild"], part["gain low"], part["gain high"]
            axes.fill_between(*band, color=look["color"], alpha=0.2, lw=0)
        axes.axhline(0, color="black", lw=0.8)
        axes.set(xlabel="wild backfills [% of jobs]")

    return _four(points, draw_panel, "gain in mean wait [%]")


def _four(points, draw_panel, label):
    """Return a figure of two columns of panels, one for each log, that is legible in a column."""
    logs = list(dict.fromkeys(points["log"]))
    with plt.rc_context({"font.size": 8, "axes.titlesize": 8.5, "axes.labelsize": 8}):
        lines = -(-len(logs) // 2)
        size = (5.2, 0.5 + 2.1 * lines)
        figure, grid = plt.subplots(lines, 2, figsize=size, squeeze=False)
        for axes in grid.ravel()[len(logs) :]:
            axes.set_axis_off()
        for axes, log in zip(grid.ravel(), logs, strict=False):
            draw_panel(axes, points[points["log"] == log])
            axes.set_title(log)
            axes.xaxis.set_major_locator(ticker.MaxNLocator(6))
        for axes in grid[:, 0]:
            axes.set_ylabel(label)
        below_all(figure, grid[0, 0], 3)
    return figure
