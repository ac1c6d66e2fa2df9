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

__version__ = "1.0.0"  # above the imports: some modules write it into their output

if absent := [
    name
    for name in "click joblib numba numpy pandas platformdirs pooch scipy tqdm".split()
    if find_spec(name) is None
]:
    message = (
        f"{absent[0]} is not installed for {sys.executable}; "
        "in a checkout run `make setup`, then `source .venv/bin/activate`"
    )
    if sys.argv[0] == "-m":  # python -m replication
        raise SystemExit(f"replication: {message}")
    raise ModuleNotFoundError(message, name=absent[0])

from replication.simulator.estimates import Deterministic as Deterministic
from replication.simulator.estimates import EstimateModel as EstimateModel
from replication.simulator.estimates import FModel as FModel
from replication.simulator.estimates import Modal as Modal
from replication.simulator.estimates import Perfect as Perfect
from replication.simulator.estimates import Users as Users
from replication.simulator.logs.registry import load as load
from replication.simulator.logs.synthetic import synthetic as synthetic
from replication.simulator.predictors import CVH as CVH
from replication.simulator.predictors import Biased as Biased
from replication.simulator.predictors import Clairvoyant as Clairvoyant
from replication.simulator.predictors import Complete as Complete
from replication.simulator.predictors import Estimate as Estimate
from replication.simulator.predictors import Last as Last
from replication.simulator.predictors import Predictor as Predictor
from replication.simulator.predictors import TopPercent as TopPercent
from replication.simulator.predictors import Tsafrir as Tsafrir
from replication.simulator.predictors import Virtual as Virtual
from replication.simulator.schedulers import EASY as EASY
from replication.simulator.schedulers import FCFS as FCFS
from replication.simulator.schedulers import Conservative as Conservative
from replication.simulator.schedulers import EventLoop as EventLoop
from replication.simulator.schedulers import LargestAreaFirst as LargestAreaFirst
from replication.simulator.schedulers import OrderedEASY as OrderedEASY
from replication.simulator.schedulers import PaperEASY as PaperEASY
from replication.simulator.schedulers import PVEasy as PVEasy
from replication.simulator.schedulers import PythonScheduler as PythonScheduler
from replication.simulator.schedulers import Scheduler as Scheduler
from replication.simulator.schedules.schedule import Schedule as Schedule
from replication.simulator.simulation import simulate as simulate
from replication.simulator.sweeps.comparison import compare as compare
from replication.simulator.sweeps.grid import sweep as sweep
from replication.simulator.workload import Workload as Workload

if TYPE_CHECKING:
    from replication.report.page import Page as Page

__all__ = ["Page"] + [
    name
    for name, value in globals().items()
    if str(getattr(value, "__module__", "")).startswith(f"{__name__}.")
]


if not TYPE_CHECKING:  # hides the function, so that type checkers report unknown names

    def __getattr__(name):
        """Import `Page` on first use: it needs the packages of the extra ``figures``."""
        if name == "Page":
            from replication.report.page import Page

            return Page
        raise AttributeError(f"module 'replication' has no attribute {name!r}")
