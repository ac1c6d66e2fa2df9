"""Tables of published numbers and of claims with the verdicts on them.

A number is compared by `compare`, from rows of trace, policy, measure, value and unit.
``data/published/PAPER/claims.toml`` holds each claim: the section, our statement of it, the
statistic, and the rule. `decide` gets the cases of a claim from a plain function of the paper's
module ``claims``. The function is named as the claim, with ``_`` for ``-``, and its parameters name
the tables that it needs. Where several claims share a statistic, ``cases`` in their entries names
the function and gives its other parameters. A claim whose cases are rows of a table needs no
function: its entry has ``select``, a table and the values of its columns.

A claim with a ``baseline`` has cases under each allowed variant of this policy as well, and these
decide it. A record keeps the cases of a claim and our value of a number, with the reason if the two
cannot be compared. `numbers` and `claims` make all verdicts of a paper from its records by the
present rules. A number or claim in no record is *not drawn*.
"""

import csv
import inspect
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import ModuleType

import pandas as pd

from replication.simulator.writing import rounded
from replication.verdicts import published, rules, shown
from replication.verdicts.published import EvidenceError, Published

KEY = ("trace", "policy", "measure")
OURS = (*KEY, "value", "unit")
COLUMNS = ("item", *KEY, "unit", "published", "ours", "difference", "verdict", "reason", "source")
RECORDED = ("item", *KEY, "unit", "ours", "reason", "verdict")
NOT_DRAWN = "not drawn"
# Kinds of numbers and claims. The first three are counted separately; a check is no finding, and a
# repeat counts where the fact is entered first.
EXAMPLE, REPEAT = "example", rules.REPEAT
COUNTED = rules.LOG, EXAMPLE, rules.SIMULATED
ABOUT = (*COUNTED, rules.CHECK, REPEAT)
NUMBER_WORDS = (*rules.NUMBER_VERDICTS, NOT_DRAWN)
CLAIM_WORDS = (*rules.CLAIM_VERDICTS, NOT_DRAWN)
FACTORS = {"halved": 0.5, "doubled": 2.0}
# "Fig. 4", "Table 2", "Figs. 5 and 6"
NAMED = re.compile(r"(Fig|Table)s?\.? (\d+(?:(?:, | and )\d+)*)")


@dataclass(frozen=True)
class Number(Published):
    """A published number, and ours if a record has it."""

    paper: str = ""
    about: str = ""  # one of `ABOUT`
    ours: float = math.nan  # in the published unit
    reason_given: str = ""  # why the two cannot be compared
    words: str = ""  # in place of ours, where that is the end of a range; no difference is shown
    drawn_by: str = ""  # ``paper/item`` of the notebook that computes it; empty without a record

    @classmethod
    def of(cls, row, paper, ours, reason, drawn_by, about="", words="") -> "Number":
        """Return a published number with ours, which is None where it was not computed."""
        ours = math.nan if ours is None else rounded(float(ours))
        fields = {"about": about, "ours": ours, "reason_given": reason, "words": words}
        return cls(**vars(row), paper=paper, drawn_by=drawn_by, **fields)

    @property
    def name(self) -> tuple:
        """The key among all papers: number, paper, item, trace, policy, measure."""
        return ("number", self.paper, self.item, *self.key)

    def decided(self, factors: Mapping | None = None) -> rules.Verdict:
        """Return verdict, reason and difference; `factors` multiply some of `rules.LIMITS`."""
        if not self.drawn_by:
            return rules.Verdict(NOT_DRAWN, "", math.nan)
        return rules.number_verdict(self.ours, self, self.reason_given, factors)

    def under(self, factors: Mapping) -> str:
        """Return the verdict with some of `rules.LIMITS` multiplied by a factor each."""
        return self.decided(factors).verdict

    @property
    def verdict(self) -> str:
        """One of `NUMBER_WORDS`."""
        return self.decided().verdict

    def row(self) -> dict:
        """Return the number as a row of `COLUMNS`."""
        values = vars(self) | {"published": self.value} | self.decided()._asdict()
        if self.words:
            values["difference"] = math.nan
        return {name: values[name] for name in COLUMNS}

    def recorded(self) -> dict:
        """Return the row of a record: item, key, unit, ours (None if not finite), reason and
        verdict.
        """
        ours = self.ours if math.isfinite(self.ours) else None
        row = self.row() | {"ours": ours, "reason": self.reason_given}
        words = {"words": self.words} if self.words else {}
        return {name: row[name] for name in RECORDED} | words

    def shown(self) -> dict:
        """Return the row with its numbers as text, the published one as printed, and a remark:
        reason and source.
        """
        row = self.row()
        return row | {
            "published": shown.printed(self),
            "ours": self.words or shown.ours(self.ours, row["unit"]),
            "difference": shown.difference(row["difference"], row["reason"]),
            "remark": "; ".join(filter(None, (row["reason"], row["source"]))),
        }


