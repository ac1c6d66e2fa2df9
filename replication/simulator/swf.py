"""Logs in the Standard Workload Format, read and written.

A file is lines of 18 numbers separated by blanks, and comments that begin with a semicolon; those in front are the
header (``; Label: value``). It may be gzipped. docs/formats.md has the rules.

pandas' C reader parses the lines of plain numbers. A block with anything else (comments, a byte-order mark, text,
another number of columns) is first read line by line, which names what is wrong and normalises what is only unusual.

Sources: Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999;
version 2.2 of the format in the Parallel Workloads Archive.
"""

import gzip
import hashlib
import io
import re
import sys
import zlib
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from replication.simulator import writing
from replication.simulator.choices import among

BAD_LINES = ("refuse", "skip")
#: Kinds of lines that cannot be jobs.
KINDS = {
    "wrong-columns": "with another number of columns",
    "not-a-number": "with text in place of a number",
    "not-whole": "with a fraction in place of a whole number",
    "too-large": "with a number that is too large",
    "unknown-job-number": "of unknown job number",
    "unknown-submission": "of unknown submission",
    "unknown-status": "of unknown status",
    "repeated-job-number": "with the number of an earlier job",
}
DECIMAL = ("cpu_time", "used_memory", "requested_memory")
KNOWN = ("job_id", "submit")
STANDARD_INPUT = "-"
MOST_BYTES = 1 << 31  # of a file, decompressed: some 25 million jobs
MOST_BAD = 100_000  # lines, after which a file with hardly any job is no log

_BLOCK = 1 << 24  # bytes parsed at once
_PLAIN = b"0123456789-. \t\n"
_NUMBER = re.compile(rb"-?(\d+\.?\d*|\.\d+)")
_LABEL = re.compile(r" ?([A-Z]\w*):\s*(.*)")
_MOST_DIGITS = 18  # always fit int64
_UNKNOWN_KIND = {
    "job_id": "unknown-job-number",
    "submit": "unknown-submission",
    "status": "unknown-status",
}


class SWFError(ValueError):
    """A log that cannot be used: one line that names file, line, field, value and what is allowed."""


