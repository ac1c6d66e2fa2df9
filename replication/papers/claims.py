"""Claims of the papers about their own results, decided by rules that are data.

``data/published/<paper>/claims.toml`` holds each claim: the section, our statement of it, the statistic, and the rule. The
rule consists of an operator (`OPERATORS`), a threshold, a unit, and a word for the number of cases that must hold (`enough`).
A plain function of the paper's module ``claims`` returns the cases as numbers. It is named as the claim, with ``_`` for
``-``, and its parameters name the tables that it needs. Where several claims share a statistic, ``cases`` in their entries
names the function and gives its other parameters. A claim whose cases are rows of a table needs no function: its entry has
``select``, a table and the values of its columns.

The values decide. The verdicts that the intervals of the cases would also allow are reported with the verdict
(`otherwise`). ``docs/verdicts.md`` describes the rules in full. Synthetic logs and quick scale decide nothing.
"""

import inspect
import math
import operator
import re
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from replication.papers import published, shown
from replication.papers.published import EvidenceError
from replication.simulator import paths
from replication.simulator.paths import toml

VERDICTS = "holds", "holds in part", "fails", "undecided", "check"
HOLDS, PART, FAILS, UNDECIDED, CHECK = VERDICTS
SIMULATED, LOG, CHECKED = KINDS = "simulated", "log", CHECK
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
BETWEEN = "between"  # both bounds included
#: The fields of ``words.toml`` that hold a per cent.
LEVELS = "level", "at_least", "more_than"
IN_WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", BETWEEN: "from"}
#: A threshold by a word: ``similar`` and ``-similar`` are 10 and -10 per cent, ``1 - similar`` is 0.9, ``2 * similar`` 2.2.
BY_WORD = re.compile(r"(?:(?P<number>[\d.]+) (?P<sign>[-+*/]) |(?P<below>-)?)(?P<word>[a-z_]+)")
COMBINED = {
    "+": lambda number, share: number + share,
    "-": lambda number, share: number - share,
    "*": lambda number, share: number * (1 + share),
    "/": lambda number, share: number / (1 + share),
}


class Answer(NamedTuple):
    """Whether a case holds, and whether every point of its interval gives the same answer."""

    holds: bool
    sure: bool = True


#: The answer of a case as recorded.
ANSWERS = {
    "for": Answer(True),
    "against": Answer(False),
    "for, not sure": Answer(True, False),
    "against, not sure": Answer(False, False),
}
RECORDED = {answer: word for word, answer in ANSWERS.items()}


@dataclass(frozen=True)
class Case:
    """One number that a claim speaks of.

    Cases of the same name are parts of one case, which holds if every part does. `low` and `high` are the ends of a 95 %
    interval, None where there is none. `operator`, `threshold` and `unit` are those of the claim's entry unless given.
    """

    case: str
    value: float
    low: float | None = None
    high: float | None = None
    part: str = ""
    operator: str = ""
    threshold: float | str | tuple[float, float] | None = None
    unit: str = ""

    def row(self) -> dict:
        """Return the case as it is recorded: JSON types, missing numbers as None, empty fields left out."""
        numbers = {"value": _number(self.value)}
        if self.low is not None:
            numbers |= {"low": _number(self.low), "high": _number(self.high)}
        words = {"part": self.part, "unit": self.unit, "operator": self.operator}
        row = {"case": self.case} | numbers | {name: word for name, word in words.items() if word}
        if self.threshold is not None:
            row["threshold"] = self.threshold
        return row


