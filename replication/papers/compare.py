"""The one rule that decides whether a number of ours agrees with a paper's.

The rule, the same for every number. Let *d* be the distance |ours - published|; relative distances are taken
to the published value, d / |published|. Both numbers are read as the decimals they print as, so that a
boundary means what it says, and every boundary belongs to the better verdict (<=). The first line that
applies decides.

1. *not comparable*, with the reason: one was given (trace not public, version of a log not available, stand-in), or
   the number was not computed (None or NaN).
2. On a unit where a ratio means nothing (`EXACT_UNITS`: calendar months, ranks, job numbers), *match* if
   equal, else *differs*.
3. *match*: equal at the published rounding, d <= half a unit of the last digit printed, or within 1 %.
   Where the paper says around or about, the last digit is the last that is not 0: around 20 is 15 to 25.
4. *close*: within 5 %.
5. *near*: within 20 %.
6. *erratum*: what is printed is a known misprint, and ours matches what should stand there.
7. *differs*: anything else, and any distance from a published 0 beyond its rounding.

A range is one number with two ends. Ours, rounded as the paper's ends are, lies *inside* it, is *overlapping*, or
*outside*.

Units are never converted: numbers in two units are an error.
"""

import math
from decimal import ROUND_HALF_UP, Decimal
from numbers import Real
from typing import NamedTuple

import pandas as pd

from replication.papers import published as published_values
from replication.papers.published import EvidenceError

MATCH, CLOSE, NEAR, DIFFERS = "match", "close", "near", "differs"
INSIDE, OVERLAPPING, OUTSIDE = "inside", "overlapping", "outside"
ERRATUM, NOT_COMPARABLE = "erratum", "not comparable"
VERDICTS = (MATCH, CLOSE, NEAR, DIFFERS, INSIDE, OVERLAPPING, OUTSIDE, ERRATUM, NOT_COMPARABLE)
TO = " to "  # between the ends of a range, as it is recorded
LIMITS = ((MATCH, Decimal("0.01")), (CLOSE, Decimal("0.05")), (NEAR, Decimal("0.20")))
EXACT_UNITS = frozenset({"yyyymm", "rank", "job number"})
NOT_COMPUTED = "not computed"
ABSOLUTE = "difference is absolute"

KEY = ("trace", "policy", "measure")
OURS = (*KEY, "value", "unit")
NUMBERS = ("published", "ours", "difference")
COLUMNS = ("item", *KEY, "unit", "published", "ours", "difference", "verdict", "reason", "source")


class Verdict(NamedTuple):
    """What the rule says of one number.

    The difference is (ours - published) / |published|; ours - published where published is 0 or the unit is one of
    `EXACT_UNITS` (months for ``yyyymm``); NaN where there is no number of ours.
    """

    verdict: str  # one of `VERDICTS`
    reason: str  # why it is not comparable, or that the difference is absolute; else empty
    difference: float


def verdict(ours, published, unit=None, reason=""):
    """Decide on one number by the rule at the head of this module.

    For a range `ours` is its two ends; None and NaN mean that it was not computed, and an infinity
    differs. Without `unit` the caller vouches that it is the published one. `reason` says why the
    two cannot be compared although both may exist. EvidenceError if the units differ or `ours` is
    not a number.
    """
    where = f"{published.item}: {' / '.join(published.key)}"
    if unit is not None and unit != published.unit:
        raise EvidenceError(
            f"{where}: our unit {unit!r}, published unit {published.unit!r}; convert first"
        )
    if published.upper is not None:
        ends = [_decimal(end, where) for end in ours or (None, None)]
        if None in ends or reason:
            return Verdict(NOT_COMPARABLE, reason or NOT_COMPUTED, math.nan)
        return Verdict(_overlap(ends, published), "", math.nan)
    number = _decimal(ours, where)
    if number is None:
        return Verdict(NOT_COMPARABLE, reason or NOT_COMPUTED, math.nan)
    target = Decimal(str(published.value))
    difference, absolute = _difference(number, target, published.unit)
    if reason:
        return Verdict(NOT_COMPARABLE, reason, difference)
    return Verdict(_word(number, target, published), ABSOLUTE if absolute else "", difference)