@dataclass(frozen=True, eq=False)
class Trace:
    """All jobs of a log, ordered by submission, as they stand in the file.

    Columns are read-only and -1 means unknown. Seconds unless said otherwise.

    Parameters
    ----------
    job_id, submit, wait, run_time : int64[n]
    allocated_processors : int64[n], processors
    cpu_time : float64[n]
        Mean over the job's processors.
    used_memory : float64[n], kB per processor
    requested_processors : int64[n], processors
    requested_time : int64[n]
        The user's estimate.
    requested_memory : float64[n], kB per processor
    status : int64[n]
        0 failed, 1 completed, 5 cancelled; 2 to 4 are partial executions.
    user, group, executable, queue, partition : int64[n]
    preceding_job : int64[n]
    think_time : int64[n]
    line : int32[n]
        Line of the file the job stands on.
    comments : tuple of str
        Comment lines without their semicolon.
    path, sha256 : str
        The file, and the hash of its decompressed bytes.
    anomalies : dict of str to int
        What is unusual but accepted: crlf_lines, blank_lines, late_comments, whole_with_point,
        submit_out_of_order; and where there are such negative_as_unknown (values), further_columns (their
        number) and byte_order_mark.
    bad_lines : dict of str to int
        Lines left out because they cannot be jobs, by kind.
    parts : int64[k, 5]
        Partial executions of jobs that were preempted, in the order of the file: job number, wait since the
        submission or since the end of the part before, run time, processors, and status (2 if the job continues, 3 if
        it completed, 4 if it failed). They follow the job's own line, which has status 0 or 1.
    """

    job_id: np.ndarray
    submit: np.ndarray
    wait: np.ndarray
    run_time: np.ndarray
    allocated_processors: np.ndarray
    cpu_time: np.ndarray
    used_memory: np.ndarray
    requested_processors: np.ndarray
    requested_time: np.ndarray
    requested_memory: np.ndarray
    status: np.ndarray
    user: np.ndarray
    group: np.ndarray
    executable: np.ndarray
    queue: np.ndarray
    partition: np.ndarray
    preceding_job: np.ndarray
    think_time: np.ndarray
    line: np.ndarray
    comments: tuple = ()
    path: str = ""
    sha256: str = ""
    anomalies: dict = field(default_factory=dict)
    bad_lines: dict = field(default_factory=dict)
    parts: np.ndarray = field(default_factory=lambda: np.empty((0, 5), np.int64))

    def __len__(self):
        return len(self.job_id)

    def __repr__(self):
        return f"Trace {Path(self.path).name}: {len(self):,} jobs"

    @cached_property
    def header(self) -> dict[str, list[str]]:
        """Label to list of values; an indented line continues the value above it."""
        values, last = {}, None
        for comment in self.comments:
            labelled = _LABEL.match(comment)
            if labelled:
                last = values.setdefault(labelled[1], [])
                last.append(labelled[2].strip())
            elif last and comment[:1].isspace() and comment.strip():
                last[-1] += "\n" + comment.strip()
        return values

    @property
    def max_procs(self) -> int | None:
        """Processors of the machine (``MaxProcs``), or None."""
        # "1664 (72, 1368, 224)" and "338 (batch partition; 512 total)" begin with the total.
        number = re.match(r"\d+", self.header.get("MaxProcs", [""])[0])
        if number and len(number[0]) > 15:
            raise SWFError(
                f"{self.path}: the header's MaxProcs is {quoted(number[0])}; "
                "allowed: a number of at most 15 digits"
            )
        return int(number[0]) or None if number else None

    @property
    def acknowledgements(self) -> list[str]:
        """The people the header asks to acknowledge (``Acknowledge``)."""
        return list(self.header.get("Acknowledge", []))

    @classmethod
    def from_columns(cls, submit, comments=(), path="columns", parts=(), **columns) -> "Trace":
        """Make a trace from plain sequences, checked like a file.

        Submissions are in s, `comments` are header lines without semicolon such as ``" MaxProcs: 128"``, other fields
        go by name; job numbers default to 1, 2, ..., the rest to -1. `path` is for messages, and `line` counts the
        jobs as given. SWFError for a value that the format does not allow.
        """
        n = len(submit)
        given = {"job_id": np.arange(1, n + 1)} | columns | {"submit": submit}
        for name in given:
            among(FIELDS, f"{path}: no field", name, SWFError)
        broken = [c for c in comments if "\n" in c or c.endswith("\r")]
        if broken:
            raise SWFError(f"{path}: comment {broken[0]!r} is more than one line")
        checked = {name: _checked(path, name, given[name], n) for name in FIELDS if name in given}
        number = np.sort(checked["job_id"])
        repeated = number[1:][np.diff(number) == 0]
        if len(repeated):
            first, second = np.flatnonzero(checked["job_id"] == repeated[0])[:2] + 1
            raise SWFError(
                f"{path}, line {second}: job {repeated[0]} is already on line {first}; "
                "allowed: each number once"
            )
        line = np.arange(1, n + 1, dtype=np.int32)
        parts = np.array(parts, np.int64).reshape(-1, len(_PARTS))
        return _ordered(checked, line, path=str(path), comments=tuple(comments), parts=parts)


#: The fields of the format, in its order.
FIELDS = tuple(own.name for own in fields(Trace))[:18]
_PARTS = ("job_id", "wait", "run_time", "allocated_processors", "status")
_TYPES = {name: np.float64 if name in DECIMAL else np.int64 for name in FIELDS}


