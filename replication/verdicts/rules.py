"""The rules that decide every verdict: pure functions on published numbers and on the cases of
claims.

**Numbers.** Let *d* be the distance |ours - published|; relative distances are d / |published|.
Both numbers are decimals, so boundaries are exact, and a boundary belongs to the better verdict.
The first line that applies decides.

1. *not comparable*: the number was not computed (None or NaN), or a reason was given.
2. In units without ratios (`EXACT_UNITS`: calendar months, ranks, job numbers) equal numbers
   *match*, others *differ*.
3. *match*: equal at the published rounding, d <= half a unit of the last digit printed, or within 1
   %. Where the paper says around or about, the last digit is the last that is not 0: around 20 is
   15 to 25.
4. *close*: within 5 %.
5. *near*: within 20 %; a maximum over jobs: within a factor of the square root of ten.
6. *erratum*: a known misprint is printed, and ours matches the correct number.
7. *differs*: anything else, and any distance from a published 0 beyond its rounding.

A ratio to a baseline is judged by its distance from 1: relative distances are d / |published - 1|,
and a ratio on the other side of 1 differs.

**Claims.** The values of its cases decide a claim. Each value is compared with a threshold, and a
word of ``words.toml`` sets the number of cases that must hold. The verdicts that the intervals of
the cases would also allow are a second result (`other_verdicts`). A claim that compares with a
policy whose own printed numbers are not reproduced is decided under all its simulators that are
near the paper's numbers of each policy that they simulate (`is_near`, `weakest`).
docs/verdicts.md gives the reasons of all rules.
"""

import math
import operator
from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import NamedTuple

from replication.simulator import paths
from replication.simulator.paths import toml
from replication.simulator.writing import rounded
from replication.verdicts.published import EvidenceError, Published, units

MATCH, CLOSE, NEAR, DIFFERS = "match", "close", "near", "differs"
ERRATUM, NOT_COMPARABLE = "erratum", "not comparable"
NUMBER_VERDICTS = MATCH, CLOSE, NEAR, DIFFERS, ERRATUM, NOT_COMPARABLE
LIMITS = {MATCH: Decimal("0.01"), CLOSE: Decimal("0.05"), NEAR: Decimal("0.20")}
FACTOR = Decimal(10).sqrt()  # between two maxima of the same order of magnitude
EXACT_UNITS = frozenset({"yyyymm", "rank", "job number"})
NOT_COMPUTED = "not computed"
ABSOLUTE = "difference is absolute"
FROM_ONE = "difference is a share of the distance from 1"

#: Verdicts on numbers that were compared, and those of them that speak for the paper.
COMPARED, GOOD = NUMBER_VERDICTS[:4], NUMBER_VERDICTS[:3]
#: Verdicts on an item: `OPEN`, reproduced, partly or not; `NOTHING` without numbers and claims.
REPRODUCED, NOTHING = "reproduced", "drawing"

CLAIM_VERDICTS = "holds", "holds in part", "open", "fails", "undecided", "check"
HOLDS, PART, OPEN, FAILS, UNDECIDED, CHECK = CLAIM_VERDICTS
DECIDED = CLAIM_VERDICTS[:4]
SIMULATED, LOG, CHECKED, REPEAT = KINDS = "simulated", "log", CHECK, "repeat"
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
BETWEEN = "between"  # both bounds included
IN_WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", BETWEEN: "from"}
#: The largest per cent in each field of ``words.toml`` that holds one, when it is multiplied.
LARGEST = {"level": math.inf, "at_least": 100, "more_than": math.nextafter(100, 0)}


class Verdict(NamedTuple):
    """The verdict on one number.

    The difference is (ours - published) / |published|, of a ratio to a baseline (ours - published)
    / |published - 1|; ours - published where the denominator is 0 or the unit is one of
    `EXACT_UNITS` (months for ``yyyymm``); NaN where there is no number of ours.
    """

    verdict: str  # one of `NUMBER_VERDICTS`
    reason: str  # why it is not comparable, or what the difference is, if not relative; else empty
    difference: float


