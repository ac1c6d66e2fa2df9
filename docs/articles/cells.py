"""Tables of results, whose cells become the text of the articles."""

import functools
import math

import pandas as pd

from replication.report import record
from replication.report.render import SIGNS
from replication.verdicts import evidence, shown

MISSING = "\u2013"
#: Columns of the cases of claims.
CASE = ["claim", "case", "part", *evidence.NUMBERS, "unit"]
#: Column with the anchor of a row in the report.
PLACE = "place in the report"


class NoResult(ValueError):
    """A value without a result, or a result that differs from the one its sentence states."""


class Cells:
    """Rows of a table of results.

    Its methods take conditions on columns, such as ``log="CTC-SP2"``: the value of the rows that
    count, or several values in a tuple. They return text, a link to the record in the report.

    Parameters
    ----------
    name : str
        For messages.
    rows : pandas.DataFrame
        With the column `PLACE`.
    is_linked : bool
    """

    def __init__(self, name, rows, is_linked):
        self.name, self.rows, self.is_linked = name, rows, is_linked

    def where(self, **conditions) -> "Cells":
        """Return the rows that meet all conditions; NoResult if a column lacks the value."""
        rows = self.rows
        for column, wanted in conditions.items():
            meets = self._column(column).isin(wanted if isinstance(wanted, tuple) else [wanted])
            if not meets.any():
                raise NoResult(f"{self.name}: no row has {column}={wanted}")
            rows = rows[meets.loc[rows.index]]
        return Cells(self.name, rows, self.is_linked)

    def values(self, column, **conditions) -> list:
        """Return the cells of a column; NoResult if there are none."""
        cells = self.where(**conditions)._column(column).tolist()
        if not cells:
            raise NoResult(f"{self.name}: no row has {conditions}")
        return cells

    def number(self, column, **conditions) -> float:
        """Return the number in a cell, nan if it is empty."""
        [cell] = self.values(column, **conditions)
        return math.nan if cell == "" else float(cell)

    def text(self, column, form="", **conditions) -> str:
        """Return the cells of a column in a format such as ``,.0f``; a dash for an empty one."""
        cells = self.values(column, **conditions)
        return self.link(", ".join(in_form(cell, form) for cell in cells), **conditions)

    def size(self, column, form, **conditions) -> str:
        """Return the absolute value of a number."""
        number = abs(self.number(column, **conditions))
        return self.link(in_form(number, form), **conditions)

    def range(self, column, form, **conditions) -> str:
        """Return the least and the largest number of a column."""
        cells = [float(cell) for cell in self.values(column, **conditions) if cell != ""]
        ends = dict.fromkeys(in_form(end, form) for end in (min(cells), max(cells)))
        return self.link(" to ".join(ends).replace(" % to ", " to "), **conditions)

    def total(self, column, **conditions) -> str:
        """Return the sum of a column of whole numbers."""
        return self.link(f"{sum(map(float, self.values(column, **conditions))):.0f}", **conditions)

    def count(self, **conditions) -> str:
        """Return the number of rows."""
        return self.link(str(len(self.where(**conditions).rows)), **conditions)

    def interval(self, column, form="+.1f", ends=".1f", names=None, **conditions) -> str:
        """Return a number with the ends of its interval, in the columns ``COLUMN low`` and ``COLUMN
        high`` or in those of `names`; a dash if it is empty.
        """
        names = names or (f"{column} low", f"{column} high")
        value, *both = (self.number(name, **conditions) for name in (column, *names))
        if math.isnan(value):
            return MISSING
        low, high = (in_form(end, ends) for end in both)
        return self.link(f"{in_form(value, form)} [{low}, {high}]", **conditions)

    def link(self, text, **conditions) -> str:
        """Return a text that is linked to the place of the rows, if they share one."""
        places = set(self.where(**conditions).rows[PLACE])
        if not self.is_linked or len(places) != 1 or text == MISSING or not (place := places.pop()):
            return text
        return f"[{text}](#record:{place}){{.value}}"

    def _column(self, name):
        if name not in self.rows or name == PLACE:
            names = ", ".join(column for column in self.rows if column != PLACE)
            raise NoResult(f"{self.name} has no column {name!r}, but {names}")
        return self.rows[name]


class Records:
    """All tables of results, by name.

    Parameters
    ----------
    results : replication.report.results.Results
    is_linked : bool
        Whether values and verdicts are links to the report.
    """

    def __init__(self, results, is_linked=True):
        self._papers, self._items = results.papers, results.every("items")
        self.is_linked = is_linked
        self.table = functools.cache(self.table)

    def table(self, name) -> Cells:
        """Return a table.

        Parameters
        ----------
        name : str
            ``PAPER/ITEM`` or ``PAPER/ITEM-NAME`` for the CSV file of this name; ``PAPER.numbers``,
            ``PAPER.claims``, ``all.claims`` and ``PAPER.cases`` for published numbers, claims and
            the cases of claims.
        """
        paper, _, part = name.partition(".")
        rows = self._rows(paper, part) if part else self._csv(name)
        return Cells(name, pd.DataFrame(rows), self.is_linked)

    def verdict(self, claim) -> str:
        """Return the verdict on a claim (``paper/name``) with its symbol."""
        verdict = self.word(claim)
        # With a plain blank "= check" in a cell would be a heading in typst.
        text = f"{SIGNS[verdict]}\u00a0{verdict}"
        place = evidence.place("claim", *claim.split("/"))
        return f"[{text}](#{place})" if self.is_linked else text

    def word(self, claim) -> str:
        """Return the verdict on a claim."""
        paper, _, name = claim.partition("/")
        return self.table(f"{paper}.claims").values("verdict", claim=name)[0]

    def _rows(self, paper, part):
        chapters = [chapter for chapter in self._papers if paper in ("all", chapter.key)]
        for claim in (claim for chapter in chapters for claim in chapter.claims):
            place = {PLACE: evidence.place(*claim.name)}
            if part == "claims":
                yield place | {
                    "claim": claim.id,
                    "verdict": claim.verdict,
                    "held": claim.count,
                    "kind": claim.about,
                    "other": "yes" if claim.otherwise else "no",
                    "unsure": claim.unsure,
                    "textbook": claim.textbook,
                }
            elif part == "cases":
                empty = dict.fromkeys(CASE, "") | {"claim": claim.id}
                yield from (place | empty | case for case in claim.default)
        numbers = [number for chapter in chapters for number in chapter.numbers]
        for number in numbers if part == "numbers" else []:
            facts = {"item": number.printed.item, PLACE: evidence.place(*number.name)}
            yield facts | number.shown() | {"ours": number.ours}

    def _csv(self, name):
        path = record.folder("paper") / f"{name}.csv"
        if not path.is_file():
            raise NoResult(f"no table {name} among the records")
        items = [item for item in self._items if f"{name}-".startswith(f"{item.name}-")]
        place = {PLACE: max(items, key=lambda item: len(item.name)).id if items else ""}
        for row in evidence.read_csv(path):
            yield place | {column: _parsed(cell) for column, cell in row.items()}


def in_form(cell, form="") -> str:
    """Return a cell as text, or its number in a format such as ``+.1f`` or ``.0%``."""
    if not form or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
        return shown.text(cell) if cell != "" else MISSING
    text = format(float(str(cell).rstrip(" %").replace(",", "")), form)
    # A small negative number is not shown as -0.
    return (text if text.strip("-+0.%") else format(0.0, form)).replace("%", " %")


def _parsed(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
