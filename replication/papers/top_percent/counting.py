"""The numbers of Table I under one reading, see `replication.papers.top_percent.readings`.

Each function takes the jobs and the choices that need simulations of their own, and yields (policy, measure,
ways of counting by dimension, value).
"""

import numpy as np

from replication.papers.top_percent import runs
from replication.schedule import measures
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

OPTIONS = ("passes", "order", "refresh", "correction")
R2 = ("submission", "start", "recorded")


def fixed(workload, chosen):
    """The rows of predictors that learn nothing."""
    yield from _rows(workload, chosen, ("Reqtime", "Clairvoyant"))


def learned(workload, chosen):
    """The rows of the predictors that the paper compares with, and of Complete."""
    yield from _rows(workload, chosen, ("Complete", "CVH", "Tsafrir"))


def top(workload, chosen):
    """The rows of Top Percent."""
    yield from _rows(workload, chosen, ("Top02", "Top03", "Top04"))


def _rows(workload, chosen, policies):
    base = runs.measured(_run(workload, chosen, runs.REFERENCE))
    for policy in policies:
        schedule = _run(workload, chosen, policy)
        found = runs.measured(schedule)
        # The paper's simulator records -1 where no predictor runs (docs/decisions/top_percent.md).
        recorded = (
            np.full(len(workload), -1) if policy == runs.REFERENCE else schedule.first_prediction
        )
        for which, predicted in zip(
            R2, (schedule.first_prediction, schedule.prediction, recorded), strict=True
        ):
            yield policy, "r2", {"r2": which}, measures.determination(workload.run_time, predicted)
        yield from (
            (policy, name, {}, value / base[name]) for name, value in found.items() if name != "r2"
        )


def _run(workload, chosen, policy):
    coded = runs.READINGS["coded"].predictors if chosen.get("top") == "as-coded" else {}
    options = {name: chosen[name] for name in OPTIONS if name in chosen}
    return simulate(workload, EASY(coded.get(policy, runs.POLICIES[policy]), **options))
