"""The queue of waiting jobs, in columns of 32 bits so that a scan compares eight entries at a time.

A job that leaves the middle of the queue is marked as removed; `compact` closes the gaps once most entries are removed.
Sizes and times are clipped to 31 bits. Therefore the search returns candidates only, and the kernel compares a
candidate's exact size and estimate before it starts the job.

The least size and the least estimate of each block of 32 entries are stored, so that a search can skip blocks. They are
never too high, but may be too low: a removed job counts until the next search that compares the block's entries. An
update directly after a removal would load whole vectors that were just written by single words, and the processor would
stall.

In a queue of more than 1,024 entries a search also skips pieces of 256, 1,024, 4,096 and 16,384 entries. Each full
piece has a row of values: the least size, and for each power of two the least estimate of the jobs of a smaller size. A
single least estimate for all sizes would be useless where narrow jobs are long and wide jobs are short, because some
job would always seem to fit. A value of a row is computed when a search needs it, and again after the removal of a job
that had this value. Until then it is too low, 0 at first, so that no candidate is skipped.

All entries outside ``[head, tail)`` are removed ones, so that a block may extend beyond either end.
"""

from collections import namedtuple

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.ordered_list import ONE

EMPTY = np.int32(2**31 - 1)  # size and estimate of a removed entry
LARGEST = np.int32(2**31 - 2)
BLOCK = np.uint64(32)  # entries compared together: one bit for each in a word
BLOCK_BITS = np.uint64(5)
PIECE_BITS = np.uint64(3)  # blocks in a piece
PIECE_ENTRIES = BLOCK_BITS + PIECE_BITS
LEVELS = np.uint64(4)  # sizes of pieces
LEVEL_BITS = np.uint64(2)  # pieces of one level in a piece of the next
# Columns of a row: the least size; the least estimates of sizes below 2, 4, ..., 2**14, and of all sizes.
COLUMNS = np.uint64(16)
STALE = np.uint64(2**16 - 1)  # a bit for each entry of a row
INDEX_THRESHOLD = 1024  # entries above which a search uses pieces
NONE = np.uint64(0)
NO_PIECE = np.uint64(2**64 - 1)
COMPACT_THRESHOLD = 32  # removed entries up to which the queue is not compacted

# job : int64, size, estimate : int32, of each entry
# least_size, least_estimate : int32, of each block; outdated : bool, whether a job was removed since they were computed
# rows : int32[LEVELS, :, COLUMNS], a row for each piece of each level
# stale : uint64, of each piece of the first level; a bit for each outdated value of its row
Waiting = namedtuple("Waiting", "job size estimate least_size least_estimate outdated rows stale")


@njit_noalloc
def blocks(entry):
    """Return the number of blocks that hold all entries before `entry`."""
    return (np.uint64(entry) + BLOCK - ONE) >> BLOCK_BITS


@njit(nogil=True, cache=True)
def empty_queue(n):
    """Return an empty queue with space for `n` jobs."""
    entries, n_blocks = n + np.int64(BLOCK), np.int64(blocks(n)) + 1
    pieces = (n >> np.int64(PIECE_ENTRIES)) + 1
    return Waiting(
        np.empty(entries, np.int64),
        np.full(entries, EMPTY, np.int32),
        np.full(entries, EMPTY, np.int32),
        np.full(n_blocks, EMPTY, np.int32),
        np.full(n_blocks, EMPTY, np.int32),
        np.zeros(n_blocks, np.bool_),
        np.zeros((np.int64(LEVELS), pieces, np.int64(COLUMNS)), np.int32),
        np.full(pieces, STALE),
    )


@njit_noalloc
def narrow(value):
    """Clip `value` to 31 bits."""
    return np.int32(min(value, np.int64(LARGEST)))


@njit_noalloc
def append(queue, tail, job, size, estimate):
    """Add a job at `tail`."""
    k = np.uint64(tail)
    block = k >> BLOCK_BITS
    queue.job[k], queue.size[k], queue.estimate[k] = job, narrow(size), narrow(estimate)
    queue.least_size[block] = min(queue.least_size[block], queue.size[k])
    queue.least_estimate[block] = min(queue.least_estimate[block], queue.estimate[k])


