"""Comparison of the replay with the log: similarity, reasons to withhold advice, possible causes of
differences.

The rules and their reasons are in docs/rules.md.
"""

import numpy as np
import pandas as pd

from replication_cluster.case import WEEK
from replication_cluster.conversion import usage

SIMILAR = 2 / 3
KNOWN = 0.5  # of the jobs' waits
ESTIMATED = 0.95  # of the jobs
NEGLIGIBLE = 60  # s of mean wait
BY = ("week", "size", "partition")
# Thresholds above which a difference is named.
OVERTAKEN, IDLE, SMALLER = 0.05, 0.1, 0.8


def known_waits(case, schedule):
    """Return the waits of the jobs with a logged wait, columns "logged, h" and "replayed, h"."""
    waits = pd.DataFrame({"logged, h": case.logged_wait, "replayed, h": schedule.wait}) / 3600
    return waits[np.isfinite(case.logged_wait)]


def group_waits(case, schedule):
    """Return means of `known_waits` by group: columns by, group, jobs, "logged, h" and "replayed,
    h".
    """
    waits, tables = known_waits(case, schedule), []
    for by in BY:
        if by in case.groups:
            grouped = waits.groupby(case.groups[by][waits.index], observed=True)
            table = grouped.mean()
            table.insert(0, "jobs", grouped.size())
            tables.append(table.reset_index(names="group").astype({"group": object}).assign(by=by))
    return pd.concat(tables, ignore_index=True)[["by", "group", "jobs", "logged, h", "replayed, h"]]


def similarity(table):
    """Return the similarity of the waits of `group_waits`, 0 to 1, for each grouping; 1 where no
    job waited in either.
    """
    logged, replayed = (table[f"{what}, h"] * table["jobs"] for what in ("logged", "replayed"))
    apart = (logged - replayed).abs().groupby(table["by"], sort=False).sum()
    together = (logged + replayed).groupby(table["by"], sort=False).sum()
    return (1 - apart / together.where(together > 0)).fillna(1.0)


def quiet(case):
    """Whether the mean wait in the log is negligible."""
    known = case.logged_wait[np.isfinite(case.logged_wait)]
    return len(known) > KNOWN * len(case.workload) and known.mean() < NEGLIGIBLE


def withheld(case, table, least=SIMILAR):
    """Return the reasons to withhold advice, a sentence each, from a case and its `group_waits`."""
    w = case.workload
    reasons = []
    if w.span < WEEK:
        reasons.append(
            f"The log is {w.span / 86400:.1f} days long, shorter than a week, too short for a "
            f"sample of queues."
        )
    if case.estimated < ESTIMATED:
        reasons.append(
            f"{100 * (1 - case.estimated):.0f} % of the jobs came without an estimate, and nothing "
            "is concluded from substituted ones."
        )
    if case.inferred:
        reasons.append("The log does not state the size of the machine; give --processors.")
    if np.isfinite(case.logged_wait).sum() < KNOWN * len(w):
        reasons.append(
            "The log does not state how long its jobs waited, so the replay cannot be compared "
            "with it."
        )
    elif (similar := similarity(table)).min() < least:
        reasons.append(
            f"The replay does not resemble the cluster: its similarity is {similar.min():.2f} (by "
            f"{similar.idxmin()}), below {least:.2f}."
        )
    return reasons


def causes(case, schedule):
    """Return a table of measures of the log and of the replay, and a list of assumptions that could
    explain differences.
    """
    known = np.isfinite(case.logged_wait)
    w = case.workload.take(known)
    waits = {"logged": case.logged_wait[known].astype(np.int64), "replayed": schedule.wait[known]}
    partition = np.zeros(len(w)) if case.partition is None else case.partition[known]
    over, idle, most = (
        {name: measure(w, wait) for name, wait in waits.items()}
        for measure in (lambda w, wait: overtaken(w, wait, partition), idle_share, peak)
    )
    table = pd.DataFrame(
        {
            "of jobs that waited, overtaken by a later one of equal size, estimate and partition, "
            "%": over,
            "of the hours waited, with enough idle processors, %": idle,
            "most processors in use at once": most,
        }
    ).T.reset_index(names="what")
    table.loc[:1, ["logged", "replayed"]] *= 100
    named = {
        "priorities, limits for users, holds or dependencies": over["logged"] > OVERTAKEN,
        "partitions, reservations, limits or downtime": idle["logged"] > idle["replayed"] + IDLE,
        "the number of processors": not SMALLER * w.machine <= most["logged"] <= w.machine,
    }
    return table, [what for what, significant in named.items() if significant]


def overtaken(workload, wait, partition):
    """Return the share of waiting jobs that a later job of the same size, estimate and partition
    overtook.

    It is 0 under EASY and first come, first served.
    """
    start = pd.Series(workload.submit + wait)[::-1]
    same = [
        pd.Series(values)[::-1] for values in (workload.processors, workload.estimate, partition)
    ]
    first = start.groupby(same).cummin()[::-1].to_numpy()
    waited = wait > 0
    return float((workload.submit + wait > first)[waited].mean()) if waited.any() else 0.0


def idle_share(workload, wait):
    """Return the share of waiting time with enough idle processors for the job, its size rounded up
    to a power of two.
    """
    w, start = workload, workload.submit + wait
    instant, used = usage(start, start + w.run_time, w.processors)
    free, length = w.machine - used[:-1], np.diff(instant)
    asked = np.minimum(2 ** np.ceil(np.log2(w.processors)).astype(np.int64), w.machine)
    idle = 0.0
    for size in np.unique(asked):
        so_far = np.concatenate([[0], np.cumsum(length * (free >= size))])
        own = asked == size
        idle += (
            np.interp(start[own], instant, so_far) - np.interp(w.submit[own], instant, so_far)
        ).sum()
    return float(idle / max(wait.sum(), 1))


def peak(workload, wait):
    """Return the most processors in use at once."""
    start = workload.submit + wait
    return int(usage(start, start + workload.run_time, workload.processors)[1].max(initial=0))
