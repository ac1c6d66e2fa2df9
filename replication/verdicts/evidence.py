"""What papers print and claim, our evidence on it, and the verdicts that follow.

The evidence of a notebook is one table, ``ITEM.evidence.csv``: a row for each of our values of a
printed number, for each part of each case of a claim, and for each value in the summary of its
page. No other file has these values, and none has a verdict but ``figures/verdicts.csv``, which
follows from them by the present rules.
"""

import csv
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from replication.simulator import paths, writing
from replication.verdicts import git, published, rules, shown
from replication.verdicts.published import EvidenceError, Published

KEY = ("trace", "policy", "measure")
#: Columns of evidence. The statement is the id of a claim; item, trace, policy and measure; or
#: `OPENING`.
COLUMNS = (
    "statement variant case part value low high unit operator threshold word_of_size reason".split()
)
#: The statement of the values in the summary of a page; the case is the name of a value.
OPENING = "opening"
#: The statement of the mean distances of the simulators of a baseline from the paper's tables, %;
#: the variant is the name of a simulator, the case a policy that it simulates.
DISTANCE = "distance"
NAME = ("kind", "paper", "item", *KEY)
NOT_DRAWN = "not drawn"
#: In place of the number of cases that are not sure.
NO_INTERVALS = "no intervals"
# Kinds of statements. The first three are counted separately; a check is no finding, and a repeat
# counts where the fact is entered first.
EXAMPLE, REPEAT = "example", rules.REPEAT
COUNTED = rules.LOG, EXAMPLE, rules.SIMULATED
ABOUT = (*COUNTED, rules.CHECK, REPEAT)
NUMBER_WORDS = (*rules.NUMBER_VERDICTS, NOT_DRAWN)
CLAIM_WORDS = (*rules.CLAIM_VERDICTS, NOT_DRAWN)
FACTORS = {"halved": 0.5, "doubled": 2.0}
NUMBERS = ("value", "low", "high")
# "Fig. 4", "Table 2", "Figs. 5 and 6"
NAMED = re.compile(r"(Fig|Table)s?\.? (\d+(?:(?:, | and )\d+)*)")


@dataclass(frozen=True)
class Statement:
    """A statement of a paper with our evidence; the verdict follows from both."""

    paper: str
    id: str
    about: str  # one of `ABOUT`
    rows: tuple = ()  # of evidence, by column, without empty cells
    drawn_by: str = ""  # ``paper/item`` of the notebook that has them
    undecided: str = ""  # why the rows decide nothing, such as quick scale

    only_by: str = ""  # the only notebook whose rows decide it, if it names one

    @property
    def verdict(self) -> str:
        """One of `NUMBER_WORDS` or `CLAIM_WORDS`."""
        return self.under({})

    def check_rows(self) -> None:
        """Raise EvidenceError if a row has another unit than the statement."""


@dataclass(frozen=True)
class Number(Statement):
    """A printed number, and ours."""

    printed: Published = None

    @property
    def name(self) -> tuple:
        """The key among all papers: number, paper, item, trace, policy, measure."""
        return ("number", self.paper, self.printed.item, *self.printed.key)

    @property
    def ours(self) -> float:
        """Our value in the published unit; nan if there is none."""
        value = self.rows[0]["value"] if self.rows else None
        return math.nan if value is None else value

    @property
    def is_computed(self) -> bool:
        """True if there is a value of ours, or a reason for none."""
        return self.decided().reason != rules.NOT_COMPUTED

    def check_rows(self) -> None:
        """Raise EvidenceError if the row has another unit than the paper prints."""
        if (unit := self.rows[0].get("unit")) != self.printed.unit:
            raise EvidenceError(
                f"{self.drawn_by}: {self.id} in {unit}, published in {self.printed.unit}; "
                "run the notebook again"
            )

    @property
    def words(self) -> str:
        """Words in place of our value, where that is the end of a range."""
        return self.rows[0].get("part", "") if self.rows else ""

    def decided(self, factors: Mapping | None = None) -> rules.Verdict:
        """Return verdict, reason and difference; `factors` multiply some of `rules.LIMITS`."""
        if not self.rows:
            return rules.Verdict(NOT_DRAWN, "", math.nan)
        reason = self.rows[0].get("reason", self.undecided)
        return rules.number_verdict(self.ours, self.printed, reason, factors)

    def under(self, factors: Mapping) -> str:
        """Return the verdict with some of `rules.LIMITS` multiplied by a factor each."""
        return self.decided(factors).verdict

    def shown(self) -> dict:
        """Return a row for readers: published and ours as text, and a remark, reason and source."""
        printed, decided = self.printed, self.decided()
        difference = math.nan if self.words else decided.difference
        return {
            **dict(zip(KEY, printed.key, strict=True)),
            "unit": printed.unit,
            "published": shown.printed(printed),
            "ours": self.words or shown.ours(self.ours, printed.unit),
            "difference": shown.difference(difference, decided.reason),
            "verdict": decided.verdict,
            "remark": "; ".join(filter(None, (decided.reason, printed.source))),
        }


