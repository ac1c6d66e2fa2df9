"""Check schedules from files of any simulator (`replication_exchange.formats.Plan`), and compare two of them."""

import numpy as np
import pandas as pd

from replication import Schedule, Workload
from replication.simulator import audits
from replication.simulator.schedules import measures
from replication.simulator.workload import usage

#: Classes of sizes: their names, and the largest size of each after 0.
CLASSES = ("1", "2 to 8", "9 to 64", "65 to 512", "513 or more")
LARGEST = (0, 1, 8, 64, 512, np.inf)
TOLERANCE = 0.001  # s; simulators that count in fractions of a second print microseconds


class PlanError(ValueError):
    """Two schedules that cannot be compared, or a file without the data that a check needs."""


def measure(plan, chosen=slice(None)):
    """Return performance measures of the chosen jobs of a plan by name, see `NAMES`."""
    wait, run_time, size = plan.wait[chosen], plan.run_time[chosen], plan.processors[chosen]
    return {
        "mean_wait": float(wait.mean()),
        "median_wait": float(np.median(wait)),
        "mean_bounded_slowdown": float(measures.bounded_slowdown(wait, run_time).mean()),
        "mbs": measures.mbs(wait, run_time),
        "mwbs": measures.mwbs(wait, run_time, size),
        "last_end": float(plan.end[chosen].max() - plan.submit[chosen].min()),
    }


NAMES = measures.NAMES | {"last_end": "first submission to last end, s"}


def compare(first, second) -> dict:
    """Compare two schedules of the same jobs, which are matched by their numbers.

    Waits are compared rather than starts, since programs begin to count time at different instants. Waits and run times
    within `TOLERANCE` are equal.

    Parameters
    ----------
    first, second : replication_exchange.formats.Plan

    Returns
    -------
    dict
        ``same``: whether the schedules are equal; ``matched``, ``only_first``, ``only_second``, ``other_size``,
        ``other_run_time``: numbers of jobs; ``first``, ``second``: measures of the matched jobs; ``classes``: `shifts`
        of each size class and of all jobs.

    Raises
    ------
    PlanError
        If a job is repeated in a file, or no job is in both.
    """
    for plan in (first, second):
        numbers, times = np.unique(plan.job_id, return_counts=True)
        if (times > 1).any():
            raise PlanError(
                f"{plan.path}: {times.max()} jobs have number {numbers[times > 1][0]}; expected one"
            )
    _, here, there = np.intersect1d(first.job_id, second.job_id, return_indices=True)
    if not len(here):
        raise PlanError(
            f"{first.path} and {second.path} have no job in common: "
            f"{first.job_id[0]}, ... and {second.job_id[0]}, ..."
        )
    size, shift = first.processors[here], pd.Series(second.wait[there] - first.wait[here])
    other_time = np.abs(first.run_time[here] - second.run_time[there]) > TOLERANCE
    counts = {
        "matched": len(here),
        "only_first": len(first) - len(here),
        "only_second": len(second) - len(there),
        "other_size": int((size != second.processors[there]).sum()),
        "other_run_time": int(other_time.sum()),
    }
    by_class = shift.groupby(pd.cut(size, LARGEST, labels=CLASSES), observed=True)
    classes = [shifts(name, part) for name, part in [*by_class, ("all", shift)]]
    differ = sum(list(counts.values())[1:]) or classes[-1]["same"] < len(here)
    means = {"first": measure(first, here), "second": measure(second, there)}
    return {"same": not differ, **counts, **means, "classes": classes}


def shifts(name, shift):
    """Return the shifts of waits between two schedules.

    Parameters
    ----------
    name : str
        Of the class of jobs.
    shift : float64[n], s
        The wait in the second schedule minus that in the first.

    Returns
    -------
    dict
        ``class``: the name; ``jobs``, and of those ``earlier``, at the ``same`` time and ``later``; ``mean``, s.
    """
    earlier, later = int((shift < -TOLERANCE).sum()), int((shift > TOLERANCE).sum())
    same = len(shift) - earlier - later
    counts = {"class": name, "jobs": len(shift), "earlier": earlier, "same": same, "later": later}
    return counts | {"mean": float(shift.mean())}


