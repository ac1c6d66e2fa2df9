"""Top Percent's table under other schedulers, and on logs that the paper does not have."""

from notebooks.top_percent.runs import REFERENCE, SCHEDULERS, TITLES
from replication import EASY

ALL = {"EASY": EASY(), "EASY-SJBF": EASY(candidates="shortest")} | SCHEDULERS


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


def medians(ours):
    """Return the median over the logs of each measure over Reqtime's: a row for each measure and
    policy, a column for each scheduler.
    """
    some = ours[(ours["measure"] != "r2") & (ours["policy"] != REFERENCE)]
    some = some.assign(measure=some["measure"].map(TITLES))
    by = some.groupby(["measure", "policy", "scheduler"], sort=False)["value"]
    return by.median().unstack(sort=False).rename_axis(None, axis=1).reset_index()
