"""Which part of PV-EASY does what: slowdowns over EASY's; the rules are in docs/decisions/causes.md."""

import numpy as np

from replication.basics.lazy import pandas as pd
from replication.evidence import resampling
from replication.schedule import measures

EASY_NAME = "EASY"
ALL = "median of the logs"
MEASURES = {"mbs": "bounded slowdown, mean", "mwbs": "bounded slowdown, weighted by size"}


def over_easy(schedules):
    """Slowdowns of ``schedules[log][part]`` over those of EASY, which is among the parts, with intervals over the
    log's weeks drawn anew: log, part, measure, over, low, high; last, as a log of its own, the median over the logs.
    """
    rows, drawn = [], {}
    for log, parts in schedules.items():
        jobs = parts[EASY_NAME].workload
        slowdowns = {name: _slowdown(schedule) for name, schedule in parts.items()}
        for measure, words in MEASURES.items():
            weight = jobs.processors if measure == "mwbs" else np.ones(len(jobs))
            columns = np.column_stack([weight * one for one in slowdowns.values()])
            sums = dict(zip(slowdowns, resampling.weeks(columns, jobs.submit, log).T, strict=True))
            for name, own in sums.items():
                if name != EASY_NAME:
                    over = own / sums[EASY_NAME]
                    rows.append([log, name, words, *resampling.interval(over)])
                    drawn.setdefault((name, words), []).append(over)
    rows += [[ALL, *names, *resampling.median(over)] for names, over in drawn.items()]
    return pd.DataFrame(rows, columns=["log", "part", "measure", "over", "low", "high"])


def _slowdown(schedule):
    return measures.pv_bounded_slowdown(schedule.wait, schedule.workload.run_time)
