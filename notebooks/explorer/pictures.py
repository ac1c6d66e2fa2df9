"""The pictures of the explorer, drawn by Plotly: two schedules above each other, the mean wait over
f, who gains, and one decision of EASY.
"""

import gzip
import re
from functools import cache
from pathlib import Path

import anywidget
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import traitlets
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs
from plotly.subplots import make_subplots

from notebooks.explorer import steps
from notebooks.explorer.model import HOUR, mean_level
from replication.simulator.schedules import gantt
from replication.simulator.workload import usage

#: Legend entry, colour and hatch of each kind of box; boxes without a colour are outlines with a
#: dash.
LOOKS = {
    "regular": ("started in order", "#5B7DB1", ""),
    "backfilled": ("backfilled", "#F3C05B", "/"),
    "preempted": ("preempted", "#D98BA3", "x"),
    "ran": ("run", "#9DBDB8", ""),
    "mild": ("backfilled mildly", "#F3C05B", "/"),
    "wild": ("backfilled wildly", "#D16C8C", "\\"),
    "past": ("ended", "#E3E7ED", ""),
    "believed": ("estimated rest", "#FBF0B2", "."),
    "stolen": ("stolen from the head", "#8E1B3E", "x"),
    "hole": ("hole", None, "dash"),
    "extra": ("extra processors", None, "dot"),
}
LINES = (("now", "black", "solid"), ("reservation", "#0B3C7D", "dash"))
LINES += (("real shadow time", "#A2264B", "dot"),)
#: Dash and colour of the lines of A and of B.
SIDES = (("A", "solid", "#0B3C7D"), ("B", "dot", "#A2264B"))
RUNS = 1500  # runs in one window; more are drawn as processors in use by kind
BINS = 120  # steps of a curve
CELLS = (192, 48)  # places in time and in processors at which a panel finds the job at the mouse
WAITING = 10  # jobs of the queue that are drawn
EDGE = {"color": "#222222", "width": 2.5}
LABEL = {"showarrow": False, "bgcolor": "rgba(255,255,255,0.75)"}


def panels(heights, kinds, height=430) -> go.Figure:
    """Return a Plotly figure with panels above each other and a trace for each panel and kind of
    box.
    """
    shape = {"row_heights": heights, "vertical_spacing": 0.05, "shared_xaxes": True}
    figure = make_subplots(len(heights), 1, **shape)
    for row, names in enumerate(kinds, 1):
        for name in names:
            words, colour, pattern = LOOKS[name]
            trace = go.Scatter(mode="lines", fill="toself", hoverinfo="skip", name=words)
            trace.update(legendgroup=name, meta=[row, name], showlegend=False)
            if colour is None:
                trace.line, trace.fillcolor = {"color": "#0B3C7D", "dash": pattern}, "rgba(0,0,0,0)"
            else:
                trace.line, trace.fillcolor = {"width": 0.5, "color": "rgba(40,40,40,0.6)"}, colour
                hatch = {"shape": pattern, "bgcolor": colour, "fgcolor": "#333333", "size": 6}
                trace.fillpattern = hatch | {"solidity": 0.2, "fillmode": "replace"}
            figure.add_trace(trace, row=row, col=1)
    return in_style(figure, height)


def in_style(figure, height) -> go.Figure:
    """Return a figure without zoom, with its legend above it."""
    figure.update_layout(template="plotly_white", autosize=True, height=height, dragmode=False)
    figure.update_layout(margin={"l": 55, "r": 12, "t": 46, "b": 38}, font_color="#222222")
    figure.update_layout(
        legend={"orientation": "h", "y": 1, "yanchor": "top", "yref": "container", "x": 0}
    )
    figure.update_xaxes(fixedrange=True, zeroline=False, title_standoff=4)
    figure.update_yaxes(fixedrange=True, zeroline=False, title_standoff=6)
    return figure


