"""The running jobs, in two orders: by true end and by planned end.

They are few enough that inserting by shifting beats any tree. Both orders descend, so that what ends
next is last and cheap to take off. A running job has a slot; a key is an end with the slot in its low
bits, so that one word is all that moves. Jobs with the same end are therefore in order of slot, which
no decision depends on. Entry 0 of both orders is a sentinel later than any end.

Loops over these orders count in unsigned integers: a signed index costs a test at every access. Entries
are moved a few at a time without asking which of them have to be: a wrong guess of the processor costs more.
"""

from collections import namedtuple

import numpy as np
from numba import njit

SLOT_BITS = 20
SLOT_MASK = (1 << SLOT_BITS) - 1
NEVER = np.iinfo(np.int64).max
LATEST = NEVER >> SLOT_BITS  # the last second a key can hold, some 278,000 years away
MOST = SLOT_MASK  # how many jobs can run at once
ONE = np.uint64(1)
STEP = np.uint64(4)  # entries moved together

Running = namedtuple("Running", "by_end by_plan size plan vacant")


@njit(nogil=True, cache=True)
def empty_running(most):
    """Room for `most` running jobs: two orders of keys, then size, planned key and vacancies by slot."""
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    return Running(
        by_end, by_plan, np.empty(most, np.int64), np.empty(most, np.int64), np.arange(most)
    )


@njit(nogil=True, cache=True)
def insert(order, count, key):
    """Put `key` into the `count` entries behind the sentinel."""
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
    """Take `key` out of the `count` entries behind the sentinel."""
    k = np.uint64(count)
    after = order[k]  # the entry behind k as it was
    while k >= STEP:
        first = order[k - STEP + ONE]
        for j in range(k - STEP + ONE, k):
            order[j] = order[j] if order[j] > key else order[j + ONE]
        order[k] = order[k] if order[k] > key else after
        if first > key:
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
    """Take the job that ends next off the `running` ones and return its size."""
    slot = jobs.by_end[running] & SLOT_MASK
    remove(jobs.by_plan, running, jobs.plan[slot])
    jobs.vacant[running - 1] = slot
    return jobs.size[slot]


@njit(nogil=True, cache=True)
def next_end(jobs, running):
    """When the next running job truly ends; `LATEST` if none runs."""
    return jobs.by_end[running] >> SLOT_BITS


@njit(nogil=True, cache=True)
def next_planned_end(jobs, running):
    """When the next running job is planned to end; `LATEST` if none runs."""
    return jobs.by_plan[running] >> SLOT_BITS


@njit(nogil=True, cache=True)
def when_it_fits(order, sizes, running, free, head_size, now):
    """Earliest end in `order` at which `head_size` processors are free, and how many more are free then.

    Every job that ends by that instant counts. An end that is past is taken to be now.
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


@njit(nogil=True, cache=True)
def reservation(jobs, running, free, head_size, now):
    """Shadow time and extra processors of a blocked head, from the planned ends."""
    return when_it_fits(jobs.by_plan, jobs.size, running, free, head_size, now)
