"""The waiting jobs: columns in queue order, narrow enough that a scan takes eight of them at a time.

A job that leaves the middle of the queue is struck out, not closed up; `close_up` closes up once most are
struck out. Sizes and times are cut to 31 bits here, so a scan only finds candidates: whoever starts a job
checks it again against its true size and estimate.

The least size and the least estimate of each block of 32 entries are kept, so that a long queue is passed
over by the block. They are never too high, but may be too low: a job struck out counts until its block is
surveyed, which is done when the block has been looked at in vain. Surveying it just after a job in it is
struck out would read in whole lanes what was just written singly, and the processor waits for that.

Everything outside ``[head, tail)`` is struck out, so that a block may reach beyond either.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.running import ONE

GONE = np.int32(2**31 - 1)  # the size and the estimate of an entry that is struck out
LARGEST = np.int32(2**31 - 2)
BLOCK = np.uint64(32)  # entries looked at together: a bit for each in one word
BLOCK_BITS = np.uint64(5)
WORTH = 32  # struck out entries below which the queue is left as it is

#: Of each entry: `job` int64, `size`, `estimate` int32; of each block: `least_size`, `least_estimate` int32.
Waiting = namedtuple("Waiting", "job size estimate least_size least_estimate")


@njit(nogil=True, cache=True, _nrt=False)
def blocks(entry):
    """How many blocks it takes to hold all entries before `entry`."""
    return (np.uint64(entry) + BLOCK - ONE) >> BLOCK_BITS


@njit(nogil=True, cache=True)
def nobody_waits(n):
    """Room for `n` waiting jobs."""
    room, some = n + np.int64(BLOCK), np.int64(blocks(n)) + 1
    return Waiting(
        np.empty(room, np.int64),
        np.full(room, GONE, np.int32),
        np.full(room, GONE, np.int32),
        np.full(some, GONE, np.int32),
        np.full(some, GONE, np.int32),
    )


@njit(nogil=True, cache=True, _nrt=False)
def narrow(value):
    """`value` in 31 bits, the largest for all that need more."""
    return np.int32(min(value, np.int64(LARGEST)))


@njit(nogil=True, cache=True, _nrt=False)
def join(queue, tail, job, size, estimate):
    """Append a job at `tail`."""
    k = np.uint64(tail)
    block = k >> BLOCK_BITS
    queue.job[k], queue.size[k], queue.estimate[k] = job, narrow(size), narrow(estimate)
    queue.least_size[block] = min(queue.least_size[block], queue.size[k])
    queue.least_estimate[block] = min(queue.least_estimate[block], queue.estimate[k])


@njit(nogil=True, cache=True, _nrt=False)
def leave(queue, k):
    """Strike out entry `k`."""
    queue.size[k] = queue.estimate[k] = GONE


@njit(nogil=True, cache=True, _nrt=False)
def fitting(queue, first, free, extra, window):
    """A bit for each of the `BLOCK` entries from `first` that fits, the lowest for the first.

    Fits: needs at most `extra` processors, or at most `free` for at most `window` seconds. No early way out,
    so that the loop compiles to vector instructions.
    """
    fits = np.uint64(0)
    for k in range(BLOCK):
        size, estimate = queue.size[first + k], queue.estimate[first + k]
        fits |= np.uint64((size <= extra) | ((size <= free) & (estimate <= window))) << k
    return fits


@njit(nogil=True, cache=True, _nrt=False)
def survey(queue, block):
    """Find what is least in a block."""
    first = block << BLOCK_BITS
    least_size = least_estimate = GONE
    for k in range(BLOCK):
        least_size = min(least_size, queue.size[first + k])
        least_estimate = min(least_estimate, queue.estimate[first + k])
    queue.least_size[block], queue.least_estimate[block] = least_size, least_estimate


@njit(nogil=True, cache=True, _nrt=False)
def least(column, first, last):
    """The smallest value of a narrow column."""
    lowest = GONE
    for k in range(first, last):
        lowest = min(lowest, column[k])
    return lowest


@njit(nogil=True, cache=True, _nrt=False)
def squeeze(column, size, head, tail):
    """Close up a column where `size` is struck out; return the new tail."""
    kept = np.uint64(head)
    for k in range(np.uint64(head), np.uint64(tail)):
        column[kept], here = column[k], np.uint64(size[k] != GONE)
        kept += here
    return np.int64(kept)


@njit(nogil=True, cache=True, _nrt=False)
def close_up(queue, head, tail):
    """Close up the queue; return its new tail."""
    job, size, estimate = queue.job, queue.size, queue.estimate
    kept = np.uint64(head)
    for k in range(np.uint64(head), np.uint64(tail)):
        width = size[k]
        job[kept], size[kept], estimate[kept] = job[k], width, estimate[k]
        kept += np.uint64(width != GONE)
    for k in range(kept, np.uint64(tail)):
        leave(queue, k)
    for block in range(np.uint64(head) >> BLOCK_BITS, blocks(tail)):
        survey(queue, block)
    return np.int64(kept)


@njit(nogil=True, cache=True, _nrt=False)
def start_over(queue, tail):
    """Forget the blocks of a queue that ran empty."""
    for block in range(blocks(tail)):
        queue.least_size[block] = queue.least_estimate[block] = GONE
