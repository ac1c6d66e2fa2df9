"""Ratios of our numbers to the published ones that depend on a simulation, from the tables in ``figures/``."""

import re

import matplotlib.pyplot as plt
import pandas as pd

from replication.papers import panels, style
from replication.papers.pv_easy import reconstructed
from replication.papers.top_percent.runs import PAPER, REFERENCE, TITLES
from replication.simulator import paths

#: The default simulator of each paper, and another one: reconstructed from the tables, or as the paper's is coded.
DEFAULT, OTHER = (
    "default: the words and the textbook",
    "reconstructed, or as its simulator is coded",
)
COLUMNS = ["paper", "row", "log", "published", DEFAULT, OTHER]
NAMES = {"pv_easy": "PV-EASY", "heel_and_toe": "Heel and toe", "top_percent": "Top Percent"}
#: Heel-and-toe's numbers at f = 10: the ends of ranges over the logs.
RANGES = {
    "backfilled_increase": "backfilled jobs (+%)",
    "backfilled_run_time_increase": "their run time (+%)",
    "backfilled_size_increase": "their size (+%)",
    "wild_share": "wild backfills (%)",
    "delayed_share": "delayed jobs (%)",
}


def read(numbers):
    """Return a table of `COLUMNS` with a row for each published number; our numbers are in the published unit.

    Parameters
    ----------
    numbers : list of replication.papers.tables.Number
        All of the papers; those of heel-and-toe are used.
    """
    rows = []
    own = pd.read_csv(paths.FIGURES / "pv_easy" / "reconstructed-numbers.csv")
    own = own[own["published"].notna()].drop_duplicates(["trace", "policy", "measure"])
    for one in own.to_dict("records"):
        ours = (one[name] for name in reconstructed.VARIANTS)
        row = f"{one['policy']}: {reconstructed.WORDS[one['measure']]}"
        rows.append(("pv_easy", row, one["trace"], one["published"], *ours))
    for one in numbers:
        measure = re.sub("_(min|max)$", "", one.published.measure)
        if one.paper == "heel_and_toe" and measure in RANGES:
            rows.append((one.paper, RANGES[measure], "all", one.published.value, one.ours, None))
    both = pd.read_csv(paths.FIGURES / PAPER / "table1-both.csv")
    both = both[both["words"].notna() & (both["policy"] != REFERENCE) & (both["measure"] != "r2")]
    for one in both.to_dict("records"):
        row = f"{one['policy']}: {TITLES[one['measure']]}"
        rows.append((PAPER, row, one["trace"], one["published"], one["words"], one["coded"]))
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(table):
    """Draw our numbers over the published ones on logarithmic axes: a panel for each paper, a line for each measure of a policy."""
    figure = plt.figure(figsize=(10.4, 7.2))
    left, right = figure.add_gridspec(1, 2)
    heights = [len(set(table.loc[table["paper"] == key, "row"])) for key in ("heel_and_toe", PAPER)]
    upper, lower = right.subgridspec(2, 1, height_ratios=heights)
    looks = style.series([DEFAULT, OTHER])
    for key, place in zip(NAMES, (left, upper, lower), strict=True):
        axes = figure.add_subplot(place)
        part = table[table["paper"] == key]
        names = list(dict.fromkeys(part["row"]))
        for k, (name, look) in enumerate(looks.items()):
            at = [names.index(row) + 0.3 * (k - 0.5) for row in part["row"]]
            ratio = part[name].astype(float) / part["published"]
            axes.plot(ratio, at, **look | {"linestyle": "", "markersize": 4, "alpha": 0.8})
        axes.axvline(1, color="black", lw=0.8)
        axes.set_yticks(range(len(names)), names)
        axes.set(title=NAMES[key], xscale="log", ylim=(len(names) - 0.4, -0.6))
        axes.margins(x=0.09)  # so that each axis has a tick at its low end
        axes.set_xlabel("ours over the published number")
        panels.log_ticks(axes.xaxis)
    panels.below_all(figure, figure.axes[0])
    return figure
