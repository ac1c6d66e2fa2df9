"""Check schedules from files of any simulator (`replication_exchange.formats.Plan`), and compare
two of them.
"""

import bisect
import heapq
import itertools

import numpy as np
import pandas as pd

from notebooks import audits
from replication import Schedule, Workload
from replication.simulator.schedules import measures
from replication.simulator.workload import usage
from replication_exchange import formats

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

    If one file has several workloads and both name them, jobs are matched by workload and number.
    Waits are compared rather than starts, since programs begin to count time at different instants.
    Waits and run times within `TOLERANCE` are equal.

    Parameters
    ----------
    first, second : replication_exchange.formats.Plan

    Returns
    -------
    dict
        ``same``: whether the schedules are equal; ``matched``, ``only_first``, ``only_second``,
        ``other_size``, ``other_run_time``: numbers of jobs; ``first``, ``second``: measures of the
        matched jobs; ``classes``: `shifts` of each size class and of all jobs.

    Raises
    ------
    PlanError
        If a job is repeated in a file, or no job is in both.
    """
    named = [plan.workload for plan in (first, second)]
    whole = all(w is not None for w in named) and any(len(np.unique(w)) > 1 for w in named)
    ids = [plan.keys if whole else plan.job_id for plan in (first, second)]
    for plan, own in zip((first, second), ids, strict=True):
        numbers, times = np.unique(own, return_counts=True)
        if (times > 1).any():
            raise PlanError(
                f"{plan.path}: {times.max()} jobs have number {numbers[times > 1][0]}; expected one"
            )
    _, here, there = np.intersect1d(*ids, return_indices=True)
    if not len(here):
        raise PlanError(
            f"{first.path} and {second.path} have no job in common: "
            f"{ids[0][0]}, ... and {ids[1][0]}, ..."
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
        ``class``: the name; ``jobs``, and of those ``earlier``, at the ``same`` time and ``later``;
        ``mean``, s.
    """
    earlier, later = int((shift < -TOLERANCE).sum()), int((shift > TOLERANCE).sum())
    same = len(shift) - earlier - later
    counts = {"class": name, "jobs": len(shift), "earlier": earlier, "same": same, "later": later}
    return counts | {"mean": float(shift.mean())}


def check(plan, machine=None):
    """Return whether a machine could have run a plan, and the number of faults by kind.

    Times with fractions of a second are counted in milliseconds.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
    machine : int, processors, optional
        By default the size in the file.

    Returns
    -------
    dict
        ``possible``: bool, or None if nothing is wrong but the machine is unknown; ``peak``: most
        processors in use at once; ``over_from``: first second with too many, or None; numbers of
        jobs: ``before_submission``, ``backwards`` (end before start), ``larger`` (than the
        machine), ``repeated`` (job numbers), and ``past_estimate``, which is allowed. If the file
        has sets of resources, ``with_set``: number of jobs with one, ``resources``: number of
        different resources, ``shared``: pairs of jobs that hold one at the same time, see `shared`,
        and numbers of jobs whose set is smaller (``set_smaller``) or larger (``set_larger``,
        allowed) than they asked for; ``with_set`` is None in other files.
    """
    machine = machine or plan.machine
    origin, per_second = plan.clock
    runs = plan.start, plan.end, plan.submit, *plan.earlier_runs.T[1:]
    start, end, submit, since, until = plan.ticks(*runs)
    job = plan.earlier_runs[:, 0].astype(int)
    # Backward runs would free processors that they never used.
    forward = end >= start
    instant, used = usage(
        np.concatenate([start[forward], since]),
        np.concatenate([end[forward], until]),
        np.concatenate([plan.processors[forward], plan.processors[job]]),
    )
    over = instant[used > machine] if machine else ()
    faults = {
        "before_submission": int((start < submit).sum() + (since < submit[job]).sum()),
        "backwards": int((~forward).sum()),
        "larger": int((plan.processors > machine).sum()) if machine else 0,
        "repeated": len(plan) - len(np.unique(plan.keys)),
    }
    sets = _sets(plan)
    too_many = bool(machine) and sets.get("resources", 0) > machine
    wrong = any(faults.values()) or len(over) > 0 or too_many
    wrong = wrong or bool(sets.get("shared") or sets.get("set_smaller"))
    known = (plan.estimate >= 0) & (plan.run_time > plan.estimate + TOLERANCE)
    return {
        "possible": False if wrong else True if machine else None,
        "machine": machine,
        "jobs": len(plan),
        "never_ran": plan.left_out,
        "in_milliseconds": per_second > 1,
        "peak": int(used.max(initial=0)),
        "over_from": float(origin + over[0] / per_second) if len(over) else None,
        **faults,
        "past_estimate": int(known.sum()),
        "with_set": None,
        **sets,
    }


def _sets(plan):
    """Return the part of `check` about sets of resources, an empty dict if the file has none."""
    if plan.resources is None or not any(plan.resources):
        return {}
    width = [sum(last + 1 - first for first, last in parts) for parts in plan.resources]
    width, known = np.array(width), np.array(list(map(bool, plan.resources)))
    every = formats.merge(part for parts in plan.resources for part in parts)
    return {
        "with_set": int(known.sum()),
        "resources": sum(last + 1 - first for first, last in every),
        "shared": shared(plan),
        "set_smaller": int((known & (width < plan.processors)).sum()),
        "set_larger": int((width > plan.processors).sum()),
    }


