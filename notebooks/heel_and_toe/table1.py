"""Table 1: the logs."""

import pandas as pd

from notebooks.logs import duration, is_ours, tidy
from replication.simulator.logs import registry


def facts(workloads) -> pd.DataFrame:
    """Return the facts of Table 1 for each log, as `Page.compare` takes them.

    Jobs are the lines of the log, as in the paper; the utilization is that of the simulated jobs.
    """
    rows = list(duration(workloads))
    for name, workload in workloads.items():
        lines = len(workload) if is_ours(name, workload) else len(registry.read(name))
        rows.append((name, "processors", workload.machine, "processors"))
        rows.append((name, "jobs", lines, "jobs"))
        rows.append((name, "utilization", 100 * workload.load, "%"))
    return tidy(rows)
