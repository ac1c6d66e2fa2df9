"""The search over the readings of PV-EASY's Tables 1, 2, 4, 5 and 6, see `replication.evidence.readings`."""

from replication.evidence import published, readings
from replication.evidence.readings import Dimension, Rule
from replication.evidence.readings import search as readings_search
from replication.evidence.readings.search import Part
from replication.papers.dimensions import ORDER, PREDICTION, default_on_stand_ins, names, size
from replication.papers.pv_easy import counting, runs

ITEMS = ("table1", "table2", "table4", "table5", "table6")

CLEANING = (
    size("allocated"),
    Dimension(
        "overrun",
        {
            "raise-estimate": "the estimate of a run that passed it is raised to the run time",
            "cut-run": "runs are cut at their estimates",
            "as-is": "runs may pass their estimates",
        },
    ),
)
EASY = (
    Dimension(
        "reservation",
        {
            "recomputed": "reservations are worked out at every pass",
            "kept": "a reservation, once made, is kept",
        },
    ),
    Dimension(
        "extra",
        {
            "used-up": "a backfilled job that outlives the reservation uses up extra processors",
            "not-used-up": "extra processors are not used up",
        },
    ),
    Dimension(
        "shadow",
        {
            "all": "all jobs that end at the shadow time count",
            "first": "only the first jobs that suffice at the shadow time count",
        },
    ),
    Dimension(
        "events",
        {
            "together": "the events of an instant are taken together",
            "one-by-one": "events are taken one by one",
        },
    ),
    ORDER,
)
COUNTING = (
    Dimension(
        "blocked",
        {
            "any": "every job that waits at the head is blocked",
            "others-wait": "a job at the head is blocked only if others wait behind it",
            "passed": "a job at the head is blocked only if somebody passes it",
        },
    ),
    Dimension(
        "delay",
        {
            "alone": "a delay is measured from the start without later jobs",
            "head": "a delay is measured from when idle and later jobs' processors sufficed",
            "running": "a delay is measured from the real end of enough jobs that ran already",
        },
    ),
    Dimension(
        "violation",
        {
            "under-predicted": "a violation needs a later job that is past its prediction",
            "any-later": "any later job's processors make a late start a violation",
            "since-reserved": "a violation needs a later job past its prediction that was started "
            "since the reservation",
        },
    ),
    Dimension(
        "backfilled",
        {
            "last-run": "jobs whose completing run was started by backfilling count as backfilled",
            "starts": "every start by backfilling counts as a backfilled job",
            "ever": "jobs backfilled at least once count as backfilled",
            "in-shadow": "backfilled jobs count if they end before those ahead have started",
        },
    ),
    Dimension(
        "span",
        {
            "first-submission": "a load's span begins at the first submission",
            "time-0": "a load's span begins at the log's time 0",
        },
    ),
    Dimension(
        "waste",
        {
            "mean": "the waste is the mean of the jobs' wastes",
            "total": "the waste is all wasted time over all run time",
        },
    ),
)
DIMENSIONS = (*CLEANING, *EASY, *PREDICTION, *COUNTING)

_ALONE = "delays from the start without later jobs are worked out for the textbook's EASY alone"
RULES = (
    Rule(
        "one by one and submissions first: not tried together",
        {"events": ("one-by-one",), "order": ("submissions-first",)},
    ),
    *(
        Rule(_ALONE, {"delay": ("alone",), dimension.name: dimension.names[1:]})
        for dimension in EASY
    ),
)
STAND_IN = default_on_stand_ins(CLEANING)

PARTS = (
    Part("pv_easy: EASY", names(*CLEANING, *EASY), counting.easy),
    Part("pv_easy: EASY-Last", names(*CLEANING, *EASY, *PREDICTION), counting.easy_last),
    Part(
        "pv_easy: PV-EASY",
        ("size", "overrun", "reservation", "events", *names(*PREDICTION)),
        counting.pv_easy,
    ),
)


def grid(page):
    """All combinations; at quick scale and on stand-ins the default and single changes."""
    around = None if page.kind == "paper" else ({}, {"delay": "head"})
    return readings.Grid(DIMENSIONS, RULES + (STAND_IN if page.stand_in else ()), around)


def search(page, **how):
    """Run the search, or read what was found before.

    Parameters
    ----------
    page : replication.pages.page.Page
    **how
        Of `replication.evidence.readings.search.search`, such as an executor.

    Returns
    -------
    replication.evidence.readings.Found
    """

    def workload(log, chosen):
        changed = {d.name: chosen[d.name] for d in CLEANING if chosen[d.name] != d.names[0]}
        return runs.workload(
            page, log, runs.Reading(" ".join((log, *chosen.values())), cleaning=changed)
        )

    every = grid(page)
    table = readings_search.search(
        every, PARTS, names(*CLEANING), workload, page.logs, page.workers, **how
    )
    printed = [
        row for item in ITEMS for row in published.rows(page.paper, item) if row.policy != "log"
    ]
    return readings.Found(every, table, printed, by_policy=True)