def quoted(value, most: int = 60) -> str:
    """Return a value for a message: quoted, control characters escaped, long ones shortened."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)")


def display_name(path) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def read_bytes(path, error=SWFError) -> bytes:
    """Return the decompressed content of a file, gzipped or not; ``-`` is standard input.

    `error` is raised, in one line that names the file, for a damaged gzip, more than `MOST_BYTES`, and text in UTF-16.
    """
    name = display_name(path)
    opened = (
        io.BufferedReader(sys.stdin.buffer) if str(path) == STANDARD_INPUT else open(path, "rb")
    )
    with opened as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        try:
            with gzip.GzipFile(fileobj=file) if packed else file as content:
                data = content.read(MOST_BYTES + 1)
        except EOFError:
            raise error(f"{name}: the gzip is truncated") from None
        except (gzip.BadGzipFile, zlib.error) as damage:
            raise error(f"{name}: the gzip is damaged ({damage})") from None
    if len(data) > MOST_BYTES:
        raise error(f"{name}: more than {MOST_BYTES >> 20:,} MiB decompressed; allowed: up to that")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise error(f"{name}: text in UTF-16; allowed: UTF-8, so save it as that")
    return data


def read(path, sha256=None, bad_lines="refuse", content=None, fields=FIELDS) -> Trace:
    """Read a log, plain or gzipped; ``-`` is standard input.

    Parameters
    ----------
    path : str or Path
    sha256 : str, optional
        The expected hash of the decompressed bytes.
    bad_lines : {"refuse", "skip"}
        Lines that cannot be jobs are an error that counts them by kind, or left out and counted in the trace.
    content : bytes, optional
        The decompressed content, where it has been read already.
    fields : sequence of str
        Other fields are checked but not kept: they are -1 throughout, which takes no memory. job_id and submit are
        always kept.

    Raises
    ------
    SWFError
        For whatever the rules (docs/formats.md) refuse, a file without jobs, a damaged gzip, too much content, or
        another hash.
    OSError
        If the file cannot be opened.
    """
    among(BAD_LINES, "bad_lines", bad_lines, SWFError)
    name = display_name(path)
    data = read_bytes(path) if content is None else content
    digest = hashlib.sha256(data).hexdigest()
    if sha256 not in (None, digest):
        raise SWFError(f"{name}: sha256 of the decompressed file is {digest}, expected {sha256}")
    kept = [field for field in FIELDS if field in fields or field in KNOWN]
    scan = _Scan(name)
    start = scan.header(data)
    columns = _parse(_blocks(data, start), kept)
    line = None
    if columns is None:
        scan = _Scan(name)
        columns = _parse(scan.blocks(data), kept)
        if not columns or (scan.bad and bad_lines == "refuse"):
            raise SWFError(scan.refusal())
        line = np.concatenate(scan.lines)
    else:
        first = len(scan.comments) + 1
        line = np.arange(first, first + len(columns["submit"]), dtype=np.int32)
    return _ordered(
        columns,
        line,
        comments=tuple(scan.comments),
        path=name,
        sha256=digest,
        anomalies=scan.anomalies,
        bad_lines={kind: scan.bad[kind][0] for kind in KINDS if kind in scan.bad},
        parts=np.array(scan.parts, np.int64).reshape(-1, len(_PARTS)),
    )


def _blocks(data, start):
    """Yield whole lines of `data` from `start` on, some megabytes at once."""
    while start < len(data):
        end = (
            data.rfind(b"\n", start, start + _BLOCK) + 1 or data.find(b"\n", start) + 1 or len(data)
        )
        yield data[start:end]
        start = end


def _parse(blocks, kept):
    """Return the columns in `kept` of blocks of plain lines, by name; None if a block has anything but jobs."""
    chunks = []
    for block in blocks:
        chunk = _parse_block(block)
        if chunk is None:
            return None
        chunks.append({name: chunk[name] for name in kept})
    if not chunks:
        return None
    # One after the other: the chunks of a column are freed before the next is joined.
    columns = {name: np.concatenate([chunk.pop(name) for chunk in chunks]) for name in kept}
    number = columns["job_id"]
    increasing = bool(np.all(number[1:] > number[:-1]))
    return columns if increasing or len(np.unique(number)) == len(number) else None


def _parse_block(block):
    """Return the 18 columns of a block of lines by name; None if one of its lines has anything but 18 plain numbers."""
    if block.translate(None, _PLAIN):
        return None
    try:
        frame = pd.read_csv(
            io.BytesIO(block), sep=r"\s+", header=None, names=FIELDS, dtype=_TYPES, na_filter=False,
            skip_blank_lines=False, low_memory=False,
        )  # fmt: skip
    except (ValueError, OverflowError, pd.errors.ParserError):
        return None
    if not isinstance(frame.index, pd.RangeIndex):  # more than 18 columns
        return None
    columns = {name: frame[name].to_numpy() for name in FIELDS}
    return None if any(_refused(name, columns[name]).any() for name in FIELDS) else columns


def _refused(name, column):
    """Return which values of a column the format does not allow, bool[n]."""
    refused = (column < 0) & ((column != -1) | (name in KNOWN))
    return refused | ~np.isfinite(column) | (name not in DECIMAL and column >= 10**_MOST_DIGITS)


class _Scan:
    """The second, slow reading of a file: line by line, with a reason for every line that cannot be a job.

    What is unusual but allowed is normalised and counted; `blocks` yields the result for `_parse`.
    """

    def __init__(self, path):
        self.path, self.comments, self.lines, self.parts = path, [], [], []
        self.bad = {}  # kind: how many lines, the first of them, and what is wrong with it
        self._counts = dict.fromkeys(
            ("crlf_lines", "blank_lines", "late_comments", "whole_with_point"), 0
        )
        self._rare = dict.fromkeys(("negative_as_unknown", "further_columns", "byte_order_mark"), 0)
        self._columns, self._first_line = 0, {}

    @property
    def anomalies(self):
        """Counts of what is unusual but accepted."""
        return self._counts | {name: count for name, count in self._rare.items() if count}

    def header(self, data):
        """Take the comments in front of the jobs; return where these begin."""
        start = 0
        while data.startswith(b";", start):
            end = data.find(b"\n", start) + 1 or len(data)
            self._take_comment(data[start:end])
            start = end
        return start

    def blocks(self, data):
        """Yield the lines that are jobs, as bytes that `_parse_block` accepts."""
        block, lines = [], []
        self._rare["byte_order_mark"] = int(data.startswith(b"\xef\xbb\xbf"))
        for number, line in enumerate(io.BytesIO(data), 1):
            text = line.removesuffix(b"\n").removesuffix(b"\r").strip(b" \t")
            text = text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text
            if text.startswith(b";"):
                self._counts["late_comments"] += bool(lines or self.lines)
                self._take_comment(text)
            elif not text:
                self._counts["blank_lines"] += 1
            elif job := self._job(text, number):
                self._counts["crlf_lines"] += line.endswith(b"\r\n")
                block.append(job)
                lines.append(number)
                if len(block) == 100_000:
                    self.lines.append(np.array(lines, np.int32))
                    yield b"".join(block)
                    block, lines = [], []
        if block:
            self.lines.append(np.array(lines, np.int32))
            yield b"".join(block)

    def refusal(self):
        """Return the message for the lines that cannot be jobs: the first of them, and how many of each kind."""
        good = sum(map(len, self.lines))
        if not self.bad:
            what = "only comments" if self.comments else "an empty file"
            return f"{self.path}: no jobs, {what}; a job is a line of {len(FIELDS)} numbers"
        by_line = sorted(self.bad.items(), key=lambda item: item[1][1])
        total = sum(count for count, *_ in self.bad.values())
        kinds = ", ".join(
            f"{count:,} {KINDS[kind]}" + (f" (first: line {line}{fault})" if place else "")
            for place, (kind, (count, line, fault)) in enumerate(by_line)
        )
        hint = "; bad_lines='skip' (--bad-lines skip) leaves them out" if good else ""
        _, (_, line, fault) = by_line[0]
        return (
            f"{self.path}, line {line}{fault}; "
            f"{total:,} of {good + total:,} lines cannot be jobs: {kinds}{hint}"
        )

    def _take_comment(self, line):
        comment = line.removeprefix(b";").rstrip(b"\r\n")
        try:
            self.comments.append(comment.decode())
        except UnicodeDecodeError:
            self.comments.append(comment.decode("latin-1"))

    def _job(self, text, line):
        """Return a job's line, normalised; None for one that is counted as bad or kept as a part of a job."""
        tokens = re.split(rb"[ \t]+", text)
        columns = self._columns or max(len(FIELDS), len(tokens))
        if len(tokens) != columns:
            whose = "" if columns == len(FIELDS) else ", as in the first line of the log"
            allowed = self._columns or len(FIELDS)
            return self._note(
                "wrong-columns", line, f": {len(tokens)} columns; allowed: {allowed}{whose}"
            )
        counts = self._counts.copy(), self._rare.copy()
        values = []
        part = len(tokens) >= len(FIELDS) and tokens[10] in (b"2", b"3", b"4")
        part = part and tokens[0].isdigit() and int(tokens[0]) in self._first_line
        for place, (name, token) in enumerate(zip(FIELDS, tokens, strict=False)):
            value = self._value("wait" if part and name in KNOWN else name, token)
            if isinstance(value, tuple):
                self._counts, self._rare = counts
                kind, reason = value
                shown = quoted(token) if kind == "not-a-number" else token.decode()
                shown = shown if len(shown) <= 90 else f"{shown[:40]}..."
                more = f", of at most {_MOST_DIGITS} digits" * (
                    kind == "too-large" and name not in DECIMAL
                )
                fault = f", field {place + 1} ({name}): {shown} {reason}; allowed: {_allowed(name)}{more}"
                return self._note(kind, line, fault)
            values.append(value)
        self._columns = columns
        self._rare["further_columns"] = columns - len(FIELDS)
        number = int(values[0])
        if part:
            self.parts.append([int(values[FIELDS.index(name)]) for name in _PARTS])
            return None
        first = self._first_line.setdefault(number, line)
        if first != line:
            return self._note(
                "repeated-job-number",
                line,
                f", field 1 (job_id): job {number} is already on line {first}; allowed: each number once",
            )
        return b" ".join(values) + b"\n"

    def _value(self, name, token):
        """Return a token as `_parse_block` reads it, or what is wrong with it: kind and reason."""
        if not _NUMBER.fullmatch(token):
            return "not-a-number", "is not a number"
        whole, _, fraction = token.partition(b".")
        is_whole = not fraction.strip(b"0")
        if token.startswith(b"-") and token.strip(b"-0."):
            is_one = is_whole and whole.lstrip(b"-0") == b"1"
            if name in KNOWN or (name == "status" and not is_one):
                return _UNKNOWN_KIND[name], "is negative"
            self._rare["negative_as_unknown"] += not is_one
            self._counts["whole_with_point"] += is_one and name not in DECIMAL and b"." in token
            return b"-1"
        if name in DECIMAL:
            return ("too-large", "is too large") if float(token) == np.inf else token
        if not is_whole:
            return "not-whole", "has a fraction"
        digits = whole.lstrip(b"-0") or b"0"
        if len(digits) > _MOST_DIGITS:
            return "too-large", "is too large"
        self._counts["whole_with_point"] += b"." in token
        return digits

    def _note(self, kind, line, fault):
        """Count a line that cannot be a job."""
        self.bad.setdefault(kind, [0, line, fault])[0] += 1
        count = sum(count for count, *_ in self.bad.values())
        if count > MOST_BAD and len(self._first_line) < count // 100:
            raise SWFError(
                f"{self.refusal()} (counted up to line {line:,}; expected a log with at least 1 % of jobs)"
            )


