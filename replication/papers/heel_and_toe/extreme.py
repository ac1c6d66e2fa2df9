"""Section 7's extreme case: every job asks for E_max, so that little but extra processors is left to fill."""

import numpy as np
import pandas as pd

from replication.estimates import Users, cut_runs
from replication.papers.heel_and_toe import campaign
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, FCFS


def results(workloads):
    """EASY with the users' estimates, EASY with every estimate at E_max, and FCFS, on runs cut at E_max.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload

    Returns
    -------
    pandas.DataFrame
        log, measure, real, at E_max, FCFS (s, or a ratio), and backfilled: the shares of jobs backfilled in
        percent with the users' estimates and at E_max.
    """
    rows = []
    for log, workload in workloads.items():
        limit = campaign.e_max(log)
        cut = cut_runs(workload, limit)
        runs = [
            simulate(cut, EASY(), Users(e_max=limit)).measures,
            simulate(cut, EASY(), np.full(len(cut), limit)).measures,
            simulate(cut, FCFS()).measures,
        ]
        for measure in PERFORMANCE:
            real, extreme, fcfs = (run[measure] for run in runs)
            rows.append(
                {
                    "log": log,
                    "measure": measure,
                    "real": real,
                    "at E_max": extreme,
                    "FCFS": fcfs,
                    "backfilled, real [%]": 100 * runs[0]["backfilled"],
                    "backfilled, at E_max [%]": 100 * runs[1]["backfilled"],
                }
            )
    return pd.DataFrame(rows)
