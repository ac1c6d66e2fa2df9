"""Observations of an EASY schedule: wild backfills, delays of heads,
and starts of the shortest waiting job.

The terms are those of heel-and-toe (report 2006, sections 5 and 6). A job is its index, and indices
are in queue order. The schedule is replayed start by start:

* The real shadow time of the head is a reservation made with true run times. It moves only at a
  wild backfill, so it is computed at the first backfill past a head and after each wild one.
* The shortest run time in the queue is computed again only after a job that has it was started.
"""

import numpy as np
from numba import njit

from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.ordered_list import (
    NEVER,
    SLOT_BITS,
    SLOT_MASK,
    empty_running,
    insert,
    next_end,
    when_it_fits,
)

BLOCK_BITS = 5
BLOCK = 1 << BLOCK_BITS  # jobs with a common minimum of run times


@njit(nogil=True, cache=True)
def observations(run_time, size, machine, start, backfilled, order, submitted):
    """Return the observations of each job of a schedule.

    Parameters
    ----------
    run_time, size : int64[n]
        Seconds and processors.
    machine : int, processors
    start : int64[n], s
    backfilled : bool[n]
        Whether the job was started past a blocked head.
    order : int64[n]
        The jobs in the order in which they were started.
    submitted : int64[n]
        Number of jobs in the queue or started before, at each start in the order of `order`.

    Returns
    -------
    shortest : bool[n]
        No job in the queue had a shorter run time when the job was started.
    wild : bool[n]
        The job was backfilled and moved the head's real shadow time.
    events : int64[n]
        Wild backfills while the job was the head.
    delay : int64[n], s
        From the first real shadow time to the start; 0 for jobs without wild backfills.
    """
    n = len(order)
    shortest, wild = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    events, delay = np.zeros(n, np.int64), np.zeros(n, np.int64)
    queue = np.full(n + BLOCK, NEVER), np.full((n >> BLOCK_BITS) + 1, NEVER)
    _replay(
        (run_time, size),
        (start, backfilled, order),
        submitted,
        machine,
        empty_running(min(n, machine)),
        queue,
        (shortest, wild, events, delay),
    )
    return shortest, wild, events, delay


# Without numba's reference counts (_nrt), a call that takes an array is spared two locked
# instructions.
@njit(nogil=True, cache=True, _nrt=False)
def _replay(jobs, schedule, submitted, machine, running, queue, observed):
    run_time, size = jobs
    start, backfilled, order = schedule
    shortest, wild, events, delay = observed
    waiting, block_least = queue  # run times of the waiting jobs, and the least of each block
    n, free, n_running, queued, head = len(order), machine, 0, 0, 0
    least, least_is_known = NEVER, True
    shadow, extra, first, shadow_is_known = 0, 0, 0, False  # the head's real reservation
    for k in range(n):
        job = order[k]
        now, end = start[job], start[job] + run_time[job]
        # Jobs end and are submitted.
        while n_running > 0 and next_end(running, n_running) <= now:
            slot = running.by_end[n_running] & SLOT_MASK
            n_running -= 1
            running.vacant[n_running] = slot
            free += running.size[slot]
        while queued < submitted[k]:
            least = min(least, _append(waiting, block_least, queued, run_time[queued]))
            queued += 1
        while waiting[head] == NEVER:
            head += 1

        # The shortest waiting job.
        if not least_is_known:
            least = _least(block_least, head >> BLOCK_BITS, ((queued - 1) >> BLOCK_BITS) + 1)
        shortest[job] = run_time[job] == least
        least_is_known = not shortest[job]
        _remove(waiting, block_least, job)

        # The head and its real shadow time.
        if not backfilled[job]:
            if events[job] > 0:
                delay[job] = now - first
            shadow_is_known = False
        else:
            if not shadow_is_known:
                shadow, extra = _real_reservation(running, n_running, free, size[head], now)
                first, shadow_is_known = shadow, True
            if end > shadow:
                wild[job] = size[job] > extra
                extra -= size[job]

        slot = running.vacant[n_running]
        running.size[slot] = size[job]
        insert(running.by_end, n_running, end << SLOT_BITS | slot)
        n_running += 1
        free -= size[job]
        if wild[job]:
            events[head] += 1
            shadow, extra = _real_reservation(running, n_running, free, size[head], now)


@njit_noalloc
def _append(waiting, block_least, job, run_time):
    """Append a job to the queue and return its run time."""
    block = job >> BLOCK_BITS
    waiting[job] = run_time
    block_least[block] = min(block_least[block], run_time)
    return run_time


@njit_noalloc
def _remove(waiting, block_least, job):
    """Remove a job from the queue."""
    block = job >> BLOCK_BITS
    was_least = waiting[job] == block_least[block]
    waiting[job] = NEVER
    if was_least:
        block_least[block] = _least(waiting, block << BLOCK_BITS, (block + 1) << BLOCK_BITS)


@njit(nogil=True, cache=True, _nrt=False)
def _least(values, first, last):
    """Return the least value between two places."""
    least = NEVER
    for k in range(np.uint64(first), np.uint64(last)):
        least = min(least, values[k])
    return least


@njit(nogil=True, cache=True)
def _real_reservation(running, n_running, free, head_size, now):
    """Return the real shadow time of the head and its extra processors then."""
    if head_size <= free:
        return now, free - head_size
    return when_it_fits(running.by_end, running.size, n_running, free, head_size, now)
