"""Keys of stored rows: text that identifies choices, functions and arrays by their values and code.

The code is that of the simulator, of the module of each class and function of the user's own, and
of what these import from the same project, each parsed, so that a word changes nothing.
"""

import ast
import functools
import hashlib
import inspect
import linecache
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from replication.simulator import sources

#: Begins the address of what is identified by it. No repr has this character.
_ADDRESS = "\0"
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_SIMULATOR = sources.REPLICATION / "simulator"
#: Files of the package, read at import, because they may change while the program runs. Those that
#: read logs are left out: the jobs themselves are in each key.
_FILES = [
    path.read_bytes()
    for path in sorted(_SIMULATOR.rglob("*.py"))
    if path.relative_to(_SIMULATOR).parts[0] != "logs"
]
#: A hash of them as they are.
FILES = hashlib.sha256(b"\0".join(_FILES)).hexdigest()
_FUNCTIONS: WeakKeyDictionary = WeakKeyDictionary()  # their sources when they were first used


@functools.cache
def simulator() -> str:
    """Return a hash of the parsed code of the package, and of numpy's version."""
    return _hash(np.__version__, *map(sources.parsed, _FILES))


def identity(value: Any) -> str:
    """Return text that is equal for equal values.

    Parameters
    ----------
    value : object
        Choices, arrays, numbers, texts, functions, and tuples, lists and dicts of these. A choice
        is identified by its class and options; a class or function of the user's own by its name
        and code: that of its file with what this imports from the same project, or its definition
        in a cell of a notebook with the values and definitions that it names.

    Returns
    -------
    str
        Whatever has no such code is identified by its address, which is its own while it exists;
        `is_lasting` is False for such a text.
    """
    return _identity(value, ())


def is_lasting(text: str) -> bool:
    """Return whether a text of `identity` means the same in another process."""
    return _ADDRESS not in text


def _identity(value, outer):
    """Return the identity of a value within the definitions `outer`, which contain it."""
    kind = type(value)
    if kind in _PLAIN or isinstance(value, np.generic):
        return repr(value)
    if kind in (tuple, list):
        return f"{kind.__name__}({', '.join(_identity(part, outer) for part in value)})"
    if kind is dict:
        return f"dict{_identity([*value.items()], outer)}"
    if kind is np.ndarray and not value.dtype.hasobject:
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if is_dataclass(kind):
        options = {option.name: getattr(value, option.name) for option in fields(value)}
        return f"{_definition(kind, outer)}{_identity(options, outer)}"
    if inspect.isfunction(value) or isinstance(value, type):
        return _definition(value, outer)
    if isinstance(value, ModuleType):
        return f"{value.__name__} {_code(sources.of_module(value.__name__, project=''))}"
    return f"{kind.__qualname__}{_ADDRESS}{id(value)}"


def _definition(thing, outer):
    """Return the identity of a class or function."""
    name = f"{thing.__module__}.{thing.__qualname__}"
    if thing in outer or thing.__module__ == "builtins":
        return name
    if name.startswith("replication.simulator.") and _is_named(thing):
        return name
    # A name that does not lead to it, as inside a function, does not say which code it has.
    code = _is_named(thing) and (_code(_sources(thing)) or _cell(thing, (*outer, thing)))
    if not code:
        return f"{name}{_ADDRESS}{id(thing)}"
    if not isinstance(thing, type):
        return f"{name} {code}"
    # Also what was assigned after the definition.
    plain = (*_PLAIN, tuple, list, dict, np.ndarray)
    values = {key: entry for key, entry in vars(thing).items() if isinstance(entry, plain)}
    values = {key: entry for key, entry in values.items() if key[:1] != "_"}
    bases = tuple(base for base in thing.__bases__ if base is not object)
    return f"{name} {code}{_identity((values, bases), (*outer, thing))}"


def _is_named(thing):
    """Return whether its module has a class or function under its name."""
    try:
        return attrgetter(thing.__qualname__)(sys.modules[thing.__module__]) is thing
    except (AttributeError, KeyError):
        return False


def _sources(thing):
    """Return the sources of a class when it was defined, or of a function when it was first used;
    empty if a file has changed since, and may not be what runs.
    """
    files = vars(thing).get("_sources") or _FUNCTIONS.get(thing)
    if files is None:
        files = sources.of_module(thing.__module__)
        if inspect.isfunction(thing):
            _FUNCTIONS[thing] = files
    return files if all(_content(path) == content for path, content in files.items()) else {}


def _content(path):
    try:
        return path.read_bytes()
    except OSError:
        return None


def _code(files):
    """Return a hash of the parsed code of some files; empty without one."""
    return _hash_of_code(*files.values()) if files else ""


@functools.cache
def _hash_of_code(*files):
    return _hash(*map(sources.parsed, files))


def _cell(thing, outer):
    """Return the parsed definition of a class or function in a cell of a notebook, and the
    identities of what it names there; empty if there is no cell.
    """
    functions = vars(thing).values() if isinstance(thing, type) else [thing]
    cells = {part.__code__.co_filename for part in functions if inspect.isfunction(part)}
    named = [
        node
        for cell in sorted(cells)
        if not Path(cell).exists()
        for node in ast.walk(ast.parse("".join(linecache.getlines(cell))))
        if getattr(node, "name", "") == thing.__name__
    ]
    if not named:
        return ""
    names = {node.id for node in ast.walk(named[-1]) if isinstance(node, ast.Name)}
    around = vars(sys.modules[thing.__module__])
    values = {name: around[name] for name in sorted(names) if name in around}
    return f"{_hash(sources.parsed(named[-1]))} {_identity(values, outer)}"


def _hash(*texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def labels(choices: Iterable) -> list[str]:
    """Return the repr of each choice; different choices of one repr get numbers, such as
    ``OrderedEASY(order=f) #2``.
    """
    same: dict[str, list] = {}
    result = []
    for choice in choices:
        text, key = repr(choice), identity(choice)
        identities = same.setdefault(text, [])
        if key not in identities:
            identities.append(key)
        result.append(f"{text} #{k + 1}" if (k := identities.index(key)) else text)
    return result
