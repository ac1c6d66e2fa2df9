"""Keys of stored rows: text that identifies the simulator, choices and arrays by their values."""

import hashlib
import inspect
import linecache
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = Path(__file__).resolve().parents[2]


class Unidentified(Exception):
    """A value whose rows cannot be stored; the message names the value and the reason."""


def _hash_of_sources():
    digest = hashlib.sha256(f"numpy {np.__version__}".encode())
    for path in sorted((PACKAGE / "simulator").rglob("*.py")):
        digest.update(f"{path.relative_to(PACKAGE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


#: Taken at import, because the files may change while the program runs.
SIMULATOR = _hash_of_sources()


def identity(value: Any, lasting: bool = False) -> str:
    """Return text that is equal for equal values.

    Parameters
    ----------
    value : object
        Choices, arrays, numbers, texts, and tuples, lists and dicts of these. A choice of the
        package is identified by its class and options, one of the user's own by its name, its
        text, its options and the constant `version` that the class itself states.
    lasting : bool
        Whether the text has to hold in other processes. Otherwise objects without a version are
        identified by their addresses, which are their own while they exist.

    Raises
    ------
    Unidentified
        If `lasting`, for functions and objects of the user's own without a version or a text.
    """
    kind = type(value)
    if kind in (type(None), bool, int, float, str, bytes) or isinstance(value, np.generic):
        return repr(value)
    if kind in (tuple, list):
        return f"{kind.__name__}({', '.join(identity(part, lasting) for part in value)})"
    if kind is dict:
        return f"dict{identity([*value.items()], lasting)}"
    if kind is np.ndarray and not value.dtype.hasobject:
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if is_dataclass(kind):
        options = {option.name: getattr(value, option.name) for option in fields(value)}
        return f"{_name(kind, lasting)}{identity(options, lasting)}"
    if inspect.isfunction(value):
        return _name(value, lasting)
    if lasting:
        raise Unidentified(f"{value!r:.200} is known in this process alone")
    return f"{kind.__qualname__} {id(value)}"


def _name(thing, lasting):
    """Return the text of a class or function: its name, and the version and text of a user's class,
    since every script has a module ``__main__``.
    """
    name = f"{thing.__module__}.{thing.__qualname__}"
    if name.startswith("replication.simulator.") and "<" not in name:
        return name
    version = vars(thing).get("version") if isinstance(thing, type) else None
    if version is not None and (source := _source(thing)):
        return f"{name} {identity(version, lasting)} {hashlib.sha256(source.encode()).hexdigest()}"
    if lasting:
        if version is not None:
            raise Unidentified(f"those of {thing.__name__}, whose source is in no file or cell")
        advice = "; `version = 1` in the class stores them" if isinstance(thing, type) else ""
        raise Unidentified(f"those of {thing.__name__} may change with its code{advice}")
    return f"{name} {id(thing)}"


def _source(kind):
    """Return the text of a class, or of the cell of a notebook that defines it; empty if there is
    none.
    """
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        own = {one.__code__.co_filename for one in vars(kind).values() if inspect.isfunction(one)}
        return "".join(line for file in sorted(own) for line in linecache.getlines(file))


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
