"""The answer of a re-run: which of its results differ from those of the last commit."""

import csv
import io
import math
import re
from typing import NamedTuple

from replication.report import record
from replication.report.parameters import differences
from replication.simulator.logs import registry
from replication.verdicts import git, shown

#: Differences that an answer shows.
SHOWN = 3
EQUAL = "equal to the committed record"
UNDECIDED = {"quick": "quick scale", "stand-in": "synthetic jobs"}
#: Columns of words that a run without verdicts does not have.
OF_VERDICTS = ("verdict", "reason", "otherwise")


class Answer(NamedTuple):
    """Whether the results of a run are the committed ones; None where they are not compared."""

    equal: bool | None
    words: str
    left: tuple = ()  # committed tables, or parts of them, without a counterpart in the run

    def __str__(self):
        return f"{self.words}; not compared: {', '.join(self.left)}" if self.left else self.words


class Difference(NamedTuple):
    """A value that differs; both as text, empty where there is none."""

    place: str
    ours: str
    committed: str

    @property
    def size(self) -> float:
        """The relative difference; infinite from 0 or without one of the numbers, and -1 for two
        texts.
        """
        ours, committed = _number(self.ours), _number(self.committed)
        if ours is None and committed is None:
            return -1
        if ours is None or not committed:
            return math.inf
        return abs(ours - committed) / abs(committed)

    def __str__(self):
        text = f"{self.place} {_short(self.ours)}, committed {_short(self.committed)}"
        if not 0 <= self.size < math.inf:
            return text
        sign = "+" if float(self.ours) > float(self.committed) else "-"
        return f"{text} ({sign}{shown.text(100 * self.size)} %)"


def _short(text, longest=60):
    return text if 0 < len(text) <= longest else f"{text[:longest]}..." if text else "none"