def number_verdict(ours, printed: Published, reason: str = "", factors=None) -> Verdict:
    """Return the verdict on our value of a published number, which must be in the published unit.

    Parameters
    ----------
    ours : float or None
        None and NaN are not computed; an infinity differs.
    printed : replication.verdicts.published.Published
    reason : str
        Why the two cannot be compared.
    factors : dict of str to float, optional
        Multiply some of `LIMITS`, as a sensitivity analysis does.

    Raises
    ------
    EvidenceError
        If `ours` is not a number.
    """
    # numpy's bool is no Real; Python's is an int and would count as 0 or 1.
    if ours is not None and (isinstance(ours, bool) or not isinstance(ours, Real)):
        where = f"{printed.item}: {' / '.join(printed.key)}"
        raise EvidenceError(f"{where}: our value {ours!r}, allowed: a number, None or NaN")
    if ours is None or math.isnan(ours):
        return Verdict(NOT_COMPARABLE, reason or NOT_COMPUTED, math.nan)
    number, target = Decimal(str(float(ours))), Decimal(str(printed.value))
    # The denominator of relative differences: of a ratio its distance from 1.
    scale = abs(target - 1 if printed.is_ratio else target)
    if printed.unit == "yyyymm" and number.is_finite():
        difference, kind = float(_months(number) - _months(target)), ABSOLUTE
    elif printed.unit in EXACT_UNITS or scale == 0:
        difference, kind = float(number - target), ABSOLUTE
    else:
        difference = float((number - target) / scale)
        kind = FROM_ONE if printed.is_ratio else ""
    if reason:
        return Verdict(NOT_COMPARABLE, reason, difference)
    return Verdict(_number_word(number, target, scale, printed, factors or {}), kind, difference)


def _months(date):
    """Return the months since year 0 of a calendar month written yyyymm."""
    year, month = divmod(date, 100)
    return 12 * year + month


def _number_word(number, target, scale, printed, factors):
    """Return the verdict on two comparable numbers."""
    exact, distance = printed.unit in EXACT_UNITS, abs(number - target)
    digit = target.normalize().as_tuple().exponent if printed.is_around else -printed.decimals
    if distance <= (0 if exact else Decimal(5).scaleb(digit - 1)):
        return MATCH
    other_side = printed.is_ratio and (number - 1) * (target - 1) <= 0
    # At 0 all limits are 0, so that nothing but the rounding can save a number.
    limits = {} if exact or other_side else LIMITS
    wide = {word: limit * Decimal(factors.get(word, 1)) for word, limit in limits.items()}
    word = next((word for word, limit in wide.items() if distance <= limit * scale), DIFFERS)
    if word == DIFFERS and _is_maximum(printed) and target / FACTOR <= number <= target * FACTOR:
        return NEAR
    if word == MATCH or printed.right is None:
        return word
    beside = abs(number - Decimal(str(printed.right)))
    return ERRATUM if beside <= Decimal(5).scaleb(-printed.decimals - 1) else word


def _is_maximum(printed):
    return printed.measure.startswith("max_")  # of all jobs


def near(printed: Published) -> tuple[float, float]:
    """Return the least and the largest value that is at least *near* a published number above 0."""
    target, part = Decimal(str(printed.value)), LIMITS[NEAR]
    ends = (1 / FACTOR, FACTOR) if _is_maximum(printed) else (1 - part, 1 + part)
    return tuple(float(target * end) for end in ends)


class Case(NamedTuple):
    """One number that a claim speaks of.

    Cases of the same name are parts of one case, which holds if every part does. `low` and `high`
    are the ends of a 95 % interval, None where there is none. Operator, threshold and unit are
    those of the claim's entry unless given; `word_of_size` is the word of ``words.toml`` that the
    threshold depends on.
    """

    case: str
    value: float
    low: float | None = None
    high: float | None = None
    part: str = ""
    operator: str = ""
    threshold: float | tuple[float, float] | None = None
    word_of_size: str = ""
    unit: str = ""

    def row(self) -> dict:
        """Return the case as it is recorded and decided: JSON types, numbers `rounded`, missing
        ones as None, empty fields left out.
        """
        row = {
            name: value
            for name, value in self._asdict().items()
            if value is not None and value != ""
        }
        row |= {name: _finite(row[name]) for name in ("value", "low", "high") if name in row}
        return {name: rounded(value) for name, value in row.items()}


