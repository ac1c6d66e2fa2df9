"""Table 3: an overview of the workloads."""

from replication.basics.lazy import pandas as pd
from replication.logs import traces
from replication.papers.logs import duration, load_since_zero, load_to_last_end, tidy
from replication.papers.pv_easy.runs import PAPER

ORDER = ("processors", "jobs", "log_start", "log_end", "load", "mean_size", "mean_run_time")
#: What a job is, and which lines are left out then.
JOBS = {
    "jobs with a run time and processors (default)": ("no-run-time", "not-allocated"),
    "jobs with a positive run time and processors": (
        "no-run-time",
        "zero-run-time",
        "not-allocated",
    ),
    "jobs with a run time": ("no-run-time",),
}


def table3(workloads):
    """The facts that Table 3 gives for each workload, of the jobs that are simulated.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, value, unit. The load is that of the table's caption: work over capacity from
        the first submission to the last.
    """
    rows = list(duration({log: w for log, w in workloads.items() if log in traces.names()}))
    for name, workload in workloads.items():
        rows += [
            (name, "processors", workload.machine, "processors"),
            (name, "jobs", len(workload), "jobs"),
            (name, "load", 100 * workload.load, "%"),
            (name, "mean_size", workload.processors.mean(), "processors"),
            (name, "mean_run_time", workload.run_time.mean(), "s"),
        ]
    return tidy(rows)


def readings(workloads):
    """The load under each reading of its span, and the number of jobs under each reading of what a job is.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload

    Returns
    -------
    pandas.DataFrame
        One row a reading, one column a log; no numbers of jobs for logs that are not the paper's.
    """
    rows = {}
    for name, workload in workloads.items():
        column = {
            "load %, first to last submission (caption)": 100 * workload.load,
            "load %, log's time 0 to last submission": 100 * load_since_zero(workload),
            "load %, first submission to earliest last end": 100 * load_to_last_end(workload),
        }
        if not workload.stand_in and name in traces.names(PAPER):
            for what, drop in JOBS.items():
                column[what] = len(traces.load(name, paper=PAPER, stand_in=False, drop=drop))
        rows[name] = column
    return pd.DataFrame(rows).rename_axis("reading").reset_index()
