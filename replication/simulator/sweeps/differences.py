"""Differences between the schedulers of a comparison, with their confidence intervals."""

import pandas as pd

from replication.simulator.schedules import intervals

#: Measures weighted by areas and waits.
PRIORITY = ("ap0waf", "ap1waf")
#: Columns before the seed that may differ between two schedulers on the same jobs.
_OF_SCHEDULERS = ("scheduler", "offered_load", "estimates", "missing")


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Return the difference of each measure from that of the first scheduler on the same jobs.

    Parameters
    ----------
    table : pandas.DataFrame
        That of a sweep of one seed, with a column ``block``: a row for all jobs (0) and one without
        each block of weeks.

    Returns
    -------
    pandas.DataFrame
        A row for each point, scheduler and measure: its value, the difference, and the ends (low,
        high) of the difference's 95 % confidence interval, that of
        `replication.simulator.schedules.intervals`.
    """
    base = table["scheduler"].iloc[0]
    place = table.columns.get_loc("seed")
    facts = [name for name in table.columns[: place + 1] if name != "offered_load"]
    keys = [name for name in facts if name not in _OF_SCHEDULERS]
    if table[table["scheduler"] == base].duplicated([*keys, "block"]).any():
        keys.append("estimates")  # two models that differ only for jobs without an estimate
    names = [name for name in table.columns[place + 1 :] if name != "block"]
    rows = []
    for _, group in table.groupby(keys, sort=False, dropna=False):
        first = group[group["scheduler"] == base].set_index("block")[names]
        for _, subset in group.groupby("scheduler", sort=False):
            values = subset.set_index("block")[names]
            changes = (values - first).to_numpy()
            for k, name in enumerate(names):
                factor = intervals.PRIORITY if name in PRIORITY else intervals.PLAIN
                ends = intervals.interval(changes[:, k], factor)
                numbers = dict(zip(("difference", "low", "high"), ends, strict=True))
                value = {"measure": name, "value": float(values.iloc[0, k])}
                rows.append(subset.iloc[0][facts].to_dict() | value | numbers)
    return pd.DataFrame(rows)