@dataclass(frozen=True)
class Claim(Statement):
    """A claim of a paper about its own results, with its cases.

    If the claim has a ``baseline``, the rows under each simulator of it that is near the paper's
    tables decide, and those of the default, without a variant, do not.
    """

    entry: Mapping = field(default_factory=dict, repr=False)
    # Mean distances from the numbers of each policy, %, by variant and policy.
    distances: Mapping = field(default_factory=dict, repr=False)

    @property
    def name(self) -> tuple:
        """The key among all papers, of the same length as that of a number."""
        return ("claim", self.paper, self.id, "", "", "")

    def check_rows(self) -> None:
        """Raise EvidenceError if a row has a unit that the entry does not name or a rule that
        cannot be applied, or if a simulator that votes lacks a case of the default.
        """
        cases = {row["case"] for row in self.default}
        voters = [(name, claim.rows) for name, claim in self.under_variants.items()]
        voters += [
            (name, ())
            for name in self.distances
            if self._is_near(name) and name not in dict(voters)
        ]
        for name, rows in voters:
            if lost := cases.symmetric_difference(row["case"] for row in rows):
                raise EvidenceError(
                    f"{self.drawn_by}: {self.id}, {name}: {sorted(lost)[0]} is a case of the "
                    "default or of this simulator alone, expected of both"
                )
        allowed = published.units(self.entry)
        for row in self.rows:
            try:
                if (unit := row.get("unit", "")) not in allowed:
                    units = " or ".join(name or "none" for name in allowed)
                    raise EvidenceError(f"unit {unit or 'none'}, expected {units}")
                rules.check_rule(row, self.entry)
            except EvidenceError as reason:
                where = " ".join(filter(None, [row.get("variant", ""), row["case"]]))
                raise EvidenceError(f"{self.drawn_by}: {self.id}, {where}: {reason}") from None

    @property
    def default(self) -> list:
        """The rows without a variant."""
        return [row for row in self.rows if "variant" not in row]

    @property
    def under_variants(self) -> dict[str, "Claim"]:
        """The claim under each simulator of its baseline, by name."""
        groups = {}
        for row in self.rows:
            if "variant" in row:
                plain = {name: cell for name, cell in row.items() if name != "variant"}
                groups.setdefault(row["variant"], []).append(plain)
        entry = {**self.entry, "baseline": ""}
        return {name: replace(self, entry=entry, rows=tuple(rows)) for name, rows in groups.items()}

    def near(self, factor: float = 1) -> list["Claim"]:
        """Return the claim under each simulator of its baseline that is near the paper's numbers of
        each policy that it simulates; `factor` multiplies the limit.
        """
        return [claim for name, claim in self.under_variants.items() if self._is_near(name, factor)]

    def _is_near(self, name, factor=1):
        """Return whether a simulator is one of the policies of the baseline, and near all."""
        distances = self.distances.get(name, {})
        return distances.keys() == {*published.policies(self.entry)} and all(
            rules.is_near(distance, factor) for distance in distances.values()
        )

    @property
    def answers(self) -> dict[str, rules.Answer]:
        """The `replication.verdicts.rules.Answer` of each case by its name; of a claim with a
        baseline under the default.
        """
        return rules.answers(self.default, self.entry)

    def under(self, factors) -> str:
        """Return the verdict if the per cent of some words of ``words.toml`` are multiplied by a
        factor each.
        """
        if self.undecided or not self.rows:
            return rules.UNDECIDED if self.rows else NOT_DRAWN
        if self.entry.get("baseline"):
            near = self.near(factors.get(rules.NEAR, 1))
            return rules.weakest(claim.under(factors) for claim in near)
        word, by = self._by_default(factors), self.entry.get("decided_by")
        is_undecided = (
            (by == "band" and self.otherwise)
            or (by == "range" and word != rules.HOLDS)
            or (by == "words" and len({self._by_default(moved) for moved in self._moved()}) > 1)
        )
        return rules.UNDECIDED if is_undecided else word

    def _by_default(self, factors):
        """Return the verdict of the rows without a variant."""
        answers = rules.answers(self.default, self.entry, factors).values()
        often = self.entry["word"]
        return rules.claim_verdict(answers, often, self.about, factors.get(often, 1))

    def _moved(self):
        """Return the factors of the word of its size in a sensitivity analysis, and 1."""
        return [{self.entry["word_of_size"]: factor} for factor in (1, *FACTORS.values())]

    @property
    def otherwise(self) -> str:
        """The other verdicts that the intervals of its cases allow; empty if there are none, and
        for a claim with a baseline, which the simulators of this decide.
        """
        if self.undecided or self.entry.get("baseline"):
            return ""
        return rules.other_verdicts(self.answers.values(), self.entry["word"], self.about)

    @property
    def deciding(self) -> list["Claim"]:
        """The claim under each simulator that decides it: the near ones of a baseline, or the
        default where there is none.
        """
        return (self.near() if self.entry.get("baseline") else []) or [self]

    @property
    def count(self) -> str:
        """The number of cases that hold, such as ``"3 of 4"``, or from fewest to most under the
        simulators that decide, ``"2 to 3 of 4"``; 0 of 0 where none is decided.
        """
        return _count(self.deciding)

    @property
    def unsure(self) -> str:
        """The number of cases whose interval allows the other answer, from fewest to most under the
        simulators that decide; `NO_INTERVALS` where no case has one.
        """
        deciding = [claim for claim in self.deciding if any("low" in row for row in claim.default)]
        several = [sum(not answer.sure for answer in claim.answers.values()) for claim in deciding]
        return _ends(several) if several else NO_INTERVALS

    @property
    def textbook(self) -> str:
        """The number of cases that hold under the default."""
        return _count([self])

    @property
    def voters(self) -> str:
        """The number of simulators of a baseline that decide by the number of cases that hold,
        ``"6 of 6 cases under 14 simulators, 5 under 2"``; empty where none is near.
        """
        held = Counter(_held(claim) for claim in self.near())
        (most, times), *fewer = sorted(held.items(), reverse=True) or [(0, 0)]
        parts = [f"{most} of {len(self.answers)} cases under {times} simulator{'s' * (times > 1)}"]
        parts += [f"{number} under {of}" for number, of in fewer]
        return ", ".join(parts) if held else ""

    @property
    def counts(self) -> str:
        """The numbers of cases that hold under the simulators of a baseline that decide, under all
        tried where these differ, and under the default.
        """
        near, tried = self.near(), [*self.under_variants.values()]
        parts = [f"near the tables: {self.voters or 'none'}"]
        if tried and not (near and _count(near) == _count(tried)):
            parts.append(f"all {len(tried)} tried: {_count(tried)}")
        return "; ".join([*parts, f"default: {self.textbook}"])

    @property
    def rule(self) -> str:
        """The rule in words."""
        return rules.in_words(self.entry)

    @property
    def numbers(self) -> str:
        """The texts of all cases."""
        return "; ".join(text for text, _ in self.cases)

    @property
    def cases(self) -> list[tuple[str, str]]:
        """The text of each case (its name, the value of each part, unit and interval) and its
        answer in words.

        Of a claim with a baseline, the least and the largest value under the simulators that
        decide, and the number of those for it.
        """
        if self.entry.get("baseline") and self.near():
            return _cases_of_several(self.near())
        texts = {}
        for row in self.default:
            cells = row.get("part", ""), shown.text(row["value"]), row.get("unit", "")
            text = " ".join(filter(None, cells))
            if "low" in row:
                text += f" ({shown.text(row['low'])} to {shown.text(row['high'])})"
            # Of several parts a reader cannot see which one decides.
            if "part" in row and not rules.answer(row, self.entry).holds:
                text += f", not {rules.limit_in_words(row, self.entry)}"
            texts.setdefault(row["case"], []).append(text)
        answers = self.answers
        return [(f"{case} {', '.join(all_)}", str(answers[case])) for case, all_ in texts.items()]

    @property
    def items(self) -> set[str]:
        """The tables and figures that its section names, such as fig5 and table2."""
        return {
            f"{word.lower()}{number}"
            for word, numbers in NAMED.findall(self.entry["section"])
            for number in re.findall(r"\d+", numbers)
        }

    def shown(self, with_verdict=True) -> dict:
        """Return a row for readers; without a verdict with the answer of each case."""
        row = {name: self.entry[name] for name in ("section", "statement")}
        if with_verdict:
            row |= {"verdict": self.verdict, "otherwise": self.otherwise}
            row |= {"count": self.count, "numbers": self.numbers}
        else:
            cases = "; ".join(": ".join(case) for case in self.cases)
            row |= {"count": self.count, "numbers": cases}
        row |= {"statistic": self.entry.get("statistic", ""), "rule": self.rule}
        if self.entry["baseline"]:
            row |= {"baseline": self.entry["baseline"]}
            row |= {"counts": self.counts} if with_verdict else {}
        return row


