"""Tables 1 to 6 and Figs. 2 to 6 under two simulators: textbook EASY, and the one reconstructed from the tables.

The reconstructed simulator holds a head's reservation until the head starts, does not use extra processors up, and
counts delays and violations as ``docs/decisions/pv_easy.md`` says. PV-EASY itself is the same in both. Nothing here
decides a verdict.
"""

from dataclasses import replace

import pandas as pd

from replication.papers import published
from replication.papers.pv_easy import counts, runs, slowdown, virtual
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate, warm

TEXTBOOK, RECONSTRUCTED = VARIANTS = ("textbook EASY", "reconstructed simulator")
_ENTRY = published.entries(runs.PAPER, "readings.toml")["reconstructed"]
#: Fields of EASY in the reconstructed simulator, and how it counts: keywords of a function of `counts`, by its name.
FIELDS, COUNTED = _ENTRY["scheduler"], _ENTRY["count"]
#: What each table counts, and the policies in it.
TABLES = {
    "table1": (counts.delays, ("EASY",)),
    "table2": (counts.violations, ("EASY-Last",)),
    "table4": (counts.kinds, ("EASY", "PV-EASY")),
    "table5": (counts.loads, ("PV-EASY",)),
    "table6": (counts.preemptions, ("PV-EASY",)),
}


def policies(variant, base=None):
    """The schedulers of a variant by policy; of others than the paper's where `base` has them."""
    base = runs.POLICIES if base is None else base
    if variant == TEXTBOOK:
        return dict(base)
    return {
        name: replace(own, **FIELDS) if isinstance(own, EASY) else own for name, own in base.items()
    }


def schedules(workloads, variant, names=tuple(runs.POLICIES)):
    """The validated schedules of a variant, ``schedules[log][policy]``."""
    known = policies(variant)
    return {
        log: {name: simulate(jobs, known[name]).validate() for name in names}
        for log, jobs in workloads.items()
    }


def tables(workloads, items=tuple(TABLES)):
    """The numbers of some tables under both variants beside the published ones.

    Returns
    -------
    DataFrame
        item, trace, policy, measure, unit, published, and a column for each of `VARIANTS`.
    """
    warm()
    found = {variant: schedules(workloads, variant) for variant in VARIANTS}
    rows = []
    for item in items:
        count, names = TABLES[item]
        printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
        for log in workloads:
            for policy in names:
                ours = {
                    TEXTBOOK: count(found[TEXTBOOK][log][policy]),
                    RECONSTRUCTED: count(
                        found[RECONSTRUCTED][log][policy], **COUNTED.get(count.__name__, {})
                    ),
                }
                for measure, (_, unit) in ours[TEXTBOOK].items():
                    values = [ours[variant][measure][0] for variant in VARIANTS]
                    key = log, policy, measure
                    rows.append((item, *key, unit, printed.get(key), *values))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *VARIANTS]
    return pd.DataFrame(rows, columns=columns)


def slowdowns(workloads, measure, blocked=False, **how):
    """Figs. 5 and 6, or with `blocked` Figs. 2 and 3, under both variants: a table of `slowdown` with a column variant."""
    draw = slowdown.blocked if blocked else slowdown.everyone
    names = ("PV-EASY", "EASY") if blocked else tuple(runs.POLICIES)
    frames = [
        draw(schedules(workloads, variant, names), measure, **how).assign(variant=variant)
        for variant in VARIANTS
    ]
    return pd.concat(frames, ignore_index=True)


def errors(workloads, errors, seeds, **how):
    """Fig. 4 under both variants: a table of `virtual.results` with a column variant."""
    frames = [
        virtual.results(
            workloads, policies(variant, virtual.POLICIES), errors, seeds, **how
        ).assign(variant=variant)
        for variant in VARIANTS
    ]
    return pd.concat(frames, ignore_index=True)


def other_logs(workloads):
    """Slowdowns of the three policies on any logs, under both variants, and PV-EASY's over the others'.

    Returns
    -------
    DataFrame
        variant, trace, measure, a column for each policy, over_easy, over_easy_last.
    """
    rows = []
    for variant in VARIANTS:
        for log, by_policy in schedules(workloads, variant).items():
            found = {policy: counts.slowdowns(one) for policy, one in by_policy.items()}
            for measure in slowdown.NAMES:
                value = {policy: numbers[measure][0] for policy, numbers in found.items()}
                over = [value["PV-EASY"] / value[name] for name in ("EASY", "EASY-Last")]
                rows.append((variant, log, measure, *value.values(), *over))
    columns = ["variant", "trace", "measure", *runs.POLICIES, "over_easy", "over_easy_last"]
    return pd.DataFrame(rows, columns=columns)
