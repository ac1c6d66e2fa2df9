"""Imported, this has simulated something: a process that is forked from here has its libraries and kernels in memory."""

from replication.simulator import grid, kept
from replication.simulator.estimates import FModel
from replication.simulator.workload import Workload

kept.packed(grid.compute(grid.Task(Workload.from_columns("one", 1, [0], [1], [1]), FModel(1.0))))