def table(paper, item, ours, reasons=None):
    """Lay our numbers beside all published numbers of an item, computed or not: a table of
    `COLUMNS` in the order of the published file, in which ours is nan where it was not computed.

    Ours, a table or dicts, have trace, policy, measure, value and unit; further columns are left
    alone. `reasons` say why a number is not comparable, by trace, or by (trace, policy, measure),
    which wins.

    A number of ours that was not published is an EvidenceError, because it is a misspelt name nearly
    every time; so is one that stands there twice, lacks a column or has another unit, and a reason
    for something the paper does not have.
    """
    where, printed = f"{paper}/{item}", published_values.rows(paper, item)
    known, mine = {row.key for row in printed}, {}
    for row in ours.to_dict("records") if hasattr(ours, "to_dict") else ours:
        if missing := [name for name in OURS if name not in row]:
            raise EvidenceError(
                f"{where}: our row lacks {', '.join(missing)}; needed: {', '.join(OURS)}"
            )
        *key, value, unit = (row[name] for name in OURS)
        if tuple(key) in mine:
            raise EvidenceError(f"{where}: {' / '.join(key)} stands twice among our rows")
        if tuple(key) not in known:
            published_values.value(paper, item, **dict(zip(KEY, key, strict=True)))
        mine[*key,] = value, unit
    reasons = reasons or {}
    if wrong := [key for key in reasons if key not in known | {trace for trace, *_ in known}]:
        raise EvidenceError(f"{where}: a reason for {wrong[0]!r}, but nothing is published there")
    if blank := [key for key, reason in reasons.items() if not reason.strip()]:
        raise EvidenceError(
            f"{where}: reason {reasons[blank[0]]!r} for {blank[0]!r}, allowed: some words"
        )
    rows = []
    for row in published_values.joined(printed):
        theirs = [row.value] if row.upper is None else [row.value, row.upper]
        ends = [""] if row.upper is None else ["_min", "_max"]
        keys = [(row.trace, row.policy, row.measure + end) for end in ends]
        values, units = zip(*(mine.get(key, (None, row.unit)) for key in keys), strict=True)
        both = recorded(*theirs), math.nan if None in values else recorded(*values)
        unit, value = " and ".join(dict.fromkeys(units)), values[0] if len(ends) == 1 else values
        reason = reasons.get(row.key, reasons.get(row.trace, ""))
        word, why, difference = verdict(value, row, unit, reason)
        rows.append((item, *row.key, row.unit, *both, difference, word, why, row.source))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def recorded(*ends):
    """A number, or the two ends of a range in words, as it is recorded."""
    ends = [float(end) for end in ends]
    return ends[0] if len(ends) == 1 else TO.join(map(repr, ends))


def read(value):
    """A number, or the two ends of a range, as computed or as `recorded`; nan where nothing is."""
    ends = [float(end) for end in str(value).split(TO) if end] or [math.nan]
    return ends[0] if len(ends) == 1 else tuple(ends)


def records(frame):
    """Return the rows of a `table` for a record: a number, the two ends of a range, or None where there is none."""

    def plain(value):
        value = read(value)
        if isinstance(value, tuple):
            return list(value)
        return value if math.isfinite(value) else None

    rows = frame.to_dict("records")
    return [row | {name: plain(row[name]) for name in NUMBERS} for row in rows]


def _decimal(ours, where):
    """Our number as the decimal it prints as; None where there is none."""
    if ours is None:
        return None
    # numpy's bool is no Real; Python's is an int and would count as 0 or 1.
    if isinstance(ours, bool) or not isinstance(ours, Real):
        raise EvidenceError(f"{where}: our value {ours!r}, allowed: a number, None or NaN")
    return None if math.isnan(ours) else Decimal(str(float(ours)))


def _difference(number, target, unit):
    """Signed difference as a float, and whether it is absolute rather than relative."""
    if unit == "yyyymm" and number.is_finite():
        return float(_months(number) - _months(target)), True
    if unit in EXACT_UNITS or target == 0:
        return float(number - target), True
    return float((number - target) / abs(target)), False


def _months(date):
    """Months since year 0 of a calendar month written yyyymm."""
    year, month = divmod(date, 100)
    return 12 * year + month


def _word(number, target, published):
    """The verdict on two numbers that can be compared."""
    exact, distance = published.unit in EXACT_UNITS, abs(number - target)
    digit = target.normalize().as_tuple().exponent if published.is_around else -published.decimals
    if distance <= (0 if exact else Decimal(5).scaleb(digit - 1)):
        return MATCH
    # At 0 all limits are 0, so that nothing but the rounding can save a number.
    limits = () if exact else LIMITS
    word = next((word for word, limit in limits if distance <= limit * abs(target)), DIFFERS)
    if word == MATCH or published.right is None:
        return word
    beside = abs(number - Decimal(str(published.right)))
    return ERRATUM if beside <= Decimal(5).scaleb(-published.decimals - 1) else word


def _overlap(ends, published):
    """How our range lies to the paper's, both rounded as the paper's ends are."""
    step = Decimal(1).scaleb(-published.decimals)
    low, high = (end.quantize(step, ROUND_HALF_UP) for end in ends)
    least, most = Decimal(str(published.value)), Decimal(str(published.upper))
    if least <= low and high <= most:
        return INSIDE
    return OUTSIDE if high < least or low > most else OVERLAPPING
