"""A scene as a still picture: what a reader sees where no widget runs."""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from replication.basics import style
from replication.explore.scene import LOOKS

WIDTH = 11.0  # inches
PIXELS = 95  # of the scene's height, to the inch
LEGEND = 0.75  # inches above the panels
EDGE = {"path_effects": [withStroke(linewidth=3, foreground="white")]}


def draw(found):
    """Draw a scene with matplotlib."""
    with plt.style.context([style.SHEET, {"figure.constrained_layout.use": False}]):
        figure = plt.figure(figsize=(WIDTH, found["height"] / PIXELS))
        for panel in found["panels"]:
            _panel(figure, panel)
        handles = [_handle(LOOKS[name]) for name in found["legend"]]
        figure.legend(handles=handles, loc="upper center", ncols=4, bbox_to_anchor=(0.5, 1.0))
    plt.close(figure)
    return figure


def _panel(figure, panel):
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
    for text in panel["texts"]:
        weight, side = "bold" if text.get("bold") else "normal", text.get("align", "center")
        how = {"ha": side, "va": "center", "size": 8, "weight": weight} | EDGE
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
    hollow, colour = own["hollow"], own["light"]
    colours = {
        "facecolor": "none" if hollow else colour,
        "edgecolor": colour if hollow else "black",
    }
    return colours | {"hatch": own["hatch"] or None, "linestyle": _stroke(own)["linestyle"]}