def _number(value):
    value = float(value)
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Decision:
    """A claim with its cases and the verdict on it."""

    claim: str
    entry: Mapping = field(repr=False)
    rows: tuple  # as `Case.row`

    @property
    def answers(self) -> dict[str, Answer]:
        """The answer of each case by its name."""
        parts = {}
        for row in self.rows:
            parts.setdefault(row["case"], []).append(answer(row, self.entry))
        return {case: every(several) for case, several in parts.items()}

    @property
    def _judged(self):
        return list(self.answers.values()), self.entry["word"], self.entry["kind"]

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        return verdict(*self._judged)

    @property
    def otherwise(self) -> str:
        """The other verdicts that the intervals allow."""
        return otherwise(*self._judged)

    @property
    def count(self) -> str:
        """The number of cases that hold, such as ``"3 of 4"``."""
        held = [one.holds for one in self.answers.values()]
        return f"{sum(held)} of {len(held)}" if held else "not decided"

    @property
    def cases(self) -> list[tuple[str, Answer]]:
        """The text and the answer of each case: its name, the value of each part, unit and interval."""
        texts, given = {}, self.answers
        for row in (complete(row, self.entry) for row in self.rows):
            text = " ".join(filter(None, [row["part"], shown.text(row["value"]), row["unit"]]))
            if "low" in row:
                text += f" ({shown.text(row['low'])} to {shown.text(row['high'])})"
            texts.setdefault(row["case"], []).append(text)
        return [(f"{case} {', '.join(several)}", given[case]) for case, several in texts.items()]

    @property
    def numbers(self) -> str:
        """The texts of all cases."""
        return "; ".join(text for text, _ in self.cases)


def words() -> dict:
    """Return the meaning of the papers' words, ``data/published/words.toml``, by kind and word."""
    return toml(paths.DATA / "published" / "words.toml")


def level(word: str) -> float:
    """Return the per cent that a word stands for: similar admits a tenth, often asks for a quarter."""
    entry, field_ = _meaning(word)
    return entry[field_]


def _meaning(word):
    for kind in words().values():
        if word in kind:
            return kind[word], next(name for name in LEVELS if name in kind[word])
    raise EvidenceError(f"word {word!r}; expected one of words.toml")


@contextmanager
def scaled(word: str, factor: float):
    """Multiply the per cent of a word by a factor within a with statement; how often is at most every case."""
    entry, field_ = _meaning(word)
    before = entry[field_]
    most = {"level": math.inf, "at_least": 100, "more_than": math.nextafter(100, 0)}
    entry[field_] = min(factor * before, most[field_])
    try:
        yield
    finally:
        entry[field_] = before


def around(number: float) -> tuple[float, float]:
    """Return the ends of the range that rounds to a number at its last digit other than 0: 15 and 25 for 20."""
    given = Decimal(str(number)).normalize()
    half = Decimal(5).scaleb(given.as_tuple().exponent - 1)
    return float(given - half), float(given + half)


def enough(held: int, cases: int, word: str = "always") -> bool:
    """Return True if `held` of `cases` are as many as a word of ``words.toml`` requires."""
    rule = words()["how_often"][word]
    if "more_than" in rule:
        return 100 * held > rule["more_than"] * cases
    return 100 * held >= rule["at_least"] * cases


def verdict(given: Iterable[Answer], word: str = "always", kind: str = SIMULATED) -> str:
    """Return the verdict on a claim from the answers of its cases."""
    given = list(given)
    held = sum(one.holds for one in given)
    if given and enough(held, len(given), word):
        return CHECK if kind == CHECKED else HOLDS
    if word == "always" and 2 * held > len(given) and kind != CHECKED:
        return PART
    return FAILS if held < len(given) else UNDECIDED


def otherwise(given: Iterable[Answer], word: str = "always", kind: str = SIMULATED) -> str:
    """Return the other verdicts that the intervals allow, joined by "or"; empty for a sure verdict."""
    given = list(given)
    fallen = ([one if one.sure else end for one in given] for end in (Answer(True), Answer(False)))
    ends = dict.fromkeys(verdict(several, word, kind) for several in fallen)
    return " or ".join(end for end in ends if end != verdict(given, word, kind))


def every(given: Iterable[Answer]) -> Answer:
    """Return whether all answers hold; sure if all of them are, or if one that does not hold is."""
    given = list(given)
    against = [one for one in given if not one.holds]
    if against:
        return Answer(False, any(one.sure for one in against))
    return Answer(True, all(one.sure for one in given))


def answer(row: Mapping, entry: Mapping) -> Answer:
    """Return the answer of one recorded number, by its own rule or else by that of the claim's entry.

    A missing value does not hold.
    """
    row = complete(row, entry)
    sign, threshold = row["operator"], row["threshold"]
    if sign == BETWEEN:
        low, high = threshold
        both = {"operator": ">=", "threshold": low}, {"operator": "<=", "threshold": high}
        return every(answer({**row, **one}, entry) for one in both)
    if sign not in OPERATORS:
        raise EvidenceError(
            f"case {row['case']!r}: operator {sign!r}; expected {', '.join([*OPERATORS, BETWEEN])}"
        )

    def holds(value):
        return value is not None and bool(OPERATORS[sign](value, bound(threshold)))

    own = holds(row["value"])
    return Answer(own, all(holds(row[end]) == own for end in ("low", "high") if end in row))


