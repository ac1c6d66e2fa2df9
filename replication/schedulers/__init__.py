"""Who starts when: schedulers as values, each with its options and the kernel that decides.

In come a workload, estimates and a seed; out comes when each job starts: ``EASY().run(workload, estimate, seed)``.
"""

from replication.schedulers.conservative import Conservative, LargestAreaFirst
from replication.schedulers.easy import EASY, FCFS
from replication.schedulers.pv_easy import PVEasy
from replication.schedulers.queue_orders import OrderedEASY
from replication.schedulers.scheduler import Scheduler, SchedulerError

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
