"""Which part of PV-EASY does what: slowdowns over EASY's; the rules are in docs/decisions/causes.md."""

import numpy as np

from replication.evidence import resampling
from replication.schedule import measures

EASY_NAME = "EASY"
ALL = "median of the logs"
MEASURES = {"mbs": "bounded slowdown, mean", "mwbs": "bounded slowdown, weighted by size"}


def over_easy(schedules):
    """Slowdowns of ``schedules[log][part]`` over those of EASY, which is among the parts, with intervals over the
    log's weeks drawn anew: log, part, measure, over, low, high; last, as a log of its own, the median over the logs.
    """
    drawn = {}
    for log, parts in schedules.items():
        jobs = parts[EASY_NAME].workload
        slowdowns = [
            measures.pv_bounded_slowdown(run.wait, jobs.run_time) for run in parts.values()
        ]
        for measure, words in MEASURES.items():
            weight = jobs.processors if measure == "mwbs" else np.ones(len(jobs))
            columns = np.column_stack([weight * one for one in slowdowns])
            sums = dict(zip(parts, resampling.weeks(columns, jobs.submit, log).T, strict=True))
            easy = sums.pop(EASY_NAME)
            drawn |= {(log, name, words): own / easy for name, own in sums.items()}
    return resampling.table(drawn, ["log", "part", "measure", "over", "low", "high"], ALL)
