"""Rules of a scheduler: the choices that distinguish published ones, each with its values.

A rule without a name here is the same for all: it is a sentence of `sentences.md`.
"""

from dataclasses import dataclass

#: The values of each rule, the default first; where a number is allowed, its least value is last.
VALUES = {
    "scheduler": ("easy", "fcfs", "conservative", "largest-area-first", "pv-easy", "greedy"),
    "events": ("together", "one-by-one", "by-plan"),
    "ties": ("ends-first", "submissions-first"),
    "passes": ("always", "if-fits"),
    "kills": ("no", "yes"),
    "compression": ("all", "each", "none"),
    "order": ("submission", "shortest", "smallest-area", "wfp3", "f1"),
    "limit": ("none", 0),
    "candidates": ("in-order", "shortest", "smallest", "last-first"),
    "candidates-limit": ("none", 1),
    "reservations": (1,),
    "predictor": ("estimate", "run-time", "last", "tsafrir", "half-run-time", "quarter-run-time"),
    "correction": ("request", "tsafrir", "doubling", "now"),
    "refresh": ("pass", "submission"),
    "lifetime": ("recomputed", "until-due", "until-start"),
    "recount": ("no", "pass"),
    "overdue": ("by-lifetime", "extra", "nobody"),
    "extra": ("used-up", "not-used-up", "always-used-up", "one-left", "none", "whoever-fits"),
    "shadow": ("all", "first", "first-started", "last"),
    "strict": ("no", "yes"),
    "processors": ("counted", "named"),
    "preemption": ("kill", "suspend", "checkpoint"),
    "interval": (1800, 1),
    "cost": (0,),
    "preempted": ("this-pass", "next-event"),
    "venture": ("yes", "no"),
    # What is nobody's rule, and some programs do:
    "zero": ("same-instant", "a-second-later", "dropped"),
    "listed": ("by-number", "as-listed", "highest-number"),
    "heads": ("all", "one"),
    "reserved-head": ("starts-when-it-fits", "waits-for-its-time"),
    "candidate-length": ("planned", "run-time"),
    "head-by": ("planned-end", "limit"),
    "past-estimate": ("now", "past", "never"),
    "holes": ("whole", "covered-before", "start-kept", "start-alone", "a-second-short"),
}
_NUMBERS = ("limit", "candidates-limit", "reservations", "interval", "cost")
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
    def parse(cls, words):
        """Return the rules of words such as ``events=one-by-one``.

        Raises
        ------
        RuleError
            See `of`; also for a word without ``=``.
        """
        pairs = [word.partition("=") for word in words]
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
    if value in VALUES[name][: -1 if name in _NUMBERS else None]:
        return value
    if name in _NUMBERS:
        least = VALUES[name][-1]
        if str(value).isdecimal() and int(value) >= least:
            return int(value)
        words = "none or " if "none" in VALUES[name] else ""
        raise RuleError(f"rule {name}={value}; expected {words}a whole number from {least}")
    raise RuleError(f"rule {name}={value}; expected one of {', '.join(VALUES[name])}")
