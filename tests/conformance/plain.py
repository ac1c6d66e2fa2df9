"""Imported before the kernels, this lets them run as plain Python: nothing is compiled, and nothing cached is read."""

import warnings

import numba
import numba.cpython.unsafe.numbers as bits


def plainly(function=None, **options):
    """What stands for numba's compiler: the function itself, under the name that compiled ones have it by."""
    if function is None:
        return lambda function: plainly(function, **options)
    function.py_func = function
    return function


numba.njit = plainly
bits.trailing_zeros = lambda word: (int(word) & -int(word)).bit_length() - 1
bits.leading_zeros = lambda word: 32 - int(word).bit_length()
warnings.simplefilter("ignore", RuntimeWarning)  # unsigned whole numbers that wrap around