def _count(claims):
    """Return the cases that hold, from fewest to most."""
    return f"{_ends([_held(claim) for claim in claims])} of {len(claims[0].answers)}"


def _held(claim):
    return sum(answer.holds for answer in claim.answers.values())


def _ends(counts):
    """Return the smallest and the largest of some counts, or the only one."""
    return " to ".join(map(str, dict.fromkeys([min(counts), max(counts)])))


def _cases_of_several(claims):
    values, held = {}, {}
    for claim in claims:
        for row in claim.rows:
            parts = values.setdefault(row["case"], {})
            key = row.get("part", ""), row.get("unit", "")
            value = row.get("value")
            parts.setdefault(key, []).append(math.nan if value is None else value)
        for case, answer in claim.answers.items():
            held[case] = held.get(case, 0) + answer.holds
    cases = []
    for case, parts in values.items():
        texts = []
        for (part, unit), several in parts.items():
            ends = dict.fromkeys(shown.text(end) for end in (min(several), max(several)))
            texts.append(" ".join(filter(None, (part, " to ".join(ends), unit))))
        cases.append((f"{case} {', '.join(texts)}", f"for in {held[case]} of {len(claims)}"))
    return cases


# ---- the statements of a paper, and the rows of notebooks


def statements(paper: str, items: Iterable = ()) -> list[Statement]:
    """Return all that a paper prints and claims, with the evidence of some items.

    A claim that names its ``notebook`` has only the rows of that one.

    Raises
    ------
    EvidenceError
        If two items have different rows of a statement.
    """
    by_id = {statement.id: statement for statement in (*_printed(paper), *claims(paper))}
    for item in items:
        undecided = "" if item.kind == "paper" else f"{item.kind} results"
        for name, rows in item.evidence.items():
            before = by_id.get(name)
            if before is None or before.only_by not in ("", item.name):
                continue
            now = replace(_with_rows(before, rows, item), undecided=undecided)
            by_id[name] = _agreed(before, now) if before.rows else now
    return list(by_id.values())


