"""Where the papers contradict themselves, recomputed from the published numbers.

``data/published/contradictions.toml`` says what was found and where it stands. A rule here reads the numbers
as published and gives the cells that do not agree with each other; the entries must account for exactly
these. Rules without arguments go through every number of every paper: what is not listed agrees.
"""

from fractions import Fraction
from itertools import combinations
from math import floor

from replication.evidence import published

FIELDS = {"paper", "kind", "what", "first", "second"}
CHECK = {"check", "given", "cells", "erratum"}
RELATIONS = {
    "at least": lambda a, b: a >= b,
    "at most": lambda a, b: a <= b,
    "above": lambda a, b: a > b,
    "below": lambda a, b: a < b,
}
SHARES = {"preempted_share": ("preempted", "jobs"), "delayed_of_blocked": ("delayed", "blocked")}
MEANS = {
    "mean_delay": ("max_delay", "delayed"),
    "mean_dtr": ("max_dtr", "violated"),
    "mean_si": ("max_si", "violated"),
}
PARTS = (
    ("delayed", "blocked"),
    ("blocked", "jobs"),
    ("backfilled", "jobs"),
    ("preempted", "jobs"),
    ("violated", "jobs"),
)
MINUTES = {"h": 60, "min": 1, "1": 1}
RULES = {}


class ContradictionError(ValueError):
    """An entry that is badly made; the message names it, the field and what is allowed."""


def rule(name, general=True):
    """Register a rule under the name that `check` has; a general one needs no arguments."""

    def register(function):
        function.general = general
        RULES[name] = function
        return function

    return register


def read():
    """The entries by id, checked; none where there is no such file."""
    entries = published.entries("contradictions.toml")
    for name, entry in entries.items():
        _valid(name, entry)
    return entries


def _valid(name, entry):
    wrong = sorted(FIELDS - entry.keys() | entry.keys() - FIELDS - CHECK)
    if wrong:
        raise ContradictionError(
            f"{name}: {', '.join(wrong)}, needed: {', '.join(sorted(FIELDS))}, "
            f"allowed besides: {', '.join(sorted(CHECK))}"
        )
    if any(set(entry[side]) != {"quote", "where"} for side in ("first", "second")):
        raise ContradictionError(f"{name}: first and second, needed in each: quote, where")
    if set(entry.get("erratum", {"cell", "right"})) != {"cell", "right"}:
        raise ContradictionError(f"{name}: erratum, needed in it: cell, right")
    if entry.get("check") not in {None, *RULES}:
        raise ContradictionError(
            f"{name}: check {entry['check']!r}, allowed: {', '.join(sorted(RULES))}"
        )


def rows():
    """All published numbers."""
    return {
        paper: [row for item in published.items(paper) for row in published.rows(paper, item)]
        for paper in published.papers()
    }


def found(entry, numbers):
    """What the entry's rule finds in the numbers; empty where they agree or the entry has no rule."""
    return RULES[entry["check"]](numbers, **entry.get("given", {})) if "check" in entry else []


def confirmed(entry, numbers):
    """Whether every cell that the entry names is found in the numbers; None where it has no rule."""
    return set(entry["cells"]) <= set(found(entry, numbers)) if "check" in entry else None


# ---- rules that go through everything


@rule("same-number")
def same_number(numbers):
    """A number that stands in several places must be the same, at the coarsest rounding printed."""
    places = {}
    for paper, entered in numbers.items():
        for row in entered:
            shared = row.policy == "log"
            places.setdefault((None if shared else paper, *row.key), []).append(row)
    coarsest = {key: min(same, key=lambda row: row.decimals) for key, same in places.items()}
    return [
        " ".join(key[1:])
        for key, same in places.items()
        if not all(_agree(coarsest[key], row.value) for row in same)
    ]


@rule("range")
def ranges(numbers):
    """The ends of a range over all logs are those of the table it speaks of, at the rounding of the text."""
    odd = []
    for paper, entered in numbers.items():
        for row in entered:
            base, _, end = row.measure.rpartition("_")
            end = end if end in ("min", "max") else "max"
            base = base if row.measure.endswith(("_min", "_max")) else row.measure
            column = [
                there.value
                for there in entered
                if (there.policy, there.measure) == (row.policy, base) and there.trace != "all"
            ]
            if row.trace != "all" or not column:
                continue
            extreme = min(column) if end == "min" else max(column)
            if not _agree(row, extreme):
                odd.append(f"{paper}/{row.item} {' '.join(row.key)}")
    return odd


@rule("share")
def shares(numbers):
    """A percentage must be that of the counts it is made of."""
    return [
        _cell(paper, row)
        for paper, row, value in _each(numbers, SHARES)
        for part, whole in [[value(name, row) for name in SHARES[row.measure]]]
        if part is not None and whole and not _agree(row, 100 * part / whole)
    ]


@rule("mean")
def means(numbers):
    """A mean lies between the largest value over their number and the largest value."""
    odd = []
    for paper, row, value in _each(numbers, MEANS):
        name, count = MEANS[row.measure][0], value(MEANS[row.measure][1], row)
        if value(name, row) is None or not count:
            continue
        minutes = MINUTES[value(name, row, "unit")]
        slack = (
            minutes * 10 ** -value(name, row, "decimals") + MINUTES[row.unit] * 10**-row.decimals
        )
        largest, mean = value(name, row) * minutes, row.value * MINUTES[row.unit]
        if not largest / count - slack <= mean <= largest + slack:
            odd.append(_cell(paper, row))
    return odd