@dataclass(frozen=True)
class Claim:
    """A claim of a paper about its own results with its cases; the verdict follows from these.

    If the claim has a ``baseline``, its own cases are those of the default, which decide nothing.
    """

    paper: str
    id_in_paper: str
    entry: Mapping = field(repr=False)  # as `replication.verdicts.published.claims_of`
    rows: tuple = ()  # as `replication.verdicts.rules.Case.row`, with units
    drawn_by: str = ""  # ``paper/item`` of the notebook that decides it
    undecided: bool = False  # True if the rows are of synthetic jobs or of quick scale
    variants: Mapping = field(default_factory=dict)  # rows by allowed variant of the baseline

    @property
    def about(self) -> str:
        """The kind, one of `ABOUT`."""
        return self.entry["kind"]

    @property
    def name(self) -> tuple:
        """The key among all papers, of the same length as that of a number."""
        return ("claim", self.paper, self.id_in_paper, "", "", "")

    @property
    def answers(self) -> dict[str, rules.Answer]:
        """The `replication.verdicts.rules.Answer` of each case by its name."""
        return rules.answers(self.rows, self.entry)

    @property
    def verdict(self) -> str:
        """One of `CLAIM_WORDS`."""
        return self.under({})

    def under(self, factors) -> str:
        """Return the verdict if the per cent of some words of ``words.toml`` are multiplied by a
        factor each.
        """
        if self.undecided or not self.rows:
            return rules.UNDECIDED if self.rows else NOT_DRAWN
        if self.entry.get("baseline"):
            return rules.agreed(claim.under(factors) for claim in self.under_variants.values())
        answers, often = rules.answers(self.rows, self.entry, factors).values(), self.entry["word"]
        word = rules.claim_verdict(answers, often, self.about, factors.get(often, 1))
        by = self.entry.get("decided_by")
        if (by == "band" and self.otherwise) or (by == "range" and word != rules.HOLDS):
            return rules.UNDECIDED
        return word

    @property
    def otherwise(self) -> str:
        """The other verdicts that the intervals of its cases allow; empty if there are none."""
        if self.undecided:
            return ""
        if not self.entry.get("baseline"):
            return rules.other_verdicts(self.answers.values(), self.entry["word"], self.about)
        allowed = [
            [claim.verdict, *filter(None, claim.otherwise.split(" or "))]
            for claim in self.under_variants.values()
        ]
        ends = dict.fromkeys(map(rules.agreed, itertools.product(*allowed)))
        return " or ".join(end for end in ends if end != self.verdict)

    @property
    def under_variants(self) -> dict[str, "Claim"]:
        """The claim under each allowed variant of its baseline, by name."""
        entry = {**self.entry, "baseline": ""}
        return {
            name: replace(self, entry=entry, rows=rows, variants={})
            for name, rows in self.variants.items()
        }

    @property
    def counts(self) -> str:
        """The verdict under each allowed variant of the baseline, with the count of its cases."""
        found = self.under_variants.items()
        return "; ".join(f"{name}: {claim.verdict} ({claim.count})" for name, claim in found)

    @property
    def count(self) -> str:
        """The number of cases that hold, such as ``"3 of 4"``; 0 of 0 where none is decided."""
        held = [answer.holds for answer in self.answers.values()]
        return f"{sum(held)} of {len(held)}"

    @property
    def rule(self) -> str:
        """The rule in words."""
        return rules.in_words(self.entry)

    @property
    def cases(self) -> list[tuple[str, str]]:
        """The text of each case (its name, the value of each part, unit and interval) and its
        answer in words.
        """
        texts = {}
        for row in self.rows:
            words = row.get("part", ""), shown.text(row["value"]), row["unit"]
            text = " ".join(filter(None, words))
            if "low" in row:
                text += f" ({shown.text(row['low'])} to {shown.text(row['high'])})"
            texts.setdefault(row["case"], []).append(text)
        answers = self.answers
        return [(f"{case} {', '.join(all_)}", str(answers[case])) for case, all_ in texts.items()]

    @property
    def numbers(self) -> str:
        """The texts of all cases."""
        return "; ".join(text for text, _ in self.cases)

    @property
    def items(self) -> set[str]:
        """The tables and figures that its section names, such as fig5 and table2."""
        return {
            f"{word.lower()}{number}"
            for word, numbers in NAMED.findall(self.entry["section"])
            for number in re.findall(r"\d+", numbers)
        }


