"""Libraries that take long to import, loaded when first used: the one place where that is done.

``from replication.basics.lazy import pandas as pd`` costs nothing until ``pd`` is asked for something, so a
command pays only for what it needs.
"""

import importlib.util
import sys


def _lazy(name):
    """The module `name`, which imports itself when one of its attributes is first looked up."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


pandas = _lazy("pandas")
jinja2 = _lazy("jinja2")
