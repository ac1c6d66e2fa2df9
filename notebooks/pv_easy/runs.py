"""The paper's policies as schedulers, and the variants of what it leaves open."""

from collections.abc import Iterator

import replication as rp
from notebooks import variants
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
_ENTRIES = published.entries(PAPER, "variants.toml")
#: The textbook, and two simulators of each other lifetime that vote, by name; of the search of
#: `notebooks.pv_easy.baseline`. They are shown, and tried on other machines.
VARIANTS = {
    name: Variant(name, scheduler=entry.get("scheduler", {}), easy=entry.get("easy", {}))
    for name, entry in _ENTRIES["variants"].items()
}
TEXTBOOK = next(iter(VARIANTS))
#: Those in which an expired prediction becomes the estimate: one for each lifetime.
LIFETIMES = [name for name, variant in VARIANTS.items() if not variant.scheduler]
#: All that is tried in place of the default.
TRIED = (DEFAULT, *ALONE, *CLEANING, *TOGETHER, *[VARIANTS[name] for name in LIFETIMES[1:]])
#: Measures of the tables in the words of the pictures.
WORDS = published.entries("measures.toml")[PAPER]


def name(scheduler) -> str:
    """Return the paper's name of a scheduler, or its repr."""
    return next((name for name, policy in POLICIES.items() if policy == scheduler), repr(scheduler))


def concerns(scheduler, variant) -> bool:
    """Return whether a variant changes anything for a scheduler."""
    fields = variant.scheduler | (
        variant.easy if isinstance(scheduler, rp.EASY | rp.PaperEASY) else {}
    )
    if not fields:
        return not variant.easy
    if not all(variants.takes(scheduler, *field) for field in fields.items()):
        return False
    return not {*fields} & {*variants.PREDICTION} or scheduler.predictor != rp.Estimate()


def run(jobs, scheduler, variant=DEFAULT, seed=1) -> rp.Schedule:
    """Return the validated schedule of some jobs under a variant, as far as it concerns the
    scheduler.
    """
    return rp.simulate(jobs, variant.of(scheduler), seed=seed).validate()


def schedules(workloads, policies, variant=DEFAULT, seed=1) -> dict[str, dict[str, rp.Schedule]]:
    """Return the validated schedules of some policies, schedulers by name, under a variant,
    by log and policy.
    """
    return {
        log: {name: run(jobs, policy, variant, seed) for name, policy in policies.items()}
        for log, jobs in workloads.items()
    }


def otherwise(log, schedule, first=None) -> Iterator[tuple[Variant, rp.Schedule]]:
    """Yield each variant but the default that concerns a schedule's scheduler, and the
    schedule under it.

    Cleanings need a log of the archive. `first` is the number of jobs taken from the log; all by
    default.
    """
    for variant in TRIED[1:]:
        if concerns(schedule.scheduler, variant):
            try:
                jobs = variants.jobs(PAPER, {log: schedule.workload}, log, variant, first)
            except variants.NotApplicable:
                continue
            yield variant, run(jobs, schedule.scheduler, variant, schedule.seed)
