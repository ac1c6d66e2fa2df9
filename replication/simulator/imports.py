"""Import Python files of the user: text can name their choices and functions."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from replication.simulator.choices import ChoiceError

_imported: dict[str, ModuleType] = {}  # the only ones whose functions text can name


def import_module(path: Path) -> None:
    """Import a Python file as a module of its name: text can name its choices and functions.

    Raises
    ------
    ChoiceError
        If there is no such Python file, or it raises an error.
    """
    if not path.is_file():
        raise ChoiceError(f"{path} does not exist; expected a Python file")
    if path.suffix != ".py":
        raise ChoiceError(f"{path}; expected a Python file, whose name ends in .py")
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))
    try:
        _imported[path.stem] = importlib.import_module(path.stem)
    except Exception as error:
        raise ChoiceError(f"{path}: {type(error).__name__}: {error}") from error


def function(word: str) -> Callable | str:
    """Return a function of a module of `import_module`, such as ``my_orders.small_first``;
    another word as it is.
    """
    module, _, name = word.rpartition(".")
    value = getattr(_imported.get(module), name, None)
    return value if callable(value) else word
