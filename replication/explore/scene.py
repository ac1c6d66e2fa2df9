"""A picture as plain data: panels with axes, rectangles, lines and words.

The canvas in the page (picture.js) and matplotlib (still.py) draw the same scene.
"""

import itertools

import numpy as np
from matplotlib.ticker import MaxNLocator

from replication.explore.looks import NAMES

#: What a panel may have on its axes. Rules are upright lines: x and look.
NOTHING = {"title": "", "xlabel": "", "ylabel": "", "rects": None, "marks": None}
NOTHING |= {"lines": [], "rules": [], "texts": []}
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
    corners = {"x0": x0, "x1": x1, "y0": y0, "y1": y1}
    return {name: packed(values) for name, values in corners.items()} | {
        "look": np.asarray(look, np.uint8).tobytes(),
        "job": np.asarray(job, np.int32).tobytes(),
    }


def line(look, x, y):
    """A line in steps: each y holds until the next x."""
    return {"look": look, "x": packed(x), "y": packed(y)}


def marks(x, y, look):
    """Triangles; `look` as in `rects`."""
    return {"x": packed(x), "y": packed(y), "look": np.asarray(look, np.uint8).tobytes()}


def text(x, y, words, **how):
    """Words at a place, which may be aligned (``align``) or ``bold``."""
    return {"x": x, "y": y, "text": words} | how


def panel(box, x, y, **parts):
    """A pair of axes from end to end and the `parts` on them, by the names of `NOTHING`; ticks are
    round numbers by default. The box is left, top, width and height as shares of the picture.
    """
    axes = {"box": list(box), "x": list(map(float, x)), "y": list(map(float, y))}
    return NOTHING | axes | {"xticks": ticks(*x), "yticks": ticks(*y, most=5)} | parts


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
