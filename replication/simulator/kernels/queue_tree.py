"""A segment tree over a queue, which finds the next job that may start in logarithmic time.

The entries are in the order in which the jobs are tried: the places of a queue, or the ranks of all
jobs by a key that is known before the simulation. An entry is a size and a planned time, both
clipped to 31 bits and `EMPTY` where no job waits. A leaf of the tree is a block of 32 entries.

Each node has a row: the least size below it, and for each power of two the least planned time of
the jobs of a smaller size. A single least time for all sizes would be useless where narrow jobs are
long and wide jobs are short, because some job would always seem to fit. A row therefore excludes
every node without a job that fits, except for jobs whose size is between the free processors and
the next power of two.
"""

from collections import namedtuple

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros

from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.ordered_list import ONE

EMPTY = np.int32(2**31 - 1)  # size and planned time of an entry without a job
LARGEST = np.int32(2**31 - 2)
BLOCK = np.uint64(32)  # entries of a leaf, which are compared together: one bit for each in a word
BLOCK_BITS = np.uint64(5)
# Columns of a row: the least size; the least planned times of sizes below 2, 4, ..., 2**14, and of
# all sizes.
COLUMNS = np.uint64(16)
NONE = np.uint64(0)

# size, planned : int32[entries], processors and s
# rows : int32[nodes, COLUMNS]; node 1 is the root, 2k and 2k + 1 are the children of k, and the
#     leaves are the last half
Tree = namedtuple("Tree", "size planned rows")


@njit(nogil=True, cache=True)
def empty_tree(entries):
    """Return a tree without jobs that has space for `entries` of them."""
    leaves = 1
    while leaves * np.int64(BLOCK) < entries:
        leaves *= 2
    columns = np.full(leaves * np.int64(BLOCK), EMPTY), np.full(leaves * np.int64(BLOCK), EMPTY)
    return Tree(*columns, np.full((2 * leaves, np.int64(COLUMNS)), EMPTY))


@njit_noalloc
def narrow(value):
    """Clip `value` to 31 bits."""
    return np.int32(min(max(value, -1), np.int64(LARGEST)))


@njit_noalloc
def fits(size, planned, free, extra, window):
    """Return whether an entry fits, without a branch.

    An entry fits if it needs at most `extra` processors, or at most `free` processors for at most
    `window` seconds.
    """
    return (size <= extra) | ((size <= free) & (planned <= window))


@njit_noalloc
def fitting(tree, first, free, extra, window):
    """Return a bit for each of the `BLOCK` entries from `first` on that fits,
    the lowest bit for the first entry.

    The loop has no early exit, so that it compiles to vector instructions.
    """
    entries = np.uint32(0)  # 32 bits, so that eight entries are compared at a time
    for k in range(BLOCK):
        size, planned = tree.size[first + k], tree.planned[first + k]
        bit = np.uint32(fits(size, planned, free, extra, window))
        entries = np.uint32(entries | np.uint32(bit << np.uint32(k)))
    return np.uint64(entries)


@njit(nogil=True, cache=True, _nrt=False)
def add(tree, entry, size, planned):
    """Add a job: lower the rows above its entry, up to the first row that need not be lowered."""
    tree.size[entry], tree.planned[entry] = size, planned
    first, node = column_of(size), _leaf(tree, entry)
    changed = True
    while changed and node > NONE:
        changed = size < tree.rows[node, NONE]
        tree.rows[node, NONE] = min(tree.rows[node, NONE], size)
        for column in range(first, COLUMNS):
            changed |= planned < tree.rows[node, column]
            tree.rows[node, column] = min(tree.rows[node, column], planned)
        node >>= ONE


@njit(nogil=True, cache=True, _nrt=False)
def leave(tree, entry):
    """Remove the job of an entry, and compute the rows that may have had a value from it.

    Rows that stayed too low would cost time only.
    """
    size, planned = tree.size[entry], tree.planned[entry]
    tree.size[entry] = tree.planned[entry] = EMPTY
    node = _leaf(tree, entry)
    changed = tree.rows[node, NONE] == size
    for column in range(column_of(size), COLUMNS):
        changed |= tree.rows[node, column] == planned
    changed = changed and _update_leaf(tree, node)
    while changed and node > ONE:
        node >>= ONE
        changed = _update_node(tree, node)


