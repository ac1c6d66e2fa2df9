"""A picture as plain data: panels with axes, rectangles, lines and words.

The canvas in the page (picture.js) and matplotlib (still.py) draw the same scene.
"""

import itertools

import numpy as np
from matplotlib.ticker import MaxNLocator

from replication.explore.looks import NAMES

_number = itertools.count(1)


def ticks(low, high, most=8, offset=0.0, whole=False):
    """Round numbers between two others, each with its label.

    Parameters
    ----------
    low, high : float
        The ends of the axis.
    most : int
    offset : float
        Added to what is labelled.
    whole : bool
        Whole numbers only.

    Returns
    -------
    list of (float, str)
    """
    found = MaxNLocator(most, integer=whole, steps=[1, 2, 5, 10]).tick_values(
        low + offset, high + offset
    )
    slack = 1e-9 * (high - low)
    return [
        (float(v - offset), f"{v:,.10g}")
        for v in found
        if low - slack <= v - offset <= high + slack
    ]


def packed(values):
    """Numbers as the bytes of 32-bit floats, as the page reads them."""
    return np.ascontiguousarray(values, np.float32).tobytes()


def unpacked(values):
    """The numbers of `packed`, float32[n]."""
    return np.frombuffer(values, np.float32)


def rects(x0, x1, y0, y1, look, job):
    """Rectangles in the numbers of the axes.

    Parameters
    ----------
    x0, x1, y0, y1 : float[n]
    look : int[n]
        Numbers of `replication.explore.looks.NUMBER`.
    job : int[n]
        Index of the job, kept here to tell of it; -1 for none.

    Returns
    -------
    dict
    """
    return {
        "x0": packed(x0),
        "x1": packed(x1),
        "y0": packed(y0),
        "y1": packed(y1),
        "look": np.asarray(look, np.uint8).tobytes(),
        "job": np.asarray(job, np.int32).tobytes(),
    }


def line(look, x, y):
    """A line in steps: each y holds until the next x."""
    return {"look": look, "x": packed(x), "y": packed(y)}


def marks(x, y, look):
    """Triangles; `look` as in `rects`."""
    return {"x": packed(x), "y": packed(y), "look": np.asarray(look, np.uint8).tobytes()}


def panel(
    box,
    x,
    y,
    *,
    title="",
    xlabel="",
    ylabel="",
    xticks=None,
    yticks=None,
    rects=None,
    lines=(),
    rules=(),
    marks=None,
    texts=(),
):
    """A pair of axes and what is on them.

    Parameters
    ----------
    box : (float, float, float, float)
        Left, top, width and height, as shares of the picture.
    x, y : (float, float)
        The ends of the axes.
    xticks, yticks : list of (float, str), optional
        Round numbers by default.
    rects, marks : dict, optional
        As the functions of these names give them.
    lines : sequence of dict
    rules : sequence of dict
        Upright lines: x and look.
    texts : sequence of dict
        x, y and text; align and bold.

    Returns
    -------
    dict
    """
    return {
        "box": list(box),
        "x": list(map(float, x)),
        "y": list(map(float, y)),
        "title": title,
        "xlabel": xlabel,
        "ylabel": ylabel,
        "xticks": ticks(*x) if xticks is None else xticks,
        "yticks": ticks(*y, most=5) if yticks is None else yticks,
        "rects": rects,
        "lines": list(lines),
        "rules": list(rules),
        "marks": marks,
        "texts": list(texts),
    }


def scene(panels, legend, summary, height):
    """A whole picture.

    Parameters
    ----------
    panels : list of dict
    legend : list of str
        Names of looks, in the order of the legend.
    summary : str
        What there is to see, in words, for those who do not see it.
    height : int, px

    Returns
    -------
    dict
        Its number is a new one every time, by which a test sees that it was drawn.
    """
    return {
        "number": next(_number),
        "panels": panels,
        "legend": list(legend),
        "names": NAMES,
        "summary": summary,
        "height": height,
    }
