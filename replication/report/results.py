"""All recorded results: items, published numbers and claims, by paper.

The report and the article are made from `Results` and from nothing else. Each number and each claim
names the item that computes it.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from replication.report import parameters, record
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.verdicts import evidence, published

NOT_DRAWN = "not drawn yet"


class ReportError(ValueError):
    """A report that cannot be made; the message names the reason."""


def notebooks() -> dict[str, Path]:
    """Return the paths of all notebooks of the replication by ``paper/item``, papers and items in
    natural order.
    """
    return _by_name(paths.NOTEBOOKS / paper for paper in record.CHAPTERS)


def studies() -> dict[str, Path]:
    """Return the paths of the notebooks of all studies by ``studies/study/item``."""
    return _by_name(sorted(folder for folder in record.STUDIES.glob("*") if folder.is_dir()))


def _by_name(folders):
    def natural(path):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]

    return {
        record.name_of(path): path
        for folder in folders
        for path in sorted(folder.glob("*.ipynb"), key=natural)
    }


def plain(name) -> str:
    """Return the name of an item without leading zeros of its number: fig4 of fig04."""
    return re.sub("(?<=[a-z])0+", "", name)


@dataclass
class Item:
    """The results of one notebook: their kind and their record."""

    name: str  # ``paper/item``, or ``studies/study/item``
    kind: str
    facts: dict

    @property
    def id(self) -> str:
        """The id of its place in the report."""
        return self.name.replace("/", "-")

    @property
    def source(self) -> Path:
        """The path of its notebook."""
        return record.source(self.name)

    @property
    def path(self) -> str:
        """The path of its notebook in the repository, as text."""
        return record.path_of(self.name)

    @cached_property
    def title(self) -> str:
        """The title of its notebook."""
        return record.title(self.name)

    @property
    def paper(self) -> str:
        """The paper whose rules make the jobs of its logs and whose claims it can decide; empty for
        none.
        """
        return self.facts.get("paper", self.name.partition("/")[0])

    @property
    def folder(self) -> Path:
        """The folder of its outputs."""
        return record.folder(self.kind, self.name)

    @property
    def is_analysis(self) -> bool:
        """True for an item that is no table or figure of the paper."""
        return not re.search("/(fig|table)", self.name)

    def outdated(self) -> list[str]:
        """Return how its parameters differ from those of its notebook and its logs from the
        registered ones, and which files are lost.
        """
        values, logs = self.facts["parameters"], self.facts["provenance"]["logs"]
        other_files = [
            f"with another file of {log}"
            for log, about in logs.items()
            if log in registry.names()
            and not about["stand_in"]
            and about["sha256"] != registry.info(log).sha256
        ]
        changes = parameters.differences(values, parameters.on_disk(self.name))
        lost = [file for file in self.facts["files"] if not (self.folder / file).exists()]
        changed = [f"with {change}" for change in changes] + other_files
        return changed + [f"without {file}" for file in lost]

    @cached_property
    def evidence(self) -> dict[str, tuple]:
        """Its rows of evidence by statement, see `replication.verdicts.evidence.read`."""
        return evidence.read(self.folder / f"{self.source.stem}.evidence.csv")


@dataclass
class Paper:
    """A paper with its items, all published numbers, and all claims; or a study, which has only
    items.
    """

    key: str
    title: str
    items: list
    statements: list

    @property
    def numbers(self) -> list:
        """The printed numbers."""
        return [
            statement for statement in self.statements if isinstance(statement, evidence.Number)
        ]

    @property
    def claims(self) -> list:
        """The claims."""
        return [statement for statement in self.statements if isinstance(statement, evidence.Claim)]

    @property
    def in_order(self) -> list:
        """The items: figures and tables in the paper's order, then the analyses."""
        return sorted(self.items, key=lambda item: item.is_analysis)

    def numbers_of(self, item) -> list:
        """Return the printed numbers that an item compares with ours."""
        by_id = {number.id: number for number in self.numbers}
        return [by_id[name] for name in item.evidence if name in by_id]

    def claims_of(self, item) -> list:
        """Return the claims of an item: those that it decides, and those whose section names it."""
        if item.name.startswith(record.STUDY):
            return [claim for claim in self.claims if claim.id in item.evidence]
        name = plain(item.name.partition("/")[2])
        return [
            claim for claim in self.claims if claim.drawn_by == item.name or name in claim.items
        ]


@dataclass
class Results:
    """The results of all papers and of all studies, their kind, and the reason for each missing
    notebook.
    """

    kind: str
    papers: list
    studies: list
    missing: dict = field(default_factory=dict)

    def every(self, what) -> list:
        """Return the ``items``, ``numbers`` or ``claims`` of all papers and studies, in their
        order.
        """
        return [result for part in (*self.papers, *self.studies) for result in getattr(part, what)]


def collect(kind) -> Results:
    """Return the results of a kind, or of a better one where a notebook has none of this kind.

    Raises
    ------
    EvidenceError
        If two notebooks disagree on a number or a claim.
    """
    items, missing = [], {}
    every = [statement for key in record.CHAPTERS for statement in evidence.statements(key)]
    for name in notebooks() | studies():
        kinds = record.KINDS[record.KINDS.index(kind) :: -1]
        drawn = ((kind, record.read(kind, name)) for kind in kinds)
        item = next((Item(name, kind, facts) for kind, facts in drawn if facts), None)
        if item is None:
            missing[name] = NOT_DRAWN
        elif reasons := item.outdated():
            missing[name] = ", ".join(reasons)
        else:
            try:
                evidence.check(item, every)
                items.append(item)
            except evidence.EvidenceError as error:
                missing[name] = str(error)
    return Results(kind, papers(items), grouped_studies(items), missing)


def papers(items) -> list[Paper]:
    """Return the papers of some items, each with all its numbers and claims.

    Claims may name a notebook of a study, which then decides them.
    """
    chapters = []
    for key, title in record.CHAPTERS.items():
        drawn = [item for item in items if item.name.startswith(f"{key}/")]
        named = {entry["notebook"] for entry in published.claims_of(key).values()}
        deciding = drawn + [item for item in items if item.name in named and item not in drawn]
        chapters.append(Paper(key, title, drawn, evidence.statements(key, deciding)))
    return chapters


def grouped_studies(items) -> list[Paper]:
    """Return the studies of some items, each a `Paper` of the study's folder."""
    by_key = {}
    for item in items:
        if item.name.startswith(record.STUDY):
            key = item.name.rpartition("/")[0]
            title = key.removeprefix(record.STUDY).replace("_", " ").capitalize()
            by_key.setdefault(key, Paper(key, title, [], [])).items.append(item)
    return list(by_key.values())
