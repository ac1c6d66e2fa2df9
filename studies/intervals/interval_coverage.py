"""Coverage of intervals over weeks, on synthetic logs whose true effect is known.

A log is a number of weeks of one random process; its load differs from week to week. The effect is
the logarithm of the quotient of a measure under EASY with the users' estimates and with perfect
ones. The true effect is the mean over many independent logs. An interval covers if it holds the
true effect. Compared are the package's jackknife over blocks of eight weeks, with two factors on
its degrees of freedom, and three intervals from resampled blocks of four weeks. The conditions were
written down before the first result; docs/verdicts.md has the rules.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import replication as rp
from replication.drawing import style
from replication.simulator.schedules import intervals

WEEK = 7 * 24 * 3600
ENDS = (0.025, 0.975)
MEASURES = ("mean wait", "mean bounded slowdown", "AP0WAF", "AP1WAF")
PRIORITY = ("AP0WAF", "AP1WAF")
ONE, HALF, USED = "jackknife, c = 1", "jackknife, c = 0.5", "jackknife, as used"
FACTORS = {ONE: intervals.PLAIN, HALF: intervals.PRIORITY}


def log(weeks, seed, load=0.5, correlation=0.0, machine=128, spread=0.25):
    """Return a synthetic log of some weeks; the logarithms of their arrival rates are normal and
    follow each other (AR 1).
    """
    jobs = 900 * weeks + 2000
    plain = rp.synthetic(jobs, machine, load, seed)
    random = np.random.default_rng([seed, weeks])
    days = plain.submit / WEEK
    normal = random.normal(0, 1, int(days[-1]) + 2)
    for k in range(1, len(normal)):
        normal[k] = correlation * normal[k - 1] + np.sqrt(1 - correlation**2) * normal[k]
    rate = np.exp(spread * normal - spread**2 / 2)
    ends = np.concatenate([[0], np.cumsum(1 / rate)])
    submit = np.interp(days, np.arange(len(ends)), ends) * WEEK
    warped = plain.replace(submit=submit.astype(np.int64), draw_key=f"coverage {seed} {weeks}")
    inside = warped.submit - warped.submit[0] < weeks * WEEK
    return warped.take(slice(int(inside.sum())))


def sums(jobs):
    """Return the sums over weeks from which the effects are made, float64[weeks, measures, 2
    schedules, 2].
    """
    parts = []
    for estimates in (rp.Users(), rp.Perfect()):
        run = rp.simulate(jobs, rp.EASY(), estimates)
        wait, run_time = run.wait.astype(float), jobs.run_time.astype(float)
        flow, area = wait + run_time, jobs.processors * run_time
        priority = jobs.processors * (flow**2 - wait**2)
        ones = np.ones(len(jobs))
        slowdown = np.maximum(flow / np.maximum(run_time, 10), 1)
        tops = [(wait, ones), (slowdown, ones), (area * flow, area), (priority * flow, priority)]
        parts.append(tops)
    _, week = np.unique((jobs.submit - jobs.submit[0]) // WEEK, return_inverse=True)
    table = [[[np.bincount(week, column) for column in pair] for pair in arm] for arm in parts]
    return np.array(table).transpose(3, 1, 0, 2)


def effect(total):
    """Return the effects of sums, float64[..., measures, 2, 2] -> float64[..., measures]."""
    means = total[..., 0] / total[..., 1]
    with np.errstate(invalid="ignore"):  # widened draws of sums can be negative
        return np.log(means[..., 0] / means[..., 1])


def deviation(rows):
    """Return the standard errors of the effects of weekly sums by linearization,
    float64[measures].
    """
    share = rows / rows.sum(axis=0)
    influence = (share[..., 0, 0] - share[..., 0, 1]) - (share[..., 1, 0] - share[..., 1, 1])
    n = len(rows)
    return np.sqrt(((influence - influence.mean(axis=0)) ** 2).sum(axis=0) * n / (n - 1))


def bootstrap(rows, seed, block=4, draws=400):
    """Return the ends of intervals from drawn blocks of weeks by method, {method: float64[2,
    measures]}.
    """
    n = len(rows) // block
    rows = rows[: n * block].reshape(n, block, *rows.shape[1:]).sum(axis=1)
    random = np.random.default_rng([seed, n])
    observed, error = effect(rows.sum(axis=0)), deviation(rows)
    picked = [rows[random.integers(0, n, n)] for _ in range(draws)]
    totals, whole = np.array([weeks.sum(axis=0) for weeks in picked]), rows.sum(axis=0)
    # Student's t for so few blocks, and the variance of draws, which is too small by 1 - 1/n.
    widened = stats.t.ppf(ENDS[1], n - 1) / stats.norm.ppf(ENDS[1]) * np.sqrt(n / (n - 1))
    drawn, wide = effect(totals), effect(whole + widened * (totals - whole))
    t_low, t_high = np.quantile(
        (drawn - observed) / [deviation(weeks) for weeks in picked], ENDS, axis=0
    )
    return {
        "percentiles": np.quantile(drawn, ENDS, axis=0),
        "widened percentiles": np.nanquantile(wide, ENDS, axis=0),
        "studentized": np.array([observed - t_high * error, observed - t_low * error]),
    }


def jackknife(rows):
    """Return the ends of the package's intervals by method, {method: float64[2, measures]}."""
    block = intervals.blocks(WEEK * np.arange(len(rows)))
    values = [effect(rows[block != k].sum(axis=0)) for k in range(block[-1] + 1)]
    values = np.array([effect(rows.sum(axis=0)), *values]).T
    return {
        name: np.array([intervals.interval(replicates, factor)[1:] for replicates in values]).T
        for name, factor in FACTORS.items()
    }


