"""Read and write job logs in the Standard Workload Format (SWF).

A file has lines of 18 numbers separated by blanks, and comments that begin with a semicolon; those
at the start are the header (``; Label: value``). It may be compressed by gzip, xz or bzip2, and has
at most 2 GiB decompressed. Pipes, ``/dev/stdin`` and ``-`` are read like files.

Rules for files that deviate from the format:

* A line that cannot be a job (another number of columns, text, an unknown number or submission, a
  status below -1, a number used twice) is an error, whose message counts such lines by kind and
  names the first one; ``bad_lines="skip"`` leaves them out and counts them. A file without a job
  and a damaged gzip are errors.
* A field is a whole number of at most 18 digits; CPU time and memory may have decimals. ``12.00``
  in another field is 12. A real fraction there is an error, in times unless ``times="round"``,
  which rounds submissions, starts and ends, so that their order stays.
  ``1e+05`` is read; plus signs, NaN, infinities and text attached to a number are errors.
* -1 means unknown. Other negative values become -1 and are counted.
* Text in a field that no command uses (`UNUSED`) is unknown, and counted.
* A preceding job and a think time are ignored; jobs that have a preceding one are counted.
* ``MaxProcs: 1,024`` is an error, because it could be 1.
* An indented comment continues the label above it, except labels such as ``MaxProcs``.
* CRLF, blank lines, a byte-order mark and comments between the jobs are accepted. Jobs out of order
  are counted and sorted by submission; the sort is stable.
* Further columns are ignored and counted if every line has the same number of them.
* Lines of status 2 to 4 with the number of an earlier job are partial executions of it.

pandas parses files of plain numbers. Any other file (late comments, text, another number of
columns, partial executions, bad lines to be refused) is parsed line by line.

Sources: Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers",
JSSPP 1999; version 2.2 of the format in the Parallel Workloads Archive.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass, field, fields
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from replication.simulator import writing
from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.logs.kinds import recognize

BAD_LINES = ("refuse", "skip")
DECIMAL = ("cpu_time", "used_memory", "requested_memory")
KNOWN = ("job_id", "submit")
#: Fields that no command uses: what cannot be read there is unknown, and counted.
UNUSED = ("cpu_time", "used_memory", "requested_memory", "partition", "think_time")
#: Labels that are labels also where they are indented.
LABELS = ("MaxProcs", "MaxNodes", "MaxJobs", "MaxRecords", "UnixStartTime", "StartTime", "EndTime")
STANDARD_INPUT = "-"
MOST_BYTES = 1 << 31  # of a file, decompressed: some 25 million jobs
TIMES = ("round",)  # treatments of fractions of seconds
IN_SECONDS = ("submit", "wait", "run_time", "requested_time", "think_time")

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"(?:;[^\n]*(?:\n|$))*")
_LABEL = re.compile(rf" ?([A-Z]\w*):\s*(.*)|\s*({'|'.join(LABELS)}):\s*(.*)")
_MOST_DIGITS = 18  # always fit int64
_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")
_PLAIN = b"0123456789-. \t\n"
_AS_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
#: Numbers of 15 digits and a point, whose fraction floating point may lose.
_LONG = [b"0" * k + b"." + b"0" * (15 - k) for k in range(16)]
#: Compressed files by their first bytes, and what opens them.
_COMPRESSED = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"\xfd7zXZ": ("xz", lzma.open),
    b"BZh": ("bzip2", bz2.open),
}
_UNKNOWN = {"job_id": "unknown-job-number", "submit": "unknown-submission"}


class SWFError(InputError):
    """An unusable log: the message names file, line, field, value and the allowed values."""


@dataclass(frozen=True, eq=False)
class Trace:
    """All jobs of a log in order of submission, with the values of the file.

    Columns are read-only and named after the fields of the format; -1 means unknown. Times are
    seconds, memory is in kB per processor, `cpu_time` the mean over the job's processors,
    `requested_time` the user's estimate; `status` is 0 (failed), 1 (completed) or 5 (cancelled).

    Parameters
    ----------
    job_id, submit, wait, run_time, allocated_processors, requested_processors, requested_time,
    status, user, group, executable, queue, partition, preceding_job, think_time : int64[n]
    cpu_time, used_memory, requested_memory : float64[n]
    line : int32[n]
        Number of the job's line in the file.
    comments : tuple of str
        Comment lines without their semicolon.
    path, sha256 : str
        The file, and the hash of its decompressed bytes.
    anomalies : dict of str to int
        Counts of unusual but accepted content: submit_out_of_order (jobs), negative_as_unknown
        (values), further_columns, preceding_job (jobs that name one, which is ignored),
        rounded_seconds (values), and unreadable_ with the name of a field in `UNUSED` (values).
    bad_lines : dict of str to int
        Number of skipped lines that cannot be jobs, by kind.
    parts : int64[k, 5]
        Partial executions of preempted jobs in the order of the file: job number, wait since the
        submission or since the end of the previous part, run time, processors, and status (2 if the
        job continues, 3 if it completed, 4 if it failed). They follow the job's own line, which has
        status 0 or 1.
    times : {"round"}, optional
        The treatment of fractions of seconds.
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
    times: str | None = None

    def __len__(self):
        return len(self.job_id)

    def __repr__(self):
        return f"Trace {Path(self.path).name}: {len(self):,} jobs"

    @cached_property
    def header(self) -> dict[str, list[str]]:
        """Label to list of values; an indented line without a label of `LABELS` continues the value
        above it.
        """
        values, last = {}, None
        for comment in self.comments:
            labelled = _LABEL.match(comment)
            if labelled:
                label, value = (labelled[1] or labelled[3], labelled[2] or labelled[4] or "")
                last = values.setdefault(label, [])
                last.append(value.strip())
            elif last and comment[:1].isspace() and comment.strip():
                last[-1] += "\n" + comment.strip()
        return values

    @property
    def max_procs(self) -> int | None:
        """Processors of the machine (``MaxProcs``), or None."""
        # "1664 (72, 1368, 224)" and "338 (batch partition; 512 total)" begin with the total; "1e3",
        # "8.5", "1,024" do not.
        number = re.match(r"\d{1,15}(?!\w|[.,'’_\s]\d)", self.header.get("MaxProcs", [""])[0])
        return int(number[0]) or None if number else None

    @classmethod
    def from_columns(cls, submit, comments=(), path="columns", parts=(), **columns) -> "Trace":
        """Return a trace of plain sequences.

        Parameters
        ----------
        submit : sequence of int, s
        comments : sequence of str
            Header lines without semicolon, such as ``" MaxProcs: 128"``.
        path : str
            The name in messages.
        parts : int[k, 5], optional
            Partial executions, see `Trace`.
        **columns
            Other fields by name; job numbers are 1, 2, ... by default, other fields -1.

        Raises
        ------
        SWFError
            For a field or value that the format does not allow.
        """
        n = len(submit)
        columns = {"job_id": np.arange(1, n + 1)} | columns | {"submit": submit}
        for name, values in columns.items():
            among(FIELDS, f"{path}: no field", name, SWFError)
            columns[name] = _column(path, name, values, n)
        numbers, counts = np.unique(columns["job_id"], return_counts=True)
        if n > len(numbers):
            number = numbers[counts > 1][0]
            raise SWFError(f"{path}: {counts.max()} jobs have number {number}; expected one")
        line = np.arange(1, n + 1, dtype=np.int32)
        return _sorted_trace(columns, line, parts, path=str(path), comments=tuple(comments))


