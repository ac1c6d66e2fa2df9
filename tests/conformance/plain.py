"""Imported before the kernels, this lets them run as plain Python: nothing is compiled, and nothing cached is read."""

import importlib
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

# A predictor's functions have no addresses in plain Python: their places in this list stand for them.
functions = []


def _place(function, own, result):
    if function is None:
        return 0
    functions.append(function)
    return len(functions)


def _call(place, memory, job, now):
    return functions[place - 1](memory, job, now)


memory = importlib.import_module("replication.simulator.kernels.memory")
memory._address, memory._ask, memory._notify = _place, _call, _call
