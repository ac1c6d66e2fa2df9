"""Tables 1, 2, 4, 5 and 6: the default reading, and the range over the readings."""

import math

import pandas as pd

from replication.evidence import published
from replication.papers.pv_easy import counts, runs

#: What each table counts, and of which policies.
TABLES = {
    "table1": (counts.delays, ("EASY",)),
    "table2": (counts.violations, ("EASY-Last",)),
    "table4": (counts.kinds, ("EASY", "PV-EASY")),
    "table5": (counts.loads, ("PV-EASY",)),
    "table6": (counts.preemptions, ("PV-EASY",)),
}
_COLUMNS = ["trace", "policy", "measure", "value", "unit"]


def _rows(log, policy, found):
    return [(log, policy, measure, value, unit) for measure, (value, unit) in found.items()]


def results(page):
    """A table's numbers under the default reading.

    Parameters
    ----------
    page : replication.pages.page.Page
        Its item is one of `TABLES`.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, value, unit.
    """
    count, policies = TABLES[page.item]
    rows = []
    for log in page.logs:
        for policy in policies:
            rows += _rows(log, policy, count(runs.schedule(page, log, policy)))
        if page.item in ("table4", "table6"):
            rows.append((log, "log", "jobs", len(page.workloads[log]), "jobs"))
        if page.item == "table2":
            rows.append((log, "log", "processors", page.workloads[log].machine, "processors"))
    return pd.DataFrame(rows, columns=_COLUMNS)


def inputs(ours):
    """Why some numbers have no verdict, as `Page.compare` takes it: the machines are the paper's."""
    logs = dict.fromkeys(ours["trace"])
    return {
        (log, "log", "processors"): "the paper's number, which is an input here" for log in logs
    }


def wide(ours):
    """One row a log and policy, one column a measure, for display."""
    shown = ours[ours["policy"] != "log"]
    order = list(dict.fromkeys(shown["measure"]))
    table = shown.pivot(index=["trace", "policy"], columns="measure", values="value")
    rows = list(dict.fromkeys(zip(shown["trace"], shown["policy"], strict=True)))
    return table.loc[rows, order].reset_index()


def readings(page):
    """A table's numbers under every reading: each changed alone, and the few that go together.

    Returns
    -------
    pandas.DataFrame
        reading, trace, policy, measure, value. Ways of counting are readings too; they are applied to the
        default schedule. A delay from the start without later jobs is worked out for EASY's default alone.
    """
    count, policies = TABLES[page.item]
    rows = []
    for log in page.logs:
        for policy in policies:
            for name, found in _found(page, log, policy, count):
                rows += [(name, *row[:4]) for row in _rows(log, policy, found)]
    return pd.DataFrame(rows, columns=["reading", *_COLUMNS[:4]])


def _found(page, log, policy, count):
    """Name and numbers of each reading of one log and policy."""
    default = runs.schedule(page, log, policy)
    ways = counts.WAYS[count]
    for name, options in ways.items():
        yield (runs.DEFAULT.name if not options else name), count(default, **options)
    # Under another scheduler than the default EASY the replays would take hours: the next way stands in.
    way = {"since": "head"} if count is counts.delays else {}
    for reading in runs.READINGS[1:]:
        if runs.concerns(policy, reading):
            schedule = runs.schedule(page, log, policy, reading)
            if schedule is not None:
                yield (
                    reading.name + (", since processors sufficed" if way else ""),
                    count(schedule, **way),
                )


def ranges(page, readings):
    """Published value, default, and the range over the readings, one row a number.

    Parameters
    ----------
    page : replication.pages.page.Page
    readings : pandas.DataFrame
        From `readings`.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, published, default, lowest, highest, inside (the paper's number lies in the
        range), nearest (the reading that comes nearest to it) and its value.
    """
    printed = {row.key: row.value for row in published.rows(page.paper, page.item)}
    rows = []
    for key, group in readings.groupby(["trace", "policy", "measure"], sort=False):
        if key not in printed:
            continue
        values = group.set_index("reading")["value"].dropna()
        nearest = (values - printed[key]).abs().idxmin() if len(values) else ""
        rows.append(
            (
                *key,
                printed[key],
                values.get("default", math.nan),
                values.min(),
                values.max(),
                "yes" if values.min() <= printed[key] <= values.max() else "no",
                nearest,
                values.get(nearest, math.nan),
            )
        )
    return pd.DataFrame(
        rows,
        columns=[
            "trace",
            "policy",
            "measure",
            "published",
            "default",
            "lowest",
            "highest",
            "inside",
            "nearest reading",
            "its value",
        ],
    )


def text(page, ours):
    """The numbers in running text that the table decides, as `Page.compare` takes them.

    Returns
    -------
    list of dict
    """
    by = {measure: group.set_index("trace")["value"] for measure, group in ours.groupby("measure")}
    per_log = {
        "table1": ["mean_delay"],
        "table2": ["mean_si"],
        "table6": ["mkt", "preempted_share"],
    }
    overall = {
        "table1": {"max_delay": ("max_delay", max)},
        "table2": {
            "max_dtr": ("max_dtr", max),
            "violated_min": ("violated", min),
            "violated_max": ("violated", max),
        },
        "table5": {
            "wasted_load_min": ("wasted_load", min),
            "wasted_load_max": ("wasted_load", max),
        },
        "table6": {"rtw_min": ("rtw", min), "rtw_max": ("rtw", max)},
    }
    rows = [
        {"trace": log, "policy": policy, "measure": measure, "value": by[measure][log]}
        for policy in TABLES[page.item][1]
        for measure in per_log.get(page.item, [])
        for log in page.logs
    ]
    rows += [
        {"trace": "all", "policy": policy, "measure": name, "value": how(by[measure])}
        for policy in TABLES[page.item][1]
        for name, (measure, how) in overall.get(page.item, {}).items()
    ]
    if page.item == "table1":
        rows += [
            {
                "trace": log,
                "policy": "EASY",
                "measure": "delayed_of_blocked",
                "value": 100 * by["delayed"][log] / by["blocked"][log],
            }
            for log in page.logs
        ]
    if page.item == "table2":
        rows += [
            {"trace": log, "policy": "EASY-Last", "measure": "max_si", "value": by["max_si"][log]}
            for log in page.logs
        ]
        violated = [
            counts.violations(runs.schedule(page, log, "PV-EASY"), "any-later")["violated"][0]
            for log in page.logs
        ]
        rows.append(
            {"trace": "all", "policy": "PV-EASY", "measure": "violated", "value": sum(violated)}
        )
    return _with_units(page, rows)


def _with_units(page, rows):
    """The rows that were published, with their units; those over all logs only where all are there."""
    units = {row.key: row.unit for row in published.rows(page.paper, "text")}
    keyed = [((row["trace"], row["policy"], row["measure"]), row) for row in rows]
    return [
        row | {"unit": units[key]}
        for key, row in keyed
        if key in units and not (key[0] == "all" and len(page.logs) < 3)
    ]
