"""Top Percent's headline conclusions under other readings, cleanings, logs and loads."""

from dataclasses import replace

from replication.evidence import robustness
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.papers.top_percent import runs
from replication.papers.top_percent.claims import CLAIMS
from replication.papers.top_percent.intervals import Block

#: What the paper's words leave open of the scheduler.
OPEN = (
    dimensions.of("passes", "order", "events", "reservation", "shadow", "extra")
    | dimensions.PREDICTION
    | dimensions.of("candidates")
)
CODED = runs.READINGS["coded"]


class Evidence:
    """The schedules of one log under one variant, as those of all logs in `top_percent.evidence.Evidence`."""

    def __init__(self, log, workload, variant):
        self.workloads = {log: workload}
        found = {policy: runs.run(workload, policy, variant) for policy in runs.POLICIES}
        self.schedules = {(log, policy): schedule for policy, schedule in found.items()}
        self.blocks = {log: Block(log, found)}


#: Each open option alone, and what the simulator does; cleanings.
CHANGES = (
    *dimensions.alone(OPEN),
    Variant("Top Percent as coded", predictor=CODED.predictor),
    replace(CODED, name="all as the simulator does"),
    Variant("jobs without a request left out", cleaning=CODED.cleaning),
    Variant("requests raised to the run time", cleaning={"overrun": "raise-estimate"}),
    Variant("runs may pass the request", cleaning={"overrun": "as-is"}),
    Variant("allocated processors", cleaning={"size": "allocated"}),
    *dimensions.entered(runs.PAPER, "machines"),
)
HEADLINES = robustness.Headlines(runs.PAPER, Evidence, CHANGES)
# One log at a time, by the same functions as the claims.
HEADLINES.decide_by(*((name, CLAIMS.deciders[name]) for name in HEADLINES.published()))
