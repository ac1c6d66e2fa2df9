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

pandas parses files of plain numbers. Of any other file (late comments, text, another number of
columns) each different token of a column is parsed once.

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
from dataclasses import dataclass, field, fields
from decimal import Decimal
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
_PLACES = 6  # decimals of seconds that count where times are rounded

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
_REPEATED, _WIDTH = "repeated-job-number", "wrong-columns"
_FRACTION, _NO_NUMBER = "fraction-of-second", "not-a-number"
_OF_PARTS = (2, 3, 4)  # status
_BLANKS = re.compile("[ \t]+")


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
    data = data.removeprefix(_BYTE_ORDER_MARK)
    comments, lines, columns, problem, anomalies = _numbers(data) or _tokens(data, times)
    if not len(lines):
        content = "only comments" if comments else "an empty file"
        raise SWFError(f"{name}: no jobs, {content}; a job is a line of {len(FIELDS)} numbers")
    first, is_part = _judge(columns, problem)
    bad = {kind: int(np.sum(problem == kind)) for kind in pd.unique(problem[problem != ""])}
    good = problem == ""
    if bad and (bad_lines == "refuse" or not good.any()):
        _refuse(data, name, lines, problem, first, bad)
    kept = good & ~is_part
    counts = {
        f"unreadable_{column}": int((mask & good).sum())
        for column, mask in anomalies.get("unreadable", {}).items()
    }
    counts["rounded_seconds"] = int(anomalies["rounded"].sum())
    counts["negative_as_unknown"] = int(np.sum(anomalies["negative"], where=kept))
    counts["further_columns"] = anomalies.get("further_columns", 0)
    counts = {what: count for what, count in counts.items() if count}
    parts = np.column_stack([columns[column][good & is_part] for column in _PARTS])
    columns = {column: values[kept] for column, values in columns.items()}
    facts = {"path": name, "sha256": digest, "comments": comments, "bad_lines": bad, "times": times}
    return _sorted_trace(columns, lines[kept].astype(np.int32), parts, counts, **facts)


def _numbers(data):
    """Return what `_tokens` does for a file of plain numbers, 18 a line, below its header; None for
    another one.
    """
    begin = _HEADER.match(data).end()
    body = data[begin:]
    # pandas takes the columns beyond the names for an index, which takes minutes for a line of a
    # million.
    if body.translate(None, _PLAIN) or len(body.partition(b"\n")[0].split()) != len(FIELDS):
        return None
    if b"." in body and any(map(body.translate(_AS_ZEROS).__contains__, _LONG)):
        return None
    try:
        frame = pd.read_csv(
            io.BytesIO(body), sep=r"\s+", header=None, names=FIELDS, dtype=_TYPES, na_filter=False,
            skip_blank_lines=False,
        )  # fmt: skip
    except (ValueError, OverflowError, pd.errors.ParserError):
        return None
    columns = {name: frame.pop(name).to_numpy() for name in FIELDS}
    if any(_is_too_large(name, columns[name]).any() for name in FIELDS):
        return None
    negative = np.zeros(len(frame), np.int64)
    for name, column in columns.items():
        odd = (column < 0) & (column != -1)
        if odd.any():
            negative += odd
            columns[name] = np.where(odd, -1, column)
    comments = tuple(map(_comment, data[:begin].split(b"\n")[:-1]))
    lines = np.arange(len(comments) + 1, len(comments) + 1 + len(frame))
    anomalies = {"negative": negative, "rounded": 0 * negative}
    return comments, lines, columns, np.full(len(frame), "", object), anomalies


