"""The search over the readings of PV-EASY's Tables 1, 2, 4, 5 and 6, see `replication.evidence.readings`.

The functions that count yield the numbers of one simulation in every way of counting them: (policy, measure,
ways of counting by dimension, value).
"""

import itertools

from replication.evidence import published, readings
from replication.evidence.readings import Rule
from replication.evidence.readings.search import Part, of_paper
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.papers.pv_easy import counts, runs

PAPER = "pv_easy"
ITEMS = ("table1", "table2", "table4", "table5", "table6")

CLEANING = dimensions.size("allocated") | {
    "overrun": (
        Variant("raise-estimate", "the estimate of a run that passed it is raised to the run time"),
        Variant("cut-run", "runs are cut at their estimates", cleaning={"overrun": "cut-run"}),
        Variant("as-is", "runs may pass their estimates", cleaning={"overrun": "as-is"}),
    )
}
EASY = {name: runs.OPEN[name] for name in runs.OPEN if name not in dimensions.PREDICTION}
COUNTING = {
    "blocked": (
        Variant("any", "every job that waits at the head is blocked"),
        Variant("others-wait", "a job at the head is blocked only if others wait behind it"),
        Variant("passed", "a job at the head is blocked only if somebody passes it"),
    ),
    "delay": (
        Variant("alone", "a delay is measured from the start without later jobs"),
        Variant("head", "a delay is measured from when idle and later jobs' processors sufficed"),
        Variant("running", "a delay is measured from the real end of enough jobs that ran already"),
    ),
    "violation": (
        Variant("under-predicted", "a violation needs a later job that is past its prediction"),
        Variant("any-later", "any later job's processors make a late start a violation"),
        Variant(
            "since-reserved",
            "a violation needs a later job past its prediction that was started since the "
            "reservation",
        ),
    ),
    "backfilled": (
        Variant(
            "last-run", "jobs whose completing run was started by backfilling count as backfilled"
        ),
        Variant("starts", "every start by backfilling counts as a backfilled job"),
        Variant("ever", "jobs backfilled at least once count as backfilled"),
        Variant("in-shadow", "backfilled jobs count if they end before those ahead have started"),
    ),
    "span": (
        Variant("first-submission", "a load's span begins at the first submission"),
        Variant("time-0", "a load's span begins at the log's time 0"),
    ),
    "waste": (
        Variant("mean", "the waste is the mean of the jobs' wastes"),
        Variant("total", "the waste is all wasted time over all run time"),
    ),
}
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
    Part("pv_easy: EASY", (*CLEANING, *EASY), easy),
    Part("pv_easy: EASY-Last", _SIMULATED, easy_last),
    Part("pv_easy: PV-EASY", tuple(n for n in _SIMULATED if n not in runs.EASY_ONLY), pv_easy),
)


def search(workloads, first=None, workers=1, **how):
    """Run the search, or read what was found before: a `replication.evidence.readings.Found`; see
    `replication.evidence.readings.search.of_paper`.
    """
    how |= {"rules": RULES, "first": first, "workers": workers, "around": ({}, {"delay": "head"})}
    grid, table = of_paper(PAPER, workloads, DIMENSIONS, CLEANING, PARTS, **how)
    printed = [row for item in ITEMS for row in published.rows(PAPER, item) if row.policy != "log"]
    return readings.Found(grid, table, printed, by_policy=True)
