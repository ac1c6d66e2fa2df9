"""Facts of a log for a paper's table of workloads, beside what the paper prints."""

import re

from replication.basics.lazy import pandas as pd
from replication.logs import traces
from replication.logs.workload import QUICK_JOBS
from replication.schedule import measures

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
COLUMNS = ["trace", "policy", "measure", "value", "unit"]


def month(header, label):
    """Year and month of a date in an SWF header, such as ``Wed Jun 26 17:06:00 EDT 1996``.

    Parameters
    ----------
    header : dict of str to list of str
    label : str
        ``StartTime`` or ``EndTime``.

    Returns
    -------
    int, yyyymm, or None where the header does not say.
    """
    found = re.search(rf"\b({'|'.join(MONTHS)})\b.*\b(\d{{4}})\b", header.get(label, [""])[0])
    return int(found[2]) * 100 + MONTHS.index(found[1]) + 1 if found else None


def tidy(rows):
    """Rows of (trace, measure, value, unit) as the table `Page.compare` takes."""
    return pd.DataFrame(
        [(trace, "log", measure, value, unit) for trace, measure, value, unit in rows],
        columns=COLUMNS,
    )


def duration(workloads):
    """First and last month of each log, from its header; none for a stand-in, which has no calendar."""
    for name, workload in workloads.items():
        if not workload.stand_in:
            header = traces.read(name).header
            for measure, label in (("log_start", "StartTime"), ("log_end", "EndTime")):
                yield name, measure, month(header, label), "yyyymm"


def load_since_zero(workload):
    """Load over the span from the log's time 0, not its first submission, to the last submission (a share).

    The cleaned logs do not begin at time 0: the jobs that did were taken out.
    """
    return measures.load(
        workload.run_time, workload.processors, workload.machine, int(workload.submit[-1])
    )


def load_to_last_end(workload):
    """Load from the first submission to the earliest possible last end, without waits (a share)."""
    last = int((workload.submit + workload.run_time).max())
    return measures.load(
        workload.run_time, workload.processors, workload.machine, last - int(workload.submit[0])
    )


def wide(ours, order):
    """One row a log, one column a measure, for display: whole numbers whole, months as 1996-06."""
    table = ours.pivot(index="trace", columns="measure", values="value")
    table = (
        table[[m for m in order if m in table]]
        .loc[list(dict.fromkeys(ours["trace"]))]
        .reset_index()
    )
    whole = set(ours.loc[ours["unit"].isin(["jobs", "processors"]), "measure"])
    for measure in order:
        if measure in ("log_start", "log_end") and measure in table:
            table[measure] = [f"{int(v) // 100}-{int(v) % 100:02d}" for v in table[measure]]
        elif measure in whole and measure in table and (table[measure] % 1 == 0).all():
            table[measure] = table[measure].astype(int)
    return table


def others(paper, own, names, quick=False):
    """Logs that the paper lacks, by its rules and on the machine the log names.

    Parameters
    ----------
    paper : str
    own : dict of str to replication.logs.workload.Workload
        The paper's logs; nothing is put beside stand-ins.
    names : sequence of str
    quick : bool
        The first jobs of each log only.

    Returns
    -------
    dict of str to replication.logs.workload.Workload
        Without the logs that are not to be had.
    """
    if any(workload.stand_in for workload in own.values()):
        return {}
    rules, found = traces.rules(next(iter(own)), paper), {}
    for log in names:
        try:
            found[log] = traces.load(
                log, stand_in=False, size=rules.size, overrun=rules.overrun, drop=rules.drop
            ).take(slice(QUICK_JOBS if quick else None))
        except traces.TraceError:
            continue
    return found
