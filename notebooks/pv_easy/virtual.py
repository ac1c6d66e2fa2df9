"""Fig. 4: policies that plan with run times known up to an error."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import stats

import replication as rp
from notebooks import panels
from notebooks.pv_easy import counts
from notebooks.pv_easy.slowdown import NAMES
from replication.drawing import style
from replication.simulator.precompilation import warm
from replication.simulator.sweeps import engines

BASE = "PV-EASY"
UNITS = dict.fromkeys(("ahead", "behind", "level"), "error, %")
OVER = ["over", "over_low", "over_high"]
POLICIES = {BASE: rp.PVEasy(), "FCFS-EASY": rp.EASY(), "SJF-EASY": rp.EASY(candidates="shortest")}


def results(workloads, policies, errors, seeds, correction="estimate", workers=1) -> pd.DataFrame:
    """Return mean slowdowns over the seeds, with 95 % intervals (Student), of policies that plan
    with the virtual predictor.

    There is a row for each log, policy, largest error (%) and measure, and in ``over`` the mean
    over that of PV-EASY, with the interval of this quotient: runs of one seed have the same errors,
    so they are compared in pairs. `correction` applies to expired predictions.
    """
    warm(replace(policy, predictor=rp.Virtual(0)) for policy in policies.values())
    grid = [(log, policy, error) for log in workloads for policy in policies for error in errors]

    def slowdowns(point):
        log, policy, error = point
        planning = {"predictor": rp.Virtual(error / 100), "correction": correction}
        scheduler = replace(policies[policy], **planning)
        return [counts.slowdowns(rp.simulate(workloads[log], scheduler, seed=k)) for k in seeds]

    runs = dict(zip(grid, engines.each(slowdowns, grid, workers), strict=True))
    rows = []
    for (log, policy, error), measure in product(grid, NAMES):
        values, base = (
            np.array([run[measure][0] for run in runs[log, name, error]]) for name in (policy, BASE)
        )
        rows.append((log, policy, error, measure, *_mean(values), *_quotient(values, base)))
    columns = ["trace", "policy", "error", "measure", "mean", "low", "high", *OVER]
    return pd.DataFrame(rows, columns=columns)


def _mean(values):
    """Return a mean and its 95 % interval, which is nan for one value."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, float("nan"), float("nan")
    half = float(stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5)
    return mean, mean - half, mean + half


def _quotient(values, others):
    """Return the quotient of two means over the same seeds, with its 95 % interval by
    linearization.
    """
    quotient = float(values.mean() / others.mean())
    _, low, high = _mean(values / values.mean() - others / others.mean())
    return quotient, quotient * float(np.exp(low)), quotient * float(np.exp(high))


def draw(table) -> Figure:
    """Draw means over the error with their intervals, a row for each measure and a panel for each
    log.
    """
    looks = style.series(dict.fromkeys(table["policy"]))

    def draw_panel(axes, log, measure):
        part = table[(table["trace"] == log) & (table["measure"] == measure)]
        for policy, of in part.groupby("policy", sort=False):
            axes.plot(of["error"], of["mean"], **looks[policy])
            colour = looks[policy]["color"]
            axes.fill_between(of["error"], of["low"], of["high"], color=colour, alpha=0.2, lw=0)
        axes.set(ylim=(0, None))

    how = {"xlabel": "largest prediction error [%]", "sharex": True}
    return panels.draw(table["trace"], NAMES, draw_panel, **how)


def leads(table) -> pd.DataFrame:
    """Return the errors (%, as text) at which PV-EASY is better than both versions of EASY, or
    worse than one, by the intervals of the quotients.

    The column level is the largest error at which the mean of one EASY is as low, -1 if at none.
    """
    rows = []
    for (log, measure), part in table.groupby(["trace", "measure"], sort=False):
        by = part[part["policy"] != BASE].pivot(index="error", columns="policy", values=OVER)
        level = by.index[(by["over"] <= 1).any(axis=1)]
        ahead, behind = (by["over_low"] > 1).all(axis=1), (by["over_high"] < 1).any(axis=1)
        where = [by.index[errors] for errors in (ahead, behind)]
        lists = [", ".join(map(str, errors)) or "none" for errors in where]
        rows.append((log, measure, *lists, int(level.max()) if len(level) else -1))
    return pd.DataFrame(rows, columns=["trace", "measure", "ahead", "behind", "level"])


def level_in_words(leads, errors) -> list[str]:
    """Return the column level of `leads` as text: an end of the range of errors is no number."""
    ends = {-1: "none", max(errors): f"{max(errors)}, the largest"}
    return [ends.get(level, str(level)) for level in leads["level"]]
