"""Figs. 13 and 15: the distribution and the accuracy of users' estimates."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import ticker
from matplotlib.figure import Figure

import replication as rp
from notebooks import panels, ratios
from notebooks.heel_and_toe.campaign import HOUR, PAPER, limits
from notebooks.logs import tidy
from replication.drawing import style
from replication.verdicts import published
from replication.verdicts.rules import level

TOP = 20
PEAKS = 10
MINUTE = 60
TICKS = {1 / 60: "1 min", 1 / 6: "10 min", 1: "1 h"}
EQUAL = {"jobs": "bins of equally many jobs", "width": "bins of equal width"}


def workloads_as_recorded(page, drop=()) -> dict[str, rp.Workload]:
    """Return a page's workloads with estimates as recorded, also where a job ran longer; `drop`
    adds rules to those used.
    """
    return page.reload(drop, overrun="as-is")


def e_max(log, workload=None) -> int:
    """Return the E_max whose share the table under Fig. 13 gives, s; of another log, its longest
    estimate.
    """
    if workload is not None and not limits(log):
        return int(workload.estimate.max())
    said = published.value(PAPER, "e_max", trace=log, policy="log", measure="e_max").value
    return round(said * HOUR)


def popular(workload) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct estimates and their jobs, the most popular first."""
    values, jobs = np.unique(workload.estimate, return_counts=True)
    order = np.argsort(-jobs, kind="stable")
    return values[order], jobs[order]


def modality(page) -> pd.DataFrame:
    """Return E_max's share and rank, and the share of the 20 most popular estimates, a row for each
    log of a page.

    E_max is that of the table under Fig. 13; for KTH and BLUE the one whose share it gives. For a
    log that the paper does not use, E_max is the longest estimate.
    """

    def percent(which):
        return 100 * float(which.mean())

    rows, allocated = [], workloads_as_recorded(page, ["not-allocated"])
    for log, workload in workloads_as_recorded(page).items():
        values, jobs = popular(workload)
        limit, run_time = e_max(log, workload), workload.run_time
        asked = workload.estimate == limit
        quartile = np.quantile(run_time[asked], level("often") / 100) if asked.any() else np.nan
        before = limit - allocated[log].estimate
        ranks = np.flatnonzero(values == limit)
        rows.append(
            {
                "log": log,
                "E_max [h]": limit / HOUR,
                "E_max share [%]": percent((before >= 0) & (before <= MINUTE)),
                "exactly E_max, of all jobs [%]": percent(asked),
                "of those at E_max, lower quartile of run times, of it [%]": 100 * quartile / limit,
                "at most E_max [%]": percent(workload.estimate <= limit),
                "run beyond the estimate [%]": percent(run_time > workload.estimate),
                "E_max rank": int(ranks[0]) + 1 if len(ranks) else None,
                f"top {TOP} share [%]": 100 * float(jobs[:TOP].sum() / jobs.sum()),
                "distinct estimates": len(values),
                "longest estimate [h]": float(workload.estimate.max() / HOUR),
                "longest run [h]": float(workload.run_time.max() / HOUR),
            }
        )
    return pd.DataFrame(rows)


def shares_published(table) -> pd.DataFrame:
    """Return the E_max shares as `Page.compare` takes them for the table under Fig. 13."""
    return tidy(
        (log, "e_max_share", share, "%") for log, share in _by_log(table, "E_max share [%]")
    )


def text_published(table) -> pd.DataFrame:
    """Return ranks and extremes as `Page.compare` takes them for the running text."""
    share = table["E_max share [%]"]
    rest = {
        "top20_share": table[f"top {TOP} share [%]"].mean(),
        "e_max_share_min": share.min(),
        "e_max_share_max": share.max(),
    }
    rows = [(log, "e_max_rank", rank, "rank") for log, rank in _by_log(table, "E_max rank")]
    rows += [("all", measure, value, "%") for measure, value in rest.items()]
    # The paper's example: 17 h under an E_max of 18 h, as SDSC has it.
    return tidy([*rows, ("fig13", "accuracy_17h", 100 * 17 * HOUR / e_max("SDSC-SP2"), "%")])


def _by_log(table, column):
    return zip(table["log"], table[column], strict=True)


