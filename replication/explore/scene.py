"""A picture as plain data: panels with axes, rectangles, lines and words, and how each kind of these looks.

`Canvas` draws it in the page, in the page's own colours (picture.js), `still` with matplotlib where no widget runs.
Hatches carry matplotlib's names.
"""

import itertools
from pathlib import Path

import anywidget
import numpy as np
import traitlets
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from replication.papers import style
from replication.simulator.data import toml

FOLDER = Path(__file__).parent
#: What ``looks.toml`` may set besides a label and colours on a light and on a dark page, to tell a look apart without
#: colour: a hatch, a hollow outline, a dash, the width of a line in pixels, or a triangle (``up`` or ``down``).
PLAIN = {"hatch": "", "light_hatch": "#000000", "dark_hatch": "#FFFFFF", "hollow": False}
PLAIN |= {"dash": [], "width": 2, "mark": "", "line": False}
LOOKS = {name: PLAIN | look for name, look in toml(FOLDER / "looks.toml").items()}
NUMBER = {name: number for number, name in enumerate(LOOKS)}
#: What a panel may have on its axes. Rules are upright lines: x and look.
NOTHING = {"title": "", "xlabel": "", "ylabel": "", "rects": None, "marks": None}
NOTHING |= {"lines": [], "rules": [], "texts": []}
#: What the page reads an array as; 32-bit floats by default.
KINDS = {"look": np.uint8, "job": np.int32}
WIDTH = 11.0  # inches of a still picture
PIXELS = 95  # of the scene's height, to the inch
LEGEND = 0.75  # inches above the panels
_number = itertools.count(1)


class Window:
    """A stretch of time, in s, and how seconds become numbers of an axis in a unit, also in s. The
    axis starts at 0, so that 32 bits suffice.
    """

    def __init__(self, since, until, unit, name):
        self.since, self.until, self.unit, self.name = since, until, unit, name
        self.axis = (0.0, (until - since) / unit)

    def place(self, seconds, cut=True):
        """Seconds as numbers of the axis, cut to the window."""
        seconds = np.clip(seconds, self.since, self.until) if cut else seconds
        return (seconds - self.since) / self.unit

    def ticks(self, most):
        """Round times on the axis with what they are called."""
        return ticks(*self.axis, most=most, offset=self.since / self.unit)


def ticks(low, high, most=8, offset=0.0, whole=False):
    """Round numbers between the ends of an axis, each with its label, to which `offset` is added."""
    locator = MaxNLocator(most, integer=whole, steps=[1, 2, 5, 10])
    slack = 1e-9 * (high - low)
    return [
        (float(v - offset), f"{v:,.10g}")
        for v in locator.tick_values(low + offset, high + offset)
        if low - slack <= v - offset <= high + slack
    ]


def rects(*columns):
    """Rectangles as arrays: left, right, lower and upper edge in the numbers of the axes, numbers of
    looks, and indices of jobs, kept here to tell of them, -1 for none.
    """
    return dict(zip(("x0", "x1", "y0", "y1", "look", "job"), map(np.asarray, columns), strict=True))


def panel(box, x, y, **parts):
    """A pair of axes from end to end and the `parts` on them, by the names of `NOTHING`; ticks are
    round numbers by default. The box is left, top, width and height as shares of the picture.

    A line is in steps: each y holds until the next x. Marks are triangles.
    """
    axes = {"box": list(box), "x": list(map(float, x)), "y": list(map(float, y))}
    return NOTHING | axes | {"xticks": ticks(*x), "yticks": ticks(*y, most=5)} | parts


def scene(panels, legend, summary, height):
    """A whole picture: panels, the names of looks in the order of the legend, the picture in words
    for those who do not see it, and its height in pixels. Its number is a new one every time, by
    which a test sees that it was drawn.
    """
    words = {"legend": list(legend), "names": list(LOOKS), "summary": summary}
    return {"number": next(_number), "panels": panels, "height": height} | words


def packed(part, name=""):
    """A scene as the page reads it: arrays as bytes, see `KINDS`."""
    if isinstance(part, dict):
        return {name: packed(value, name) for name, value in part.items()}
    if isinstance(part, list):
        return [packed(value) for value in part]
    if isinstance(part, np.ndarray):
        return np.ascontiguousarray(part, KINDS.get(name, np.float32)).tobytes()
    return part