def check(plan, machine=None):
    """Return whether a machine could have run a plan, and the number of faults by kind.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
    machine : int, processors, optional
        By default the size in the file.

    Returns
    -------
    dict
        ``possible``: bool, or None if nothing is wrong but the machine is unknown; ``peak``: most processors in use at
        once; ``over_from``: first second with too many, or None; numbers of jobs: ``before_submission``, ``backwards``
        (end before start), ``larger`` (than the machine), ``repeated`` (job numbers), and ``past_estimate``, which is
        allowed.
    """
    machine = machine or plan.machine
    # Backward runs would free processors that they never used.
    forward = plan.end >= plan.start
    job, since, until = plan.earlier_runs.T
    instant, used = usage(
        np.concatenate([plan.start[forward], since]),
        np.concatenate([plan.end[forward], until]),
        np.concatenate([plan.processors[forward], plan.processors[job.astype(int)]]),
    )
    over = instant[used > machine] if machine else ()
    faults = {
        "before_submission": int(
            (plan.start < plan.submit).sum() + (since < plan.submit[job.astype(int)]).sum()
        ),
        "backwards": int((plan.end < plan.start).sum()),
        "larger": int((plan.processors > machine).sum()) if machine else 0,
        "repeated": len(plan) - len(np.unique(plan.job_id)),
    }
    wrong = any(faults.values()) or len(over) > 0
    known = (plan.estimate >= 0) & (plan.run_time > plan.estimate + TOLERANCE)
    return {
        "possible": False if wrong else True if machine else None,
        "machine": machine,
        "jobs": len(plan),
        "never_ran": plan.left_out,
        "peak": int(used.max(initial=0)),
        "over_from": float(over[0]) if len(over) else None,
        **faults,
        "past_estimate": int(known.sum()),
    }


def as_schedule(plan, machine=None):
    """Return a plan as a schedule.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
        Unknown estimates become run times, and job numbers that are not whole numbers 1, 2, ...
    machine : int, processors, optional
        By default the size in the file.

    Returns
    -------
    replication.Schedule

    Raises
    ------
    PlanError
        If the machine is unknown, or times are not whole seconds.
    """
    machine = machine or plan.machine
    if machine is None:
        raise PlanError(f"{plan.path}: the machine is unknown; give its processors")
    for name in ("submit", "start", "end"):
        values = getattr(plan, name)
        broken = values[values != np.rint(values)]
        if len(broken):
            raise PlanError(f"{plan.path}: {name} {broken[0]:g}; allowed: whole seconds")
    order = np.argsort(plan.submit, kind="stable")
    times = np.array([plan.submit, plan.start, plan.end])[:, order]
    submit, start, end = times.astype(np.int64)
    run_time = end - start
    estimate = np.where(plan.estimate[order] < 0, run_time, plan.estimate[order]).astype(np.int64)
    whole = all(job.isdecimal() and len(job) < 19 for job in plan.job_id.tolist())
    job_id = plan.job_id[order].astype(np.int64) if whole else None
    jobs = submit, run_time, plan.processors[order], estimate
    workload = Workload.from_columns(plan.path, machine, *jobs, job_id=job_id)
    earlier = plan.earlier_runs.astype(np.int64)
    earlier[:, 0] = np.argsort(order)[earlier[:, 0]]
    return Schedule(
        workload,
        scheduler=None,
        estimates=None,
        seed=None,
        start=start,
        estimate=estimate,
        backfilled=np.zeros(len(plan), bool),
        times_killed=np.bincount(earlier[:, 0], minlength=len(plan)),
        killed_runs=earlier,
    )


def fairness(schedule):
    """Return how often jobs of a schedule were delayed by later jobs.

    Parameters
    ----------
    schedule : replication.Schedule

    Returns
    -------
    dict
        ``blocked``: jobs that waited at the head of the queue; ``head_delayed``: those that could have started earlier
        without later jobs, and ``head_delay``: their mean delay, s; ``reservations_broken``: those that missed their
        first reservation because of a later job that started since and ran past its estimate, and
        ``reservation_delay``: their mean delay, s. Means over no jobs are 0.
    """
    head = audits.start_delays(schedule, since="head")
    broken = audits.reservation_delays(schedule)
    return {
        "blocked": int(audits.blocked(schedule).sum()),
        "head_delayed": int((head > 0).sum()),
        "head_delay": _mean(head[head > 0]),
        "reservations_broken": int((broken > 0).sum()),
        "reservation_delay": _mean(broken[broken > 0]),
    }


def _mean(values):
    return float(values.mean()) if len(values) else 0.0
