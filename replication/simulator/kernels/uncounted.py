"""How small kernels that share many arrays are compiled: without counting references.

numba counts a reference to an array whenever it is taken out of a tuple, with an atomic operation each time;
where a state of twenty arrays is handed from function to function that costs ten times the work itself. A
function compiled here counts nothing. It must therefore allocate nothing, slices and views excepted; its
caller holds all arrays, as every caller does for as long as the call lasts. It is also compiled into its
caller, because handing over that many arrays costs as much as the work once more.
"""

from numba import njit


def uncounted(function):
    """Compile `function` without reference counts; see the module."""
    return njit(nogil=True, cache=True, error_model="numpy", forceinline=True, _nrt=False)(function)


@uncounted
def sort(values):
    """Sort an int64 array in place; a heap sort, because numba's own sort allocates."""
    n = len(values)
    for top in range(n // 2 - 1, -1, -1):
        _sift(values, top, n)
    for last in range(n - 1, 0, -1):
        values[0], values[last] = values[last], values[0]
        _sift(values, 0, last)


@uncounted
def _sift(values, top, n):
    """Let the value at `top` sink to its place in the heap of the first `n`."""
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