class Canvas(anywidget.AnyWidget):
    """A scene on a canvas in the page, which passes keys on."""

    _esm = FOLDER / "picture.js"
    _css = FOLDER / "picture.css"
    scene = traitlets.Dict().tag(sync=True, to_json=lambda scene, widget: packed(scene))
    looks = traitlets.Dict(LOOKS).tag(sync=True)
    #: Keys that are passed on, by the names of the browser's ``KeyboardEvent.key``.
    listens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: Panel and rectangle that the mouse points at; empty for none.
    pointer = traitlets.List(traitlets.Int()).tag(sync=True)
    #: What is told below the picture.
    tip = traitlets.Unicode().tag(sync=True)

    def show(self, scene, tip):
        """Draw a scene and tell of it, in one message."""
        with self.hold_sync():
            self.scene, self.tip, self.pointer = scene, tip, []

    def on_key(self, act):
        """Call ``act(key)`` when one of the keys is pressed while the picture has the focus."""
        self.on_msg(lambda widget, content, buffers: act(content["key"]))

    def pointed(self):
        """The index of the job that is pointed at, or None."""
        if len(self.pointer) != 2:
            return None
        panel, rect = self.pointer
        jobs = self.scene["panels"][panel]["rects"]["job"]
        return int(jobs[rect]) if rect < len(jobs) and jobs[rect] >= 0 else None


def still(found):
    """Draw a scene with matplotlib."""
    with plt.style.context([style.SHEET, {"figure.constrained_layout.use": False}]):
        figure = plt.figure(figsize=(WIDTH, found["height"] / PIXELS))
        for panel in found["panels"]:
            _draw(figure, panel)
        handles = [_handle(LOOKS[name]) for name in found["legend"]]
        figure.legend(handles=handles, loc="upper center", ncols=4, bbox_to_anchor=(0.5, 1.0))
    plt.close(figure)
    return figure


def _draw(figure, panel):
    left, top, width, height = panel["box"]
    high = figure.get_figheight()
    share = 1 - LEGEND / high
    x, y = left + 0.6 / WIDTH, (1 - top - height) * share + 0.45 / high
    axes = figure.add_axes((x, y, width - 0.75 / WIDTH, height * share - 0.75 / high))
    axes.set(xlim=panel["x"], ylim=panel["y"], xlabel=panel["xlabel"], ylabel=panel["ylabel"])
    axes.set_title(panel["title"], loc="left")
    for axis, ticks in ((axes.xaxis, panel["xticks"]), (axes.yaxis, panel["yticks"])):
        axis.set_ticks([value for value, _ in ticks], [label for _, label in ticks])
    for line in panel["lines"]:
        axes.step(line["x"], line["y"], where="post", linewidth=1, **_stroke(LOOKS[line["look"]]))
    for own, part in _by_look(panel["rects"]):
        x0, x1, y0, y1 = (part[name] for name in ("x0", "x1", "y0", "y1"))
        corners = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]).transpose(2, 0, 1)
        width = 1.2 if own["hollow"] else 0.2
        axes.add_collection(PolyCollection(corners, linewidth=width, **_fill(own)))
    for rule in panel["rules"]:
        own = LOOKS[rule["look"]]
        axes.axvline(rule["x"], linewidth=own["width"] * 0.8, **_stroke(own))
    for own, part in _by_look(panel["marks"]):
        edge = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axes.plot(part["x"], part["y"], **_mark(own) | edge)
    edge = {"path_effects": [withStroke(linewidth=3, foreground="white")]}
    for text in panel["texts"]:
        weight, side = "bold" if text.get("bold") else "normal", text.get("align", "center")
        how = {"ha": side, "va": "center", "size": 8, "weight": weight} | edge
        axes.text(text["x"], text["y"], text["text"], **how)


def _by_look(part):
    """Each look among rectangles or marks, with the columns of those that have it."""
    names = list(LOOKS)
    for number in np.unique(part["look"]) if part else ():
        chosen = part["look"] == number
        yield LOOKS[names[int(number)]], {name: part[name][chosen] for name in part}


def _handle(own):
    if own["mark"] or own["line"]:
        return Line2D([], [], label=own["label"], **(_mark if own["mark"] else _stroke)(own))
    return Patch(label=own["label"], **_fill(own))


def _stroke(own):
    return {"color": own["light"], "linestyle": (0, own["dash"]) if own["dash"] else "-"}


def _mark(own):
    marker = "^" if own["mark"] == "up" else "v"
    return {"color": own["light"], "linestyle": "", "marker": marker}


def _fill(own):
    edge, face = (own["light"], "none") if own["hollow"] else ("black", own["light"])
    look = {"edgecolor": edge, "facecolor": face, "hatch": own["hatch"] or None}
    return look | {"linestyle": _stroke(own)["linestyle"]}
