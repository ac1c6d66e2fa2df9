"""Rules that leave jobs of a log out, by name, and how a user spells a choice of them."""

import numpy as np

from replication.simulator.choices import among
from replication.simulator.errors import InputError

CANCELLED = 5

#: Rules that drop jobs, by name: the mask of the jobs as a function of (trace, sizes, machine).
DROP_RULES = {
    "no-run-time": lambda t, size, machine: t.run_time < 0,
    "zero-run-time": lambda t, size, machine: t.run_time == 0,
    "no-processors": lambda t, size, machine: size < 1,
    "not-allocated": lambda t, size, machine: t.allocated_processors < 1,
    "cancelled-before-start": lambda t, size, machine: (
        (t.status == CANCELLED) & ((t.run_time < 1) | (t.allocated_processors < 1))
    ),
    "no-estimate": lambda t, size, machine: t.requested_time < 1,
    "larger-than-machine": lambda t, size, machine: size > machine,
}
DEFAULT_DROP = ("no-run-time", "zero-run-time", "no-processors")


class CleaningError(InputError):
    """An unknown rule or an unusable machine; the message says what is allowed."""


def choose(drop=None, keep=(), default=DEFAULT_DROP) -> tuple[str, ...]:
    """Return the rules that leave jobs out, in order.

    Parameters
    ----------
    drop : str with commas or sequence of str, optional
        Rules added to the default ones; an empty one leaves out no job.
    keep : str with commas or sequence of str
        Default rules that do not apply.
    default : sequence of str

    Raises
    ------
    CleaningError
        For an unknown rule, and one in both `drop` and `keep`.
    """
    added, kept = () if drop is None else names(drop), names(keep, "keep")
    if both := {*added} & {*kept}:
        raise CleaningError(f"drop and keep both name {', '.join(sorted(both))}; expected one")
    default = default if drop is None or added else ()
    return tuple(dict.fromkeys((*(rule for rule in default if rule not in kept), *added)))


def spelled(rules) -> dict[str, str]:
    """Return the `drop` and `keep` with which `choose` gives these rules."""
    added = [rule for rule in rules if rule not in DEFAULT_DROP]
    kept = [rule for rule in DEFAULT_DROP if rule not in rules]
    both = {"drop": ",".join(added), "keep": ",".join(kept)}
    return {name: text for name, text in both.items() if text}


def hint(rules) -> str:
    """Return the arguments, and the options of the shell, that apply these rules."""
    both = spelled(rules)
    arguments = ", ".join(f"{name}={text!r}" for name, text in both.items())
    return f"{arguments} ({' '.join(f'--{name} {text}' for name, text in both.items())})"


def names(rules, option="drop") -> list[str]:
    """Return names of rules as a list; raise CleaningError for others."""
    if not np.iterable(rules):
        raise CleaningError(f"{option} {rules!r}; allowed: names of {', '.join(DROP_RULES)}")
    rules = [rule.strip() for rule in (rules.split(",") if isinstance(rules, str) else rules)]
    return [among(DROP_RULES, f"{option} rule", rule, CleaningError) for rule in rules if rule]
