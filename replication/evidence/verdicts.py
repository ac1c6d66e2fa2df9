"""The verdict on each published number and each claim, as it stands in the records of what was drawn.

A number's verdict comes from the tables that `replication.pages.page.Page.compare` saved, a claim's from the one
that `Page.claims` saved: both of the default readings alone. What no notebook drew is listed as *not drawn*.
"""

import csv
import math
import re
from dataclasses import dataclass, replace

from replication.evidence import claims, compare, published, shown

NOT_DRAWN = "not drawn"
# What a number or a claim is about. The first three are counted apart; a check is no finding, and a repeat has been
# counted where the fact stands first.
EXAMPLE, REPEAT = "example", "repeat"
COUNTED = claims.LOG, EXAMPLE, claims.SIMULATED
ABOUT = (*COUNTED, claims.CHECK, REPEAT)
NUMBER_WORDS = (*compare.VERDICTS, NOT_DRAWN)
CLAIM_WORDS = (*claims.VERDICTS, NOT_DRAWN)
# "Fig. 4", "Table 2", "Figs. 5 and 6"
NAMED = re.compile(r"(Fig|Table)s?\.? (\d+(?:(?:, | and )\d+)*)")


class VerdictError(ValueError):
    """Two notebooks that disagree on one number or claim, or a recorded verdict that cannot be used."""


@dataclass(frozen=True)
class Number:
    """A published number beside ours."""

    paper: str
    published: published.Published
    ours: float = math.nan  # in the unit of the paper's; nan where it was not computed
    difference: float = math.nan  # as in `replication.evidence.compare.Verdict`
    verdict: str = NOT_DRAWN  # one of `NUMBER_WORDS`
    reason: str = ""  # why it is not comparable, or that the difference is absolute
    drawn_by: str = ""  # ``paper/item`` of the notebook that computes it, if one does
    about: str = claims.SIMULATED  # one of `ABOUT`

    @property
    def name(self):
        """What tells it apart in all papers: number, paper, item, trace, policy, measure."""
        return ("number", self.paper, self.published.item, *self.published.key)

    @property
    def id(self):
        """Name of its place in the report."""
        return place(*self.name)

    @property
    def published_text(self):
        """The paper's value as printed."""
        return shown.printed(self.published)

    @property
    def ours_text(self):
        """Our value for reading."""
        return shown.ours(self.ours, self.published.unit)

    @property
    def difference_text(self):
        """The difference for reading: in percent, or absolute."""
        return shown.difference(self.difference, self.published.value, self.published.unit)

    def again(self):
        """The same number with the verdict that the rule gives it now."""
        if self.verdict == NOT_DRAWN:
            return self
        reason = self.reason if self.verdict == compare.NOT_COMPARABLE else ""
        result = compare.verdict(self.ours, self.published, reason=reason)
        return replace(
            self, verdict=result.verdict, reason=result.reason, difference=result.difference
        )


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper about its own results, as it is entered in ``data/published/<paper>/claims.toml``, and
    what became of it.
    """

    paper: str
    id_in_paper: str
    section: str
    statement: str
    statistic: str
    rule: str
    word: str
    about: str  # one of `ABOUT`; called kind where it is entered
    published: str = ""  # the paper's own number, if it gives one
    verdict: str = NOT_DRAWN  # one of `CLAIM_WORDS`
    cases: tuple = ()  # (words with number and interval, `replication.evidence.claims.Answer` or None if open)
    drawn_by: str = ""  # ``paper/item`` of the notebook that decides it, if one does

    @property
    def name(self):
        """What tells it apart in all papers, shaped as a number's."""
        return ("claim", self.paper, self.id_in_paper, "", "", "")

    @property
    def id(self):
        """Name of its place in the report."""
        return place("claim", self.paper, self.id_in_paper)

    @property
    def count(self):
        """How many cases hold, in words; empty where nothing was drawn."""
        held = sum(answer is not None and answer.holds for _, answer in self.cases)
        return f"{held} of {len(self.cases)}" if self.cases else ""

    @property
    def otherwise(self):
        """The verdicts that the intervals of its cases allow besides, in words; empty if it is sure."""
        return claims.otherwise([answer for _, answer in self.cases], self.word, self.about)

    @property
    def items(self):
        """The paper's tables and figures that its section names, such as fig5 and table2."""
        return {
            f"{word.lower()}{number}"
            for word, several in NAMED.findall(self.section)
            for number in re.findall(r"\d+", several)
        }

    def again(self):
        """The same claim with the verdict that the rule gives its recorded cases now."""
        if self.verdict == NOT_DRAWN:
            return self
        answers = [answer for _, answer in self.cases]
        return replace(self, verdict=claims.verdict(answers, self.word, self.about))


