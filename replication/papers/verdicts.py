"""The verdict on each published number and each claim, as it stands in the records of what was drawn.

A number's verdict comes from the tables that `replication.report.page.Page.compare` saved, a claim's from the one
that `Page.claims` saved: both of the default readings alone. What no notebook drew is listed as *not drawn*.
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
# What a number or a claim is about. The first three are counted apart; a check is no finding, and a repeat has been
# counted where the fact stands first.
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
    """A published number beside ours."""

    paper: str
    published: published.Published
    about: str  # one of `ABOUT`
    ours: float = math.nan  # in the unit of the paper's; nan where it was not computed
    difference: float = math.nan  # as in `replication.papers.compare.Verdict`
    verdict: str = NOT_DRAWN  # one of `NUMBER_WORDS`
    reason: str = ""  # why it is not comparable, or that the difference is absolute
    drawn_by: str = ""  # ``paper/item`` of the notebook that computes it, if one does

    @property
    def name(self):
        """What tells it apart in all papers: number, paper, item, trace, policy, measure."""
        return ("number", self.paper, self.published.item, *self.published.key)

    @property
    def now(self):
        """The verdict that the rule gives it now."""
        return self.under(None)

    def under(self, limits):
        """Return the verdict under other limits, see `replication.papers.compare.verdict`."""
        reason = self.reason if self.verdict == compare.NOT_COMPARABLE else ""
        given = compare.verdict(self.ours, self.published, reason=reason, limits=limits).verdict
        return NOT_DRAWN if self.verdict == NOT_DRAWN else given

    def shown(self):
        """Its key and unit, the paper's value as printed, ours, the difference and the verdict: a dict for reading."""
        one = self.published
        return {name: getattr(one, name) for name in (*compare.KEY, "unit")} | {
            "published": shown.printed(one),
            "ours": shown.ours(self.ours, one.unit),
            "difference": shown.difference(self.difference, self.reason),
            "verdict": self.verdict,
        }


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper about its own results, and what became of it."""

    paper: str
    id_in_paper: str
    entered: dict  # its entry, as `replication.papers.claims.entries`
    verdict: str = NOT_DRAWN  # one of `CLAIM_WORDS`
    rows: tuple = ()  # the numbers of its cases as recorded, see `replication.papers.claims.Case.row`
    drawn_by: str = ""  # ``paper/item`` of the notebook that decides it

    @property
    def about(self):
        """What it is about, one of `ABOUT`."""
        return self.entered["kind"]

    @property
    def name(self):
        """The key that identifies it among all papers, shaped as that of a number."""
        return ("claim", self.paper, self.id_in_paper, "", "", "")

    @property
    def cases(self):
        """The text with number and interval, and the `replication.papers.claims.Answer`, of each case."""
        return tuple(claims.told(self.rows, self.entered))

    @property
    def _decision(self):
        return claims.Decision(self.id_in_paper, self.entered, self.rows)

    @property
    def count(self):
        """The number of cases that hold, such as ``"3 of 4"``; empty where nothing was drawn."""
        return self._decision.count if self.rows else ""

    @property
    def otherwise(self):
        """The other verdicts that the intervals of its cases allow; empty if it is sure."""
        return self._decision.otherwise

    @property
    def now(self):
        """The verdict that the rule now gives the recorded numbers."""
        return NOT_DRAWN if self.verdict == NOT_DRAWN else self._decision.verdict

    @property
    def items(self):
        """The paper's tables and figures that its section names, such as fig5 and table2."""
        return {
            f"{word.lower()}{number}"
            for word, several in NAMED.findall(self.entered["section"])
            for number in re.findall(r"\d+", several)
        }


def place(*words):
    """A name for a place in a page that no other words have; that of a number or a claim is made from its name."""
    spelt = (
        re.sub("[^A-Za-z0-9_=-]", lambda c: f".{ord(c[0]):x}.", word) for word in words if word
    )
    return ":".join(spelt)


def key_of(row):
    """What tells a row of a comparison apart within its paper: item, trace, policy, measure."""
    return tuple(row[name] for name in ("item", *compare.KEY))


def numbers(paper, items):
    """Every published number of a paper."""
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
                f"published in {row.unit}; draw it again"
            )
        made.append(number(paper, row, drawn, about, by))
    return made


def number(paper, printed, row=None, about=claims.SIMULATED, by=""):
    """A published number with the row of a comparison, as computed or as recorded; None where there is none."""
    if row is None:
        return Number(paper, printed, about)
    ours, difference = (
        math.nan if row[name] is None else row[name] for name in ("ours", "difference")
    )
    return Number(paper, printed, about, ours, difference, row["verdict"], row["reason"], by)


def abouts(rows):
    """What each published number of a paper is about, each fact once.

    A number is a repeat if other entries imply it, if the paper has it elsewhere under the same trace, policy and measure, or,
    of all logs, if it has that measure of each log. What stands in running text repeats a table, a later table an earlier one.
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


def decided(paper, items):
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
    every_claim = [one for paper in papers for one in paper.claims if one.about in COUNTED]
    every_number = [one for paper in papers for one in paper.numbers if one.about in COUNTED]
    rows, whole = [], {}
    words = [word for kind in claims.words().values() for word in kind]
    for word in filter(claims.level, words):
        row = {"threshold": word.replace("_", " "), "per cent": claims.level(word)}
        for change, factor in FACTORS.items():
            with claims.scaled(word, float(factor)):
                after = [one.now for one in every_claim]
            _count_moves(row, whole, change, every_claim, after, CLAIM_WORDS)
        rows.append(row)
    for name, limit in compare.LIMITS:
        row = {"threshold": name, "per cent": 100 * float(limit)}
        for change, factor in FACTORS.items():
            limits = [(one, factor * size if one == name else size) for one, size in compare.LIMITS]
            after = [one.under(limits) for one in every_number]
            _count_moves(row, whole, change, every_number, after, NUMBER_WORDS)
        rows.append(row)
    last = {"threshold": "any of these"} | {name: len(some) for name, some in whole.items()}
    return pd.DataFrame([*rows, last])


def _count_moves(row, whole, change, several, after, words):
    for sign in ("better", "worse"):
        moved = {
            one.name
            for one, word in zip(several, after, strict=True)
            if word != one.now and (words.index(word) < words.index(one.now)) == (sign == "better")
        }
        row[f"{change} {sign}"] = len(moved)
        whole.setdefault(f"{change} {sign}", set()).update(moved)


def count(found, words, about=ABOUT):
    """How many got each verdict, best first; those that none got are left out."""
    return shown.counts([one.verdict for one in found if one.about in about], words)


def read_csv(path):
    """A saved table, each row a dict of text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
