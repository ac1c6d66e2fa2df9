"""The comparison as a scene: Gantt pictures, queue and machine over time, wait and slowdown by size."""

import numpy as np

from replication.explore import model, scene
from replication.explore.looks import NUMBER
from replication.schedule import gantt, plans

MOST = 4000  # jobs in one Gantt picture; of more, the largest areas
POINTS = 1500  # points of one line
HEIGHT = 900
SIDES = ((0.0, 0.5), (0.5, 0.5))
ROWS = ((0.0, 0.40), (0.40, 0.18), (0.58, 0.18), (0.76, 0.24))
UNITS = ((86400, 3600, "hours"), (np.inf, 86400, "days"))


def comparison(sides, since, length):
    """Two schedules of the same jobs (`replication.explore.model.Seen`), side by side in one window
    of time, as a scene; its first two panels are the Gantt pictures.
    """
    unit, name = next((unit, name) for most, unit, name in UNITS if length <= most)
    window = scene.Window(since, since + length, unit, name)
    gantts = [
        _gantt(seen, sides[0] if k else None, window, SIDES[k]) for k, seen in enumerate(sides)
    ]
    panels = [
        *gantts,
        *_over_time(sides, "queue", window, "Queue", "jobs", ROWS[1]),
        *_over_time(sides, "used", window, "Machine", "processors", ROWS[2]),
        *_sizes(sides),
    ]
    shown = set().union(*(panel["rects"]["look"] for panel in gantts))
    legend = [name for name, number in NUMBER.items() if number in shown]
    legend += ["gained", "lost", "own", "other", "first", "second"]
    return scene.scene(panels, legend, _summary(sides, window), HEIGHT)


def pieces(seen, window):
    """The rectangles of a Gantt picture: columns of start, end, lowest processor, highest, look and
    job, in s and processors; and how many runs in the window are not drawn, because there are
    more than `MOST`.
    """
    every, w = seen.runs, seen.schedule.workload
    size = w.processors
    shown = np.flatnonzero((every.start < window.until) & (every.end > window.since))
    left_out = max(len(shown) - MOST, 0)
    if left_out:
        area = (every.end - every.start)[shown] * size[every.job[shown]]
        shown = shown[np.sort(np.argsort(-area, kind="stable")[:MOST])]
    placed = gantt.place(every.start[shown], every.end[shown], size[every.job[shown]], w.machine)
    block = np.array(placed, np.int64).reshape(-1, 3)
    run, low, high = shown[block[:, 0]], block[:, 1], block[:, 1] + block[:, 2]
    columns = _split(every, run, low, high)
    some = columns[1] > columns[0]
    return tuple(column[some] for column in columns), left_out


def _split(every, run, low, high):
    """Runs cut in two where shadow load becomes sunny; the columns of `pieces`."""
    start, end, sunny, look, job = (
        getattr(every, c)[run] for c in ("start", "end", "sunny", "look", "job")
    )
    dark = (sunny > start) & (look != NUMBER["preempted"])
    shadow = np.flatnonzero(dark)
    return (
        np.concatenate([np.where(dark, sunny, start), start[shadow]]),
        np.concatenate([end, np.minimum(sunny, end)[shadow]]),
        np.concatenate([low, low[shadow]]),
        np.concatenate([high, high[shadow]]),
        np.concatenate([look, np.full(len(shadow), NUMBER["shadow"])]),
        np.concatenate([job, job[shadow]]),
    )


def _gantt(seen, other, window, side):
    (start, end, low, high, look, job), left_out = pieces(seen, window)
    found = seen.schedule
    title = seen.words + (
        f" (the {MOST:,} largest of {MOST + left_out:,} runs)" if left_out else ""
    )
    later = None if other is None else model.change(other.schedule, found)
    marks = None if other is None else _marks(later, found, window, start, low, high, job)
    return scene.panel(
        (side[0], ROWS[0][0], side[1], ROWS[0][1]),
        window.axis,
        (0, found.workload.machine),
        title=title,
        ylabel="processors",
        xticks=window.ticks(most=7),
        marks=marks,
        xlabel=f"{window.name} since the start of the log",
        rects=scene.rects(window.place(start), window.place(end), low, high, look, job),
    )


