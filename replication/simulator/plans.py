"""Schedules read from files: are they possible, and how do two of them differ?

For `replication.simulator.formats.Plan`, so that a schedule of another simulator is judged like one of ours.
"""

import numpy as np

from replication.simulator import audits, measures
from replication.simulator.schedule import Schedule
from replication.simulator.workload import Workload, usage

#: Largest size of each class but the last.
SIZES = (1, 8, 64, 512)
TOLERANCE = 0.001  # s; simulators that count in fractions of a second print microseconds


class PlanError(ValueError):
    """Two schedules that cannot be laid side by side, or a question a file cannot answer."""


def size_class(processors):
    """Number of each size's class, 0 to ``len(SIZES)``."""
    return np.searchsorted(SIZES, processors)


def size_names():
    """The classes in words, such as ``2 to 8``."""
    lows = [1, *(size + 1 for size in SIZES)]
    return [
        *(f"{low} to {high}" if low < high else f"{low}" for low, high in zip(lows, SIZES)),
        f"{lows[-1]} or more",
    ]


def measure(plan, chosen=slice(None)):
    """Performance measures of the chosen jobs of a plan, by `NAMES`."""
    wait, run_time, size = plan.wait[chosen], plan.run_time[chosen], plan.processors[chosen]
    return {
        "mean_wait": float(wait.mean()),
        "median_wait": float(np.median(wait)),
        "mean_bounded_slowdown": float(measures.bounded_slowdown(wait, run_time).mean()),
        "mbs": measures.mbs(wait, run_time),
        "mwbs": measures.mwbs(wait, run_time, size),
        "last_end": float(plan.end[chosen].max() - plan.submit[chosen].min()),
    }


NAMES = measures.NAMES | {
    "median_wait": "median wait, s",
    "last_end": "first submission to last end, s",
}


def _ids(plan):
    """The job numbers, each there once."""
    ids, times = np.unique(plan.job_id, return_counts=True)
    if (times > 1).any():
        raise PlanError(
            f"{plan.path}: job {ids[times > 1][0]} is there more than once "
            f"({len(plan) - len(ids)} repetitions); allowed: each job once"
        )
    return plan.job_id


def compare(first, second, tolerance=TOLERANCE):
    """How two schedules of the same jobs differ; jobs are matched by their numbers. Waits are
    compared, which is to compare starts where submissions are the same, and does not mind where
    a program starts to count time; those that differ by `tolerance`, s, or less are the same.

    The dict has ``same``: whether all is; ``matched``, ``only_first``, ``only_second``: jobs;
    ``other_size``, ``other_run_time``: jobs that are not the same in both; ``first``, ``second``:
    measures of the matched jobs; ``classes``: `shifts` of each class of sizes and of all. PlanError
    if a job is twice in a file, or none is in both.
    """
    _, here, there = np.intersect1d(_ids(first), _ids(second), return_indices=True)
    if not len(here):
        raise PlanError(
            f"{first.path} and {second.path} have no job in common: "
            f"{first.job_id[0]}, ... and {second.job_id[0]}, ..."
        )
    shift = second.wait[there] - first.wait[here]
    sizes = int((first.processors[here] != second.processors[there]).sum())
    times = int((np.abs(first.run_time[here] - second.run_time[there]) > tolerance).sum())
    lacking = len(first) - len(here), len(second) - len(there)
    classes = size_class(first.processors[here])
    rows = [shifts(name, shift[classes == k], tolerance) for k, name in enumerate(size_names())]
    return {
        "same": not (any(lacking) or sizes or times or (np.abs(shift) > tolerance).any()),
        "matched": len(here),
        "only_first": lacking[0],
        "only_second": lacking[1],
        "other_size": sizes,
        "other_run_time": times,
        "first": measure(first, here),
        "second": measure(second, there),
        "classes": [*(row for row in rows if row["jobs"]), shifts("all", shift, tolerance)],
    }


