"""Section 7, on E_max: where the truncated model meets the real estimates, and all jobs asking for E_max."""

import math

import numpy as np
import pandas as pd

from replication.estimates import Users, cut_runs
from replication.papers.heel_and_toe import campaign, curves, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, FCFS


def meetings(results):
    """The table of Fig. 16: `trends.crossovers` in the units of the figures.

    Parameters
    ----------
    results : pandas.DataFrame
        Of `campaign.results`, up to the largest f.
    """
    units = {words: results[measure] * factor for measure, (words, factor) in PERFORMANCE.items()}
    return curves.rounded(trends.crossovers(results.assign(**units), [*units]), 4)


def draw(results, met):
    """Fig. 16 with its table: under each panel the f at which its random curve meets the real estimates.

    Parameters
    ----------
    results : pandas.DataFrame
        As for `curves.panels`.
    met : pandas.DataFrame
        Of `meetings`.
    """
    figure = curves.panels(results, PERFORMANCE)
    order = [(words, log) for words, _ in PERFORMANCE.values() for log in dict.fromkeys(met["log"])]
    at = met.set_index(["measure", "log"])["meets at f"]
    for axes, key in zip(figure.axes, order, strict=True):
        words = "does not meet real" if math.isnan(at[key]) else f"meets real at f = {at[key]:.3g}"
        axes.set_xlabel("\n".join(filter(None, [axes.get_xlabel(), words])))
    return figure


def results(workloads):
    """EASY with the users' estimates, EASY with every estimate at E_max, and FCFS, on runs cut at E_max.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload

    Returns
    -------
    pandas.DataFrame
        log, measure, real, at E_max, FCFS (s, or a ratio), and backfilled: the shares of jobs backfilled in
        percent with the users' estimates and at E_max.
    """
    rows = []
    for log, workload in workloads.items():
        limit = campaign.e_max(log)
        cut = cut_runs(workload, limit)
        runs = {
            "real": simulate(cut, EASY(), Users(e_max=limit)).measures,
            "at E_max": simulate(cut, EASY(), np.full(len(cut), limit)).measures,
            "FCFS": simulate(cut, FCFS()).measures,
        }
        filled = {
            f"backfilled, {name} [%]": 100 * runs[name]["backfilled"]
            for name in ("real", "at E_max")
        }
        for measure in PERFORMANCE:
            found = {name: run[measure] for name, run in runs.items()}
            rows.append({"log": log, "measure": measure} | found | filled)
    return pd.DataFrame(rows)