@njit_noalloc
def _leaf(tree, entry):
    """Return the node of the block of an entry."""
    return (np.uint64(len(tree.rows)) >> ONE) + (np.uint64(entry) >> BLOCK_BITS)


@njit(nogil=True, cache=True, _nrt=False)
def update_all(tree, blocks):
    """Update the rows of the first `blocks` leaves and of all nodes above them."""
    first = np.uint64(len(tree.rows)) >> ONE
    last = first + np.uint64(blocks)
    for node in range(first, last):
        _update_leaf(tree, node)
    while first > ONE:
        first, last = first >> ONE, (last + ONE) >> ONE
        for node in range(first, last):
            _update_node(tree, node)


@njit_noalloc
def _update_leaf(tree, leaf):
    """Compute the row of a leaf and return whether it has changed;
    the loops compile to vector instructions.
    """
    first = (leaf - (np.uint64(len(tree.rows)) >> ONE)) << BLOCK_BITS
    changed = False
    for column in range(COLUMNS):
        least = EMPTY
        if column == NONE:
            for k in range(first, first + BLOCK):
                least = min(least, tree.size[k])
        else:
            beyond = EMPTY if column == COLUMNS - ONE else np.int32(np.int32(1) << np.int32(column))
            for k in range(first, first + BLOCK):
                is_wider = np.int32(tree.size[k] >= beyond)
                least = min(least, max(tree.planned[k], np.int32(EMPTY * is_wider)))
        changed |= tree.rows[leaf, column] != least
        tree.rows[leaf, column] = least
    return changed


@njit_noalloc
def _update_node(tree, node):
    """Compute the row of a node from those of its children and return whether it has changed."""
    changed = False
    for column in range(COLUMNS):
        least = min(tree.rows[2 * node, column], tree.rows[2 * node + ONE, column])
        changed |= tree.rows[node, column] != least
        tree.rows[node, column] = least
    return changed


@njit(nogil=True, cache=True, _nrt=False)
def next_block(tree, block, free, extra, window):
    """Return the first block from `block` on that may hold an entry that fits;
    the number of blocks if there is none.
    """
    rows, leaves = tree.rows, np.uint64(len(tree.rows)) >> ONE
    column = column_of(free)
    if column == NONE:  # time only: no processor is free
        window = np.int32(-1)
    if block >= leaves:
        return leaves
    node = leaves + block
    while not _may_fit(rows, node, column, extra, window):
        node += ONE
        node >>= np.uint64(trailing_zeros(node))  # the largest node that begins there
        if node == ONE:
            return leaves
    while node < leaves:
        node <<= ONE
        node += np.uint64(not _may_fit(rows, node, column, extra, window))
    return node - leaves


@njit_noalloc
def _may_fit(rows, node, column, extra, window):
    """Return whether a job below a node may fit by its row;
    `column` covers the free processors and some larger sizes.
    """
    return (rows[node, NONE] <= extra) | (rows[node, column] <= window)


@njit_noalloc
def column_of(size):
    """Return the first column for jobs of a size: 1 for one processor,
    2 for up to three, and so on; at most 15.
    """
    return min(np.uint64(32) - np.uint64(leading_zeros(np.uint32(size))), COLUMNS - ONE)


@njit(nogil=True, cache=True, _nrt=False)
def next_entry(tree, entry, free, extra, window):
    """Return the first entry from `entry` on that may fit; the number of entries if there is none.

    No entry that fits is missed. The entry returned may not fit, because sizes and times are
    clipped.
    """
    limits = narrow(free), narrow(min(extra, free)), narrow(window)
    block, beyond = np.uint64(entry) >> BLOCK_BITS, np.uint64(len(tree.size)) >> BLOCK_BITS
    entries = NONE
    if block < beyond:
        passed = np.uint64(entry) & (BLOCK - ONE)
        entries = fitting(tree, block << BLOCK_BITS, *limits) >> passed << passed
    while entries == NONE and block < beyond:
        block = next_block(tree, block + ONE, *limits)
        if block < beyond:
            entries = fitting(tree, block << BLOCK_BITS, *limits)
    if entries == NONE:
        return len(tree.size)
    return np.int64((block << BLOCK_BITS) + np.uint64(trailing_zeros(entries)))