#: The fields of the format, in its order.
FIELDS = tuple(column.name for column in fields(Trace))[:18]
_PARTS = ("job_id", "wait", "run_time", "allocated_processors", "status")
_TYPES = {name: np.float64 if name in DECIMAL else np.int64 for name in FIELDS}


def quote(value, most: int = 60) -> str:
    """Return a value for a message: quoted, control characters escaped, long ones shortened."""
    text = str(value)
    return repr(text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)")


def stem(path) -> str:
    """Return the name of a log without the endings of its format and compression."""
    return re.sub(r"(\.swf)?(\.(gz|xz|bz2))?$", "", Path(path).name)


def display_name(path) -> str:
    """Return the name of a file in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def read_bytes(path, error=SWFError) -> bytes:
    """Return the decompressed content of a file; ``-`` is standard input.

    Raises
    ------
    error
        For a damaged compressed file and more than `MOST_BYTES`.
    OSError
        If the file cannot be opened.
    """
    name = display_name(path)
    standard = str(path) == STANDARD_INPUT
    with io.BufferedReader(sys.stdin.buffer) if standard else open(path, "rb") as file:
        head = file.peek(8)
        packed = (of for begin, of in _COMPRESSED.items() if head.startswith(begin))
        kind, opened = next(packed, ("", None))
        try:
            with opened(file) if opened else file as content:
                data = content.read(MOST_BYTES + 1)
        except EOFError:
            raise error(f"{name}: the {kind} is truncated") from None
        except (zlib.error, lzma.LZMAError, OSError) as damage:
            if not kind:
                raise
            raise error(f"{name}: the {kind} is damaged ({damage})") from None
    if len(data) > MOST_BYTES:
        raise error(f"{name}: too large; allowed: up to {MOST_BYTES >> 20:,} MiB decompressed")
    return data


def read(path, sha256=None, bad_lines="refuse", times=None) -> Trace:
    """Read a log, plain or compressed; ``-`` is standard input.

    Parameters
    ----------
    path : str or Path
    sha256 : str, optional
        The expected hash of the decompressed bytes.
    bad_lines : {"refuse", "skip"}
        Whether lines that cannot be jobs are an error, or are skipped and counted in the trace.
    times : {"round"}, optional
        Round fractions of seconds and count them: submissions, starts and ends to the nearest
        second (halves upwards), of which waits and run times are the differences, and estimates
        upwards. By default they are an error.

    Raises
    ------
    SWFError
        For content that the rules of this module do not allow, too much content, or another hash.
    OSError
        If the file cannot be opened.
    """
    return parse(read_bytes(path), display_name(path), sha256, bad_lines, times)


def parse(data: bytes, name: str, sha256=None, bad_lines="refuse", times=None) -> Trace:
    """Return the trace of a file's decompressed content; `name` is for messages, see `read`."""
    among(BAD_LINES, "bad_lines", bad_lines, SWFError)
    if times is not None:
        among(TIMES, "times", times, SWFError)
    digest = hashlib.sha256(data).hexdigest()
    if sha256 not in (None, digest):
        raise SWFError(f"{name}: sha256 of the decompressed file is {digest}, expected {sha256}")
    start = _HEADER.match(data).end()
    table = None if times else _table(data[start:], bad_lines == "skip")
    if table is not None:
        columns, row, anomalies, bad = table
        comments = tuple(map(_comment, data[:start].split(b"\n")[:-1]))
        line = (len(comments) + 1 + row).astype(np.int32)
        facts = {"path": name, "sha256": digest, "comments": comments, "bad_lines": bad}
        return _sorted_trace(columns, line, (), anomalies, **facts)
    return _parse_lines(data, name, bad_lines, digest, times)