def _marks(later, found, window, start, low, high, job):
    """A triangle where a job starts that gained or lost, once a job."""
    here = (later[job] != 0) & (start == found.start[job]) & (start >= window.since)
    _, once = np.unique(job[here], return_index=True)
    at = np.flatnonzero(here)[once]
    look = np.where(later[job[at]] < 0, NUMBER["gained"], NUMBER["lost"])
    return scene.marks(window.place(start[at]), (low[at] + high[at]) / 2, look)


def _over_time(sides, what, window, title, label, row):
    """A panel a side with both lines: its own whole, the other's dashed."""
    cut = [_cut(*seen.over_time[what], window) for seen in sides]
    top = (
        sides[0].schedule.workload.machine
        if what == "used"
        else max(1, *(int(y.max()) for _, y in cut)) * 1.05
    )
    for own, other, (left, width) in ((0, 1, SIDES[0]), (1, 0, SIDES[1])):
        lines = [scene.line("other", *cut[other]), scene.line("own", *cut[own])]
        yield scene.panel(
            (left, row[0], width, row[1]),
            window.axis,
            (0, top),
            title=title,
            ylabel=label,
            xticks=window.ticks(most=7),
            lines=lines,
            yticks=scene.ticks(0, top, most=4, whole=True),
        )


def _cut(instant, level, window):
    """A line in the window; of many points one a slot of time, the highest."""
    first = max(int(np.searchsorted(instant, window.since, "right")) - 1, 0)
    last = int(np.searchsorted(instant, window.until))
    x = np.append(window.place(instant[first:last]), window.axis[1])
    y = np.append(level[first:last], level[max(last - 1, 0)] if last else 0)
    if instant[0] > window.since:
        x, y = np.insert(x, 0, 0), np.insert(y, 0, 0)
    if len(x) > POINTS:
        slot = np.floor(x / window.axis[1] * (POINTS - 1)).astype(int)
        begins = np.flatnonzero(np.diff(slot, prepend=-1))
        x, y = x[begins], np.maximum.reduceat(y, begins)
    return x, y


def _sizes(sides):
    """Two panels of bars in pairs: wait and slowdown by size."""
    found, names = [seen.by_size for seen in sides], plans.size_names()
    shown = [k for k in range(len(names)) if any(np.isfinite(one["wait"][k]) for one in found)]
    for what, title, label, (left, width) in (
        ("wait", "Mean wait by size", "hours", SIDES[0]),
        ("slowdown", "Mean bounded slowdown by size", "", SIDES[1]),
    ):
        height = np.nan_to_num([[one[what][k] for k in shown] for one in found])
        x = np.arange(len(shown)) + np.array([[-0.38], [0.02]])
        look = np.repeat([NUMBER["first"], NUMBER["second"]], len(shown))
        top = float(height.max()) * 1.1 or 1.0
        low, high = x.ravel(), x.ravel() + 0.36
        nothing = np.zeros(x.size)
        bars = scene.rects(low, high, nothing, height.ravel(), look, nothing - 1)
        ticks = [(float(k), names[j]) for k, j in enumerate(shown)]
        words = {"title": title, "ylabel": label, "xlabel": "processors"}
        box, across = (left, ROWS[3][0], width, ROWS[3][1]), (-0.5, len(shown) - 0.5)
        yield scene.panel(box, across, (0, top), xticks=ticks, rects=bars, **words)


def _summary(sides, window):
    """The picture in words."""
    since, until = window.since / window.unit, window.until / window.unit
    return (
        f"Two Gantt pictures from {since:,.2f} to {until:,.2f} {window.name}, below each the queue and "
        f"the machine over time, then wait and slowdown by size. Left: {sides[0].words}. "
        f"Right: {sides[1].words}. "
        f"{gains(*(seen.schedule for seen in sides))}"
    )


def gains(first, second):
    """Who starts earlier and who later on the right, in a sentence."""
    later = model.change(first, second)
    gained, lost = later[later < 0], later[later > 0]
    parts = [
        f"{len(part):,} jobs start {word} on the right"
        + (f" (by {abs(part.mean()) / 3600:,.2f} h on average)" if len(part) else "")
        for part, word in ((gained, "earlier"), (lost, "later"))
    ]
    return f"{' and '.join(parts)}, {int((later == 0).sum()):,} at the same time."
