"""Tables 1 to 6: one row a number, the range over the readings, and what the paper's text says of them.

Schedules come by log and policy: ``schedules[log][policy]``.
"""

import math

import pandas as pd

from replication.papers import compare, published
from replication.papers.logs import COLUMNS
from replication.papers.pv_easy import counts, runs
from replication.simulator import traces

#: How a number over all logs is made; the names of others end in _min or _max.
OVERALL = {"max_delay": "max", "max_dtr": "max", "violated": "sum"}


def numbers(schedules, count, given=None):
    """What a table counts (one of `counts`), as `Page.compare` takes it; and of each log, where it is printed
    beside, its number of jobs or processors.
    """
    rows = []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():
            rows += [(log, policy, name, *value) for name, value in count(schedule).items()]
        facts = {"jobs": len(schedule.workload), "processors": schedule.workload.machine}
        if given:
            rows.append((log, "log", given, facts[given], given))
    return pd.DataFrame(rows, columns=COLUMNS)


def otherwise(item, ours, undecided=""):
    """A table under another definition, beside the paper's; nothing is decided where `undecided` says why."""
    frame = compare.table(runs.PAPER, item, ours)
    frame = frame[frame["policy"] != "log"].reset_index(drop=True)
    return frame.assign(verdict=compare.NOT_COMPARABLE) if undecided else frame


def inputs(ours):
    """Why some numbers have no verdict, as `Page.compare` takes it: the machines are the paper's."""
    reason = "the paper's number, which is an input here"
    return {(log, "log", "processors"): reason for log in ours["trace"]}


def wide(ours):
    """One row a log and policy, one column a measure, for display."""
    shown = ours[ours["policy"] != "log"]
    values = shown.set_index(["trace", "policy", "measure"])["value"]
    return values.unstack(sort=False).reset_index()


def readings(schedules, count, first=None):
    """A table's numbers under every reading: each changed alone, and the few that go together.

    Ways of counting are readings too; they are applied to the default schedule. A delay from the start
    without later jobs is worked out for the default alone.
    """
    # Under another scheduler than the default EASY the replays would take hours: the next way stands in.
    replays = count is counts.delays
    instead, since = ({"since": "head"}, ", since processors sufficed") if replays else ({}, "")
    rows = []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():

            def add(name, found, key=(log, policy)):
                rows.extend((name, *key, measure, value) for measure, (value, _) in found.items())

            for name, way in counts.WAYS[count].items():
                add(name if way else runs.DEFAULT.name, count(schedule, **way))
            for reading, other in runs.otherwise(log, schedule, first):
                add(reading.name + since, count(other, **instead))
    return pd.DataFrame(rows, columns=["reading", *COLUMNS[:4]])


def ranges(item, readings):
    """Published value, default, and range over the readings of each number of an item such as ``table1``;
    whether the paper's lies inside, and the reading that comes nearest to it.
    """
    printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
    some = readings[readings["measure"].isin({measure for *_, measure in printed})]
    rows = []
    for key, group in some.groupby(COLUMNS[:3], sort=False):
        theirs = printed.get(key, math.nan)
        values = group.set_index("reading")["value"].dropna()
        nearest = (values - theirs).abs().idxmin() if len(values) and key in printed else ""
        low, high = values.min(), values.max()
        row = (*key, theirs, values.get("default", math.nan), low, high)
        inside = "yes" if low <= theirs <= high else "no"
        rows.append((*row, inside, nearest, values.get(nearest, math.nan)))
    names = ["published", "default", "lowest", "highest", "inside", "nearest reading", "its value"]
    return pd.DataFrame(rows, columns=[*COLUMNS[:3], *names])


def text(ours):
    """The numbers in running text that a table of `numbers` decides, as `Page.compare` takes them.

    Those over all logs are there only where all of the paper's logs are.
    """
    value = {(log, policy, measure): number for log, policy, measure, number, _ in ours.to_numpy()}
    whole = set(traces.names(runs.PAPER)) <= set(ours["trace"])
    rows = []
    for row in published.rows(runs.PAPER, "text"):
        number, whose = value.get(row.key), (row.trace, row.policy)
        if row.measure == "delayed_of_blocked" and (*whose, "delayed") in value:
            number = 100 * value[*whose, "delayed"] / value[*whose, "blocked"]
        if row.trace == "all" and whole:
            stem, _, end = row.measure.rpartition("_")
            how = OVERALL.get(row.measure)
            is_it = (ours["policy"] == row.policy) & (
                ours["measure"] == (row.measure if how else stem)
            )
            number = ours.loc[is_it, "value"].agg(how or end) if is_it.any() else None
        if number is not None:
            rows.append((*row.key, number, row.unit))
    return pd.DataFrame(rows, columns=COLUMNS)
