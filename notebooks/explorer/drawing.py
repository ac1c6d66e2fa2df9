"""The pictures of the explorer."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from notebooks.explorer.model import HOUR, mean_level, queue, runs
from replication.drawing import style
from replication.simulator.schedules import gantt
from replication.simulator.workload import usage

#: Colour and hatch of each kind of run.
KINDS = {
    "in order": ("#C9D6E8", ""),
    "backfilled": ("#F3C05B", "///"),
    "killed": ("#D98BA3", "xxx"),
}
RUNS = 1500  # runs in one window; of more the processors in use by kind are drawn
BINS = 160  # steps of a curve


def schedules(a, b, since, until) -> Figure:
    """Return a figure of two schedules above each other, and of their queues, in a window of time
    in s.
    """
    figure = Figure(figsize=(10.4, 5.2), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True, height_ratios=(5, 5, 3))
    edges = np.linspace(since, until, BINS + 1)
    for ax, name, schedule in zip(axes, "AB", (a, b), strict=False):
        machine, table = schedule.workload.machine, runs(schedule)
        table = table[(table.start < until) & (table.end > since)].reset_index(drop=True)
        draw = _jobs if len(table) <= RUNS else _in_use
        draw(ax, table, schedule.workload.processors[table.job], machine, edges)
        ax.set(ylim=(0, machine), ylabel=f"processors, {name}")
        ax.grid(visible=False)
    looks = style.series(["queue of A", "queue of B"], marker=False)
    for look, schedule in zip(looks.values(), (a, b), strict=True):
        level = mean_level(*queue(schedule), edges[:-1], edges[1:])
        axes[2].stairs(level, edges / HOUR, baseline=None, **look)
    axes[2].set(xlabel="hours since the start of the log", ylabel="waiting jobs")
    axes[2].set(xlim=(since / HOUR, until / HOUR), ylim=(0, None))
    handles = dict(zip(*axes[0].get_legend_handles_labels()[::-1], strict=True))
    handles |= dict(zip(*axes[1].get_legend_handles_labels()[::-1], strict=True))
    handles |= dict(zip(*axes[2].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles, loc="outside upper left", ncols=5)
    return figure


def _jobs(axes, table, size, machine, edges):
    start, end = table.start.to_numpy(), table.end.to_numpy()
    run, low, width = np.array(gantt.place(start, end, size, machine), int).reshape(-1, 3).T
    start, end, high = start[run] / HOUR, end[run] / HOUR, low + width
    corners = np.stack([start, low, end, low, end, high, start, high], 1).reshape(-1, 4, 2)
    kind = table.kind.to_numpy()[run]
    for name, (colour, hatch) in KINDS.items():
        if (kind == name).any():
            look = {"facecolor": colour, "edgecolor": "#444444", "linewidth": 0.25, "hatch": hatch}
            axes.add_collection(PolyCollection(corners[kind == name], label=name, **look))


def _in_use(axes, table, size, machine, edges):
    below = np.zeros(BINS)
    for name, (colour, hatch) in KINDS.items():
        of_kind = (table.kind == name).to_numpy()
        if of_kind.any():
            level = usage(table.start[of_kind], table.end[of_kind], size[of_kind])
            above = below + mean_level(*level, edges[:-1], edges[1:])
            look = {"facecolor": colour, "edgecolor": "#444444", "linewidth": 0.25, "hatch": hatch}
            axes.stairs(above, edges / HOUR, baseline=below, fill=True, label=name, **look)
            below = above


def gains(tables) -> None:
    """Draw the change of the mean wait by class with its interval: a panel for each of several
    tables of `notebooks.explorer.model.changes` by name.
    """
    rows = max(map(len, tables.values()))
    size = style.size(columns=len(tables))[0], 0.3 * rows + 1
    _, grid = plt.subplots(1, len(tables), figsize=size, squeeze=False)
    for axes, (name, table) in zip(grid[0], tables.items(), strict=True):
        places, change = np.arange(len(table)), table["change"]
        ends = [change - table["low"], table["high"] - change]
        colours = np.where(change > 0, style.COLOURS[2], style.COLOURS[0])
        axes.barh(places, change, color=colours, height=0.6)
        axes.errorbar(change, places, xerr=ends, color="#555555", fmt="none", capsize=2)
        axes.axvline(0, color="black", lw=0.8)
        axes.set_yticks(places, [f"{kind} ({jobs:,})" for kind, jobs in table["jobs"].items()])
        axes.invert_yaxis()
        axes.set(xlabel="change of the mean wait from A to B [min]", title=name)
        axes.grid(axis="y", visible=False)
