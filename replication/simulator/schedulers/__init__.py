"""Schedulers: values with their options and kernels.

``EASY().run(workload, estimate, seed)`` returns the start of each job.
"""

from replication.simulator.schedulers.conservative import Conservative, LargestAreaFirst
from replication.simulator.schedulers.easy import EASY, FCFS
from replication.simulator.schedulers.event_loop import EventLoop
from replication.simulator.schedulers.interventions import WildEASY
from replication.simulator.schedulers.pv_easy import PVEasy
from replication.simulator.schedulers.python import PythonScheduler
from replication.simulator.schedulers.queue_orders import OrderedEASY
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

__all__ = [
    "EASY",
    "FCFS",
    "Conservative",
    "EventLoop",
    "LargestAreaFirst",
    "OrderedEASY",
    "PVEasy",
    "PythonScheduler",
    "Scheduler",
    "SchedulerError",
    "WildEASY",
]