class Canvas(anywidget.AnyWidget):
    """A Plotly figure in a notebook, as wide as its cell.

    The page draws the whole figure from this widget's state as soon as Plotly is loaded, so that no
    change is lost however late that is. The page asks for Plotly by a message, since anywidget
    allows a module two seconds to load.
    """

    _esm = Path(__file__).with_name("canvas.js")
    data = traitlets.Unicode().tag(sync=True)
    layout_of_figure = traitlets.Unicode().tag(sync=True)
    #: Where the mouse is, as (panel, x, y); empty outside.
    mouse = traitlets.List().tag(sync=True)
    #: Where it clicked last, as (trace, number of the point).
    clicked = traitlets.List().tag(sync=True)
    #: What it drew last, as an SVG path in units of the axes, or dragged, as (number of the line,
    #: x).
    drawn = traitlets.Unicode().tag(sync=True)
    dragged = traitlets.List().tag(sync=True)
    #: Whether the picture is of an earlier choice; the page fades it.
    outdated = traitlets.Bool(False).tag(sync=True)

    def __init__(self, figure, **given):
        super().__init__(**given)
        self.draw(figure)
        self.on_msg(self._answer)

    def draw(self, figure) -> None:
        """Show the present state of a Plotly figure."""
        parts = figure.to_plotly_json()
        with self.hold_sync():
            self.data = to_json_plotly(parts["data"])
            self.layout_of_figure = to_json_plotly(parts["layout"])

    def _answer(self, widget, content, buffers):
        if content == "plotly":
            self.send("plotly", [library()])


@cache
def library() -> bytes:
    """Return Plotly's JavaScript, compressed."""
    return gzip.compress(get_plotlyjs().encode(), 6)


