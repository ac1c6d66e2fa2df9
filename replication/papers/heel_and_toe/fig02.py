"""Fig. 2: real and perfect estimates, as they are and doubled."""

import pandas as pd

from replication.basics import style
from replication.estimates import Exact, Users
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

# How the figure names an estimate, and how it is made.
ESTIMATES = {"real": Users(), "real x2": Users(2), "perfect": Exact(), "perfect x2": Exact(2)}


def results(workloads):
    """Simulate EASY with each of the four estimates on each log.

    Returns
    -------
    pandas.DataFrame
        trace, estimates, mean_wait (s), mean_bounded_slowdown, backfilled (a share).
    """
    rows = []
    for name, workload in workloads.items():
        for label, model in ESTIMATES.items():
            found = simulate(workload, EASY(), model).validate().measures
            rows.append(
                {"trace": name, "estimates": label}
                | {m: found[m] for m in (*PERFORMANCE, "backfilled")}
            )
    return pd.DataFrame(rows)


def draw(results):
    """Bars of both measures, a panel a log, as in the paper."""
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(results["trace"]))
    figure, grid = plt.subplots(
        len(PERFORMANCE), len(logs), figsize=style.size(2, len(logs)), squeeze=False
    )
    looks = style.bars(ESTIMATES)
    for row, (measure, (label, factor)) in zip(grid, PERFORMANCE.items(), strict=True):
        for axes, log in zip(row, logs, strict=True):
            values = results[results["trace"] == log].set_index("estimates")[measure] * factor
            for place, name in enumerate(ESTIMATES):
                axes.bar(place, values[name], 0.85, **looks[name])
            axes.set_xticks([])
            axes.grid(axis="x", visible=False)
            axes.set_ylabel(label if axes is row[0] else "")
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(ESTIMATES)
    )
    return figure


def change(results):
    """Change of each measure in per cent: from doubling, and from real to perfect. Negative is better.

    Returns
    -------
    pandas.DataFrame
        One row a log and measure; columns doubling real, doubling perfect, real to perfect.
    """
    rows = []
    for log, group in results.groupby("trace", sort=False):
        by = group.set_index("estimates")
        for measure, (label, _) in PERFORMANCE.items():
            value = by[measure]
            rows.append(
                {
                    "trace": log,
                    "measure": label.split(" [")[0],
                    "doubling real [%]": 100 * (value["real x2"] / value["real"] - 1),
                    "doubling perfect [%]": 100 * (value["perfect x2"] / value["perfect"] - 1),
                    "real to perfect [%]": 100 * (value["perfect"] / value["real"] - 1),
                }
            )
    return pd.DataFrame(rows)


def sentences(changes):
    """What the changes say of the paper's two statements, with the counts that decide."""
    parts = []
    for column, about in (
        ("real to perfect [%]", "perfect estimates do better than the users' own"),
        ("doubling real [%]", "doubling the users' estimates helps"),
        ("doubling perfect [%]", "doubling perfect estimates helps"),
    ):
        better = changes[changes[column] < 0]
        worse = changes[changes[column] >= 0]
        text = f"- {about} in **{len(better)} of {len(changes)}** cases"
        if len(worse):
            text += "; not in " + ", ".join(
                f"{r['trace']} ({r['measure']}, {r[column]:+.1f} %)" for _, r in worse.iterrows()
            )
        parts.append(text + ".")
    return "\n".join(parts)