def complete(row: Mapping, entry: Mapping) -> dict:
    """Return a recorded number with the rule and the unit of the claim's entry, unless it has its own."""
    own = {"part": "", "unit": "", "operator": None, "threshold": None}
    return {name: entry.get(name, default) for name, default in own.items()} | dict(row)


def bound(threshold: float | str) -> float:
    """Return a threshold as a number; see `BY_WORD`."""
    if not isinstance(threshold, str):
        return threshold
    parts = BY_WORD.fullmatch(threshold)
    if parts is None:
        raise EvidenceError(f"threshold {threshold!r}; expected a number, or such as 1 - similar")
    if parts["number"]:
        return COMBINED[parts["sign"]](float(parts["number"]), level(parts["word"]) / 100)
    return -level(parts["word"]) if parts["below"] else level(parts["word"])


def entries(paper: str, file: str = "claims.toml") -> dict:
    """Return the claims of a paper by id, with defaults filled in; empty for a paper without the file."""
    defaults = {"word": "always", "kind": SIMULATED, "number": "", "unit": "", "baseline": ""}
    known = {name: defaults | one for name, one in published.entries(paper, file).items()}
    return {name: {"rule": rule(one)} | one for name, one in known.items()}


def rule(entry: Mapping) -> str:
    """Return the rule of an entry in words."""
    if "operator" not in entry:
        return ""
    ends = entry["threshold"] if entry["operator"] == BETWEEN else [entry["threshold"]]
    often = words()["how_often"][entry.get("word", "always")]["rule"]
    numbers = " to ".join(f"{bound(end):.4g}" for end in ends)
    named = {BY_WORD.fullmatch(end)["word"] for end in ends if isinstance(end, str)}
    by = f"({', '.join(named).replace('_', ' ')})" if named else ""
    parts = [IN_WORDS[entry["operator"]], numbers, entry.get("unit", ""), by]
    return f"{' '.join(filter(None, parts))}, in {often}"


def decide(
    paper: str,
    functions: ModuleType | Mapping,
    tables: Mapping,
    only: Iterable[str] | None = None,
    file: str = "claims.toml",
) -> dict[str, Decision]:
    """Decide claims of a paper from tables.

    Parameters
    ----------
    paper : str
        Folder below ``data/published``.
    functions : module or dict
        The functions that return the cases of a claim.
    tables : dict
        The tables by the names that the functions' parameters have.
    only : list of str, optional
        Ids of the claims to decide; all by default.
    file : str
        The file with the entries.

    Raises
    ------
    EvidenceError
        If a claim is unknown, has neither function nor ``select``, needs a table that is missing, or has no case.
    """
    known = entries(paper, file)
    found = {}
    for name in known if only is None else only:
        if name not in known:
            raise EvidenceError(f"{paper}: claim {name!r}; expected one of {', '.join(known)}")
        cases = _cases(paper, name, known[name], functions, tables)
        rows = tuple(case.row() for case in cases)
        if not rows:
            raise EvidenceError(f"{paper}: claim {name!r} has no case")
        found[name] = Decision(name, known[name], rows)
    return found


def function_of(name: str, entry: Mapping, functions: ModuleType | Mapping):
    """Return the function that gives the cases of a claim; EvidenceError if there is none."""
    known = functions if isinstance(functions, Mapping) else vars(functions)
    named = entry.get("cases", {}).get("function", name.replace("-", "_"))
    if named not in known:
        raise EvidenceError(f"claim {name!r} has neither select nor a function {named}")
    return known[named]


def _cases(paper, name, entry, functions, tables):
    if "select" in entry:
        return list(
            select_cases(_table(paper, name, entry["select"]["table"], tables), **entry["select"])
        )
    function = function_of(name, entry, functions)
    given = {key: value for key, value in entry.get("cases", {}).items() if key != "function"}
    parameters = inspect.signature(function).parameters.values()
    needed = [one.name for one in parameters if one.name not in given and one.default is one.empty]
    named = {needed[0]: given.pop("table")} if "table" in given else {}
    found = {one: _table(paper, name, named.get(one, one), tables) for one in needed}
    return list(function(**found, **given))


