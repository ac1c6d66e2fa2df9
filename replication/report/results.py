"""All recorded results: items, published numbers and claims, by paper.

The report and the article are made from `Results` and from nothing else. Each number and each claim names the item that
computes it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from replication.papers import verdicts
from replication.report import record
from replication.simulator import paths


class ReportError(ValueError):
    """A report that cannot be made; the message names the reason."""


def notebooks():
    """Return the paths of all notebooks of tables and figures by ``paper/item``, papers and items in natural order."""

    def natural(path):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]

    return {
        f"{paper}/{path.stem}": path
        for paper in record.CHAPTERS
        for path in sorted((paths.NOTEBOOKS / paper).glob("*.ipynb"), key=natural)
    }


@dataclass
class Item:
    """The results of one notebook: their kind and their record."""

    name: str  # ``paper/item``
    kind: str
    facts: dict

    @property
    def id(self):
        """The id of its place in the report."""
        return self.name.replace("/", "-")

    @property
    def source(self) -> Path:
        """The path of its notebook."""
        return paths.NOTEBOOKS / f"{self.name}.ipynb"

    @property
    def folder(self) -> Path:
        """The folder of its outputs."""
        return record.folder(self.kind, self.name.split("/")[0])

    @property
    def is_analysis(self):
        """True for an item that is no table or figure of the paper."""
        return not re.search("/(fig|table)", self.name)

    def altered_files(self, *roles):
        """Return the paths of outputs, of all roles or of some, that differ from the record."""
        return [
            path
            for file, facts in self.facts["files"].items()
            if not roles or facts["role"] in roles
            if not (path := self.folder / file).exists()
            or record.sha256(path.read_bytes()) != facts["sha256"]
        ]


@dataclass
class Paper:
    """A paper with its items, all published numbers, and all claims."""

    key: str
    title: str
    items: list
    numbers: list
    claims: list


@dataclass
class Results:
    """The results of all papers, their kind, and the reason for each missing notebook."""

    kind: str
    papers: list
    missing: dict = field(default_factory=dict)

    def every(self, what):
        """Return the ``items``, ``numbers`` or ``claims`` of all papers, in their order."""
        return [one for paper in self.papers for one in getattr(paper, what)]


def collect(kind):
    """Return the results of a kind, or of a better one where a notebook has none of this kind.

    Raises
    ------
    EvidenceError
        If two notebooks disagree on a number or a claim.
    """
    items, missing = [], {}
    for name in notebooks():
        item = _item(name, *record.KINDS[record.KINDS.index(kind) :: -1])
        if item is None:
            missing[name] = "not drawn yet"
        elif item.altered_files():
            missing[name] = "its files differ from its record; draw it again"
        else:
            items.append(item)
    return Results(kind, papers(items), missing)


def recorded():
    """Return the results in ``figures/``; ReportError if a table of verdicts differs from its record."""
    drawn = [item for name in notebooks() if (item := _item(name, "paper")) is not None]
    for item in drawn:
        if altered := item.altered_files("verdicts", "claims"):
            raise ReportError(f"{altered[0]}: the file differs from its record; draw it again")
    return Results("paper", papers(drawn))


def _item(name, *kinds):
    """Return the results of a notebook of the first kind with a record; None without one."""
    drawn = ((kind, record.read(kind, name)) for kind in kinds)
    return next((Item(name, kind, facts) for kind, facts in drawn if facts is not None), None)


def papers(items):
    """Return the papers of some items, each with all its numbers and claims."""
    made = []
    for key, title in record.CHAPTERS.items():
        own = [item for item in items if item.name.startswith(f"{key}/")]
        made.append(
            Paper(key, title, own, verdicts.numbers(key, own), verdicts.claims_of(key, own))
        )
    return made
