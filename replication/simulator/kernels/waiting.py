"""The waiting jobs: columns in queue order, narrow enough that a scan takes eight of them at a time.

A job that leaves the middle of the queue is struck out, not closed up; `compact` closes up once most are
struck out. Sizes and times are cut to 31 bits here, so a scan only finds candidates: whoever starts a job
checks it again against its true size and estimate.

The least size and the least estimate of each block of 32 entries are kept, so that a longer queue is passed
over by the block. They are never too high, but may be too low: a job struck out counts until its block is
surveyed, which is done when the block has been looked at in vain. Surveying it just after a job in it is
struck out would read in whole lanes what was just written singly, and the processor waits for that.

A queue of thousands is passed over by pieces of 1,024 and of 32,768 entries. A row for each piece holds the
least size in it, and the least estimate in each class of sizes, a class for each power of two. One least
estimate for all sizes would not do: where narrow jobs are long and wide ones short, somebody would always
seem to fit. Rows are made for full pieces only, and only when a pass has looked through them in vain or not,
so a short queue has none; a row of zeros is yet to be made, and says that anybody may fit. A row is mended
where jobs were struck out, class by class.

Everything outside ``[head, tail)`` is struck out, so that a block may reach beyond either.
"""

from collections import namedtuple

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from replication.simulator.kernels.compiling import njit_noalloc
from replication.simulator.kernels.running import ONE

EMPTY = np.int32(2**31 - 1)  # the size and the estimate of an entry that is struck out
LARGEST = np.int32(2**31 - 2)
BLOCK = np.uint64(32)  # entries looked at together: a bit for each in one word
BLOCK_BITS = np.uint64(5)
PIECE_BITS = np.uint64(5)  # blocks in a piece
PIECE_ENTRIES = BLOCK_BITS + PIECE_BITS
LARGE_BITS = np.uint64(5)  # pieces in a large one
CLASSES = np.uint64(16)  # length of a row: the least size, then classes 1 to 15
STALE = np.uint64(2**16 - 1)  # a bit for each entry of a row
INDEX_THRESHOLD = 4096  # entries that are worth passing over by the piece
NONE = np.uint64(0)
NO_PIECE = np.uint64(2**64 - 1)
COMPACT_THRESHOLD = 32  # struck out entries below which the queue is left as it is

#: Of each entry: `job` int64, `size`, `estimate` int32; of each block: `least_size`, `least_estimate` int32;
#: rows of the pieces: `rows`, `large` int32[:, 16], and a bit for each entry in `rows` that is `stale` uint64.
Waiting = namedtuple("Waiting", "job size estimate least_size least_estimate rows large stale")


@njit_noalloc
def blocks(entry):
    """How many blocks it takes to hold all entries before `entry`."""
    return (np.uint64(entry) + BLOCK - ONE) >> BLOCK_BITS


@njit(nogil=True, cache=True)
def empty_queue(n):
    """Room for `n` waiting jobs."""
    room, some = n + np.int64(BLOCK), np.int64(blocks(n)) + 1
    pieces = (n >> 10) + 1
    return Waiting(
        np.empty(room, np.int64),
        np.full(room, EMPTY, np.int32),
        np.full(room, EMPTY, np.int32),
        np.full(some, EMPTY, np.int32),
        np.full(some, EMPTY, np.int32),
        np.zeros((pieces, 16), np.int32),
        np.zeros((pieces >> 5, 16), np.int32),
        np.full(pieces, STALE),
    )


@njit_noalloc
def narrow(value):
    """`value` in 31 bits, the largest for all that need more."""
    return np.int32(min(value, np.int64(LARGEST)))


@njit_noalloc
def append(queue, tail, job, size, estimate):
    """Append a job at `tail`."""
    k = np.uint64(tail)
    block = k >> BLOCK_BITS
    queue.job[k], queue.size[k], queue.estimate[k] = job, narrow(size), narrow(estimate)
    queue.least_size[block] = min(queue.least_size[block], queue.size[k])
    queue.least_estimate[block] = min(queue.least_estimate[block], queue.estimate[k])


@njit_noalloc
def remove(queue, k):
    """Strike out entry `k`."""
    queue.size[k] = queue.estimate[k] = EMPTY


