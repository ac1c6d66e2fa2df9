"""Coverage of bootstrap intervals of an effect, on synthetic logs whose true effect is known.

A log is a number of weeks of one random process; its load differs from week to week. The effect is the logarithm of the
quotient of a measure under EASY with the users' estimates and with perfect ones. The true effect is the mean over many independent
logs. An interval covers if it holds the true effect. Two ways of drawing are compared: weeks of jobs of the finished schedules,
and weeks of jobs that are simulated again; and five ways of making an interval: percentile, widened percentile (the package's),
basic, standard error and studentized.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats

import replication as rp
from replication.papers import resampling, style

WEEK = 7 * 24 * 3600
MEASURES = ("mean wait", "mean bounded slowdown", "AP0WAF", "AP1WAF")


def log(weeks, seed, load=0.5, correlation=0.0, machine=128, spread=0.25):
    """Return a synthetic log of some weeks; the logarithms of their arrival rates are normal and follow each other (AR 1)."""
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
    """Return the sums over weeks from which the effects are made, float64[weeks, measures, 2 schedules, 2]."""
    parts = []
    for estimates in (rp.Users(), rp.Exact()):
        run = rp.simulate(jobs, rp.EASY(), estimates)
        wait, run_time = run.wait.astype(float), jobs.run_time.astype(float)
        flow, area = wait + run_time, jobs.processors * run_time
        priority = jobs.processors * (flow**2 - wait**2)
        one = np.ones(len(jobs))
        slowdown = np.maximum(flow / np.maximum(run_time, 10), 1)
        tops = [(wait, one), (slowdown, one), (area * flow, area), (priority * flow, priority)]
        parts.append(tops)
    _, week = np.unique((jobs.submit - jobs.submit[0]) // WEEK, return_inverse=True)
    table = [[[np.bincount(week, column) for column in pair] for pair in arm] for arm in parts]
    return np.array(table).transpose(3, 1, 0, 2)


def effect(total):
    """Return the effects of sums, float64[..., measures, 2, 2] -> float64[..., measures]."""
    means = total[..., 0] / total[..., 1]
    return np.log(means[..., 0] / means[..., 1])


def deviation(rows):
    """Return the standard errors of the effects of weekly sums by linearization, float64[measures]."""
    share = rows / rows.sum(axis=0)
    influence = (share[..., 0, 0] - share[..., 0, 1]) - (share[..., 1, 0] - share[..., 1, 1])
    n = len(rows)
    return np.sqrt(((influence - influence.mean(axis=0)) ** 2).sum(axis=0) * n / (n - 1))


def intervals(rows, seed, block=1, draws=400, level=0.95):
    """Return the ends of the intervals from drawn blocks of weeks by method, {method: float64[2, measures]}."""
    n = len(rows) // block
    rows = rows[: n * block].reshape(n, block, *rows.shape[1:]).sum(axis=1)
    random = np.random.default_rng([seed, n])
    own, error = effect(rows.sum(axis=0)), deviation(rows)
    picked = [rows[random.integers(0, n, n)] for _ in range(draws)]
    totals, whole = np.array([one.sum(axis=0) for one in picked]), rows.sum(axis=0)
    drawn, wide = effect(totals), effect(whole + resampling.widening(n) * (totals - whole))
    ends = (1 - level) / 2, (1 + level) / 2
    low, high = np.quantile(drawn, ends, axis=0)
    t_low, t_high = np.quantile((drawn - own) / [deviation(one) for one in picked], ends, axis=0)
    half = stats.t.ppf(ends[1], n - 1) * drawn.std(axis=0)
    return {
        "percentile": np.array([low, high]),
        "widened percentile": np.nanquantile(wide, ends, axis=0),
        "basic": np.array([2 * own - high, 2 * own - low]),
        "standard error": np.array([own - half, own + half]),
        "studentized": np.array([own - t_high * error, own - t_low * error]),
    }


def simulated_again(jobs, own, samples, level=0.95):
    """Return the ends of the intervals from logs of resampled weeks that are simulated again."""
    weeks = max(round(jobs.span / WEEK), 1)
    drawn = np.array(
        [
            effect(sums(rp.ResampledWeeks(weeks).make(jobs, k)).sum(axis=0))
            for k in range(1, samples + 1)
        ]
    )
    low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return {"percentile": np.array([low, high]), "basic": np.array([2 * own - high, 2 * own - low])}


def coverage(weeks, load, correlation, logs=300, samples=40, again=100):
    """Return the share of the logs whose interval holds the true effect, and the mean width, by way, method and measure."""
    rows = [sums(log(weeks, seed, load, correlation)) for seed in range(1, logs + 1)]
    own = np.array([effect(one.sum(axis=0)) for one in rows])
    truth = own.mean(axis=0)
    found = {}
    for k, one in enumerate(rows):
        for block in (1, 4):
            for method, ends in intervals(one, k, block).items():
                way = f"blocks of {block} weeks of finished schedules"
                found.setdefault((way, method), []).append(ends)
    for k in range(again):
        jobs = log(weeks, k + 1, load, correlation)
        for method, ends in simulated_again(jobs, own[k], samples).items():
            found.setdefault(("weeks simulated again", method), []).append(ends)
    table = []
    for (way, method), ends in found.items():
        low, high = np.array(ends).transpose(1, 0, 2)
        holds, width = ((low <= truth) & (truth <= high)).mean(axis=0), (high - low).mean(axis=0)
        table += [
            (
                weeks,
                load,
                correlation,
                way,
                method,
                measure,
                len(ends),
                float(h),
                float(w),
                float(t),
            )
            for measure, h, w, t in zip(MEASURES, holds, width, truth, strict=True)
        ]
    columns = [
        "weeks",
        "load",
        "correlation",
        "drawn",
        "method",
        "measure",
        "logs",
        "coverage",
        "width",
        "true effect",
    ]
    return pd.DataFrame(table, columns=columns)


def draw(table):
    """Return a figure of the coverage of each way: a point for each condition and measure, and their mean."""
    ways = table.groupby(["drawn", "method"], sort=False)["coverage"].mean().sort_values()
    figure, axes = plt.subplots(figsize=(7, 0.45 * len(ways) + 1.3), layout="constrained")
    markers = dict(zip(MEASURES, "os^D", strict=True))
    for y, way in enumerate(ways.index):
        own = table[(table["drawn"] == way[0]) & (table["method"] == way[1])]
        for measure, marker in markers.items():
            part = own[own["measure"] == measure]
            axes.plot(
                100 * part["coverage"],
                [y] * len(part),
                marker,
                color=style.COLOURS[0],
                mfc="none",
                ms=5,
            )
        axes.plot(100 * ways[way], y, "|", color="black", ms=16, mew=2)
    axes.axvline(95, color="black", lw=0.8, ls=":")
    axes.set_yticks(range(len(ways)), [f"{method}, {drawn}" for drawn, method in ways.index])
    axes.set_xlabel("intervals that contain the true effect [%]")
    axes.grid(axis="x", color="#dddddd", lw=0.5)
    handles = [
        plt.Line2D([], [], marker=m, ls="", color=style.COLOURS[0], mfc="none", label=name)
        for name, m in markers.items()
    ]
    handles.append(plt.Line2D([], [], marker="|", ls="", color="black", ms=12, mew=2, label="mean"))
    figure.legend(
        handles=handles, loc="outside lower center", ncols=5, frameon=False, fontsize="small"
    )
    return figure
