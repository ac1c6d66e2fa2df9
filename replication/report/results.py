"""All recorded results: items, published numbers and claims, by paper.

The report and the article are made from `Results` and from nothing else. Each number and each claim names the item that
computes it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from replication.papers import tables
from replication.report import record
from replication.simulator import paths

ALTERED = "its files differ from its record; draw it again"


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

    def altered_files(self):
        """Return the names of outputs that differ from the record."""
        hashes = {name: facts["sha256"] for name, facts in self.facts["files"].items()}
        return [name for name, digest in hashes.items() if digest != _sha256(self.folder / name)]


def _sha256(path):
    return record.sha256(path.read_bytes()) if path.exists() else None


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
        kinds = record.KINDS[record.KINDS.index(kind) :: -1]
        drawn = ((kind, record.read(kind, name)) for kind in kinds)
        item = next((Item(name, kind, facts) for kind, facts in drawn if facts), None)
        if item is None:
            missing[name] = "not drawn yet"
        elif item.altered_files():
            missing[name] = ALTERED
        else:
            items.append(item)
    return Results(kind, papers(items), missing)


def recorded():
    """Return the results in ``figures/``; ReportError if an output differs from its record."""
    results = collect("paper")
    if altered := [name for name, reason in results.missing.items() if reason == ALTERED]:
        raise ReportError(f"{', '.join(altered)}: {ALTERED}")
    return results


def papers(items):
    """Return the papers of some items, each with all its numbers and claims."""
    made = []
    for key, title in record.CHAPTERS.items():
        own = [item for item in items if item.name.startswith(f"{key}/")]
        made.append(Paper(key, title, own, tables.numbers(key, own), tables.claims(key, own)))
    return made
