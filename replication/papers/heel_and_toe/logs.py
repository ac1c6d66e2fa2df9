"""Table 1: the logs that drive the simulations."""

from replication.basics.lazy import pandas as pd
from replication.logs import traces
from replication.papers.logs import duration, tidy

ORDER = ("processors", "jobs", "log_start", "log_end", "utilization")


def table1(workloads):
    """The facts that Table 1 gives for each log.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, value, unit. Jobs are the lines of the log, as in the paper; the utilization
        is that of the jobs simulated.
    """
    rows = list(duration(workloads))
    for name, workload in workloads.items():
        lines = len(workload) if workload.stand_in else len(traces.read(name))
        rows += [
            (name, "processors", workload.machine, "processors"),
            (name, "jobs", lines, "jobs"),
            (name, "utilization", 100 * workload.load, "%"),
        ]
    return tidy(rows)


def left_out(workloads):
    """What the cleaning rules did to each log: one row a rule, one column a log."""
    counts = {
        name: dict(workload.cleaning) | {"jobs simulated": len(workload)}
        for name, workload in workloads.items()
    }
    return pd.DataFrame(counts).fillna(0).astype(int).rename_axis("rule").reset_index()
