"""Compilation of small kernels that share many arrays, without reference counts.

numba counts references to an array with an atomic operation whenever the array is unpacked from a
tuple. For a state of twenty arrays that is passed between functions, this costs ten times the work
itself. A function compiled by `njit_noalloc` counts no references, so it must not allocate anything
but slices and views; its caller holds all arrays. It is inlined into its caller, because passing
that many arrays costs as much again.
"""

from numba import njit


def njit_noalloc(function):
    """Compile `function` without reference counts; see the module."""
    return njit(nogil=True, cache=True, error_model="numpy", forceinline=True, _nrt=False)(function)


def njit_call(function):
    """Compile `function` as `njit_noalloc` does, but call it; for what is rarely used."""
    return njit(nogil=True, cache=True, error_model="numpy", _nrt=False)(function)


@njit_noalloc
def sort(values):
    """Sort an int64 array in place by heap sort, because numba's own sort allocates."""
    heapify(values)
    for n in range(len(values), 0, -1):
        values[n - 1] = pop(values, n)


@njit_noalloc
def heapify(values):
    """Arrange an int64 array as a heap, the largest value first."""
    for top in range(len(values) // 2 - 1, -1, -1):
        sift(values, top, len(values))


@njit_noalloc
def pop(values, n):
    """Remove the largest of the first `n` values, which are a heap, and return it."""
    largest = values[0]
    values[0] = values[n - 1]
    sift(values, 0, n - 1)
    return largest


@njit_noalloc
def sift(values, top, n):
    """Move the value at `top` down to its place in the heap of the first `n` values."""
    value = values[top]
    child = 2 * top + 1
    while child < n:
        if child + 1 < n and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[top] = values[child]
        top, child = child, 2 * child + 1
    values[top] = value
