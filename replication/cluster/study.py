"""What other schedulers would have done with a cluster's jobs: who gains, who loses, what estimates gain.

All jobs are measured, the same under every scheduler. EASY on the users' own estimates is what the others are
compared with, because production systems backfill much like it.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from replication.basics.seeding import generator
from replication.estimates import Exact, Users
from replication.predictors import Last
from replication.schedule import measures, plans
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, FCFS, Conservative, PVEasy

BASE = "EASY"
#: What is tried: the scheduler, and what it asks of a site.
POLICIES = {
    "FCFS": (FCFS(), "nothing; no backfilling"),
    "EASY": (EASY(), "the users' estimates"),
    "EASY, predictions": (EASY(predictor=Last()), "a record of each user's last job"),
    "SJF-EASY": (
        EASY(candidates="sjf"),
        "the users' estimates, by which the shortest job is backfilled first",
    ),
    "Conservative": (Conservative(), "the users' estimates, by which every job gets a reservation"),
    "PV-EASY": (PVEasy(), "jobs that can be killed and run again"),
}
ESTIMATES = {
    "own": Users(),
    "own, doubled": Users(2),
    "perfect": Exact(),
    "perfect, doubled": Exact(2),
}
RUN_TIMES = (60, 600, 3600, 8 * 3600)  # s
RUN_TIME_NAMES = ("up to 1 min", "1 to 10 min", "10 min to 1 h", "1 to 8 h", "above 8 h")
WEEK, DAY = 7 * 86400, 86400
FEWEST = 8  # blocks of time from which an interval can be told
RESAMPLES = 2000
NOTICEABLE = 0.1  # of a user's mean wait, and at least
LEAST = 60  # s


def percent(value):
    """A relative change in words, such as ``−23 %``; ``×12`` from three times on, a dash for nan."""
    if value != value:
        return "–"
    if value >= 2:
        return f"×{value + 1:,.{1 if value < 9 else 0}f}"
    digits = 0 if abs(value) >= 0.00995 else 1
    text = f"{100 * value:+.{digits}f}".replace("-", "−")
    return "0 %" if set(text) <= set("+−0.") else f"{text} %"


@dataclass(frozen=True)
class Study:
    """All simulations of a case.

    Parameters
    ----------
    case : replication.cluster.log.Case
    schedules : dict of str to replication.schedule.schedule.Schedule
        By the names of `POLICIES`.
    estimates : dict of str to replication.schedule.schedule.Schedule
        EASY by the names of `ESTIMATES`.
    """

    case: object
    schedules: dict
    estimates: dict = field(default_factory=dict)


def study(case, seed=1):
    """Simulate everything.

    Parameters
    ----------
    case : replication.cluster.log.Case
    seed : int

    Returns
    -------
    Study
    """
    w = case.workload
    schedules = {
        name: simulate(w, scheduler, seed=seed) for name, (scheduler, _) in POLICIES.items()
    }
    told = {name: simulate(w, EASY(), model, seed) for name, model in ESTIMATES.items()}
    return Study(case, schedules, told)


def slowdown(schedule):
    """Bounded slowdown of each job, float64[n]."""
    return measures.bounded_slowdown(schedule.wait, schedule.workload.run_time)


def overview(found):
    """One row a scheduler: waits, slowdowns, fairness and preemptions.

    Parameters
    ----------
    found : Study

    Returns
    -------
    pandas.DataFrame
        Waits and delays in hours; changes are of the mean, against `BASE`, with a 95 % interval.
    """
    rows, base = [], slowdown(found.schedules[BASE])
    for name, schedule in found.schedules.items():
        fair = plans.fairness(schedule)
        change, low, high = interval(slowdown(schedule), base, found.case.workload.submit)
        rows.append(
            {
                "scheduler": name,
                "mean wait, h": schedule.wait.mean() / 3600,
                "95 % of waits below, h": np.quantile(schedule.wait, 0.95) / 3600,
                "mean bounded slowdown": slowdown(schedule).mean(),
                "change": change,
                "change, low": low,
                "change, high": high,
                "delayed at the head": fair["head_delayed"],
                "head delay, h": fair["head_delay"] / 3600,
                "reservations broken": fair["reservations_broken"],
                "reservation delay, h": fair["reservation_delay"] / 3600,
                "runs killed": len(schedule.killed_runs),
            }
        )
    return pd.DataFrame(rows)


def interval(values, base, submit):
    """Relative change of a mean, and its 95 % interval over the weeks of the log.

    Weeks are drawn again with replacement, because jobs of one week wait for the same reasons; days where
    the log is shorter than `FEWEST` weeks.

    Parameters
    ----------
    values, base : float64[n]
    submit : int64[n], s

    Returns
    -------
    tuple of float
        Change, lower and upper bound; all nan where the base is 0, the bounds where there are fewer than
        `FEWEST` blocks.
    """
    nan = float("nan")
    if not base.sum():
        return nan, nan, nan
    change = float(values.sum() / base.sum() - 1)
    block = (submit - submit[0]) // (WEEK if submit[-1] - submit[0] >= FEWEST * WEEK else DAY)
    new, old = np.bincount(block, values), np.bincount(block, base)
    # Only blocks with jobs, or an empty week would be drawn too.
    full = np.bincount(block) > 0
    new, old = new[full], old[full]
    if len(new) < FEWEST:
        return change, nan, nan
    drawn = generator("cluster", len(values), "weeks").integers(0, len(new), (RESAMPLES, len(new)))
    total = old[drawn].sum(axis=1)
    ratio = new[drawn].sum(axis=1)[total > 0] / total[total > 0] - 1
    low, high = np.quantile(ratio, (0.025, 0.975))
    return change, float(low), float(high)


def gains(found, by):
    """Who gains and who loses, by a class of jobs.

    Parameters
    ----------
    found : Study
    by : {"size", "run time"}

    Returns
    -------
    pandas.DataFrame
        A row for each class that has jobs: jobs, share of the work, mean wait under `BASE` in hours, and the
        relative change of the mean wait under each other scheduler (nan where nobody waits).
    """
    w = found.case.workload
    if by == "size":
        classes, names = plans.size_class(w.processors), plans.size_names()
    else:
        classes, names = np.searchsorted(RUN_TIMES, w.run_time), RUN_TIME_NAMES
    work = w.run_time * w.processors.astype(np.float64)
    rows = []
    for k in np.unique(classes):
        own = classes == k
        base = found.schedules[BASE].wait[own].mean()
        rows.append(
            {
                by: names[k],
                "jobs": int(own.sum()),
                "share of work": work[own].sum() / max(work.sum(), 1),
                "mean wait, h": base / 3600,
            }
            | {
                name: schedule.wait[own].mean() / base - 1 if base else float("nan")
                for name, schedule in found.schedules.items()
                if name != BASE
            }
        )
    return pd.DataFrame(rows)


def users(found):
    """How many users gain and lose under each scheduler, and what becomes of the largest ones.

    A user gains or loses where the mean wait changes by more than `NOTICEABLE` and more than `LEAST` seconds.

    Parameters
    ----------
    found : Study

    Returns
    -------
    pandas.DataFrame
        A row a scheduler other than `BASE`: users that gain, lose, and neither; and the relative change of
        the mean wait of the three users with the most work (nan where there are fewer, or nobody waits).
    """
    w = found.case.workload
    number, user = np.unique(w.user, return_inverse=True)
    jobs = np.bincount(user)
    largest = np.argsort(
        -np.bincount(user, w.run_time * w.processors.astype(np.float64)), kind="stable"
    )[:3]
    base = np.bincount(user, found.schedules[BASE].wait) / jobs
    rows = []
    for name, schedule in found.schedules.items():
        if name == BASE:
            continue
        wait = np.bincount(user, schedule.wait) / jobs
        changed = np.abs(wait - base) > np.maximum(LEAST, NOTICEABLE * base)
        row = {
            "scheduler": name,
            "gain": int((changed & (wait < base)).sum()),
            "lose": int((changed & (wait > base)).sum()),
            "neither": int((~changed).sum()),
        }
        for place in range(3):
            known = place < len(largest) and base[largest[place]] > 0
            row[f"user {place + 1} by work"] = (
                wait[largest[place]] / base[largest[place]] - 1 if known else float("nan")
            )
        rows.append(row)
    return pd.DataFrame(rows)


def weekly(found, names):
    """Mean wait of the jobs submitted in each week of the log, hours; nan in a week without jobs.

    Parameters
    ----------
    found : Study
    names : sequence of str
        Schedulers.

    Returns
    -------
    dict of str to float64[weeks]
    """
    submit = found.case.workload.submit
    week = (submit - submit[0]) // WEEK
    jobs = np.bincount(week).astype(np.float64)
    jobs[jobs == 0] = np.nan
    return {name: np.bincount(week, found.schedules[name].wait) / jobs / 3600 for name in names}


def worth(found):
    """What better estimates are worth to EASY.

    Parameters
    ----------
    found : Study

    Returns
    -------
    pandas.DataFrame
        A row for each of `ESTIMATES` and one for predictions: mean wait in hours, mean bounded slowdown, and
        its change against the users' own with a 95 % interval.
    """
    own = slowdown(found.estimates["own"])
    rows = []
    tried = found.estimates | {"predicted (last job)": found.schedules.get("EASY, predictions")}
    for name, schedule in tried.items():
        if schedule is None:
            continue
        change, low, high = interval(slowdown(schedule), own, found.case.workload.submit)
        rows.append(
            {
                "estimates": name,
                "mean wait, h": schedule.wait.mean() / 3600,
                "mean bounded slowdown": slowdown(schedule).mean(),
                "change": change,
                "change, low": low,
                "change, high": high,
            }
        )
    return pd.DataFrame(rows)