def _with_rows(statement, rows, item):
    """Return a statement with its rows of an item, and the distances of the simulators there."""
    if isinstance(statement, Claim) and statement.entry["baseline"]:
        away = distances(item.evidence.get(DISTANCE, ()))
        statement = replace(statement, distances=away)
    return replace(statement, rows=rows, drawn_by=item.name)


def check(item, every: Iterable[Statement]) -> None:
    """Raise EvidenceError if an item has rows of a statement that no paper makes, or rows that do
    not fit their statement.

    Parameters
    ----------
    item : replication.report.results.Item
    every : iterable of Statement
        All statements of all papers, without evidence.
    """
    by_id = {}
    for statement in every:
        by_id.setdefault(statement.id, []).append(statement)
    for name, rows in item.evidence.items():
        if name not in (OPENING, DISTANCE, *by_id):
            raise EvidenceError(f"{item.name}: rows of {name!r}, which no paper states")
        for statement in by_id.get(name, ()):
            if item.name == statement.only_by or item.name.startswith(f"{statement.paper}/"):
                _with_rows(statement, rows, item).check_rows()


def distances(rows: Iterable[Mapping]) -> dict[str, dict[str, float]]:
    """Return the distances in rows of evidence by variant and policy."""
    by_variant = {}
    for row in rows:
        value = math.nan if row["value"] is None else row["value"]
        by_variant.setdefault(row["variant"], {})[row["case"]] = value
    return by_variant


