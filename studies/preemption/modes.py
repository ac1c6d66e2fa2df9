"""Other kinds of preemption, which the paper's section 6 mentions and does not try."""

import pandas as pd

from notebooks import audits, panels
from notebooks.pv_easy import counts
from replication.drawing import style

WASTED = "wasted_load"
SHOWN = {
    "mbs": "mean bounded slowdown",
    "mwbs": "mean weighted\nbounded slowdown",
    WASTED: "wasted load [%]",
}


def results(schedules):
    """Return slowdowns, loads and preemptions of ``schedules[log][mode]``.

    The column unfair counts heads that wait while idle processors and those of later jobs would
    suffice.
    """
    rows = []
    for log, by_mode in schedules.items():
        for mode, schedule in by_mode.items():
            row = {"trace": log, "preemption": mode}
            for count in (counts.slowdowns, counts.loads, counts.preemptions):
                row |= {name: value for name, (value, _) in count(schedule).items()}
            rows.append(row | {"unfair": int(audits.head_violations(schedule).sum())})
    return pd.DataFrame(rows).drop(columns="preempted_share")


def draw(table):
    """Draw slowdowns and wasted load as bars with their values: a row for each measure, a panel for
    each log; a line marks EASY.
    """
    names = {mode: mode.replace("checkpoint ", "checkpoint every ") for mode in table["preemption"]}
    names["kill"] = "kill (PV-EASY)"
    looks = style.bars(["EASY", "PV-EASY"])
    looks = {"EASY": looks["EASY"], "kill": looks["PV-EASY"]}
    other = {"facecolor": "#C9D6E8", "edgecolor": "white"}
    over = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}}

    def one(axes, log, measure):
        by = table[table["trace"] == log].set_index("preemption")[measure]
        if measure != WASTED:
            axes.axvline(by["EASY"], color="black", lw=0.8, ls=":", zorder=0, label="EASY")
        for place, mode in enumerate(names):
            drawn = axes.barh(place, by[mode], **looks.get(mode, other) | {"label": ""})
            axes.bar_label(
                drawn, [f"{by[mode]:.{2 if measure == WASTED else 1}f}"], padding=2, size=8, **over
            )
        axes.set_yticks(range(len(names)), names.values() if log == table["trace"].iloc[0] else [])
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.margins(x=0.16)
        axes.grid(visible=False)

    size = style.size(2.4, table["trace"].nunique())
    figure = panels.draw(table["trace"], dict.fromkeys(SHOWN, ""), one, figsize=size)
    return panels.label_below(figure, SHOWN.values())
