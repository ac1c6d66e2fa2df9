"""Pictures of panels: a column for each log, under its registered name, and a row for each measure.

The papers' own names are ambiguous: SDSC is SDSC-SP2 in one of them, and another uses SDSC-BLUE and
SDSC-DS.
"""

import math

import matplotlib.patches as patches
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.figure import Figure

from replication.drawing import style

#: In a legend, the end of an interval that `mark_cuts` marks.
CUT = {"color": "#666666", "ls": "", "marker": "^", "ms": 4, "label": "interval goes on"}


def draw(logs, rows, draw_panel, xlabel="", legend=True, **how) -> Figure:
    """Return a figure of panels; ``draw_panel(axes, log, row)`` draws each.

    `rows` are the rows and their labels. The legend below the figure is that of the first panel.
    Other keywords are those of ``pyplot.subplots``.
    """
    logs = list(dict.fromkeys(logs))
    how = {"figsize": style.size(len(rows), len(logs))} | how
    figure, grid = plt.subplots(len(rows), len(logs), squeeze=False, **how)
    for down, (row, label) in enumerate(rows.items()):
        below = xlabel if down == len(rows) - 1 or not how.get("sharex") else ""
        for axes, log in zip(grid[down], logs, strict=True):
            draw_panel(axes, log, row)
            axes.set(xlabel=below, ylabel=label if log == logs[0] else "")
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    if legend:
        below_all(figure, grid[0, 0], min(6, 2 * len(logs)))
    return figure


