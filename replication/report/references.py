"""References of the article to recorded results.

The source of the article holds two kinds of reference; docs/architecture.md describes them.

``{value TABLE COLUMN NAME=VALUE ...; FORMAT}``
    The cells of a column in the rows that meet all conditions.
``{verdict PAPER/CLAIM; holds}``
    The verdict on a claim. The verdict that the sentence assumes is part of the reference.
"""

import re
import shlex

from replication.papers import shown, verdicts
from replication.report import record
from replication.report.render import SIGNS

CONDITION = re.compile(r"([^=~]+)([=~])(.*)")
FORMAT = re.compile(r"(?:abs )?(?:\* ?([\d.]+) ?)?([+,]*(?:\.\d+)?[feg%d]?)")


class ReferenceFault(ValueError):
    """A reference without a result, or with a result that differs from the one its sentence states."""


class References:
    """Look up references in `replication.report.results.Results`."""

    def __init__(self, results):
        self._papers = {paper.key: paper for paper in results.papers}

    def text(self, reference, link=True):
        """Return the Markdown of a reference, given without its braces; ReferenceFault if it has no result.

        With `link`, a verdict is linked to the claim in the report.
        """
        first, *further = (part.strip() for part in reference.split(";"))
        try:
            kind, *words = shlex.split(first)
        except ValueError as error:
            raise ReferenceFault(f"unreadable: {error}") from None
        if kind == "verdict" and len(words) == 1:
            return self._verdict(words[0], further, link)
        if kind == "value" and len(words) > 1:
            return self._value(words, further)
        raise ReferenceFault(
            f"{first!r}; expected verdict and a claim, or value, a table and a column"
        )

    def _verdict(self, claim, further, link):
        paper, _, name = claim.partition("/")
        verdict = self.select(f"{paper}.claims", "verdict", f"claim={name}")[0]
        if further != [verdict]:
            expected = "; ".join(further) or "no verdict"
            raise ReferenceFault(f"the text says {expected!r}; the verdict is {verdict!r}")
        # With a plain blank "= check" in a cell would be a heading in typst.
        words = f"{SIGNS[verdict]}\u00a0{verdict}"
        return f"[{words}](#{verdicts.place('claim', paper, name)})" if link else words

    def _value(self, words, further):
        cells = self.select(*words)
        form, spread = "", False
        for part in further:
            if part in SIGNS:
                if set(cells) != {part}:
                    raise ReferenceFault(f"the text says {part!r}; the cell holds {cells[0]!r}")
            elif part == "count":
                cells = [float(len(cells))]
            elif part == "range":
                spread = True
            elif FORMAT.fullmatch(part):
                form = part
            else:
                raise ReferenceFault(f"{part!r} is no verdict, no format, and not count or range")
        if spread:
            size = abs if form.startswith("abs") else float
            cells = sorted(set(cells), key=lambda cell: size(_number(cell)))
            cells = [cells[0], cells[-1]] if len(cells) > 1 else cells
        texts = [_format(cell, form) for cell in cells]
        if spread and len(texts) > 1:
            texts[0] = texts[0].removesuffix(" %")
        return (" to " if spread else ", ").join(texts)

    def select(self, table, column, *conditions):
        """Return the cells of a column in the rows of a table that meet all conditions; at least one."""
        rows = self.rows(table)
        known = list(rows[0]) if rows else []
        tests = [CONDITION.fullmatch(condition) for condition in conditions]
        if None in tests:
            raise ReferenceFault(f"conditions {conditions}; expected NAME=VALUE or NAME~WORD")
        for name in (column, *(test[1] for test in tests)):
            if name not in known:
                raise ReferenceFault(f"{table} has no column {name!r}, but {', '.join(known)}")
        cells = [row[column] for row in rows if all(_meets(row[one[1]], one) for one in tests)]
        if not cells:
            raise ReferenceFault(f"{table}: no row has {', '.join(conditions)}")
        return cells

    def rows(self, table):
        """Return a table as a list of dicts: of a record, or of a paper's numbers, claims or cases."""
        name, _, part = table.partition(".")
        papers = self._papers.values() if name == "all" else filter(None, [self._papers.get(name)])
        if part == "numbers":
            every = [one for paper in papers for one in paper.numbers]
            return [one.shown() | {"item": one.published.item, "ours": one.ours} for one in every]
        if part in ("claims", "cases"):
            every = [one for paper in papers for one in paper.claims]
            if part == "cases":
                return [{"claim": one.id_in_paper} | case for one in every for case in one.rows]
            return [
                {"claim": c.id_in_paper, "verdict": c.verdict, "held": c.count, "kind": c.about}
                for c in every
            ]
        if part in ("logs", "record") and (facts := record.read("paper", name)):
            logs = facts["provenance"]["logs"].items()
            return [facts] if part == "record" else [{"log": log} | one for log, one in logs]
        path = record.folder("paper") / f"{name}.csv"
        if part or not path.is_file():
            raise ReferenceFault(f"no table {table} among the records")
        return [
            {column: _parse(cell) for column, cell in row.items()}
            for row in verdicts.read_csv(path)
        ]


def _meets(cell, test):
    """Return True if a cell is the value of a condition, as text or number, or has it among its words."""
    _, sign, wanted = test.groups()
    if sign == "~":
        return wanted in str(cell).split()
    try:
        return str(cell) == wanted or float(cell) == float(wanted)
    except (TypeError, ValueError):
        return False


def _parse(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def _number(cell):
    try:
        return float(re.sub("[,% ]", "", str(cell)))
    except ValueError:
        raise ReferenceFault(f"{cell!r} is no number") from None


def _format(cell, form):
    if not form:
        return shown.text(cell)
    factor, spec = FORMAT.fullmatch(form).groups()
    value = _number(cell) * float(factor or 1)
    return format(abs(value) if form.startswith("abs") else value, spec).replace("%", " %")
