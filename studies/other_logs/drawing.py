"""The pictures of the study of thirteen machines: the words of all conclusions, and the points of
all machines for three of them.
"""

import itertools
import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from notebooks import panels
from other_logs import (
    CONCLUSIONS,
    NO_INTERVAL,
    NO_MATCH,
    RULES,
    USABLE,
    certain,
    compared,
    could_survive,
    pool,
)
from replication.drawing import style
from replication.simulator.logs import registry
from replication.verdicts import published

#: Colour, and letter for print in grey, of each word.
WORDS = {
    "for": (style.COLOURS[0], "+"),
    "against": (style.COLOURS[1], "\u2212"),
    "open": ("#e6e6e6", ""),
    NO_INTERVAL: ("#ffffff", "?"),
    NO_MATCH: ("#ffffff", "\u2260"),
}
#: Measures in words.
MEASURES = published.entries("measures.toml")["other_logs"]
#: The conclusions of the forest, in the words above their panels.
HEADLINES = {
    "small-f-helps": "f = 1",
    "large-f-helps": "f = 10",
    "random-wild-backfills": "random exceptions",
}
#: Conclusions of `summary`. Of the variants of PV-EASY these are the reservation of textbook EASY
#: and the one that lasts longest; the tables have the others.
DRAWN = [name for name in CONCLUSIONS if not name.endswith(("-until-due", "-now"))]
#: Markers of quotients in the forest: filled or not, and what they mean.
POINTS = {
    "": ("o", True, "quotient, 95 % interval over weeks"),
    NO_INTERVAL: ("o", False, "no usable interval"),
    NO_MATCH: ("s", False, "fewer wild backfills than f = 1; not in the mean"),
}
#: The axis of quotients holds all of them and their intervals as far as this factor beyond.
ROOM = 3


