"""A picture as plain data: panels with axes, rectangles, lines and words, and how each kind of these looks.

The canvas in the page (picture.js) and matplotlib (still.py) draw the same scene. Hatches carry matplotlib's names.
"""

import itertools
from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator

from replication.basics.data import toml

#: What ``looks.toml`` may set besides a label and colours on a light and on a dark page, to tell a look apart without
#: colour: a hatch, a hollow outline, a dash, the width of a line in pixels, or a triangle (``up`` or ``down``).
PLAIN = {"hatch": "", "light_hatch": "#000000", "dark_hatch": "#FFFFFF", "hollow": False}
PLAIN |= {"dash": [], "width": 2, "mark": "", "line": False}
LOOKS = {name: PLAIN | look for name, look in toml(Path(__file__).parent / "looks.toml").items()}
NUMBER = {name: number for number, name in enumerate(LOOKS)}
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
