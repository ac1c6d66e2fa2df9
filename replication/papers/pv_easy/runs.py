"""The paper's policies as schedulers and options, the readings it leaves open, and their simulations."""

import functools
from dataclasses import dataclass, field, replace

from replication.logs import traces
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, PVEasy

# How the paper names a policy, and the scheduler here.
POLICIES = {"EASY": EASY(), "EASY-Last": EASY(predictor="last"), "PV-EASY": PVEasy()}
_EASY_ONLY = ("extra", "shadow", "order")


@dataclass(frozen=True)
class Reading:
    """One way to take what the paper leaves open.

    Parameters
    ----------
    name : str
        In words.
    options : dict
        Of the scheduler; what it does not have does not concern it.
    cleaning : dict
        Of `replication.logs.traces.load`.
    count : dict
        Of the measures.
    """

    name: str
    options: dict = field(default_factory=dict)
    cleaning: dict = field(default_factory=dict)
    count: dict = field(default_factory=dict)


DEFAULT = Reading("default")
NOW = Reading("expired predictions: now", {"correction": "now"})
#: Each reading changed alone, then those that a simulator written around one kept reservation has together.
READINGS = (
    DEFAULT,
    Reading("the reservation is kept", {"reservation": "kept"}),
    Reading("extra processors are not used up", {"extra": "not-used-up"}),
    Reading("only the first jobs that suffice at the shadow time", {"shadow": "first"}),
    Reading("events one by one", {"events": "one-by-one"}),
    Reading("submissions before ends", {"order": "submissions-first"}),
    Reading("predictions made at submission", {"refresh": "submission"}),
    Reading("expired predictions: Tsafrir's steps", {"correction": "tsafrir"}),
    Reading("expired predictions: doubled", {"correction": "doubling"}),
    NOW,
    Reading("requested processors", cleaning={"size": "requested"}),
    Reading("runs cut at the estimate", cleaning={"overrun": "cut-run"}),
    Reading("runs may pass the estimate", cleaning={"overrun": "as-is"}),
    Reading(
        "jobs of run time 0 left out",
        cleaning={"drop": ("no-run-time", "zero-run-time", "not-allocated")},
    ),
    Reading("kept, one by one", {"reservation": "kept", "events": "one-by-one"}),
    Reading(
        "kept, only the first, not used up",
        {"reservation": "kept", "shadow": "first", "extra": "not-used-up"},
    ),
    Reading("kept, expired predictions: now", {"reservation": "kept", "correction": "now"}),
)


@functools.lru_cache(maxsize=64)
def _cleaned(log, paper, cleaning):
    return traces.load(log, paper=paper, stand_in=False, **dict(cleaning))


def workload(page, log, reading=DEFAULT):
    """The workload of a log under a reading; None for a stand-in under a reading of the log's lines.

    At quick scale it is the first jobs, as many as the page has.
    """
    own = page.workloads[log]
    if not reading.cleaning:
        return own
    if own.stand_in:
        return None
    whole = _cleaned(log, page.paper, tuple(sorted(reading.cleaning.items())))
    return whole.take(slice(len(own))) if page.quick else whole


def concerns(policy, reading):
    """Whether a policy can tell a reading from the default one."""
    if policy == "EASY" and {"refresh", "correction"} & reading.options.keys():
        return False
    return policy != "PV-EASY" or not reading.options or not set(reading.options) & set(_EASY_ONLY)


def schedule(page, log, policy, reading=DEFAULT, **options):
    """A log's schedule under a policy and a reading, validated.

    Parameters
    ----------
    page : replication.pages.page.Page
    log, policy : str
    reading : Reading
    **options
        Further options of the scheduler.

    Returns
    -------
    replication.schedule.schedule.Schedule or None
        None where the reading does not apply to a stand-in.
    """
    jobs = workload(page, log, reading)
    return None if jobs is None else simulated(jobs, policy, reading.options, page.seed, **options)


def simulated(jobs, policy, reading, seed=1, **options):
    """The validated schedule of some jobs under a policy.

    Parameters
    ----------
    jobs : replication.logs.workload.Workload
    policy : str
    reading : dict
        Options of schedulers; what the policy's scheduler does not have does not concern it.
    seed : int
    **options
        Further options, which it must have.
    """
    scheduler = POLICIES[policy]
    known = scheduler.options()
    chosen = {option: value for option, value in reading.items() if option in known}
    return simulate(jobs, replace(scheduler, **chosen | options), seed=seed).validate()