def _tokens(data, times):
    """Return the parts of a file.

    Returns
    -------
    comments : tuple of str
    lines : int64[n]
        Numbers of the lines that are no comments and not blank.
    columns : dict of str to int64[n] or float64[n]
        By name, -1 where unknown or unreadable.
    problem : object[n]
        The kind of a line that cannot be a job, "" for the others.
    anomalies : dict
        ``unreadable``, a mask for each field in `UNUSED`; ``negative`` and ``rounded``, numbers of
        values in each line; ``further_columns``.
    """
    begins = [line.lstrip(b" \t") for line in data.split(b"\n")]
    comments = tuple(_comment(line) for line in begins if line.startswith(b";"))
    texts = [line.removesuffix(b"\r").rstrip(b" \t") for line in begins]
    numbers = [k for k, text in enumerate(texts, 1) if text and not text.startswith(b";")]
    rows = [_BLANKS.split(texts[k - 1].decode("utf-8", "replace")) for k in numbers]
    if not rows:
        return comments, np.zeros(0, np.int64), {}, np.zeros(0, object), {}
    width = max(len(FIELDS), len(rows[0]))  # the first job decides
    fits = np.array([len(row) == width for row in rows], bool)
    problem = np.where(fits, "", _WIDTH).astype(object)
    negative, unreadable, columns, exact = np.zeros(len(rows), np.int64), {}, {}, {}
    unknown = {}
    for k, name in enumerate(FIELDS):
        tokens = [row[k] if fit else "-1" for row, fit in zip(rows, fits, strict=True)]
        codes, distinct = pd.factorize(np.array(tokens, object))
        values = [_value(name, token) for token in distinct]
        value, kind, is_negative = (np.array(of, object)[codes] for of in zip(*values, strict=True))
        columns[name] = value.astype(_TYPES[name])
        negative += is_negative.astype(bool)
        if name in UNUSED:
            unreadable[name] = (kind != "") & fits
        else:
            if times and name in IN_SECONDS:
                number = [float(token) if _NUMBER.fullmatch(token) else -1 for token in distinct]
                exact[name] = np.array(number)[codes]
                kind = np.where(kind == _FRACTION, "", kind)
            problem = np.where(problem == "", kind, problem)
        if name in KNOWN:
            fraction = exact.get(name, np.zeros(len(rows))) > 0
            unknown[name] = (problem == "") & (columns[name] < 0) & ~fraction
    problem = np.where(unknown["job_id"], _UNKNOWN["job_id"], problem)
    jobs = (problem == "") & (columns["submit"] >= 0)
    again = (columns["job_id"] > 0) & (_first(columns["job_id"], jobs) < np.arange(len(rows)))
    of_job = ~(again & np.isin(columns["status"], _OF_PARTS))
    problem = np.where(unknown["submit"] & ~unknown["job_id"] & of_job, _UNKNOWN["submit"], problem)
    rounded = _round(columns, exact) if exact else np.zeros(len(rows), np.int64)
    anomalies = {"negative": negative, "rounded": rounded, "unreadable": unreadable}
    anomalies["further_columns"] = width - len(FIELDS)
    return comments, np.array(numbers, np.int64), columns, problem, anomalies


def _value(name, token):
    """Return the value of a token, -1 where there is none, the kind of problem that it has, or "",
    and whether it is a negative number other than -1.
    """
    if token.isdigit() and token.isascii() and len(token) <= _MOST_DIGITS:
        return (float(token) if name in DECIMAL else int(token)), "", False
    if not _NUMBER.fullmatch(token):
        return -1, _NO_NUMBER, False
    number = Decimal(token)
    if number < 0:
        return -1, "", number != -1
    if name in DECIMAL:
        return (float(token), "", False) if float(token) < np.inf else (-1, "too-large", False)
    if number >= 10**_MOST_DIGITS:
        return -1, "too-large", False
    if number != int(number):
        return -1, _FRACTION if name in IN_SECONDS else "not-whole", False
    return int(number), "", False


def _round(columns, exact):
    """Round times to seconds in place, halves upwards; return the number of changed values of each
    line. A wait and a run time are the differences of rounded submissions, starts and ends.
    """
    submit, wait, run_time = (np.maximum(exact[name], 0) for name in ("submit", "wait", "run_time"))
    start = np.where(exact["wait"] >= 0, submit + wait, 0)
    whole = {
        "submit": _nearest(submit),
        "wait": _nearest(submit + wait) - _nearest(submit),
        "run_time": _nearest(start + run_time) - _nearest(start),
        # The difference of two rounded times is never above this.
        "requested_time": np.ceil(np.round(exact["requested_time"], _PLACES)),
    }
    changes = np.zeros(len(submit), np.int64)
    for name, values in whole.items():
        changed = (exact[name] >= 0) & (values != exact[name])
        columns[name] = np.where(changed, values, columns[name]).astype(np.int64)
        changes += changed
    return changes


