"""The commands of ``python -m replication``: one module each, imported only when it is the one asked for.

A command's module has a docstring (its first line is what ``--help`` lists), ``add_arguments(parser)``
and ``main(args) -> int``, the exit code.
"""

import ast
import importlib
from pathlib import Path

FOLDER = Path(__file__).parent


class UsageError(ValueError):
    """A command line that asks for something that cannot be; ends the program with exit code 2."""


def names():
    """Names of the commands.

    Returns
    -------
    list of str, in alphabetical order
    """
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def summary(name):
    """First line of a command's docstring, read without importing the module.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    str
    """
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def load(name):
    """Import the module of one command.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    module
    """
    return importlib.import_module(f"{__name__}.{name}")
