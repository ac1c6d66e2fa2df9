"""Ratios of our numbers to the published ones that depend on a simulation, from the tables in ``figures/``."""

import re

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from notebooks.pv_easy import runs as pv_easy
from notebooks.top_percent.runs import PAPER, REFERENCE, TITLES
from replication.drawing import panels, style
from replication.simulator import paths
from replication.verdicts import published

#: The default simulator of each paper, and another one: reconstructed from the tables, or as the paper's is coded.
DEFAULT, OTHER = (
    "default: the words and the textbook",
    "reconstructed, or as its simulator is coded",
)
COLUMNS = ["paper", "row", "log", "published", DEFAULT, OTHER]
NAMES = {"pv_easy": "PV-EASY", "heel_and_toe": "Heel and toe", "top_percent": "Top Percent"}
SMALLEST = 0.01  # %, the low end of the axis; printed ratios have three digits
#: Heel-and-toe's numbers at f = 10: the ends of ranges over the logs.
RANGES = published.entries("measures.toml")["heel_and_toe"]


def read(numbers) -> pd.DataFrame:
    """Return a table of `COLUMNS` with a row for each published number; our numbers are in the published unit.

    Parameters
    ----------
    numbers : list of replication.verdicts.tables.Number
        All of the papers; those of heel-and-toe are used.
    """
    rows = []
    own = pd.read_csv(paths.FIGURES / "studies" / "interpretations" / "reconstructed-numbers.csv")
    own = own[own["published"].notna()].drop_duplicates(["trace", "policy", "measure"])
    for one in own.to_dict("records"):
        ours = (one[name] for name in (pv_easy.TEXTBOOK, pv_easy.RECONSTRUCTED))
        row = f"{one['policy']}: {pv_easy.WORDS[one['measure']]}"
        rows.append(("pv_easy", row, one["trace"], one["published"], *ours))
    for one in numbers:
        measure = re.sub("_(min|max)$", "", one.measure)
        if one.paper == "heel_and_toe" and measure in RANGES:
            rows.append((one.paper, RANGES[measure], "all", one.value, one.ours, None))
    both = pd.read_csv(paths.FIGURES / PAPER / "table1-both.csv")
    both = both[both["words"].notna() & (both["policy"] != REFERENCE) & (both["measure"] != "r2")]
    for one in both.to_dict("records"):
        row = f"{one['policy']}: {TITLES[one['measure']]}"
        rows.append((PAPER, row, one["trace"], one["published"], one["words"], one["coded"]))
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(table) -> Figure:
    """Draw the distance of our numbers from the published ones, in % on a logarithmic axis; a line for each measure of a policy.

    Of Top Percent's ratios this is the difference, in hundredths of the requests' value. Dotted lines are the limits of
    the verdicts, or half of the last digit of the ratios.
    """
    names = list(dict.fromkeys(table["row"]))
    figure, axes = plt.subplots(figsize=(8.6, 0.24 * len(names) + 1.1))
    ratios = (table["paper"] == PAPER).all()
    for k, (name, look) in enumerate(style.series([DEFAULT, OTHER]).items()):
        ours = table[name].astype(float)
        if ours.isna().all():
            continue
        base = 1 if ratios else table["published"]
        distance = (100 * (ours - table["published"]) / base).abs().clip(lower=SMALLEST)
        at = [names.index(row) + 0.3 * (k - 0.5) for row in table["row"]]
        axes.plot(distance, at, **look | {"linestyle": "", "markersize": 4.5, "alpha": 0.8})
    for limit in (0.05,) if ratios else (1, 5, 20):
        axes.axvline(limit, color="black", lw=0.8, ls=(0, (2, 3)))
    axes.set_yticks(range(len(names)), names)
    axes.set(xscale="log", ylim=(len(names) - 0.4, -0.6))
    axes.set_xlabel("distance from the published number [%]")
    panels.log_ticks(axes.xaxis)
    panels.below_all(figure, axes)
    return figure
