"""The source files of a module, with those that it imports from its project."""

import ast
import contextlib
import functools
import importlib.util
import sys
import sysconfig
from pathlib import Path

REPLICATION = Path(__file__).resolve().parents[1]
_INSTALLED = {"site-packages", "dist-packages"}

_TEXT = ast.Constant, ast.JoinedStr

Sources = dict[Path, bytes]


def of_module(name: str, project: str | None = None) -> Sources:
    """Return the contents of a module's file and of all files that it imports from its project.

    These are the modules of one package, and all that are not installed: a script, the modules
    beside it, packages that are installed editable. Those of `replication` belong to no other
    project.

    Parameters
    ----------
    name : str
    project : str, optional
        Name of the package, by default that of the module; empty for none.

    Returns
    -------
    dict of Path to bytes
        Empty if the module has no file that can be read, such as a cell of a notebook.
    """
    project = name.partition(".")[0] if project is None else project
    contents, names = {}, [name]
    for module in names:  # grows in the loop
        path = _path(module, project)
        if path is not None and path not in contents:
            with contextlib.suppress(OSError, SyntaxError, ValueError):
                code = path.read_bytes()
                is_package = path.name == "__init__.py"
                names += _imports(code, module if is_package else module.rpartition(".")[0])
                contents[path] = code
    return contents


def _path(name, project):
    """Return the file of a module; None if it has none, is no module or is of another project."""
    top = name.partition(".")[0]
    if top != project and (top == REPLICATION.name or top in sys.stdlib_module_names):
        return None
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None and name not in sys.modules:
        with contextlib.suppress(ImportError, ValueError, AttributeError):
            file = getattr(importlib.util.find_spec(name), "origin", None)
    if file is None or not file.endswith(".py"):
        return None
    path = Path(file).resolve()
    is_installed = _INSTALLED & {*path.parts} or path.is_relative_to(sysconfig.get_path("stdlib"))
    return None if is_installed and top != project else path


@functools.cache
def _imports(code, package) -> list[str]:
    """Return the names of the modules that the code of a module of a package may import."""
    names = []
    for node in ast.walk(_tree(code)):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                name = ".".join(filter(None, [*parents, name]))
            names += [name, *(f"{name}.{alias.name}" for alias in node.names)]
    return names


class _Rule(ast.NodeTransformer):
    """Leave of code what may change a result: no docstrings, and no words of messages."""

    def visit_Expr(self, node):
        """Drop a docstring."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Raise(self, node):
        """Drop the arguments of an exception."""
        return ast.Raise(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)

    def visit_Call(self, node):
        """Drop the text of a warning or report."""
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in ("warn", "report"):
            node.args = [part for part in node.args if not isinstance(part, _TEXT)]
        return self.generic_visit(node)


def parsed(code: bytes | ast.AST) -> str:
    """Return code in a form that comments, layout, docstrings and the words of messages do not
    change.
    """
    return ast.dump(_Rule().visit(code if isinstance(code, ast.AST) else _tree(code)))


@functools.cache
def _tree(code):
    return ast.parse(code)
