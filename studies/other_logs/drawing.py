"""The pictures of the study of thirteen machines: a forest plot for each conclusion, and one
summary of all.
"""

import itertools
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from other_logs import CONCLUSIONS, RULES, pool
from replication.drawing import style
from replication.simulator.logs import registry
from replication.verdicts import published

#: Colour, and letter for print in grey, of each word.
WORDS = {
    "for": (style.COLOURS[0], "+"),
    "against": (style.COLOURS[1], "\u2212"),
    "open": ("#e6e6e6", ""),
}
#: Marker of the recorded load, and of each load, %, that a log is scaled to.
RECORDED, SCALED = "o", {70: "s", 80: "^", 90: "D"}
OPEN = "#767676"
#: Measures in words.
MEASURES = published.entries("measures.toml")["other_logs"]
#: An interval of a quotient is drawn up to this factor from its value; an arrow marks one that goes
#: on.
WIDEST = 3


def forest(table, conclusion):
    """Return a figure with the effects of a conclusion: a panel for each measure, a row for each
    log, a marker for each load.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `other_logs.cases`, for all logs and loads.
    conclusion : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    rule = CONCLUSIONS[conclusion]
    own = table[table["conclusion"] == conclusion]
    logs = [log for log in RULES["logs"] if log in set(own["log"])]
    quotient = rule["effect"] == "quotient"
    height = 2.2 + 0.3 * (len(logs) + quotient)
    figure, panels = plt.subplots(
        1,
        len(rule["measures"]),
        figsize=(8, height),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    threshold = rule.get("below", rule.get("above"))
    for axes, measure in zip(panels[0], rule["measures"], strict=True):
        part = own[own["measure"] == measure]
        for place, log in enumerate(logs):
            several = part[part["log"] == log].sort_values("load")
            for k, row in enumerate(several.itertuples()):
                y = place + 0.18 * (k - (len(several) - 1) / 2)
                recorded = row[several.columns.get_loc("recorded load") + 1]
                marker = RECORDED if recorded else SCALED[round(100 * row.load)]
                colour = WORDS[row.word][0] if row.word != "open" else OPEN
                if not math.isnan(row.low):
                    ends = [row.low, row.high]
                    if quotient:
                        ends = np.clip(ends, row.value / WIDEST, row.value * WIDEST)
                    axes.plot(ends, [y, y], color=colour, lw=1.2, ls="-")
                    for end, whole, arrow in zip(ends, (row.low, row.high), "<>", strict=True):
                        if end != whole:
                            axes.plot(end, y, arrow, color=colour, ms=4)
                face = colour if recorded else "white"
                axes.plot(row.value, y, marker, color=colour, mfc=face, ms=4.5)
        if quotient:
            own_load = part[part["recorded load"]]
            all_logs = pool(own_load["value"], own_load["error"])
            if not math.isnan(mean := all_logs["pooled"]):
                low, high = all_logs["low"], all_logs["high"]
                around = [all_logs["prediction_low"], all_logs["prediction_high"]]
                axes.plot(np.clip(around, mean / WIDEST, mean * WIDEST), [len(logs)] * 2, "black")
                axes.fill(
                    [low, mean, high, mean], len(logs) + np.array([0, -0.25, 0, 0.25]), "black"
                )
            axes.set_xscale("log")
            _plain_ticks(axes)
        axes.axvline(threshold, color="black", lw=0.8, ls=":")
        axes.set_xlabel(MEASURES[measure] + (", quotient" if quotient else ""))
        axes.grid(axis="x", color="#dddddd", lw=0.5)
    labels = [*logs, "pooled"] if quotient else logs
    panels[0][0].set_yticks(range(len(labels)), labels)
    panels[0][0].set_ylim(len(labels) - 0.5, -0.5)
    side = "left" if "below" in rule else "right"
    line = f"For: {side} of the dotted line, {_threshold(rule)}."
    if quotient:
        line += " Arrow: the interval goes on."
    figure.suptitle(f"{rule['statement']}\n{line}", fontsize="medium")
    figure.legend(handles=_keys(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def _keys():
    """Return the entries of the legend of a forest plot: words, and loads."""
    colours = {word: OPEN if word == "open" else colour for word, (colour, _) in WORDS.items()}
    look = {"color": "black", "ls": "", "ms": 4.5}
    lines = [plt.Line2D([], [], color=colour, label=word) for word, colour in colours.items()]
    lines.append(plt.Line2D([], [], marker=RECORDED, label="recorded load", **look))
    loads = {f"scaled to {load} %": marker for load, marker in SCALED.items()}
    return lines + [
        plt.Line2D([], [], marker=marker, mfc="white", label=label, **look)
        for label, marker in loads.items()
    ]


def _threshold(rule):
    """Return the place of the dotted line in words: of a quotient the change in per cent."""
    if "line" in rule:
        return rule["line"]
    threshold = rule.get("below", rule.get("above"))
    if rule["effect"] != "quotient":
        unit = MEASURES[rule["measures"][0]].rpartition("[")[2].removesuffix("]")
        words = f"{threshold:g} {unit}"
    else:
        words = f"a change of {100 * (threshold - 1):+.3g} %" if threshold != 1 else "no change"
    return words.replace("-", "\N{MINUS SIGN}")


def _plain_ticks(axes):
    """Label a logarithmic axis with plain numbers that are far enough from each other."""
    low, high = np.log(axes.get_xlim())
    taken = []
    for tick in (
        1,
        0.5,
        2,
        0.2,
        5,
        0.1,
        10,
        0.8,
        1.2,
        0.3,
        3,
        0.9,
        1.1,
        0.7,
        1.5,
        0.95,
        1.05,
        0.99,
        1.01,
    ):
        place = (math.log(tick) - low) / (high - low)
        if 0 <= place <= 1 and all(abs(place - other) > 0.13 for other, _ in taken):
            taken.append((place, tick))
    axes.set_xticks([tick for _, tick in taken], [f"{tick:g}" for _, tick in taken])
    axes.minorticks_off()


def summary(words, given=()):
    """Return a figure of the word of each log on each conclusion, at the recorded load.

    Parameters
    ----------
    words : pandas.DataFrame
        Of `other_logs.of_log`.
    given : collection of str
        All logs; the picture names those without a word.

    Returns
    -------
    matplotlib.figure.Figure
    """
    logs = [log for log in RULES["logs"] if log in set(words["log"])]
    names = list(CONCLUSIONS)
    figure, axes = plt.subplots(figsize=(6.6, 0.21 * len(names) + 1.3), layout="constrained")
    known = {(row.conclusion, row.log): row.word for row in words.itertuples()}
    for (y, name), (x, log) in itertools.product(enumerate(names), enumerate(logs)):
        if word := known.get((name, log)):
            colour, letter = WORDS[word]
            axes.add_patch(plt.Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, color=colour))
            ink = "white" if word == "for" else "black"
            axes.text(x, y, letter, ha="center", va="center", color=ink, weight="bold")
    used = sum(bool(registry.info(log).papers) for log in logs)
    axes.axvline(used - 0.5, color="black", lw=1)
    axes.text(used - 0.6, -0.7, "of the papers", ha="right")
    axes.text(used - 0.4, -0.7, "others", ha="left")
    axes.set_xticks(range(len(logs)), logs, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), [CONCLUSIONS[name]["short"] for name in names])
    axes.set(xlim=(-0.5, len(logs) - 0.5), ylim=(len(names) - 0.5, -0.5))
    if rest := [log for log in given if log not in logs]:
        axes.set_xlabel(f"Without a conclusion that can be decided: {', '.join(rest)}")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    handles = [
        Patch(color=colour, label=f"{letter} {word}".strip())
        for word, (colour, letter) in WORDS.items()
    ]
    handles.append(Patch(facecolor="white", edgecolor="#bbbbbb", label="cannot be decided"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return figure


def pooled(table):
    """Return the pooled effects at the recorded loads: a row for each conclusion and measure.

    Columns are the number of logs, the counts of words and, for quotients, those of
    `other_logs.POOLED`.
    """
    rows = []
    for conclusion, rule in CONCLUSIONS.items():
        for measure in rule["measures"]:
            part = table[
                (table["conclusion"] == conclusion)
                & (table["measure"] == measure)
                & table["recorded load"]
            ]
            counts = part["word"].value_counts()
            row = {"id": conclusion, "conclusion": rule["statement"], "measure": measure}
            row["logs"] = len(part)
            row |= {word: int(counts.get(word, 0)) for word in WORDS}
            if rule["effect"] == "quotient":
                row |= pool(part["value"], part["error"])
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
