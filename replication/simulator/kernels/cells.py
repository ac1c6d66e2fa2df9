"""One cell of a sweep without leaving compiled code: estimates in, one row of measures out.

What a row holds is in `ROW`; the definitions are those of ``replication.simulator.measures`` and
``replication.simulator.observed``, which the tests hold it to.
"""

import math

import numpy as np
from numba import njit

from replication.simulator.kernels.easy import easy
from replication.simulator.kernels.observing import nothing_seen

ROW = (
    "jobs",
    "mean_wait",
    "mean_bounded_slowdown",
    "backfilled",
    "backfilled_run_time",
    "backfilled_size",
    "regular_run_time",
    "wild",
    "wild_run_time",
    "wild_size",
    "delayed",
    "events",
    "delay",
    "sjfness",
)
PLAIN = 7  # entries of a row that need no watching
BOUND = 10  # s, as in replication.simulator.measures


@njit(nogil=True, cache=True)
def stretch(run_time, f, draws, e_max, estimate):
    """Fill in estimates r + round(r f u), at most `e_max`; `draws` holds the u of each job."""
    for k in range(len(run_time)):
        estimate[k] = min(run_time[k] + np.int64(np.rint(run_time[k] * (f * draws[k]))), e_max)


@njit(nogil=True, cache=True)
def cell(submit, run_time, estimate, size, machine, left_out, row):
    """Run EASY and fill in the first `PLAIN` entries of `row`.

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
    machine : int, processors
    left_out : int
        How many of the first jobs to end are not measured.
    row : float64[len(ROW)], out
    """
    n = len(submit)
    start, backfilled = np.empty(n, np.int64), np.zeros(n, np.bool_)
    easy(submit, run_time, estimate, size, machine, True, start, backfilled)
    performance(submit, run_time, start, left_out, row)
    backfilling(run_time, size, backfilled, row)


@njit(nogil=True, cache=True)
def watched_cell(submit, run_time, estimate, size, machine, left_out, row):
    """Run EASY, watch it, and fill in all of `row`; see `cell`."""
    n = len(submit)
    start, backfilled, seen = np.empty(n, np.int64), np.zeros(n, np.bool_), nothing_seen(n)
    easy(submit, run_time, estimate, size, machine, True, start, backfilled, seen)
    performance(submit, run_time, start, left_out, row)
    backfilling(run_time, size, backfilled, row)
    dynamics(run_time, size, seen.wild, seen.events, seen.delay, seen.shortest, row)


@njit(nogil=True, cache=True)
def performance(submit, run_time, start, left_out, row):
    """Jobs measured, their mean wait and their mean bounded slowdown (heel-and-toe, section 2)."""
    early, ties = warm_up(submit, run_time, start, left_out)
    last = submit[-1]
    jobs = waited = 0
    slowdown = 0.0
    for k in range(len(submit)):
        wait, end = start[k] - submit[k], start[k] + run_time[k]
        if end == early and ties > 0:
            ties -= 1
        elif early <= end <= last:
            jobs += 1
            waited += wait
            slowdown += max(1.0, (wait + run_time[k]) / max(BOUND, run_time[k]))
    row[0], row[1], row[2] = jobs, share(waited, jobs), share(slowdown, jobs)


@njit(nogil=True, cache=True)
def warm_up(submit, run_time, start, left_out):
    """The end of the `left_out`-th job to end, and how many of those left out end right then.

    Only early jobs are looked at: the wanted end is no later than the same order statistic of the first jobs,
    and a job submitted after it cannot have ended by then.
    """
    if left_out == 0:
        return np.int64(-1), 0
    first = min(len(submit), 2 * left_out)
    bound = np.partition(start[:first] + run_time[:first], left_out - 1)[left_out - 1]
    some = np.searchsorted(submit, bound, side="right")
    ends = start[:some] + run_time[:some]
    wanted = np.partition(ends, left_out - 1)[left_out - 1]
    return wanted, left_out - np.sum(ends < wanted)


@njit(nogil=True, cache=True)
def backfilling(run_time, size, backfilled, row):
    """Share, mean run time and mean size of the backfilled jobs, and the mean run time of the others."""
    jobs = time = processors = all_time = 0
    for k in range(len(run_time)):
        all_time += run_time[k]
        jobs += backfilled[k]
        time += run_time[k] * backfilled[k]
        processors += size[k] * backfilled[k]
    n = len(run_time)
    row[3], row[4], row[5] = jobs / n, share(time, jobs), share(processors, jobs)
    row[6] = share(all_time - time, n - jobs)


@njit(nogil=True, cache=True)
def dynamics(run_time, size, wild, events, delay, shortest, row):
    """Wild backfills, delayed jobs and SJFness."""
    jobs = time = processors = delayed = suffered = lost = first = 0
    for k in range(len(run_time)):
        jobs += wild[k]
        time += run_time[k] * wild[k]
        processors += size[k] * wild[k]
        delayed += events[k] > 0
        suffered += events[k]
        lost += delay[k]
        first += shortest[k]
    n = len(run_time)
    row[7], row[8], row[9] = jobs / n, share(time, jobs), share(processors, jobs)
    row[10], row[11], row[12], row[13] = (
        delayed / n,
        share(suffered, delayed),
        share(lost, delayed),
        first / n,
    )


@njit(nogil=True, cache=True)
def share(part, whole):
    """`part` of each of `whole`; nan of none."""
    return part / whole if whole > 0 else math.nan
