"""Our numbers and the published ones that depend on a simulation, from the tables in
``figures/``.
"""

import re

import pandas as pd

from notebooks.pv_easy import runs as pv_easy
from notebooks.top_percent.runs import PAPER, REFERENCE, TITLES
from replication.simulator import paths
from replication.verdicts import published

TEXTBOOK, NEAREST = "textbook EASY", "nearest pair"
WORDS, CODED = "by the words", "with the details of its simulator"
COLUMNS = ["paper", "row", "log", "published", "simulator", "ours"]
NAMES = {"pv_easy": "PV-EASY", "heel_and_toe": "Heel and toe", "top_percent": "Top Percent"}
#: Heel-and-toe's numbers at f = 10: the ends of ranges over the logs.
RANGES = published.entries("measures.toml")["heel_and_toe"]


def read(numbers) -> pd.DataFrame:
    """Return a table of `COLUMNS` with a row for each published number; our numbers are in the
    published unit.

    Parameters
    ----------
    numbers : list of replication.verdicts.evidence.Number
        All of the papers; those of heel-and-toe are used.
    """
    rows = []
    search = pd.read_csv(paths.FIGURES / "studies" / "interpretations" / "pv_easy-numbers.csv")
    for entry in search.to_dict("records"):
        row = f"{entry['policy']}: {pv_easy.WORDS[entry['measure']]}"
        for name, column in ((TEXTBOOK, "textbook"), (NEAREST, "nearest")):
            rows.append(("pv_easy", row, entry["trace"], entry["published"], name, entry[column]))
    mine = pd.read_csv(paths.FIGURES / "studies" / "interpretations" / "pv_easy-own_numbers.csv")
    mine = mine.set_index(["trace", "preemption", "correction"]).sort_index()
    for log in search["trace"].unique():
        printed, ours = mine.loc[(log, "printed")].iloc[0], mine.loc[(log, "killed", "estimate")]
        for measure in mine.columns.drop(["away", "largest"]):
            row = f"PV-EASY: {pv_easy.WORDS[measure]}"
            rows.append(("pv_easy", row, log, printed[measure], TEXTBOOK, ours[measure]))
    for entry in numbers:
        measure = re.sub("_(min|max)$", "", entry.printed.measure)
        if entry.paper == "heel_and_toe" and measure in RANGES:
            rows.append(
                (entry.paper, RANGES[measure], "all", entry.printed.value, "ours", entry.ours)
            )
    both = pd.read_csv(paths.FIGURES / PAPER / "table1-both.csv")
    both = both[both["words"].notna() & (both["policy"] != REFERENCE) & (both["measure"] != "r2")]
    for entry in both.to_dict("records"):
        row = f"{entry['policy']}: {TITLES[entry['measure']]}"
        for simulator, column in ((WORDS, "words"), (CODED, "coded")):
            rows.append((PAPER, row, entry["trace"], entry["published"], simulator, entry[column]))
    return pd.DataFrame(rows, columns=COLUMNS)


def medians(table) -> pd.DataFrame:
    """Return by how many % our numbers of one paper differ from the published ones.

    The table has a row for each measure of a policy and a last one for all numbers, and a column
    for each simulator: the median of the absolute differences. The column ``numbers`` counts the
    published ones.
    """
    difference = 100 * (table["ours"].astype(float) / table["published"] - 1).abs()
    rows = table.assign(difference=difference)
    rows = pd.concat([rows, rows.assign(row="all")])
    by = rows.groupby(["row", "simulator"], sort=False)["difference"]
    numbers = by.size().unstack(sort=False).max(axis=1).rename("numbers")
    return (
        pd.concat([numbers, by.median().unstack(sort=False)], axis=1)
        .rename_axis("number")
        .reset_index()
    )
