"""Rules of a scheduler: the choices that distinguish published ones, each with its values.

A rule without a name here is the same for all: it is a sentence of `sentences.md`.
"""

import copy
from dataclasses import dataclass
from functools import lru_cache

from conformance.easy import Easy
from conformance.variants import backfilling, conventions, orders, predictions, reservations
from conformance.variants import schedulers as others

#: The values of each rule, the default first, with the class that follows it where one is needed.
#: Where a class overrides what another calls, its rule is earlier.
CLASSES = {
    "past-estimate": {"now": None, "past": reservations.PastPlans,
        "again": reservations.Again, "never": reservations.NeverEnds},
    "processors": {"counted": None, "named": conventions.NamedProcessors,
        "consecutive": conventions.ConsecutiveProcessors, "busy": conventions.BusyProcessors},
    "search": {"forwards": None, "backwards": others.Backwards},
    "compression": {"all": None, "each": others.ExchangesEach, "none": others.KeepsReservations,
        "queue-order": others.QueueOrder},
    "scheduler": {"easy": None, "fcfs": others.Fcfs, "conservative": others.Conservative,
        "largest-area-first": others.LargestAreaFirst, "pv-easy": None},
    "kills": {"no": None, "yes": conventions.Kills},
    "zero": {"same-instant": None, "a-second-later": conventions.RunsASecond,
        "dropped": conventions.DropsEmptyJobs},
    "listed": {"by-number": None, "as-listed": conventions.AsListed,
        "highest-number": conventions.HighestNumberFirst},
    "waiting-limit": {"none": None, 0: orders.WaitingLimit},
    "order": {"submission": None, "shortest": orders.Shortest,
        "smallest-area": orders.SmallestArea, "wfp3": orders.Wfp3, "f1": orders.F1},
    "passes": {"always": None, "if-fits": conventions.PassesIfFits},
    "heads": {"all": None, "one": backfilling.OneHead},
    "candidates-limit": {"none": None, 1: backfilling.FewCandidates},
    "candidates": {"in-order": None, "shortest": backfilling.ShortestCandidates,
        "smallest": backfilling.SmallestCandidates, "last-first": backfilling.LastCandidates},
    "candidate-length": {"planned": None, "run-time": backfilling.CandidatesByRunTime},
    "strict": {"no": None, "yes": backfilling.Strict},
    "extra": {"used-up": None, "not-used-up": backfilling.ExtraNotUsedUp,
        "always-used-up": backfilling.ExtraAlwaysUsedUp, "one-left": backfilling.OneExtraLeft,
        "none": backfilling.NoExtra, "whatever-fits": backfilling.WhateverFits},
    "shadow": {"all": None, "first": reservations.FirstThatSuffice,
        "first-started": reservations.FirstStarted, "last": reservations.LastEnd,
        "by-limit": reservations.ByLimit, "windows": reservations.Windows},
    "window": {"none": None, 0: reservations.Window},
    "recount": {"no": None, "pass": reservations.Recounted},
    "overdue": {"by-lifetime": None, "extra": reservations.OverdueExtra,
        "nobody": reservations.OverdueNobody},
    "reserved-head": {"starts-when-it-fits": None,
        "waits-for-its-time": reservations.WaitsForItsTime},
    "lifetime": {"recomputed": None, "until-due": reservations.UntilDue,
        "until-start": reservations.UntilStart},
    "reservations": {1: reservations.SeveralReservations},
    "refresh": {"pass": None, "submission": predictions.PredictedAtSubmission},
    "correction": {"estimate": None, "tsafrir": predictions.CorrectedByTsafrir,
        "doubling": predictions.CorrectedByDoubling, "now": predictions.NotCorrected},
    "predictor": {"estimate": None, "clairvoyant": predictions.Clairvoyant,
        "last": predictions.Last, "tsafrir": predictions.Tsafrir,
        "half-run-time": predictions.HalfRunTime, "quarter-run-time": predictions.QuarterRunTime},
    "events": {"together": None, "one-by-one": conventions.OneByOne,
        "by-plan": conventions.ByPlan},
    "ties": {"ends-first": None, "submissions-first": conventions.SubmissionsFirst},
    # Of PV-EASY, which the suite does not simulate:
    "preemption": {"kill": None, "suspend": None, "checkpoint": None},
    "interval": {1800: None, 1: None},
    "cost": {0: None},
    "venture": {"yes": None, "no": None, "easy": None},
}  # fmt: skip
#: Rules with a number, whose least value is last.
NUMBERS = ("waiting-limit", "window", "candidates-limit", "reservations", "interval", "cost")
#: Conventions, which a program follows on purpose, and what is nobody's purpose.
CONVENTIONS = (
    "events", "ties", "passes", "kills", "zero", "listed", "processors", "compression",
)  # fmt: skip
DEFECTS = ("heads", "reserved-head", "candidate-length", "past-estimate")
VALUES = {name: tuple(values) for name, values in CLASSES.items()}
_FIRST = {name: values[0] for name, values in VALUES.items()}