def _table(data, skip):
    """Return columns of job lines by name, their rows from 0,
    and counts of anomalies and of bad lines by kind.

    None unless every line is 18 plain numbers of a new job; with `skip` the number and the
    submission may be unknown, and such lines are left out.
    """
    # pandas takes the columns beyond the names for an index, which takes minutes for a line of a
    # million.
    if data.translate(None, _PLAIN) or len(data.partition(b"\n")[0].split()) != len(FIELDS):
        return None
    if b"." in data and any(map(data.translate(_AS_ZEROS).__contains__, _LONG)):
        return None
    try:
        frame = pd.read_csv(
            io.BytesIO(data), sep=r"\s+", header=None, names=FIELDS, dtype=_TYPES, na_filter=False,
            skip_blank_lines=False,
        )  # fmt: skip
    except (ValueError, OverflowError, pd.errors.ParserError):
        return None
    columns = {name: frame.pop(name).to_numpy() for name in FIELDS}
    if any(_is_too_large(name, columns[name]).any() for name in FIELDS):
        return None
    number = columns["job_id"]
    numbers = number[number >= 0]
    if not np.all(numbers[1:] > numbers[:-1]) and len(np.unique(numbers)) < len(numbers):
        return None
    bad = {kind: np.flatnonzero(columns[name] < 0) for name, kind in _UNKNOWN.items()}
    bad["unknown-submission"] = np.setdiff1d(bad["unknown-submission"], bad["unknown-job-number"])
    left_out = np.concatenate([*bad.values()])
    row = np.delete(np.arange(len(number)), left_out)
    if len(left_out) and not (skip and len(row)):
        return None
    columns = {name: column[row] for name, column in columns.items()}
    odd = {name: (column < 0) & (column != -1) for name, column in columns.items()}
    columns = {name: np.where(odd[name], -1, column) for name, column in columns.items()}
    negative = sum(int(mask.sum()) for mask in odd.values())
    kinds = sorted((rows[0], kind, len(rows)) for kind, rows in bad.items() if len(rows))
    anomalies = {"negative_as_unknown": negative} if negative else {}
    return columns, row, anomalies, {kind: count for _, kind, count in kinds}


