"""The comparison as a scene: Gantt pictures, queue and machine over time, wait and slowdown by size."""

import numpy as np
import pandas as pd

from replication.explore import scene
from replication.explore.scene import NUMBER
from replication.simulator import gantt, plans

MOST = 4000  # jobs in one Gantt picture; of more, the largest areas
POINTS = 1500  # points of one line
HEIGHT = 900
#: The panels' tops and heights, as shares of the picture.
ROWS = {"gantt": (0.0, 0.40), "queue": (0.40, 0.18), "used": (0.58, 0.18), "sizes": (0.76, 0.24)}


def comparison(sides, since, length):
    """Two schedules of the same jobs (`replication.explore.model.Seen`), side by side in one window
    of time, as a scene; its first two panels are the Gantt pictures.
    """
    unit, name = (3600, "hours") if length <= 86400 else (86400, "days")
    window = scene.Window(since, since + length, unit, name)
    gantts = [_gantt(sides, k, window) for k in range(2)]
    panels = [*gantts, *_over_time(sides, "queue", window), *_over_time(sides, "used", window)]
    shown = set().union(*(panel["rects"]["look"].tolist() for panel in gantts))
    legend = [name for name, number in NUMBER.items() if number in shown]
    legend += ["gained", "lost", "own", "other", "first", "second"]
    begins, ends = window.since / unit, window.until / unit
    summary = (
        f"Two Gantt pictures from {begins:,.2f} to {ends:,.2f} {name}, below each the queue and "
        f"the machine over time, then wait and slowdown by size. Left: {sides[0].words}. "
        f"Right: {sides[1].words}. {gains(*(seen.schedule for seen in sides))}"
    )
    return scene.scene([*panels, *_sizes(sides)], legend, summary, HEIGHT)


def _box(row, k):
    """Where a panel lies: in a row, on the left or on the right."""
    top, height = ROWS[row]
    return k / 2, top, 0.5, height


def pieces(seen, window):
    """The rectangles of a Gantt picture: columns start, end, low and high (processors), look and
    job; and how many runs in the window are not drawn, because there are more than `MOST`.

    A run is cut in two where shadow load becomes sunny.
    """
    runs, w = seen.runs, seen.schedule.workload
    runs = runs[(runs.start < window.until) & (runs.end > window.since)]
    left_out = max(len(runs) - MOST, 0)
    area = (runs.end - runs.start) * w.processors[runs.job]
    runs = runs[area.rank(method="first", ascending=False) <= MOST]
    times = runs.start.to_numpy(), runs.end.to_numpy()
    blocks = np.array(gantt.place(*times, w.processors[runs.job], w.machine)).reshape(-1, 3)
    drawn = runs.iloc[blocks[:, 0]].reset_index(drop=True)
    drawn = drawn.assign(low=blocks[:, 1], high=blocks[:, 1] + blocks[:, 2])
    dark = (drawn.sunny > drawn.start) & (drawn.look != NUMBER["preempted"])
    shadow = drawn[dark]
    shadow = shadow.assign(end=np.minimum(shadow.sunny, shadow.end), look=NUMBER["shadow"])
    sunny = drawn.assign(start=drawn.start.mask(dark, drawn.sunny))
    drawn = pd.concat([sunny, shadow], ignore_index=True)
    return drawn[drawn.end > drawn.start], left_out


def _gantt(sides, k, window):
    seen = sides[k]
    drawn, left_out = pieces(seen, window)
    some = f" (the {MOST:,} largest of {MOST + left_out:,} runs)" if left_out else ""
    start, end = (window.place(drawn[edge].to_numpy()) for edge in ("start", "end"))
    rects = scene.rects(start, end, drawn.low, drawn.high, drawn.look, drawn.job)
    marks = _marks(*(side.schedule for side in sides), window, drawn) if k else None
    words = {"title": seen.words + some, "ylabel": "processors"}
    words["xlabel"] = f"{window.name} since the start of the log"
    axes = {"box": _box("gantt", k), "x": window.axis, "y": (0, seen.schedule.workload.machine)}
    return scene.panel(**axes, **words, xticks=window.ticks(7), rects=rects, marks=marks)


def _marks(first, second, window, drawn):
    """A triangle where a job starts that gained or lost, once a job."""
    later = (second.start - first.start)[drawn.job]
    here = (later != 0) & (drawn.start == second.start[drawn.job]) & (drawn.start >= window.since)
    at = drawn.assign(later=later)[here].drop_duplicates("job").sort_values("job")
    return {
        "x": window.place(at.start.to_numpy()),
        "y": ((at.low + at.high) / 2).to_numpy(),
        "look": np.where(at.later < 0, NUMBER["gained"], NUMBER["lost"]),
    }


def _over_time(sides, what, window):
    """A panel a side with both lines: its own whole, the other's dashed."""
    cut = [_cut(*seen.over_time[what], window) for seen in sides]
    title, label, top = "Machine", "processors", sides[0].schedule.workload.machine
    if what == "queue":
        title, label, top = "Queue", "jobs", max(1, *(int(y.max()) for _, y in cut)) * 1.05
    for k, (own, other) in enumerate((cut, cut[::-1])):
        lines = {"other": other, "own": own}.items()
        axes = {"box": _box(what, k), "x": window.axis, "y": (0, top)}
        axes |= {"xticks": window.ticks(7), "yticks": scene.ticks(0, top, most=4, whole=True)}
        lines = [{"look": look, "x": x, "y": y} for look, (x, y) in lines]
        yield scene.panel(**axes, title=title, ylabel=label, lines=lines)


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
    names, (first, second) = np.array(plans.size_names()), (seen.by_size for seen in sides)
    shown = (first.wait.notna() | second.wait.notna()).to_numpy()
    x = (np.arange(shown.sum()) + np.array([[-0.38], [0.02]])).ravel()
    look, nothing = np.repeat([NUMBER["first"], NUMBER["second"]], shown.sum()), np.zeros(x.size)
    titles = {
        "wait": ("Mean wait by size", "hours"),
        "slowdown": ("Mean bounded slowdown by size", ""),
    }
    for k, (what, (title, label)) in enumerate(titles.items()):
        y = np.nan_to_num([one[what][shown] for one in (first, second)]).ravel()
        axes = {"x": (-0.5, shown.sum() - 0.5), "y": (0, float(y.max()) * 1.1 or 1.0)}
        axes["xticks"] = [(float(k), name) for k, name in enumerate(names[shown].tolist())]
        words = {"title": title, "ylabel": label, "xlabel": "processors"}
        rects = scene.rects(x, x + 0.36, nothing, y, look, nothing - 1)
        yield scene.panel(box=_box("sizes", k), **axes, **words, rects=rects)


def gains(first, second):
    """Who starts earlier and who later on the right, in a sentence."""
    later = second.start - first.start
    parts = [
        f"{len(part):,} jobs start {word} on the right"
        + (f" (by {abs(part.mean()) / 3600:,.2f} h on average)" if len(part) else "")
        for part, word in ((later[later < 0], "earlier"), (later[later > 0], "later"))
    ]
    return f"{' and '.join(parts)}, {int((later == 0).sum()):,} at the same time."
