"""The paper's policies as schedulers, and the readings it leaves open of them."""

from replication.evidence import variants
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.predictors import Last, Request
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, PVEasy

PAPER = "pv_easy"
# How the paper names a policy, and the scheduler here.
POLICIES = {"EASY": EASY(), "EASY-Last": EASY(predictor=Last()), "PV-EASY": PVEasy()}
EASY_ONLY = ("extra", "shadow", "order")
#: What the paper's words leave open of the schedulers.
OPEN = (
    dimensions.RESERVATION
    | dimensions.EXTRA
    | dimensions.SHADOW
    | dimensions.EVENTS
    | dimensions.ORDER
    | dimensions.PREDICTION
)
ALONE = [
    variant for name, alternatives in OPEN.items() for variant in variants.alone(name, alternatives)
]
NOW = next(variant for variant in ALONE if variant.scheduler == {"correction": "now"})
CLEANING = [
    Variant("requested processors", cleaning={"size": "requested"}),
    Variant("runs cut at the estimate", cleaning={"overrun": "cut-run"}),
    Variant("runs may pass the estimate", cleaning={"overrun": "as-is"}),
    Variant("jobs of run time 0 left out", cleaning={"drop": ("zero-run-time",)}),
]
#: What a simulator has together that was written around one kept reservation.
TOGETHER = [
    Variant("kept, one by one", scheduler={"reservation": "kept", "events": "one-by-one"}),
    Variant(
        "kept, only the first, not used up",
        scheduler={"reservation": "kept", "shadow": "first", "extra": "not-used-up"},
    ),
    Variant(
        "kept, expired predictions: now", scheduler={"reservation": "kept", "correction": "now"}
    ),
]
DEFAULT = Variant("default")
READINGS = (DEFAULT, *ALONE, *CLEANING, *TOGETHER)


def name(scheduler):
    """What the paper calls a scheduler; the scheduler itself in words where the paper does not have it."""
    return next((own for own, known in POLICIES.items() if known == scheduler), repr(scheduler))


def concerns(scheduler, reading):
    """Whether a scheduler can tell a reading from the default one."""
    fields = set(reading.scheduler)
    if not fields <= scheduler.options().keys():
        return False
    return not fields & dimensions.PREDICTION.keys() or scheduler.predictor != Request()


def simulated(jobs, scheduler, reading=DEFAULT, seed=1):
    """The validated schedule of some jobs.

    Parameters
    ----------
    jobs : replication.logs.workload.Workload
    scheduler : replication.schedulers.Scheduler
    reading : replication.evidence.variants.Variant
        What the scheduler does not have does not concern it.
    seed : int
    """
    return simulate(jobs, reading.of(scheduler), seed=seed).validate()


def otherwise(log, schedule, first=None):
    """A schedule under each reading but the default that concerns its scheduler.

    Parameters
    ----------
    log : str
    schedule : replication.schedule.schedule.Schedule
    first : int, optional
        How many jobs of the log were taken; all by default.

    Yields
    ------
    replication.evidence.variants.Variant, replication.schedule.schedule.Schedule
        Not those that take the log's own lines where the log is not the archive's.
    """
    for reading in READINGS[1:]:
        if concerns(schedule.scheduler, reading):
            try:
                jobs = variants.jobs(PAPER, {log: schedule.workload}, log, reading, first)
            except variants.NotApplicable:
                continue
            yield reading, simulated(jobs, schedule.scheduler, reading, schedule.seed)