def label_below(figure, rows) -> Figure:
    """Label the x axes of the panels of `draw`, with a text for each row of panels."""
    rows = list(rows)
    columns = len(figure.axes) // len(rows)
    for k, axes in enumerate(figure.axes):
        axes.set_xlabel(rows[k // columns])
    return figure


def dots(table, row, hue, value, xlabel, none=0) -> Figure:
    """Return a figure of values with their intervals (columns ``low`` and ``high``) as dots.

    Each log has a panel with its own limits, each value of the column `row` a line, and each value
    of the column `hue` a kind of dot. A line at `none` marks no change; if it is 1, for ratios,
    axes are logarithmic.
    """
    panels, rows, hues = (list(dict.fromkeys(table[name])) for name in ("log", row, hue))
    columns = min(len(panels), 4)
    lines = -(-len(panels) // columns)
    tall = lines * max(1.0, len(rows) * (0.4 + len(hues)) / 22)
    figure, grid = plt.subplots(
        lines, columns, figsize=style.size(tall, columns), squeeze=False, sharey=True
    )
    looks = style.series(hues)
    for axes in grid.ravel()[len(panels) :]:
        axes.set_axis_off()
    for axes, name in zip(grid.ravel(), panels, strict=False):
        rows_of_dots(axes, table[table["log"] == name], (row, rows), (hue, looks), value, none)
        axes.set(xlabel=xlabel, title=name)
    grid[0, 0].set_yticks(range(len(rows)), rows)
    grid[0, 0].invert_yaxis()
    below_all(figure, grid[0, 0])
    return figure


def rows_of_dots(axes, table, rows, looks, value, none=0, room=None) -> None:
    """Draw one panel of `dots`: `rows` are a column and its values from above, `looks` a column and
    the style of each value.

    With a `room`, the axis ends as `limits` says, and intervals that go on are marked.
    """
    (row, names), (hue, looks) = rows, looks
    if room is not None:
        axes.set_xlim(limits(table[value], table["low"], table["high"], room))
        axes.plot([], [], **CUT)
    for k, (kind, look) in enumerate(looks.items()):
        part = table[table[hue] == kind].set_index(row).reindex(names)
        places = [at + (k - (len(looks) - 1) / 2) / (len(looks) + 1.5) for at in range(len(names))]
        axes.errorbar(part[value], places, xerr=bars(part, value), **look | {"linestyle": ""})
        if room is not None:
            mark_cuts(axes, places, part["low"], part["high"], look["color"], across=True)
    axes.axvline(none, color="black", lw=0.8)
    if none == 1:
        axes.set_xscale("log")
        log_ticks(axes.xaxis)


def log_ticks(axis) -> None:
    """Set readable ticks on a logarithmic axis, also if it covers less than a power of ten."""
    low, high = axis.get_view_interval()
    if high < 3 * low:
        axis.set(
            major_locator=ticker.MaxNLocator(4, steps=[1, 2, 5, 10], min_n_ticks=3),
            minor_locator=ticker.NullLocator(),
        )
        axis.set_major_formatter("{x:g}")
        return
    if high < 10 * low:
        steps = 1, 1.5, 2, 3, 5, 7
    else:
        steps = (1, 2, 5) if high < 1000 * low else (1,)
    axis.set(
        major_locator=ticker.LogLocator(subs=steps),
        major_formatter="{x:g}",
        minor_formatter=ticker.NullFormatter(),
    )


def factors(axes, values) -> None:
    """Give an x axis of factors a logarithmic scale with a tick at each value."""
    axes.set_xscale("log")
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()


def limits(values, low, high, room) -> tuple[float, float]:
    """Return the limits of a logarithmic axis that holds all values, and their intervals as far as
    `room` times beyond the outermost values; `mark_cuts` marks the rest.
    """
    values, low, high = map(pd.Series, (values, low, high))  # their extremes skip nan
    if values.isna().all():  # as of blocked jobs where nobody waits
        return 1 / room, room
    least, most = values.min() / room, values.max() * room
    least, most = np.fmax(least, low.min()), np.fmin(most, high.max())
    margin = (most / least) ** 0.05
    return least / margin, most * margin


def mark_cuts(axes, places, low, high, colour, across=False) -> None:
    """Mark with a triangle each end of an interval that lies beyond the limits of a panel.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Its limits are final.
    places, low, high : array_like of float
        Where the intervals stand, and their ends.
    colour : str
    across : bool
        Whether the intervals lie along the x axis.
    """
    least, most = axes.get_xlim() if across else axes.get_ylim()
    places = np.asarray(places, float)
    for beyond, edge, marker in (
        (np.less(low, least), least, "<" if across else "v"),
        (np.greater(high, most), most, ">" if across else "^"),
    ):
        for place in places[beyond]:
            at = (edge, place) if across else (place, edge)
            axes.plot(*at, marker, color=colour, ms=4, clip_on=False)


def side_by_side(values, k, several) -> np.ndarray:
    """Return the places of series k of so many on a logarithmic axis: the values, which rise in
    equal steps, moved by at most an eighth of a step, so that intervals can be told apart.
    """
    steps = np.log(np.asarray(values, float))
    step = np.diff(steps).min() if len(steps) > 1 else 1
    return np.exp(steps + step / 4 * (k - (several - 1) / 2) / max(several - 1, 1))


def bars(part, value) -> list[pd.Series]:
    """Return the distances from a column to ``low`` and ``high``, for ``Axes.errorbar``."""
    return [part[value] - part["low"], part["high"] - part[value]]


def below_all(figure, axes, most=6) -> None:
    """Draw the legend of a panel below the whole figure, each label once, at most so
    many in a row; none of an empty panel.
    """
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if not handles:
        return
    # At 8.5 points a letter is about 4.6 points wide, and a handle with its space 41.
    wide = sum(41 + 4.6 * len(label) for label in handles)
    lines = max(-(-len(handles) // most), math.ceil(wide / (72 * figure.get_figwidth())))
    columns = -(-len(handles) // lines)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns)


def box(axes, start, end, first, width, text, colour, hatch="", at=0.5) -> None:
    """Draw a job of a small Gantt picture as a rectangle with its number at a share `at` of its
    length.
    """
    look = {"facecolor": colour, "edgecolor": "black", "hatch": hatch}
    axes.add_patch(patches.Rectangle((start, first), end - start, width, **look))
    x, y = start + at * (end - start), first + width / 2
    axes.text(x, y, text, ha="center", va="center", zorder=5)