@rule("part")
def parts(numbers):
    """A part is not larger than the whole it is of."""
    odd = []
    for part, whole in PARTS:
        for paper, row, value in _each(numbers, {part}):
            of = value(whole, row)
            if of is not None and row.value > of:
                odd.append(_cell(paper, row))
    return odd


@rule("granularity")
def granularity(numbers):
    """A mean of whole numbers is a whole number over their count (the GRIM test)."""
    odd = []
    for paper, row, value in _each(numbers, {"violated_mean_size"}):
        count = value("violated", row)
        if count and not _agree(row, round(row.value * count) / count):
            odd.append(_cell(paper, row))
    return odd


@rule("load")
def loads(numbers):
    """Without the waste, the load is no more than that submitted, which is the same over any machine size."""
    odd = []
    for paper, row, value in _each(numbers, {"total_load"}):
        submitted, wasted = value("load", row), value("wasted_load", row)
        if submitted is not None and wasted is not None and row.value - wasted > submitted + 0.01:
            odd.append(_cell(paper, row))
    work = {
        (row.trace, other): row.value * value("processors", row)
        for other, row, value in _each(numbers, {"load"})
        if value("processors", row)
    }
    for paper, row, value in _each(numbers, {"utilization"}):
        mine = value("processors", row)
        odd += [
            _cell(paper, row)
            for (trace, _), theirs in work.items()
            if trace == row.trace and mine and not _agree(row, theirs / mine)
        ]
    return odd


@rule("repeats")
def repeats(numbers):
    """Two policies do not share a column over three logs or more, nor a whole row in a log."""
    odd = []
    for paper, entered in numbers.items():
        for item in dict.fromkeys(row.item for row in entered):
            table = {row.key: row.value for row in entered if row.item == item}
            odd += [f"{paper}/{item} {words}" for words in _repeated(table)]
    return odd


def _repeated(table):
    """Columns and rows that two policies share in a table of values by (trace, policy, measure)."""
    traces, policies, measures = (list(dict.fromkeys(key[n] for key in table)) for n in range(3))
    for one, other in combinations(policies, 2):
        for measure in measures:
            column = [
                [table.get((trace, policy, measure)) for trace in traces] for policy in (one, other)
            ]
            if column[0] == column[1] and len(traces) >= 3 and len(set(column[0])) > 1:
                yield f"{one}={other} {measure}"
        for trace in traces:
            row = [
                [table.get((trace, policy, measure)) for measure in measures]
                for policy in (one, other)
            ]
            if row[0] == row[1] and len(measures) >= 3 and None not in row[0]:
                yield f"{trace} {one}={other}"


@rule("scaled-estimates")
def scaled_estimates(numbers):
    """Estimates are F times those of F = 1, the hole is job 1's less 4, the first job that fits is bold."""
    odd = []
    table = [row for entered in numbers.values() for row in entered if row.policy.startswith("F=")]
    printed = {(row.policy, row.measure): row for row in table if row.item == "table2"}
    for (policy, measure), row in printed.items():
        factor = Fraction(policy.removeprefix("F="))
        if measure.startswith("estimate"):
            right = _agree(row, float(factor) * printed["F=1", measure].value)
        elif measure == "hole_length":
            right = row.value == printed[policy, "estimate_j1"].value - 4
        else:
            hole = printed[policy, "hole_length"].value
            fitting = [j for j in (4, 5, 6) if printed[policy, f"estimate_j{j}"].value <= hole]
            right = fitting[:1] == [row.value]
        if not right:
            odd.append(f"{policy} {measure}")
    return odd


# ---- the rule for a sentence


@rule("order", general=False)
def order(numbers, paper, item, policies, measures, relation, against=(), limit=None, of="each"):
    """Cells of some policies that do not stand in a relation of `RELATIONS` to other policies in the same log
    and measure, ``each`` of them or the ``best`` (least), or to a limit.
    """
    table = {row.key: row.value for row in numbers[paper] if row.item == item}
    odd = []
    for (trace, policy, measure), value in table.items():
        others = [
            table[trace, other, measure] for other in against if (trace, other, measure) in table
        ]
        others = [min(others)] if of == "best" and others else others
        others += [limit] if limit is not None else []
        holds = all(RELATIONS[relation](value, other) for other in others)
        if policy in policies and measure in measures and not holds:
            odd.append(f"{trace} {policy} {measure}")
    return odd


def _each(numbers, measures):
    """Rows of some measures, with a function that finds another measure of the policy or of the log."""
    for paper, entered in numbers.items():
        known = {row.key: row for row in reversed(entered)}

        def value(name, row, field="value", known=known):
            there = known.get((row.trace, row.policy, name)) or known.get((row.trace, "log", name))
            return getattr(there, field) if there else None

        for row in entered:
            if row.measure in measures:
                yield paper, row, value


def _cell(paper, row):
    return f"{paper}/{row.item} {' '.join(row.key)}"


def _agree(row, value):
    """Whether a value prints as the row's number; where the text says around, to its leading digit."""
    step = 10.0**-row.decimals
    if "around" in row.source and row.value:
        step = 10.0 ** (len(str(int(row.value))) - 1)
    return floor(value / step + 0.5 + 1e-9) == floor(row.value / step + 0.5 + 1e-9)
