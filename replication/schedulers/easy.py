"""FCFS and EASY backfilling on the users' estimates, at full speed."""

import numpy as np

from replication.schedulers import Scheduler


def _run(workload, estimate, backfilling):
    from replication.core.easy import easy

    start, backfilled = np.full(len(workload), -1, np.int64), np.zeros(len(workload), bool)
    easy(
        workload.submit,
        workload.run_time,
        estimate,
        workload.processors,
        workload.machine,
        backfilling,
        start,
        backfilled,
    )
    return {"start": start, "backfilled": backfilled}


def fcfs(workload, estimate, seed):
    """First come, first served."""
    return _run(workload, estimate, False)


def easy(workload, estimate, seed):
    """EASY backfilling (Lifka 1995)."""
    return _run(workload, estimate, True)


SCHEDULERS = {
    "fcfs": Scheduler("first come, first served, no backfilling", fcfs),
    "easy": Scheduler("EASY backfilling on the estimates", easy),
}
