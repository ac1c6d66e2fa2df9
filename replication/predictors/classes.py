"""Numbering rows of identifiers, so that predictors can keep what they know of a class in plain arrays."""

import numpy as np
from numba import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio, odd
_SHIFT = np.uint64(29)


@njit(nogil=True, cache=True)
def number(rows, code):
    """Give equal rows the same number, counted in order of first appearance.

    Parameters
    ----------
    rows : int64[n, k]
    code : int64[n], out

    Returns
    -------
    int
        How many different rows there are.
    """
    n, width = rows.shape
    size = 2
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, np.int64)  # a row that holds the number of its first such row
    distinct = 0
    for row in range(n):
        place = _hash(rows, row, width) & (size - 1)
        while table[place] >= 0 and not _equal(rows, table[place], row, width):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = row
            code[row] = distinct
            distinct += 1
        else:
            code[row] = code[table[place]]
    return distinct


@njit(nogil=True, cache=True)
def _hash(rows, row, width):
    mixed = np.uint64(0)
    for column in range(width):
        mixed = (mixed ^ np.uint64(rows[row, column])) * _MIX
        mixed ^= mixed >> _SHIFT
    return np.int64(mixed >> np.uint64(1))


@njit(nogil=True, cache=True)
def _equal(rows, one, other, width):
    for column in range(width):
        if rows[one, column] != rows[other, column]:
            return False
    return True


def numbered(columns):
    """Number the rows of identifiers.

    Parameters
    ----------
    columns : int64[n, k]

    Returns
    -------
    int64[n]
        Each row's number, counted in order of first appearance.
    int
        How many different rows there are.
    """
    code = np.empty(len(columns), np.int64)
    return code, number(np.ascontiguousarray(columns), code)


def finest(workload, request):
    """Classes of the jobs that agree in executable, user, request and size.

    Returns
    -------
    int64[n]
        Each job's class.
    int64[c, 4]
        Executable, user, request and size of each class.
    """
    columns = np.column_stack([workload.executable, workload.user, request, workload.processors])
    group, _ = numbered(columns)
    # Classes are numbered as they first appear, so each running maximum steps up at a class's first job.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))
    return group, columns[first]