def shifts(name, shift, tolerance):
    """Who starts earlier and who later in the second schedule, and by how much: `shift` is the wait
    there less that in the first, float64[n], s. Counts ``jobs``, ``earlier``, ``same``,
    ``later``; ``mean`` of all shifts, ``mean_earlier`` and ``mean_later`` of those,
    ``most_earlier`` and ``most_later``, s, positive; 0 where there is none.
    """
    earlier, later = shift[shift < -tolerance], shift[shift > tolerance]
    return {
        "class": name,
        "jobs": len(shift),
        "earlier": len(earlier),
        "same": len(shift) - len(earlier) - len(later),
        "later": len(later),
        "mean": _mean(shift),
        "mean_earlier": _mean(-earlier),
        "mean_later": _mean(later),
        "most_earlier": float(-earlier.min(initial=0)),
        "most_later": float(later.max(initial=0)),
    }


def check(plan, machine=None):
    """Whether a machine could have run a plan; its size is by default what the file names.

    ``possible``: bool, or None where nothing is wrong but the machine is not known; ``peak``: most
    processors in use at once; ``over_from``: first second with too many, or None;
    ``before_submission``, ``backwards`` (ends before its start), ``larger`` (than the machine),
    ``repeated`` (job numbers), ``past_estimate`` (which no machine forbids): jobs.
    """
    machine = machine or plan.machine
    # Backward runs are counted; here they would free what they never took.
    forward = plan.end >= plan.start
    job, since, until = plan.earlier_runs.T
    instant, used = usage(
        np.concatenate([plan.start[forward], since]),
        np.concatenate([plan.end[forward], until]),
        np.concatenate([plan.processors[forward], plan.processors[job.astype(int)]]),
    )
    over = instant[used > machine] if machine else ()
    found = {
        "before_submission": int(
            (plan.start < plan.submit).sum() + (since < plan.submit[job.astype(int)]).sum()
        ),
        "backwards": int((plan.end < plan.start).sum()),
        "larger": int((plan.processors > machine).sum()) if machine else 0,
        "repeated": len(plan) - len(np.unique(plan.job_id)),
    }
    wrong = any(found.values()) or len(over) > 0
    known = (plan.estimate >= 0) & (plan.run_time > plan.estimate + TOLERANCE)
    return {
        "possible": False if wrong else True if machine else None,
        "machine": machine,
        "jobs": len(plan),
        "never_ran": plan.left_out,
        "peak": int(used.max(initial=0)),
        "over_from": float(over[0]) if len(over) else None,
        **found,
        "past_estimate": int(known.sum()),
    }


def as_schedule(plan, machine=None):
    """A plan as a `replication.simulator.schedule.Schedule`, for the audits; unknown estimates
    become run times. PlanError if the machine is not known, or times are not whole seconds.
    """
    machine = machine or plan.machine
    if machine is None:
        raise PlanError(f"{plan.path}: the machine is not known; give its processors")
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
    workload = Workload.from_columns(
        plan.path, machine, submit, run_time, plan.processors[order], estimate
    )
    place = np.empty(len(plan), np.int64)
    place[order] = np.arange(len(plan))
    earlier = plan.earlier_runs.astype(np.int64)
    earlier[:, 0] = place[earlier[:, 0]]
    times_killed = np.bincount(earlier[:, 0], minlength=len(plan))
    backfilled = np.zeros(len(plan), bool)
    return Schedule(
        workload,
        None,
        None,
        None,
        start,
        estimate,
        backfilled,
        times_killed=times_killed,
        killed_runs=earlier,
    )


def fairness(schedule):
    """How often jobs were delayed by jobs behind them in the queue.

    ``blocked``: jobs that came to the head of the queue and had to wait there; ``head_delayed``:
    those that could have started earlier without later jobs, ``head_delay``: their mean delay, s;
    ``reservations_broken``: those that a later job past its estimate kept from their first
    reservation, ``reservation_delay``: their mean delay, s. Means over no jobs are 0.
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
