"""Libraries that take long to import, loaded when first used: the one place where that is done.

``from replication.basics.lazy import pandas as pd`` costs nothing until ``pd`` is asked for something, so a
command pays only for what it needs.
"""

import importlib


class _Later:
    """Stands for the module `name`, which is imported when one of its attributes is first asked for."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(importlib.import_module(self._name), attribute)

    def __repr__(self):
        return f"<{self._name}, imported when it is used>"


jinja2 = _Later("jinja2")
nbformat = _Later("nbformat")
pandas = _Later("pandas")
papermill = _Later("papermill")
pyarrow = _Later("pyarrow")
pyplot = _Later("matplotlib.pyplot")
seaborn = _Later("seaborn")
