"""Variants: an interpretation, a cleaning, another log or another load, each in place of the
default.

A search tries all products of alternatives, a sensitivity analysis one variant at a time. Neither
changes a default.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from replication.simulator.drop_rules import spelled
from replication.simulator.logs import registry
from replication.simulator.schedulers import EASY, PaperEASY, Scheduler
from replication.simulator.workload import Workload
from replication.verdicts import published

STAND_IN = "needs the real log"
NO_JOB = ("no-processors", "larger-than-machine")  # jobs that cannot be simulated
#: Options of EASY that papers leave to its textbook, and those of a scheduler with predictions.
TEXTBOOK = ("lifetime", "extra", "strict", "plans", "shadow", "events", "ties")
PREDICTION = ("refresh", "correction")
#: Options that matter to a reservation that lasts alone.
OF_LASTING = ("recount", "overdue")
#: Answers in words, as names of variants have them.
ANSWERS = {"no": False, "yes": True}


class NotApplicable(published.EvidenceError):
    """A variant or a headline that does not apply to a log; the message gives the reason."""


@dataclass(frozen=True)
class Variant:
    """A change of the default; a variant that has only a name is the default itself."""

    name: str
    words: str = ""  # complete "the simulator behaves as if ...", for a search
    # Fields of a scheduler and of its predictor, those that it lacks left out, and fields of EASY
    # alone.
    scheduler: Mapping = field(default_factory=dict)
    easy: Mapping = field(default_factory=dict)
    predictor: Mapping = field(default_factory=dict)
    #: Keywords of `replication.simulator.logs.registry.load`; its rules for dropping jobs are added
    #: to the paper's.
    cleaning: Mapping = field(default_factory=dict)
    count: Mapping = field(default_factory=dict)  # how the paper's package measures and counts
    load: float | None = None  # offered load, reached by multiplying submission times
    log: str = ""  # another log in place of the one it applies to
    logs: tuple = ()  # the logs it applies to; all of a paper's by default

    def of(self, scheduler) -> Scheduler:
        """Return a scheduler in which the variant changes the fields that the scheduler and its
        predictor have.
        """
        if self.predictor and "predictor" in scheduler.options():
            scheduler = replace(scheduler, predictor=_changed(scheduler.predictor, self.predictor))
        options = self.easy if isinstance(scheduler, EASY | PaperEASY) else {}
        return _changed(scheduler, self.scheduler | options)


def takes(choice, name, value) -> bool:
    """Return whether a scheduler or predictor has an option of a name that may have a value, or
    EASY has it as `PaperEASY`.
    """
    return _takes(PaperEASY if isinstance(choice, EASY) else choice, name, value)


def _takes(choice, name, value):
    options = choice.options()
    allowed = options[name].metadata.get("allowed") if name in options else ()
    return value in allowed if isinstance(allowed, tuple) else True


def _changed(choice, fields):
    applicable = {name: value for name, value in fields.items() if takes(choice, name, value)}
    if all(_takes(choice, name, value) for name, value in applicable.items()):
        return replace(choice, **applicable)
    options = {
        name: (getattr(choice, name), option.default) for name, option in choice.options().items()
    }
    changed = {name: value for name, (value, default) in options.items() if value != default}
    return PaperEASY(**changed | applicable)


def alternatives(part, *paper) -> dict[str, tuple[Variant, ...]]:
    """Return the alternatives of each open choice as variants, by dimension, the default first.

    They are entered in ``data/published/variants.toml`` or in that of a paper. A choice other than
    the default changes the field of its dimension in a part of a `Variant`, unless its entry says
    otherwise; ``counting`` changes no simulation.
    """

    def variant(dimension, name, entry, is_default):
        if isinstance(entry, Mapping):
            return _entered(entry | {"name": name})
        changes = not is_default and part != "counting"
        value = ANSWERS.get(name, name)
        return Variant(name, entry, **({part: {dimension: value}} if changes else {}))

    return {
        dimension: tuple(
            variant(dimension, name, entry, k == 0)
            for k, (name, entry) in enumerate(several.items())
        )
        for dimension, several in published.entries(*paper, "variants.toml")[part].items()
    }


def options(*names) -> dict[str, tuple[Variant, ...]]:
    """Return the alternatives of some options of EASY."""
    fields = alternatives("scheduler")
    return {name: fields[name] for name in names}


def open_options() -> list[str]:
    """Return the options of EASY that a paper can leave open: those with words as values."""
    return [name for name, option in PaperEASY.options().items() if _is_open(name, option)]


def _is_open(name, option):
    return isinstance(option.metadata["allowed"], tuple) and name not in (*OF_LASTING, "wild")


def alone(*names, lasting=False) -> list[Variant]:
    """Return a variant for each value but the default of some options of EASY, by the metadata of
    the options.

    If `lasting`, the options that matter only to a reservation that lasts come with each lifetime,
    but for values that are the lifetime's own default.
    """
    variants = []
    for name in names:
        for value in _others(name):
            word = next((word for word, answer in ANSWERS.items() if answer is value), value)
            variants.append(Variant(f"{name}: {word}", scheduler={name: value}))
            if lasting and name == "lifetime":
                variants += [
                    Variant(
                        f"{name}: {value}, {more}: {its_value}",
                        scheduler={name: value},
                        easy={more: its_value},
                    )
                    for more in OF_LASTING
                    for its_value in _others(more)
                    if PaperEASY(**{name: value, more: its_value}).kernel()
                    != PaperEASY(**{name: value}).kernel()
                ]
    return variants


def _others(name):
    option = PaperEASY.options()[name]
    return [value for value in option.metadata["allowed"] if value != option.default]


def in_words(name) -> str:
    """Return the name of a variant of `alone` in the short words of ``variants.toml``, and any
    other as it is.
    """
    names = published.entries("variants.toml").get("map", {})
    parts = [part.partition(": ") for part in name.split(", ")]
    return ", ".join(
        names.get(option, {}).get(value, option + colon + value) for option, colon, value in parts
    )


def entered(paper, kind) -> list[Variant]:
    """Return the variants of one kind that a paper's ``variants.toml`` enters."""
    return [_entered(entry) for entry in published.entries(paper, "variants.toml")[kind]]


