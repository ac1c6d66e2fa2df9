"""Replication of three papers on batch scheduling with unknown run times.

The public way in is ``from replication import traces, estimates, simulate``.
Submodules are imported on first use, so that a command pays only for what it needs.
"""

import importlib

__version__ = "0.1.0"

_FUNCTIONS = {"simulate": "simulation"}
_MODULES = {
    "audits", "cluster", "cluster_advice", "cluster_report", "cluster_study", "compare", "estimates",
    "formats", "gantt", "measures", "modal", "observed", "page", "paths", "plans", "predictors",
    "published", "reference", "reference_observed", "reference_predictors", "reference_pv_easy", "report",
    "run", "schedule", "schedulers", "seeding", "simulation", "slurm", "standins", "style", "sweep", "swf",
    "torque", "traces", "workload",
}
__all__ = sorted(_MODULES | _FUNCTIONS.keys())


def __getattr__(name):
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(f"replication.{_FUNCTIONS[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"replication.{name}")
    raise AttributeError(f"module 'replication' has no attribute {name!r}")


def __dir__():
    return __all__