# ---- numbers


def compare(
    paper: str,
    item: str,
    ours: pd.DataFrame | Iterable[Mapping],
    reasons: Mapping | None = None,
    drawn_by: str = "this comparison",
) -> list[Number]:
    """Compare all published numbers of an item with ours.

    Parameters
    ----------
    paper, item : str
    ours : pandas.DataFrame or list of dict
        Columns trace, policy, measure, value, unit; and words, in place of a value that is the
        end of a range.
    reasons : dict, optional
        Why numbers are not comparable, by trace or by (trace, policy, measure); the latter takes
        precedence.
    drawn_by : str
        The notebook that computes our numbers.

    Returns
    -------
    list of Number
        In the order of the published file; `Number.ours` is nan where it was not computed.

    Raises
    ------
    EvidenceError
        If a number of ours is unpublished, repeated, lacks a column or has another unit; if a
        reason fits no published number.
    """
    where, mine, words = f"{paper}/{item}", {}, {}
    printed = {row.key: row for row in published.rows(paper, item)}
    for key, row in by_key(where, ours).items():
        if key not in printed:
            published.value(paper, item, **dict(zip(KEY, key, strict=True)))
        if row["unit"] != printed[key].unit:
            raise EvidenceError(
                f"{where}: {' / '.join(key)}: our unit {row['unit']!r}, published unit "
                f"{printed[key].unit!r}; convert first"
            )
        mine[key], words[key] = row["value"], row.get("words", "")
    reasons = reasons or {}
    for key in reasons:
        if key not in printed and key not in {trace for trace, *_ in printed}:
            raise EvidenceError(f"{where}: a reason for {key!r}, but nothing is published there")
    numbers = []
    for key, row in printed.items():
        rules.number_verdict(mine.get(key), row)  # refuses what is no number
        reason = reasons.get(key, reasons.get(row.trace, ""))
        evidence = mine.get(key), reason, drawn_by
        numbers.append(Number.of(row, paper, *evidence, words=words.get(key, "")))
    return numbers


def by_key(where: str, ours: pd.DataFrame | Iterable[Mapping]) -> dict[tuple, Mapping]:
    """Return rows of ours by trace, policy and measure; EvidenceError if a row is repeated or lacks
    a column.
    """
    rows = {}
    for row in ours.to_dict("records") if hasattr(ours, "to_dict") else ours:
        if missing := [name for name in OURS if name not in row]:
            raise EvidenceError(
                f"{where}: our row lacks {', '.join(missing)}; needed: {', '.join(OURS)}"
            )
        key = tuple(row[name] for name in KEY)
        if key in rows:
            raise EvidenceError(f"{where}: {' / '.join(key)} is repeated in our rows")
        rows[key] = row
    return rows


