"""Gantt charts of schedules."""

import heapq
from typing import Any

import numpy as np

ROWS = 200_000  # most rectangles of a chart


def place(start, end, processors, machine) -> list[tuple[int, int, int]]:
    """Return the processors of every job while it runs; each job gets the lowest free ones.

    Parameters
    ----------
    start, end : int64[n], s
    processors : int64[n]
    machine : int, processors

    Returns
    -------
    list of (int, int, int)
        Blocks: the job's index, first processor and number of processors. A job may have several.

    Raises
    ------
    ValueError
        If more processors are in use than the machine has.
    """
    blocks, running, free = [], [], [(0, machine)]
    # Jobs that take no time come first: at the same instant their processors are free again.
    for job in np.lexsort((processors, end > start, start)):
        while running and running[0][0] <= start[job]:
            free.append(heapq.heappop(running)[1])
        free = merge_blocks(free)
        needed = int(processors[job])
        while needed:
            if not free:
                raise ValueError(f"more than {machine} processors in use at second {start[job]}")
            first, width = free.pop(0)
            taken = min(width, needed)
            needed -= taken
            if taken < width:
                free.insert(0, (first + taken, width - taken))
            blocks.append((int(job), first, taken))
            heapq.heappush(running, (int(end[job]), (first, taken)))
    return blocks


def merge_blocks(blocks) -> list[tuple[int, int]]:
    """Return blocks, (first processor, number of processors) each,
    in ascending order and with neighbours merged.
    """
    merged = []
    for first, width in sorted(blocks):
        if merged and sum(merged[-1]) == first:
            merged[-1] = (merged[-1][0], merged[-1][1] + width)
        else:
            merged.append((first, width))
    return merged


def draw(schedule, axes=None, since=None, until=None) -> Any:
    """Draw the jobs that run between two instants.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    axes : matplotlib axes, optional
        That of a new figure by default.
    since, until : int, s, optional
        The first submission and the last end by default.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ValueError
        Unless `since` is before `until`, and for more than 200,000 jobs.
    """
    import matplotlib.pyplot as plt
    from matplotlib import patches

    w = schedule.workload
    since = int(w.submit[0]) if since is None else since
    until = int(schedule.end.max()) if until is None else until
    if not since < until:
        raise ValueError(f"since {since} s, until {until} s; expected since < until")
    shown = np.flatnonzero((schedule.start < until) & (schedule.end > since))
    if len(shown) > ROWS:
        raise ValueError(
            f"{len(shown):,} jobs run between {since} and {until} s; a chart shows at most {ROWS:,}"
        )
    axes = plt.figure(figsize=(9, 4.5)).add_subplot() if axes is None else axes
    kinds = {False: ("started as head", "#4878a8", ""), True: ("backfilled", "#e8a33d", "///")}
    hours = 3600.0
    for k, first, width in place(
        schedule.start[shown], schedule.end[shown], w.processors[shown], w.machine
    ):
        job = shown[k]
        _, colour, hatch = kinds[bool(schedule.backfilled[job])]
        corner = schedule.start[job] / hours, first
        length = (schedule.end[job] - schedule.start[job]) / hours
        ink = {"facecolor": colour, "edgecolor": "black", "linewidth": 0.4, "hatch": hatch}
        axes.add_patch(patches.Rectangle(corner, length, width, **ink))
    axes.set(
        xlim=(since / hours, until / hours),
        ylim=(0, w.machine),
        xlabel="time since the start of the log [h]",
        ylabel="processors",
    )
    # A dollar sign in a name does not begin a formula.
    axes.set_title(f"{w.label}, {schedule.provenance['scheduler']}", parse_math=False)
    handles = [
        patches.Patch(facecolor=c, edgecolor="black", hatch=h, label=name)
        for name, c, h in kinds.values()
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
    return axes