@njit_noalloc
def remove(queue, k):
    """Mark entry `k` as removed."""
    queue.size[k] = queue.estimate[k] = EMPTY
    queue.outdated[np.uint64(k) >> BLOCK_BITS] = True


@njit_noalloc
def remove_from_middle(queue, k):
    """Mark entry `k` as removed, and its values in the row of its piece as outdated."""
    piece, size, estimate = np.uint64(k) >> PIECE_ENTRIES, queue.size[k], queue.estimate[k]
    if queue.stale[piece] != STALE:
        row, stale = queue.rows[NONE, piece], NONE
        for column in range(COLUMNS):
            stale |= np.uint64(estimate <= row[column]) << column
        queue.stale[piece] |= (stale & STALE << column_of(size)) | np.uint64(size <= row[NONE])
    remove(queue, k)


# State of a search: the current block, the block beyond the last, a bit for each entry of the current block that fits
# and has not been returned, the piece of the block, and the least size in the blocks and pieces so far.
AT, BEYOND, FITS, PIECE, SMALLEST = range(5)
SEARCH = 5


@njit_noalloc
def begin_search(search, head, tail):
    """Start a search for candidates; `search` is uint64[`SEARCH`]."""
    search[AT] = (np.uint64(head) >> BLOCK_BITS) - ONE
    search[BEYOND] = blocks(tail)
    search[FITS] = NONE
    search[PIECE] = NO_PIECE
    search[SMALLEST] = np.uint64(EMPTY)


@njit_noalloc
def next_candidate(queue, search, tail, free, extra, window):
    """Return the next entry in queue order that may fit; `tail` if there is none.

    An entry fits if it needs at most `extra` processors, or at most `free` processors for at most `window` seconds. No
    such entry is missed. The entry returned may not fit, because sizes and times are clipped.
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
    """Continue a search in the next block with an entry that fits, and return whether there is one."""
    block, smallest, entries = search[AT], np.int32(search[SMALLEST]), NONE
    while entries == NONE:
        block += ONE
        if tail > INDEX_THRESHOLD and block >> PIECE_BITS != search[PIECE]:
            block, smallest = _next_piece(queue, block, smallest, tail, free, extra, window)
            search[PIECE] = block >> PIECE_BITS
        if block >= search[BEYOND]:
            break
        least_size = queue.least_size[block]
        smallest = min(smallest, least_size)
        if fits(least_size, queue.least_estimate[block], free, extra, window):
            entries = fitting(queue, block << BLOCK_BITS, free, extra, window)
            if queue.outdated[block]:
                update_min(queue, block)
    search[AT], search[FITS], search[SMALLEST] = block, entries, np.uint64(smallest)
    return entries != NONE


@njit(nogil=True, cache=True, _nrt=False)
def _next_piece(queue, block, smallest, tail, free, extra, window):
    """Return the first block from `block` on that may hold a candidate, and the least size so far."""
    piece, smallest = skip_pieces(queue, block >> PIECE_BITS, tail, smallest, free, extra, window)
    return max(block, piece << PIECE_BITS), smallest


@njit(nogil=True, cache=True, _nrt=False)
def skip_pieces(queue, piece, tail, smallest, free, extra, window):
    """Skip the pieces from `piece` on that hold no candidate by their rows; compute the outdated values that it needs.

    Returns
    -------
    piece : uint64
        The first piece that may hold a candidate, possibly beyond the queue.
    smallest : int32, processors
        The least of the argument and the sizes in skipped pieces.
    """
    full, column = np.uint64(tail) >> PIECE_ENTRIES, column_of(free)
    if column == NONE:  # no processor is free
        window = np.int32(-1)
    needed = ONE | ONE << column
    while piece < full:
        level, bits = NONE, NONE  # of the largest full piece that begins here
        while level + ONE < LEVELS and _begins(piece, bits + LEVEL_BITS, full):
            level, bits = level + ONE, bits + LEVEL_BITS
        while _may_fit(queue.rows, level, piece >> bits, column, extra, window):
            if level != NONE:
                level, bits = level - ONE, bits - LEVEL_BITS
            elif queue.stale[piece] & needed != NONE:
                update_row(queue, piece, needed, full)
            else:
                return piece, smallest
        smallest = min(smallest, queue.rows[level, piece >> bits, NONE])
        piece += ONE << bits
    return piece, smallest


@njit_noalloc
def _begins(piece, bits, full):
    """Return whether a full piece of ``2**bits`` pieces begins at `piece`."""
    return piece >> bits << bits == piece and piece >> bits < full >> bits


@njit_noalloc
def _may_fit(rows, level, piece, column, extra, window):
    """Return whether a job in a piece may fit by its row; `column` covers the free processors and some larger sizes."""
    return (rows[level, piece, NONE] <= extra) | (rows[level, piece, column] <= window)


@njit_noalloc
def column_of(size):
    """Return the first column for jobs of a size: 1 for one processor, 2 for up to three, and so on; at most 15."""
    return min(np.uint64(32) - np.uint64(leading_zeros(np.uint32(size))), COLUMNS - ONE)


@njit(nogil=True, cache=True, _nrt=False)
def update_row(queue, piece, needed, full):
    """Compute the outdated ones of the `needed` values in a piece's row, and in the rows of the larger full pieces."""
    stale, rows = queue.stale[piece] & needed, queue.rows
    queue.stale[piece] ^= stale
    while stale != NONE:
        column = np.uint64(trailing_zeros(stale))
        stale &= stale - ONE
        least = _least(queue, piece << PIECE_ENTRIES, column)
        level, part = NONE, piece
        while rows[level, part, column] != least:
            rows[level, part, column] = least
            level, part = level + ONE, part >> LEVEL_BITS
            if level == LEVELS or part >= full >> level * LEVEL_BITS:
                break
            first = part << LEVEL_BITS
            for k in range(first, first + (ONE << LEVEL_BITS)):
                least = min(least, rows[level - ONE, k, column])


