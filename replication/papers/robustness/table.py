"""The table of a paper's conclusions against changes: as a picture, and in words made from the results."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn
from matplotlib.colors import LinearSegmentedColormap

from replication.papers.claims import HOLDS, PART, UNDECIDED
from replication.papers.robustness import OPEN, YES
from replication.papers.variants import CLEANING, DEFAULT, LOAD, LOG, READING

HEADINGS = {
    READING: "other readings, the paper's logs",
    CLEANING: "other cleanings of the paper's logs",
    LOG: "other logs, default reading",
    LOAD: "other loads, the paper's logs",
}
# From against to for: red to green in hue, and from dark to light throughout, so that grey shows the same.
COLOURS = ("#5E0A1A", "#A3301F", "#CF6A2B", "#DFA548", "#CFD884", "#DFF8DC")
ROW_HEIGHT, COLUMN_WIDTH, LABEL_WIDTH = 0.235, 0.82, 3.4


def words(row):
    """A cell in words: cases that hold of how many, and of how many their intervals make that unsure."""
    if not row["cases"]:
        return "–"
    return f"{row[YES]}/{row['cases']}" + (f" ?{row[OPEN]}" if row[OPEN] else "")


def stated(entries):
    """The headlines as a table: short name, statement, section, statistic and rule."""
    columns = ["short", "statement", "section", "statistic", "rule"]
    return pd.DataFrame(list(entries.values()))[columns]


def draw(found, entries):
    """The table as a picture: changes down, headlines across, the share that holds as colour and figures."""
    rows = _rows(found)
    cells = {(row["kind"], row["change"], row["headline"]): row for row in found.to_dict("records")}
    # A heading's cells are empty, and so is what cannot be decided.
    asked = [[cells.get((*row, name)) for name in entries] for row in rows]
    share = np.array([[100 * one["share"] if one else np.nan for one in line] for line in asked])
    said = np.array([[words(one) if one else "" for one in line] for line in asked])
    height = len(rows) * ROW_HEIGHT
    figure, axes = plt.subplots(figsize=(LABEL_WIDTH + COLUMN_WIDTH * len(entries), height + 1.5))
    seaborn.heatmap(
        share,
        vmin=0,
        vmax=100,
        cmap=LinearSegmentedColormap.from_list("survival", COLOURS),
        annot=np.where(np.isnan(share), "", said),
        fmt="",
        annot_kws={"size": 7.5},
        linewidths=1,
        xticklabels=[textwrap.fill(entry["short"], 12) for entry in entries.values()],
        yticklabels=[change for _, change in rows],
        cbar_kws={
            "label": "cases in which the conclusion holds [%]   (?: not sure; –: not applicable)",
            "orientation": "horizontal",
            "fraction": 0.4 / (height + 1.5),
            "pad": 0.01,
            "aspect": 40,
        },
        ax=axes,
    )
    for y, x in zip(*np.nonzero(np.isnan(share) & (said != "")), strict=True):
        axes.text(x + 0.5, y + 0.5, said[y, x], ha="center", va="center", size=7.5)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, labelrotation=0)
    for label, (kind, _) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_weight("bold" if kind is None else "normal")
    axes.grid(visible=False)
    return figure


def _rows(found):
    """What stands in each row of the picture, (kind, change); a heading is (None, its words)."""
    rows, before = [], None
    for kind, change in dict.fromkeys(zip(found["kind"], found["change"], strict=True)):
        if kind != before and kind in HEADINGS:
            rows.append((None, HEADINGS[kind]))
        rows.append((kind, change))
        before = kind
    return rows


def counted(found):
    """How many conclusions there are, hold by default, and how many changes were tried."""
    default = found[found["kind"] == DEFAULT]
    return {
        "conclusions": default["headline"].nunique(),
        "held": int(default["verdict"].isin([HOLDS, PART]).sum()),
        "changes": found.loc[found["kind"] != DEFAULT, "change"].nunique(),
    }


def sentences(found, entries, decided=True):
    """For each headline how it stands, and which changes let it stand otherwise, in Markdown."""
    if not decided:
        return "Nothing is decided here: the results are not of the real logs at paper scale."
    lines = []
    for name, entry in entries.items():
        part = found[(found["headline"] == name) & (found["cases"] > 0)]
        default = part[part["kind"] == DEFAULT].to_dict("records")
        rest = part[part["kind"] != DEFAULT].to_dict("records")
        if default:
            lines.append(
                f"- **{entry['short']}**: by default it {_state(default[0])} ({words(default[0])}). "
                + _otherwise(_state(default[0]), rest)
            )
    return "\n".join(lines)


def _otherwise(state, rest):
    """Which changes leave a headline in another state than the default does."""
    others = {}
    for row in rest:
        if _state(row) != state:
            others.setdefault(_state(row), []).append(f"{row['change']} ({words(row)})")
    same = len(rest) - sum(map(len, others.values()))
    if not others:
        return f"All {same} changes leave it so."
    parts = [f"it {other} under {', '.join(named)}" for other, named in others.items()]
    return f"{same} of {len(rest)} changes leave it so; {'; '.join(parts)}."


def _state(row):
    """How a headline stands: with more than half of its cases, whether all of them or not, it holds."""
    return {HOLDS: HOLDS, PART: HOLDS, UNDECIDED: "stays open"}.get(row["verdict"], row["verdict"])


def not_applicable(found):
    """Which cells are empty, and why, in Markdown; empty if none is."""
    gone = found[found["cases"] == 0]
    reasons = {}
    for row in gone.to_dict("records"):
        reasons.setdefault(row["reason"], []).append(row["change"])
    return "\n".join(
        f"- Not applicable to {', '.join(dict.fromkeys(changes))}: {reason}."
        for reason, changes in reasons.items()
    )
