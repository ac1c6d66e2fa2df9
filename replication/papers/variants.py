"""One thing done otherwise than by default: a reading, a cleaning, another log, another load.

A search over readings takes all products of alternatives, which are tuples of variants; a study of robustness
takes a list of variants, one at a time. Neither changes a default.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from replication.simulator import traces

DEFAULT, READING, CLEANING, LOG, LOAD = KINDS = ("default", "reading", "cleaning", "log", "load")
LOADS = (0.7, 0.8, 0.9)
STAND_IN = "needs the real log"
NO_JOB = ("no-processors", "larger-than-machine")  # what nothing could simulate


class NotApplicable(Exception):
    """A variant or a headline that says nothing about a log; the message says why."""


@dataclass(frozen=True)
class Variant:
    """One thing done otherwise than by default; with nothing but a name it is the default."""

    name: str  # short: a choice of a search, or a row of a table
    words: str = ""  # complete "the simulator behaves as if ..."; only a search needs them
    # Fields of a scheduler, and of its predictor; those that it lacks do not concern it.
    scheduler: Mapping = field(default_factory=dict)
    predictor: Mapping = field(default_factory=dict)
    #: Keywords of `replication.simulator.traces.load`; what it drops is dropped besides what the paper drops.
    cleaning: Mapping = field(default_factory=dict)
    count: Mapping = field(default_factory=dict)  # how the paper's package measures and counts
    load: float | None = None  # a share of the machine, reached by multiplying submission times
    log: str = ""  # that is read in place of the one it concerns
    logs: tuple = ()  # that it concerns; all of a paper's by default

    @property
    def kind(self):
        """What is changed, one of `KINDS`: a scheduler or a measure before the cleaning, that before the log."""
        if self.load is not None:
            return LOAD
        if self.scheduler or self.predictor or self.count:
            return READING
        return CLEANING if self.cleaning or self.log else LOG if self.logs else DEFAULT

    def of(self, scheduler):
        """A scheduler with the fields changed that it and its predictor have."""
        if self.predictor and "predictor" in scheduler.options():
            scheduler = replace(scheduler, predictor=_changed(scheduler.predictor, self.predictor))
        return _changed(scheduler, self.scheduler)

    def concerns(self, log):
        """Whether it changes anything of a log."""
        return not self.logs or log in self.logs


def _changed(choice, fields):
    """A choice with those of some fields changed that it has."""
    known = choice.options()
    return replace(choice, **{name: value for name, value in fields.items() if name in known})


def together(variants, log=None):
    """Several variants at once, as far as they concern a log; what is said later goes before. Its
    words are those of what is not the default.
    """
    several = [one for one in variants if log is None or one.concerns(log)]
    changed = [one for one in several if one.kind != DEFAULT]

    def merged(name):
        return {key: value for one in changed for key, value in getattr(one, name).items()}

    drop = tuple(dict.fromkeys(rule for one in changed for rule in one.cleaning.get("drop", ())))
    return Variant(
        ", ".join(one.name for one in changed),
        "; ".join(one.words for one in changed),
        merged("scheduler"),
        merged("predictor"),
        merged("cleaning") | ({"drop": drop} if drop else {}),
        merged("count"),
        next((one.load for one in reversed(changed) if one.load is not None), None),
        next((one.log for one in reversed(changed) if one.log), ""),
    )


def alone(dimension, alternatives):
    """Every alternative but the first, which is the default, each named by its dimension."""
    return [replace(one, name=f"{dimension}: {one.name}") for one in alternatives[1:]]


def others(logs):
    """Each log that is none of a paper's `logs`, and other loads on its own. A second version of
    one of its logs is another cleaning and no other log.
    """
    stems = {log.removesuffix("-2") for log in logs}
    strangers = [log for log in traces.names() if not log.endswith("-2") and log not in stems]
    return [
        *(Variant(log, logs=(log,)) for log in strangers),
        *(Variant(f"load {100 * load:.0f} %", load=load) for load in LOADS),
    ]


def jobs(paper, workloads, log, variant, first=None):
    """The jobs of a log under a variant, their first `first` where that is given.

    `workloads` are the paper's logs as they are by default. Another log is cleaned by the paper's
    rules and has its header's machine. NotApplicable if the log itself has to be read and is not to
    be had.
    """
    found, own = workloads.get(log), log in workloads
    if not own or variant.cleaning or variant.log:
        if any(one.stand_in for one in ([found] if own else workloads.values())):
            raise NotApplicable(STAND_IN)
        try:
            rules = traces.rules(log if own else next(iter(workloads)), paper)
            chosen = {
                "size": rules.size,
                "overrun": rules.overrun,
                "machine": rules.machine if own else None,
            } | variant.cleaning
            chosen["drop"] = tuple(
                dict.fromkeys((*rules.drop, *variant.cleaning.get("drop", ()), *NO_JOB))
            )
            found = _read(variant.log or log, tuple(sorted(chosen.items())))
        except traces.TraceError as reason:
            raise NotApplicable(str(reason)) from None
        found = found if first is None else found.take(slice(first))
    return found if variant.load is None else found.scaled(found.load / variant.load)


@functools.lru_cache(maxsize=16)
def _read(log, chosen):
    return traces.load(log, **dict(chosen))
