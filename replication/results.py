"""What was drawn, gathered from the records, before it has a shape."""

import csv
from dataclasses import dataclass, field

from replication import compare, notebook, page, published, record

NOT_DRAWN = "not drawn"


class ReportError(ValueError):
    """A report that cannot be made; the message names what stands in the way."""


@dataclass
class Item:
    """One notebook's results.

    Parameters
    ----------
    name : str
        ``paper/item``.
    kind : str
        What they are worth, one of `replication.record.KINDS`.
    facts : dict
        The record beside the outputs.
    notebook : nbformat.NotebookNode
        As executed.
    """

    name: str
    kind: str
    facts: dict
    notebook: object

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
        """Paths of its outputs of one role: figure, table or verdicts."""
        return [self.folder / file for file, facts in self.facts["files"].items() if facts["role"] == role]

    def rows(self):
        """Its comparisons with the paper, one dict a number."""
        return [row for path in self.files("verdicts") for row in read_csv(path)]

    @property
    def counts(self):
        """How many of its numbers got each verdict, best first."""
        return _count(row["verdict"] for row in self.rows())


@dataclass
class Paper:
    """A paper's items, and how its published numbers fared.

    Parameters
    ----------
    key, title : str
    items : list of Item
    counts : dict of str to int
        By verdict, and those not drawn.
    published : int
    """

    key: str
    title: str
    items: list
    counts: dict
    published: int


@dataclass
class Results:
    """Everything a report tells, before it has a shape.

    Parameters
    ----------
    kind : str
        What the weakest part is worth.
    papers : list of Paper
    missing : dict of str to str
        Notebooks that are not in it, and why.
    """

    kind: str
    papers: list
    missing: dict = field(default_factory=dict)

    @property
    def items(self):
        """All items, in the order of the papers."""
        return [item for paper in self.papers for item in paper.items]

    @property
    def published(self):
        """How many numbers all papers together print."""
        return sum(paper.published for paper in self.papers)

    @property
    def counts(self):
        """How all of those fared."""
        return {word: sum(paper.counts[word] for paper in self.papers)
                for word in (*compare.VERDICTS, NOT_DRAWN)}


def collect(kind):
    """Gather what was drawn.

    Parameters
    ----------
    kind : str
        One of `replication.record.KINDS`. A notebook that was not run in this way is shown as it was last run
        in a way that is worth more, if it was.

    Returns
    -------
    Results

    Raises
    ------
    ReportError
        If two notebooks give different verdicts on one published number.
    """
    wanted = record.KINDS[record.KINDS.index(kind)::-1]
    items, missing = {}, {}
    for name in notebook.found():
        found = next((worth for worth in wanted if record.executed(worth, name).exists()), None)
        if found is None:
            missing[name] = "not drawn yet, or it failed"
        elif (item := _item(name, found)) is None:
            missing[name] = "its outputs are not those of its executed notebook; draw it again"
        else:
            items[name] = item
    papers = [_paper(key, [item for name, item in items.items() if name.startswith(f"{key}/")])
              for key in record.PAPERS]
    return Results(kind, papers, missing)


def _item(name, kind):
    """The results of a notebook; None where its record or files are of another run."""
    import nbformat

    executed = nbformat.read(record.executed(kind, name), as_version=4)
    paper, item = name.split("/")
    facts = record.read(record.folder(kind, paper) / f"{item}.json")
    said = [output.data[page.MIME]["files"] for cell in executed.cells for output in cell.get("outputs", [])
            if page.MIME in output.get("data", {})]
    if facts is None or not said or {file: own["sha256"] for file, own in facts["files"].items()} != said[-1]:
        return None
    for file, digest in said[-1].items():
        path = record.folder(kind, paper) / file
        if not path.exists() or record.sha256(path.read_bytes()) != digest:
            return None
    return Item(name, kind, facts, executed)


def _paper(key, items):
    verdicts = {}
    for item in items:
        for row in item.rows():
            number = (row["item"], row["trace"], row["policy"], row["measure"])
            if verdicts.setdefault(number, row["verdict"]) != row["verdict"]:
                raise ReportError(f"{key}: two notebooks give {verdicts[number]!r} and {row['verdict']!r} on "
                                  f"{' / '.join(number)} (the second is {item.name})")
    total = 0
    if key in published.papers():
        total = sum(len(published.rows(key, item)) for item in published.items(key))
    counts = _count(verdicts.values()) | {NOT_DRAWN: total - len(verdicts)}
    return Paper(key, record.PAPERS[key], items, counts, total)


def _count(words):
    words = list(words)
    return {verdict: words.count(verdict) for verdict in compare.VERDICTS}


def read_csv(path):
    """A saved table, each row a dict of text.

    Parameters
    ----------
    path : pathlib.Path

    Returns
    -------
    list of dict
    """
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
