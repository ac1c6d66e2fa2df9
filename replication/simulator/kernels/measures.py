"""Sums behind the performance measures, in one fixed order of addition.

`replication.simulator.schedules.measures` defines and names the measures.
"""

import math

from numba import njit

BOUND = 10  # s; heel-and-toe, section 2, and PV-EASY, section 5.1.2


@njit(nogil=True, cache=True)
def performance(submit, run_time, size, end, kept):
    """Return number of jobs, mean wait, mean bounded slowdown, MBS and MWBS of the jobs in `kept`.

    The wait is all time between submission and end in which the job does not run: end - submit -
    run time.
    """
    jobs = waited = processors = 0
    slowdown = mbs = mwbs = 0.0
    for k in range(len(submit)):
        if not kept[k]:
            continue
        wait, bounded = end[k] - submit[k] - run_time[k], max(BOUND, run_time[k])
        jobs += 1
        waited += wait
        processors += size[k]
        slowdown += max(1.0, (wait + run_time[k]) / bounded)
        job_slowdown = (wait + bounded) / bounded
        mbs += job_slowdown
        mwbs += job_slowdown * size[k]
    return (
        float(jobs),
        share(waited, jobs),
        share(slowdown, jobs),
        share(mbs, jobs),
        share(mwbs, processors),
    )


@njit(nogil=True, cache=True)
def backfilling(run_time, size, backfilled):
    """Return share, mean run time and mean size of some jobs, and mean run time of the others."""
    jobs = time = processors = all_time = 0
    for k in range(len(run_time)):
        all_time += run_time[k]
        if backfilled[k]:
            jobs += 1
            time += run_time[k]
            processors += size[k]
    n = len(run_time)
    return (
        share(jobs, n),
        share(time, jobs),
        share(processors, jobs),
        share(all_time - time, n - jobs),
    )


@njit(nogil=True, cache=True)
def mean(values, weights):
    """Return the weighted mean, added in the order of `performance`; nan of none."""
    total, whole = 0.0, 0
    for k in range(len(values)):
        total += values[k] * weights[k]
        whole += weights[k]
    return share(total, whole)


@njit(nogil=True, cache=True)
def share(part, whole):
    """Return `part` of each of `whole`; nan of none."""
    return part / whole if whole > 0 else math.nan
