"""The search over the readings of PV-EASY's Tables 1, 2, 4, 5 and 6, see `replication.papers.readings`.

The functions that count yield the numbers of one simulation in every way of counting them: (policy, measure,
ways of counting by dimension, value).
"""

import itertools

from replication.papers import dimensions, published, readings
from replication.papers.pv_easy import counts, runs
from replication.papers.readings import Rule
from replication.papers.readings.search import Part, of_paper

PAPER = "pv_easy"
ITEMS = ("table1", "table2", "table4", "table5", "table6")

CLEANING = dimensions.read("cleaning", PAPER)
EASY = {name: runs.OPEN[name] for name in runs.OPEN if name not in dimensions.PREDICTION}
COUNTING = dimensions.read(dimensions.COUNTING, PAPER)
DIMENSIONS = CLEANING | runs.OPEN | COUNTING

RULES = (
    Rule(
        "one by one and submissions first: not tried together",
        {"events": ("one-by-one",), "order": ("submissions-first",)},
    ),
    *(
        Rule(
            "delays from the start without later jobs are worked out for the textbook's EASY alone",
            {"delay": ("alone",)} | rule.forbids,
        )
        for rule in readings.kept_to_defaults("", EASY)
    ),
)


def easy(workload, variant):
    """EASY's numbers: Tables 1 and 4."""
    schedule = runs.simulated(workload, runs.POLICIES["EASY"], variant)
    for blocked, delay in itertools.product(COUNTING["blocked"], COUNTING["delay"]):
        # Without later jobs, simulations are repeated from every submission: possible for the textbook's EASY.
        if delay.name != "alone" or not variant.scheduler:
            found = counts.delays(schedule, delay.name, blocked.name)
            del found["blocked"]
            yield from _rows("EASY", found, blocked=blocked.name, delay=delay.name)
    yield from _kinds(schedule, "EASY")


def easy_last(workload, variant):
    """EASY-Last's numbers: Table 2."""
    schedule = runs.simulated(workload, runs.POLICIES["EASY-Last"], variant)
    for one in COUNTING["violation"]:
        yield from _rows("EASY-Last", counts.violations(schedule, one.name), violation=one.name)


def pv_easy(workload, variant):
    """PV-EASY's numbers: Tables 4, 5 and 6."""
    schedule = runs.simulated(workload, runs.POLICIES["PV-EASY"], variant)
    yield from _kinds(schedule, "PV-EASY")
    for one in COUNTING["span"]:
        yield from _rows("PV-EASY", counts.loads(schedule, one.name), span=one.name)
    for one in COUNTING["waste"]:
        found = counts.preemptions(schedule, one.name)
        yield from _rows("PV-EASY", {"rtw": found.pop("rtw")}, waste=one.name)
    yield from _rows("PV-EASY", found)


def _kinds(schedule, policy):
    for name in ("blocked", "backfilled"):
        for one in COUNTING[name]:
            found = counts.kinds(schedule, **{name: one.name})
            yield from _rows(policy, {name: found[name]}, **{name: one.name})


def _rows(policy, found, **counted):
    return [(policy, measure, counted, value) for measure, (value, _) in found.items()]


_SIMULATED = (*CLEANING, *runs.OPEN)
PARTS = (
    Part("pv_easy: EASY", (*CLEANING, *EASY), easy, COUNTING),
    Part("pv_easy: EASY-Last", _SIMULATED, easy_last, COUNTING),
    Part(
        "pv_easy: PV-EASY",
        tuple(n for n in _SIMULATED if n not in runs.EASY_ONLY),
        pv_easy,
        COUNTING,
    ),
)


def search(workloads, **how):
    """Run the search, or read what was found before; see `replication.papers.readings.search.of_paper`."""
    printed = [row for item in ITEMS for row in published.rows(PAPER, item) if row.policy != "log"]
    how |= {"rules": RULES, "around": ({}, {"delay": "head"}), "by_policy": True}
    return of_paper(PAPER, printed, workloads, DIMENSIONS, CLEANING, PARTS, **how)
