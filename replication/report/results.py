"""What was drawn, gathered from the records, before it has a shape.

`Results` has `Paper`s, a paper has `Item`s (its notebooks), `replication.evidence.verdicts.Number`s (all it prints)
and `replication.evidence.verdicts.Claim`s (all that it says of its results). Each number and claim names the item that
draws it. Both the HTML report and the PDF are made from it and from nothing else.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from replication.evidence import compare, verdicts
from replication.evidence.verdicts import CLAIM_WORDS, NUMBER_WORDS, read_csv
from replication.pages import notebook, record
from replication.report import headlines

# The item of a paper that searches its readings, and its table of verdicts under the best of them, with the
# columns of a comparison. They are shown beside the verdicts and never counted among them.
READINGS, BEST = "readings", "readings-best.csv"


class ReportError(ValueError):
    """A report that cannot be made; the message names what stands in the way."""


@dataclass
class Item:
    """One notebook's results: its kind is what they are worth, its facts are the record beside the
    outputs.
    """

    name: str
    kind: str
    facts: dict

    @property
    def id(self):
        """Name of its place in the page."""
        return self.name.replace("/", "-")

    @property
    def title(self):
        """First heading of the notebook."""
        return self.facts["title"]

    @property
    def folder(self):
        """Folder of its outputs."""
        return record.folder(self.kind, self.name.split("/")[0])

    def files(self, role):
        """Paths of its outputs of one role: figure, table, verdicts or claims."""
        return [
            self.folder / file
            for file, facts in self.facts["files"].items()
            if facts["role"] == role
        ]

    def altered(self, *roles):
        """Paths of those outputs, of all roles or of some, that are not as its record says."""
        return [
            path
            for file, facts in self.facts["files"].items()
            if not roles or facts["role"] in roles
            if not (path := self.folder / file).exists()
            or record.sha256(path.read_bytes()) != facts["sha256"]
        ]

    def rows(self):
        """Its comparisons with the paper, one dict of text a number."""
        return [row for path in self.files("verdicts") for row in read_csv(path)]

    def claim_rows(self):
        """The claims it decides, one dict of text each."""
        return [row for path in self.files("claims") for row in read_csv(path)]

    @cached_property
    def counts(self):
        """How many of its numbers got each verdict, best first."""
        return _count(self.rows(), NUMBER_WORDS)

    @property
    def subject(self):
        """What of the paper it draws, such as fig5 or table2, where its name says so."""
        return re.sub(r"(?<=[a-z])0+", "", self.name.split("/")[1])


class Counted:
    """What has numbers and claims, and how both fared: best first, zeros included."""

    @property
    def counts(self):
        """How many numbers got each verdict."""
        return verdicts.count(self.numbers, NUMBER_WORDS)

    @property
    def claim_counts(self):
        """How many claims got each verdict."""
        return verdicts.count(self.claims, CLAIM_WORDS)


@dataclass
class Paper(Counted):
    """A paper's items, all the numbers that it prints, drawn or not, and all claims that were entered."""

    key: str
    title: str
    items: list
    numbers: list
    claims: list

    @property
    def headlines(self):
        """What its abstract says, with the verdicts; see `replication.report.headlines`."""
        return headlines.of(self.key, self.claims, self.numbers)

    @property
    def parts(self):
        """What its numbers and claims are about, each with how both fared; each fact once."""
        return {
            about: (
                verdicts.count(self.numbers, NUMBER_WORDS, [about]),
                verdicts.count(self.claims, CLAIM_WORDS, [about]),
            )
            for about in verdicts.ABOUT
        }

    def items_of(self, claim):
        """The items a claim belongs to: the one that decides it, and those it speaks of."""
        return [
            item
            for item in self.items
            if item.name == claim.drawn_by or item.subject in claim.items
        ]

    def claim_counts_of(self, item):
        """How many of the claims that belong to an item got each verdict, best first, zeros included."""
        return verdicts.count(
            (claim for claim in self.claims if item in self.items_of(claim)), CLAIM_WORDS
        )

    @property
    def readings(self):
        """The item that searches its readings; None where there is none."""
        return next((item for item in self.items if item.name == f"{self.key}/{READINGS}"), None)

    @cached_property
    def best_rows(self):
        """Comparisons under the best reading that was found, one dict of text a number; may be none."""
        files = self.readings.files("table") if self.readings else []
        return [row for path in files if path.name == BEST for row in read_csv(path)]

    @property
    def best_counts(self):
        """How its numbers fare under that reading, best first; empty where none is recorded."""
        return _count(self.best_rows, compare.VERDICTS)

    @property
    def same_counts(self):
        """How those numbers fare under the default, best first: what `best_counts` is to be held against."""
        keys = {verdicts.key_of(row) for row in self.best_rows}
        return verdicts.count(
            (number for number in self.numbers if number.name[2:] in keys), NUMBER_WORDS
        )


@dataclass
class Results(Counted):
    """Everything a report tells, before it has a shape; the kind is what the weakest part is worth,
    and notebooks that are missing stand with why.
    """

    kind: str
    papers: list
    missing: dict = field(default_factory=dict)

    @property
    def items(self):
        """All items, in the order of the papers."""
        return [item for paper in self.papers for item in paper.items]

    @property
    def numbers(self):
        """What all papers print."""
        return [number for paper in self.papers for number in paper.numbers]

    @property
    def claims(self):
        """What all papers say of their results."""
        return [claim for paper in self.papers for claim in paper.claims]


def collect(kind, failed=()):
    """Gather what was drawn. A notebook that was not run in the way of this kind is shown as it was
    last run in a way that is worth more, if it was; those that failed are left out although
    older results of theirs lie there. VerdictError if two notebooks give different verdicts on
    one published number, or decide one claim.
    """
    wanted = record.KINDS[record.KINDS.index(kind) :: -1]
    items, missing = {}, {}
    for name in notebook.found():
        drawn = [item for worth in wanted if (item := _item(name, worth)) is not None]
        if name in failed or not drawn:
            missing[name] = "it failed" if name in failed else "not drawn yet"
        elif drawn[0].altered():
            missing[name] = "its files are not those that its record names; draw it again"
        else:
            items[name] = drawn[0]
    return Results(kind, papers(items.values()), missing)


def recorded():
    """What stands in ``figures/``; ReportError if a table of verdicts is not the one that was
    drawn.
    """
    drawn = [item for name in notebook.found() if (item := _item(name, "paper")) is not None]
    for item in drawn:
        if altered := item.altered("verdicts", "claims"):
            raise ReportError(
                f"{altered[0]}: not the file that the record beside it names; draw it again"
            )
    return Results("paper", papers(drawn))


def _item(name, kind):
    """The results of a notebook; None where there is no record of them."""
    facts = record.of(kind, name)
    return None if facts is None else Item(name, kind, facts)


def papers(items):
    """The papers of some items, each with all its numbers and claims."""
    items = list(items)
    made = []
    for key, title in record.CHAPTERS.items():
        own = [item for item in items if item.name.startswith(f"{key}/")]
        made.append(Paper(key, title, own, verdicts.numbers(key, own), verdicts.decided(key, own)))
    return made


def _count(rows, words):
    given = [row["verdict"] for row in rows]
    return {word: given.count(word) for word in words if word in given}
