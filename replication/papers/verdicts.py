"""The verdict on each published number and each claim, from the records of the notebooks.

A number's verdict comes from `replication.report.page.Page.compare`, a claim's from `Page.claims`; both belong to the default
interpretation. A number or claim in no record is listed as *not drawn*.
"""

import csv
import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal

import pandas as pd

from replication.papers import claims, compare, published, shown
from replication.papers.published import EvidenceError

NOT_DRAWN = "not drawn"
# Kinds of numbers and claims. The first three are counted separately; a check is no finding, and a repeat counts where
# the fact is entered first.
EXAMPLE, REPEAT = "example", "repeat"
COUNTED = claims.LOG, EXAMPLE, claims.SIMULATED
ABOUT = (*COUNTED, claims.CHECK, REPEAT)
NUMBER_WORDS = (*compare.VERDICTS, NOT_DRAWN)
CLAIM_WORDS = (*claims.VERDICTS, NOT_DRAWN)
FACTORS = {"halved": Decimal("0.5"), "doubled": Decimal(2)}
# "Fig. 4", "Table 2", "Figs. 5 and 6"
NAMED = re.compile(r"(Fig|Table)s?\.? (\d+(?:(?:, | and )\d+)*)")


@dataclass(frozen=True)
class Number:
    """A published number and ours."""

    paper: str
    published: published.Published
    about: str  # one of `ABOUT`
    ours: float = math.nan  # in the published unit; nan if it was not computed
    difference: float = math.nan  # as in `replication.papers.compare.Verdict`
    verdict: str = NOT_DRAWN  # one of `NUMBER_WORDS`
    reason: str = ""  # as in `replication.papers.compare.Verdict`
    drawn_by: str = ""  # ``paper/item`` of the notebook that computes it

    @property
    def name(self):
        """The key among all papers: number, paper, item, trace, policy, measure."""
        return ("number", self.paper, self.published.item, *self.published.key)

    @property
    def now(self):
        """The verdict by the present rule."""
        return self.under(None)

    def under(self, limits):
        """Return the verdict under other limits, see `replication.papers.compare.verdict`."""
        reason = self.reason if self.verdict == compare.NOT_COMPARABLE else ""
        given = compare.verdict(self.ours, self.published, reason=reason, limits=limits).verdict
        return NOT_DRAWN if self.verdict == NOT_DRAWN else given

    def shown(self):
        """Return key, unit, published value as printed, ours, difference and verdict as text in a dict."""
        one = self.published
        return {name: getattr(one, name) for name in (*compare.KEY, "unit")} | {
            "published": shown.printed(one),
            "ours": shown.ours(self.ours, one.unit),
            "difference": shown.difference(self.difference, self.reason),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Claim:
    """A claim of a paper about its own results, and its verdict."""

    paper: str
    id_in_paper: str
    entered: dict  # its entry, as `replication.papers.claims.entries`
    verdict: str = NOT_DRAWN  # one of `CLAIM_WORDS`
    rows: tuple = ()  # the numbers of its cases as recorded, see `replication.papers.claims.Case.row`
    drawn_by: str = ""  # ``paper/item`` of the notebook that decides it

    @property
    def about(self):
        """The kind, one of `ABOUT`."""
        return self.entered["kind"]

    @property
    def name(self):
        """The key among all papers, of the same length as that of a number."""
        return ("claim", self.paper, self.id_in_paper, "", "", "")

    @property
    def cases(self):
        """The text with number and interval, and the `replication.papers.claims.Answer`, of each case."""
        return tuple(self._decision.cases)

    @property
    def _decision(self):
        return claims.Decision(self.id_in_paper, self.entered, self.rows)

    @property
    def count(self):
        """The number of cases that hold, such as ``"3 of 4"``; empty for a claim in no record."""
        return self._decision.count if self.rows else ""

    @property
    def otherwise(self):
        """The other verdicts that the intervals of its cases allow; empty if there are none."""
        return self._decision.otherwise

    @property
    def now(self):
        """The verdict on the recorded numbers by the present rule."""
        return NOT_DRAWN if self.verdict == NOT_DRAWN else self._decision.verdict

    @property
    def items(self):
        """The tables and figures that its section names, such as fig5 and table2."""
        return {
            f"{word.lower()}{number}"
            for word, several in NAMED.findall(self.entered["section"])
            for number in re.findall(r"\d+", several)
        }


def place(*words):
    """Return the anchor of a number or a claim in the report, unique for its words."""
    spelt = (
        re.sub("[^A-Za-z0-9_=-]", lambda c: f".{ord(c[0]):x}.", word) for word in words if word
    )
    return ":".join(spelt)


def key_of(row):
    """Return the key of a row of a comparison within its paper: item, trace, policy, measure."""
    return tuple(row[name] for name in ("item", *compare.KEY))


def numbers(paper, items):
    """Return every published number of a paper; EvidenceError if two notebooks disagree or a unit has changed."""
    found = {}
    for item in items:
        for row in item.facts["comparisons"]:
            key = key_of(row)
            first = found.setdefault(key, (row, item.name))
            if first[0]["verdict"] != row["verdict"]:
                raise EvidenceError(
                    f"{paper}: two notebooks give {first[0]['verdict']!r} and {row['verdict']!r} on "
                    f"{' / '.join(key)} ({first[1]} and {item.name})"
                )
    known = published.items(paper) if paper in published.papers() else []
    rows = [row for item in known for row in published.rows(paper, item)]
    made = []
    for row, about in zip(rows, abouts(rows), strict=True):
        drawn, by = found.get((row.item, *row.key), (None, ""))
        if drawn and drawn["unit"] != row.unit:
            raise EvidenceError(
                f"{by}: {' / '.join(key_of(drawn))} in {drawn['unit']}, "
                f"published in {row.unit}; run the notebook again"
            )
        made.append(number(paper, row, drawn, about, by))
    return made


def number(paper, printed, row=None, about=claims.SIMULATED, by=""):
    """Return a published number with the row of its comparison, if there is one."""
    if row is None:
        return Number(paper, printed, about)
    ours, difference = (
        math.nan if row[name] is None else row[name] for name in ("ours", "difference")
    )
    return Number(paper, printed, about, ours, difference, row["verdict"], row["reason"], by)


def abouts(rows):
    """Return the kind of each published number of a paper, such that each fact counts once.

    A number is a repeat if other entries imply it, if another item of the paper has the same trace, policy and measure, or, of
    a number for all logs, if the paper has the measure for each log. Text repeats tables, and later tables earlier ones.
    """
    seen, given = set(), {}
    by_log = {(row.policy, row.measure) for row in rows if row.trace != "all"}
    for row in sorted(rows, key=lambda row: row.item == "text"):
        measure = re.sub("_(min|max)$", "", row.measure)
        whole = row.trace == "all" and (row.policy, measure) in by_log
        kind = claims.LOG if row.policy == "log" else claims.SIMULATED
        kind = EXAMPLE if row.trace.startswith("fig") else kind
        repeats = row.is_derived or row.key in seen or whole
        given[row.item, row.key] = REPEAT if repeats else kind
        seen.add(row.key)
    return [given[row.item, row.key] for row in rows]


def claims_of(paper, items):
    """Return every claim of a paper; EvidenceError if two notebooks give different verdicts on one."""
    found = {name: Claim(paper, name, one) for name, one in claims.entries(paper).items()}
    for item in items:
        for name, recorded in item.facts["claims"].items():
            if name not in found:
                continue
            known = found[name]
            if known.drawn_by and known.verdict != recorded["verdict"]:
                raise EvidenceError(
                    f"{paper}: claim {name!r}: {known.verdict!r} by {known.drawn_by}, "
                    f"{recorded['verdict']!r} by {item.name}"
                )
            if not known.drawn_by:
                found[name] = replace(
                    known,
                    verdict=recorded["verdict"],
                    rows=tuple(recorded["cases"]),
                    drawn_by=item.name,
                )
    return [*found.values()]


def sensitivity(papers):
    """Return how many verdicts get better or worse if one threshold is halved or doubled.

    Parameters
    ----------
    papers : list of replication.report.results.Paper

    Returns
    -------
    pandas.DataFrame
        threshold (a word of ``words.toml`` or a limit of `compare.LIMITS`), per cent, and the numbers of verdicts: halved
        better, halved worse, doubled better, doubled worse. The last row counts verdicts that any of the thresholds changes.
        Repeats and checks are left out.
    """
    claims_, numbers_ = (
        [one for paper in papers for one in getattr(paper, kind) if one.about in COUNTED]
        for kind in ("claims", "numbers")
    )
    before = {one.name: one.now for one in (*claims_, *numbers_)}
    rows, moved = [], {}
    words = [word for kind in claims.words().values() for word in kind]
    for word in filter(claims.level, words):
        row = {"threshold": word.replace("_", " "), "per cent": claims.level(word)}
        for change, factor in FACTORS.items():
            with claims.scaled(word, float(factor)):
                after = {one.name: one.now for one in claims_}
            row |= _moves(before, after, CLAIM_WORDS, change, moved)
        rows.append(row)
    for name, limit in compare.LIMITS:
        row = {"threshold": name, "per cent": 100 * float(limit)}
        for change, factor in FACTORS.items():
            limits = [(one, factor * size if one == name else size) for one, size in compare.LIMITS]
            after = {one.name: one.under(limits) for one in numbers_}
            row |= _moves(before, after, NUMBER_WORDS, change, moved)
        rows.append(row)
    last = {"threshold": "any of these"} | {name: len(some) for name, some in moved.items()}
    return pd.DataFrame([*rows, last])


def _moves(before, after, words, change, moved):
    """Return the numbers of verdicts that get better and worse, and add their names to those in `moved`."""
    found = {}
    for way, sign in (("better", -1), ("worse", 1)):
        names = {
            name
            for name, word in after.items()
            if sign * (words.index(word) - words.index(before[name])) > 0
        }
        found[f"{change} {way}"] = len(names)
        moved.setdefault(f"{change} {way}", set()).update(names)
    return found


def count(found, words, about=ABOUT):
    """Return the number of numbers or claims with each verdict, best first, without zeros."""
    return shown.counts([one.verdict for one in found if one.about in about], words)


def read_csv(path):
    """Return the rows of a CSV file as dicts of text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
