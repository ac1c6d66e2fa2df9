"""A picture as plain data: panels with axes, rectangles, lines and words.

The canvas in the page (picture.js) and matplotlib (still.py) draw the same scene.
"""

import itertools

import numpy as np
from matplotlib.ticker import MaxNLocator

from replication.explore.looks import NAMES

_number = itertools.count(1)


def ticks(low, high, most=8, offset=0.0, whole=False):
    """Round numbers between the ends of an axis, each with its label, to which `offset` is added."""
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
    """Rectangles in the numbers of the axes; `look` are numbers of looks, `job` are indices of
    jobs, kept here to tell of them, -1 for none.
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
    """A pair of axes and what is on them. The box is left, top, width and height as shares of the
    picture; ticks are round numbers by default; `rules` are upright lines (x and look), `texts`
    have x, y and text, align and bold.
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
    """A whole picture: panels, the names of looks in the order of the legend, the picture in words
    for those who do not see it, and its height in pixels. Its number is a new one every time, by
    which a test sees that it was drawn.
    """
    return {
        "number": next(_number),
        "panels": panels,
        "legend": list(legend),
        "names": NAMES,
        "summary": summary,
        "height": height,
    }