def _is_wrong(name, column):
    """Return the mask of the values of a column that the format does not allow, bool[n]."""
    wrong = (column < 0) & ((column != -1) | (name in KNOWN))
    return wrong | _is_too_large(name, column)


def _is_too_large(name, column):
    return ~np.isfinite(column) | (name not in DECIMAL and column >= 10**_MOST_DIGITS)


def _comment(line):
    text = line.removeprefix(b";").rstrip(b"\r\n")
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")


class _BadLine(ValueError):
    """A line that cannot be a job: the kind and the description of the problem."""


def _parse_lines(data, name, bad_lines, digest, times):
    """Return the trace of a file, line by line; see `parse`."""
    comments, rows, lines, parts, line_of = [], [], [], [], {}
    anomalies, bad, problem, width = Counter(), Counter(), "", len(FIELDS)
    for number, line in enumerate(io.BytesIO(data.removeprefix(_BYTE_ORDER_MARK)), 1):
        text = line.removesuffix(b"\n").removesuffix(b"\r").lstrip(b" \t")
        if text.startswith(b";"):
            comments.append(_comment(text))
        if text.startswith(b";") or not text:
            continue
        tokens = re.split("[ \t]+", text.rstrip(b" \t").decode("utf-8", "replace"))
        try:
            if not rows:  # the first job decides
                width = max(len(FIELDS), len(tokens))
            values, is_part = _job(tokens, width, line_of, times, anomalies)
        except _BadLine as wrong:
            kind, description = wrong.args
            bad[kind] += 1
            problem = problem or f", line {number}{description}"
            continue
        if is_part:
            parts.append([values[FIELDS.index(field)] for field in _PARTS])
            continue
        rows.append(values)
        lines.append(number)
        line_of[str(values[0])] = number
        for value, token in zip(values, tokens, strict=False):
            if value == -1 and float(token) != -1:
                anomalies["negative_as_unknown"] += 1
    if not rows and not bad:
        content = "only comments" if comments else "an empty file"
        raise SWFError(f"{name}: no jobs, {content}; a job is a line of {len(FIELDS)} numbers")
    if not rows or (bad and bad_lines == "refuse"):
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in bad.items())
        hint = "; bad_lines='skip' (--bad-lines skip) leaves them out" if rows else ""
        if not rows and bad.keys() <= {"wrong-columns", "not-a-number"}:
            kind = recognize(data)
            if kind and kind.name != "swf":
                raise SWFError(f"{name}: not SWF, but {kind}")
            hint = "; this is not SWF (replication-cluster of contrib/cluster names other kinds)"
        if "fraction-of-second" in bad:
            hint += "; times='round' (--times round) rounds fractions of seconds"
        total = bad.total() + len(rows) + len(parts)
        raise SWFError(
            f"{name}{problem}; {bad.total():,} of {total:,} lines cannot be jobs: {kinds}{hint}"
        )
    if width > len(FIELDS):
        anomalies["further_columns"] = width - len(FIELDS)
    columns = {
        field: np.array(values, _TYPES[field])
        for field, values in zip(FIELDS, zip(*rows, strict=True), strict=True)
    }
    facts = {"path": name, "sha256": digest, "comments": tuple(comments), "bad_lines": dict(bad)}
    facts["times"] = times
    return _sorted_trace(columns, np.array(lines, np.int32), parts, anomalies, **facts)