def _finite(value):
    return float(value) if math.isfinite(value) else None


class Answer(NamedTuple):
    """Whether a case holds, and whether every point of its interval gives the same answer."""

    holds: bool
    sure: bool = True

    def __str__(self):
        return f"{'for' if self.holds else 'against'}{'' if self.sure else ', not sure'}"


def words() -> dict:
    """Return the meaning of the papers' words, ``data/published/words.toml``, by kind and word."""
    return toml(paths.DATA / "published" / "words.toml")


def level(word: str, factor: float = 1) -> float:
    """Return the per cent that a word stands for, times a factor: similar admits a tenth, often
    asks for a quarter.
    """
    for kind in words().values():
        if word in kind:
            name = next(name for name in LARGEST if name in kind[word])
            return min(factor * kind[word][name], LARGEST[name])
    raise EvidenceError(f"word {word!r}; expected one of words.toml")


def around(number: float) -> tuple[float, float]:
    """Return the ends of the range that rounds to a number at its last digit other than 0: 15 and
    25 for 20.
    """
    decimal = Decimal(str(number)).normalize()
    half = Decimal(5).scaleb(decimal.as_tuple().exponent - 1)
    return float(decimal - half), float(decimal + half)


def answer(row: Mapping, entry: Mapping, factors: Mapping | None = None) -> Answer:
    """Return the answer of one number of a claim, by its own rule or else by that of the claim's
    entry.

    A missing value does not hold. `factors` multiply the per cent of some words, as a sensitivity
    analysis does.
    """
    sign = _operator(row, entry)
    rule = row if "threshold" in row else entry
    ends = rule["threshold"] if sign == BETWEEN else [rule["threshold"]]
    word = rule.get("word_of_size")
    if word in (factors or {}):
        factor, origin = level(word, factors[word]) / level(word), rule.get("origin", 0)
        ends = [origin + factor * (end - origin) for end in ends]
    checks = []
    for symbol, end in zip((">=", "<=") if sign == BETWEEN else (sign,), ends, strict=True):
        values = [row[name] for name in ("value", "low", "high") if name in row]
        held = [value is not None and bool(OPERATORS[symbol](value, end)) for value in values]
        checks.append(Answer(held[0], len(set(held)) == 1))
    return every(checks)


def check_rule(row: Mapping, entry: Mapping) -> None:
    """Raise EvidenceError if operator, threshold and word of size of a row, or of the claim's entry
    where the row has none, do not fit each other.
    """
    sign = _operator(row, entry)
    threshold = row.get("threshold", entry.get("threshold"))
    ends = [*threshold] if isinstance(threshold, list | tuple) else [threshold]
    number = 2 if sign == BETWEEN else 1
    if len(ends) != number or any(end is None or math.isnan(end) for end in ends):
        raise EvidenceError(f"threshold {threshold}, expected {number} for {sign}")
    if (word := row.get("word_of_size")) and not any(word in kind for kind in words().values()):
        raise EvidenceError(f"word of size {word!r}, expected one of words.toml")


def _operator(row, entry):
    sign = row.get("operator", entry.get("operator"))
    if sign is None:
        raise EvidenceError("no operator")
    if sign not in IN_WORDS:
        raise EvidenceError(f"operator {sign!r}; expected {', '.join(IN_WORDS)}")
    return sign


def every(answers: Iterable[Answer]) -> Answer:
    """Return whether all answers hold; sure if all of them are, or if one that does not hold is."""
    answers = list(answers)
    against = [answer for answer in answers if not answer.holds]
    if against:
        return Answer(False, any(answer.sure for answer in against))
    return Answer(True, all(answer.sure for answer in answers))


def answers(rows: Iterable[Mapping], entry: Mapping, factors=None) -> dict[str, Answer]:
    """Return the answer of each case of a claim by its name."""
    parts = {}
    for row in rows:
        parts.setdefault(row["case"], []).append(answer(row, entry, factors))
    return {case: every(of_parts) for case, of_parts in parts.items()}


