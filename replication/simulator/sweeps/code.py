"""The identity of choices and of user code: a hash of their values, for the keys of stored results.

The package's part of a key is a hash of its sources, read when this module is imported, without comments, docstrings and
return types. A choice and the user code that it needs enter by the bytes that cloudpickle writes for them by value: options,
arrays, functions with their defaults, closures, globals and helpers, classes with their bases. Bytes that differ from process
to process would only cost a recomputation; `_Pickler` removes the usual causes.
"""

import contextlib
import dis
import functools
import hashlib
import importlib.util
import io
import os
import pickle
import site
import sys
import sysconfig
import types
from ast import (
    AsyncFunctionDef,
    ClassDef,
    FunctionDef,
    Module,
    Pass,
    get_docstring,
    parse,
    unparse,
    walk,
)
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

PACKAGE = Path(__file__).resolve().parents[1]
#: Read now, because the files may change while the program runs.
_SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in PACKAGE.rglob("*.py")
}
#: Sources without influence on a measure of given jobs and choices. Jobs are hashed by their values and choices by
#: theirs, so that the code that reads or generates them does not count; the audits do, since a measure may call them.
WITHOUT_INFLUENCE = (
    "logs/registry.py",
    "logs/swf.py",
    "logs/synthetic.py",
    "paths.py",
    "reference/",
    "schedules/gantt.py",
    "sweeps/code.py",
    "sweeps/engines.py",
    "sweeps/store.py",
    "text.py",
    "writing.py",
)
_FOLDERS = {
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
}
_INSTALLED = tuple(f"{one}{os.sep}" for name in _FOLDERS for one in (name, os.path.realpath(name)))
#: Attributes of a module or a class that depend on the place of its file, on line numbers or on the process.
_OF_THE_FILE = (
    *("__builtins__", "__cached__", "__file__", "__loader__", "__path__", "__spec__"),
    *("__firstlineno__", "__static_attributes__"),
)
_PLAIN = {type(None), bool, int, float, str, bytes, tuple, list, dict}


class Unknown(Exception):
    """A value whose bytes do not identify it; the message names the value or the reason."""


def bare(source: bytes | str) -> str:
    """Return Python source without comments, docstrings and return types."""
    tree = parse(source)
    for node in walk(tree):
        if isinstance(node, FunctionDef | AsyncFunctionDef):
            node.returns = None
        if isinstance(node, Module | FunctionDef | AsyncFunctionDef | ClassDef):
            if get_docstring(node) is not None:
                node.body[0] = Pass()
    return unparse(tree)


@functools.cache
def of_simulator() -> str:
    """Return the hash of the sources that results depend on, as they were imported, in hexadecimal.

    Sources of `WITHOUT_INFLUENCE` are left out, so that a new log, for instance, leaves all results valid.
    """
    digest = hashlib.sha256()
    for name in sorted(name for name in _SOURCES if not name.startswith(WITHOUT_INFLUENCE)):
        digest.update(f"{name}\n{bare(_SOURCES[name])}\n".encode())
    return digest.hexdigest()


def of(value: Any) -> str:
    """Return the hash of a value with the user code that it needs, in hexadecimal.

    Raises
    ------
    Unknown
        For a value that cannot be pickled by value, such as an open file or a function of a compiled module.
    """
    stream = io.BytesIO()
    try:
        with by_value():
            _Pickler(stream).dump(value)
    except Unknown:
        raise
    except Exception as problem:  # whatever a method of a user's class raises
        raise Unknown(f"{value!r:.200}: {problem}") from None
    return hashlib.sha256(stream.getvalue()).hexdigest()


def labels(choices: Iterable) -> list[str]:
    """Return the repr of each choice; different choices of one repr get numbers, such as ``OrderedEASY(by=f) #2``."""
    known: dict[str, list] = {}
    numbers: dict[int, int] = {}
    choices = list(choices)
    for choice in choices:
        if id(choice) not in numbers:
            same = known.setdefault(repr(choice), [])
            if (own := identity(choice)) not in same:
                same.append(own)
            numbers[id(choice)] = same.index(own)
    places = [numbers[id(choice)] for choice in choices]
    return [f"{one!r} #{k + 1}" if k else repr(one) for one, k in zip(choices, places, strict=True)]


def identity(choice: Any) -> str | int:
    """Return the hash of a choice; where its code is unknown, a number that is its own while it exists."""
    try:
        return of(choice)
    except Unknown:
        return id(choice)


