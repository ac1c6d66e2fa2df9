"""Our numbers and the published ones that depend on a simulation, from the tables in
``figures/``.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from notebooks import panels
from notebooks.pv_easy import runs as pv_easy
from notebooks.top_percent.runs import PAPER, REFERENCE, TITLES
from replication.drawing import style
from replication.simulator import paths
from replication.verdicts import published

WORDS, CODED = "by the words", "with the details of its simulator"
#: The simulators of each paper, the default first.
SERIES = {"pv_easy": [*pv_easy.FORMS], "heel_and_toe": ["ours"], PAPER: [WORDS, CODED]}
COLUMNS = ["paper", "row", "log", "published", "simulator", "ours"]
NAMES = {"pv_easy": "PV-EASY", "heel_and_toe": "Heel and toe", "top_percent": "Top Percent"}
#: Heel-and-toe's numbers at f = 10: the ends of ranges over the logs.
RANGES = published.entries("measures.toml")["heel_and_toe"]


def read(numbers) -> pd.DataFrame:
    """Return a table of `COLUMNS` with a row for each published number; our numbers are in the
    published unit.

    Parameters
    ----------
    numbers : list of replication.verdicts.tables.Number
        All of the papers; those of heel-and-toe are used.
    """
    rows = []
    own = pd.read_csv(paths.FIGURES / "studies" / "interpretations" / "reconstructed-numbers.csv")
    own = own[own["published"].notna()].drop_duplicates(["trace", "policy", "measure"])
    for one in own.to_dict("records"):
        row = f"{one['policy']}: {pv_easy.WORDS[one['measure']]}"
        for form in pv_easy.FORMS:
            rows.append(("pv_easy", row, one["trace"], one["published"], form, one[form]))
    for one in numbers:
        measure = re.sub("_(min|max)$", "", one.measure)
        if one.paper == "heel_and_toe" and measure in RANGES:
            rows.append((one.paper, RANGES[measure], "all", one.value, "ours", one.ours))
    both = pd.read_csv(paths.FIGURES / PAPER / "table1-both.csv")
    both = both[both["words"].notna() & (both["policy"] != REFERENCE) & (both["measure"] != "r2")]
    for one in both.to_dict("records"):
        row = f"{one['policy']}: {TITLES[one['measure']]}"
        for simulator, column in ((WORDS, "words"), (CODED, "coded")):
            rows.append((PAPER, row, one["trace"], one["published"], simulator, one[column]))
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(table) -> Figure:
    """Draw the difference of our numbers from the published ones, in %; a line for each measure of
    a policy.

    Of Top Percent's ratios the difference is in hundredths of the requests' value. The axis is
    linear up to the limit of a *match*, or to the rounding of the ratios, and logarithmic beyond.
    Dotted lines are the limits of the verdicts, or half of the last digit of the ratios.
    """
    names = list(dict.fromkeys(table["row"]))
    figure, axes = plt.subplots(figsize=(8.6, 0.26 * len(names) + 1.1))
    (paper,) = table["paper"].unique()
    ratios, looks = paper == PAPER, style.series(SERIES[paper])
    for (name, look), beside in zip(
        looks.items(), np.linspace(-0.25, 0.25, len(looks)), strict=True
    ):
        own = table[table["simulator"] == name]
        base = 1 if ratios else own["published"]
        difference = 100 * (own["ours"].astype(float) - own["published"]) / base
        at = [names.index(row) + (beside if len(looks) > 1 else 0) for row in own["row"]]
        axes.plot(difference, at, **look | {"linestyle": "", "markersize": 4.5, "alpha": 0.8})
    limits = (0.05,) if ratios else (1, 5, 20)
    for limit in (end for limit in limits for end in (-limit, limit)):
        axes.axvline(limit, color="black", lw=0.8, ls=(0, (2, 3)))
    axes.axvline(0, color="black", lw=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xscale("symlog", linthresh=limits[0])
    largest = max(abs(end) for end in axes.get_xlim())
    ticks = [tick for tick in (0.05, 0.2, 1, 5, 20, 100, 500) if limits[0] <= tick <= largest]
    axes.set_xticks([*(-tick for tick in reversed(ticks) if tick < 100 or ratios), 0, *ticks])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    words = "hundredths of the requests' value" if ratios else "%"
    axes.set_xlabel(f"ours less the published number [{words}]")
    if len(looks) > 1:
        panels.below_all(figure, axes)
    return figure
