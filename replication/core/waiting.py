"""The waiting jobs: columns in queue order, narrow enough that a scan takes eight of them at a time.

A job that leaves the middle of the queue is struck out, not closed up; `squeeze` closes up once most are
struck out. Sizes and times are cut to 31 bits here, so a scan only finds candidates: whoever starts a job
checks it again against its true size and estimate.

Everything outside ``[head, tail)`` is struck out too, so that a scan may run past the end in whole lanes.
"""

import numpy as np
from numba import njit

from replication.core.running import ONE

GONE = np.int32(2**31 - 1)       # the size of an entry that is struck out
LARGEST = np.int32(2**31 - 2)
BLOCK = np.uint64(32)            # entries looked at together
LANES = np.uint64(8)
WORTH = 64                       # struck out entries below which the queue is left as it is


@njit(nogil=True, cache=True)
def nobody_waits(n):
    """Room for `n` waiting jobs: which they are, their sizes and their estimates."""
    room = n + np.int64(BLOCK)
    return np.empty(room, np.int64), np.full(room, GONE, np.int32), np.empty(room, np.int32)


@njit(nogil=True, cache=True, _nrt=False)
def narrow(value):
    """`value` in 31 bits, the largest for all that need more."""
    return np.int32(min(value, np.int64(LARGEST)))


@njit(nogil=True, cache=True, _nrt=False)
def whole_lanes(first, tail):
    """The end of a scan from `first` that covers `tail`, in whole lanes."""
    return first + ((np.uint64(tail) - first + LANES - ONE) & ~(LANES - ONE))


@njit(nogil=True, cache=True, _nrt=False)
def look(size, estimate, first, last, free, extra, window):
    """Whether any entry fits, and the smallest size of them all.

    Fits: needs at most `extra` processors, or at most `free` for at most `window` seconds. No early way out,
    so that the loop compiles to vector instructions.
    """
    fits = False
    smallest = GONE
    for k in range(first, last):
        fits |= (size[k] <= extra) | ((size[k] <= free) & (estimate[k] <= window))
        smallest = min(smallest, size[k])
    return fits, smallest


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
        if size[k] != GONE:
            column[kept] = column[k]
            kept += ONE
    return np.int64(kept)


@njit(nogil=True, cache=True, _nrt=False)
def close_up(waiting, size, estimate, head, tail):
    """Close up the queue; return its new tail."""
    squeeze(waiting, size, head, tail)
    squeeze(estimate, size, head, tail)
    kept = squeeze(size, size, head, tail)
    for k in range(kept, tail):
        size[k] = GONE
    return kept
