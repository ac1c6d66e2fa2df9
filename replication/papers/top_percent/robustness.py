"""Top Percent's headline conclusions under other readings, cleanings, logs and loads."""

from dataclasses import replace

from replication.papers import dimensions, robustness
from replication.papers.top_percent import evidence, runs
from replication.papers.top_percent.claims import CLAIMS
from replication.papers.variants import Variant

#: What the paper's words leave open of the scheduler.
OPEN = (
    dimensions.of("passes", "order", "events", "reservation", "shadow", "extra")
    | dimensions.PREDICTION
    | dimensions.of("candidates")
)
CODED = runs.READINGS["coded"]


class Evidence(evidence.Evidence):
    """The schedules of one log under one variant."""

    def __init__(self, log, workload, variant):
        self.workloads, self.reading, self.workers = {log: workload}, variant, 1


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
for name in HEADLINES.published():
    HEADLINES.decides(name)(CLAIMS.deciders[name])
