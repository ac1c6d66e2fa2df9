"""Fig. 4: policies that plan with run times known up to an error."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd

from replication.basics import style
from replication.papers.pv_easy import counts
from replication.papers.pv_easy.slowdown import NAMES
from replication.predictors import Virtual
from replication.schedule.simulation import simulate, warm
from replication.schedulers import EASY, PVEasy

POLICIES = {"PV-EASY": PVEasy(), "FCFS-EASY": EASY(), "SJF-EASY": EASY(candidates="sjf")}


def results(page, errors, repeats, correction="request"):
    """Simulate each policy with the virtual predictor.

    Parameters
    ----------
    page : replication.pages.page.Page
    errors : sequence of int, %
        Largest prediction errors.
    repeats : int
        Draws of the errors for each.
    correction : str
        What an expired prediction becomes; see `replication.schedulers.easy.EASY`.

    Returns
    -------
    pandas.DataFrame
        trace, policy, error, measure, mean, low, high: mean over the repeats and its 95 % interval (Student).
    """
    warm()
    grid = [(log, policy, error) for log in page.logs for policy in POLICIES for error in errors]

    def one(point):
        log, policy, error = point
        return [
            counts.slowdowns(
                simulate(
                    page.workloads[log],
                    replace(
                        POLICIES[policy], predictor=Virtual(error / 100), correction=correction
                    ),
                    seed=page.seed + k,
                )
            )
            for k in range(repeats)
        ]

    with ThreadPoolExecutor(page.workers) as pool:
        found = list(pool.map(one, grid))
    rows = [
        (*point, measure, *_mean([run[measure][0] for run in each]))
        for point, each in zip(grid, found, strict=True)
        for measure in NAMES
    ]
    return pd.DataFrame(
        rows, columns=["trace", "policy", "error", "measure", "mean", "low", "high"]
    )


def _mean(values):
    """Mean and its 95 % interval; the interval is missing for one value."""
    from scipy.stats import t

    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, float("nan"), float("nan")
    half = float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)
    return mean, mean - half, mean + half


def draw(table):
    """Lines over the error, a row a measure and a panel a log."""
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(table["trace"]))
    figure, grid = plt.subplots(
        len(NAMES), len(logs), figsize=style.size(2, len(logs)), squeeze=False, sharex=True
    )
    looks = style.series(list(POLICIES))
    for row, measure in zip(grid, NAMES, strict=True):
        for axes, log in zip(row, logs, strict=True):
            part = table[(table["trace"] == log) & (table["measure"] == measure)]
            for policy, one in part.groupby("policy", sort=False):
                axes.plot(one["error"], one["mean"], **looks[policy])
                axes.fill_between(
                    one["error"],
                    one["low"],
                    one["high"],
                    color=looks[policy]["color"],
                    alpha=0.2,
                    lw=0,
                )
            axes.set(ylabel=NAMES[measure] if axes is row[0] else "", ylim=(0, None))
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    for axes in grid[-1]:
        axes.set_xlabel("largest prediction error [%]")
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(POLICIES)
    )
    return figure


def leads(table):
    """Where PV-EASY is ahead of both EASYs and where behind, for each log and measure.

    Returns
    -------
    pandas.DataFrame
        trace, measure, ahead, behind (errors in %, as text; ahead or behind by more than the intervals),
        level: the largest error at which an EASY's mean is as low as PV-EASY's, -1 if at none.
    """
    rows = []
    for (log, measure), part in table.groupby(["trace", "measure"], sort=False):
        by = part.pivot(index="error", columns="policy")
        others = [name for name in POLICIES if name != "PV-EASY"]
        best = by["mean"][others].min(axis=1)
        ahead = by["high"]["PV-EASY"] < by["low"][others].min(axis=1)
        behind = by["low"]["PV-EASY"] > by["high"][others].min(axis=1)
        level = by.index[best <= by["mean"]["PV-EASY"]]
        rows.append(
            (
                log,
                measure,
                _span(by.index[ahead]),
                _span(by.index[behind]),
                int(level.max()) if len(level) else -1,
            )
        )
    return pd.DataFrame(rows, columns=["trace", "measure", "ahead", "behind", "level"])


def _span(errors):
    return ", ".join(f"{e}" for e in errors) or "none"
