"""The effect of each part of PV-EASY on the slowdown of all jobs."""

import numpy as np
import pandas as pd

from notebooks.pv_easy.slowdown import sums
from replication.simulator.schedules import intervals

MEASURES = {"mbs": "bounded slowdown, mean", "mwbs": "bounded slowdown, weighted by size"}
ALL = "median of the logs"
KEY = ["log", "part", "measure"]


def over_easy(schedules):
    """Return slowdowns of ``schedules[log][part]`` over those of EASY, with intervals over the
    log's weeks.

    Columns: log, part, measure, over, low, high. The last rows are the medians over the logs,
    without intervals. The rules are in docs/decisions/causes.md.
    """
    without = {}
    for log, parts in schedules.items():
        everyone, submit = np.ones(len(parts["EASY"].start), bool), parts["EASY"].workload.submit
        for measure, words in MEASURES.items():
            columns = [sums(run, everyone, measure)[:, 0] for run in parts.values()]
            found = intervals.sums_without(np.column_stack(columns), submit).T
            totals = dict(zip(parts, found, strict=True))
            easy = totals.pop("EASY")
            # Without its only block with such jobs, EASY may have none of a measure.
            easy = np.where(easy == 0, np.nan, easy)
            without |= {(log, part, words): own / easy for part, own in totals.items()}
    table = intervals.table(without, [*KEY, "over", "low", "high"], log=True)
    medians = table.groupby(KEY[1:], sort=False)["over"].median().reset_index()
    return pd.concat([table, medians.assign(log=ALL)], ignore_index=True)
