"""Table 3: the workloads, and what its load and number of jobs may mean."""

import pandas as pd

from notebooks.logs import duration, tidy
from replication.simulator.logs import registry
from replication.simulator.schedules import measures

#: What a job is, and which lines are left out then.
JOBS = {
    "jobs with a run time and processors (default)": {},
    "jobs with a positive run time and processors": {"drop": "zero-run-time"},
    "jobs with a run time": {"keep": "not-allocated"},
}


def loads(workload) -> dict[str, float]:
    """Return the load, per cent, for each interpretation of its span.

    The cleaned logs do not begin at time 0: the jobs that did were removed. The last end is the
    earliest possible one, without waits.
    """
    work = workload.run_time, workload.processors, workload.machine
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    end = int((workload.submit + workload.run_time).max())
    return {
        "load %, first to last submission (caption)": 100 * workload.load,
        "load %, log's time 0 to last submission": 100 * measures.load(*work, last),
        "load %, first submission to earliest last end": 100 * measures.load(*work, end - first),
    }


def facts(workloads) -> pd.DataFrame:
    """Return the facts of Table 3 for each workload, of the simulated jobs.

    The load is that of the table's caption: work over capacity from the first submission to the
    last.
    """
    rows = list(duration(workloads))
    for name, workload in workloads.items():
        rows += [
            (name, "processors", workload.machine, "processors"),
            (name, "jobs", len(workload), "jobs"),
            (name, "load", 100 * workload.load, "%"),
            (name, "mean_size", workload.processors.mean(), "processors"),
            (name, "mean_run_time", workload.run_time.mean(), "s"),
        ]
    return tidy(rows)


def under_variants(workloads) -> pd.DataFrame:
    """Return the load for each interpretation of the span, and the number of jobs for each
    interpretation of a job.

    There is a row for each interpretation and a column for each log; logs that the paper does not
    use have no numbers of jobs.
    """
    rows = {}
    for name, workload in workloads.items():
        column = loads(workload)
        if not workload.stand_in and name in registry.names("pv_easy"):
            for what, rules in JOBS.items():
                column[what] = len(registry.load(name, paper="pv_easy", **rules))
        rows[name] = column
    return pd.DataFrame(rows).rename_axis("variant").reset_index()
