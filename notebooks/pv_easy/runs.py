"""The paper's policies as schedulers, and the interpretations it leaves open."""

from collections.abc import Iterator
from dataclasses import replace

import replication as rp
from replication.verdicts import published, variants
from replication.verdicts.variants import Variant

PAPER = "pv_easy"
# How the paper names a policy, and the scheduler here.
POLICIES = {"EASY": rp.EASY(), "EASY-Last": rp.EASY(predictor=rp.Last()), "PV-EASY": rp.PVEasy()}
#: Each option of the schedulers that the paper leaves open.
ALONE = variants.alone(*variants.TEXTBOOK, *variants.PREDICTION)
NOW = next(variant for variant in ALONE if variant.scheduler == {"correction": "now"})
CLEANING = variants.entered(PAPER, "cleanings")
#: What a simulator has together that was written around one kept reservation.
TOGETHER = variants.entered(PAPER, "together")
DEFAULT = Variant("default")
READINGS = (DEFAULT, *ALONE, *CLEANING, *TOGETHER)
#: Two simulators of the paper: textbook EASY, and the one reconstructed from its tables (studies/interpretations).
TEXTBOOK, RECONSTRUCTED = variants.SIMULATORS
#: Between the two, one of the changes alone.
HELD = "held, extra processors used up"
NOT_USED_UP = "recomputed, extra processors not used up"
_ENTRY = published.entries(PAPER, "readings.toml")["reconstructed"]
#: Fields of EASY in the reconstructed simulator, and how it counts: keywords of a function of `counts`, by its name.
FIELDS, COUNTED = _ENTRY["scheduler"], _ENTRY["count"]
#: Fields of EASY by simulator.
SIMULATORS = {
    TEXTBOOK: {},
    NOT_USED_UP: {"extra": FIELDS["extra"]},
    HELD: {"reservation": FIELDS["reservation"]},
    RECONSTRUCTED: FIELDS,
}
#: Measures of the tables in the words of the pictures.
WORDS = published.entries("measures.toml")[PAPER]


def simulated_by(simulator, base=None) -> dict[str, rp.Scheduler]:
    """Return the schedulers of one of `SIMULATORS` by policy; `base` may have policies of its own."""
    base = POLICIES if base is None else base
    fields = SIMULATORS[simulator]
    return {
        name: replace(own, **fields) if isinstance(own, rp.EASY) else own
        for name, own in base.items()
    }


def name(scheduler) -> str:
    """Return the paper's name of a scheduler, or its repr."""
    return next((own for own, known in POLICIES.items() if known == scheduler), repr(scheduler))


def concerns(scheduler, reading) -> bool:
    """Return whether an interpretation changes anything for a scheduler."""
    fields = set(reading.scheduler)
    if not fields <= scheduler.options().keys():
        return False
    return not fields & {*variants.PREDICTION} or scheduler.predictor != rp.Request()


def run(jobs, scheduler, reading=DEFAULT, seed=1) -> rp.Schedule:
    """Return the validated schedule of some jobs under an interpretation, as far as it concerns the scheduler."""
    return rp.simulate(jobs, reading.of(scheduler), seed=seed).validate()


def schedules(workloads, policies, reading=DEFAULT, seed=1) -> dict[str, dict[str, rp.Schedule]]:
    """Return the validated schedules of some policies, schedulers by name, under an interpretation, by log and policy."""
    return {
        log: {name: run(jobs, one, reading, seed) for name, one in policies.items()}
        for log, jobs in workloads.items()
    }


def otherwise(log, schedule, first=None) -> Iterator[tuple[Variant, rp.Schedule]]:
    """Yield each interpretation but the default that concerns a schedule's scheduler, and the schedule under it.

    Cleanings need a log of the archive. `first` is the number of jobs taken from the log; all by default.
    """
    for reading in READINGS[1:]:
        if concerns(schedule.scheduler, reading):
            try:
                jobs = variants.jobs(PAPER, {log: schedule.workload}, log, reading, first)
            except variants.NotApplicable:
                continue
            yield reading, run(jobs, schedule.scheduler, reading, schedule.seed)
