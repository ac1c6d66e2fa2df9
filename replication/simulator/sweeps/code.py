"""The identity of choices and of user code: a hash of their values, for the keys of stored results.

The package's part of a key is a hash of its sources, read when this module is imported, without
comments, docstrings and types. Choices of the package enter by their classes and options,
and have the same key in every process. User code enters by the bytes that cloudpickle writes for it
by value: functions with their defaults, closures, globals and helpers, classes with their bases.
Bytes that differ from process to process, such as those of a set of texts, only cost a
recomputation. What cloudpickle would write by name, or not follow at all, has no key.
"""

import ast
import builtins
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
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
from numba.core.dispatcher import Dispatcher

PACKAGE = Path(__file__).resolve().parents[1]
#: Read now, because the files may change while the program runs.
_SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in PACKAGE.rglob("*.py")
}
#: Sources without influence on a measure of given jobs and choices. Jobs are hashed by their values
#: and choices by theirs, so that the code that reads or generates them does not count; the audits
#: do, since a measure may call them.
WITHOUT_INFLUENCE = (
    "compile_clock.py",
    "decisions.py",
    "logs/registry.py",
    "logs/swf.py",
    "logs/synthetic.py",
    "paths.py",
    "precompilation.py",
    "schedules/export.py",
    "schedules/gantt.py",
    "sweeps/code.py",
    "sweeps/engines.py",
    "sweeps/results.py",
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
#: Attributes of a module that depend on the place of its file.
_OF_ITS_FILE = ("__builtins__", "__cached__", "__file__", "__loader__", "__path__", "__spec__")
#: Attributes of a class, since Python 3.13: the line of its definition, and names in an order that
#: varies.
_OF_ITS_PLACE = ("__firstlineno__", "__static_attributes__")


class Unknown(Exception):
    """A value whose bytes do not identify it; the message names the value or the reason."""


def bare(source: bytes | str) -> str:
    """Return the syntax of Python source without comments, docstrings, layout, and the types of
    arguments and of what is returned.

    The text is the same in every version of Python: fields that only some versions have are empty
    here, and left out.
    """
    parts: list[str] = []

    def add(node):
        if isinstance(node, ast.AST):
            parts.append(f"{type(node).__name__}(")
            for name in node._fields:
                value = getattr(node, name, None)
                of_argument = isinstance(node, ast.arg) and name == "annotation"
                if value is None or value == [] or name == "returns" or of_argument:
                    continue
                if name == "body" and isinstance(node, documented):
                    own = ast.get_docstring(node, clean=False)
                    value = value if own is None else [ast.Pass(), *value[1:]]
                if isinstance(node, ast.JoinedStr):  # some versions add empty texts
                    value = [one for one in value if getattr(one, "value", None) != ""]
                parts.append(f"{name}=")
                add(value)
            parts.append(")")
        elif isinstance(node, list):
            parts.append("[")
            for one in node:
                add(one)
            parts.append("]")
        else:
            parts.append(f"{ascii(node)},")

    documented = ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
    add(ast.parse(source))
    return "".join(parts)


@functools.cache
def of_simulator() -> str:
    """Return the hash of the sources that results depend on, as they were imported, in hexadecimal.

    Sources of `WITHOUT_INFLUENCE` are left out, so that a new log, for instance, leaves all results
    valid.
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
        For a value that cannot be pickled by value, such as an open file or a function of a
        compiled module.
    """
    kind = type(value)
    try:
        if kind in (type(None), bool, int, float, str, bytes):
            parts = [repr(value)]
        elif kind in (tuple, list):
            parts = map(of, value)
        elif kind is dict:
            parts = map(of, value.items())
        elif kind is np.ndarray and not value.dtype.hasobject:
            parts = repr(value.dtype), repr(value.shape), _hash(value.tobytes())
        elif is_dataclass(kind) and _is_of_simulator(kind):
            parts = (of(getattr(value, one.name)) for one in fields(value))
        else:
            parts = [_hash(_pickled(value))]
        return _hash("\n".join([f"{kind.__module__}.{kind.__qualname__}", *parts]).encode())
    except Unknown:
        raise
    except Exception as problem:  # whatever a method of a user's class raises
        raise Unknown(f"{value!r:.200}: {problem}") from None


def _is_of_simulator(kind: type) -> bool:
    """Return whether a class is known by its name, since the sources of its module are hashed."""
    module = sys.modules.get(kind.__module__)
    hashed = kind.__module__.startswith("replication.simulator.")
    return hashed and getattr(module, kind.__name__, None) is kind


def _hash(parts: bytes) -> str:
    return hashlib.sha256(parts).hexdigest()


def labels(choices: Iterable) -> list[str]:
    """Return the repr of each choice; different choices of one repr get numbers, such as
    ``OrderedEASY(by=f) #2``.
    """
    choices = list(choices)
    known: dict[str, list] = {}
    found: dict[int, str] = {}
    for choice in choices:
        if id(choice) not in found:
            text, own = repr(choice), identity(choice)
            same = known.setdefault(text, [])
            if own not in same:
                same.append(own)
            found[id(choice)] = f"{text} #{k + 1}" if (k := same.index(own)) else text
    return [found[id(choice)] for choice in choices]


def identity(choice: Any) -> str | int:
    """Return the hash of a choice; where its code is unknown,
    a number that is its own while it exists.
    """
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
    """Return those of the imported modules that are neither installed nor part of the simulator."""
    modules = {name: sys.modules[name] for name in sorted(names)}
    return [
        name
        for name, module in modules.items()
        if isinstance(module, types.ModuleType) and name == module.__name__
        if _is_users(name, module.__spec__)
    ]


def _is_users(name: str, spec: ModuleSpec | None) -> bool:
    """Return whether a module is neither installed nor part of the simulator."""
    if name == "replication" or f"{name}.".startswith("replication.simulator."):
        return False
    if spec is None:  # of a notebook or a script, or made while the program runs
        return True
    places = [spec.origin] if spec.origin else [*(spec.submodule_search_locations or ())]
    return not all(one in ("built-in", "frozen") or _is_installed(one) for one in places)


@functools.cache
def _is_installed(file: str) -> bool:
    return file.startswith(_INSTALLED) or os.path.realpath(file).startswith(_INSTALLED)


def _pickled(value: Any) -> bytes:
    """Return the bytes that cloudpickle writes for a value and for the user code that it needs."""
    stream = io.BytesIO()
    with by_value():
        _Pickler(stream).dump(value)
    return stream.getvalue()


class _Pickler(cloudpickle.Pickler):
    """Write no mark of the process or the place of a source, and no name in place of user code."""

    def reducer_override(self, obj):
        """Return the parts of an object for the bytes; nothing reads them."""
        if isinstance(obj, types.CodeType):
            _check_names(obj)
            code = obj.replace(co_filename="", co_firstlineno=1, co_linetable=b"")
            return self.dispatch_table[types.CodeType](code)
        if isinstance(obj, types.ModuleType) and _is_users(obj.__name__, obj.__spec__):
            own = {name: one for name, one in vars(obj).items() if name not in _OF_ITS_FILE}
            return types.ModuleType, (), own  # as state, because modules may import each other
        if isinstance(obj, functools._lru_cache_wrapper):  # by its name otherwise
            return functools.lru_cache, (), (obj.__wrapped__, obj.cache_parameters())
        if isinstance(obj, Dispatcher):  # with a random number otherwise
            return Dispatcher, (), (obj.py_func, obj.targetoptions, obj.locals)
        parts = super().reducer_override(obj)
        if isinstance(obj, type) and parts is not NotImplemented:
            make, given, *state = parts
            for name in _OF_ITS_PLACE if state else ():
                state[0][0].pop(name, None)
            return make, given[:-2], *state  # the last but one is a random number
        if isinstance(obj, type | types.FunctionType) or type(obj) in self.dispatch_table:
            return parts
        parts = obj.__reduce_ex__(self.proto)
        if isinstance(parts, str):
            where = pickle.whichmodule(obj, parts)
            if _is_users(where, sys.modules[where].__spec__):
                raise Unknown(f"{where}.{parts} can be pickled by its name only")
        return parts


def _check_names(code: types.CodeType) -> None:
    """Raise Unknown for names that cloudpickle does not follow:
    imports and class bodies within functions.
    """
    lines, known = list(dis.get_instructions(code)), {*vars(builtins)}
    for k, line in enumerate(lines):
        if line.opname == "STORE_NAME":
            known.add(line.argval)
        elif line.opname == "LOAD_NAME" and line.argval not in known:
            raise Unknown(f"{code.co_qualname} uses {line.argval}; define this class at the top")
        elif line.opname == "IMPORT_NAME":
            level, name = lines[k - 2].argval, line.argval
            try:
                spec = None if level else importlib.util.find_spec(name.partition(".")[0])
            except ValueError:  # a module without a specification
                spec = None
            if level or _is_users(name, spec):
                raise Unknown(
                    f"{code.co_name} imports {name or 'a module'} when it is called; import it at "
                    "the top"
                )