def header(computer, conversion, jobs, notes=(), **more):
    """Return comment lines of a log, as version 2.2 of the format asks for.

    `more` has values by the format's labels, such as MaxProcs; those that are 0 or empty are left out.
    """
    lines = {"Version": 2.2, "Computer": computer, "Conversion": conversion}
    lines |= {"MaxJobs": jobs, "MaxRecords": jobs} | more
    labels = (f" {label}: {value}" for label, value in lines.items() if value not in (0, ""))
    return (*labels, *(f" Note: {note}" for note in notes))


def write(target, trace: Trace) -> None:
    """Write comments, jobs and parts of jobs to a path or a binary file; `read` gives the same values back."""
    parts, rows_at_once = {}, 10_000
    for number, *row in trace.parts.tolist():
        parts.setdefault(number, []).append(row)
    with writing.opened(target) as out:
        out.write("".join(f";{comment}\n" for comment in trace.comments).encode())
        for first in range(0, len(trace), rows_at_once):
            columns = (
                map(
                    _decimal if name in DECIMAL else str,
                    getattr(trace, name)[first : first + rows_at_once].tolist(),
                )
                for name in FIELDS
            )
            rows = zip(*columns, strict=True)
            lines = (line for row in rows for line in _lines(row, parts.get(int(row[0]), ())))
            out.write("".join(lines).encode())


