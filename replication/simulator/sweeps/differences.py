"""Differences between the schedulers of a table, with their confidence intervals."""

import numpy as np
import pandas as pd

from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.schedules import intervals

#: Measures weighted by areas and waits.
PRIORITY = ("ap0waf", "ap1waf")
#: Columns before the seed that may differ between two schedulers on the same jobs.
_OF_SCHEDULERS = ("scheduler", "offered_load", "estimates", "missing")


class DifferenceError(InputError):
    """A table or a base that cannot be compared; the message lists the allowed values."""


def differences(table: pd.DataFrame, base: str | None = None) -> pd.DataFrame:
    """Return the differences of `replication.simulator.sweeps.results.Results.differences`.

    Parameters
    ----------
    table : pandas.DataFrame
        That of a sweep; with a column ``block``, a row for all jobs (0) and one without each block
        of weeks.
    base : str, optional
    """
    if "seed" not in table or "measure" in table:
        raise DifferenceError("differences: expected the table of compare or sweep, with a seed")
    labels = [*dict.fromkeys(table["scheduler"])]
    base = labels[0] if base is None else among(labels, "base", str(base), DifferenceError)
    place, row = table.columns.get_loc("seed"), "block" if "block" in table else "seed"
    facts = [name for name in table.columns[:place] if name != "offered_load"]
    keys = [name for name in facts if name not in _OF_SCHEDULERS]
    if row == "block":
        facts, keys = [*facts, "seed"], [*keys, "seed"]
    if table[table["scheduler"] == base].duplicated([*keys, row]).any():
        keys.append("estimates")  # two models that differ only for jobs without an estimate
    names = [name for name in table.columns[place + 1 :] if name != "block"]
    rows = []
    for point, group in table.groupby(keys, sort=False, dropna=False):
        first = group[group["scheduler"] == base]
        if first.empty:
            raise DifferenceError(f"no {base} for {', '.join(map(str, point))}; expected a row")
        for _, own in group.groupby("scheduler", sort=False):
            pairs = [one.set_index(row)[names] for one in (own, first)]
            values, changes = _changes(*pairs, by_block=row == "block")
            fact = own.iloc[0][facts].to_dict()
            if row == "seed":
                fact["seeds"] = len(changes) - 1
            for k, name in enumerate(names):
                factor = intervals.PRIORITY if name in PRIORITY else intervals.PLAIN
                ends = intervals.interval(changes[:, k], factor)
                numbers = dict(zip(("difference", "low", "high"), ends, strict=True))
                rows.append(fact | {"measure": name, "value": float(values[k])} | numbers)
    return pd.DataFrame(rows)


def _changes(own, first, by_block):
    """Return the value of each measure, and its difference from the first scheduler:
    whole, then without each part.
    """
    if by_block:
        return own.to_numpy()[0], (own - first).to_numpy()
    # A scheduler without random numbers has one row, which is that of every seed.
    seeds = max(own.index, first.index, key=len)
    own, first = (
        one.loc[one.index.repeat(len(seeds)) if len(one) == 1 else seeds] for one in (own, first)
    )
    change = own.to_numpy() - first.to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (change.sum(axis=0) - change) / (len(change) - 1)
    return own.to_numpy().mean(axis=0), np.vstack([change.mean(axis=0), without])