def shared(plan) -> list[dict]:
    """Return the pairs of jobs that hold the same resource at the same time.

    A job that takes a resource from several jobs is listed with each; resources that it took so are
    compared no further.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
        With sets of resources.

    Returns
    -------
    list of dict
        ``jobs``: the names of both; ``resource``: the first that they share; ``since`` and
        ``until``, s.
    """
    start, end = plan.ticks(plan.start, plan.end)
    pairs, running = {}, []
    held = []  # (first, last, job) of running jobs, ascending and disjoint
    for job in np.argsort(start, kind="stable").tolist():
        while running and running[0][0] <= start[job]:
            del held[bisect.bisect_left(held, heapq.heappop(running)[1])]
        for first, last in plan.resources[job] if start[job] < end[job] else ():
            k = bisect.bisect_left(held, (first,))
            k -= k > 0 and held[k - 1][1] >= first
            taken = list(itertools.takewhile(lambda part: part[0] <= last, held[k:]))
            for other, _, holder in taken:
                pairs.setdefault((holder, job), max(first, other))
            if not taken:
                held.insert(k, (first, last, job))
                heapq.heappush(running, (end[job], held[k]))
    origin, per_second = plan.clock
    return [
        {
            "jobs": [str(plan.keys[one]) for one in pair],
            "resource": resource,
            "since": float(origin + start[pair[1]] / per_second),
            "until": float(origin + min(end[list(pair)]) / per_second),
        }
        for pair, resource in pairs.items()
    ]


def as_schedule(plan, machine=None):
    """Return a plan as a schedule, in the units of its `clock`.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
        Unknown estimates become run times, and job numbers that are repeated or not whole numbers
        1, 2, ...
    machine : int, processors, optional
        By default the size in the file.

    Returns
    -------
    replication.Schedule

    Raises
    ------
    PlanError
        If the machine is unknown.
    """
    machine = machine or plan.machine
    if machine is None:
        raise PlanError(f"{plan.path}: the machine is unknown; give its processors")
    order = np.argsort(plan.submit, kind="stable")
    submit, start, end = (times[order] for times in plan.ticks(plan.submit, plan.start, plan.end))
    run_time = end - start
    asked = np.rint(plan.estimate[order] * plan.clock[1])
    estimate = np.where(asked < 0, run_time, asked).astype(np.int64)
    whole = all(job.isdecimal() and len(job) < 19 for job in plan.job_id.tolist())
    whole = whole and len(np.unique(plan.job_id)) == len(plan)
    job_id = plan.job_id[order].astype(np.int64) if whole else None
    jobs = submit, run_time, plan.processors[order], estimate
    workload = Workload.from_columns(plan.path, machine, *jobs, job_id=job_id)
    job, *runs = plan.earlier_runs.T
    earlier = np.column_stack([np.argsort(order)[job.astype(int)], *plan.ticks(*runs)])
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


def fairness(plan, machine=None, latency=0) -> dict:
    """Return how often jobs at the head of the queue, in the order of submission, were delayed by
    later jobs.

    Parameters
    ----------
    plan : replication_exchange.formats.Plan
    machine : int, processors, optional
        By default the size in the file.
    latency : float, s
        Time that the scheduler may take to start a job that fits.

    Returns
    -------
    dict
        ``blocked``: jobs that waited at the head of the queue. Of these, ``head_delayed``: jobs
        that lacked processors which later jobs held, for longer than the latency, and
        ``head_delay``: their mean time so, s; ``idle_delayed``: other jobs for which enough
        processors were idle for longer than the latency, and ``idle_delay``: their mean time so, s;
        ``within_latency``: further jobs that could have started earlier. ``reservations_broken``:
        of the ``head_delayed`` jobs those that missed the first reservation at the head, because of
        a later job that started since and ran past its estimate, and ``reservation_delay``: their
        mean delay, s; both are None for a file without estimates. Means over no jobs are 0.

    Raises
    ------
    PlanError
        If the machine is unknown.
    """
    schedule, per_second = as_schedule(plan, machine), plan.clock[1]
    late = audits.start_delays(schedule, since="head")
    late, lacked = late / per_second, _lacked(schedule, schedule.start - late) / per_second
    delayed = lacked > latency
    idle = ~delayed & (late - lacked > latency)
    known = (plan.estimate >= 0).any()
    broken = audits.reservation_delays(schedule) / per_second * delayed if known else None
    return {
        "blocked": int(audits.blocked(schedule).sum()),
        "head_delayed": int(delayed.sum()),
        "head_delay": _mean(lacked[delayed]),
        "idle_delayed": int(idle.sum()),
        "idle_delay": _mean((late - lacked)[idle]),
        "within_latency": int(((late > 0) & ~delayed & ~idle).sum()),
        "reservations_broken": int((broken > 0).sum()) if known else None,
        "reservation_delay": _mean(broken[broken > 0]) if known else None,
    }


def _lacked(schedule, since):
    """Return the time from `since` (int64[n]) to the start of each job in which it did not fit,
    int64[n].
    """
    w, (job, *runs) = schedule.workload, schedule.killed_runs.T
    times = map(np.concatenate, zip((schedule.start, schedule.end), runs, strict=True))
    instant, used = usage(*times, np.concatenate([w.processors, w.processors[job]]))
    lacked = np.zeros(len(w), np.int64)
    for job in np.flatnonzero(schedule.start > since):
        first = max(np.searchsorted(instant, since[job], "right") - 1, 0)
        last = np.searchsorted(instant, schedule.start[job])
        steps = np.diff(np.maximum(instant[first : last + 1], since[job]))
        lacked[job] = steps[used[first:last] + w.processors[job] > w.machine].sum()
    return lacked


def _mean(values):
    return float(values.mean()) if len(values) else 0.0
