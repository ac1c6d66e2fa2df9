"""Replication of three papers on batch scheduling with unknown run times.

The public way in. Names are looked up on first use, so that a command pays only for what it needs.
"""

import importlib

__version__ = "0.1.0"

_WHERE = {"simulate": "schedule.simulation", "Page": "pages.page"}
__all__ = sorted(_WHERE)


def __getattr__(name):
    if name in _WHERE:
        return getattr(importlib.import_module(f"replication.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'replication' has no attribute {name!r}")


def __dir__():
    return __all__
