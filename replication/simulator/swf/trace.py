"""A job log as typed columns, and how it is written."""

import re
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from replication.simulator import files, writing

DECIMAL = ("cpu_time", "used_memory", "requested_memory")
KNOWN = ("job_id", "submit")

_LABEL = re.compile(r" ?([A-Z]\w*):\s*(.*)")
_LEADING_NUMBER = re.compile(r"\d+")
_MOST_DIGITS = 15
_ROWS_AT_ONCE = 10_000


class SWFError(ValueError):
    """A log that cannot be used: one line that names file, line, field, value and what is allowed."""


def allowed(name):
    """What may stand in the field `name`, in words."""
    kind = "numbers" if name in DECIMAL else "whole numbers"
    return f"{kind} from 0" + ("" if name in KNOWN else ", or -1 for unknown")


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
        0 failed, 1 completed, 5 cancelled; 2 to 4 are parts of a job that was checkpointed.
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
        What was taken although unusual: crlf_lines, blank_lines, late_comments, whole_with_point,
        submit_out_of_order; and where there are such negative_as_unknown (values), further_columns (their
        number) and byte_order_mark.
    bad_lines : dict of str to int
        Lines left out because they cannot be jobs, by kind.
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

    def __len__(self):
        return len(self.job_id)

    def __repr__(self):
        return f"Trace {Path(self.path).name}: {len(self):,} jobs"

    @cached_property
    def header(self):
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
    def max_procs(self):
        """Processors of the machine (``MaxProcs``), or None."""
        return self.number("MaxProcs") or None

    @property
    def unix_start_time(self):
        """Unix time of submission 0 (``UnixStartTime``), s, or None."""
        return self.number("UnixStartTime")

    @property
    def acknowledgements(self):
        """The people the header asks to acknowledge (``Acknowledge``)."""
        return list(self.header.get("Acknowledge", []))

    def number(self, label):
        """The number that a label of the header begins with, or None; SWFError for too many digits."""
        # "1664 (72, 1368, 224)" and "338 (batch partition; 512 total)" begin with the total.
        number = _LEADING_NUMBER.match(self.header.get(label, [""])[0])
        if number and len(number[0]) > _MOST_DIGITS:
            raise SWFError(
                f"{self.path}: the header's {label} is {files.shown(number[0])}; "
                f"allowed: a number of at most {_MOST_DIGITS} digits"
            )
        return int(number[0]) if number else None

    def runs(self):
        """Starts and run times, s, and sizes of the jobs of which all three are known and that ran."""
        given, asked = self.allocated_processors, self.requested_processors
        size = np.where(given > 0, given, asked)
        ran = (self.wait >= 0) & (self.run_time > 0) & (size > 0)
        return (self.submit + self.wait)[ran], self.run_time[ran], size[ran]

    def frame(self):
        """The 18 fields as a pandas DataFrame."""
        return pd.DataFrame({name: getattr(self, name) for name in FIELDS})

    @classmethod
    def from_columns(cls, submit, comments=(), path="columns", **columns):
        """Make a trace from plain sequences, checked like a file: submissions, s, header lines
        without semicolon such as ``" MaxProcs: 128"``, and other fields by name; job numbers
        default to 1, 2, ..., the rest to -1. `path` is what messages call it, and `line` counts the
        jobs as given. SWFError for a value that the format does not allow.
        """
        n = len(submit)
        given = {"job_id": np.arange(1, n + 1)} | columns | {"submit": submit}
        unknown = sorted(given.keys() - {*FIELDS})
        if unknown:
            raise SWFError(f"{path}: no field {unknown[0]!r}; allowed: {', '.join(FIELDS)}")
        checked = {name: _checked(path, name, given[name], n) for name in FIELDS if name in given}
        broken = [c for c in comments if "\n" in c or c.endswith("\r")]
        if broken:
            raise SWFError(f"{path}: comment {broken[0]!r} is more than one line")
        number = np.sort(checked["job_id"])
        repeated = number[1:][np.diff(number) == 0]
        if len(repeated):
            first, second = np.flatnonzero(checked["job_id"] == repeated[0])[:2] + 1
            raise SWFError(
                f"{path}, line {second}: job {repeated[0]} is already on line {first}; "
                "allowed: each number once"
            )
        line = np.arange(1, n + 1, dtype=np.int32)
        return ordered(checked, line, path=str(path), comments=tuple(comments))


#: The fields of the format, in its order.
FIELDS = tuple(own.name for own in fields(Trace))[:18]


def header(computer, conversion, jobs, notes=(), **more):
    """Comment lines of a log, as version 2.2 of the format asks for: what the jobs ran on, what made a
    log of them, `more` by the format's labels, such as MaxProcs, and notes. What is 0 or empty is left out.
    """
    lines = {"Version": 2.2, "Computer": computer, "Conversion": conversion}
    lines |= {"MaxJobs": jobs, "MaxRecords": jobs} | more
    told = (f" {label}: {value}" for label, value in lines.items() if value not in (0, ""))
    return (*told, *(f" Note: {note}" for note in notes))


def write(target, trace):
    """Write all 18 fields and the comments, which come first, to a path or a binary file, see
    `replication.simulator.writing.opened`; `read` gives the same values back.
    """
    with writing.opened(target) as out:
        out.write("".join(f";{comment}\n" for comment in trace.comments).encode())
        for first in range(0, len(trace), _ROWS_AT_ONCE):
            columns = (
                map(
                    _decimal if name in DECIMAL else str,
                    getattr(trace, name)[first : first + _ROWS_AT_ONCE].tolist(),
                )
                for name in FIELDS
            )
            out.write("".join(" ".join(row) + "\n" for row in zip(*columns)).encode())


def _decimal(value):
    # SWF has no exponents.
    return str(int(value)) if value.is_integer() else np.format_float_positional(value, trim="-")


def _checked(path, name, values, n):
    """`values` as a column of the right type; refuses what `read` would refuse."""
    values = np.asarray(values)
    if values.shape != (n,) or values.dtype.kind not in "iuf":
        raise SWFError(
            f"{path}: {name} is {values.dtype}{list(values.shape)}; allowed: {n} numbers"
        )
    with np.errstate(invalid="ignore"):
        column = values.astype(np.float64 if name in DECIMAL else np.int64)
    wrong = (column < 0) & ((column != -1) | (name in KNOWN))
    wrong |= (column != values) | ~np.isfinite(column) | (name not in DECIMAL and column >= 10**18)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise SWFError(f"{path}, line {k + 1}: {name} is {values[k]}; allowed: {allowed(name)}")
    return column


def ordered(columns, line, anomalies=(), **facts):
    """The trace of these columns: submissions put in order, columns made read-only; the fields that are not there
    are unknown throughout, which takes no memory.
    """
    for name in set(FIELDS) - columns.keys():
        unknown = np.float64(-1) if name in DECIMAL else np.int64(-1)
        columns[name] = np.broadcast_to(unknown, len(line))
    columns["line"] = line
    steps_back = int(np.count_nonzero(np.diff(columns["submit"]) < 0))
    order = np.argsort(columns["submit"], kind="stable") if steps_back else None
    for name in columns:
        if order is not None and columns[name].strides != (0,):  # one value for all
            columns[name] = columns[name][order]
        columns[name].flags.writeable = False
    return Trace(
        **columns, **facts, anomalies={**dict(anomalies), "submit_out_of_order": steps_back}
    )
