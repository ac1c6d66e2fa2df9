"""One hash of the code that a result depends on, derived by following imports; comments and docstrings do not count.

The sources of a module are its own and those of every module of its package that it imports, wherever the
import stands. A module that imports a library which draws or lays out is left out, and what only it imports:
it shows results and makes none.
"""

import ast
import functools
import hashlib
import importlib.util
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

#: Whoever imports one of these shows results.
SHOWING = frozenset(
    "IPython ipywidgets jinja2 matplotlib nbconvert pyplot seaborn tqdm typst".split()
)
#: How values of choices are checked, and how files are written: neither makes a number.
ASIDE = frozenset(
    f"{PACKAGE.name}.{name}"
    for name in ("simulator.choices", "simulator.writing", "simulator.kept", "simulator.engines")
)


def bare(source):
    """Python source without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


@functools.cache
def digest(*names):
    """Hash, in hexadecimal, of the sources that some modules' results depend on. A module outside
    this package counts with its own source and what it imports of this package.
    """
    sources = hashlib.sha256()
    for name in modules(*names):
        sources.update(f"{name}\n{_bare(_file(name))}\n".encode())
    return sources.hexdigest()


def modules(*names):
    """The modules whose sources `digest` takes in, in alphabetical order; ModuleNotFoundError where
    there is no source for one of `names`.
    """
    missing = [name for name in names if not has_source(name)]
    if missing:
        raise ModuleNotFoundError(f"no source of {missing[0]}", name=missing[0])
    found, left = set(names), [*names]
    while left:
        new = {name for name in _imported(left.pop()) if not _shows(name)} - found - ASIDE
        found |= new
        left += new
    return sorted(found)


def has_source(name):
    """Whether a module has a source that can be hashed; a notebook has none."""
    return _file(name) is not None


@functools.cache
def _imported(name):
    """Modules of this package that a module imports."""
    found = set()
    for module, names in _imports(name):
        if module.partition(".")[0] == PACKAGE.name:
            parts = [f"{module}.{part}" for part in names]
            inside = [part for part in parts if _file(part) is not None]
            # `from package import module` does not depend on what else the package's own file says.
            found.update(inside if inside and len(inside) == len(parts) else [*inside, module])
    return frozenset(found - {name})


def _shows(name):
    return any(SHOWING & {module.partition(".")[0], *names} for module, names in _imports(name))


@functools.cache
def _imports(name):
    """(module, names taken from it) of every import of a module."""
    file = _file(name)
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    found = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            found += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level]
            module = ".".join(filter(None, [*above, node.module])) if node.level else node.module
            found.append((module, tuple(alias.name for alias in node.names)))
    return found


@functools.cache
def _file(name):
    """The source of a module; None where there is none."""
    if name.partition(".")[0] == PACKAGE.name:
        path = PACKAGE.parent.joinpath(*name.split("."))
        return next(
            (f for f in (path.with_suffix(".py"), path / "__init__.py") if f.is_file()), None
        )
    loaded = sys.modules.get(name)
    origin = getattr(loaded, "__file__", None) if loaded else None
    if origin is None and loaded is None:
        spec = importlib.util.find_spec(name)
        origin = spec.origin if spec else None
    return Path(origin) if origin and origin.endswith(".py") else None


@functools.cache
def _tree(file):
    return ast.parse(file.read_bytes())


@functools.cache
def _bare(file):
    return bare(file.read_bytes())
