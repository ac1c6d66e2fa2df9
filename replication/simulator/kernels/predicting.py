"""The three moments at which a scheduler uses a predictor, for any predictor.

A scheduler's kernel calls `predict` when a job is submitted and whenever it plans with the job while it waits,
`begun` when the job starts and `learn` when it ends. Which functions these are is settled when the kernel is
compiled, by the type of the memory it is handed: the kernel is compiled once for each predictor it is used
with, and the predictor's functions become part of it.

A memory is a named tuple of the jobs (`JOBS`) and of the predictor's own arrays. Its class is made here and
found again by its name alone, so compiled kernels on disk can be looked through where a predictor that
somebody added elsewhere is not at hand. The name holds the hash of the predictor's source: numba would not
notice that it changed.
"""

from collections import namedtuple

import numpy as np
from numba import types
from numba.extending import overload

# submit, run_time, request, size : int64[n], s and processors
JOBS = ("submit", "run_time", "request", "size")
_BETWEEN = "__"
_CLASSES = {}  # name to class of memory
_FUNCTIONS = {}  # class of memory to its functions predict, begun and learn

_how = {"nogil": True, "error_model": "numpy", "forceinline": True, "_nrt": False}


def memory_class(word, source_hash, fields, functions):
    """The class of a predictor's memories: a named tuple with the fields `JOBS` and the predictor's own.

    `word` is what the predictor is called, `source_hash` that of its compiled functions, `fields` the names of its own
    arrays. `functions` are predict, begun and learn with the arguments of those here, compiled by
    `replication.simulator.kernels.uncounted.uncounted`.
    """
    found = _class_named(_BETWEEN.join(["Memory", word, source_hash, *fields]))
    _FUNCTIONS[found] = functions
    return found


def _class_named(name):
    if name not in _CLASSES:
        fields = name.split(_BETWEEN)[3:]
        _CLASSES[name] = namedtuple(name, [*JOBS, *fields], module=__name__)
    return _CLASSES[name]


def __getattr__(name):
    if name.startswith("Memory" + _BETWEEN):
        return _class_named(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def predict(memory, job, now):
    """Predicted run time, int, s, of a waiting job."""
    return _FUNCTIONS[type(memory)][0](memory, job, now)


def begun(memory, job, now):
    """Take note that a job starts now."""
    _FUNCTIONS[type(memory)][1](memory, job, now)


def learn(memory, job, start, now):
    """Learn from a job that ends now; `start` is when its last run began.

    The run time learnt is the job's own, also where preemption broke it into pieces.
    """
    _FUNCTIONS[type(memory)][2](memory, job, start, now)


@overload(predict, jit_options=_how)
def _predict(memory, job, now):
    function = _FUNCTIONS[memory.instance_class][0]
    return lambda memory, job, now: function(memory, job, now)


@overload(begun, jit_options=_how)
def _begun(memory, job, now):
    function = _FUNCTIONS[memory.instance_class][1]
    return lambda memory, job, now: function(memory, job, now)


@overload(learn, jit_options=_how)
def _learn(memory, job, start, now):
    function = _FUNCTIONS[memory.instance_class][2]
    return lambda memory, job, start, now: function(memory, job, start, now)


def copy_tables(memory, spare):
    """Make what `spare` has learnt the same as what `memory` has; both are of one predictor."""
    for table, same in zip(memory, spare, strict=True):
        if isinstance(table, tuple):
            copy_tables(table, same)
        elif isinstance(table, np.ndarray) and table.flags.writeable:
            same[...] = table


@overload(copy_tables)
def _copy_tables(memory, spare):
    if isinstance(memory, types.BaseTuple) and len(memory) > 0:

        def copied(memory, spare):
            copy_tables(memory[0], spare[0])
            copy_tables(memory[1:], spare[1:])

    elif isinstance(memory, types.Array) and memory.mutable:

        def copied(memory, spare):
            spare[...] = memory

    else:

        def copied(memory, spare):
            pass

    return copied
