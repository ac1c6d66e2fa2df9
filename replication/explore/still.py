"""A scene as a still picture: what a reader sees where no widget runs."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from replication.basics import style
from replication.explore.looks import LOOKS
from replication.explore.scene import unpacked

WIDTH = 11.0  # inches
PIXELS = 95  # of the scene's height, to the inch
LEGEND = 0.75  # inches above the panels


def draw(found):
    """Draw a scene with matplotlib."""
    with plt.style.context([style.SHEET, {"figure.constrained_layout.use": False}]):
        figure = plt.figure(figsize=(WIDTH, found["height"] / PIXELS))
        for panel in found["panels"]:
            _panel(figure, panel, found["names"])
        figure.legend(
            handles=[_handle(name) for name in found["legend"]],
            loc="upper center",
            ncols=4,
            bbox_to_anchor=(0.5, 1.0),
        )
    plt.close(figure)
    return figure


def _panel(figure, panel, names):
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
        x, y, look = unpacked(line["x"]), unpacked(line["y"]), _stroke(LOOKS[line["look"]])
        axes.step(x, y, where="post", linewidth=1, **look)
    if panel["rects"]:
        _rects(axes, panel["rects"], names)
    for rule in panel["rules"]:
        own = LOOKS[rule["look"]]
        axes.axvline(rule["x"], linewidth=own.width * 0.8, **_stroke(own))
    if panel["marks"]:
        _marks(axes, panel["marks"], names)
    edge = {"path_effects": [withStroke(linewidth=3, foreground="white")]}
    for text in panel["texts"]:
        weight, side = "bold" if text.get("bold") else "normal", text.get("align", "center")
        how = {"ha": side, "va": "center", "size": 8, "weight": weight} | edge
        axes.text(text["x"], text["y"], text["text"], **how)


def _rects(axes, rects, names):
    x0, x1, y0, y1 = (unpacked(rects[key]) for key in ("x0", "x1", "y0", "y1"))
    look = np.frombuffer(rects["look"], np.uint8)
    corners = np.stack(
        [np.stack([x, y], 1) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], 1
    )
    for number in np.unique(look):
        own = LOOKS[names[number]]
        width = 1.2 if own.hollow else 0.2
        axes.add_collection(PolyCollection(corners[look == number], linewidth=width, **_fill(own)))


def _marks(axes, marks, names):
    look = np.frombuffer(marks["look"], np.uint8)
    for number in np.unique(look):
        x, y = (unpacked(marks[axis])[look == number] for axis in "xy")
        edge = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
        axes.plot(x, y, **_mark(LOOKS[names[number]]) | edge)


def _handle(name):
    own = LOOKS[name]
    if own.mark:
        return Line2D([], [], label=own.label, **_mark(own))
    if own.line:
        return Line2D([], [], label=own.label, **_stroke(own))
    return Patch(label=own.label, **_fill(own))


def _stroke(own):
    return {"color": own.light, "linestyle": (0, own.dash) if own.dash else "-"}


def _mark(own):
    marker = "^" if own.mark == "up" else "v"
    return {"color": own.light, "linestyle": "", "marker": marker}


def _fill(own):
    return {
        "facecolor": "none" if own.hollow else own.light,
        "edgecolor": own.light if own.hollow else "black",
        "hatch": own.hatch or None,
        "linestyle": _stroke(own)["linestyle"],
    }
