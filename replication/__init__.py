"""Reproduce three papers on batch scheduling with unknown run times.

The public interface: load a log, choose a scheduler, measure the schedule::

    import replication as rp

    kth = rp.load("KTH-SP2")
    run = rp.simulate(kth, rp.EASY(), rp.FModel(2), seed=1)
    rp.compare(kth, [rp.FCFS(), rp.EASY(), rp.PVEasy()])
    rp.sweep([kth], rp.EASY(), rp.FModel.grid(0, 10, 0.1), seeds=100)
"""

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

__version__ = "0.1.0"  # above the imports: some modules write it into their output

if absent := [
    name
    for name in "click joblib numba numpy pandas platformdirs pooch tqdm".split()
    if find_spec(name) is None
]:
    message = (
        f"{absent[0]} is not installed for {sys.executable}; "
        "run `make setup`, then `source .venv/bin/activate`"
    )
    if sys.argv[0] == "-m":  # python -m replication
        raise SystemExit(f"replication: {message}")
    raise ModuleNotFoundError(message, name=absent[0])

from replication.simulator.estimates import (
    Deterministic,
    EstimateModel,
    Exact,
    FModel,
    Modal,
    Users,
)
from replication.simulator.logs.registry import load
from replication.simulator.logs.synthetic import synthetic
from replication.simulator.predictors import (
    CVH,
    Biased,
    Clairvoyant,
    Complete,
    Last,
    Predictor,
    Request,
    TopPercent,
    Tsafrir,
    Virtual,
)
from replication.simulator.schedulers import (
    EASY,
    FCFS,
    Conservative,
    EventLoop,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
    PythonScheduler,
    Scheduler,
    WildEASY,
)
from replication.simulator.schedules.schedule import Schedule
from replication.simulator.simulation import simulate
from replication.simulator.sweeps.comparison import compare
from replication.simulator.sweeps.grid import sweep
from replication.simulator.workload import Workload

if TYPE_CHECKING:
    from replication.report.page import Page

__all__ = [
    "CVH",
    "EASY",
    "FCFS",
    "Biased",
    "Clairvoyant",
    "Complete",
    "Conservative",
    "Deterministic",
    "EstimateModel",
    "EventLoop",
    "Exact",
    "FModel",
    "LargestAreaFirst",
    "Last",
    "Modal",
    "OrderedEASY",
    "PVEasy",
    "Page",
    "Predictor",
    "PythonScheduler",
    "Request",
    "Schedule",
    "Scheduler",
    "TopPercent",
    "Tsafrir",
    "Users",
    "Virtual",
    "WildEASY",
    "Workload",
    "compare",
    "load",
    "simulate",
    "sweep",
    "synthetic",
]


if not TYPE_CHECKING:  # hides the function, so that type checkers report unknown names

    def __getattr__(name):
        """Import `Page` on first use: it needs the packages of the extra ``figures``."""
        if name == "Page":
            from replication.report.page import Page

            return Page
        raise AttributeError(f"module 'replication' has no attribute {name!r}")
