"""What the papers say: the numbers in ``data/published/<paper>/<item>.csv``, checked as they are read.

The names of policies and measures, and how the numbers were entered, are in ``data/published/README.md``.
"""

import csv
import math
from dataclasses import dataclass, replace

from replication.basics import paths
from replication.basics.data import toml

COLUMNS = ("item", "trace", "policy", "measure", "value", "unit", "decimals", "source")


class PublishedError(ValueError):
    """A published value that is missing or badly entered; the message names file, field and value."""


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
    upper: float | None = None  # of a range, of which `value` is the lower end; see `joined`
    right: float | None = None  # what should stand there, where an erratum is printed

    @property
    def key(self):
        """The (trace, policy, measure) that names this number within its item."""
        return self.trace, self.policy, self.measure

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
    """Names of the items of a paper that have published numbers, sorted; PublishedError for another
    paper.
    """
    if paper not in papers():
        raise PublishedError(
            f"no published values of paper {paper!r}; known: {', '.join(papers())}"
        )
    return sorted(path.stem for path in (paths.PUBLISHED / paper).glob("*.csv"))


def rows(paper, item):
    """The published numbers of one item, in the order of the file. PublishedError if paper or item
    is unknown, or a row of the file is badly entered.
    """
    if item not in items(paper):
        raise PublishedError(
            f"{paper}: no published item {item!r}; known: {', '.join(items(paper))}"
        )
    return _read(paths.PUBLISHED / paper / f"{item}.csv")


def joined(found):
    """The same numbers with a range's two ends, ``<measure>_min`` and ``_max``, as one that is
    named as the measure.
    """
    by = {row.key: row for row in found}
    made = []
    for row in found:
        base, _, end = row.measure.rpartition("_")
        low, high = (by.get((row.trace, row.policy, f"{base}_{one}")) for one in ("min", "max"))
        if low is None or high is None:
            made.append(row)
        elif end == "min":
            made.append(replace(low, measure=base, upper=high.value))
    return made


def _errata():
    """What should stand where a paper has a misprint, by paper, item and key in words."""
    known = [one["erratum"] for one in entries("contradictions.toml").values() if "erratum" in one]
    return {one["cell"]: one["right"] for one in known}


def largest(paper, item, measure):
    """The largest published number of a measure in an item."""
    return max(
        (row for row in rows(paper, item) if row.measure == measure), key=lambda row: row.value
    )


def value(paper, item, *, trace=None, policy=None, measure=None):
    """The one published number that fits; a name left out may be anything. PublishedError if no
    number fits, or more than one.
    """
    asked = {"trace": trace, "policy": policy, "measure": measure}
    asked = {name: wanted for name, wanted in asked.items() if wanted is not None}
    fitting = rows(paper, item)
    for name, wanted in asked.items():
        known = sorted({getattr(row, name) for row in fitting})
        fitting = [row for row in fitting if getattr(row, name) == wanted]
        if not fitting:
            raise PublishedError(
                f"{paper}/{item}: no published value has {name} {wanted!r} among "
                f"those left; they have: {', '.join(known)}"
            )
    if len(fitting) > 1:
        raise PublishedError(
            f"{paper}/{item}: {len(fitting)} published values fit, one must; "
            "give trace, policy and measure"
        )
    return fitting[0]


def _read(path):
    """All rows of a file, each checked; keys may not repeat."""
    where, errata = f"{path.parent.name}/{path.name}", _errata()
    with open(path, encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = tuple(next(lines, ()))
        if header != COLUMNS:
            raise PublishedError(
                f"{where} line 1: columns {','.join(header)}, expected {','.join(COLUMNS)}"
            )
        found = {}
        for cells in lines:
            line = f"{where} line {lines.line_num}"
            row = _row(line, cells)
            if row.item != path.stem:
                raise PublishedError(f"{line}: item {row.item!r}, expected {path.stem!r}")
            if row.key in found:
                raise PublishedError(f"{line}: {' / '.join(row.key)} stands there already")
            cell = f"{path.parent.name}/{path.stem} {' '.join(row.key)}"
            found[row.key] = replace(row, right=errata.get(cell))
    if not found:
        raise PublishedError(f"{where}: no rows, at least one needed")
    return list(found.values())


def _row(where, cells):
    """One line as a `Published`, or an error that says which field is wrong."""
    if len(cells) != len(COLUMNS):
        raise PublishedError(f"{where}: {len(cells)} fields, expected {len(COLUMNS)}")
    text = dict(zip(COLUMNS, cells, strict=True))
    for name, cell in text.items():
        if not cell or cell != cell.strip():
            raise PublishedError(
                f"{where}: {name} {cell!r}, allowed: text with no blanks around it"
            )
    if not text["decimals"].isdecimal():
        raise PublishedError(f"{where}: decimals {text['decimals']!r}, allowed: 0, 1, 2, ...")
    decimals = int(text["decimals"])
    return Published(
        **text | {"value": _number(where, text["value"], decimals), "decimals": decimals}
    )


def _number(where, text, decimals):
    """A plain decimal number with exactly `decimals` digits after the point."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    plain = set(text) <= set("-0123456789.")
    if not plain or not math.isfinite(number):
        raise PublishedError(
            f"{where}: value {text!r}, allowed: a plain number, no separators, no exponent"
        )
    printed = len(text.partition(".")[2])
    if printed != decimals:
        raise PublishedError(
            f"{where}: value {text} has {printed} decimals, field decimals says {decimals}"
        )
    return number