def outlines(boxes, unit) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of closed outlines of boxes (start, end, low, high), separated by nan."""
    start, end, low, high = boxes[["start", "end", "low", "high"]].to_numpy(float).T
    start, end, gap = start / unit, end / unit, np.full(len(boxes), np.nan)
    x, y = (start, end, end, start, start, gap), (low, low, high, high, low, gap)
    return np.stack(x, 1).ravel(), np.stack(y, 1).ravel()


def fill(figure, boxes, unit) -> None:
    """Draw boxes, a DataFrame with columns row, kind, start, end, low and high."""
    groups, shown = dict(list(boxes.groupby(["row", "kind"]))), set()
    for trace in figure.data:
        own = groups.get(tuple(trace.meta or ()))
        if own is None and trace.meta and trace.x is not None:
            trace.x, trace.y, trace.showlegend = None, None, False
        elif own is not None:
            trace.x, trace.y = outlines(own, unit)
            trace.showlegend = trace.name not in shown
            shown.add(trace.name)


class Comparison:
    """Two schedules of a log and their queues, in one window of time."""

    KINDS = ("regular", "backfilled", "preempted")

    def __init__(self):
        self.figure = figure = panels([0.4, 0.4, 0.2], (self.KINDS, self.KINDS, ()), height=390)
        for row in (1, 2):
            marked = {"mode": "lines", "line": EDGE, "showlegend": False, "hoverinfo": "skip"}
            figure.add_trace(go.Scatter(**marked), row=row, col=1)
        for name, dash, colour in SIDES:
            line = {"shape": "hv", "color": colour, "dash": dash, "width": 1.6}
            queue = go.Scatter(mode="lines", line=line, name=f"queue of {name}", hoverinfo="skip")
            figure.add_trace(queue, row=3, col=1)
        for row in (1, 2):  # invisible cells, which report where the mouse is
            cells = go.Heatmap(
                z=np.zeros(CELLS[::-1], np.int8), opacity=0, hoverinfo="none", zsmooth="fast"
            )
            figure.add_trace(cells.update(showscale=False), row=row, col=1)
        figure.update_xaxes(title_text="hours since the start of the log", row=3, col=1)
        for row, title in enumerate(("processors, A", "processors, B", "waiting jobs"), 1):
            figure.update_yaxes(title_text=title, row=row, col=1)

    def show(self, views, since, until) -> None:
        """Draw two views between two instants, s."""
        self.views, self.since, self.until = views, since, until
        self.edges = np.linspace(since, until, BINS + 1)
        self.boxes = [self._boxes(view).assign(row=row) for row, view in enumerate(views, 1)]
        machine, width = views[0].schedule.workload.machine, (until - since) / HOUR
        queues = [mean_level(*view.queue, self.edges[:-1], self.edges[1:]) for view in views]
        layout, self.waiting = self.figure.layout, any(level.any() for level in queues)
        fill(self.figure, pd.concat(self.boxes), HOUR)
        for line, level in zip(self.figure.data[-4:-2], queues, strict=True):
            line.x, line.y = self.edges[:-1] / HOUR, level
        for cells in self.figure.data[-2:]:
            dx, dy = width / CELLS[0], machine / CELLS[1]
            cells.update(x0=since / HOUR + dx / 2, dx=dx, y0=dy / 2, dy=dy)
        layout.yaxis.range = layout.yaxis2.range = (0, machine)
        layout.yaxis3.range = (0, max(1, *map(np.max, queues)) * 1.08)
        for axis in (layout.xaxis, layout.xaxis2, layout.xaxis3):
            axis.range = (since / HOUR, until / HOUR)
        layout.annotations = ()

    def _boxes(self, view):
        runs, w = view.runs, view.schedule.workload
        runs = runs[(runs.start < self.until) & (runs.end > self.since)]
        if len(runs) > RUNS:
            return self._in_use(runs, w)
        runs = runs.reset_index(drop=True)
        times = runs.start.to_numpy(), runs.end.to_numpy()
        blocks = gantt.place(*times, w.processors[runs.job], w.machine)
        blocks = pd.DataFrame(blocks, columns=["run", "low", "width"])
        boxes = runs.merge(blocks, left_index=True, right_on="run")
        return boxes.assign(high=boxes.low + boxes.width)

    def _in_use(self, runs, w):
        """Return outlines of the processors in use, those of each kind on top of the kinds before
        it.
        """
        since, until = self.edges[:-1], self.edges[1:]
        below, parts = np.zeros(BINS), []
        for kind, own in runs.groupby("kind"):
            level = usage(own.start, own.end, w.processors[own.job])
            above = below + mean_level(*level, since, until)
            columns = {"start": since, "end": until, "low": below, "high": above}
            parts.append(pd.DataFrame(columns | {"kind": kind, "job": -1}))
            below = above
        return pd.concat(parts)

    def job_at(self, row, hour, processor) -> int | None:
        """Return the job (index) at a place of a panel, or None."""
        boxes, second = self.boxes[row], hour * HOUR
        here = (boxes.start <= second) & (second < boxes.end)
        here &= (boxes.low <= processor) & (processor < boxes.high) & (boxes.job >= 0)
        return int(boxes.job[here].iloc[0]) if here.any() else None

    def mark(self, jobs) -> None:
        """Outline jobs (indices) in both schedules; a single one with its number."""
        labels = []
        for k, boxes in enumerate(self.boxes, 1):
            own, axes = boxes[boxes.job.isin(jobs)], {"xref": f"x{k}", "yref": f"y{k}"}
            line = self.figure.data[k - 7]
            line.x, line.y = outlines(own, HOUR)
            line.line.width = 2.5 if len(jobs) == 1 else 1.2
            if len(jobs) == 1 and len(own):
                place = {"x": max(own.start.min(), self.since) / HOUR, "y": own.high.max()}
                name = f"job {self.views[0].schedule.workload.job_id[jobs[0]]}"
                labels.append(LABEL | {"text": name, "xanchor": "left"} | place | axes)
        self.figure.layout.annotations = labels


class Lines(anywidget.AnyWidget):
    """Lines of Python, and a button that copies them."""

    _esm = Path(__file__).with_name("lines.js")
    value = traitlets.Unicode().tag(sync=True)


class Curve:
    """Mean wait over f for A and B, a point for each run; a diamond is the present value, an open
    one that of before. The reader may draw the points that they expect.
    """

    MOST = 10  # largest f
    GUESS = {"color": "#777777", "width": 2.5}

    def __init__(self):
        self.figure = in_style(make_subplots(1, 1), 250)
        for side, dash, colour in SIDES:
            line = {"color": colour, "dash": dash, "width": 0.7}
            looks = (
                {"mode": "lines+markers", "name": side, "line": line, "marker": {"size": 7}},
                {"mode": "markers", "marker": {"symbol": "diamond-open"}, "opacity": 0.6},
                {"mode": "markers", "marker": {"symbol": "diamond"}},
            )
            for look in looks:
                trace = go.Scatter(hovertemplate="f = %{x}: %{y:.2f} h", showlegend=False)
                self.figure.add_trace(trace.update(look).update(marker_color=colour))
        self.figure.update_traces(showlegend=True, selector={"mode": "lines+markers"})
        self.figure.update_traces(marker_size=12, selector={"mode": "markers"})
        guess = {"mode": "lines", "line": self.GUESS, "name": "drawn by you"}
        self.figure.add_trace(go.Scatter(hoverinfo="skip").update(guess))
        self.figure.update_xaxes(range=(-0.2, self.MOST + 0.2), title_text="f")
        self.figure.update_yaxes(title_text="mean wait, h")
        self.figure.update_layout(newshape={"line": self.GUESS}, shapes=())

    def show(self, sides, guess=None, drawing=False) -> None:
        """Draw each side: its mean waits, h, by f; the f of before or None; and the present f.

        `guess` is a path that the reader has drawn. While they are `drawing`, only the present
        value of each side is shown.
        """
        places = re.findall(r"([-\d.e+]+),([-\d.e+]+)", guess or "")
        x, y = np.array(places, float).reshape(-1, 2).T
        self.figure.data[-1].update(x=x, y=y, showlegend=bool(len(x)))
        self.figure.layout.dragmode = "drawopenpath" if drawing else False
        if drawing:
            sides = [({now: waits[now]}, None, now) for waits, _, now in sides]
        for k, (waits, before, now) in enumerate(sides):
            places = sorted(waits), [before] if before in waits else [], [now]
            for trace, at in zip(self.figure.data[3 * k : 3 * k + 3], places, strict=True):
                trace.x, trace.y = at, [waits[f] for f in at]
        level = [wait for waits, _, _ in sides for wait in waits.values() if wait >= 0]
        low, high = min(level, default=0), max(level, default=0)
        if drawing:  # nothing tells where the curve will go
            low, high = 0, 2 * high or 1
        if len(y):
            low, high = min(low, y.min()), max(high, y.max())
        margin = max(0.1 * (high - low), 0.02 * high, 0.01) * (not drawing)
        self.figure.update_yaxes(range=(low - margin, high + margin))


class Gains:
    """Change of the mean wait from A to B by size and by length, with 95 % intervals over weeks."""

    SHORTER, LONGER = "#5B7DB1", "#D16C8C"
    ROW = 21  # height of a class, pixels

    def __init__(self):
        self.figure = in_style(make_subplots(1, 2, horizontal_spacing=0.2), 230)
        for col in (1, 2):
            words = "%{y} (%{customdata:,} jobs): %{x:+.2f} h<extra></extra>"
            bars = go.Bar(orientation="h", hovertemplate=words, showlegend=False)
            bars.error_x = {"symmetric": False, "color": "#222222", "thickness": 1, "width": 3}
            self.figure.add_trace(bars, row=1, col=col)
        self.figure.update_layout(bargap=0.25, margin={"t": 12, "l": 90})
        self.figure.update_xaxes(title_text="change of the mean wait, h", zeroline=True)
        self.figure.update_xaxes(zerolinecolor="#222222", zerolinewidth=1)

    def show(self, tables) -> None:
        """Draw the changes of `notebooks.explorer.model.changes`."""
        self.tables = tables
        for col, (title, table) in enumerate(tables.items(), 1):
            bars = self.figure.data[col - 1]
            change = table["change"]
            bars.update(x=change, y=[*map(str, table.index)], customdata=table["jobs"])
            bars.marker.color = np.where(change > 0, self.LONGER, self.SHORTER)
            bars.error_x.array = (table["high"] - change).fillna(0)
            bars.error_x.arrayminus = (change - table["low"]).fillna(0)
            axis = {"title_text": title, "type": "category", "autorange": "reversed"}
            self.figure.update_yaxes(**axis, row=1, col=col)
        self.figure.layout.height = 60 + self.ROW * max(map(len, tables.values()))

    def group(self, panel, number) -> tuple[str, str]:
        """Return the title of a panel and the name of the class of one of its bars."""
        title, table = [*self.tables.items()][panel]
        return title, str(table.index[number])


class Decision:
    """The machine and the queue at one decision of a walk."""

    MACHINE = ("past", "ran", "mild", "wild", "believed", "stolen", "hole", "extra")
    HANDLE = {"type": "rect", "xsizemode": "pixel", "x0": -3, "x1": 3, "fillcolor": "#222222"}
    HANDLE |= {"line": {"width": 1, "color": "white"}}

    def __init__(self):
        self.figure = panels([0.58, 0.42], (self.MACHINE, ("ran", "believed")))
        for name, colour, dash in LINES:
            line = go.Scatter(mode="lines", line={"color": colour, "dash": dash, "width": 2.5})
            self.figure.add_trace(line.update(name=name, hoverinfo="skip"), row=1, col=1)

    def open(self, walk) -> None:
        """Prepare a walk: the place of each job is the same in all its decisions."""
        self.walk, w, self.blocks = walk, walk.workload, {}
        begun = np.flatnonzero(walk.start < steps.NEVER)
        times = walk.start[begun], walk.end[begun]
        for k, low, width in gantt.place(*times, w.processors[begun], w.machine):
            self.blocks.setdefault(int(begun[k]), []).append((low, low + width))
        passed = [m for m in walk.moments if m.sight.kind == "backfilled"]
        self.passed = {m.sight.jobs[0]: "wild" if m.wild else "mild" for m in passed}
        self.places = max(1, min(WAITING, max(len(m.sight.queue) for m in walk.moments)))
        layout, ticks = self.figure.layout, 1 if w.machine < 10 else None
        layout.yaxis.update(range=(0, w.machine * 1.12), title_text="processors", dtick=ticks)
        layout.yaxis2.range, layout.xaxis2.title.text = (0, self.places), walk.axis

    def show(self, number) -> None:
        """Draw a decision."""
        walk, moment = self.walk, self.walk.moments[number]
        sight, top = moment.sight, walk.workload.machine * 1.12
        self.sight = sight
        since, until = self._window(sight)
        boxes = [*self._machine(moment, until), *self._queue(moment)]
        boxes = pd.DataFrame(boxes, columns=["row", "kind", "start", "end", "low", "high"])
        boxes = boxes.assign(start=boxes.start.clip(since, until), end=boxes.end.clip(since, until))
        labels = [*self._numbers(sight, since, until), *self._verdicts(moment)]
        lines, layout = (sight.now, sight.planned, sight.real), self.figure.layout
        boxes = boxes[boxes.end > boxes.start]
        boxes = boxes.assign(start=walk.since + boxes.start, end=walk.since + boxes.end)
        fill(self.figure, boxes, walk.unit)
        for trace, at in zip(self.figure.data[-3:], lines, strict=True):
            known = at is not None
            trace.x, trace.y = ([walk.x(at)] * 2 if known else []), ([0, top] if known else [])
        layout.xaxis.range = layout.xaxis2.range = (walk.x(since), walk.x(until))
        layout.annotations = [LABEL | label for label in labels]
        layout.shapes = [*self._handles(sight)] if walk.unit < HOUR else ()
        rows = self.places - 0.5 - np.arange(len(sight.queue[: self.places]))
        names = [walk.job(job) for job in sight.queue[: self.places]]
        drawn = f"{len(names)} of " * (len(names) < len(sight.queue))
        title = f"{drawn}{len(sight.queue)} waiting"
        layout.yaxis2.update(tickvals=rows, ticktext=names, title_text=title)

    def _window(self, sight):
        """Return the time shown, s: an example whole, of a log what lies around the reservation."""
        walk = self.walk
        if walk.unit < HOUR:
            return 0, int(max(walk.believed.max(), walk.end.max()) * 1.1) + 1
        expected = np.median(walk.believed[[*sight.running]]) if sight.running else 0
        ahead = max((sight.planned or 0) - sight.now, int(expected) - sight.now, HOUR)
        return sight.now - ahead // 3, sight.now + 2 * ahead

    def _begun(self, sight):
        """Yield each job that has started; others of the same instant may still follow."""
        for job in self.blocks:
            at, end = self.walk.start[job], self.walk.end[job]
            over = job not in sight.queue and (at < sight.now or at == sight.now == end)
            if job in sight.running or over:
                yield job

    def _machine(self, moment, until):
        walk, sight, machine = self.walk, moment.sight, self.walk.workload.machine
        idle = np.ones(machine, bool)
        for job in self._begun(sight):
            start, end, believed = walk.start[job], walk.end[job], walk.believed[job]
            runs = job in sight.running
            for low, high in self.blocks[job]:
                yield 1, self.passed.get(job, "ran") if runs else "past", start, end, low, high
                if runs:
                    idle[low:high] = False
                    yield 1, "believed", end, believed, low, high
        if sight.planned is not None:
            extra = sight.extra
            edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(int), [0]])))
            for low, high in edges.reshape(-1, 2).tolist():
                yield 1, "hole", sight.now, sight.planned, low, high
                if extra > 0:
                    yield 1, "extra", sight.now, until, low, low + min(extra, high - low)
                    extra -= high - low
        if moment.stolen:
            yield 1, "stolen", moment.first_real, sight.real, machine * 1.03, machine * 1.09

    def _queue(self, moment):
        """Yield the waiting jobs as if each started now."""
        walk, now = self.walk, moment.sight.now
        for place, job in enumerate(moment.sight.queue[: self.places]):
            low, end = self.places - place - 0.85, now + walk.workload.run_time[job]
            yield 2, "ran", now, end, low, low + 0.7
            yield 2, "believed", end, now + walk.estimate[job], low, low + 0.7

    def _handles(self, sight):
        """Yield a handle at the end of each estimate; `handles` are their jobs."""
        walk, self.handles = self.walk, [*sight.running, *sight.queue]
        for job in sight.running:
            low, high = self.blocks[job][0]
            edge = (high - low) / 4  # the lines of the picture stay visible above and below
            place = {"xref": "x", "yref": "y", "y0": low + edge, "y1": high - edge}
            yield self.HANDLE | place | {"xanchor": walk.x(walk.believed[job])}
        for row, job in enumerate(sight.queue):
            low = self.places - row - 0.85
            place = {"xref": "x2", "yref": "y2", "y0": low, "y1": low + 0.7}
            yield self.HANDLE | place | {"xanchor": walk.x(sight.now + walk.estimate[job])}

    def estimate(self, handle, x) -> tuple[int, int]:
        """Return a job, and its estimate in s, whole time units, if its handle is moved to x."""
        walk, job = self.walk, self.handles[handle]
        begun = walk.start[job] if job in self.sight.running else self.sight.now
        return job, round(x - begun / walk.unit) * walk.unit

    def _numbers(self, sight, since, until):
        """Yield the numbers of the started jobs that are large enough for them."""
        walk, machine = self.walk, self.walk.workload.machine
        for job in self._begun(sight):
            low, high = max(self.blocks[job], key=lambda block: block[1] - block[0])
            start, end = np.clip([walk.start[job], walk.end[job]], since, until)
            if end - start > 0.05 * (until - since) and high - low > 0.06 * machine:
                x = walk.x(start + 0.35 * (end - start))
                place = {"x": x, "y": (low + high) / 2}
                yield {
                    "text": f"<b>{walk.workload.job_id[job]}</b>",
                    "xref": "x",
                    "yref": "y",
                } | place

    def _verdicts(self, moment):
        """Yield the verdict on each waiting job."""
        axes = {"x": 1, "xref": "paper", "xanchor": "right", "yref": "y2"}
        for place, job in enumerate(moment.sight.queue[: self.places]):
            words = f"{steps.processors(self.walk.workload.processors[job])}: "
            words += self.walk.verdict(moment, job)
            yield axes | {"text": words, "y": self.places - place - 0.5}
