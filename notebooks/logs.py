"""Facts of logs for the papers' tables of them, and logs that a paper does not use."""

import contextlib
import re
from collections.abc import Iterator

import pandas as pd

from notebooks import variants
from replication.simulator.logs import registry
from replication.simulator.workload import QUICK_JOBS, Workload

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
COLUMNS = ["trace", "policy", "measure", "value", "unit"]
ORDER = "processors jobs log_start log_end load mean_size mean_run_time utilization".split()


def month(header, label) -> int | None:
    """Return the month (yyyymm) of an SWF header's ``StartTime`` or ``EndTime``, or None.

    Such a date is written as ``Wed Jun 26 17:06:00 EDT 1996``.
    """
    date = re.search(rf"\b({'|'.join(MONTHS)})\b.*\b(\d{{4}})\b", header.get(label, [""])[0])
    return int(date[2]) * 100 + MONTHS.index(date[1]) + 1 if date else None


def tidy(rows) -> pd.DataFrame:
    """Return rows of (trace, measure, value, unit) as the table that `Page.compare` takes."""
    return pd.DataFrame([(row[0], "log", *row[1:]) for row in rows], columns=COLUMNS)


def is_ours(name, workload):
    """Return whether a log is synthetic or a file of one's own, which has no header of
    the archive.
    """
    return workload.stand_in or name not in registry.names()


def duration(workloads) -> Iterator[tuple]:
    """Yield the first and last month of each log of the archive, from its header."""
    for name, workload in workloads.items():
        if not is_ours(name, workload):
            header = registry.read(name).header
            for measure, label in (("log_start", "StartTime"), ("log_end", "EndTime")):
                yield name, measure, month(header, label), "yyyymm"


def left_out(workloads) -> pd.DataFrame:
    """Return the number of jobs that each cleaning rule changed or left out, with a row for each
    rule and a column for each log.
    """
    counts = {
        name: dict(workload.cleaning) | {"jobs simulated": len(workload)}
        for name, workload in workloads.items()
    }
    return pd.DataFrame(counts).fillna(0).astype(int).rename_axis("rule").reset_index()


def wide(ours) -> pd.DataFrame:
    """Return a row for each log and a column for each measure, for display; months as 1996-06."""
    table = ours.set_index(["trace", "measure"])["value"].unstack(sort=False)
    table = table[[measure for measure in ORDER if measure in table]]
    units = dict(zip(ours["measure"], ours["unit"], strict=True))
    for measure in table:
        if units[measure] == "yyyymm":
            table[measure] = [f"{int(v) // 100}-{int(v) % 100:02d}" for v in table[measure]]
        elif units[measure] in ("jobs", "processors") and (table[measure] % 1 == 0).all():
            table[measure] = table[measure].astype(int)
    return table.reset_index()


def others(paper, workloads, names, quick=False) -> dict[str, Workload]:
    """Return logs that the paper lacks, by name: cleaned by its rules, on the machine in the log's
    header.

    If `paper` is None, by the default rules. At quick scale they are the first jobs. Unavailable
    logs are left out, and all of them if the paper's own logs are synthetic.
    """
    by_log = {}
    for log in names:
        with contextlib.suppress(variants.NotApplicable):
            first = QUICK_JOBS if quick else None
            by_log[log] = variants.jobs(paper, workloads, log, variants.Variant(log), first)
    return by_log