@njit_noalloc
def _remove_stale(queue, k):
    """Strike out entry `k` where rows may still count on it."""
    queue.stale[k >> PIECE_ENTRIES] |= ONE << size_class(queue.size[k])
    remove(queue, k)


# Places in the state of a search: the block that is looked at and the one beyond the last, a bit for each entry
# of it that fitted, whether it was looked at in vain so far, the piece it is in, and the least size met.
AT, BEYOND, FITS, IN_VAIN, PIECE, SMALLEST = range(6)
SEARCH = 6


@njit_noalloc
def begin_search(search, head, tail):
    """Begin a search of the queue for candidates; `search` is uint64[`SEARCH`]."""
    search[AT] = (np.uint64(head) >> BLOCK_BITS) - ONE
    search[BEYOND] = blocks(tail)
    search[FITS] = search[IN_VAIN] = NONE
    search[PIECE] = NO_PIECE
    search[SMALLEST] = np.uint64(EMPTY)


@njit_noalloc
def next_candidate(queue, search, tail, free, extra, window):
    """The next entry that may fit, in queue order; `tail` if there is none.

    An entry fits that needs at most `extra` processors, or at most `free` for at most `window` seconds. Sizes and
    times are narrow here, and others may have been started since the block was looked at: whoever asks looks at
    the job itself. An entry that does fit is never missed.
    """
    while search[FITS] == NONE:
        if search[IN_VAIN]:
            update_min(queue, search[AT])
            search[IN_VAIN] = NONE
        block = search[AT] + ONE
        if tail > INDEX_THRESHOLD and block >> PIECE_BITS != search[PIECE]:
            block = _next_piece(
                queue, search, block, tail, narrow(free), narrow(min(extra, free)), narrow(window)
            )
        search[AT] = block
        if block >= search[BEYOND]:
            return tail
        least_size, least_estimate = queue.least_size[block], queue.least_estimate[block]
        search[SMALLEST] = min(search[SMALLEST], np.uint64(least_size))
        if least_size <= free and (least_size <= extra or least_estimate <= window):
            search[FITS] = fitting(
                queue, block << BLOCK_BITS, narrow(free), narrow(min(extra, free)), narrow(window)
            )
            search[IN_VAIN] = ONE
    first = np.uint64(trailing_zeros(search[FITS]))
    search[FITS] &= search[FITS] - ONE
    return np.int64((search[AT] << BLOCK_BITS) + first)


@njit_noalloc
def remove_candidate(queue, search, k):
    """Strike out entry `k`, which `find` has found."""
    _remove_stale(queue, k)
    search[IN_VAIN] = NONE


@njit(nogil=True, cache=True, _nrt=False)
def _next_piece(queue, search, block, tail, free, extra, window):
    """The first block from `block` on, in a new piece, that has to be looked at; the piece left is mended."""
    if search[PIECE] != NO_PIECE:
        rebuild_row(queue, search[PIECE], tail)
    piece, smallest = skip_pieces(
        queue, block >> PIECE_BITS, tail, np.int64(search[SMALLEST]), free, extra, window
    )
    search[PIECE], search[SMALLEST] = piece, np.uint64(smallest)
    return max(block, piece << PIECE_BITS)


@njit(nogil=True, cache=True, _nrt=False)
def skip_pieces(queue, piece, tail, smallest, free, extra, window):
    """Pass over the pieces from `piece` on in which nobody fits, as far as rows know.

    Returns
    -------
    piece : uint64
        The first one to be looked at, perhaps beyond the queue.
    smallest : int64, processors
        As given, or less if a piece passed over holds less.
    """
    full = np.uint64(tail) >> PIECE_ENTRIES
    while piece < full:
        large = piece >> LARGE_BITS
        if large << LARGE_BITS == piece and large < full >> LARGE_BITS:
            if not _may_fit(queue.large, large, free, extra, window):
                smallest = min(smallest, np.int64(queue.large[large, NONE]))
                piece += ONE << LARGE_BITS
                continue
        if _may_fit(queue.rows, piece, free, extra, window):
            break
        smallest = min(smallest, np.int64(queue.rows[piece, NONE]))
        piece += ONE
    return piece, smallest


