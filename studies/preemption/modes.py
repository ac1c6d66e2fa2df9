"""Other kinds of preemption, which the paper's section 6 mentions and does not try."""

import pandas as pd
from matplotlib import patheffects

from replication.papers import panels, style
from replication.papers.pv_easy import counts
from replication.simulator import audits

SHOWN = {
    "mbs": "mean\nbounded slowdown",
    "mwbs": "mean weighted\nbounded slowdown",
    "wasted_load": "wasted load [%]",
}


def results(schedules):
    """Return slowdowns, loads and preemptions of ``schedules[log][mode]``.

    The column unfair counts heads that wait while idle processors and those of later jobs would suffice.
    """
    rows = []
    for log, by_mode in schedules.items():
        for mode, schedule in by_mode.items():
            row = {"trace": log, "mode": mode}
            for count in (counts.slowdowns, counts.loads, counts.preemptions):
                row |= {name: value for name, (value, _) in count(schedule).items()}
            rows.append(row | {"unfair": int(audits.head_violations(schedule).sum())})
    return pd.DataFrame(rows).drop(columns="preempted_share")


def draw(table):
    """Draw slowdowns and wasted load as bars, a row for each measure and a panel for each log; EASY as a line."""
    looks = style.bars(["EASY", *(mode for mode in dict.fromkeys(table["mode"]) if mode != "EASY")])
    del looks["EASY"]  # drawn as a line
    # The outline keeps it visible on the black bar.
    outline = [patheffects.withStroke(linewidth=3, foreground="white")]
    line = {"color": "black", "lw": 1, "ls": "--", "path_effects": outline}

    def one(axes, log, measure):
        by = table[table["trace"] == log].set_index("mode")[measure]
        for k, (mode, look) in enumerate(looks.items()):
            words = mode.replace("checkpoint ", "checkpoint every ")
            axes.bar(k, by[mode], **look | {"label": words})
        if measure != "wasted_load":
            axes.axhline(by["EASY"], label="EASY", **line)
        axes.set(xticks=[])
        axes.grid(axis="x", visible=False)

    size = style.size(2.4, table["trace"].nunique())
    return panels.draw(table["trace"], SHOWN, one, figsize=size)
