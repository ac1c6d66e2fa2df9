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

KINDS = ("value", "verdict")
CONDITION = re.compile(r"([^=~]+)([=~])(.*)")
FORMAT = re.compile(r"(?:abs )?(?:\* ?([\d.]+) ?)?([+,]*(?:\.\d+)?[feg%d]?)")


class ReferenceFault(ValueError):
    """A reference without a result, or with a result that differs from the one its sentence states."""


class References:
    """Look up references in `replication.report.results.Results`."""

    def __init__(self, results):
        self._papers = {paper.key: paper for paper in results.papers}

    def text(self, reference, link=True):
        """Return the Markdown of a reference, given without its braces.

        Parameters
        ----------
        reference : str
        link : bool
            Link a verdict to the claim in the report.

        Raises
        ------
        ReferenceFault
        """
        first, *further = (part.strip() for part in reference.split(";"))
        try:
            kind, *words = shlex.split(first)
        except ValueError as error:
            raise ReferenceFault(f"unreadable: {error}") from None
        if kind not in KINDS or not words:
            raise ReferenceFault(f"{first!r}; expected {' or '.join(KINDS)} and a key")
        return getattr(self, f"_{kind}")(words, further, link)

    def _verdict(self, words, further, link):
        paper, _, name = words[0].partition("/")
        verdict = self.one(f"{paper}.claims", "verdict", f"claim={name}")
        if further != [verdict]:
            expected = "; ".join(further) or "no verdict"
            raise ReferenceFault(f"the text says {expected!r}; the verdict is {verdict!r}")
        place = verdicts.place("claim", paper, name)
        # With a plain blank "= check" in a cell would be a heading in typst.
        shown_verdict = f"{SIGNS[verdict]}\u00a0{verdict}"
        return f"[{shown_verdict}](#{place})" if link else shown_verdict

    def _value(self, words, further, link):
        if len(words) < 2:
            raise ReferenceFault("expected a table, a column and conditions")
        cells = [row[words[1]] for row in self.select(*words)]
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

    def one(self, table, column, *conditions):
        """Return the only cell of a column that meets the conditions."""
        rows = self.select(table, column, *conditions)
        if len(rows) > 1:
            raise ReferenceFault(f"{table}: {len(rows)} rows have {', '.join(conditions)}")
        return rows[0][column]

    def select(self, table, column, *conditions):
        """Return the rows of a table that meet all conditions; at least one."""
        rows = self.rows(table)
        known = list(rows[0]) if rows else []
        for condition in conditions:
            if not (parts := CONDITION.fullmatch(condition)):
                raise ReferenceFault(f"condition {condition!r}; expected NAME=VALUE or NAME~WORD")
            name, sign, wanted = parts.groups()
            if name not in known:
                raise ReferenceFault(f"{table} has no column {name!r}, but {', '.join(known)}")
            if sign == "=":
                rows = [row for row in rows if _same(row[name], wanted)]
            else:
                rows = [row for row in rows if wanted in str(row[name]).split()]
        if column not in known:
            raise ReferenceFault(f"{table} has no column {column!r}, but {', '.join(known)}")
        if not rows:
            raise ReferenceFault(f"{table}: no row has {', '.join(conditions)}")
        return rows

    def rows(self, table):
        """Return a table as a list of dicts: of a record, or of a paper's numbers, claims or cases."""
        name, _, part = table.partition(".")
        if part in ("numbers", "claims", "cases") and (name == "all" or name in self._papers):
            papers = self._papers.values() if name == "all" else [self._papers[name]]
            return [row for paper in papers for row in getattr(self, f"_{part}")(paper)]
        if part in ("logs", "record"):
            facts = record.of("paper", name)
            if facts is None:
                raise ReferenceFault(f"no record of {name}")
            if part == "record":
                return [facts]
            return [{"log": log} | about for log, about in facts["provenance"]["logs"].items()]
        path = record.folder("paper") / f"{name}.csv"
        if part or not path.is_file():
            raise ReferenceFault(f"no table {table} among the records")
        return [
            {column: _parse(cell) for column, cell in row.items()}
            for row in verdicts.read_csv(path)
        ]

    @staticmethod
    def _numbers(paper):
        return [
            one.shown() | {"item": one.published.item, "ours": one.ours, "about": one.about}
            for one in paper.numbers
        ]

    @staticmethod
    def _claims(paper):
        return [
            {"claim": one.id_in_paper, "verdict": one.verdict, "held": one.count, "kind": one.about}
            for one in paper.claims
        ]

    @staticmethod
    def _cases(paper):
        return [
            {"claim": claim.id_in_paper} | case for claim in paper.claims for case in claim.rows
        ]


def _same(cell, wanted):
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
