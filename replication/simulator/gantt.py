"""Gantt charts of schedules, and their HTML in notebooks."""

import base64
import heapq
import io
from html import escape

import numpy as np

from replication.simulator import measures

DAY = 86_400  # s
ROWS = 200_000  # most rectangles of a chart


def place(start, end, processors, machine):
    """Return a block of processors for every job while it runs, lowest free ones first.

    A job may be split over several blocks: (job's index, first processor, number of processors). ValueError if more
    processors are in use than the machine has.
    """
    blocks, running, free = [], [], [(0, machine)]
    # Runs of no time come first: at the same instant their processors are free again.
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


def merge_blocks(blocks):
    """Return blocks (first processor, number of processors) in ascending order, neighbours merged."""
    merger = []
    for first, width in sorted(blocks):
        if merger and sum(merger[-1]) == first:
            merger[-1] = (merger[-1][0], merger[-1][1] + width)
        else:
            merger.append((first, width))
    return merger


def draw(schedule, axes=None, since=None, until=None):
    """Draw the jobs that run between two instants, s, on a new figure or on `axes`; all by default.

    ValueError unless since < until, and for too many jobs.
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
    # Dollar signs in a name are no mathematics.
    axes.set_title(f"{w.label}, {schedule.provenance['scheduler']}", parse_math=False)
    handles = [
        patches.Patch(facecolor=c, edgecolor="black", hatch=h, label=name)
        for name, c, h in kinds.values()
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def as_html(schedule) -> str:
    """Return measures and a Gantt chart of the busiest day as self-contained HTML."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{escape(measures.NAMES.get(name, name))}</td>"
        f"<td>{value:{',' if isinstance(value, int) else ',.4g'}}</td></tr>"
        for name, value in schedule.measures.items()
    )
    picture = base64.b64encode(_picture(schedule)).decode()
    return (
        f"<div><p>{escape(repr(schedule))}</p>"
        "<div style='display:flex;flex-wrap:wrap;gap:1em;align-items:center'>"
        f"<table>{rows}</table>"
        f"<img alt='Gantt chart of the busiest day' src='data:image/png;base64,{picture}'>"
        "</div></div>"
    )


def busiest_day(schedule):
    """Return start and end of the day of the log on which most jobs start, s."""
    begin = int(schedule.workload.submit[0])
    days, started = np.unique((schedule.start - begin) // DAY, return_counts=True)
    day = int(days[started.argmax()])
    return begin + day * DAY, begin + (day + 1) * DAY


def _picture(schedule):
    since, until = busiest_day(schedule)
    last = int(schedule.end.max())
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 2.6), layout="constrained")
    axes = draw(schedule, figure.add_subplot(), since, max(min(until, last), since + 1))
    axes.set_title("the busiest day", fontsize="small")
    axes.get_legend().remove()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=100)
    return out.getvalue()
