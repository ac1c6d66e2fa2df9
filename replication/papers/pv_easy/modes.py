"""What other kinds of preemption would have changed; the paper's section 6 speaks of them and tries none."""

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.papers.pv_easy import counts
from replication.schedule import audits

SHOWN = {
    "mbs": "mean bounded slowdown",
    "mwbs": "weighted by size",
    "wasted_load": "wasted load [%]",
}


def results(schedules):
    """Slowdowns, loads and preemptions by log and mode of preemption.

    Parameters
    ----------
    schedules : dict of str to dict of str to replication.schedule.schedule.Schedule
        ``schedules[log][mode]``.

    Returns
    -------
    pandas.DataFrame
        trace, mode, mbs, mwbs, total_load, wasted_load, preempted, mkt, rtw, unfair (heads that wait while
        idle and shadow processors would do).
    """
    rows = []
    for log, by_mode in schedules.items():
        for mode, schedule in by_mode.items():
            counted = (
                counts.slowdowns(schedule) | counts.loads(schedule) | counts.preemptions(schedule)
            )
            row = {"trace": log, "mode": mode} | {
                name: value for name, (value, _) in counted.items()
            }
            rows.append(row | {"unfair": int(audits.head_violations(schedule).sum())})
    return pd.DataFrame(rows).drop(columns="preempted_share")


def draw(table):
    """Bars of slowdowns and wasted load, a row a measure and a panel a log; EASY as a line."""
    logs = list(dict.fromkeys(table["trace"]))
    modes = [mode for mode in dict.fromkeys(table["mode"]) if mode != "EASY"]
    looks = style.bars(modes)
    figure, grid = plt.subplots(
        len(SHOWN), len(logs), figsize=style.size(2.4, len(logs)), squeeze=False
    )
    for row, (measure, label) in zip(grid, SHOWN.items(), strict=True):
        for axes, log in zip(row, logs, strict=True):
            own = table[table["trace"] == log]
            part = own[own["mode"] != "EASY"]
            sns.barplot(
                part,
                x="mode",
                y=measure,
                hue="mode",
                ax=axes,
                width=0.85,
                errorbar=None,
                legend=False,
            )
            for mode, bar in zip(modes, axes.containers, strict=True):
                plt.setp(bar, **looks[mode])
            if measure != "wasted_load":
                easy = own.loc[own["mode"] == "EASY", measure].iloc[0]
                axes.axhline(easy, color="black", lw=1, ls="--", label="EASY")
            axes.set(xticks=[], xlabel="", ylabel=label if log == logs[0] else "")
            axes.grid(axis="x", visible=False)
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def sentences(table):
    """How each mode's slowdown compares with killing and with EASY, in per cent."""
    lines = []
    for log, part in table.groupby("trace", sort=False):
        by = part.set_index("mode")
        change, waste = 100 * (by["mbs"] / by["mbs"]["kill"] - 1), by["wasted_load"]
        words = [
            f"{mode} {change[mode]:+.0f} % (waste {waste[mode]:.2f} %)"
            for mode in by.index
            if mode not in ("EASY", "kill")
        ]
        lines.append(
            f"- {log}, mean bounded slowdown against killing (waste {waste['kill']:.2f} %): "
            f"{'; '.join(words)}; EASY {change['EASY']:+.0f} %."
        )
    return "\n".join(lines)