def comparison(paper, item, ours, reasons=None, decided=True) -> pd.DataFrame:
    """Return a table of `COLUMNS` with a row for each number that `compare` returns; without
    verdicts unless `decided`.
    """
    rows = [number.row() for number in compare(paper, item, ours, reasons)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame if decided else frame.assign(verdict=rules.NOT_COMPARABLE)


def key_of(row) -> tuple:
    """Return the key of a row of a comparison within its paper: item, trace, policy, measure."""
    return tuple(row[name] for name in ("item", *KEY))


def numbers(paper, items) -> list[Number]:
    """Return every published number of a paper, as the records of its items have it.

    Raises
    ------
    EvidenceError
        If two records have different values of a number, or a unit has changed.
    """
    names = published.items(paper) if paper in published.registered() else []
    rows = [row for name in names for row in published.rows(paper, name)]
    units, records = {(row.item, *row.key): row.unit for row in rows}, {}
    for item in items:
        for row in item.facts["comparisons"]:
            key = key_of(row)
            where = f"{item.name}: {' / '.join(key)}"
            first, by = records.setdefault(key, (row, item.name))
            for name in ("ours", "reason"):
                if first[name] != row[name]:
                    raise EvidenceError(f"{where}: {name} {row[name]!r}; {first[name]!r} in {by}")
            if row["unit"] != units.get(key, row["unit"]):
                raise EvidenceError(
                    f"{where} in {row['unit']}, published in {units[key]}; run the notebook again"
                )
    numbers = []
    for row, about in zip(rows, abouts(rows), strict=True):
        recorded, drawn_by = records.get((row.item, *row.key), ({"ours": None, "reason": ""}, ""))
        evidence = recorded["ours"], recorded["reason"], drawn_by, about, recorded.get("words", "")
        numbers.append(Number.of(row, paper, *evidence))
    return numbers


def abouts(rows) -> list[str]:
    """Return the kind of each published number of a paper, such that each fact counts once.

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
        repeats = "derived" in row.source or row.key in seen or whole
        kinds[row.item, row.key] = REPEAT if repeats else kind
        seen.add(row.key)
    return [kinds[row.item, row.key] for row in rows]


# ---- claims


def claims(paper, items) -> list[Claim]:
    """Return every claim of a paper, as the records of its items have it.

    A claim that names its ``notebook`` has only the cases in that record.

    Raises
    ------
    EvidenceError
        If two records of a claim have different cases, or a study's runs give another verdict.
    """
    by_id = {name: Claim(paper, name, entry) for name, entry in published.claims_of(paper).items()}
    for item in items:
        for name, recorded in item.facts["claims"].items():
            if name not in by_id or by_id[name].entry["notebook"] not in ("", item.name):
                continue
            rows, earlier = tuple(recorded["cases"]), by_id[name]
            variants = recorded.get("variants", {})
            where = item.name, item.kind != "paper"
            claim = Claim(paper, name, earlier.entry, rows, *where, variants)
            both = (
                [*one.rows, *itertools.chain(*one.variants.values())] for one in (earlier, claim)
            )
            pairs = itertools.zip_longest(*both, fillvalue={})
            unlike = next((pair for pair in pairs if not _same_case(*pair)), None)
            if item.name.startswith("studies/") and earlier.verdict == claim.verdict:
                unlike = None  # a study has runs of its own
            if unlike and earlier.rows:
                first, second = (case or "no such case" for case in unlike)
                raise EvidenceError(
                    f"{paper}: claim {name!r}: {first} ({earlier.verdict!r}) by "
                    f"{earlier.drawn_by}, {second} ({claim.verdict!r}) by {item.name}; "
                    "run both notebooks again"
                )
            by_id[name] = earlier if earlier.rows else claim
    return [*by_id.values()]


def _same_case(first, second):
    """Return whether two cases are the same, but for the order in which numbers were added."""
    return first.keys() == second.keys() and all(
        first[name] == second[name]
        or (
            isinstance(first[name], float)
            and math.isclose(first[name], second[name] or 0, rel_tol=1e-9)
        )
        for name in first
    )


def decide(
    paper: str,
    functions: ModuleType | Mapping,
    tables: Mapping,
    only: Iterable[str] | None = None,
    file: str = "claims.toml",
    variants: Mapping | None = None,
) -> dict[str, Claim]:
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
        Ids of the claims to decide; by default all but those that name a ``notebook`` of their own.
    file : str
        The file with the entries.
    variants : dict of str to dict, optional
        The tables under each allowed variant of a baseline, for the claims that have one.

    Raises
    ------
    EvidenceError
        If a claim is unknown, has neither function nor ``select``, needs a table that is missing,
        or has no case.
    """
    entries = published.claims_of(paper, file)
    decided = {}
    if only is None:
        only = [name for name in entries if not entries[name]["notebook"]]
    for name in only:
        if name not in entries:
            raise EvidenceError(f"{paper}: claim {name!r}; expected one of {', '.join(entries)}")
        entry = entries[name]
        own = (variants or {}) if entry["baseline"] else {}
        rows, *others = (
            _rows(paper, name, entry, functions, given) for given in (tables, *own.values())
        )
        by_variant = dict(zip(own, others, strict=True))
        decided[name] = Claim(paper, name, entry, rows, variants=by_variant)
    return decided


def function_of(name: str, entry: Mapping, functions: ModuleType | Mapping) -> Callable:
    """Return the function that gives the cases of a claim; EvidenceError if there is none."""
    namespace = functions if isinstance(functions, Mapping) else vars(functions)
    named = entry.get("cases", {}).get("function", name.replace("-", "_"))
    if named not in namespace:
        raise EvidenceError(f"claim {name!r} has neither select nor a function {named}")
    return namespace[named]


def _rows(paper, name, entry, functions, tables):
    cases = _cases(paper, name, entry, functions, tables)
    rows = tuple({"unit": entry["unit"]} | case.row() for case in cases)
    if not rows:
        raise EvidenceError(f"{paper}: claim {name!r} has no case")
    return rows


def _cases(paper, name, entry, functions, tables):
    function = select_cases if "select" in entry else function_of(name, entry, functions)
    options = entry.get("select") or entry.get("cases", {})
    fixed = {key: value for key, value in options.items() if key not in ("function", "table")}
    chosen = {}
    for parameter in inspect.signature(function).parameters.values():
        is_table = parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD
        if is_table and parameter.name not in fixed:
            # A table that the entry names is the first.
            table = parameter.name if chosen else options.get("table", parameter.name)
            if table not in tables:
                names = ", ".join(tables) or "none"
                raise EvidenceError(
                    f"{paper}: claim {name!r} needs the table {table!r}; given: {names}"
                )
            chosen[parameter.name] = tables[table]
    return function(**chosen, **fixed)


def select_cases(
    frame: pd.DataFrame, value: str | list[str] = "value", **chosen
) -> Iterable[rules.Case]:
    """Yield the cases in the rows of a tidy table that have one of the chosen values in each of
    some columns.

    A row has columns of names, one or several of values, and low and high if there is an interval.
    A case has the names of its row in all columns of text but ``unit`` and those with a single
    choice; of several values, also the name of its column.
    """
    choices = {
        name: [choice] if isinstance(choice, str) else choice for name, choice in chosen.items()
    }
    for column, allowed in choices.items():
        frame = frame[frame[column].isin(allowed)]
    single = {name for name, allowed in choices.items() if len(allowed) == 1 and name != "log"}
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
            yield rules.Case(" ".join(words), row[column], *(row[end] for end in ends))


def case_table(decided: Mapping[str, Claim]) -> pd.DataFrame:
    """Return decided claims as a table with a row for each number.

    Columns are claim, verdict, case, part, value, low, high, unit, operator, threshold, answer; and
    variant (of the baseline; empty for the default) if there is any.
    """
    every = [
        (name, variant, one)
        for name, claim in decided.items()
        for variant, one in (("", claim), *claim.under_variants.items())
    ]
    rows = []
    for name, variant, claim in every:
        answers, verdict = claim.answers, claim.verdict
        for row in claim.rows:
            row = {"part": ""} | {k: claim.entry.get(k) for k in ("operator", "threshold")} | row
            if isinstance(row["threshold"], list | tuple):
                row["threshold"] = " to ".join(map(str, row["threshold"]))
            result = {"claim": name, "verdict": verdict, "answer": str(answers[row["case"]])}
            rows.append({"low": None, "high": None, "variant": variant} | row | result)
    columns = "claim verdict variant case part value low high unit operator threshold answer"
    table = pd.DataFrame(rows, columns=columns.split())
    return table if table["variant"].any() else table.drop(columns="variant")


def claim_table(decided: Mapping[str, Claim]) -> pd.DataFrame:
    """Return decided claims as a table with a row for each.

    Columns are claim, section, statement, verdict, otherwise, count, numbers, statistic, rule; and
    baseline (a policy whose own printed numbers are not reproduced) and counts (see `Claim.counts`)
    if any claim has one.
    """
    columns = (
        "claim section statement verdict otherwise count numbers statistic rule baseline counts"
    )
    derived = "verdict", "otherwise", "count", "numbers", "rule", "counts"
    rows = [
        {**claim.entry, "claim": key} | {name: getattr(claim, name) for name in derived}
        for key, claim in decided.items()
    ]
    table = pd.DataFrame(rows, columns=columns.split())
    return table if table["baseline"].any() else table.drop(columns=["baseline", "counts"])


def compared(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the verdicts on claims in two sets of decided claims.

    Columns are claim, statement, default, the name of the other set (the verdicts), and its
    numbers.
    """
    rows = [
        (key, claim.entry["statement"], default[key].verdict, claim.verdict, claim.numbers)
        for key, claim in other.items()
    ]
    return pd.DataFrame(rows, columns=["claim", "statement", "default", name, "numbers"])


def changed(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the rows of `compared` with two different verdicts."""
    table = compared(default, other, name)
    return table[table["default"] != table[name]].reset_index(drop=True)


def totals(verdicts: Iterable[str]) -> str:
    """Return the number of claims with each verdict as a sentence of Markdown."""
    verdicts = list(verdicts)
    counts = shown.counts(verdicts, rules.CLAIM_VERDICTS)
    parts = [f"**{number}** {word}" for word, number in counts.items()]
    return f"Of {len(verdicts)} claims: {', '.join(parts)}."


# ---- both


def wrong_words(paper) -> list[str]:
    """Return a line for each recorded verdict of a `replication.report.results.Paper` that the
    present rules do not give.
    """
    now = {result.name[2:]: result.verdict for result in (*paper.numbers, *paper.claims)}
    notebooks = {claim.id_in_paper: claim.entry["notebook"] for claim in paper.claims}
    lines = []
    for item in paper.items:
        words = {key_of(row): row["verdict"] for row in item.facts["comparisons"]}
        for name, claim in item.facts["claims"].items():
            if notebooks.get(name, "") in ("", item.name):
                words[name, "", "", ""] = claim["verdict"]
        lines += [
            f"{item.name}: {' / '.join(filter(None, key))}: the record says {word!r}, "
            f"its numbers {now[key]!r}; draw it again"
            for key, word in words.items()
            if now.get(key, word) != word
        ]
    return lines


def count(results, words, about=ABOUT) -> dict[str, int]:
    """Return the number of numbers or claims with each verdict, best first, without zeros."""
    return shown.counts([result.verdict for result in results if result.about in about], words)


def place(*words) -> str:
    """Return the anchor of a number or a claim in the report, unique for its words."""
    spelt = (
        re.sub("[^A-Za-z0-9_=-]", lambda c: f".{ord(c[0]):x}.", word) for word in words if word
    )
    return ":".join(spelt)


def read_csv(path) -> list[dict[str, str]]:
    """Return the rows of a CSV file as dicts of text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sensitivity(papers) -> pd.DataFrame:
    """Return how many verdicts get better or worse if one threshold is halved or doubled.

    Parameters
    ----------
    papers : list of replication.report.results.Paper

    Returns
    -------
    pandas.DataFrame
        threshold (a word of ``words.toml`` or a limit of `rules.LIMITS`), per cent, and the numbers
        of verdicts: halved better, halved worse, doubled better, doubled worse. The last row counts
        verdicts that any of the thresholds changes. Repeats and checks are left out.
    """
    counted = [
        result
        for paper in papers
        for result in (*paper.claims, *paper.numbers)
        if result.about in COUNTED
    ]
    levels = {word: rules.level(word) for kind in rules.words().values() for word in kind}
    del levels["sometimes"]  # one case is enough, whatever the factor
    levels |= {word: 100 * float(limit) for word, limit in rules.LIMITS.items()}
    order = [*NUMBER_WORDS, *CLAIM_WORDS]  # each best first
    moved = {f"{change} {way}": set() for change in FACTORS for way in ("better", "worse")}
    rows, now = [], {result.name: order.index(result.verdict) for result in counted}
    for word, per_cent in levels.items():
        row = {"threshold": word.replace("_", " "), "per cent": per_cent} | dict.fromkeys(moved, 0)
        # A limit is for numbers, a word for claims.
        concerned = [
            result for result in counted if isinstance(result, Number) == (word in rules.LIMITS)
        ]
        for change, factor in FACTORS.items():
            for result in concerned:
                if step := order.index(result.under({word: factor})) - now[result.name]:
                    way = f"{change} {'better' if step < 0 else 'worse'}"
                    row[way] += 1
                    moved[way].add(result.name)
        rows.append(row)
    last = {"threshold": "any of these"} | {way: len(names) for way, names in moved.items()}
    return pd.DataFrame([*rows, last])
