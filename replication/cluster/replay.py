"""The replay held against the log: how near it is, when there is no advice, and what could explain the difference.

The rules and their reasons stand in ``docs/cluster.md``.
"""

import numpy as np
import pandas as pd

from replication.cluster.log import WEEK
from replication.simulator.simulation import simulate
from replication.simulator.workload import usage

NEAR = 2 / 3
KNOWN = 0.5  # of the jobs' waits
ESTIMATED = 0.95  # of the jobs
QUIET = 60  # s of mean wait
BY = ("week", "size", "partition")
# From here on a difference is named.
OVERTAKEN, IDLE, DOWN, SMALLER = 0.05, 0.1, 0.01, 0.8


def known_waits(case, schedule):
    """Of the jobs whose wait the log knows, "logged, h", and "replayed, h" under `schedule`, EASY on its estimates."""
    waits = pd.DataFrame({"logged, h": case.logged_wait, "replayed, h": schedule.wait}) / 3600
    return waits[np.isfinite(case.logged_wait)]


def held(case, schedule):
    """Means of `known_waits` by group: columns by, group, jobs, "logged, h" and "replayed, h"."""
    waits, made = known_waits(case, schedule), []
    for by in BY:
        if by in case.groups:
            grouped = waits.groupby(case.groups[by][waits.index], observed=True)
            table = grouped.mean()
            table.insert(0, "jobs", grouped.size())
            made.append(table.reset_index(names="group").astype({"group": object}).assign(by=by))
    return pd.concat(made, ignore_index=True)[["by", "group", "jobs", "logged, h", "replayed, h"]]


def nearness(table):
    """How near the waits of `held` are, from 0 to 1, a float for each ``by``; 1 where nobody waited in either."""
    logged, replayed = (table[f"{what}, h"] * table["jobs"] for what in ("logged", "replayed"))
    apart = (logged - replayed).abs().groupby(table["by"], sort=False).sum()
    together = (logged + replayed).groupby(table["by"], sort=False).sum()
    return (1 - apart / together.where(together > 0)).fillna(1.0)


def quiet(case):
    """Whether hardly anybody waited in the log."""
    known = case.logged_wait[np.isfinite(case.logged_wait)]
    return len(known) > KNOWN * len(case.workload) and known.mean() < QUIET


def withheld(case, table, least=NEAR):
    """Why there is no advice, a sentence each, from the case and its `held`; none where there is."""
    w = case.workload
    reasons = []
    if w.span < WEEK:
        reasons.append(
            f"The log is {w.span / 86400:.1f} days long, shorter than a week: one queue is no sample of queues."
        )
    if case.estimated < ESTIMATED:
        reasons.append(
            f"{100 * (1 - case.estimated):.0f} % of the jobs came without an estimate, and schedulers plan with "
            "estimates: nothing is concluded from invented ones."
        )
    if np.isfinite(case.logged_wait).sum() < KNOWN * len(w):
        reasons.append(
            "The log does not say how long its jobs waited, so the replay cannot be held against it."
        )
    elif (near := nearness(table)).min() < least:
        reasons.append(
            f"The replay does not resemble the cluster: its nearness is {near.min():.2f} (by {near.idxmin()}), "
            f"below {least:.2f}. What would help a queue that the cluster did not have is no advice."
        )
    return reasons


def causes(case, schedule):
    """What was counted in the log and in the replay, as a table, and a list of the assumptions that could explain the difference."""
    known = np.isfinite(case.logged_wait)
    w = case.workload.take(known)
    waits = {"logged": case.logged_wait[known].astype(np.int64), "replayed": schedule.wait[known]}
    partition = np.zeros(len(w)) if case.partition is None else case.partition[known]
    over, idle, down, most = (
        {name: counted(w, wait) for name, wait in waits.items()}
        for counted in (lambda w, wait: overtaken(w, wait, partition), idly, stopped, at_most)
    )
    table = pd.DataFrame(
        {
            "of jobs that waited, overtaken by a later one of the same size, estimate and partition, %": over,
            "of the hours waited, with as many processors idle as were asked for, %": idle,
            "of the log's time, jobs waited and nothing ran, %": down,
            "most processors in use at once": most,
        }
    ).T.reset_index(names="what")
    table.loc[:2, ["logged", "replayed"]] *= 100
    named = {
        "priorities, limits for users, holds or dependencies": over["logged"] > OVERTAKEN,
        "partitions, reservations or limits": idle["logged"] > idle["replayed"] + IDLE,
        "downtime": down["logged"] > down["replayed"] + DOWN,
        "the number of processors": not SMALLER * w.machine <= most["logged"] <= w.machine,
    }
    return table, [what for what, stands_out in named.items() if stands_out]


def judged(case):
    """EASY's replay of a case held against its log: a row with the nearness, whether there can be advice and what stands
    out in the log, and the table of `held`.
    """
    schedule = simulate(case.workload)
    table = held(case, schedule)
    near = nearness(table)
    answers = {"advice": NEAR, "at 1/2": 1 / 2, "at 3/4": 3 / 4}
    row = {
        "log": case.workload.name,
        "jobs": len(case.workload),
        **known_waits(case, schedule).mean(),
        **{f"nearness by {by}": near.get(by, np.nan) for by in BY},
        **{
            what: "withheld" if withheld(case, table, least) else "can be given"
            for what, least in answers.items()
        },
        "what stands out in the log": "; ".join(causes(case, schedule)[1]) if len(table) else "",
    }
    return row, table.assign(log=case.workload.name)


def overtaken(workload, wait, partition):
    """Share of the jobs that waited which a later one of the same size, estimate and partition overtook.

    EASY and first come, first served never let that happen.
    """
    start = pd.Series(workload.submit + wait)[::-1]
    same = [
        pd.Series(values)[::-1] for values in (workload.processors, workload.estimate, partition)
    ]
    first = start.groupby(same).cummin()[::-1].to_numpy()
    waited = wait > 0
    return float((workload.submit + wait > first)[waited].mean()) if waited.any() else 0.0


def idly(workload, wait):
    """Share of all time waited in which as many processors as the job asks for, rounded up to a power of two, were idle."""
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


def stopped(workload, wait):
    """Share of the time from the first start to the last end in which jobs waited and nothing ran."""
    start = workload.submit + wait
    running, used = usage(start, start + workload.run_time, workload.processors)
    waiting, queue = usage(workload.submit, start, np.ones(len(wait), np.int64))
    instant = np.union1d(running, waiting)
    instant = instant[instant >= running[0]]
    of = [
        values[np.searchsorted(at, instant, "right") - 1]
        for at, values in ((running, used), (waiting, queue))
    ]
    still = (of[0] == 0) & (of[1] > 0)
    return float(np.diff(instant)[still[:-1]].sum() / max(instant[-1] - instant[0], 1))


def at_most(workload, wait):
    """Most processors in use at once."""
    start = workload.submit + wait
    return int(usage(start, start + workload.run_time, workload.processors)[1].max(initial=0))
