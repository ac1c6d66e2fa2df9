"""Schedulers: values with their options and kernels.

``EASY().run(workload, estimate, seed)`` returns the start of each job.
"""

from replication.simulator.schedulers.conservative import Conservative as Conservative
from replication.simulator.schedulers.conservative import LargestAreaFirst as LargestAreaFirst
from replication.simulator.schedulers.easy import EASY as EASY
from replication.simulator.schedulers.easy import FCFS as FCFS
from replication.simulator.schedulers.event_loop import EventLoop as EventLoop
from replication.simulator.schedulers.paper_easy import PaperEASY as PaperEASY
from replication.simulator.schedulers.pv_easy import PVEasy as PVEasy
from replication.simulator.schedulers.python import PythonScheduler as PythonScheduler
from replication.simulator.schedulers.queue_orders import OrderedEASY as OrderedEASY
from replication.simulator.schedulers.scheduler import Scheduler as Scheduler
from replication.simulator.schedulers.scheduler import SchedulerError as SchedulerError
