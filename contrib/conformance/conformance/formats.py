"""Read schedules that any program wrote: SWF with waits, tables of Batsim and evalys, other CSV.

The first line decides the form. In SWF, lines of status 2 to 4 are the partial executions of
preempted jobs. Times are whole seconds or, if one has a fraction, milliseconds.
"""

import csv
import gzip
import io
import math
import re
import sys
from dataclasses import dataclass, field

LATEST = 10**15  # s, before and after 0; also the most processors
#: Names of a column in tables of this project, of Batsim, and of older versions of Batsim.
NAMES = {
    "job_id": ("job_id", "jobID"),
    "submit": ("submit", "submission_time"),
    "start": ("start", "starting_time"),
    "end": ("end", "finish_time"),
    "processors": ("processors", "requested_number_of_resources", "requested_number_of_processors"),
    "estimate": ("estimate", "requested_time"),
    "workload": ("workload_name",),
    "resources": ("allocated_resources", "allocated_processors"),
}
NEEDED = ("job_id", "submit", "start", "end", "processors")
_PART = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)
_SWF = (
    "number",
    "submit",
    "wait",
    "run_time",
    "allocated",
    "requested",
    "estimate",
    "user",
    "status",
)
_FIELDS = dict(zip(_SWF, (0, 1, 2, 3, 4, 7, 8, 11, 10)))


class FormatError(ValueError):
    """An unusable file; the message names file, line or column, value and the allowed values."""


@dataclass
class Run:
    """A job of a schedule that ran.

    Times are in units of the schedule's `per_second`; the estimate is -1 where unknown, and
    resources are the parts (first, last) of the job's set, None where unknown.
    """

    name: str
    submit: int
    start: int
    end: int
    size: int
    estimate: int = -1
    user: int = -1
    resources: list = None
    earlier: list = field(default_factory=list)  # start and end of its preempted runs


@dataclass
class Schedule:
    """A schedule of a file, its runs in the order of the file.

    Parameters
    ----------
    path : str
    runs : list of Run
    machine : int or None
        Processors, if the file names them.
    left_out : int
        Number of jobs without a start or an end.
    per_second : int
        1, or 1,000 if times have fractions of a second.
    origin : int
        Second that is 0 if times have fractions, so that milliseconds stay exact.
    has_sets : bool
        Whether the file has sets of resources.
    """

    path: str
    runs: list
    machine: int = None
    left_out: int = 0
    per_second: int = 1
    origin: int = 0
    has_sets: bool = False

    def seconds(self, time):
        """Return a time of this schedule in s."""
        if self.per_second == 1:
            return time
        return self.origin + time / self.per_second


def quote(text, most=60):
    """Return a text for a message: on one line, shortened, without control characters."""
    text = str(text)
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def read(path, is_log=False):
    """Return the schedule of a file; ``-`` is standard input, and gzip is unpacked.

    Parameters
    ----------
    path : str
    is_log : bool
        Whether the waits of SWF are ignored: every job starts when it is submitted.

    Raises
    ------
    FormatError
        For another form, a missing column, a value that is not allowed, and a file in which no job
        has a start and an end.
    """
    if path == "-":
        path, content = "standard input", sys.stdin.buffer.read()
    else:
        with open(path, "rb") as file:
            content = file.read()
    try:
        content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (EOFError, OSError) as error:
        raise FormatError(f"{path}: {error}") from None
    text = content.decode("utf-8-sig", errors="replace")
    head = next((line.strip() for line in text.splitlines() if line.strip()), "")
    is_swf = head.startswith(";") or len(head.split()) == 18
    if is_swf:
        rows, machine, has_sets = _swf(str(path), text, is_log)
    else:
        rows, machine, has_sets = _table(str(path), text, head)
    return _schedule(str(path), rows, machine, has_sets)