def draw_cdf(workloads) -> Figure:
    """Draw the distributions of run times and estimates as recorded, a panel for each log, and the
    limits of the sites.
    """
    looks = style.series(("run time", "estimate"), marker=False)
    looks["estimate"]["label"] = "users' estimate"

    def draw_panel(axes, log, _):
        workload, hours_allowed = workloads[log], limits(log).values()
        for hours in hours_allowed:
            look = {"color": "black", "linestyle": ":", "label": r"$E_\mathrm{max}$"}
            axes.axvline(hours, linewidth=1, zorder=1, **look)
        for name, times in (("run time", workload.run_time), ("estimate", workload.estimate)):
            hours = np.maximum(times, MINUTE) / HOUR
            sns.ecdfplot(x=hours, stat="percent", ax=axes, **looks[name] | {"linestyle": "-"})
        ticks = {
            at: name for at, name in TICKS.items() if at < min(hours_allowed, default=np.inf) / 3
        }
        ticks |= {hours: f"{hours:g} h" for hours in hours_allowed}
        last = max(workload.estimate.max() / HOUR, *hours_allowed, 1)
        axes.set(xscale="log", xlim=(MINUTE / HOUR, 1.2 * last))
        axes.set_xticks([*ticks], [*ticks.values()])
        axes.xaxis.set_minor_locator(ticker.NullLocator())

    return panels.draw(workloads, {"": "jobs [%]"}, draw_panel, "time", sharey=True)


def accuracy(workload, equal="jobs", bins=100) -> pd.DataFrame:
    """Return mean accuracy, run time over estimate (%), in bins by run time (h).

    The paper's "equally sized" may mean bins of equally many jobs or of equal width. Empty bins and
    jobs of estimate 0 are left out.
    """
    estimated = workload.estimate > 0
    run_time = workload.run_time[estimated]
    ratio = 100 * (run_time / workload.estimate[estimated])
    place = np.minimum(run_time * bins // max(int(run_time.max()), 1), bins - 1)
    if equal == "jobs":
        place[np.argsort(run_time, kind="stable")] = np.arange(len(place)) * bins // len(place)
    table = pd.DataFrame({"run time [h]": run_time / HOUR, "accuracy [%]": ratio})
    grouped = table.groupby(place)
    return grouped.mean().assign(jobs=grouped.size()).reset_index(drop=True)


def peaks(workload, equal="jobs") -> list[tuple[float, int]]:
    """Return the bins of Fig. 15, of `EQUAL` kind, whose accuracy exceeds that of their neighbours
    most.

    For each the mean run time, h, and how many of the most popular estimates lie among its run
    times.
    """
    table = accuracy(workload, equal)
    mean, edges = table["accuracy [%]"].to_numpy(), np.cumsum([0, *table["jobs"]])
    run_time = np.sort(workload.run_time[workload.estimate > 0])
    modes, peaks = popular(workload)[0][:TOP], []
    out = mean[1:-1] - (mean[:-2] + mean[2:]) / 2
    for place in 1 + np.argsort(-out, kind="stable")[:PEAKS]:
        first, last = run_time[edges[place]], run_time[edges[place + 1] - 1]
        inside = int(((first <= modes) & (modes <= last)).sum())
        peaks.append((float(table["run time [h]"].iloc[place]), inside))
    return peaks


def accuracies(workloads, bins=100) -> pd.DataFrame:
    """Return both interpretations of Fig. 15 for every log, in one table."""
    parts = {
        (log, equal): accuracy(workload, equal, bins)
        for equal in EQUAL
        for log, workload in workloads.items()
    }
    whole = pd.concat(parts, names=["log", "equal", "bin"])
    return whole.reset_index().drop(columns="bin")


def draw_accuracy(table) -> Figure:
    """Draw accuracy against run time; a row for each interpretation, a column for each log."""

    def draw_panel(axes, log, equal):
        part = table[(table["log"] == log) & (table["equal"] == equal)]
        axes.plot("run time [h]", "accuracy [%]", ".", data=part, markersize=4)
        axes.set(ylim=(0, 105))
        if equal == "jobs":  # most bins are of minutes
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(ticker.LogLocator(numticks=4))
            axes.xaxis.set_major_formatter("{x:g}")

    rows = {equal: f"accuracy [%]\n{label}" for equal, label in EQUAL.items()}
    how = {"legend": False, "sharey": True}
    return panels.draw(table["log"], rows, draw_panel, "run time [h]", **how)


def rank_correlation(table) -> pd.DataFrame:
    """Return Spearman's correlation of accuracy with run time over the bins, by log and
    interpretation.
    """
    rows = [
        [*key, ratios.rank_correlation(part["run time [h]"], part["accuracy [%]"])]
        for key, part in table.groupby(["log", "equal"], sort=False)
    ]
    return pd.DataFrame(rows, columns=["log", "equal", "correlation"])