@njit_noalloc
def _least(queue, first, column):
    """Return the value of a column in the row of the piece from entry `first` on.

    The loops have no branch, so that they compile to vector instructions.
    """
    least = EMPTY
    if column == NONE:
        for k in range(ONE << PIECE_ENTRIES):
            least = min(least, queue.size[first + k])
    else:
        beyond = EMPTY if column == COLUMNS - ONE else np.int32(np.int32(1) << np.int32(column))
        for k in range(ONE << PIECE_ENTRIES):
            size, estimate = queue.size[first + k], queue.estimate[first + k]
            least = min(least, max(estimate, np.int32(EMPTY * np.int32(size >= beyond))))
    return least


@njit(nogil=True, cache=True, _nrt=False)
def _clear_rows(queue, tail):
    """Mark all rows before `tail` as not computed."""
    for piece in range(np.uint64(tail) >> PIECE_ENTRIES):
        queue.stale[piece] = STALE
        for level in range(LEVELS):
            for column in range(COLUMNS):
                queue.rows[level, piece, column] = 0


@njit_noalloc
def fitting(queue, first, free, extra, window):
    """Return a bit for each of the `BLOCK` entries from `first` on that fits, the lowest bit for the first entry.

    The loop has no early exit, so that it compiles to vector instructions.
    """
    entries = np.uint64(0)
    for k in range(BLOCK):
        size, estimate = queue.size[first + k], queue.estimate[first + k]
        entries |= np.uint64(fits(size, estimate, free, extra, window)) << k
    return entries


@njit_noalloc
def fits(size, estimate, free, extra, window):
    """Return whether an entry fits, without a branch."""
    return (size <= extra) | ((size <= free) & (estimate <= window))


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
    """Close the gaps in the queue and return its new tail."""
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
    _clear_rows(queue, tail)
    return np.int64(kept)


@njit_noalloc
def clear(queue, tail):
    """Reset the blocks and pieces of an empty queue."""
    for block in range(blocks(tail)):
        queue.least_size[block] = queue.least_estimate[block] = EMPTY
    if np.uint64(tail) >> PIECE_ENTRIES > NONE:
        _clear_rows(queue, tail)