class RuleError(ValueError):
    """A rule that does not exist, or a value that it does not have."""


@dataclass(frozen=True)
class Rules:
    """The rules of one scheduler; `str` gives those that are not the defaults.

    Parameters
    ----------
    chosen : tuple of (str, str or int)
        The rules that differ from the defaults of `VALUES`, sorted by name.
    """

    chosen: tuple = ()

    @classmethod
    def of(cls, values):
        """Return the rules with these values, a mapping by name.

        Raises
        ------
        RuleError
            For an unknown rule or value; the message lists what is allowed.
        """
        allowed = {name: _value(name, value) for name, value in values.items()}
        return cls(tuple(sorted((n, v) for n, v in allowed.items() if v != _FIRST[n])))

    @classmethod
    def parse(cls, assignments):
        """Return the rules of words such as ``events=one-by-one``.

        Raises
        ------
        RuleError
            See `of`; also for a word without ``=``.
        """
        pairs = [word.partition("=") for word in assignments]
        for name, sign, _ in pairs:
            if not sign:
                raise RuleError(f"rule {name!r}; expected NAME=VALUE, such as events=one-by-one")
        return cls.of({name: value for name, _, value in pairs})

    def __getitem__(self, name):
        return dict(self.chosen).get(name, _FIRST[name])

    def __or__(self, other):
        """Return these rules, with those of `other` that are not defaults in their place."""
        return Rules.of({**dict(self.chosen), **dict(other.chosen)})

    def __str__(self):
        return " ".join(f"{name}={value}" for name, value in self.chosen) or "scheduler=easy"


def _value(name, value):
    if name not in VALUES:
        raise RuleError(f"rule {name!r}; expected one of {', '.join(VALUES)}")
    if name in NUMBERS:
        *keywords, least = VALUES[name]
        if value in keywords:
            return value
        if str(value).isdecimal() and int(value) >= least:
            return int(value)
        prefix = "none or " if "none" in keywords else ""
        raise RuleError(f"rule {name}={value}; expected {prefix}a whole number from {least}")
    if value not in VALUES[name]:
        raise RuleError(f"rule {name}={value}; expected one of {', '.join(VALUES[name])}")
    return value


@lru_cache(maxsize=None)
def scheduler(rules):
    """Return the class of the scheduler that follows rules, a subclass of Easy.

    Raises
    ------
    RuleError
        For PV-EASY, which is not simulated here.
    """
    if rules["scheduler"] == "pv-easy":
        raise RuleError("scheduler=pv-easy is not simulated here")
    chosen, kinds, numbers = dict(rules.chosen), [], {}
    for name in CLASSES:
        if name in chosen and name in NUMBERS:
            kinds.append(CLASSES[name][VALUES[name][-1]])
            numbers[name.replace("-", "_")] = chosen[name]
        elif name in chosen:
            kinds.append(CLASSES[name][chosen[name]])
    return type("Scheduler", (*filter(None, kinds), Easy), numbers)


def simulate(jobs, processors, rules):
    """Return the start of each job by its number, s, without those that are dropped.

    Parameters
    ----------
    jobs : list of conformance.easy.Job
    processors : int
    rules : Rules

    Raises
    ------
    RuleError
        If a job is larger than the machine; see also `scheduler`.
    """
    large = next((job.number for job in jobs if job.size > processors), None)
    if large is not None:
        raise RuleError(f"job {large} is larger than the machine of {processors} processors")
    copies = [copy.copy(job) for job in sorted(jobs, key=lambda job: (job.submit, job.number))]
    for job in copies:
        job.start = None
    scheduler(rules)(copies, processors).simulate()
    dropped = rules["zero"] == "dropped"
    return {job.number: job.start for job in copies if job.run_time or not dropped}
