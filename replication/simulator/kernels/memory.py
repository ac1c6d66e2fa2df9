"""The jobs and a predictor's state as one pointer: a kernel is compiled once for all predictors.

A kernel receives a `Memory` and calls the predictor's functions through their addresses:
``predict(memory, job, now)`` for a waiting job, ``begin(memory, job, now)`` when a job starts and
``learn(memory, job, now)`` when it ends. Kernels are compiled for the fields `BASE` alone. A
predictor's functions are compiled for these and the predictor's own tables, which follow them in
memory. Predictions known from the start are read without a call.
"""

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from replication.simulator.kernels.compilation import njit_noalloc

_COLUMN = types.Array(types.int64, 1, "C", readonly=True)
_STATE = types.Array(types.int64, 1, "C")

#: submit, run_time, estimate, size : int64[n], s and processors
#: known : int64[n], s, the predictions of a predictor that has no function `predict`
#: state : int64[k], the words of all tables that the predictor changes
#: current : int64[2], the job that the predictor was last asked about, and its answer
#: predict, begin, learn : addresses of the functions; 0 for one that does nothing
BASE = (
    *((name, _COLUMN) for name in ("submit", "run_time", "estimate", "size", "known")),
    ("state", _STATE),
    ("current", _STATE),
    *((name, types.int64) for name in ("predict", "begin", "learn")),
)


class MemoryType(types.Type):
    """A pointer to the fields `BASE` and those of a predictor, (name, numba type) each."""

    def __init__(self, fields=()):
        self.fields = (*BASE, *fields)
        super().__init__(f"Memory({', '.join(f'{name}: {kind}' for name, kind in fields)})")


register_model(MemoryType)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = MemoryType

    def generic_resolve(self, memory, name):
        return dict(memory.fields).get(name)


@lower_getattr_generic(MemoryType)
def _load_field(context, builder, memory, pointer, name):
    kinds = dict(memory.fields)
    struct = context.get_value_type(types.Tuple(list(kinds.values())))
    place = cgutils.gep_inbounds(
        builder, builder.bitcast(pointer, struct.as_pointer()), 0, list(kinds).index(name)
    )
    return impl_ret_borrowed(context, builder, kinds[name], builder.load(place))


@unbox(MemoryType)
def _unbox(memory, value, c):
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def _caller(result):
    """Return a function that calls the compiled one at an address; exceptions are passed on."""

    @intrinsic
    def call(typing, address, memory, job, now):
        def generate(context, builder, signature, arguments):
            kinds = signature.args[1:]
            function = context.call_conv.get_function_type(result, kinds)
            pointer = builder.inttoptr(arguments[0], function.as_pointer())
            status, value = context.call_conv.call_function(
                builder, pointer, result, kinds, arguments[1:]
            )
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(types.int64, memory, types.int64, types.int64), generate

    return call


_ask, _notify = _caller(types.int64), _caller(types.none)


@njit_noalloc
def predict(memory, job, now):
    """Return the predicted run time of a waiting job, int, s; ValueError if it is out of range.

    A prediction of 0 s counts as 1 s unless the estimate is 0, so that every scheduler plans the
    started job until then.
    """
    if memory.predict == 0:
        return memory.known[job]
    memory.current[0] = job
    predicted = _ask(memory.predict, memory, job, now)
    is_above = predicted > memory.estimate[job]
    if predicted < 0 or (is_above and predicted > max(2 * memory.run_time[job], 1)):
        memory.current[1] = predicted
        raise ValueError("out of range")
    return max(predicted, min(memory.estimate[job], 1))


@njit_noalloc
def begin(memory, job, now):
    """Notify the predictor that a job starts."""
    if memory.begin != 0:
        memory.current[0] = job
        _notify(memory.begin, memory, job, now)


@njit_noalloc
def learn(memory, job, now):
    """Let the predictor learn from a job that ends."""
    if memory.learn != 0:
        memory.current[0] = job
        _notify(memory.learn, memory, job, now)


_NONE = np.empty(0, np.int64)


class Memory:
    """The jobs, a predictor's tables and its functions, as a kernel receives them.

    Parameters
    ----------
    jobs : tuple of int64[n]
        submit, run_time, estimate and size, read-only.
    tables : dict of str to array, number or Memory
        Arrays are copied, so that simulations do not share them. Beside a Memory there are only
        numbers.
    functions : tuple of numba function or None
        predict, begin and learn.
    known : int64[n], s, optional
        Predictions known from the start, without a function predict.
    """

    def __init__(self, jobs, tables, functions, known=_NONE):
        self.submit, self.run_time, self.estimate, self.size = jobs
        arrays = {name: a for name, a in tables.items() if isinstance(a, np.ndarray)}
        nested = next((t for t in tables.values() if isinstance(t, Memory)), None)
        if nested is not None:
            self.state, self.current = nested.state, nested.current
        else:
            self.state = np.empty(sum(-(-a.nbytes // 8) for a in arrays.values()), np.int64)
            self.current = np.array([-1, -1])
        self.tables, start = dict(tables), 0
        for name, table in arrays.items():
            part = self.state[start:].view(np.uint8)[: table.nbytes].view(table.dtype)
            self.tables[name] = part.reshape(table.shape)
            self.tables[name][...] = table
            start += -(-table.nbytes // 8)
        kinds = tuple((name, _kind(table)) for name, table in self.tables.items())
        results = types.int64, types.none, types.none
        addresses = [
            _address(f, kinds, result) for f, result in zip(functions, results, strict=True)
        ]
        vars(self).update(self.tables)
        self.predict, self.begin, self.learn = addresses
        self.known = known = (
            np.maximum(known, np.minimum(self.estimate, 1)) if len(known) else known
        )
        fields = [*jobs, known, self.state, self.current, *addresses, *self.tables.values()]
        self.words = np.array([word for field in fields for word in _words(field)], np.int64)
        self.address = self.words.ctypes.data


@typeof_impl.register(Memory)
def _typeof(value, context):
    return MemoryType()


def _kind(table):
    """Return the numba type of a table."""
    if isinstance(table, Memory):
        return MemoryType()
    if isinstance(table, np.ndarray):
        return typeof(table)
    return types.float64 if isinstance(table, float) else types.int64


def _words(field):
    """Return the 8-byte words of a field as numba lays it out."""
    if isinstance(field, Memory):
        return [field.address]
    if isinstance(field, np.ndarray):
        data = field.ctypes.data
        return [0, 0, field.size, field.itemsize, data, *field.shape, *field.strides]
    return [int(np.float64(field).view(np.int64)) if isinstance(field, float) else int(field)]


def _address(function, kinds, result):
    """Return the address of a predictor's function, compiled for its tables; 0 of none."""
    if function is None:
        return 0
    arguments = MemoryType(kinds), types.int64, types.int64
    function.compile(arguments)
    compiled = function.overloads[arguments]
    returned = types.unliteral(compiled.signature.return_type)  # ``return 5`` has a type of its own
    if returned != result:
        raise TypeError(f"{function.__name__} returns {returned}; expected {result}")
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
