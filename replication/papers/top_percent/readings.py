"""The search over the readings of Top Percent's Table I, see `replication.evidence.readings`.

The functions that count yield the numbers of one reading in every way of counting them: (policy, measure, ways
of counting by dimension, value).
"""

import functools

import numpy as np

from replication.evidence import published, readings, variants
from replication.evidence.readings import search as readings_search
from replication.evidence.readings.search import Part
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.papers.top_percent import runs
from replication.schedule import measures

PAPER, ITEMS = "top_percent", ("table1",)

CLEANING = dimensions.size("requested") | {
    "overrun": (
        Variant("cut-run", "runs are cut at their requests"),
        Variant(
            "raise-estimate",
            "the request of a run that passed it is raised to the run time",
            cleaning={"overrun": "raise-estimate"},
        ),
    ),
    "jobs": (
        Variant("all", "a job without a request is given its run time"),
        Variant(
            "with-request",
            "jobs without a request are left out",
            cleaning={"drop": ("no-estimate",)},
        ),
    ),
}
EVENTS = dimensions.PASSES | dimensions.ORDER
TOP = {
    "top": (
        Variant("words", "Top Percent's threshold is that of the paper's words"),
        Variant(
            "as-coded",
            "Top Percent's threshold is kept by two running sums, as coded",
            predictor={"coded": True},
        ),
    )
}
R2 = {
    "r2": (
        Variant("submission", "R2 is of the predictions made at submission"),
        Variant("start", "R2 is of the predictions that jobs started with"),
        Variant("recorded", "R2 is of the first predictions recorded, -1 where no predictor runs"),
    )
}
DIMENSIONS = CLEANING | EVENTS | dimensions.PREDICTION | TOP | R2


def fixed(workload, variant):
    """The rows of predictors that learn nothing."""
    yield from _rows(workload, variant, ("Reqtime", "Clairvoyant"))


def learned(workload, variant):
    """The rows of the predictors that the paper compares with, and of Complete."""
    yield from _rows(workload, variant, ("Complete", "CVH", "Tsafrir"))


def top(workload, variant):
    """The rows of Top Percent."""
    yield from _rows(workload, variant, ("Top02", "Top03", "Top04"))


def _rows(workload, variant, policies):
    base = runs.measured(runs.run(workload, runs.REFERENCE, variant))
    for policy in policies:
        schedule = runs.run(workload, policy, variant)
        found = runs.measured(schedule)
        predictions = {
            "submission": schedule.first_prediction,
            "start": schedule.prediction,
            # The paper's simulator records -1 where no predictor runs (docs/decisions/top_percent.md).
            "recorded": np.full(len(workload), -1)
            if policy == runs.REFERENCE
            else schedule.first_prediction,
        }
        for which, predicted in predictions.items():
            yield policy, "r2", {"r2": which}, measures.determination(workload.run_time, predicted)
        yield from (
            (policy, name, {}, value / base[name]) for name, value in found.items() if name != "r2"
        )


PARTS = (
    Part("top_percent: fixed", (*CLEANING, *EVENTS), fixed),
    Part("top_percent: learned", (*CLEANING, *EVENTS, *dimensions.PREDICTION), learned),
    Part("top_percent: top", (*CLEANING, *EVENTS, *dimensions.PREDICTION, *TOP), top),
)


def search(workloads, first=None, workers=1, **how):
    """Run the search, or read what was found before.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
        The paper's logs.
    first : int, optional
        How many jobs of a log are taken. Where that is given, and on stand-ins, only the default and single
        changes are tried.
    workers : int
    **how
        Of `replication.evidence.readings.search.search`, such as an executor.

    Returns
    -------
    replication.evidence.readings.Found
    """
    stand_in = any(one.stand_in for one in workloads.values())
    clean = readings.kept_to_defaults("a stand-in has no lines to read otherwise", CLEANING)
    grid = readings.Grid(
        DIMENSIONS, clean if stand_in else (), ({},) if stand_in or first else None
    )
    jobs = functools.partial(variants.jobs, PAPER, workloads, first=first)
    table = readings_search.search(grid, PARTS, jobs, workloads, workers, **how)
    # Reqtime over Reqtime is 1 whatever is read.
    printed = [
        row
        for row in published.rows(PAPER, "table1")
        if row.policy != runs.REFERENCE or row.measure == "r2"
    ]
    return readings.Found(grid, table, printed)