def enough(held: int, cases: int, word: str = "always", factor: float = 1) -> bool:
    """Return True if `held` of `cases` are as many as a word of ``words.toml`` requires."""
    strict = "more_than" in words()["how_often"][word]
    return (operator.gt if strict else operator.ge)(100 * held, level(word, factor) * cases)


def claim_verdict(
    answers: Iterable[Answer], word: str = "always", kind: str = SIMULATED, factor: float = 1
) -> str:
    """Return the verdict on a claim from the answers of its cases; `factor` multiplies the per cent
    of its word.
    """
    answers = list(answers)
    held = sum(answer.holds for answer in answers)
    if answers and enough(held, len(answers), word, factor):
        return CHECK if kind == CHECKED else HOLDS
    if word == "always" and 2 * held > len(answers) and kind != CHECKED:
        return PART
    return FAILS if held < len(answers) else UNDECIDED


def other_verdicts(answers: Iterable[Answer], word: str = "always", kind: str = SIMULATED) -> str:
    """Return the other verdicts that the intervals allow, joined by "or"; empty for a
    sure verdict.
    """
    answers = list(answers)
    fallen = (
        [answer if answer.sure else end for answer in answers]
        for end in (Answer(True), Answer(False))
    )
    ends = dict.fromkeys(claim_verdict(decided, word, kind) for decided in fallen)
    return " or ".join(end for end in ends if end != claim_verdict(answers, word, kind))


def is_near(distance: float, factor: float = 1) -> bool:
    """Return whether a mean distance from printed numbers, %, is at most the limit of *near*, times
    a factor.
    """
    return distance <= factor * float(100 * LIMITS[NEAR])


def item_verdict(numbers: Iterable[str], claims: Iterable[str]) -> str:
    """Return the verdict on a table or figure from those on its numbers and its claims.

    The smaller of two shares decides: of the compared numbers that are near or better, and of the
    decided claims that do not fail. From one half on it is partly reproduced.
    """
    near = [word in GOOD for word in numbers if word in COMPARED]
    decided = [word for word in claims if word in DECIDED]
    held = [word != FAILS for word in decided if word != OPEN]
    if not near and not held:
        return OPEN if decided else NOTHING
    share = min(sum(answers) / len(answers) for answers in (near, held) if answers)
    if share == 1 and PART not in decided:
        return REPRODUCED
    return f"partly {REPRODUCED}" if share >= 0.5 else f"not {REPRODUCED}"


def side(verdict: str) -> str:
    """Return *holds* for a claim that holds, if only in part, and the verdict itself otherwise."""
    return HOLDS if verdict == PART else verdict


def weakest(verdicts: Iterable[str]) -> str:
    """Return the verdict on a claim from those under all simulators of its baseline that are near
    the paper's tables: the weakest if all are on one side; *open* if not, or if none is near.
    """
    different = set(verdicts)
    if {side(word) for word in different} not in ({HOLDS}, {FAILS}):
        return OPEN
    return PART if PART in different else different.pop()


def limit_in_words(row: Mapping, entry: Mapping) -> str:
    """Return what a number of a claim is compared with in words, such as ``above 1 %``."""
    sign = row.get("operator", entry.get("operator"))
    threshold = row["threshold"] if "threshold" in row else entry["threshold"]
    ends = threshold if sign == BETWEEN else [threshold]
    numbers = " to ".join(f"{end:.4g}" for end in ends)
    return " ".join(filter(None, (IN_WORDS[sign], numbers, row.get("unit", units(entry)[0]))))


def in_words(entry: Mapping) -> str:
    """Return the rule of a claim's entry in words."""
    if "rule" in entry or "operator" not in entry:
        return entry.get("rule", "")
    size = entry.get("word_of_size", "none").replace("_", " ")
    parts = [limit_in_words({}, entry), f"({size})" if size != "none" else ""]
    often = words()["how_often"][entry.get("word", "always")]["rule"]
    return f"{' '.join(filter(None, parts))}, in {often}"
