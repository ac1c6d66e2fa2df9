"""The effect of each part of PV-EASY on the slowdown of all jobs."""

import numpy as np

from notebooks.pv_easy.slowdown import sums
from replication.verdicts import resampling

MEASURES = {"mbs": "bounded slowdown, mean", "mwbs": "bounded slowdown, weighted by size"}
ALL = "median of the logs"


def over_easy(schedules):
    """Return slowdowns of ``schedules[log][part]`` over those of EASY, with intervals over the log's weeks.

    Columns: log, part, measure, over, low, high. The last rows are the median over the logs. The rules are in
    docs/decisions/causes.md.
    """
    drawn = {}
    for log, parts in schedules.items():
        everyone, submit = np.ones(len(parts["EASY"].start), bool), parts["EASY"].workload.submit
        for measure, words in MEASURES.items():
            columns = [sums(run, everyone, measure)[:, 0] for run in parts.values()]
            found = resampling.weeks(np.column_stack(columns), submit, log).T
            totals = dict(zip(parts, found, strict=True))
            easy = totals.pop("EASY")
            drawn |= {(log, part, words): own / easy for part, own in totals.items()}
    return resampling.table(drawn, ["log", "part", "measure", "over", "low", "high"], ALL)
