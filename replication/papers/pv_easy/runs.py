"""The paper's policies as schedulers and options, the readings it leaves open, and their simulations."""

from dataclasses import replace

from replication.evidence import variants
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.predictors import Last
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, PVEasy

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


def workload(page, log, reading=DEFAULT):
    """The workload of a log under a reading; None for a stand-in under a reading of the log's lines.

    At quick scale it is the first jobs, as many as the page has.
    """
    first = len(page.workloads[log]) if page.quick else None
    try:
        return variants.jobs(page.paper, page.workloads, log, reading, first)
    except variants.NotApplicable:
        return None


def concerns(policy, reading):
    """Whether a policy can tell a reading from the default one."""
    if policy == "EASY" and reading.scheduler.keys() & dimensions.PREDICTION.keys():
        return False
    return policy != "PV-EASY" or not set(reading.scheduler) & set(EASY_ONLY)


def schedule(page, log, policy, reading=DEFAULT, **options):
    """A log's schedule under a policy and a reading, validated.

    Parameters
    ----------
    page : replication.pages.page.Page
    log, policy : str
    reading : replication.evidence.variants.Variant
    **options
        Further options of the scheduler.

    Returns
    -------
    replication.schedule.schedule.Schedule or None
        None where the reading does not apply to a stand-in.
    """
    jobs = workload(page, log, reading)
    return None if jobs is None else simulated(jobs, policy, reading, page.seed, **options)


def simulated(jobs, policy, reading=DEFAULT, seed=1, **options):
    """The validated schedule of some jobs under a policy.

    Parameters
    ----------
    jobs : replication.logs.workload.Workload
    policy : str
    reading : replication.evidence.variants.Variant
        What the policy's scheduler does not have does not concern it.
    seed : int
    **options
        Further options, which it must have.
    """
    scheduler = replace(reading.of(POLICIES[policy]), **options)
    return simulate(jobs, scheduler, seed=seed).validate()
