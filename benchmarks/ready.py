"""Imported, this has simulated something: a process that is forked from here has its libraries and kernels in memory."""

from replication.estimates import FModel
from replication.logs.workload import Workload
from replication.sweeps import grid, kept

kept.packed(grid.compute(grid.Task(Workload.from_columns("one", 1, [0], [1], [1]), FModel(1.0))))
