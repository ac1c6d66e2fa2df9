"""A Gantt picture of a schedule: time across, processors up."""

import heapq

import numpy as np

ROWS = 200_000  # rectangles a still picture can show


def place(start, end, processors, machine):
    """Give every job a block of processors for the time it runs, lowest free ones first; a job may
    be split over several. Blocks are (job's index, first processor, number of processors);
    ValueError if more processors are in use than the machine has.
    """
    blocks, running, free = [], [], [(0, machine)]
    # Runs of no time come first: at the same instant their processors are free again.
    for job in np.lexsort((processors, end > start, start)):
        while running and running[0][0] <= start[job]:
            free.append(heapq.heappop(running)[1])
        free = joined(free)
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


def joined(blocks):
    """Blocks (first processor, number of processors) in ascending order, neighbours made one."""
    found = []
    for first, width in sorted(blocks):
        if found and sum(found[-1]) == first:
            found[-1] = (found[-1][0], found[-1][1] + width)
        else:
            found.append((first, width))
    return found


def draw(schedule, axes=None, since=None, until=None):
    """Draw the jobs that run between two instants, s, on a new figure or on `axes`; the whole
    schedule by default.
    """
    import matplotlib.pyplot as plt
    from matplotlib import patches

    w = schedule.workload
    since = int(w.submit[0]) if since is None else since
    until = int(schedule.end.max()) if until is None else until
    shown = np.flatnonzero((schedule.start < until) & (schedule.end > since))
    if len(shown) > ROWS:
        raise ValueError(
            f"{len(shown):,} jobs run between {since} and {until} s; a picture shows {ROWS:,}"
        )
    axes = plt.figure(figsize=(9, 4.5)).add_subplot() if axes is None else axes
    kinds = {False: ("started as head", "#4878a8", ""), True: ("backfilled", "#e8a33d", "///")}
    hours = 3600.0
    for k, first, width in place(
        schedule.start[shown], schedule.end[shown], w.processors[shown], w.machine
    ):
        job = shown[k]
        _, colour, hatch = kinds[bool(schedule.backfilled[job])]
        corner, length = (schedule.start[job] / hours, first), w.run_time[job] / hours
        ink = {"facecolor": colour, "edgecolor": "black", "linewidth": 0.4, "hatch": hatch}
        axes.add_patch(patches.Rectangle(corner, length, width, **ink))
    kind = " (stand-in)" if w.stand_in else ""
    axes.set(
        xlim=(since / hours, until / hours),
        ylim=(0, w.machine),
        xlabel="time since the start of the log [h]",
        ylabel="processors",
        title=f"{w.name}{kind}, {schedule.provenance['scheduler']}",
    )
    handles = [
        patches.Patch(facecolor=c, edgecolor="black", hatch=h, label=name)
        for name, c, h in kinds.values()
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
    return axes