def _entered(entry):
    """Return a variant from its entry; lists become tuples."""
    chosen = dict(entry.get("cleaning", {}))
    if "drop" in chosen:
        chosen["drop"] = tuple(chosen["drop"])
    return Variant(**entry | {"logs": tuple(entry.get("logs", ())), "cleaning": chosen})


def jobs(paper, workloads, log, variant, first=None) -> Workload:
    """Return the jobs of a log under a variant, or the first `first` of these jobs.

    `workloads` are the paper's logs under the default. Another log is cleaned by the paper's rules
    and has its header's machine.

    Raises
    ------
    NotApplicable
        If the log itself is needed and is unavailable.
    """
    workload, is_own = workloads.get(log), log in workloads
    if not is_own or variant.cleaning or variant.log:
        if any(log_jobs.stand_in for log_jobs in ([workload] if is_own else workloads.values())):
            raise NotApplicable(STAND_IN)
        try:
            rules = registry.cleaning_of(log if is_own else next(iter(workloads)), paper)
            machine = rules.machine if is_own else None
            chosen = {"size": rules.size, "overrun": rules.overrun, "machine": machine}
            drop = (*rules.drop, *variant.cleaning.get("drop", ()), *NO_JOB)
            chosen |= variant.cleaning | {"drop": None} | spelled(drop)
            workload = _read(variant.log or log, tuple(sorted(chosen.items())))
        except registry.TraceError as reason:
            raise NotApplicable(str(reason)) from None
        workload = workload if first is None else workload.take(slice(first))
    return workload if variant.load is None else workload.scaled(workload.load / variant.load)


@functools.lru_cache(maxsize=16)
def _read(log, chosen):
    return registry.load(log, **dict(chosen))
