"""The rule that compares our numbers with published ones.

The rule is the same for every number. Let *d* be the distance |ours - published|; relative distances are d / |published|.
Both numbers are decimals, so boundaries are exact, and a boundary belongs to the better verdict. The first line that applies
decides.

1. *not comparable*: the number was not computed (None or NaN), or a reason was given.
2. In units without ratios (`EXACT_UNITS`: calendar months, ranks, job numbers) equal numbers *match*, others *differ*.
3. *match*: equal at the published rounding, d <= half a unit of the last digit printed, or within 1 %.
   Where the paper says around or about, the last digit is the last that is not 0: around 20 is 15 to 25.
4. *close*: within 5 %.
5. *near*: within 20 %; a maximum over jobs: within a factor of the square root of ten.
6. *erratum*: a known misprint is printed, and ours matches the correct number.
7. *differs*: anything else, and any distance from a published 0 beyond its rounding.

A ratio to a baseline is judged by its distance from 1: relative distances are d / |published - 1|, and a ratio on the
other side of 1 differs. docs/verdicts.md gives the reasons.

Units are never converted: numbers in two units are an error.
"""

import math
from decimal import Decimal
from numbers import Real
from typing import NamedTuple

import pandas as pd

from replication.papers import published as published_values
from replication.papers.published import EvidenceError

MATCH, CLOSE, NEAR, DIFFERS = "match", "close", "near", "differs"
ERRATUM, NOT_COMPARABLE = "erratum", "not comparable"
VERDICTS = (MATCH, CLOSE, NEAR, DIFFERS, ERRATUM, NOT_COMPARABLE)
LIMITS = ((MATCH, Decimal("0.01")), (CLOSE, Decimal("0.05")), (NEAR, Decimal("0.20")))
FACTOR = Decimal(10).sqrt()  # between two maxima of the same order of magnitude
EXACT_UNITS = frozenset({"yyyymm", "rank", "job number"})
NOT_COMPUTED = "not computed"
ABSOLUTE = "difference is absolute"
FROM_ONE = "difference is a share of the distance from 1"

KEY = ("trace", "policy", "measure")
OURS = (*KEY, "value", "unit")
NUMBERS = ("published", "ours", "difference")
COLUMNS = ("item", *KEY, "unit", "published", "ours", "difference", "verdict", "reason", "source")


class Verdict(NamedTuple):
    """The verdict on one number.

    The difference is (ours - published) / |published|, of a ratio to a baseline (ours - published) / |published - 1|;
    ours - published where the denominator is 0 or the unit is one of `EXACT_UNITS` (months for ``yyyymm``); NaN where
    there is no number of ours.
    """

    verdict: str  # one of `VERDICTS`
    reason: str  # why it is not comparable, or what the difference is, if not relative; else empty
    difference: float


def verdict(ours, published, unit=None, reason="", limits=None):
    """Return the verdict on one number.

    Parameters
    ----------
    ours : float or None
        None and NaN are not computed; an infinity differs.
    published : replication.papers.published.Published
    unit : str, optional
        Unit of `ours`; by default the published one.
    reason : str
        Why the two cannot be compared.
    limits : list of (str, Decimal), optional
        Instead of `LIMITS`.

    Raises
    ------
    EvidenceError
        If the units differ or `ours` is not a number.
    """
    where = f"{published.item}: {' / '.join(published.key)}"
    if unit is not None and unit != published.unit:
        raise EvidenceError(
            f"{where}: our unit {unit!r}, published unit {published.unit!r}; convert first"
        )
    number = _decimal(ours, where)
    if number is None:
        return Verdict(NOT_COMPARABLE, reason or NOT_COMPUTED, math.nan)
    target = Decimal(str(published.value))
    difference, kind = _difference(number, target, published)
    if reason:
        return Verdict(NOT_COMPARABLE, reason, difference)
    return Verdict(_word(number, target, published, limits or LIMITS), kind, difference)


def table(paper, item, ours, reasons=None):
    """Compare all published numbers of an item with ours.

    Parameters
    ----------
    paper, item : str
    ours : pandas.DataFrame or list of dict
        Columns trace, policy, measure, value, unit.
    reasons : dict, optional
        Why numbers are not comparable, by trace or by (trace, policy, measure); the latter takes precedence.

    Returns
    -------
    pandas.DataFrame
        `COLUMNS` in the order of the published file; ours is nan where it was not computed.

    Raises
    ------
    EvidenceError
        If a number of ours is unpublished, repeated, lacks a column or has another unit; if a reason fits no published
        number or is blank.
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
            raise EvidenceError(f"{where}: {' / '.join(key)} is repeated in our rows")
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
    for row in printed:
        value, unit = mine.get(row.key, (None, row.unit))
        reason = reasons.get(row.key, reasons.get(row.trace, ""))
        word, why, difference = verdict(value, row, unit, reason)
        numbers = row.value, math.nan if value is None else float(value), difference
        rows.append((item, *row.key, row.unit, *numbers, word, why, row.source))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def records(frame):
    """Return the rows of a `table` for a record, with None where there is no finite number."""
    rows = frame.to_dict("records")
    numbers = [
        {name: row[name] if math.isfinite(row[name]) else None for name in NUMBERS} for row in rows
    ]
    return [row | some for row, some in zip(rows, numbers, strict=True)]


def _decimal(ours, where):
    """Return our number as a decimal, None if there is none."""
    if ours is None:
        return None
    # numpy's bool is no Real; Python's is an int and would count as 0 or 1.
    if isinstance(ours, bool) or not isinstance(ours, Real):
        raise EvidenceError(f"{where}: our value {ours!r}, allowed: a number, None or NaN")
    return None if math.isnan(ours) else Decimal(str(float(ours)))


def _difference(number, target, published):
    """Return the signed difference, and its kind if it is no share of the published value."""
    if published.unit == "yyyymm" and number.is_finite():
        return float(_months(number) - _months(target)), ABSOLUTE
    scale = _scale(target, published)
    if published.unit in EXACT_UNITS or scale == 0:
        return float(number - target), ABSOLUTE
    return float((number - target) / scale), FROM_ONE if published.is_ratio else ""


def _scale(target, published):
    """Return the denominator of relative differences: of a ratio its distance from 1."""
    return abs(target - 1 if published.is_ratio else target)


def _months(date):
    """Return the months since year 0 of a calendar month written yyyymm."""
    year, month = divmod(date, 100)
    return 12 * year + month


def _word(number, target, published, limits):
    """Return the verdict on two comparable numbers."""
    exact, distance = published.unit in EXACT_UNITS, abs(number - target)
    digit = target.normalize().as_tuple().exponent if published.is_around else -published.decimals
    if distance <= (0 if exact else Decimal(5).scaleb(digit - 1)):
        return MATCH
    other_side = published.is_ratio and (number - 1) * (target - 1) <= 0
    # At 0 all limits are 0, so that nothing but the rounding can save a number.
    limits, scale = () if exact or other_side else limits, _scale(target, published)
    word = next((word for word, limit in limits if distance <= limit * scale), DIFFERS)
    if word == DIFFERS and published.is_maximum and target / FACTOR <= number <= target * FACTOR:
        return NEAR
    if word == MATCH or published.right is None:
        return word
    beside = abs(number - Decimal(str(published.right)))
    return ERRATUM if beside <= Decimal(5).scaleb(-published.decimals - 1) else word
