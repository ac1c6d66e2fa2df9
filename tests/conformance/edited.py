"""Modules read anew with a piece of their source changed, and put back as they were."""

import contextlib
import importlib
import importlib.util
import sys
from importlib.machinery import SourceFileLoader

TWINS = [
    f"replication.simulator.reference.{name}"
    for name in ("easy", "conservative", "pv_easy", "queue_orders")
]


class EditError(ValueError):
    """An edit of something that does not stand in the source just once."""


class _Edited(SourceFileLoader):
    """Loads a module from its source with edits, and never from a cache."""

    def __init__(self, name, edits):
        self.edits = edits
        super().__init__(name, importlib.util.find_spec(name).origin)

    def get_code(self, fullname):
        source = self.get_data(self.path).decode("utf-8")
        for old, new in zip(self.edits[::2], self.edits[1::2], strict=True):
            if source.count(old) != 1:
                raise EditError(f"{fullname}: {old!r} stands there {source.count(old)} times")
            source = source.replace(old, new)
        return compile(source, self.path, "exec")


class _Finder:
    def __init__(self, name, edits):
        self.name, self.loader = name, _Edited(name, edits)

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(
                name, self.loader.path, loader=self.loader
            )
        return None


@contextlib.contextmanager
def edited(name, edits, group):
    """Modules of a group, read anew, one of them edited.

    Parameters
    ----------
    name : str
    edits : sequence of str
        Old and new in turn; each old one stands in the source once.
    group : list of str
        Modules that are read anew.

    Yields
    ------
    dict of str to module
    """
    finder = _Finder(name, edits)
    before = {one: sys.modules.pop(one) for one in group if one in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        for one in group:
            package, _, short = one.rpartition(".")
            vars(sys.modules[package]).pop(short, None)
        yield {one: importlib.import_module(one) for one in group}
    finally:
        sys.meta_path.remove(finder)
        for one in group:
            sys.modules.pop(one, None)
        sys.modules.update(before)
        for one, module in before.items():
            package, _, short = one.rpartition(".")
            setattr(sys.modules[package], short, module)
