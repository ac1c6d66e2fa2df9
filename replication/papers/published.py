"""What the papers say: the numbers in ``data/published/<paper>/<item>.csv``, checked as they are read.

The names of policies and measures, and how the numbers were entered, are in ``data/published/README.md``.
"""

import csv
import re
from dataclasses import dataclass, replace

from replication.simulator import paths
from replication.simulator.paths import toml

COLUMNS = ("item", "trace", "policy", "measure", "value", "unit", "decimals", "source")

# What a field may be, and in words; all others are as item.
FORMS = {
    "item": (r"\S(.*\S)?", "text with no blanks around it"),
    "value": (r"-?[0-9]+(\.[0-9]+)?", "a plain number, no separators, no exponent"),
    "decimals": ("[0-9]+", "0, 1, 2, ..."),
}


class EvidenceError(ValueError):
    """What the papers say, or what is laid beside it, cannot be used; the message names it and what is allowed."""


@dataclass(frozen=True)
class Published:
    """One number of a paper, in the unit that is printed beside it."""

    item: str  # table, figure or ``text``; the stem of the file
    trace: str  # registry name; ``all`` for a statement over all of a paper's logs; an example's figure
    policy: str  # scheduler, predictor or estimate model; ``log`` where nothing is scheduled
    measure: str
    value: float
    unit: str
    decimals: int  # digits printed after the decimal point
    source: str  # paper, section and table where a reader finds it
    right: float | None = None  # what should stand there, where an erratum is printed

    @property
    def key(self):
        """The (trace, policy, measure) that names this number within its item."""
        return self.trace, self.policy, self.measure

    @property
    def is_ratio(self):
        """Whether the number is a ratio to the value of a baseline, such as x Reqtime."""
        return self.unit.startswith("x ")

    @property
    def is_maximum(self):
        """Whether the number is the largest of all jobs."""
        return self.measure.startswith("max_")

    @property
    def is_derived(self):
        """Whether other entries imply the number: others printed, by arithmetic, or a claim."""
        return "derived" in self.source

    @property
    def is_around(self):
        """Whether the paper says around or about, so that the number is rounded to its last digit but zeros."""
        return "'around'" in self.source or "'about'" in self.source


def registered():
    """The papers as ``data/published/papers.toml`` has them, the one place where a paper is named:
    its short name and its title, by the name of its folders, in the order of the report.
    """
    return entries("papers.toml")


def entries(*parts):
    """What a TOML file under ``data/published`` has, by name; nothing where there is no such file.
    `parts` say where it lies, such as a paper and ``claims.toml``.
    """
    path = paths.PUBLISHED.joinpath(*parts)
    return toml(path) if path.exists() else {}


def papers():
    """Names of the papers, sorted."""
    return sorted(folder.name for folder in paths.PUBLISHED.iterdir() if any(folder.glob("*.csv")))


def items(paper):
    """Names of a paper's items with published numbers, sorted; EvidenceError for another paper."""
    if paper not in papers():
        raise EvidenceError(f"no published values of paper {paper!r}; known: {', '.join(papers())}")
    return sorted(path.stem for path in (paths.PUBLISHED / paper).glob("*.csv"))


def rows(paper, item):
    """The published numbers of one item, in the order of the file. EvidenceError if paper or item
    is unknown, or a row of the file is badly entered.
    """
    if item not in items(paper):
        raise EvidenceError(
            f"{paper}: no published item {item!r}; known: {', '.join(items(paper))}"
        )
    where, found = f"{paper}/{item}.csv", {}
    misprints = [one.get("erratum") for one in entries("contradictions.toml").values()]
    right = {one["cell"]: one["right"] for one in misprints if one}
    with open(paths.PUBLISHED / where, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = tuple(next(lines, ()))
        if header != COLUMNS:
            raise EvidenceError(
                f"{where} line 1: columns {','.join(header)}, expected {','.join(COLUMNS)}"
            )
        for cells in lines:
            line = f"{where} line {lines.line_num}"
            row = _row(line, cells)
            if row.item != item:
                raise EvidenceError(f"{line}: item {row.item!r}, expected {item!r}")
            if row.key in found:
                raise EvidenceError(f"{line}: {' / '.join(row.key)} stands there already")
            found[row.key] = replace(row, right=right.get(f"{paper}/{item} {' '.join(row.key)}"))
    if not found:
        raise EvidenceError(f"{where}: no rows, at least one needed")
    return list(found.values())


def largest(paper, item, measure):
    """The largest published number of a measure in an item."""
    return max(
        (row for row in rows(paper, item) if row.measure == measure), key=lambda row: row.value
    )


def value(paper, item, *, trace=None, policy=None, measure=None):
    """The one published number that fits; a name left out may be anything. EvidenceError if no
    number fits, or more than one.
    """
    asked = {"trace": trace, "policy": policy, "measure": measure}
    asked = {name: wanted for name, wanted in asked.items() if wanted is not None}
    fitting = rows(paper, item)
    for name, wanted in asked.items():
        known = sorted({getattr(row, name) for row in fitting})
        fitting = [row for row in fitting if getattr(row, name) == wanted]
        if not fitting:
            raise EvidenceError(
                f"{paper}/{item}: no published value has {name} {wanted!r} among "
                f"those left; they have: {', '.join(known)}"
            )
    if len(fitting) > 1:
        raise EvidenceError(
            f"{paper}/{item}: {len(fitting)} published values fit, one must; "
            "give trace, policy and measure"
        )
    return fitting[0]


def _row(where, cells):
    """One line as a `Published`, or an error that says which field is wrong."""
    if len(cells) != len(COLUMNS):
        raise EvidenceError(f"{where}: {len(cells)} fields, expected {len(COLUMNS)}")
    text = dict(zip(COLUMNS, cells, strict=True))
    for name, cell in text.items():
        form, words = FORMS.get(name, FORMS["item"])
        if not re.fullmatch(form, cell):
            raise EvidenceError(f"{where}: {name} {cell!r}, allowed: {words}")
    value, decimals = text["value"], int(text["decimals"])
    if (printed := len(value.partition(".")[2])) != decimals:
        raise EvidenceError(
            f"{where}: value {value} has {printed} decimals, field decimals says {decimals}"
        )
    return Published(**text | {"value": float(value), "decimals": decimals})
