"""Top Percent's table under other schedulers, and on logs that the paper does not have."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, LogNorm

from notebooks import panels
from notebooks.top_percent.runs import REFERENCE, SCHEDULERS, TITLES
from replication import EASY

ALL = {"EASY": EASY(), "EASY-SJBF": EASY(candidates="sjf")} | SCHEDULERS
#: From better through equal to worse: blue, white, orange. Each colour goes up to this quotient, or
#: down to its reciprocal, on a logarithmic scale; in grey worse is the darker side.
SHADES = ("#9DC3E6", "#FFFFFF", "#C96A00")
LARGEST = 10


def by_name(schedulers):
    """Return schedulers by the paper's names; a scheduler without one has its `repr` as name."""
    names = {scheduler: name for name, scheduler in ALL.items()}
    return {names.get(scheduler, repr(scheduler)): scheduler for scheduler in schedulers}


def spread(ours):
    """Return the largest difference of a row's measure between the schedulers, by trace and
    measure.
    """
    by = ours.groupby(["trace", "policy", "measure"], sort=False)["value"]
    ranges = (by.max() - by.min()).groupby(["trace", "measure"], sort=False).max()
    table = ranges.unstack("measure")[list(TITLES)].rename(columns=TITLES)
    return table.rename_axis(None, axis=1).reset_index()


def wide(ours, measure):
    """Return a table of one measure, with a row for each policy and a column for each log and
    scheduler.
    """
    some = ours[ours["measure"] == measure]
    some = some.assign(under=some["trace"] + " " + some["scheduler"])
    table = some.set_index(["policy", "under"])["value"].unstack(sort=False)
    return table.rename_axis(None, axis=1).reset_index()


def draw(ours):
    """Draw the effect of each predictor under each scheduler as maps: a row for each measure of the
    schedule, a column for each log.

    A cell has the quotient to Reqtime under the same scheduler. The smallest of each column of a
    map is bold.
    """
    some = ours[(ours["measure"] != "r2") & (ours["policy"] != REFERENCE)]
    policies, schedulers = (list(dict.fromkeys(some[name])) for name in ("policy", "scheduler"))
    shades = LinearSegmentedColormap.from_list("worse", SHADES)
    scale = LogNorm(1 / LARGEST, LARGEST, clip=True)

    def one(axes, log, measure):
        part = some[(some["trace"] == log) & (some["measure"] == measure)]
        over = part.pivot(index="policy", columns="scheduler", values="value")
        over = over.loc[policies, schedulers].to_numpy()
        axes.imshow(over, shades, scale, aspect="auto")
        for (y, x), value in np.ndenumerate(over):
            weight = "bold" if value == np.nanmin(over[:, x]) else "normal"
            look = {"ha": "center", "va": "center", "size": 7, "weight": weight}
            number = f"{value:.2f}" if value < 10 else f"{value:.1f}"
            axes.text(x, y, number if np.isfinite(value) else "", **look)
        axes.set_xticks(range(len(schedulers)), schedulers, rotation=35, ha="right")
        axes.set_yticks(range(len(policies)), policies)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)

    rows = {name: f"{TITLES[name]}\nover Reqtime's" for name in dict.fromkeys(some["measure"])}
    size = 1.2 + 0.55 * len(schedulers) * some["trace"].nunique(), 1.5 + 1.9 * len(rows)
    how = {"legend": False, "figsize": size, "sharex": True, "sharey": True}
    figure = panels.draw(some["trace"], rows, one, **how)
    legend = figure.colorbar(
        ScalarMappable(scale, shades),
        ax=figure.axes,
        location="bottom",
        aspect=60,
        fraction=0.02,
        pad=0.01,
        extend="both",
        label="over Reqtime's; below 1 a predictor helps; bold: the lowest of a column of a map",
    )
    legend.set_ticks(
        (0.1, 0.2, 0.5, 1, 2, 5, 10), labels=("0.1", "0.2", "0.5", "1", "2", "5", "10")
    )
    legend.minorticks_off()
    return figure
