"""The search over readings as pictures: the specification curve, and how far each published number moves."""

import numpy as np

from replication.basics import style
from replication.evidence.readings.tables import NEAR

COLUMNS = 110  # of the dashboard: one a combination where there are few, else ranges of ranks
CLIP = 30.0  # quotients are drawn from 1 / CLIP to CLIP


def curve(found):
    """Combinations from the nearest to the farthest, with a dashboard of their choices below.

    Each row of the dashboard is a choice; the darker, the more of the combinations at that rank have it. A
    dot marks the default.

    Parameters
    ----------
    found : replication.evidence.readings.Found

    Returns
    -------
    matplotlib.figure.Figure
    """
    import matplotlib.pyplot as plt

    n, dimensions = len(found), found.grid.dimensions
    rows = sum(len(d.choices) for d in dimensions)
    heights = (1.9, 1.1, 0.17 * rows)
    figure, (top, agreeing, board) = plt.subplots(
        3, 1, figsize=(style.size(1, 2)[0], 1.2 + sum(heights)), sharex=True, height_ratios=heights
    )
    edges = np.unique(np.rint(np.geomspace(1, n + 1, COLUMNS + 1)).astype(int))
    _distances(top, found)
    _agreement(agreeing, found)
    board.pcolormesh(
        edges,
        np.arange(rows + 1),
        _shares(found, edges),
        cmap="Greys",
        vmin=0,
        vmax=1.15,
        rasterized=True,
    )
    labels = [(d.name, choice, k == 0) for d in dimensions for k, choice in enumerate(d.names)]
    board.set_yticks(
        np.arange(rows) + 0.5,
        [f"{'● ' if default else ''}{choice}" for _, choice, default in labels],
        fontsize=7,
    )
    board.set(
        ylim=(rows, 0),
        xlim=(1, n + 1),
        xscale="log",
        xlabel=f"rank of the combination, nearest first ({n:,} tried; logarithmic)",
    )
    board.xaxis.set_major_formatter("{x:,.0f}")
    board.grid(False)
    board.tick_params(axis="y", length=0)
    _name_dimensions(board, dimensions)
    return figure


def _distances(axes, found):
    from matplotlib.ticker import LogLocator

    rank = np.arange(1, len(found) + 1)
    median = 100 * found.distances[found.order]
    axes.plot(rank, median, color=style.COLOURS[0], lw=1.5, label="median relative difference")
    place = int(np.flatnonzero(found.order == 0)[0])
    label = f"the default, rank {place + 1:,}"
    axes.plot(place + 1, median[place], marker="o", ls="", color="black", ms=6, label=label)
    axes.set(ylabel="median [%]", yscale="log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.legend(loc="upper left")


def _agreement(axes, found):
    rank, numbers = np.arange(1, len(found) + 1), len(found.numbers)
    for k, (hit, label) in enumerate(
        ((found.differences <= NEAR, "within 20 %"), (found.matched, "match"))
    ):
        share = 100 * hit.sum(axis=1)[found.order] / numbers
        look = {"color": style.COLOURS[2 - k], "ls": style.LINES[k]}
        axes.plot(rank, _smooth(share), lw=1.2, label=label, **look)
    axes.set(ylabel="numbers [%]", ylim=(0, 103))
    axes.legend(loc="upper right", bbox_to_anchor=(1, 1.25), ncols=2)


def _smooth(values):
    """Means over neighbours, the more the farther down, as a logarithmic axis shows them."""
    n = len(values)
    total = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(n)
    half = place // 20
    low, high = np.maximum(place - half, 0), np.minimum(place + half + 1, n)
    return (total[high] - total[low]) / (high - low)


def _shares(found, edges):
    """Share of the combinations between ranks that have each choice, float64[rows, columns]."""
    codes = found.grid.codes[found.order]
    rows = []
    for k, dimension in enumerate(found.grid.dimensions):
        for choice in range(len(dimension.choices)):
            total = np.concatenate([[0], np.cumsum(codes[:, k] == choice)])
            rows.append((total[edges[1:] - 1] - total[edges[:-1] - 1]) / np.diff(edges))
    return np.array(rows)


def _name_dimensions(axes, dimensions):
    """Names of the dimensions to the right of their rows, and lines between them."""
    first = 0
    for dimension in dimensions:
        last = first + len(dimension.choices)
        axes.axhline(last, color="#777777", lw=0.6)
        axes.text(
            1.01,
            (first + last) / 2,
            dimension.name,
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=7.5,
            weight="bold",
        )
        first = last


def ranges(table):
    """Each published number's range over all readings, as quotients to what the paper printed.

    Parameters
    ----------
    table : pandas.DataFrame
        From `replication.evidence.readings.tables.ranges`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(table["trace"]))
    names = list(dict.fromkeys(zip(table["item"], table["policy"], table["measure"], strict=True)))
    figure, grid = plt.subplots(
        1,
        len(logs),
        figsize=(style.size(1, 3)[0], 1.4 + 0.2 * len(names)),
        sharey=True,
        sharex=True,
        squeeze=False,
    )
    for axes, log in zip(grid[0], logs, strict=True):
        part = table[table["trace"] == log]
        place = np.array(
            [
                names.index(key)
                for key in zip(part["item"], part["policy"], part["measure"], strict=True)
            ]
        )
        quotient = {
            name: (part[name] / part["published"]).clip(1 / CLIP, CLIP).to_numpy()
            for name in ("lowest", "highest", "default", "best")
        }
        axes.barh(
            place,
            quotient["highest"] - quotient["lowest"],
            0.62,
            left=quotient["lowest"],
            color=style.COLOURS[0],
            alpha=0.3,
            label="range over the readings",
        )
        axes.plot(
            quotient["default"],
            place,
            ls="",
            marker="|",
            ms=9,
            mew=1.8,
            color=style.COLOURS[2],
            label="default",
        )
        axes.plot(
            quotient["best"], place, ls="", marker="x", ms=5, color="black", label="nearest reading"
        )
        axes.plot(
            np.ones(len(place)),
            place,
            ls="",
            marker="o",
            ms=4,
            color=style.COLOURS[1],
            mec="black",
            mew=0.5,
            label="published",
        )
        axes.set(title=log, xscale="log", xlabel="over the published value")
        axes.grid(axis="y", visible=False)
    _quotient_ticks(grid[0, 0], table, names)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _quotient_ticks(axes, table, names):
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_yticks(
        range(len(names)),
        [f"{item}  {policy}  {measure}" for item, policy, measure in names],
        fontsize=7,
    )
    axes.set_ylim(len(names) - 0.4, -0.6)
    spread = table[["lowest", "highest"]].div(table["published"], axis=0).clip(1 / CLIP, CLIP)
    low, high = (
        min(0.8, 0.9 * float(spread.min().min())),
        max(1.25, 1.1 * float(spread.max().max())),
    )
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(
        LogLocator(subs=(1, 2, 5) if high / low > 10 else (1, 1.5, 2, 3, 5, 7))
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
