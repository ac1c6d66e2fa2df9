"""Where the papers contradict themselves, recomputed from the published numbers.

``data/published/contradictions.toml`` says what was found and where it stands. A rule here reads the numbers
as published and gives the cells that do not agree with each other; the entries must account for exactly
these. Rules without arguments go through every number of every paper: what is not listed agrees.
"""

from fractions import Fraction
from itertools import combinations
from math import floor
from operator import ge, gt, le, lt

from replication.papers import published

RELATIONS = {"at least": ge, "at most": le, "above": gt, "below": lt}
SHARES = {"preempted_share": ("preempted", "jobs"), "delayed_of_blocked": ("delayed", "blocked")}
MEANS = {
    "mean_delay": ("max_delay", "delayed"),
    "mean_dtr": ("max_dtr", "violated"),
    "mean_si": ("max_si", "violated"),
}
PARTS = {"delayed": "blocked"} | dict.fromkeys(
    ("blocked", "backfilled", "preempted", "violated"), "jobs"
)
MINUTES = {"h": 60, "min": 1, "1": 1}
RULES = {}


def rule(name):
    """Register a rule under the name that `check` has: it yields the cells at fault. All but `order` need no arguments."""

    def register(function):
        RULES[name] = function
        return function

    return register


def rows():
    """All published numbers."""
    return {
        paper: [row for item in published.items(paper) for row in published.rows(paper, item)]
        for paper in published.papers()
    }


def found(entry, numbers):
    """What the entry's rule finds in the numbers; empty where they agree or the entry has no rule."""
    return [*RULES[entry["check"]](numbers, **entry.get("given", {}))] if "check" in entry else []


def confirmed(entry, numbers):
    """Whether every cell that the entry names is found in the numbers; None where it has no rule."""
    return set(entry["cells"]) <= set(found(entry, numbers)) if "check" in entry else None


# ---- rules that go through everything


@rule("same-number")
def same_number(numbers):
    """A number that stands in several places must be the same, at the coarsest rounding printed."""
    places = {}
    for paper, row, _ in _each(numbers):
        shared = row.policy == "log"
        places.setdefault((None if shared else paper, *row.key), []).append(row)
    for (_, *key), same in places.items():
        coarsest = min(same, key=lambda row: row.decimals)
        if not all(_agree(coarsest, row.value) for row in same):
            yield " ".join(key)


@rule("range")
def ranges(numbers):
    """The ends of a range over all logs are those of the table it speaks of, at the rounding of the text."""
    for paper, row, _ in _each(numbers):
        base, _, end = row.measure.rpartition("_")
        base, pick = (
            (base, {"min": min, "max": max}[end]) if end in ("min", "max") else (row.measure, max)
        )
        column = [
            there.value
            for there in numbers[paper]
            if (there.policy, there.measure) == (row.policy, base) and there.trace != "all"
        ]
        if row.trace == "all" and column and not _agree(row, pick(column)):
            yield _cell(paper, row)


@rule("share")
def shares(numbers):
    """A percentage must be that of the counts it is made of."""
    for paper, row, other in _each(numbers, SHARES):
        part, whole = map(other, SHARES[row.measure])
        if part and whole and whole.value and not _agree(row, 100 * part.value / whole.value):
            yield _cell(paper, row)


@rule("mean")
def means(numbers):
    """A mean lies between the largest value over their number and the largest value."""
    for paper, row, other in _each(numbers, MEANS):
        most, count = map(other, MEANS[row.measure])
        if most and count and count.value:
            largest, mean = (one.value * MINUTES[one.unit] for one in (most, row))
            slack = sum(MINUTES[one.unit] * 10**-one.decimals for one in (most, row))
            if not largest / count.value - slack <= mean <= largest + slack:
                yield _cell(paper, row)


@rule("part")
def parts(numbers):
    """A part is not larger than the whole it is of."""
    for paper, row, other in _each(numbers, PARTS):
        whole = other(PARTS[row.measure])
        if whole and row.value > whole.value:
            yield _cell(paper, row)


@rule("granularity")
def granularity(numbers):
    """A mean of whole numbers is a whole number over their count (the GRIM test)."""
    for paper, row, other in _each(numbers, ["violated_mean_size"]):
        count = other("violated")
        if count and count.value:
            if not _agree(row, round(row.value * count.value) / count.value):
                yield _cell(paper, row)