def _job(tokens, width, line_of, times, anomalies):
    """Return the values of a line, and whether it is a partial execution of a job of `line_of`;
    _BadLine for others.
    """
    if len(tokens) != width:
        expected = f"{width}, as in the first job" if width > len(FIELDS) else len(FIELDS)
        raise _BadLine("wrong-columns", f": {len(tokens)} columns; allowed: {expected}")
    is_part = tokens[10] in ("2", "3", "4") and tokens[0].lstrip("0") in line_of
    unreadable = [name for name in UNUSED if not _is_readable(name, tokens[FIELDS.index(name)])]
    for name in unreadable:
        tokens[FIELDS.index(name)] = "-1"
    if times:
        tokens = _whole_seconds(tokens, anomalies)
    values = [
        _value(name, token, k, is_part)
        for k, (name, token) in enumerate(zip(FIELDS, tokens, strict=False), 1)
    ]
    first = line_of.get(str(values[0]))
    if first and not is_part:
        raise _BadLine(
            "repeated-job-number",
            f", field 1 (job_id): job {values[0]} is already on line {first}; allowed: each "
            "number once",
        )
    anomalies.update(f"unreadable_{name}" for name in unreadable)
    return values, is_part


def _is_readable(name, token):
    try:
        _value(name, token, 0, False)
    except _BadLine:
        return False
    return True


def _whole_seconds(tokens, anomalies):
    """Return the fields of a line with times in whole seconds, and count those that changed."""
    exact = {
        name: Decimal(token)
        for name, token in zip(FIELDS, tokens, strict=False)
        if name in IN_SECONDS and _NUMBER.fullmatch(token) and Decimal(token) >= 0
    }
    submit, wait = exact.get("submit", Decimal(0)), exact.get("wait")
    start = submit + wait if wait is not None else Decimal(0)
    whole = {name: _nearest(value) for name, value in exact.items()}
    if wait is not None:
        whole["wait"] = _nearest(start) - _nearest(submit)
    if "run_time" in exact:
        whole["run_time"] = _nearest(start + exact["run_time"]) - _nearest(start)
    if "requested_time" in exact:  # the difference of two rounded times is never above this
        whole["requested_time"] = exact["requested_time"].to_integral_value(ROUND_CEILING)
    changed = {name: value for name, value in whole.items() if value != exact[name]}
    if changed:
        anomalies["rounded_seconds"] += len(changed)
    return [
        f"{changed[name]:f}" if name in changed else token
        for name, token in zip(FIELDS, tokens, strict=False)
    ]


def _nearest(seconds):
    return seconds.to_integral_value(ROUND_HALF_UP)