@njit(nogil=True, cache=True, _nrt=False)
def _may_fit(rows, piece, free, extra, window):
    """Whether somebody may fit by the row of a piece; in the class of `free` itself, not everybody does."""
    widest = np.int32(size_class(free))
    fits = rows[piece, NONE] <= extra
    for column in range(ONE, CLASSES):
        fits |= (rows[piece, column] <= window) & (np.int32(column) <= widest)
    return fits


@njit_noalloc
def size_class(size):
    """Class of a size: 1 for one processor, 2 for up to three, and so on; 15 for 16,384 and more."""
    return min(np.uint64(32) - np.uint64(leading_zeros(np.uint32(size))), CLASSES - ONE)


@njit(nogil=True, cache=True, _nrt=False)
def rebuild_row(queue, piece, tail):
    """Find anew what is stale in the row of a piece that is full, and in that of the large one it is in."""
    full = np.uint64(tail) >> PIECE_ENTRIES
    if piece >= full or queue.stale[piece] == NONE:
        return
    first, last = piece << PIECE_ENTRIES, (piece + ONE) << PIECE_ENTRIES
    large, rows, stale = piece >> LARGE_BITS, queue.rows, queue.stale[piece]
    rows[piece, NONE] = _least(queue.size, first, last)
    for column in range(ONE, CLASSES):
        if stale >> column & ONE:
            low, high = np.int32(1) << np.int32(column - ONE), np.int32(1) << np.int32(column)
            if column == CLASSES - ONE:
                high = EMPTY
            lowest = EMPTY
            for k in range(first, last):
                size, estimate = queue.size[k], queue.estimate[k]
                lowest = min(lowest, estimate if (size >= low) & (size < high) else EMPTY)
            rows[piece, column] = lowest
    queue.stale[piece] = NONE
    if large < full >> LARGE_BITS:
        for column in range(NONE, CLASSES):
            if column == NONE or stale >> column & ONE:
                lowest = EMPTY
                for part in range(large << LARGE_BITS, (large + ONE) << LARGE_BITS):
                    lowest = min(lowest, rows[part, column])
                queue.large[large, column] = lowest


@njit(nogil=True, cache=True, _nrt=False)
def _forget_rows(queue, tail):
    """All rows are to be made anew; those beyond `tail` are not made."""
    full = np.uint64(tail) >> PIECE_ENTRIES
    for piece in range(full):
        queue.stale[piece] = STALE
        for column in range(CLASSES):
            queue.rows[piece, column] = 0
    for large in range(full >> LARGE_BITS):
        for column in range(CLASSES):
            queue.large[large, column] = 0


@njit_noalloc
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


@njit_noalloc
def update_min(queue, block):
    """Find what is least in a block."""
    first = block << BLOCK_BITS
    least_size = least_estimate = EMPTY
    for k in range(BLOCK):
        least_size = min(least_size, queue.size[first + k])
        least_estimate = min(least_estimate, queue.estimate[first + k])
    queue.least_size[block], queue.least_estimate[block] = least_size, least_estimate


@njit(nogil=True, cache=True, _nrt=False)
def _least(column, first, last):
    """The smallest value of a narrow column."""
    lowest = EMPTY
    for k in range(first, last):
        lowest = min(lowest, column[k])
    return lowest


@njit(nogil=True, cache=True, _nrt=False)
def compact(queue, head, tail):
    """Close up the queue; return its new tail."""
    job, size, estimate = queue.job, queue.size, queue.estimate
    kept = np.uint64(head)
    for k in range(np.uint64(head), np.uint64(tail)):
        width = size[k]
        job[kept], size[kept], estimate[kept] = job[k], width, estimate[k]
        kept += np.uint64(width != EMPTY)
    for k in range(kept, np.uint64(tail)):
        remove(queue, k)
    for block in range(np.uint64(head) >> BLOCK_BITS, blocks(tail)):
        update_min(queue, block)
    _forget_rows(queue, tail)
    return np.int64(kept)


@njit_noalloc
def clear(queue, tail):
    """Forget the blocks and the pieces of a queue that ran empty."""
    for block in range(blocks(tail)):
        queue.least_size[block] = queue.least_estimate[block] = EMPTY
    if np.uint64(tail) >> PIECE_ENTRIES > NONE:
        _forget_rows(queue, tail)
