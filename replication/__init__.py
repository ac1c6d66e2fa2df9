"""Replication of three papers on batch scheduling with unknown run times.

The public way in: a log comes in, a scheduler decides, we measure::

    import replication as rp

    kth = rp.load("KTH-SP2")
    run = rp.simulate(kth, rp.EASY(), rp.FModel(2), seed=1)
    rp.compare(kth, [rp.FCFS(), rp.EASY(), rp.PVEasy()])
    rp.sweep([kth], rp.EASY(), rp.FModel.grid(0, 10, 0.1), seeds=100)

Names are looked up on first use, so that a command pays only for what it needs.
"""

import importlib

__version__ = "0.1.0"

_ROOMS = {
    "simulator.traces": "load",
    "simulator.workload": "Workload",
    "simulator.resampling": "ResampledWeeks ResampledUsers Resampling",
    "simulator.estimates": "Users Exact FModel Deterministic Modal EstimateModel",
    "simulator.schedulers": "FCFS EASY Conservative LargestAreaFirst OrderedEASY PVEasy Scheduler",
    "simulator.predictors": (
        "Request Clairvoyant Virtual Scaled Last Tsafrir Complete TopPercent CVH Biased Predictor"
    ),
    "simulator.schedule": "Schedule",
    "simulator.simulation": "simulate compare",
    "simulator.grid": "sweep",
    "report.page": "Page",
}
_WHERE = {name: room for room, names in _ROOMS.items() for name in names.split()}
__all__ = sorted(_WHERE)


def __getattr__(name):
    if name in _WHERE:
        return getattr(importlib.import_module(f"replication.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'replication' has no attribute {name!r}")


def __dir__():
    return __all__
