"""Who starts when: schedulers as values, each with its options and the kernel that decides.

In come a workload, estimates and a seed; out comes when each job starts: ``EASY().run(workload, estimate, seed)``.
"""

from replication.simulator.schedulers.conservative import Conservative, LargestAreaFirst
from replication.simulator.schedulers.easy import EASY, FCFS
from replication.simulator.schedulers.pv_easy import PVEasy
from replication.simulator.schedulers.queue_orders import OrderedEASY
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

__all__ = [
    "EASY",
    "FCFS",
    "Conservative",
    "LargestAreaFirst",
    "OrderedEASY",
    "PVEasy",
    "Scheduler",
    "SchedulerError",
]
