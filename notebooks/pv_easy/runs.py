"""The paper's policies as schedulers, and the interpretations it leaves open."""

from collections.abc import Iterator

import replication as rp
from notebooks import variants
from notebooks.paper_easy import PaperEASY
from notebooks.variants import Variant
from replication.verdicts import published

PAPER = "pv_easy"
# How the paper names a policy, and the scheduler here.
POLICIES = {"EASY": rp.EASY(), "EASY-Last": rp.EASY(predictor=rp.Last()), "PV-EASY": rp.PVEasy()}
#: Each option of the schedulers that the paper leaves open.
ALONE = variants.alone(*variants.open_options(), lasting=True)
NOW = next(variant for variant in ALONE if variant.scheduler == {"correction": "now"})
CLEANING = variants.entered(PAPER, "cleanings")
#: Options that a simulator has together if it was written around one reservation that lasts.
TOGETHER = variants.entered(PAPER, "together")
DEFAULT = Variant("default")
_ENTRIES = published.entries(PAPER, "readings.toml")
#: The forms of EASY's reservation, in the order in which they are shown: fields of EASY, none for
#: the textbook's.
FORMS = {name: entry["scheduler"] for name, entry in _ENTRIES["forms"].items()}
TEXTBOOK, *LASTING = FORMS
#: A form whose plans no prediction outlives, so that corrections change nothing.
UNAGED = "unaged"
#: Simulators of the paper by name: each form with the request as correction of an expired
#: prediction, and with now.
SIMULATORS = {
    f"{form}{words}": Variant(f"{form}{words}", scheduler=correction, easy=fields)
    for form, fields in FORMS.items()
    for words, correction in (("", {}), (", now", NOW.scheduler))
    if not (correction and form == UNAGED)
}
#: Those that the paper's tables allow, by name: they decide the claims on EASY and EASY-Last.
ALLOWED = {name: one for name, one in SIMULATORS.items() if name.startswith("until start")}
READINGS = (DEFAULT, *ALONE, *CLEANING, *TOGETHER, *[SIMULATORS[form] for form in LASTING])
#: How delays and violations are counted for all simulators: keywords of a function of `counts`, by
#: its name.
ALIKE = _ENTRIES["alike"]
#: Measures of the tables in the words of the pictures.
WORDS = published.entries("measures.toml")[PAPER]


def simulated_by(simulator, base=None) -> dict[str, rp.Scheduler]:
    """Return the schedulers of one of `SIMULATORS` by policy; `base` may have policies
    of its own.
    """
    base = POLICIES if base is None else base
    return {name: SIMULATORS[simulator].of(own) for name, own in base.items()}


def name(scheduler) -> str:
    """Return the paper's name of a scheduler, or its repr."""
    return next((own for own, known in POLICIES.items() if known == scheduler), repr(scheduler))


def concerns(scheduler, reading) -> bool:
    """Return whether an interpretation changes anything for a scheduler."""
    fields = reading.scheduler | (
        reading.easy if isinstance(scheduler, rp.EASY | PaperEASY) else {}
    )
    if not fields:
        return not reading.easy
    if not all(variants.takes(scheduler, *one) for one in fields.items()):
        return False
    return not {*fields} & {*variants.PREDICTION} or scheduler.predictor != rp.Request()


def run(jobs, scheduler, reading=DEFAULT, seed=1) -> rp.Schedule:
    """Return the validated schedule of some jobs under an interpretation, as far as it concerns the
    scheduler.
    """
    return rp.simulate(jobs, reading.of(scheduler), seed=seed).validate()


def schedules(workloads, policies, reading=DEFAULT, seed=1) -> dict[str, dict[str, rp.Schedule]]:
    """Return the validated schedules of some policies, schedulers by name, under an interpretation,
    by log and policy.
    """
    return {
        log: {name: run(jobs, one, reading, seed) for name, one in policies.items()}
        for log, jobs in workloads.items()
    }


def otherwise(log, schedule, first=None) -> Iterator[tuple[Variant, rp.Schedule]]:
    """Yield each interpretation but the default that concerns a schedule's scheduler, and the
    schedule under it.

    Cleanings need a log of the archive. `first` is the number of jobs taken from the log; all by
    default.
    """
    for reading in READINGS[1:]:
        if concerns(schedule.scheduler, reading):
            try:
                jobs = variants.jobs(PAPER, {log: schedule.workload}, log, reading, first)
            except variants.NotApplicable:
                continue
            yield reading, run(jobs, schedule.scheduler, reading, schedule.seed)
