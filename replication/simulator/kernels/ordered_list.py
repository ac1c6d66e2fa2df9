"""The running jobs in two orders: by actual end and by planned end.

They are so few that insertion by shifting is faster than a tree. Both orders descend, so the next
end is the last entry. A running job has a slot, and a key is an end with the slot in its low bits,
so only one word has to be moved. Jobs with equal ends are in order of slot, on which no decision
depends. Entry 0 of both orders is a sentinel later than any end.

Loops over these orders count in unsigned integers, because a signed index costs a test at every
access. Entries are moved four at a time without a branch, because a mispredicted branch costs more
than a move.
"""

from collections import namedtuple

import numpy as np
from numba import njit

SLOT_BITS = 24
SLOT_MASK = (1 << SLOT_BITS) - 1
NEVER = np.iinfo(np.int64).max
LATEST = NEVER >> SLOT_BITS  # the last second a key can hold, some 17,000 years away
MOST = SLOT_MASK  # jobs that can run at once
ONE = np.uint64(1)
STEP = np.uint64(4)  # entries moved together

Running = namedtuple("Running", "by_end by_plan size plan vacant")


@njit(nogil=True, cache=True)
def empty_running(most):
    """Return space for `most` running jobs: the two orders, and by slot size,
    planned key and vacant slots.
    """
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    return Running(
        by_end, by_plan, np.empty(most, np.int64), np.empty(most, np.int64), np.arange(most)
    )


@njit(nogil=True, cache=True)
def insert(order, count, key):
    """Insert `key` into the `count` entries behind the sentinel."""
    k = np.uint64(count)
    order[k + ONE] = min(order[k], key)
    while k >= STEP:
        for _ in range(STEP):
            order[k] = max(order[k], min(order[k - ONE], key))
            k -= ONE
        if order[k] >= key:
            return
    while order[k] < key:
        order[k] = min(order[k - ONE], key)
        k -= ONE


@njit(nogil=True, cache=True)
def remove(order, count, key):
    """Remove `key` from the `count` entries behind the sentinel."""
    k = np.uint64(count)
    after = order[k]  # the previous value of the entry behind k
    while k >= STEP:
        first = order[k - STEP + ONE]
        for j in range(k - STEP + ONE, k):
            order[j] = order[j] if order[j] > key else order[j + ONE]
        order[k] = order[k] if order[k] > key else after
        if first > key:  # time only
            return
        after = first
        k -= STEP
    while order[k] <= key:
        order[k], after = after, order[k]
        k -= ONE


@njit(nogil=True, cache=True)
def begin(jobs, running, end, planned_end, size):
    """Add a job to the `running` ones."""
    slot = jobs.vacant[running]
    jobs.size[slot] = size
    jobs.plan[slot] = planned_end << SLOT_BITS | slot
    insert(jobs.by_end, running, end << SLOT_BITS | slot)
    insert(jobs.by_plan, running, jobs.plan[slot])


@njit(nogil=True, cache=True)
def finish(jobs, running):
    """Remove the job that ends next from the `running` ones and return its size."""
    slot = jobs.by_end[running] & SLOT_MASK
    remove(jobs.by_plan, running, jobs.plan[slot])
    jobs.vacant[running - 1] = slot
    return jobs.size[slot]


@njit(nogil=True, cache=True)
def next_end(jobs, running):
    """Return the next actual end; `LATEST` if no job runs."""
    return jobs.by_end[running] >> SLOT_BITS


@njit(nogil=True, cache=True)
def next_planned_end(jobs, running):
    """Return the next planned end; `LATEST` if no job runs."""
    return jobs.by_plan[running] >> SLOT_BITS


@njit(nogil=True, cache=True)
def when_it_fits(order, sizes, running, free, head_size, now):
    """Return the earliest end in `order` at which `head_size` processors are free,
    and how many more are free then.

    All jobs that end by that instant count. Ends in the past count as now.
    """
    available = free
    k = np.uint64(running)
    while available < head_size:
        available += sizes[order[k] & SLOT_MASK]
        k -= ONE
    instant = max(order[k + ONE] >> SLOT_BITS, now)
    while order[k] >> SLOT_BITS <= instant:
        available += sizes[order[k] & SLOT_MASK]
        k -= ONE
    return instant, available - head_size