@contextlib.contextmanager
def by_value() -> Iterator[None]:
    """Let cloudpickle write all modules outside the environment by value instead of by name."""
    known = cloudpickle.list_registry_pickle_by_value()
    modules = [sys.modules[name] for name in _users(frozenset(sys.modules)) if name not in known]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


@functools.lru_cache(maxsize=1)
def _users(names: frozenset[str]) -> list[str]:
    """Return those of the imported modules that are outside the environment."""
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in sorted(names)}
    return [
        name
        for name, file in files.items()
        if _is_users(name, file) and sys.modules[name].__name__ == name
    ]


def _is_users(name: str, file: str | None) -> bool:
    """Return whether a module is neither installed nor part of the simulator, whose sources are hashed."""
    if name in ("replication", "replication.completion", "__main__") or file is None:
        return False
    return not (f"{name}.".startswith("replication.simulator.") or _is_installed(file))


@functools.cache
def _is_installed(file: str) -> bool:
    return file.startswith(_INSTALLED) or os.path.realpath(file).startswith(_INSTALLED)


def _part(*_facts: Any) -> None:
    """Stand for a value in the bytes; nothing reads them."""


class _Pickler(pickle._Pickler):  # type: ignore[name-defined]  # the one in Python: it asks about every object
    """Write the same bytes for the same value in every process; sets, code and identifiers of cloudpickle vary in its own."""

    dispatch_table = cloudpickle.Pickler.dispatch_table

    def __init__(self, stream):
        super().__init__(stream, protocol=5)
        self._cloud = cloudpickle.Pickler(io.BytesIO())

    def memoize(self, obj):
        """Remember an object, but no text: whether equal texts are one object differs from process to process."""
        if not isinstance(obj, str | bytes):
            super().memoize(obj)

    def save_global(self, obj, name=None):
        """Write a name of an installed module."""
        where = pickle.whichmodule(obj, name or getattr(obj, "__qualname__", obj.__name__))
        if _is_users(where, getattr(sys.modules.get(where), "__file__", None)):
            raise Unknown(f"{where}.{obj.__name__} can be pickled by its name only")
        super().save_global(obj, name)

    def reducer_override(self, obj):
        """Return the parts of an object for the bytes, NotImplemented for the usual ones."""
        if type(obj) in _PLAIN:
            return NotImplemented
        if isinstance(obj, set | frozenset):
            return _part, (type(obj), sorted(map(of, obj)))
        if isinstance(obj, np.ndarray) and not obj.dtype.hasobject:
            return _part, (type(obj), obj.dtype, obj.shape, obj.tobytes())
        if isinstance(obj, types.CodeType):
            return _part, _code(obj)
        if isinstance(obj, types.ModuleType):
            if _is_users(obj.__name__, getattr(obj, "__file__", None)):
                return _part, (obj.__name__,), _without_place(vars(obj))
            return _part, ("installed", obj.__name__)
        if isinstance(obj, functools._lru_cache_wrapper):
            return _part, ("cached",), (obj.__wrapped__, obj.cache_parameters())
        if isinstance(getattr(obj, "targetoptions", None), dict):  # compiled by numba
            return _part, ("compiled",), (obj.py_func, obj.targetoptions)
        parts = self._cloud.reducer_override(obj)
        if parts is NotImplemented or len(parts) < 3:  # of an installed module
            return parts
        if isinstance(obj, type):
            make, given, (own, slots), *more = parts
            tracker = cloudpickle.cloudpickle._get_or_create_tracker_id(obj)  # random
            given = tuple(one for one in given if not (isinstance(one, str) and one == tracker))
            return _part, (make, *given), (_without_place(own), slots)
        make, (code, _, *more), state, *_ = parts
        return _part, (make, code, *more), state


def _without_place(attributes):
    return {name: value for name, value in attributes.items() if name not in _OF_THE_FILE}


def _code(code: types.CodeType) -> tuple:
    """Return what a code object does, without file and lines; Unknown if it imports a user's module when it runs."""
    lines = list(dis.get_instructions(code))
    for k, line in enumerate(lines):
        if line.opname == "IMPORT_NAME":
            try:
                spec = None if lines[k - 2].argval else importlib.util.find_spec(line.argval)
            except (ImportError, ValueError):  # it may be optional
                continue
            if lines[k - 2].argval or _is_users(line.argval, spec and spec.origin):
                raise Unknown(
                    f"{code.co_name} imports {line.argval or 'a module'} when it is called; import it at the top"
                )
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_consts, counts, names, getattr(code, "co_exceptiontable", b"")