def answer(facts, folder, running=False) -> Answer:
    """Compare the outputs of an item with the committed ones.

    All of the record but its run is compared, and each table. Of some of the committed logs, the
    rows of these logs are compared; with a switch of the notebook turned off, all that is drawn
    without it.

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
        return Answer(None, f"not compared: {UNDECIDED[kind]}")
    committed = record.committed(name)
    if committed is None:
        return Answer(None, "no committed record to compare with")
    new, old = facts["parameters"], committed["parameters"]
    logs = [registry.file_and_rules(log)[0] for log in new["logs"]]
    fewer_logs = set(logs) < {registry.file_and_rules(log)[0] for log in old["logs"]}
    less = {key: old[key] for key in old if old[key] is True and new.get(key) is False}
    less |= {"logs": old["logs"]} if fewer_logs else {}
    others = differences(new | less, old)
    others += [UNDECIDED["quick"]] * (new["scale"] != old["scale"])
    if others:
        return Answer(None, f"not compared: {'; '.join(others)}")
    differing, left, compared = [], [], 0
    for file in dict.fromkeys(filter(_is_table, [*committed["files"], *facts["files"]])):
        ours = (folder / file).read_text(encoding="utf-8") if file in facts["files"] else ""
        theirs = git.committed(record.folder("paper", name) / file)
        ours, theirs = _rows(ours), _rows(theirs if file in committed["files"] else "")
        if fewer_logs:
            ours, theirs = (_of_logs(rows, logs) for rows in (ours, theirs))
        if kind != "paper":
            ours, theirs = _shared(ours, theirs)
        unequal, missing, rows = _table(file, ours, theirs)
        compared += rows
        if not (running or less):
            unequal += [Difference(place, "", "a row") for place in missing]
        elif not unequal and (missing or theirs and not rows):
            left.append(file if not rows else f"{_count(len(missing), 'row')} of {file}")
        differing += unequal
    both = (_flat(side, logs if fewer_logs else None) for side in (facts, committed))
    differing += _facts(*both, is_part=running or less)
    if differing:
        differing.sort(key=lambda difference: -difference.size)
        largest = "; ".join(map(str, differing[:SHOWN]))
        verb = "differs" if len(differing) == 1 else "differ"
        text = f"{_count(len(differing), 'value')} {verb} from the committed record: {largest}"
        return Answer(False, text, tuple(left))
    part = f" in its {_count(compared, 'row')} of {', '.join(logs)}" if fewer_logs else ""
    if fewer_logs and not compared:
        return Answer(None, f"nothing to compare: no row of {', '.join(logs)}", tuple(left))
    pictures = [file for file in committed["files"] if file.endswith(".png")]
    changed = [
        file
        for file in pictures
        if file in facts["files"]
        and not fewer_logs
        and not git.same_bytes(record.folder("paper", name) / file, folder / file)
    ]
    but = f", but other bytes in {', '.join(changed)}" if changed else ""
    return Answer(True, f"{EQUAL}{part}{but}", tuple(left))


def answers(records) -> dict[str, Answer]:
    """Return the answers of records in ``figures/`` by item."""
    return {
        facts["item"]: answer(facts, record.folder("paper", facts["item"])) for facts in records
    }


def summary(answers) -> list[str]:
    """Return a line on the answers of some items, and one for each that is not only equal."""
    unlike = [f"{name}: {said}" for name, said in answers.items() if str(said) != EQUAL]
    return [totals(answers), *unlike]


def totals(answers) -> str:
    """Return one line on the answers of some items: how many are equal, and which are not."""
    equal, differing, others = (
        [name for name, answer in answers.items() if answer.equal is wanted]
        for wanted in (True, False, None)
    )
    parts = [f"{len(equal)} equal to the committed record{'s' * (len(equal) != 1)}"]
    verb = "differs" if len(differing) == 1 else "differ"
    for label, names in ((verb, differing), ("not compared", others)):
        parts += [f"{len(names)} {label}: {', '.join(names)}"] if names else []
    return "; ".join(parts)


def _count(number, noun):
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _is_table(file):
    return file.endswith(".csv")


def _rows(text):
    return [row for row in csv.reader(io.StringIO(text or "")) if row]


def _flat(facts, logs=None):
    """Return a record without its parameters and its run as texts by name; of some logs, the facts
    of these.
    """
    flat = {}
    for log, about in facts["provenance"]["logs"].items():
        if logs is None or log in logs:
            counts = {f"cleaning {rule}": count for rule, count in about["cleaning"].items()}
            flat |= {f"{log} {key}": str(value) for key, value in (about | counts).items()}
            del flat[f"{log} cleaning"]
    if logs is None:
        files = facts["files"].items()
        flat |= {f"caption of {k}": out["caption"] for k, out in files if out["role"] != "notebook"}
        flat |= {"summary": facts["summary"]} if facts["summary"] else {}
    return flat


def _facts(ours, theirs, is_part):
    """Return the differences between two records; of a part, without what only the second has."""
    return [
        Difference(f"record, {name}:", ours.get(name, ""), theirs.get(name, ""))
        for name in {**theirs, **ours}
        if ours.get(name) != theirs.get(name) and not (is_part and name not in ours)
    ]


def _of_logs(rows, logs):
    """Return the header of a table and its rows that name some of the logs and no other."""
    selected = []
    for row in rows[1:]:
        named = set(re.split(r"[\s:,;]+", " ".join(row))).intersection(registry.names())
        selected += [row] if named and named <= {*logs} else []
    return [*rows[:1], *selected]


def _shared(ours, theirs):
    """Return two tables with the columns that both have, without those that follow from a
    verdict; the first is empty if there are none.
    """
    if not ours or not theirs:
        return ours, theirs
    names = [column for column in theirs[0] if column in ours[0] and column not in OF_VERDICTS]
    if not names:
        return [], theirs
    return [
        [_cells(row, [table[0].index(name) for name in names]) for row in table]
        for table in (ours, theirs)
    ]


def _cells(row, columns):
    """Return the cells of a row in some columns; all of them where it is too short."""
    return [row[k] for k in columns] if max(columns) < len(row) else row


def _table(file, ours, theirs):
    """Return the differences between two tables, the places of committed rows without a
    counterpart, and the number of rows that have one.

    Rows are compared in their order, or by their texts where one table has more.
    """
    if ours == theirs:
        return [], [], len(ours[1:])
    header = theirs[0] if theirs else []
    if not ours:
        return [], [f"{file}:"], 0
    if not theirs:
        return [Difference(f"{file}:", "a table", "")], [], 0
    if ours[0] != header:
        return [Difference(f"{file}: columns", ", ".join(ours[0]), ", ".join(header))], [], 0
    if len(ours) == len(theirs):
        pairs = list(zip(ours[1:], theirs[1:], strict=True))
    else:
        by_key, committed = _keys(ours), _keys(theirs)
        pairs = [(by_key.get(key), committed.get(key)) for key in {**committed, **by_key}]
    unequal, missing, rows = [], [], 0
    for mine, other in pairs:
        texts = " ".join(dict.fromkeys(cell for cell in other or mine if _number(cell) is None))
        place = f"{file}, {texts[:60].strip() or 'row'}:"
        if mine is None:
            missing.append(place)
        elif other is None:
            unequal.append(Difference(place, "a row", ""))
        elif len(mine) != len(other):
            lengths = (f"{_count(len(cells), 'field')}" for cells in (mine, other))
            unequal.append(Difference(place, *lengths))
        else:
            rows += 1
            unequal += [
                Difference(f"{place} {column}", new, old)
                for column, new, old in zip(header, mine, other, strict=True)
                if new != old and (_number(new) is None or _number(new) != _number(old))
            ]
    return unequal, missing, rows


def _keys(rows):
    """Return the rows of a table by their texts, and a count of equal ones."""
    seen, by_key = {}, {}
    for row in rows[1:]:
        key = tuple(cell for cell in row if _number(cell) is None)
        seen[key] = seen.get(key, 0) + 1
        by_key[key, seen[key]] = row
    return by_key


def _number(text):
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