def _table(paper, name, wanted, tables):
    if wanted not in tables:
        given = ", ".join(tables) or "none"
        raise EvidenceError(f"{paper}: claim {name!r} needs the table {wanted!r}; given: {given}")
    return tables[wanted]


def select_cases(
    frame: pd.DataFrame, table: str = "", value: str | list[str] = "value", **chosen
) -> Iterable[Case]:
    """Yield the cases in the rows of a tidy table that have one of the chosen values in each of some columns.

    A row has columns of names, one or several of values, and low and high if there is an interval. A case has the names of its
    row in all columns of text but ``unit`` and those with a single choice; of several values, also the name of its column.
    """
    del table
    given = {name: [one] if isinstance(one, str) else one for name, one in chosen.items()}
    for column, allowed in given.items():
        frame = frame[frame[column].isin(allowed)]
    single = {name for name, allowed in given.items() if len(allowed) == 1 and name != "log"}
    names = [
        column
        for column in frame
        if not pd.api.types.is_numeric_dtype(frame[column]) and column not in {"unit", *single}
    ]
    values = [value] if isinstance(value, str) else value
    ends = ("low", "high") if "low" in frame else ()
    for row in frame.to_dict("records"):
        for column in values:
            words = [str(row[name]) for name in names]
            words += [column.removesuffix(" [%]")] * (len(values) > 1)
            yield Case(" ".join(words), row[column], *(row[end] for end in ends))


def frame(decisions: Mapping[str, Decision]) -> pd.DataFrame:
    """Return decided claims as a table with a row for each number.

    Columns are claim, verdict, case, part, value, low, high, unit, operator, threshold, answer.
    """
    rows = []
    for name, one in decisions.items():
        given = one.answers
        for row in (complete(row, one.entry) for row in one.rows):
            threshold = row["threshold"]
            several = isinstance(threshold, list | tuple)
            row["threshold"] = (
                " to ".join(str(bound(end)) for end in threshold) if several else bound(threshold)
            )
            own = {"claim": name, "verdict": one.verdict, "answer": RECORDED[given[row["case"]]]}
            rows.append({"low": None, "high": None} | row | own)
    columns = "claim verdict case part value low high unit operator threshold answer".split()
    return pd.DataFrame(rows, columns=columns)


def summary(decisions: Mapping[str, Decision]) -> pd.DataFrame:
    """Return decided claims as a table with a row for each.

    Columns are claim, section, statement, verdict, otherwise, count, numbers, statistic, rule; and baseline (a policy that is
    compared with and is not reproduced) if any claim has one.
    """
    table = pd.DataFrame(
        {
            "claim": name,
            "section": one.entry["section"],
            "statement": one.entry["statement"],
            "verdict": one.verdict,
            "otherwise": one.otherwise,
            "count": one.count,
            "numbers": one.numbers,
            "statistic": one.entry["statistic"],
            "rule": one.entry["rule"],
            "baseline": one.entry.get("baseline", ""),
        }
        for name, one in decisions.items()
    )
    return table if table["baseline"].any() else table.drop(columns="baseline")


def compared(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the verdicts on claims in two sets of decisions.

    Columns are claim, statement, default, the name of the other set (the verdicts), and its numbers.
    """
    rows = [
        {
            "claim": claim,
            "statement": one.entry["statement"],
            "default": default[claim].verdict,
            name: one.verdict,
            "numbers": one.numbers,
        }
        for claim, one in other.items()
    ]
    return pd.DataFrame(rows, columns=["claim", "statement", "default", name, "numbers"])


def changed(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the rows of `compared` with two different verdicts."""
    table = compared(default, other, name)
    return table[table["default"] != table[name]].reset_index(drop=True)


def totals(verdicts: Iterable[str]) -> str:
    """Return the number of claims with each verdict as a sentence of Markdown."""
    verdicts = list(verdicts)
    counts = shown.counts(verdicts, VERDICTS)
    parts = [f"**{number}** {word}" for word, number in counts.items()]
    return f"Of {len(verdicts)} claims: {', '.join(parts)}."