@rule("load")
def loads(numbers):
    """Without the waste, the load is no more than that submitted, which is the same over any machine size."""
    for paper, row, other in _each(numbers, ["total_load"]):
        submitted, wasted = other("load"), other("wasted_load")
        if submitted and wasted and row.value - wasted.value > submitted.value + 0.01:
            yield _cell(paper, row)
    work = [
        (row.trace, row.value * machine.value)
        for _, row, other in _each(numbers, ["load"])
        if (machine := other("processors"))
    ]
    for paper, row, other in _each(numbers, ["utilization"]):
        machine = other("processors")
        for trace, theirs in work if machine else ():
            if trace == row.trace and not _agree(row, theirs / machine.value):
                yield _cell(paper, row)


@rule("repeats")
def repeats(numbers):
    """Two policies do not share a column over three logs or more, nor a whole row in a log."""
    for paper, entered in numbers.items():
        for item in dict.fromkeys(row.item for row in entered):
            table = {row.key: row.value for row in entered if row.item == item}
            traces, policies, measures = (dict.fromkeys(key[n] for key in table) for n in range(3))
            for one, other in combinations(policies, 2):
                for measure in measures:
                    column, same = (
                        [table.get((trace, policy, measure)) for trace in traces]
                        for policy in (one, other)
                    )
                    if column == same and len(traces) >= 3 and len(set(column)) > 1:
                        yield f"{paper}/{item} {one}={other} {measure}"
                for trace in traces:
                    row, same = (
                        [table.get((trace, policy, measure)) for measure in measures]
                        for policy in (one, other)
                    )
                    if row == same and len(measures) >= 3 and None not in row:
                        yield f"{paper}/{item} {trace} {one}={other}"


@rule("scaled-estimates")
def scaled_estimates(numbers):
    """Estimates are F times those of F = 1, the hole is job 1's less 4, the first job that fits is bold."""
    rows = [row for _, row, _ in _each(numbers) if row.item == "table2"]
    rows = [row for row in rows if row.policy.startswith("F=")]
    printed = {(row.policy, row.measure): row.value for row in rows}
    for row in rows:
        policy, measure = row.policy, row.measure
        if measure.startswith("estimate"):
            factor = Fraction(policy.removeprefix("F="))
            right = _agree(row, float(factor) * printed["F=1", measure])
        elif measure == "hole_length":
            right = row.value == printed[policy, "estimate_j1"] - 4
        else:
            hole = printed[policy, "hole_length"]
            fitting = [job for job in (4, 5, 6) if printed[policy, f"estimate_j{job}"] <= hole]
            right = fitting[:1] == [row.value]
        if not right:
            yield f"{policy} {measure}"


# ---- the rule for a sentence


@rule("order")
def order(numbers, paper, item, policies, measures, relation, against=(), limit=None, of="each"):
    """Cells of some policies that do not stand in a relation of `RELATIONS` to other policies in the same log
    and measure, ``each`` of them or the ``best`` (least), or to a limit.
    """
    table = {row.key: row.value for row in numbers[paper] if row.item == item}
    for (trace, policy, measure), value in table.items():
        if policy in policies and measure in measures:
            keys = [(trace, other, measure) for other in against]
            others = [table[key] for key in keys if key in table]
            others = [min(others)] if of == "best" and others else others
            others += [limit] if limit is not None else []
            if not all(RELATIONS[relation](value, other) for other in others):
                yield f"{trace} {policy} {measure}"


def _each(numbers, measures=None):
    """Rows, of some measures or of all, with a function that finds another measure of the policy or of the log."""
    for paper, entered in numbers.items():
        known = {row.key: row for row in reversed(entered)}
        for row in entered:
            if measures is None or row.measure in measures:

                def other(name, row=row, known=known):
                    return known.get((row.trace, row.policy, name)) or known.get(
                        (row.trace, "log", name)
                    )

                yield paper, row, other


def _cell(paper, row):
    return f"{paper}/{row.item} {' '.join(row.key)}"


def _agree(row, value):
    """Whether a value prints as the row's number; where the text says around, to its leading digit."""
    step = 10.0**-row.decimals
    if "around" in row.source and row.value:
        step = 10.0 ** (len(str(int(row.value))) - 1)
    return floor(value / step + 0.5 + 1e-9) == floor(row.value / step + 0.5 + 1e-9)