def place(*words):
    """A name for a place in a page that no other words have."""
    plain = set("_-=")
    return ":".join(
        "".join(c if c.isascii() and c.isalnum() or c in plain else f".{ord(c):x}." for c in word)
        for word in words
    )


def key_of(row):
    """What tells a row of a comparison apart within its paper: item, trace, policy, measure."""
    return tuple(row[name] for name in ("item", *compare.KEY))


def numbers(paper, items):
    """Every published number of a paper."""
    found = {}
    for item in items:
        for row in item.rows("verdicts"):
            key = key_of(row)
            first = found.setdefault(key, (row, item.name))
            if first[0]["verdict"] != row["verdict"]:
                raise VerdictError(
                    f"{paper}: two notebooks give {first[0]['verdict']!r} and {row['verdict']!r} on "
                    f"{' / '.join(key)} ({first[1]} and {item.name})"
                )
    known = published.items(paper) if paper in published.papers() else []
    rows = [row for item in known for row in published.joined(published.rows(paper, item))]
    return [
        _number(paper, row, about, *found.get((row.item, *row.key), (None, "")))
        for row, about in zip(rows, abouts(rows), strict=True)
    ]


def abouts(rows):
    """What each published number of a paper is about, each fact once.

    A number is a repeat if the paper has it elsewhere under the same trace, policy and measure, or, of all logs, if
    it has that measure of each log. What stands in running text repeats a table, a later table an earlier one.
    """
    seen, given = set(), {}
    by_log = {(row.policy, row.measure) for row in rows if row.trace != "all"}
    for row in sorted(rows, key=lambda row: row.item == "text"):
        whole = row.trace == "all" and (row.policy, row.measure) in by_log
        kind = claims.LOG if row.policy == "log" else claims.SIMULATED
        kind = EXAMPLE if row.trace.startswith("fig") else kind
        given[row.item, row.key] = REPEAT if row.key in seen or whole else kind
        seen.add(row.key)
    return [given[row.item, row.key] for row in rows]


def _number(paper, row, about, drawn, name):
    if drawn is None:
        return Number(paper, row, about=about)
    if drawn["unit"] != row.unit:
        raise VerdictError(
            f"{name}: {' / '.join(key_of(drawn))} in {drawn['unit']}, "
            f"published in {row.unit}; draw it again"
        )
    value, difference = (compare.read(drawn[column]) for column in ("ours", "difference"))
    return Number(paper, row, value, difference, drawn["verdict"], drawn["reason"], name, about)


def decided(paper, items):
    """Every claim of a paper."""
    found = {}
    for item in items:
        for row in item.rows("claims"):
            if row["claim"] in found:
                raise VerdictError(
                    f"{paper}: claim {row['claim']!r} is decided by {found[row['claim']][1]} "
                    f"and by {item.name}"
                )
            found[row["claim"]] = row, item.name
    return [
        _claim(paper, name, claim, *found.get(name, (None, "")))
        for name, claim in claims.entered(paper).items()
    ]


def _claim(paper, name, entered, drawn, by):
    words = {key: entered[key] for key in ("section", "statement", "statistic", "rule", "word")}
    made = Claim(paper, name, **words, about=entered["kind"], published=entered["number"])
    if drawn is None:
        return made
    numbers, answers = (
        drawn[column].split(claims.BETWEEN) if drawn[column] else []
        for column in ("numbers", "answers")
    )
    if len(numbers) != len(answers) or not set(answers) <= claims.ANSWERS.keys():
        raise VerdictError(
            f"{by}: claim {name!r}: numbers {drawn['numbers']!r} and answers "
            f"{drawn['answers']!r} do not go together; draw it again"
        )
    cases = tuple(
        (case, claims.ANSWERS[answer]) for case, answer in zip(numbers, answers, strict=True)
    )
    return replace(made, verdict=drawn["verdict"], cases=cases, drawn_by=by)


def count(found, words, about=ABOUT):
    """How many got each verdict, best first; those that none got are left out."""
    given = [one.verdict for one in found if one.about in about]
    return {word: given.count(word) for word in words if word in given}


def read_csv(path):
    """A saved table, each row a dict of text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