def _nearest(seconds):
    return np.floor(np.round(seconds, _PLACES) + 0.5)


def _first(number, jobs):
    """Return the place of the first of some jobs, bool[n], that has a line's number, int64[n]; n
    where none has.
    """
    places = pd.Series(np.flatnonzero(jobs), number[jobs])
    places = places[~places.index.duplicated()]
    if len(places) == len(number):
        return places.to_numpy()
    return pd.Series(number).map(places).fillna(len(number)).to_numpy(np.int64)


def _judge(columns, problem):
    """Note the lines that cannot be jobs as they have no number or submission, or the number of an
    earlier job.

    Returns
    -------
    first : int64[n]
        Place of the job with the line's number, n where there is none.
    is_part : bool[n]
        Whether a line is a partial execution of that job.
    """
    number, place = columns["job_id"], np.arange(len(problem))
    candidate = (problem == "") & (number >= 0)
    jobs = candidate & (columns["submit"] >= 0)
    first = _first(number, jobs)
    is_part = candidate & (number > 0) & (first < place) & np.isin(columns["status"], _OF_PARTS)
    problem[jobs & (first < place) & ~is_part] = _REPEATED
    problem[candidate & ~jobs & ~is_part] = _UNKNOWN["submit"]
    problem[(problem == "") & (number < 0)] = _UNKNOWN["job_id"]
    return first, is_part


def _refuse(data, name, lines, problem, first, bad):
    """Raise SWFError for lines that cannot be jobs, with the first of them."""
    total, wrong = len(problem), sum(bad.values())
    if wrong == total and bad.keys() <= {_WIDTH, _NO_NUMBER}:
        kind = recognize(data)
        if kind and kind.name != "swf":
            raise SWFError(f"{name}: not SWF, but {kind}")
    k = int(np.argmax(problem != ""))
    texts = data.split(b"\n")
    rows = (texts[lines[place] - 1].removesuffix(b"\r").strip(b" \t") for place in (0, k))
    width, tokens = (_BLANKS.split(row.decode("utf-8", "replace")) for row in rows)
    width = max(len(FIELDS), len(width))
    if problem[k] == _WIDTH:
        allowed = width if width == len(FIELDS) else f"{width}, as in the first job"
        reason = f": {len(tokens)} columns; allowed: {allowed}"
    elif problem[k] == _REPEATED:
        reason = f", field 1 (job_id): job {tokens[0]} is already on line {lines[first[k]]}; "
        reason += "allowed: each number once"
    else:
        field = _wrong_field(tokens, problem[k])
        reason = f", field {FIELDS.index(field) + 1} ({field}): "
        reason += f"{quote(tokens[FIELDS.index(field)], 40)}; allowed: {_allowed_values(field)}"
    hint = "; bad_lines='skip' (--bad-lines skip) leaves them out" * (wrong < total)
    if _FRACTION in bad:
        hint += "; times='round' (--times round) rounds fractions of seconds"
    counts = ", ".join(f"{count:,} {kind}" for kind, count in bad.items())
    raise SWFError(
        f"{name}, line {lines[k]}{reason}; {wrong:,} of {total:,} lines cannot be jobs: "
        f"{counts}{hint}"
    )


def _wrong_field(tokens, problem):
    """Return the field that makes a line one that cannot be a job."""
    of_kind = {kind: name for name, kind in _UNKNOWN.items()}
    named = zip(FIELDS, tokens, strict=False)
    return of_kind.get(problem) or next(
        name for name, token in named if name not in UNUSED and _value(name, token)[1] == problem
    )


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
