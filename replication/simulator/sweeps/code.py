"""A hash of the code that a result depends on, for the keys of stored results.

Two parts: the simulator's own sources, read when this package is imported and without comments and docstrings; and
user code, the modules of a user's class or function with everything that they import outside the standard library and
the installed packages. `Unknown` is raised where the code cannot be determined: notebook cells, scripts, closures,
sources that changed after this session began, and module variables that are neither plain data nor code.
"""

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import inspect
import sys
import sysconfig
import time
import types
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PACKAGE = Path(__file__).resolve().parents[1]
STARTED = time.time()
#: Read now, because the files may change while the program runs.
_SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in PACKAGE.rglob("*.py")
}
#: Sources without influence on a measure of given jobs and choices. Jobs are hashed by their values and choices by their
#: text, so that the code that reads or generates them does not count; the audits do, since a measure may call them.
WITHOUT_INFLUENCE = (
    "sweeps/code.py",
    "sweeps/engines.py",
    "formats.py",
    "schedules/gantt.py",
    "paths.py",
    "plans.py",
    "reference/",
    "sweeps/store.py",
    "sweeps/study.py",
    "logs/swf.py",
    "logs/synthetic.py",
    "text.py",
    "logs/registry.py",
    "writing.py",
)
_INSTALLED = tuple(
    str(Path(sysconfig.get_path(name)).resolve())
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, Path, np.generic)
_CODE = (types.ModuleType, type, types.BuiltinFunctionType, np.ufunc, np.dtype)


class Unknown(Exception):
    """Code that cannot be hashed; the message names it and the reason."""


def bare(source: bytes | str) -> str:
    """Return Python source without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


@functools.cache
def of_simulator() -> str:
    """Return the hash of the sources that results depend on, as they were imported, in hexadecimal.

    Sources of `WITHOUT_INFLUENCE` are left out, so that a new file format, for instance, leaves all results valid.
    """
    digest = hashlib.sha256()
    for name in sorted(name for name in _SOURCES if not name.startswith(WITHOUT_INFLUENCE)):
        digest.update(f"{name}\n{bare(_SOURCES[name])}\n".encode())
    return digest.hexdigest()


def of(*things: type | types.FunctionType) -> str:
    """Return the hash of the simulator and of the code of some classes and functions, in hexadecimal.

    Raises
    ------
    Unknown
        If the source of a class, a function or one of their imports is unknown or has changed.
    """
    parts, modules = [of_simulator()], {}
    for thing in things:
        if not (isinstance(thing, type) or inspect.isroutine(inspect.unwrap(thing))):
            raise Unknown(f"{thing!r} is a callable object")
        for one in _bases(thing):
            if _is_of_simulator(one.__module__):
                continue
            where = f"{one.__module__}.{one.__qualname__}"
            if "<locals>" in one.__qualname__ or "<lambda>" in one.__qualname__:
                raise Unknown(f"{where} is defined inside a function")
            _follow(one.__module__, modules)
            if isinstance(one, type):
                own = {k: v for k, v in vars(one).items() if not k.startswith("__")}
                parts.append(f"{where} {_values(own, where)}")
    for name in sorted(modules):
        parts.append(f"{name} {modules[name]} {_globals(name)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _bases(thing):
    return thing.__mro__[:-1] if isinstance(thing, type) else (inspect.unwrap(thing),)


def _is_of_simulator(module):
    return f"{module}.".startswith(f"{__package__}.")


def _follow(name: str, hashes: dict) -> None:
    """Add to `hashes` the hash of a module's source and of those that it imports, by module name."""
    if name in hashes or _is_of_simulator(name):
        return
    path = _file(name)
    if path is None:
        raise Unknown(f"{name} has no source file")
    changed = path.stat()
    if max(changed.st_mtime, changed.st_ctime) > STARTED:
        raise Unknown(f"{path} changed after this session began")
    source = path.read_bytes()
    if path.suffix != ".py":
        hashes[name] = hashlib.sha256(source).hexdigest()
        return
    hashes[name] = hashlib.sha256(bare(source).encode()).hexdigest()
    for imported in _imports(name, path, source):
        if imported.partition(".")[0] == name.partition(".")[0] or _is_users(imported):
            _follow(imported, hashes)


def _is_users(name):
    if name.partition(".")[0] in sys.stdlib_module_names or _is_of_simulator(name):
        return False
    path = _file(name)
    return path is not None and not str(path).startswith(_INSTALLED)


def _file(name: str) -> Path | None:
    """Return the file of a module, None where it has none, such as a notebook or a script."""
    try:
        spec = importlib.util.find_spec(name) if name != "__main__" else None
    except (ImportError, ValueError):
        return None
    path = Path(spec.origin).resolve() if spec and spec.origin else None
    return path if path is not None and path.is_file() else None


def _imports(name: str, path: Path, source: bytes) -> Iterator[str]:
    """Yield the names of all modules that a source imports, wherever the import statement is."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            if module == "replication":  # its names are the simulator's
                continue
            inside = [f"{module}.{alias.name}" for alias in node.names]
            of_modules = [one for one in inside if _file(one) is not None]
            yield from of_modules
            if len(of_modules) < len(inside):
                yield module


def _globals(name):
    """Return the values of a user module's variables as text; those of this project are constants."""
    module = sys.modules.get(name)
    if module is None or name.startswith("replication."):
        return ""
    return _values({k: v for k, v in vars(module).items() if not k.startswith("__")}, name)


def _values(named: dict, where: str) -> str:
    return "; ".join(f"{k}={_value(v, f'{where}.{k}')}" for k, v in sorted(named.items()))


def _value(value, where: str) -> str:
    """Return plain data as text, and "" for code, whose source is hashed."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, list | tuple):
        return repr([_value(one, where) for one in value])
    if isinstance(value, set | frozenset):
        return repr(sorted(_value(one, where) for one in value))
    if isinstance(value, dict):
        return repr([(_value(k, where), _value(v, where)) for k, v in value.items()])
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, property):
        return _values({"get": value.fget, "set": value.fset}, where)
    function = getattr(value, "py_func", value)  # of a compiled function
    if isinstance(function, types.FunctionType):
        if any(cell.cell_contents is not None for cell in _cells(function)):
            raise Unknown(f"{where} is a closure")
        return ""
    if isinstance(value, _CODE) or type(value).__module__ in ("typing", "__future__", "re"):
        return ""
    if type(value).__module__ == "dataclasses":  # a field
        return ""
    if _is_of_simulator(type(value).__module__):  # a choice
        return repr(value)
    if dataclasses.is_dataclass(value):  # of a module that is hashed too
        return repr([_value(getattr(value, one.name), where) for one in dataclasses.fields(value)])
    raise Unknown(f"{where} is a {type(value).__name__}, neither plain data nor code")


def _cells(function):
    """Return the enclosed variables of a function, except for the class that super() needs."""
    names = function.__code__.co_freevars
    cells = function.__closure__ or ()
    return [cell for name, cell in zip(names, cells, strict=True) if name != "__class__"]