def _agreed(before, now):
    """Return the first of the statements of two notebooks, which have the same rows."""
    pairs = itertools.zip_longest(before.rows, now.rows, fillvalue={})
    unlike = next((pair for pair in pairs if not _same(*pair)), None)
    if unlike:
        rows = " and ".join(str(row or "no such row") for row in unlike)
        raise EvidenceError(
            f"{before.paper}: {before.id!r}: {rows} by {before.drawn_by} and {now.drawn_by}; "
            "run both notebooks again"
        )
    return before


def _same(before, now):
    """Return whether two rows are equal, but for the order in which numbers were added."""
    return before.keys() == now.keys() and all(
        math.isclose(before[name], now[name] or 0, rel_tol=1e-8)
        if isinstance(before[name], float)
        else before[name] == now[name]
        for name in before
    )


def claims(paper: str) -> list[Claim]:
    """Return the claims of a paper without evidence."""
    return [
        Claim(paper, name, entry["kind"], only_by=entry["notebook"], entry=entry)
        for name, entry in published.claims_of(paper).items()
    ]


def _printed(paper):
    names = published.items(paper) if paper in published.registered() else []
    rows = [row for name in names for row in published.rows(paper, name)]
    return [
        Number(paper, " ".join((row.item, *row.key)), about, printed=row)
        for row, about in zip(rows, abouts(rows), strict=True)
    ]


def abouts(rows: Iterable[Published]) -> list[str]:
    """Return the kind of each printed number of a paper, such that each fact counts once.

    A number is a repeat if other entries imply it, if another item of the paper has the same trace,
    policy and measure, or, of a number for all logs, if the paper has the measure for each log.
    Text repeats tables, and later tables earlier ones.
    """
    seen, kinds = set(), {}
    by_log = {(row.policy, row.measure) for row in rows if row.trace != "all"}
    for row in sorted(rows, key=lambda row: row.item == "text"):
        measure = re.sub("_(min|max)$", "", row.measure)
        whole = row.trace == "all" and (row.policy, measure) in by_log
        kind = rules.LOG if row.policy == "log" else rules.SIMULATED
        kind = EXAMPLE if row.trace.startswith("fig") else kind
        kinds[row] = REPEAT if "derived" in row.source or row.key in seen or whole else kind
        seen.add(row.key)
    return [kinds[row] for row in rows]


def table(rows: Iterable[Mapping]) -> bytes:
    """Return rows of evidence as CSV; a missing value is ``nan``."""
    cells = [
        {
            name: "nan" if name in row and row[name] is None else row.get(name, "")
            for name in COLUMNS
        }
        for row in rows
    ]
    for row in cells:
        if isinstance(row["threshold"], list | tuple):
            row["threshold"] = " to ".join(map(str, row["threshold"]))
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(cells)
    return out.getvalue().encode()


def read(path: Path) -> dict[str, tuple]:
    """Return the rows of a file of evidence by statement; none without the file.

    Raises
    ------
    EvidenceError
        If the file has other columns, or a row is no evidence.
    """
    by_statement = {}
    for line, cells in enumerate(read_csv(path) if path.exists() else (), start=2):
        try:
            by_statement.setdefault(cells["statement"], []).append(_row(cells))
        except (KeyError, TypeError, ValueError) as error:
            expected = f"expected {', '.join(COLUMNS)}, and numbers as value, low, high, threshold"
            reason = error if isinstance(error, EvidenceError) else expected
            row = ", ".join(map(str, cells.values()))
            raise EvidenceError(f"{path} line {line}: {row}; {reason}") from None
    return {name: tuple(rows) for name, rows in by_statement.items()}


def _row(cells):
    """Return a line of evidence without its statement and without empty cells."""
    fields = len(cells) + len(cells.pop(None, [None])) - 1 - [*cells.values()].count(None)
    if fields != len(COLUMNS):
        raise EvidenceError(f"{fields} fields, expected {len(COLUMNS)}")
    row = {name: cells[name] for name in COLUMNS[1:] if cells[name]}
    row |= {name: _number(row[name]) for name in NUMBERS if name in row}
    if "threshold" in row:
        ends = [float(end) for end in row["threshold"].split(" to ")]
        row["threshold"] = ends if len(ends) > 1 else ends[0]
    _check_row(cells["statement"], row)
    return row


