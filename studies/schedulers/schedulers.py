"""Top Percent's table under other schedulers, and on logs that the paper does not have."""

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from notebooks.top_percent.runs import REFERENCE, SCHEDULERS, TITLES
from replication import EASY
from replication.drawing import panels

ALL = {"EASY": EASY(), "EASY-SJBF": EASY(candidates="sjf")} | SCHEDULERS
#: From better to worse, darker and darker, so that the order survives grey; the scale has so many
#: powers of ten each way.
SHADES = ("#E4F5E1", "#F3EBC0", "#7D1F14")
DECADES = 3


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

    A cell has the change from Reqtime under the same scheduler, in per cent. The smallest of each
    column of a map is bold.
    """
    some = ours[(ours["measure"] != "r2") & (ours["policy"] != REFERENCE)]
    some = some.assign(change=100 * (some["value"] - 1))
    policies, schedulers = (list(dict.fromkeys(some[name])) for name in ("policy", "scheduler"))
    shades = LinearSegmentedColormap.from_list("worse", SHADES)

    def one(axes, log, measure):
        part = some[(some["trace"] == log) & (some["measure"] == measure)]
        change = part.pivot(index="policy", columns="scheduler", values="change")
        change = change.loc[policies, schedulers].to_numpy()
        shade = 0.5 + np.sign(change) * np.log10(1 + np.abs(change)) / DECADES / 2
        axes.imshow(shade, shades, vmin=0, vmax=1, aspect="auto")
        for (y, x), value in np.ndenumerate(change):
            weight = "bold" if value == np.nanmin(change[:, x]) else "normal"
            ink = "white" if shade[y, x] > 0.75 else "black"
            look = {"ha": "center", "va": "center", "size": 7, "weight": weight, "color": ink}
            number = f"{value:+.0f}" if abs(value) >= 10 else f"{value:+z.1f}"
            axes.text(x, y, number if np.isfinite(value) else "", **look)
        axes.set_xticks(range(len(schedulers)), schedulers, rotation=35, ha="right")
        axes.set_yticks(range(len(policies)), policies)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)

    rows = {
        name: f"{TITLES[name]},\nchange from Reqtime [%]" for name in dict.fromkeys(some["measure"])
    }
    size = 1.2 + 0.55 * len(schedulers) * some["trace"].nunique(), 0.9 + 1.9 * len(rows)
    how = {"legend": False, "figsize": size, "sharex": True, "sharey": True}
    return panels.draw(some["trace"], rows, one, **how)