def coverage(weeks, load, correlation, logs=300, first=1):
    """Return the share of the logs whose interval holds the true effect, and the mean width, by
    method and measure.
    """
    seeds = range(first, first + logs)
    rows = [sums(log(weeks, seed, load, correlation)) for seed in seeds]
    truth = np.mean([effect(log_rows.sum(axis=0)) for log_rows in rows], axis=0)
    ends_of = {}
    for seed, log_rows in zip(seeds, rows, strict=True):
        for method, ends in (bootstrap(log_rows, seed) | jackknife(log_rows)).items():
            ends_of.setdefault(method, []).append(ends)
    table = []
    for method, ends in ends_of.items():
        low, high = np.array(ends).transpose(1, 0, 2)
        columns = {
            "coverage": ((low <= truth) & (truth <= high)).mean(axis=0),
            "above": (truth > high).mean(axis=0),
            "width": (high - low).mean(axis=0),
            "true effect": truth,
        }
        about = {"weeks": weeks, "load": load, "correlation": correlation, "method": method}
        for k, measure in enumerate(MEASURES):
            measured = {name: float(values[k]) for name, values in columns.items()}
            table.append(about | {"measure": measure, "logs": logs} | measured)
    return pd.DataFrame(table)


def in_use(table):
    """Return the rows of the intervals that the package uses: a factor of their own for
    `PRIORITY`.
    """
    used = table["measure"].map(lambda measure: HALF if measure in PRIORITY else ONE)
    return table[table["method"] == used]


def overview(table):
    """Return coverage by condition and method, means over the measures, and width relative to
    widened percentiles.

    The last method has the intervals that the package uses, with the factor of each measure.
    """
    both = pd.concat([table, in_use(table).assign(method=USED)])
    former = table[table["method"] == "widened percentiles"]
    keys = ["weeks", "load", "correlation", "measure"]
    former = former.set_index(keys)["width"].rename("former")
    both = both.join(former, on=keys)
    both["relative width"] = both["width"] / both["former"]
    means = both.groupby([*keys[:3], "method"], sort=False)
    return means[["coverage", "above", "relative width"]].mean().reset_index()


def draw(table):
    """Return a figure of the coverage of each method: a point for each condition and measure, and
    their mean.
    """
    methods = table.groupby("method")["coverage"].mean().sort_values()
    figure, axes = plt.subplots(figsize=(7, 0.45 * len(methods) + 1.3), layout="constrained")
    markers = dict(zip(MEASURES, "os^D", strict=True))
    hollow = {"color": style.COLOURS[0], "mfc": "none"}
    for y, (method, mean) in enumerate(methods.items()):
        for measure, marker in markers.items():
            part = table[(table["method"] == method) & (table["measure"] == measure)]
            axes.plot(100 * part["coverage"], [y] * len(part), marker, ms=5, **hollow)
        axes.plot(100 * mean, y, "|", color="black", ms=16, mew=2)
    axes.axvline(95, color="black", lw=0.8, ls=":")
    axes.set_yticks(range(len(methods)), methods.index)
    axes.set_ylim(-0.5, len(methods) - 0.5)
    axes.set_xlabel("intervals that contain the true effect [%]")
    axes.grid(axis="x", color="#dddddd", lw=0.5)
    handles = [
        plt.Line2D([], [], marker=m, ls="", label=name, **hollow) for name, m in markers.items()
    ]
    handles.append(plt.Line2D([], [], marker="|", ls="", color="black", ms=12, mew=2, label="mean"))
    where = {"loc": "outside lower center", "ncols": 5, "frameon": False, "fontsize": "small"}
    figure.legend(handles=handles, **where)
    return figure