def _check_row(statement, row):
    """Raise EvidenceError for values that do not go together."""
    value, ends = row.get("value"), [row[end] for end in ("low", "high") if end in row]
    if statement != OPENING and "value" not in row:
        raise EvidenceError("no value")
    if statement == DISTANCE and not (value is None or value >= 0):
        raise EvidenceError(f"a distance of {value:g}, expected at least 0")
    if len(ends) == 1 or (ends and None not in ends and ends[0] > ends[1]):
        raise EvidenceError("expected both ends of an interval or none, and low <= high")
    # The id of a printed number has several words.
    if "case" not in row and " " not in statement:
        raise EvidenceError("no case")


def _number(cell):
    number = float(cell)
    return None if math.isnan(number) else number


def read_csv(path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as dicts of text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- all verdicts, and their changes


def files(statements: Iterable[Statement]) -> dict[Path, bytes]:
    """Return the files that follow from all statements: their verdicts, and the sensitivity."""
    rows = [[*statement.name, statement.about, statement.verdict] for statement in statements]
    verdicts = pd.DataFrame(rows, columns=[*NAME, "about", "verdict"])
    return {
        paths.FIGURES / "verdicts.csv": writing.frame_csv(verdicts),
        paths.FIGURES / "sensitivity.csv": writing.frame_csv(sensitivity(statements)),
    }


def changes(statements: Iterable[Statement]) -> tuple[list[tuple], str]:
    """Return the verdicts that differ from those of the last commit, or of the file where git gives
    none, each as (name, before, now); and the source.
    """
    path = paths.FIGURES / "verdicts.csv"
    text, source = git.committed(path), "the last commit" if git.head() else "the file on disk"
    if text is None and path.exists():
        text, source = path.read_text(encoding="utf-8"), "the file, which is not committed"
    if text is None:
        raise EvidenceError(f"{path}: no such file; a complete report writes it (make figures)")
    lines = csv.DictReader(io.StringIO(text))
    before = {tuple(row.get(name) for name in NAME): row.get("verdict") for row in lines}
    now = {statement.name: statement.verdict for statement in statements}
    pairs = [(name, before.get(name), now.get(name)) for name in [*now, *(before.keys() - now)]]
    return [pair for pair in pairs if pair[1] != pair[2]], source


def count(statements, verdicts, about=ABOUT) -> dict[str, int]:
    """Return the number of statements with each verdict, best first, without zeros."""
    counted = [statement.verdict for statement in statements if statement.about in about]
    return shown.counts(counted, verdicts)


def place(*name) -> str:
    """Return the anchor of a statement in the report, unique for its name."""
    spelt = (re.sub("[^A-Za-z0-9_=-]", lambda c: f".{ord(c[0]):x}.", word) for word in name if word)
    return ":".join(spelt)


def sensitivity(statements: Iterable[Statement]) -> pd.DataFrame:
    """Return how many verdicts get better or worse if one threshold is halved or doubled.

    Columns are threshold (a word of ``words.toml`` or a limit of `rules.LIMITS`), per cent, and the
    numbers of verdicts: halved better, halved worse, doubled better, doubled worse. The last row
    counts verdicts that any of the thresholds changes. Repeats and checks are left out.
    """
    counted = [statement for statement in statements if statement.about in COUNTED]
    levels = {word: rules.level(word) for kind in rules.words().values() for word in kind}
    del levels["sometimes"]  # one case is enough, whatever the factor
    levels |= {word: 100 * float(limit) for word, limit in rules.LIMITS.items()}
    order = [*NUMBER_WORDS, *CLAIM_WORDS]  # each best first
    moved = {f"{change} {way}": set() for change in FACTORS for way in ("better", "worse")}
    rows, now = [], {statement.name: order.index(statement.verdict) for statement in counted}
    for word, per_cent in levels.items():
        row = {"threshold": word.replace("_", " "), "per cent": per_cent} | dict.fromkeys(moved, 0)
        # A limit is for numbers, a word for claims; near also decides which simulators vote.
        concerned = [
            statement
            for statement in counted
            if isinstance(statement, Number) == (word in rules.LIMITS)
            or (word == rules.NEAR and statement.entry["baseline"])
        ]
        for (change, factor), statement in itertools.product(FACTORS.items(), concerned):
            if step := order.index(statement.under({word: factor})) - now[statement.name]:
                way = f"{change} {'better' if step < 0 else 'worse'}"
                row[way] += 1
                moved[way].add(statement.name)
        rows.append(row)
    last = {"threshold": "any of these"} | {way: len(names) for way, names in moved.items()}
    return pd.DataFrame([*rows, last])