def _value(name, token, k, is_part):
    """Return the value of a token in field `k`; raise _BadLine if the format does not allow it."""

    def problem(kind):
        return _BadLine(
            kind, f", field {k} ({name}): {quote(token, 40)}; allowed: {_allowed_values(name)}"
        )

    # Most tokens are one of these two; the rest takes ten times as long.
    if token.isdigit() and token.isascii() and len(token) <= _MOST_DIGITS:
        return float(token) if name in DECIMAL else int(token)
    if token == "-1" and name not in KNOWN:
        return -1
    if not _NUMBER.fullmatch(token):
        raise problem("not-a-number")
    number = Decimal(token)
    if number < 0:
        if name in KNOWN and not is_part:
            raise problem(_UNKNOWN[name])
        return -1
    if name in DECIMAL:
        if float(token) == np.inf:
            raise problem("too-large")
        return float(token)
    if number >= 10**_MOST_DIGITS:
        raise problem("too-large")
    if number != int(number):
        raise problem("fraction-of-second" if name in IN_SECONDS else "not-whole")
    return int(number)


def write(target, trace: Trace) -> None:
    """Write comments, jobs and partial executions to a path or a binary file;
    `read` returns the same values.
    """
    table = pd.DataFrame({name: getattr(trace, name) for name in FIELDS})
    for name in DECIMAL:
        table[name] = table[name].map(_decimal)
    if len(trace.parts):
        parts = pd.DataFrame(trace.parts, columns=_PARTS)
        lines = table.set_index("job_id").loc[parts["job_id"]].reset_index()
        # Only the first part has a submission.
        lines["submit"] = lines["submit"].where(~parts["job_id"].duplicated(), -1)
        lines[[*_PARTS]] = parts
        place = pd.Series(table.index, table["job_id"])
        table = pd.concat([table, lines]).sort_values("job_id", key=place.get, kind="stable")
    text = table.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    with writing.open_output(target) as out:
        out.write("".join(f";{comment}\n" for comment in trace.comments).encode())
        out.write(text.encode())


def _decimal(value):
    # SWF has no exponents.
    return str(int(value)) if value.is_integer() else np.format_float_positional(value, trim="-")


def _allowed_values(name):
    kind = "numbers" if name in DECIMAL else f"whole numbers of at most {_MOST_DIGITS} digits"
    return f"{kind} from 0" + ("" if name in KNOWN else ", or -1 for unknown")


def _column(path, name, values, n):
    """Return `values` as a column of the right type; raise SWFError for values
    that the format does not allow.
    """
    values = np.asarray(values)
    if values.shape != (n,) or values.dtype.kind not in "iuf":
        raise SWFError(
            f"{path}: {name} is {values.dtype}{list(values.shape)}; allowed: {n} numbers"
        )
    with np.errstate(invalid="ignore"):
        column = values.astype(_TYPES[name])
    wrong = _is_wrong(name, column) | (column != values)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise SWFError(
            f"{path}, line {k + 1}: {name} is {values[k]}; allowed: {_allowed_values(name)}"
        )
    return column


def _sorted_trace(columns, line, parts=(), anomalies=(), **facts):
    """Return the trace of these columns in order of submission; missing fields are -1."""
    columns = {name: np.full(len(line), -1, kind) for name, kind in _TYPES.items()} | columns
    columns["line"] = line
    steps_back = int(np.count_nonzero(columns["submit"][1:] < columns["submit"][:-1]))
    anomalies = dict(anomalies)
    if steps_back:
        anomalies["submit_out_of_order"] = steps_back
        order = np.argsort(columns["submit"], kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
    if dependent := int(np.count_nonzero(columns["preceding_job"] > 0)):
        anomalies["preceding_job"] = dependent
    for column in columns.values():
        column.flags.writeable = False
    parts = np.array(parts, np.int64).reshape(-1, len(_PARTS))
    return Trace(**columns, **facts, anomalies=anomalies, parts=parts)
