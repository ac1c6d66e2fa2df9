"""Numbering rows of identifiers, so that predictors can keep what they know of a class in plain arrays."""

import numpy as np
from numba import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd
_SHIFT = np.uint64(29)


def numbered(columns):
    """Number the rows of identifiers, int64[n, k]: equal ones alike, in order of first appearance; and how many differ."""
    return _number(np.ascontiguousarray(columns))


# Rows are told by their numbers: to take one out of the array would count a reference to it each time.
@njit(nogil=True, cache=True)
def _number(rows):
    n, width = rows.shape
    size = 2
    while size < 2 * n:
        size *= 2
    code = np.empty(n, np.int64)
    table = np.full(size, -1, np.int64)  # a row that holds the number of its first such row
    distinct = 0
    for row in range(n):
        mixed = np.uint64(0)
        for column in range(width):
            mixed = (mixed ^ np.uint64(rows[row, column])) * _MIX
            mixed ^= mixed >> _SHIFT
        place = np.int64(mixed >> np.uint64(1)) & (size - 1)
        while table[place] >= 0 and not _equal(rows, table[place], row, width):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = row
            code[row] = distinct
            distinct += 1
        else:
            code[row] = code[table[place]]
    return code, distinct


@njit(nogil=True, cache=True)
def _equal(rows, one, other, width):
    for column in range(width):
        if rows[one, column] != rows[other, column]:
            return False
    return True


def finest(workload, request):
    """Class of each job, int64[n], by executable, user, request and size; and these four of each class, int64[c, 4]."""
    columns = np.column_stack([workload.executable, workload.user, request, workload.processors])
    group, _ = numbered(columns)
    # Classes are numbered as they first appear, so each running maximum steps up at a class's first job.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))
    return group, columns[first]
