"""Figs. 13 and 15: what users' estimates look like."""

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.basics.lazy import stats
from replication.evidence import published
from replication.logs import traces
from replication.papers.heel_and_toe.campaign import HOUR, PAPER

TOP = 20
BINS = 100
MINUTE = 60
TICKS = (1 / 60, 0.1, 1, 4, 18, 60)  # h


def recorded(workloads):
    """The workloads with the users' estimates as recorded, also where a job ran longer."""
    whole = {log: traces.load(log, paper=PAPER, overrun="as-is") for log in workloads}
    return {log: w.take(slice(len(workloads[log]))) for log, w in whole.items()}


def popular(workload):
    """The estimates in use and their jobs, the most popular first."""
    values, jobs = np.unique(workload.estimate, return_counts=True)
    order = np.argsort(-jobs, kind="stable")
    return values[order], jobs[order]


def modality(workloads):
    """E_max's share and rank, and the share of the 20 most popular estimates.

    Returns
    -------
    pandas.DataFrame
        One row a log. The E_max are those of the table under Fig. 13, for KTH and BLUE the one that it gives
        the share of.
    """
    rows = []
    for log, workload in recorded(workloads).items():
        values, jobs = popular(workload)
        e_max = round(
            published.value(PAPER, "e_max", trace=log, policy="log", measure="e_max").value * HOUR
        )
        found = np.flatnonzero(values == e_max)
        rows.append(
            {
                "log": log,
                "E_max [h]": e_max / HOUR,
                "E_max share [%]": 100 * float((workload.estimate == e_max).mean()),
                "within a minute of it [%]": 100
                * float((abs(workload.estimate - e_max) <= 60).mean()),
                "E_max rank": int(found[0]) + 1 if len(found) else None,
                f"top {TOP} share [%]": 100 * float(jobs[:TOP].sum() / jobs.sum()),
                "distinct estimates": len(values),
                "longest estimate [h]": float(workload.estimate.max() / HOUR),
                "longest run [h]": float(workload.run_time.max() / HOUR),
            }
        )
    return pd.DataFrame(rows)


def shares_published(table):
    """The E_max shares as `Page.compare` takes them for the table under Fig. 13."""
    return [
        {
            "trace": row["log"],
            "policy": "log",
            "measure": "e_max_share",
            "value": row["E_max share [%]"],
            "unit": "%",
        }
        for _, row in table.iterrows()
    ]


def limits(log):
    """Names of the limits that the table under Fig. 13 gives for a log."""
    return [
        row.measure
        for row in published.rows(PAPER, "e_max")
        if row.trace == log and row.unit == "h"
    ]


def text_published(table):
    """Ranks and extremes as `Page.compare` takes them for the running text."""
    ranks = [
        {
            "trace": row["log"],
            "policy": "log",
            "measure": "e_max_rank",
            "value": row["E_max rank"],
            "unit": "rank",
        }
        for _, row in table.iterrows()
    ]
    share = table["E_max share [%]"]
    rest = {
        "top20_share": table[f"top {TOP} share [%]"].mean(),
        "e_max_share_min": share.min(),
        "e_max_share_max": share.max(),
    }
    return ranks + [
        {"trace": "all", "policy": "log", "measure": m, "value": v, "unit": "%"}
        for m, v in rest.items()
    ]


def draw_cdf(workloads):
    """Cumulative distributions of run times and estimates, a panel a log, and the limits that sites set."""
    workloads = recorded(workloads)
    figure, axes = plt.subplots(
        1, len(workloads), figsize=style.size(1, len(workloads)), sharey=True, squeeze=False
    )
    for panel, (log, workload) in zip(axes[0], workloads.items(), strict=True):
        for name, colour in zip(("run_time", "estimate"), style.COLOURS, strict=False):
            sns.ecdfplot(
                x=np.maximum(getattr(workload, name), MINUTE) / HOUR,
                stat="percent",
                color=colour,
                linestyle="-",
                linewidth=1.2,
                label=name.replace("_", " "),
                ax=panel,
            )
        for measure in limits(log):
            value = published.value(PAPER, "e_max", trace=log, policy="log", measure=measure).value
            panel.axvline(value, color="black", linestyle=":", linewidth=1, label="E_max")
        panel.set(title=log, xlabel="time [h]", ylabel="jobs [%]", xscale="log")
        panel.set_xticks(TICKS, [f"{tick:.2g}" for tick in TICKS])
        panel.set_xticks([], minor=True)
        panel.set_xlim(MINUTE / HOUR, 1.2 * workload.estimate.max() / HOUR)
    handles = dict(zip(*reversed(axes[0, 0].get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=len(handles))
    return figure


def accuracy(workload, equal="jobs"):
    """Mean accuracy, run time over estimate, in 100 bins by run time.

    Parameters
    ----------
    workload : Workload
        A job of estimate 0 is left out: it has no accuracy.
    equal : {"jobs", "width"}
        Bins hold equally many jobs, or are equally wide; the paper's "equally sized" may mean either.

    Returns
    -------
    pandas.DataFrame
        run time (mean of the bin, h), accuracy (%), jobs; empty bins are left out.
    """
    some = workload.estimate > 0
    run_time = workload.run_time[some]
    ratio = run_time / workload.estimate[some]
    if equal == "jobs":
        place = np.empty(len(run_time), np.int64)
        place[np.argsort(run_time, kind="stable")] = (
            np.arange(len(run_time)) * BINS // len(run_time)
        )
    else:
        place = np.minimum(run_time * BINS // max(int(run_time.max()), 1), BINS - 1)
    table = pd.DataFrame(
        {"bin": place, "run time [h]": run_time / HOUR, "accuracy [%]": 100 * ratio}
    )
    grouped = table.groupby("bin")
    return grouped.mean().assign(jobs=grouped.size()).reset_index(drop=True)


def accuracies(workloads):
    """Both readings of Fig. 15 for every log, in one table."""
    parts = [
        accuracy(workload, equal).assign(log=log, equal=equal)
        for equal in ("jobs", "width")
        for log, workload in workloads.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[["log", "equal", "run time [h]", "accuracy [%]", "jobs"]]


def draw_accuracy(table):
    """Accuracy against run time; a row a reading, a column a log."""
    logs = list(dict.fromkeys(table["log"]))
    figure, grid = plt.subplots(
        2, len(logs), figsize=style.size(2, len(logs)), squeeze=False, sharey=True
    )
    for row, (equal, words) in zip(
        grid, (("jobs", "bins of equally many jobs"), ("width", "bins of equal width")), strict=True
    ):
        for axes, log in zip(row, logs, strict=True):
            part = table[(table["log"] == log) & (table["equal"] == equal)]
            axes.plot(
                part["run time [h]"], part["accuracy [%]"], marker=".", markersize=3, linewidth=0.8
            )
            axes.set(xlabel="run time [h]", ylim=(0, 105))
        row[0].set_ylabel(f"accuracy [%]\n{words}")
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    return figure


def rank_correlation(table):
    """Spearman's correlation of accuracy with run time over the bins, by log and reading."""
    rows = [
        {
            "log": log,
            "equal": equal,
            "correlation": float(stats.spearmanr(p["run time [h]"], p["accuracy [%]"]).statistic),
        }
        for (log, equal), p in table.groupby(["log", "equal"], sort=False)
    ]
    return pd.DataFrame(rows)
