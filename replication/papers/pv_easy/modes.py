"""What other kinds of preemption would have changed; the paper's section 6 speaks of them and tries none."""

import pandas as pd

from replication.basics import style
from replication.papers.pv_easy import counts, runs
from replication.schedule import audits

MODES = {
    "kill": {},
    "suspend": {"mode": "suspend"},
    "suspend, 5 min each": {"mode": "suspend", "cost": 300},
    "checkpoint 1 h": {"mode": "checkpoint", "interval": 3600},
    "checkpoint 1 h, 1 min each": {"mode": "checkpoint", "interval": 3600, "cost": 60},
    "checkpoint 10 min, 1 min each": {"mode": "checkpoint", "interval": 600, "cost": 60},
}
SHOWN = {
    "mbs": "mean bounded slowdown",
    "mwbs": "weighted by size",
    "wasted_load": "wasted load [%]",
}


def results(page, reading=runs.DEFAULT):
    """Slowdowns, loads and preemptions of PV-EASY by mode of preemption, with EASY beside.

    Returns
    -------
    pandas.DataFrame
        trace, mode, mbs, mwbs, total_load, wasted_load, preempted, mkt, rtw, unfair (heads that wait while
        idle and shadow processors would do).
    """
    rows = []
    for log in page.logs:
        schedules = {
            name: runs.schedule(page, log, "PV-EASY", reading, **options)
            for name, options in MODES.items()
        }
        for name, schedule in (
            {"EASY": runs.schedule(page, log, "EASY", reading)} | schedules
        ).items():
            found = (
                counts.slowdowns(schedule) | counts.loads(schedule) | counts.preemptions(schedule)
            )
            values = {measure: value for measure, (value, _) in found.items()}
            rows.append(
                {"trace": log, "mode": name}
                | values
                | {"unfair": int(audits.head_violations(schedule).sum())}
            )
    return pd.DataFrame(rows).drop(columns="preempted_share")


def draw(table):
    """Bars of slowdowns and wasted load, a row a measure and a panel a log; EASY as a line."""
    import matplotlib.pyplot as plt

    logs, looks = list(dict.fromkeys(table["trace"])), style.bars(MODES)
    figure, grid = plt.subplots(
        len(SHOWN), len(logs), figsize=style.size(2.4, len(logs)), squeeze=False
    )
    for row, (measure, label) in zip(grid, SHOWN.items(), strict=True):
        for axes, log in zip(row, logs, strict=True):
            values = table[table["trace"] == log].set_index("mode")[measure]
            for place, name in enumerate(MODES):
                axes.bar(place, values[name], 0.85, **looks[name])
            if measure != "wasted_load":
                axes.axhline(values["EASY"], color="black", lw=1, ls="--", label="EASY")
            axes.set_xticks([])
            axes.grid(axis="x", visible=False)
            axes.set_ylabel(label if axes is row[0] else "")
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def sentences(table):
    """How each mode's slowdown compares with killing and with EASY, in per cent."""
    lines = []
    for log, part in table.groupby("trace", sort=False):
        by = part.set_index("mode")
        words = [
            f"{name} {100 * (by['mbs'][name] / by['mbs']['kill'] - 1):+.0f} % "
            f"(waste {by['wasted_load'][name]:.2f} %)"
            for name in MODES
            if name != "kill"
        ]
        lines.append(
            f"- {log}, mean bounded slowdown against killing (waste "
            f"{by['wasted_load']['kill']:.2f} %): {'; '.join(words)}; EASY "
            f"{100 * (by['mbs']['EASY'] / by['mbs']['kill'] - 1):+.0f} %."
        )
    return "\n".join(lines)
