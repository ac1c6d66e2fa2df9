"""Logs in the Standard Workload Format (SWF 2.2) with all 18 fields."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from replication_cluster import files

FIELDS = (
    *("job_id", "submit", "wait", "run_time", "allocated_processors", "cpu_time", "used_memory"),
    *("requested_processors", "requested_time", "requested_memory", "status", "user", "group"),
    *("executable", "queue", "partition", "preceding_job", "think_time"),
)


@dataclass(frozen=True, eq=False)
class Log:
    """A log with all fields of the format.

    Parameters
    ----------
    jobs : pandas.DataFrame
        One row a job with the columns of `FIELDS`, int64, ordered by submission; -1 is unknown.
        Times in s.
    header : tuple of (str, str)
        Labels and values.
    """

    jobs: pd.DataFrame
    header: tuple = ()

    def __len__(self):
        return len(self.jobs)

    def value(self, label):
        """Return the first value of a label of the header, or None."""
        return next((value for name, value in self.header if name == label), None)

    @property
    def processors(self):
        """Processors of the machine (``MaxProcs``)."""
        return int(self.value("MaxProcs"))


def from_columns(columns, header=()):
    """Return a `Log` of columns by field name; unknown fields become -1."""
    jobs = pd.DataFrame(columns).reindex(columns=[*FIELDS], fill_value=-1).astype(np.int64)
    return Log(jobs.sort_values("submit", kind="stable", ignore_index=True), tuple(header))


def write(path, log):
    """Write a log to a file, gzipped if its name ends in ``.gz``."""
    header = "".join(f"; {label}: {value}\n" for label, value in log.header)
    rows = log.jobs.to_csv(sep=" ", header=False, index=False, lineterminator="\n")
    files.write(path, (header + rows).encode())