def forest(table, conclusions=HEADLINES, measure="mean_wait"):
    """Return a figure of quotients at the recorded load: a panel for each conclusion, a row for
    each machine, and the geometric mean of the machines with its prediction interval.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `other_logs.cases`, of several logs.
    conclusions : dict of str to str
        The words above the panel of each conclusion.
    measure : str
    """
    table = table[table["recorded load"] & (table["measure"] == measure)]
    table = table[table["conclusion"].isin(conclusions)].set_index("conclusion")
    usable = table[table["high"] <= USABLE * table["low"]]
    logs = in_order(table["log"])
    figure, row_of_axes = plt.subplots(
        1,
        len(conclusions),
        figsize=(7, 0.24 * len(logs) + 1.7),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    colour = style.COLOURS[0]
    limits = panels.limits(table["value"], usable["low"], usable["high"], ROOM)
    for axes, (conclusion, title) in zip(row_of_axes[0], conclusions.items(), strict=True):
        part = table.loc[[conclusion]] if conclusion in table.index else table[:0]
        axes.set_xscale("log")
        axes.set_xlim(*limits)
        for row in part.itertuples():
            y, point = logs.index(row.log), row.word if row.word in POINTS else ""
            if point != NO_INTERVAL:
                _interval(axes, y, row.low, row.high, colour)
            axes.plot(row.value, y, ls="", **_marker(point, colour))
        everyone = pool(compared(part)["value"])
        if not math.isnan(mean := everyone["pooled"]):
            ends = everyone["prediction_low"], everyone["prediction_high"]
            _interval(axes, len(logs), *ends, "black")
            axes.plot(mean, len(logs), "D", color="black", ms=5)
        axes.axvline(1, color="black", lw=0.8, ls=":")
        panels.log_ticks(axes.xaxis)
        axes.set_title(title, fontsize="medium")
        axes.set_xlabel(f"quotient of {MEASURES[measure].partition(' [')[0]}s")
        axes.grid(axis="x", color="#dddddd", lw=0.5)
    row_of_axes[0][0].set_yticks(range(len(logs) + 1), [*logs, "mean"])
    row_of_axes[0][0].set_ylim(len(logs) + 0.5, -0.5)
    drawn = [word for word in POINTS if word in set(table["word"]) or not word]
    handles = [
        plt.Line2D([], [], ls="", label=POINTS[word][2], **_marker(word, colour)) for word in drawn
    ]
    label = "mean, and where one more machine would lie"
    handles.append(plt.Line2D([], [], ls="", marker="D", color="black", ms=5, label=label))
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _marker(word, colour):
    marker, filled, _ = POINTS[word]
    return {"marker": marker, "ms": 4.5, "color": colour, "mfc": colour if filled else "white"}


def _interval(axes, y, low, high, colour):
    axes.plot([low, high], [y, y], color=colour, lw=1.2, ls="-")
    panels.mark_cuts(axes, [y], [low], [high], colour, across=True)


def in_order(names):
    """Return the logs among some names in the order of the rules, and then others."""
    names = dict.fromkeys(names)
    return [log for log in dict.fromkeys([*RULES["logs"], *names]) if log in names]


def summary(words, all_logs=()):
    """Return a figure of the word of each log on each conclusion, at the recorded load.

    Parameters
    ----------
    words : pandas.DataFrame
        Of `other_logs.of_log`.
    all_logs : collection of str
        All logs; the picture names those without a word.

    Returns
    -------
    matplotlib.figure.Figure
    """
    logs = in_order(words["log"])
    names = DRAWN
    figure, axes = plt.subplots(figsize=(6.6, 0.21 * len(names) + 1.3), layout="constrained")
    words_of = {(row.conclusion, row.log): row.word for row in words.itertuples()}
    for (y, name), (x, log) in itertools.product(enumerate(names), enumerate(logs)):
        if word := words_of.get((name, log)):
            colour, letter = WORDS[word]
            axes.add_patch(plt.Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, color=colour))
            ink = "white" if word == "for" else "black"
            axes.text(x, y, letter, ha="center", va="center", color=ink, weight="bold")
    used = sum(log in registry.names() and bool(registry.info(log).papers) for log in logs)
    axes.axvline(used - 0.5, color="black", lw=1)
    axes.text(used - 0.6, -0.7, "of the papers", ha="right")
    axes.text(used - 0.4, -0.7, "others", ha="left")
    axes.set_xticks(range(len(logs)), logs, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), [CONCLUSIONS[name]["short"] for name in names])
    axes.set(xlim=(-0.5, len(logs) - 0.5), ylim=(len(names) - 0.5, -0.5))
    if rest := [log for log in all_logs if log not in logs]:
        axes.set_xlabel(f"Without a conclusion that can be decided: {', '.join(rest)}", loc="right")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    handles = [
        Patch(color=colour, label=f"{letter} {word}".strip())
        for word, (colour, letter) in WORDS.items()
    ]
    handles.append(Patch(facecolor="white", edgecolor="#bbbbbb", label="cannot be decided"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return figure


def pooled(table, workloads):
    """Return the effects at the recorded loads over all machines: a row for each conclusion and
    measure.

    Columns are the number of logs, the counts of words, the number of results that survive Holm's
    correction over all rows of `table` at the recorded load, the number of machines on which one
    could (`other_logs.could_survive`), and, for quotients, those of `other_logs.POOLED`, over the
    machines that can be compared; a prediction interval of more than a factor of
    `other_logs.USABLE` is left out.
    """
    rows, table = [], table[table["recorded load"]]
    table = table.assign(certain=certain(table["p"]) & table["word"].isin(["for", "against"]))
    results = int(table["p"].notna().sum())
    could = {
        log: could_survive(workloads[log].submit, results) for log in dict.fromkeys(table["log"])
    }
    for conclusion, rule in CONCLUSIONS.items():
        for measure in rule["measures"]:
            part = table[(table["conclusion"] == conclusion) & (table["measure"] == measure)]
            counts = part["word"].value_counts()
            row = {"id": conclusion, "conclusion": rule["statement"], "measure": measure}
            row["logs"] = len(part)
            row |= {word: int(counts.get(word, 0)) for word in WORDS}
            row["certain"] = int(part["certain"].sum())
            row["could survive"] = sum(could[log] for log in part["log"])
            if rule["effect"] == "quotient":
                quotient = pool(compared(part)["value"])
                if quotient["prediction_high"] > USABLE * quotient["prediction_low"]:
                    quotient |= {"prediction_low": math.nan, "prediction_high": math.nan}
                row |= quotient
            rows.append(row)
    return pd.DataFrame(rows)


def separators(words, facts):
    """Return for each conclusion on which logs disagree the median facts of the logs for it and
    against it.
    """
    rows = []
    facts = facts.set_index("log")
    for conclusion, part in words.groupby("conclusion", sort=False):
        sides = {side: part.loc[part["word"] == side, "log"] for side in ("for", "against")}
        if min(map(len, sides.values())) < 2:
            continue
        for fact in facts.columns:
            row = {"conclusion": CONCLUSIONS[conclusion]["statement"], "fact": fact}
            for side, logs in sides.items():
                row |= {
                    f"logs {side}": len(logs),
                    f"median, {side}": facts.loc[logs, fact].median(),
                }
            rows.append(row)
    return pd.DataFrame(rows)
