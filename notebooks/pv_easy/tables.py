"""Tables 1 to 6: one row for each number, the range over the interpretations, and the numbers in
the paper's text.

Schedules are given by log and policy: ``schedules[log][policy]``.
"""

import math

import pandas as pd

from notebooks import audits
from notebooks.logs import COLUMNS
from notebooks.pv_easy import counts, runs
from notebooks.ratios import ratio
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.verdicts import published, tables

#: How a number over all logs is made; the names of others end in _min or _max.
OVERALL = {"max_delay": "max", "max_dtr": "max", "violated": "sum"}


def numbers(schedules, count, fact=None) -> pd.DataFrame:
    """Return the numbers of a table from one of `counts`, as `Page.compare` takes them.

    If `fact` (jobs or processors) is printed beside them, that of each log is added.
    """
    rows = []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():
            rows += [(log, policy, name, *value) for name, value in count(schedule).items()]
        facts = {"jobs": len(schedule.workload), "processors": schedule.workload.machine}
        if fact:
            rows.append((log, "log", fact, facts[fact], fact))
    return pd.DataFrame(rows, columns=COLUMNS)


def otherwise(item, ours, undecided="") -> pd.DataFrame:
    """Return a table under another definition, compared with the paper's; without verdicts if
    `undecided` gives a reason.
    """
    frame = tables.comparison(runs.PAPER, item, ours, decided=not undecided)
    return frame[frame["policy"] != "log"].reset_index(drop=True)


def inputs(ours) -> dict[tuple, str]:
    """Return why some numbers have no verdict, as `Page.compare` takes it: the machines are the
    paper's.
    """
    reason = "the paper's number, which is an input here"
    return {(log, "log", "processors"): reason for log in ours["trace"]}


def units(ours) -> dict[str, str]:
    """Return the unit of each measure."""
    return dict(zip(ours["measure"], ours["unit"], strict=True))


def wide(ours) -> pd.DataFrame:
    """Return a row for each log and policy and a column for each measure, for display."""
    shown = ours[ours["policy"] != "log"]
    values = shown.set_index(["trace", "policy", "measure"])["value"]
    return values.unstack(sort=False).reset_index()


def under_variants(schedules, count, first=None) -> pd.DataFrame:
    """Return a table's numbers under every variant: each interpretation changed alone, and the few
    that belong together.

    Ways of counting apply to the default schedule. Where delays from the start without later jobs
    would take a simulation for each job, they are counted since enough processors sufficed.
    """
    rows = []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():

            def add(name, counted, key=(log, policy)):
                rows.extend((name, *key, measure, value) for measure, (value, _) in counted.items())

            for name, way in counts.WAYS[count].items():
                add(name if way else runs.DEFAULT.name, count(schedule, **way))
            for variant, varied in runs.otherwise(log, schedule, first):
                if count is counts.delays and not audits.is_replayed(varied.scheduler):
                    add(f"{variant.name}, since processors sufficed", count(varied, since="head"))
                else:
                    add(variant.name, count(varied))
    return pd.DataFrame(rows, columns=["variant", *COLUMNS[:4]])


def ranges(item, tried) -> pd.DataFrame:
    """Return published value, default, and the range over the variants for each number of an item
    such as ``table1``.

    Further columns: whether the published value lies inside, and the variant nearest to it.
    """
    printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
    of_printed = tried[tried["measure"].isin({measure for *_, measure in printed})]
    rows = []
    for key, group in of_printed.groupby(COLUMNS[:3], sort=False):
        theirs = printed.get(key, math.nan)
        values = group.set_index("variant")["value"].dropna()
        nearest = (values - theirs).abs().idxmin() if len(values) and key in printed else ""
        low, high = values.min(), values.max()
        row = (*key, theirs, values.get("default", math.nan), low, high)
        inside = "–" if math.isnan(theirs) else "yes" if low <= theirs <= high else "no"
        rows.append((*row, inside, nearest, values.get(nearest, math.nan)))
    names = ["published", "default", "lowest", "highest", "inside", "nearest variant", "its value"]
    return pd.DataFrame(rows, columns=[*COLUMNS[:3], *names])


def searched(item) -> pd.DataFrame:
    """Return the numbers of EASY and EASY-Last in an item beside those of the search for them, as
    the study `interpretations` has recorded it: trace, policy, measure, unit, published, textbook
    (by the default counts), nearest (pair), lowest and highest (of the simulators that vote).
    """
    table = pd.read_csv(paths.ROOT / "figures/studies/interpretations/pv_easy-numbers.csv")
    columns = ["textbook, default", "nearest", "lowest", "highest"]
    table = table[table["item"] == item].reset_index(drop=True)
    table = table[[*COLUMNS[:3], "unit", "published", *columns]]
    return table.rename(columns={"textbook, default": "textbook"})


def in_short(table, measure) -> dict:
    """Return a measure of `searched` on the log with the largest printed number: printed, textbook,
    nearest, and near, the range of the simulators that vote.
    """
    rows = table[table["measure"] == measure]
    row = rows.loc[rows["published"].idxmax()]
    return {
        "printed": row["published"],
        "textbook": row["textbook"],
        "nearest": row["nearest"],
        "near": (row["lowest"], row["highest"]),
    }


def text(*several) -> pd.DataFrame:
    """Return the numbers in running text that tables of `numbers` decide, as `Page.compare` takes
    them.

    Those over all logs need all of the paper's logs.
    """
    return pd.concat([_text(ours) for ours in several], ignore_index=True)


def _text(ours):
    value = {(log, policy, measure): number for log, policy, measure, number, _ in ours.to_numpy()}
    whole = set(registry.names(runs.PAPER)) <= set(ours["trace"])
    rows = []
    for row in published.rows(runs.PAPER, "text"):
        number, whose = value.get(row.key), (row.trace, row.policy)
        if row.measure == "delayed_of_blocked" and (*whose, "delayed") in value:
            number = 100 * ratio(value[*whose, "delayed"], value[*whose, "blocked"])
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
