"""The answer of a re-run: whether its numbers are those of the committed record."""

import csv
import io
import json
import math
from typing import NamedTuple

from replication.report import record
from replication.report.parameters import differences
from replication.simulator.logs import registry
from replication.verdicts import git

#: Differences that an answer shows.
SHOWN = 3
EQUAL = "equal to the committed record"
UNDECIDED = {"quick": "quick scale", "stand-in": "synthetic jobs"}


class Difference(NamedTuple):
    """A value that differs; both as text, empty where there is none."""

    place: str
    ours: str
    committed: str

    def __str__(self):
        text = f"{self.place} {self.ours or 'none'}, committed {self.committed or 'none'}"
        ours, committed = _number(self.ours), _number(self.committed)
        if ours is None or not committed:
            return text
        return f"{text} ({100 * (ours - committed) / abs(committed):+.2g} %)"


def answer(facts, folder, running=False) -> str:
    """Return one line on the outputs of an item: equal to the committed record, the first values
    that differ, or why they are not compared.

    Of some of the committed logs, the rows of these logs are compared.

    Parameters
    ----------
    facts : dict
        The record of the outputs.
    folder : pathlib.Path
        The folder with their tables.
    running : bool
        True before the end of the notebook: what it has not saved yet is left out.
    """
    name, kind = facts["item"], facts["provenance"]["kind"]
    if kind in UNDECIDED:
        return f"no verdict: {UNDECIDED[kind]}"
    text = _committed(name, f"{name.rpartition('/')[2]}.json", kind)
    if not text:
        return "no committed record to compare with"
    committed = json.loads(text)
    if committed == facts:
        return EQUAL
    new, old = facts["parameters"], committed["parameters"]
    logs = [registry.file_and_rules(log)[0] for log in new["logs"]]
    some = all(log in old["logs"] for log in new["logs"]) and len(logs) < len(old["logs"])
    others = differences(new | {"logs": old["logs"]} if some else new, old)
    if others or new["scale"] != old["scale"]:
        scale = UNDECIDED["quick"] if new["scale"] != old["scale"] else ""
        return f"no verdict: {'; '.join(filter(None, [scale, *others]))}"
    differing, rows = [], 0
    tables = [file for file in committed["files"] if file.endswith(".csv")]
    for file in tables:
        if file in facts["files"] or not running:
            path, before = folder / file, _rows(_committed(name, file, kind))
            ours = _rows(path.read_text(encoding="utf-8")) if file in facts["files"] else []
            if some:
                ours, before = _shared(*(_of_logs(one, logs) for one in (ours, before)))
            if ours or not some:
                rows += max(len(ours) - 1, 0)
                differing += _table(file, ours, before)
    if not some and (facts["values"] or not running):
        differing += _values(facts["values"], committed["values"])
    left = sum(file not in facts["files"] for file in tables) if running else 0
    ahead = f"; {_count(left, 'table')} not yet compared" if left else ""
    if differing:
        shown = "; ".join(map(str, differing[:SHOWN]))
        verb = "differs" if len(differing) == 1 else "differ"
        return f"{_count(len(differing), 'value')} {verb} from the committed record: {shown}{ahead}"
    if some:
        part = f"{_count(rows, 'row')} of {', '.join(logs)}"
        return f"{EQUAL} in its {part}{ahead}"
    drawn = [file for file in committed["files"] if file.endswith(".png")]
    drawn = [file for file in drawn if file in facts["files"] or not running]
    ours, theirs = (
        [files.get(file, {}).get("sha256") for file in drawn]
        for files in (facts["files"], committed["files"])
    )
    other = [file for file, new, old in zip(drawn, ours, theirs) if new != old]
    but = f", but other bytes in {', '.join(other)}" if other else ""
    return f"{EQUAL}{but}{ahead}"


def summary(records) -> list[str]:
    """Return a line on all records in ``figures/``, and one for each that differs from its
    committed one.
    """
    answers = {}
    for facts in records:
        name = facts["item"]
        answers[name] = answer(facts, record.folder("paper", name))
    other = {name: words for name, words in answers.items() if words != EQUAL}
    first = f"{len(answers) - len(other)} of {_count(len(answers), 'record')} {EQUAL}"
    return [first, *(f"{name}: {words}" for name, words in other.items())]


def _count(number, noun):
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _committed(name, file, kind):
    """Return the text of a committed file of an item; of the file on disk where git gives none and
    the outputs are elsewhere.
    """
    path = record.folder("paper", name) / file
    text = git.at_head(path)
    if text is None and kind != "paper" and path.exists():
        return path.read_text(encoding="utf-8")
    return text or ""


def _rows(text):
    return [one for one in csv.reader(io.StringIO(text)) if one]


def _of_logs(rows, logs):
    """Return the header of a table and its rows of some logs; nothing where it has none.

    A row is of the log that a cell names, or begins with as a case of a claim does.
    """
    own = [row for row in rows[1:] if any(cell.partition(" ")[0] in logs for cell in row)]
    return [rows[0], *own] if own else []


def _shared(ours, before):
    """Return two tables with the columns that both have, without texts that depend on a verdict."""
    names = [one for one in (before[0] if before else ()) if ours and one in ours[0]]
    names = [one for one in names if one not in ("verdict", "reason", "otherwise")]
    places = [[table[0].index(one) for one in names] for table in (ours, before) if table]
    return [
        [[row[k] for k in own] for row in table]
        for table, own in zip((ours, before), places or ((), ()))
    ]


def _table(file, ours, before):
    """Return the differences between two tables: row by row, or by their texts where one has more
    rows.
    """
    header = before[0] if before else []
    if not ours or ours[0] != header:
        return [
            Difference(f"{file}: columns", ", ".join(ours[0] if ours else ()), ", ".join(header))
        ]
    if len(ours) != len(before):
        keys = _keys(ours), _keys(before)
        names = dict.fromkeys([*keys[1], *keys[0]])
        pairs = [(keys[0].get(name, []), keys[1].get(name, [])) for name in names]
    else:
        pairs = zip(ours[1:], before[1:])
    found = []
    for mine, theirs in pairs:
        words = " ".join(dict.fromkeys(cell for cell in theirs or mine if _number(cell) is None))
        place = f"{file}, {words[:60].strip() or 'row'}:"
        if not mine or not theirs:
            found.append(Difference(place, *("row" if one else "" for one in (mine, theirs))))
            continue
        found += [
            Difference(f"{place} {column}", one, other)
            for column, one, other in zip(header, mine, theirs)
            if one != other and (_number(one) is None or _number(one) != _number(other))
        ]
    return found


def _keys(rows):
    """Return the rows of a table by their texts, and a count of equal ones."""
    seen, found = {}, {}
    for row in rows[1:]:
        key = tuple(cell for cell in row if _number(cell) is None)
        seen[key] = seen.get(key, 0) + 1
        found[key, seen[key]] = row
    return found


def _values(ours, before):
    """Return the differences between the values of two openings."""
    texts = [
        {name: str(one["value"]) for name, one in several.items()} for several in (ours, before)
    ]
    return [
        Difference(f"opening, {name}:", *(one.get(name, "") for one in texts))
        for name in dict.fromkeys([*texts[1], *texts[0]])
        if texts[0].get(name) != texts[1].get(name)
    ]


def _number(text):
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
