"""What was drawn, gathered from the records, before it has a shape.

`Results` has `Paper`s, a paper has `Item`s (its notebooks), `replication.papers.verdicts.Number`s (all it prints)
and `replication.papers.verdicts.Claim`s (all that it says of its results). Each number and claim names the item that
draws it. Both the HTML report and the PDF are made from it and from nothing else.
"""

from dataclasses import dataclass, field

from replication.papers import verdicts
from replication.report import notebook, record


class ReportError(ValueError):
    """A report that cannot be made; the message names what stands in the way."""


@dataclass
class Item:
    """One notebook's results: what they are worth, and the record beside the outputs."""

    name: str
    kind: str
    facts: dict

    @property
    def id(self):
        """Name of its place in the page."""
        return self.name.replace("/", "-")

    @property
    def folder(self):
        """Folder of its outputs."""
        return record.folder(self.kind, self.name.split("/")[0])

    def altered(self, *roles):
        """Paths of its outputs, of all roles or of some, that are not as its record says."""
        return [
            path
            for file, facts in self.facts["files"].items()
            if not roles or facts["role"] in roles
            if not (path := self.folder / file).exists()
            or record.sha256(path.read_bytes()) != facts["sha256"]
        ]

    def rows(self, role):
        """The rows of its comparisons (``verdicts``) or of what it decides (``claims``), each a dict of text."""
        files = [file for file, facts in self.facts["files"].items() if facts["role"] == role]
        return [row for file in files for row in verdicts.read_csv(self.folder / file)]


@dataclass
class Paper:
    """A paper's items, all the numbers that it prints, drawn or not, and all claims that were entered."""

    key: str
    title: str
    items: list
    numbers: list
    claims: list

    @property
    def parts(self):
        """What its numbers and claims are about, each with how both fared; each fact once."""
        return {
            about: (
                verdicts.count(self.numbers, verdicts.NUMBER_WORDS, [about]),
                verdicts.count(self.claims, verdicts.CLAIM_WORDS, [about]),
            )
            for about in verdicts.ABOUT
        }


@dataclass
class Results:
    """Everything a report tells, of which the kind is the weakest part's; ``missing`` says why of each notebook."""

    kind: str
    papers: list
    missing: dict = field(default_factory=dict)

    def every(self, what):
        """The ``items``, ``numbers`` or ``claims`` of all papers, in their order."""
        return [one for paper in self.papers for one in getattr(paper, what)]


def collect(kind, failed=()):
    """Gather what was drawn. A notebook that was not run in the way of this kind is shown as it was
    last run in a way that is worth more, if it was; those that failed are left out although
    older results of theirs lie there. EvidenceError if two notebooks give different verdicts on
    one published number, or decide one claim.
    """
    wanted = record.KINDS[record.KINDS.index(kind) :: -1]
    items, missing = [], {}
    for name in notebook.found():
        drawn = _item(name, *wanted)
        if name in failed or drawn is None:
            missing[name] = "it failed" if name in failed else "not drawn yet"
        elif drawn.altered():
            missing[name] = "its files are not those that its record names; draw it again"
        else:
            items.append(drawn)
    return Results(kind, papers(items), missing)


def recorded():
    """What stands in ``figures/``; ReportError if a table of verdicts is not the one that was drawn."""
    drawn = [item for name in notebook.found() if (item := _item(name, "paper")) is not None]
    for item in drawn:
        if altered := item.altered("verdicts", "claims"):
            raise ReportError(
                f"{altered[0]}: not the file that the record beside it names; draw it again"
            )
    return Results("paper", papers(drawn))


def _item(name, *kinds):
    """The results of a notebook of the first of some kinds of which there is a record; None where there is none."""
    drawn = ((kind, record.of(kind, name)) for kind in kinds)
    return next((Item(name, kind, facts) for kind, facts in drawn if facts is not None), None)


def papers(items):
    """The papers of some items, each with all its numbers and claims."""
    made = []
    for key, title in record.CHAPTERS.items():
        own = [item for item in items if item.name.startswith(f"{key}/")]
        made.append(Paper(key, title, own, verdicts.numbers(key, own), verdicts.decided(key, own)))
    return made