def _number(where, name, text):
    """Return a number of a file as int, or float if it has a fraction."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LATEST or "_" in text:
        raise FormatError(f"{where}, {name}: {quote(text)}; allowed: numbers up to {LATEST:g}")
    return int(value) if value == int(value) else value


def _swf(path, text, is_log):
    """Return rows of (name, submit, start, end, size, estimate, user, resources, earlier)."""
    rows, machine, ends = {}, None, {}
    for line, content in enumerate(text.splitlines(), 1):
        content, where = content.strip(), f"{path}, line {line}"
        label = re.match(r";\s*MaxProcs:\s*(\d+)", content)
        machine = int(label[1]) if label else machine
        if not content or content.startswith(";"):
            continue
        cells = content.split()
        if len(cells) != 18:
            raise FormatError(f"{where}: {len(cells)} fields; expected 18")
        job = {name: _number(where, name, cells[k]) for name, k in _FIELDS.items()}
        number = str(job["number"])
        if job["status"] in (2, 3, 4) and number in rows:
            if is_log:
                continue
            row = rows[number]
            begin = ends.get(number, row[1]) + max(job["wait"], 0)
            ends[number] = begin + max(job["run_time"], 0)
            if job["status"] == 2:
                row[8].append((begin, ends[number]))
            else:
                row[2:4] = begin, ends[number]
            continue
        wait = 0 if is_log else job["wait"]
        start = job["submit"] + wait if wait >= 0 else None
        end = start + job["run_time"] if start is not None and job["run_time"] >= 0 else None
        sizes = job["allocated"], job["requested"]
        preferred, fallback = reversed(sizes) if is_log else sizes
        size = preferred if preferred > 0 else fallback
        key = number if number not in rows else f"{number} again, line {line}"
        estimate = job["estimate"] if job["estimate"] >= 0 else -1
        size = size if size > 0 else None
        rows[key] = [number, job["submit"], start, end, size, estimate, job["user"], None, []]
    return list(rows.values()), machine, False


def _table(path, text, head):
    """Return rows as `_swf` does."""
    header = next(csv.reader([head]), [])
    header = [name.strip() for name in header]
    columns = {
        column: next((name for name in aliases if name in header), None)
        for column, aliases in NAMES.items()
    }
    for column in NEEDED:
        if columns[column] is None:
            expected = " or ".join(NAMES[column])
            raise FormatError(
                f"{path}, line 1: {quote(head)}; expected SWF, or CSV with a column {expected} "
                "(contrib/cluster turns accounting records into SWF)"
            )
    reader, rows = csv.reader(io.StringIO(text.lstrip()), skipinitialspace=True), []
    try:
        next(reader)
        for cells in reader:
            if not cells:
                continue
            where = f"{path}, line {reader.line_num}"
            if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
                raise FormatError(f"{where}: {len(cells)} fields; expected {len(header)}")
            cell = dict(zip(header, map(str.strip, cells)))
            value = {c: cell.get(name, "") for c, name in columns.items() if name}
            times = [
                _number(where, f"column {columns[c]}", value[c]) if value.get(c) else None
                for c in ("submit", "start", "end", "processors", "estimate")
            ]
            asked = -1 if times[4] is None or times[4] < 0 else times[4]
            parts = _parts(value.get("resources", ""), f"{where}, column {columns['resources']}")
            name = value["job_id"]
            if value.get("workload"):
                name = f"{value['workload']}!{name}"
            rows.append([name, *times[:4], asked, -1, parts or None, []])
    except csv.Error as error:
        raise FormatError(f"{path}, line {reader.line_num}: {error}") from None
    return rows, None, bool(columns["resources"])


def _parts(text, where):
    """Return the disjoint parts, (first, last) each, of a set such as ``0-3 7`` or ``7,0-3``."""
    matches = [_PART.fullmatch(word) for word in text.replace(",", " ").split()]
    parts = [(int(match[1]), int(match[2] or match[1])) if match else (1, 0) for match in matches]
    if any(last < first for first, last in parts):
        raise FormatError(f"{where}: {quote(text)}; allowed: resources such as '0-3 7'")
    merged = []
    for first, last in sorted(parts):
        if merged and first <= merged[-1][1] + 1:
            first, before = merged.pop()
            last = max(last, before)
        merged.append((first, last))
    return merged


def _schedule(path, rows, machine, has_sets):
    ran = [row for row in rows if None not in row[1:5]]
    if not ran:
        raise FormatError(f"{path}: none of its {len(rows)} jobs has a start and an end")
    for row in ran:
        if row[4] != int(row[4]) or row[4] < 1:
            raise FormatError(
                f"{path}, job {quote(row[0])}: {row[4]:g} processors; allowed: whole numbers from 1"
            )
    times = [time for row in ran for time in (*row[1:4], *(t for run in row[8] for t in run))]
    whole = all(time == int(time) for time in times)
    origin, per_second = (0, 1) if whole else (math.floor(min(times)), 1000)

    def ticks(time):
        return round((time - origin) * per_second)

    runs = [
        Run(name, *map(ticks, (submit, start, end)), int(size),
            round(estimate * per_second) if estimate >= 0 else -1, user, parts,
            [tuple(map(ticks, run)) for run in earlier])
        for name, submit, start, end, size, estimate, user, parts, earlier in ran
    ]  # fmt: skip
    left_out = len(rows) - len(ran)
    return Schedule(path, runs, machine, left_out, per_second, origin, has_sets)
