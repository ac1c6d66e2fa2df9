"""Logs in the Standard Workload Format (SWF 2.2) with all 18 fields."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from replication_cluster import files
from replication_cluster.files import LogError

FIELDS = (
    *("job_id", "submit", "wait", "run_time", "allocated_processors", "cpu_time", "used_memory"),
    *("requested_processors", "requested_time", "requested_memory", "status", "user", "group"),
    *("executable", "queue", "partition", "preceding_job", "think_time"),
)
DECIMAL = ("cpu_time", "used_memory", "requested_memory")
_LABEL = re.compile(r" ?([A-Z]\w*):\s*(.*)")


@dataclass(frozen=True, eq=False)
class Log:
    """A log with all fields of the format.

    Parameters
    ----------
    path : str
        Name of the log in messages.
    jobs : pandas.DataFrame
        One row a job with the columns of `FIELDS`, ordered by submission; -1 is unknown. Times in
        s.
    comments : tuple of str
        Header lines without the semicolon.
    """

    path: str
    jobs: pd.DataFrame
    comments: tuple = ()

    def __len__(self):
        return len(self.jobs)

    @cached_property
    def header(self):
        """Values of the header by label, a list each."""
        values = {}
        for match in filter(None, map(_LABEL.match, self.comments)):
            values.setdefault(match[1], []).append(match[2].strip())
        return values

    def number(self, label):
        """Return the number at the beginning of a header value, or None."""
        text = self.header.get(label, [""])[0]
        match = re.match(r"\d{1,15}(?!\w|[.,'’_\s]\d)", text)
        if not match and re.match(r"\d", text):
            what = f"{self.path}: header field {label}: {files.quoted(text)}"
            raise LogError(f"{what}; expected a whole number without separators")
        return int(match[0]) if match else None

    @property
    def processors(self):
        """Processors of the machine according to the header (``MaxProcs``), or None."""
        return self.number("MaxProcs") or None

    def runs(self):
        """Return start, run time (s) and size of the jobs for which all three are known, int64
        arrays.
        """
        jobs, allocated = self.jobs, self.jobs["allocated_processors"]
        size = allocated.where(allocated > 0, jobs["requested_processors"])
        known = (jobs["wait"] >= 0) & (jobs["run_time"] > 0) & (size > 0)
        columns = (jobs["submit"] + jobs["wait"], jobs["run_time"], size)
        return tuple(column[known].to_numpy(np.int64) for column in columns)


def from_columns(columns, comments=(), path="columns"):
    """Return a `Log` of columns by field name; unknown fields become -1, job numbers
    count from 1.
    """
    jobs = pd.DataFrame(columns).reset_index(drop=True)
    for name in FIELDS:
        if name not in jobs:
            jobs[name] = np.arange(1, len(jobs) + 1) if name == "job_id" else -1
    jobs = jobs[[*FIELDS]].astype({name: np.int64 for name in FIELDS if name not in DECIMAL})
    jobs = jobs.sort_values("submit", kind="stable", ignore_index=True)
    return Log(str(path), jobs, tuple(comments))


def read(path):
    """Read an SWF file, gzipped or not; LogError names line, field and value of a line that is no
    job.
    """
    comments, numbers, rows = [], [], []
    name = files.display_name(path)
    with files.open_text(path, ("swf",)) as file:
        for number, line in files.lines(file, name):
            if line.startswith(";"):
                comments.append(line[1:])
                continue
            row = line.split()
            if len(row) < len(FIELDS):
                raise LogError(f"{name}, line {number}: {len(row)} fields; expected {len(FIELDS)}")
            numbers.append(number)
            rows.append(row[: len(FIELDS)])
    if not rows:
        raise LogError(f"{name}: no jobs")
    jobs = pd.DataFrame(rows, columns=FIELDS)
    for field in FIELDS:
        values = pd.to_numeric(jobs[field], errors="coerce")
        bad = values.isna() | (values.abs() >= 1e18)
        if field not in DECIMAL:
            bad |= values != values.round()
        if field in ("job_id", "submit"):
            bad |= values < 0
        if bad.any():
            k = int(np.argmax(bad))
            raise LogError(
                f"{name}, line {numbers[k]}, {field}: {files.quoted(jobs[field][k])}; expected a "
                f"{'number' if field in DECIMAL else 'whole number'}"
            )
        jobs[field] = values.clip(lower=-1)
    return from_columns(jobs, comments, name)


def write(path, log):
    """Write a log to a file, gzipped if its name ends in ``.gz``."""
    comments = "".join(f";{comment}\n" for comment in log.comments)
    rows = log.jobs.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    files.write(path, (comments + rows).encode())
