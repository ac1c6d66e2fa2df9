"""Top Percent's table under other schedulers, and on logs that the paper does not have."""

import numpy as np

from replication import EASY
from replication.papers import panels, style
from replication.papers.top_percent.runs import REFERENCE, SCHEDULERS, TITLES

ALL = {"EASY": EASY(), "EASY-SJBF": EASY(candidates="sjf")} | SCHEDULERS
#: Changes below this many per cent are drawn on a linear axis, others on a logarithmic one.
LINEAR = 1
TICKS = (-50, -10, -1, 0, 1, 10, 100, 1000)


def by_name(schedulers):
    """Return schedulers by the paper's names; a scheduler without one has its `repr` as name."""
    names = {scheduler: name for name, scheduler in ALL.items()}
    return {names.get(scheduler, repr(scheduler)): scheduler for scheduler in schedulers}


def spread(ours):
    """Return the largest difference of a row's measure between the schedulers, by trace and measure."""
    by = ours.groupby(["trace", "policy", "measure"], sort=False)["value"]
    ranges = (by.max() - by.min()).groupby(["trace", "measure"], sort=False).max()
    table = ranges.unstack("measure")[list(TITLES)].rename(columns=TITLES)
    return table.rename_axis(None, axis=1).reset_index()


def wide(ours, measure):
    """Return a table of one measure, with a row for each policy and a column for each log and scheduler."""
    some = ours[ours["measure"] == measure]
    some = some.assign(under=some["trace"] + " " + some["scheduler"])
    table = some.set_index(["policy", "under"])["value"].unstack(sort=False)
    return table.rename_axis(None, axis=1).reset_index()


def draw(ours):
    """Draw the effect of each predictor under each scheduler: a row for each measure of the schedule, a column for each log."""
    some = ours[(ours["measure"] != "r2") & (ours["policy"] != REFERENCE)]
    some = some.assign(change=100 * (some["value"] - 1))
    looks = style.series(dict.fromkeys(some["scheduler"]))
    policies = list(dict.fromkeys(some["policy"]))

    def one(axes, log, measure):
        part = some[(some["trace"] == log) & (some["measure"] == measure)]
        change = part.pivot(index="policy", columns="scheduler", values="change").loc[policies]
        for k, (name, look) in enumerate(looks.items()):
            x = np.arange(len(policies)) + 0.18 * (k - (len(looks) - 1) / 2)
            axes.plot(x, change[name], **look | {"linestyle": "none", "markersize": 4})
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_yscale("symlog", linthresh=LINEAR)
        axes.set_yticks(TICKS, [f"{tick:+d} %" if tick else "0" for tick in TICKS])
        axes.minorticks_off()
        axes.set_xticks(range(len(policies)), policies, rotation=90)
        axes.grid(axis="x", visible=False)

    rows = {
        name: f"{TITLES[name]},\nchange from Reqtime" for name in dict.fromkeys(some["measure"])
    }
    logs = some["trace"].nunique()
    size = max(style.size(1, logs)[0], 2.2 * logs), 2.2 * len(rows) + 1.2
    return panels.draw(some["trace"], rows, one, figsize=size, sharex=True, sharey=True)
