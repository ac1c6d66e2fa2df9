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
from replication.simulator.drop_rules import DROP_RULES
from replication.simulator.logs import registry
from replication.verdicts import published, tables

ALTERED = "its files differ from its record; draw it again"


class ReportError(ValueError):
    """A report that cannot be made; the message names the reason."""


def notebooks() -> dict[str, Path]:
    """Return the paths of all notebooks of the replication by ``paper/item``, papers and items in
    natural order.
    """
    return _by_name(paths.NOTEBOOKS / paper for paper in record.CHAPTERS)


def studies() -> dict[str, Path]:
    """Return the paths of the notebooks of all studies by ``studies/study/item``."""
    return _by_name(sorted(folder for folder in paths.STUDIES.glob("*") if folder.is_dir()))


def _by_name(folders):
    def natural(path):
        return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]

    return {
        record.name_of(path): path
        for folder in folders
        for path in sorted(folder.glob("*.ipynb"), key=natural)
    }


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

    def altered_files(self) -> list[str]:
        """Return the names of outputs that differ from the record, or that it does not name."""
        hashes = {name: facts["sha256"] for name, facts in self.facts["files"].items()}
        names = (path.name for path in self.folder.glob(f"{self.name.rpartition('/')[2]}[-.]*"))
        outputs = {name for name in names if name.endswith((".csv", ".ipynb", ".png"))}
        return [
            name
            for name in {*hashes, *outputs}
            if not record.OUTPUT.fullmatch(name) or hashes.get(name) != _sha256(self.folder / name)
        ]

    def foreign(self) -> list[str]:
        """Return how a record differs from its folder, from its committed notebook and from the
        registered logs.
        """
        values, provenance = self.facts["parameters"], self.facts["provenance"]
        scale = values.get("scale") if self.kind == "stand-in" else self.kind
        checksum = record.checksum(self.facts)
        facts = [
            ("item", self.facts["item"], self.name),
            ("kind", provenance["kind"], self.kind),
            ("scale", values.get("scale"), scale),
            ("checksum", self.facts["sha256"], checksum),
        ]
        logs = dict(map(registry.file_and_rules, values["logs"]))
        if self.kind == "paper":
            facts.append(("logs", *map(_listed, (provenance["logs"], logs))))
        for log, log_facts in provenance["logs"].items():
            facts += self._facts_of_log(log, log_facts, logs.get(log, {}))
        unknown = [
            name for name in self.facts["claims"] if name not in published.claims_of(self.paper)
        ]
        facts += [("claim", name, f"a claim of {self.paper}") for name in unknown]
        odd = [
            f"{name} {ours} (expected: {expected})"
            for name, ours, expected in facts
            if ours != expected
        ]
        return [*parameters.recorded_changes(self.name, values), *odd]

    def _facts_of_log(self, log, recorded, log_rules):
        """Return facts of a log, as (words, value in the record, value in the registry)."""
        if recorded["stand_in"] and self.kind == "stand-in":
            return []
        if log not in registry.names():
            return [("log", log, "a registered log")]
        registered = registry.info(log)
        facts = [(f"SHA-256 of {log}", recorded["sha256"], registered.sha256)]
        if self.kind == "paper":
            lost = sum(recorded["cleaning"].get(rule, 0) for rule in DROP_RULES)
            rules = registry.cleaning_of(log, record.rules_of(log, self.paper))
            machine = log_rules.get("machine") or rules.machine
            facts += [
                (f"stand_in of {log}", recorded["stand_in"], False),
                (f"jobs of {log}", recorded["jobs_used"], recorded["jobs"]),
                (f"jobs and dropped jobs of {log}", recorded["jobs"] + lost, registered.jobs),
                (f"processors of {log}", recorded["processors"], machine),
            ]
        return facts


def _listed(names):
    return ", ".join(sorted(names)) or "none"


def _sha256(path):
    return record.sha256(path.read_bytes()) if path.exists() else None


@dataclass
class Paper:
    """A paper with its items, all published numbers, and all claims; or a study, which has only
    items.
    """

    key: str
    title: str
    items: list
    numbers: list
    claims: list


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
    ReportError
        If a record is not of its folder, its committed notebook or the registered logs.
    """
    items, missing, foreign = [], {}, []
    for name in notebooks() | studies():
        kinds = record.KINDS[record.KINDS.index(kind) :: -1]
        drawn = ((kind, record.read(kind, name)) for kind in kinds)
        item = next((Item(name, kind, facts) for kind, facts in drawn if facts), None)
        if item is None:
            missing[name] = "not drawn yet"
        elif reasons := item.foreign():
            foreign.append(f"{name}: {', '.join(reasons)}")
        elif item.altered_files():
            missing[name] = ALTERED
        else:
            items.append(item)
    if foreign:
        raise ReportError(
            f"records that differ from what they name; draw them again: {'; '.join(foreign)}"
        )
    return Results(kind, papers(items), grouped_studies(items), missing)


def recorded() -> Results:
    """Return the results in ``figures/``; ReportError if an output differs from its record."""
    results = collect("paper")
    if altered := [name for name, reason in results.missing.items() if reason == ALTERED]:
        raise ReportError(f"{', '.join(altered)}: {ALTERED}")
    return results


def papers(items) -> list[Paper]:
    """Return the papers of some items, each with all its numbers and claims.

    Claims may name a notebook of a study, which then decides them.
    """
    chapters = []
    for key, title in record.CHAPTERS.items():
        drawn = [item for item in items if item.name.startswith(f"{key}/")]
        named = {entry["notebook"] for entry in published.claims_of(key).values()}
        deciding = drawn + [item for item in items if item.name in named and item not in drawn]
        chapters.append(
            Paper(key, title, drawn, tables.numbers(key, drawn), tables.claims(key, deciding))
        )
    return chapters


def grouped_studies(items) -> list[Paper]:
    """Return the studies of some items, each a `Paper` of the study's folder."""
    by_key = {}
    for item in items:
        if item.name.startswith(record.STUDY):
            key = item.name.rpartition("/")[0]
            title = key.removeprefix(record.STUDY).replace("_", " ").capitalize()
            by_key.setdefault(key, Paper(key, title, [], [], [])).items.append(item)
    return list(by_key.values())
