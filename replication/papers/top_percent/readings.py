"""The search over the readings of Top Percent's Table I, see `replication.papers.readings`.

The functions that count yield the numbers of one reading in every way of counting them: (policy, measure, ways
of counting by dimension, value).
"""

import numpy as np

from replication.papers import dimensions, published
from replication.papers.readings.search import Part, of_paper
from replication.papers.top_percent import runs
from replication.simulator import measures

PAPER, ITEMS = "top_percent", ("table1",)

CLEANING = dimensions.read("cleaning", PAPER)
EVENTS = dimensions.of("passes", "order")
TOP = dimensions.read("predictor", PAPER)
R2 = dimensions.read(dimensions.COUNTING, PAPER)
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
        at_submission = schedule.first_prediction
        # The paper's simulator records -1 where no predictor runs (docs/decisions/top_percent.md).
        none = np.full(len(workload), -1)
        predictions = {
            "submission": at_submission,
            "start": schedule.prediction,
            "recorded": none if policy == runs.REFERENCE else at_submission,
        }
        for which, predicted in predictions.items():
            yield policy, "r2", {"r2": which}, measures.determination(workload.run_time, predicted)
        del found["r2"]
        yield from ((policy, name, {}, value / base[name]) for name, value in found.items())


_EVENTS = (*CLEANING, *EVENTS)
_LEARNED = (*_EVENTS, *dimensions.PREDICTION)
PARTS = (
    Part("top_percent: fixed", _EVENTS, fixed, R2),
    Part("top_percent: learned", _LEARNED, learned, R2),
    Part("top_percent: top", (*_LEARNED, *TOP), top, R2),
)


def search(workloads, **how):
    """Run the search, or read what was found before; see `replication.papers.readings.search.of_paper`."""
    # Reqtime over Reqtime is 1 whatever is read.
    printed = [
        row
        for row in published.rows(PAPER, "table1")
        if row.policy != runs.REFERENCE or row.measure == "r2"
    ]
    return of_paper(PAPER, printed, workloads, DIMENSIONS, CLEANING, PARTS, **how)