def _lines(row, parts):
    """Yield the line of a job and those of its parts; only the first part has a submission."""
    yield " ".join(row) + "\n"
    for place, (wait, run_time, processors, status) in enumerate(parts):
        part = [*row]
        changes = {"submit": part[1] if place == 0 else -1, "wait": wait, "run_time": run_time}
        changes |= {"allocated_processors": processors, "status": status}
        for name, value in changes.items():
            part[FIELDS.index(name)] = str(value)
        yield " ".join(part) + "\n"


def _decimal(value):
    # SWF has no exponents.
    return str(int(value)) if value.is_integer() else np.format_float_positional(value, trim="-")


def _allowed(name):
    kind = "numbers" if name in DECIMAL else "whole numbers"
    return f"{kind} from 0" + ("" if name in KNOWN else ", or -1 for unknown")


def _checked(path, name, values, n):
    """Return `values` as a column of the right type; refuse what `read` would refuse."""
    values = np.asarray(values)
    if values.shape != (n,) or values.dtype.kind not in "iuf":
        raise SWFError(
            f"{path}: {name} is {values.dtype}{list(values.shape)}; allowed: {n} numbers"
        )
    with np.errstate(invalid="ignore"):
        column = values.astype(_TYPES[name])
    wrong = _refused(name, column) | (column != values)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise SWFError(f"{path}, line {k + 1}: {name} is {values[k]}; allowed: {_allowed(name)}")
    return column


def _ordered(columns, line, anomalies=(), **facts):
    """Return the trace of these columns in order of submission; missing fields are -1 throughout."""
    columns = {"line": line} | columns
    steps_back = int(np.count_nonzero(columns["submit"][1:] < columns["submit"][:-1]))
    if steps_back:
        order = np.argsort(columns["submit"], kind="stable")
        for name in columns:
            columns[name] = columns[name][order]
    for column in columns.values():
        column.flags.writeable = False
    for name in set(FIELDS) - columns.keys():
        columns[name] = np.broadcast_to(_TYPES[name](-1), len(line))
    return Trace(
        **columns, **facts, anomalies={**dict(anomalies), "submit_out_of_order": steps_back}
    )
