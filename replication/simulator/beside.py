"""Choices beside the package: classes in the modules of a checkout's notebooks.

The package imports no notebook. It reads the sources, so that a message names the class that has an
option, and text may name such a class (`replication.simulator.text`).
"""

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

from replication.simulator import paths


@dataclass(frozen=True)
class Beside:
    """A class of a module: its name, bases and annotated fields, and the file."""

    name: str
    bases: tuple[str, ...]
    options: tuple[str, ...]
    path: Path

    @property
    def line(self) -> str:
        """The line of Python that imports the class."""
        module = ".".join(self.path.relative_to(paths.ROOT).with_suffix("").parts)
        return f"from {module} import {self.name}"


def of_family(family: type) -> list[Beside]:
    """Return the classes beside the package that belong to a family of choices."""
    found = _classes(paths.NOTEBOOKS) if paths.IN_CHECKOUT else ()
    return [one for one in found if any(base.endswith(family.__name__) for base in one.bases)]


def with_option(kind: type, option: str) -> Beside | None:
    """Return a class beside the package of the family of a choice that has an option."""
    family = next(family for family in kind.families if issubclass(kind, family))
    return next((one for one in of_family(family) if option in one.options), None)


@functools.cache
def _classes(folder):
    """Return the classes of the modules in a folder."""
    found = []
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = tuple(ast.unparse(base) for base in node.bases)
                fields = [one.target for one in node.body if isinstance(one, ast.AnnAssign)]
                found.append(Beside(node.name, bases, tuple(map(ast.unparse, fields)), path))
    return found
