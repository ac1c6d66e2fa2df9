"""The queue of textbook EASY, in columns of 32 bits: a scan compares eight entries at a time.

A job that leaves the middle of the queue is marked as removed; `compact` closes the gaps once most
entries are removed. Sizes and times are clipped to 31 bits. Therefore the search returns candidates
only, and the kernel compares a candidate's exact size and estimate before it starts the job.

The least size and the least estimate of each block of 32 entries are stored, so that a search can
skip blocks. They are never too high, but may be too low: a removed job counts until the next search
that compares the block's entries. An update directly after a removal would load whole vectors that
were just written by single words, and the processor would stall.

A queue of more than `LONG` entries is searched with a tree
(`replication.simulator.kernels.queue_tree`), whose rows are up to date as long as the queue is that
long.

All entries outside ``[head, tail)`` are removed ones, so that a block may extend beyond either end.
"""

from collections import namedtuple

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from replication.simulator.kernels import queue_tree as trees
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.ordered_list import ONE
from replication.simulator.kernels.queue_tree import BLOCK, BLOCK_BITS, EMPTY, NONE, fits, narrow

LONG = 1024  # entries above which a search uses the tree
COMPACT_THRESHOLD = 32  # removed entries up to which the queue is not compacted

# job : int64, size, estimate : int32, of each entry
# least_size, least_estimate : int32, of each block; outdated : bool, whether a job was removed
#     since they were computed
# tree : a Tree over the columns size and estimate; long : entries above which it is up to date
Waiting = namedtuple("Waiting", "job size estimate least_size least_estimate outdated tree long")


@njit_noalloc
def blocks(entry):
    """Return the number of blocks that hold all entries before `entry`."""
    return (np.uint64(entry) + BLOCK - ONE) >> BLOCK_BITS


@njit(nogil=True, cache=True)
def empty_queue(n, is_searched):
    """Return an empty queue with space for `n` jobs."""
    tree = trees.empty_tree(n + np.int64(BLOCK))
    n_blocks = len(tree.size) >> np.int64(BLOCK_BITS)
    return Waiting(
        np.empty(len(tree.size), np.int64),
        tree.size,
        tree.planned,
        np.full(n_blocks, EMPTY, np.int32),
        np.full(n_blocks, EMPTY, np.int32),
        np.zeros(n_blocks, np.bool_),
        tree,
        LONG if is_searched else n,
    )


@njit_noalloc
def append(queue, tail, job, size, estimate):
    """Add a job at `tail`."""
    k = np.uint64(tail)
    block = k >> BLOCK_BITS
    queue.job[k], queue.size[k], queue.estimate[k] = job, narrow(size), narrow(estimate)
    queue.least_size[block] = min(queue.least_size[block], queue.size[k])
    queue.least_estimate[block] = min(queue.least_estimate[block], queue.estimate[k])
    if tail == queue.long:
        trees.update_all(queue.tree, blocks(tail + 1))
    elif tail > queue.long:
        trees.add(queue.tree, k, queue.size[k], queue.estimate[k])


@njit_noalloc
def remove(queue, k, tail):
    """Mark entry `k` as removed."""
    queue.outdated[np.uint64(k) >> BLOCK_BITS] = True
    if tail > queue.long:
        trees.leave(queue.tree, k)
    else:
        queue.size[k] = queue.estimate[k] = EMPTY


# State of a search: the current block, the block beyond the last, a bit for each entry of the
# current block that fits and has not been returned, and the least size in the blocks so far.
AT, BEYOND, FITS, SMALLEST = range(4)
SEARCH = 4


@njit_noalloc
def begin_search(search, queue, head, tail):
    """Start a search for candidates; `search` is uint64[`SEARCH`]."""
    search[AT] = (np.uint64(head) >> BLOCK_BITS) - ONE
    search[BEYOND] = blocks(tail)
    search[FITS] = NONE
    search[SMALLEST] = np.uint64(queue.tree.rows[ONE, NONE] if tail > queue.long else EMPTY)


@njit_noalloc
def next_candidate(queue, search, tail, free, extra, window):
    """Return the next entry in queue order that may fit; `tail` if there is none.

    `replication.simulator.kernels.queue_tree.fits` says which entries fit. No such entry is missed.
    The entry returned may not fit, because sizes and times are clipped.
    """
    limits = narrow(free), narrow(min(extra, free)), narrow(window)
    while True:
        if search[FITS] == NONE and not _next_block(queue, search, tail, *limits):
            return tail
        k = (search[AT] << BLOCK_BITS) + np.uint64(trailing_zeros(search[FITS]))
        search[FITS] &= search[FITS] - ONE
        # Jobs may have started since the block was compared.
        if fits(queue.size[k], queue.estimate[k], *limits):
            return np.int64(k)


@njit_noalloc
def _next_block(queue, search, tail, free, extra, window):
    """Continue a search in the next block with an entry that fits; return whether there is one."""
    block, smallest, entries = search[AT], np.int32(search[SMALLEST]), NONE
    while entries == NONE:
        block += ONE
        if tail > queue.long:
            block = trees.next_block(queue.tree, block, free, extra, window)
        if block >= search[BEYOND]:
            break
        least_size = queue.least_size[block]
        smallest = min(smallest, least_size)
        if fits(least_size, queue.least_estimate[block], free, extra, window):
            entries = trees.fitting(queue.tree, block << BLOCK_BITS, free, extra, window)
            if queue.outdated[block]:  # time only
                update_min(queue, block)
    search[AT], search[FITS], search[SMALLEST] = block, entries, np.uint64(smallest)
    return entries != NONE


@njit_noalloc
def update_min(queue, block):
    """Update the least size and the least estimate of a block."""
    first = block << BLOCK_BITS
    least_size = least_estimate = EMPTY
    for k in range(BLOCK):
        least_size = min(least_size, queue.size[first + k])
        least_estimate = min(least_estimate, queue.estimate[first + k])
    queue.least_size[block], queue.least_estimate[block] = least_size, least_estimate
    queue.outdated[block] = False


@njit(nogil=True, cache=True, _nrt=False)
def compact(queue, head, tail):
    """Move the jobs to the beginning of the queue, without gaps, and return the new tail."""
    job, size, estimate = queue.job, queue.size, queue.estimate
    kept = NONE
    for k in range(np.uint64(head), np.uint64(tail)):
        width = size[k]
        job[kept], size[kept], estimate[kept] = job[k], width, estimate[k]
        kept += np.uint64(width != EMPTY)
    for k in range(kept, np.uint64(tail)):  # time only: the kernel starts no job beyond the tail
        size[k] = estimate[k] = EMPTY
    for block in range(blocks(tail)):
        update_min(queue, block)
    if tail > queue.long:
        trees.update_all(queue.tree, blocks(tail))
    return np.int64(kept)


@njit_noalloc
def clear(queue, tail):
    """Reset the blocks of an empty queue."""
    for block in range(blocks(tail)):
        queue.least_size[block] = queue.least_estimate[block] = EMPTY
