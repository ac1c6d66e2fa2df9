"""Schedulers that fail, or take their worker with them, for tests of what becomes of the other tasks."""

import os
from dataclasses import dataclass

from replication.simulator.choices import Number, option
from replication.simulator.schedulers import FCFS, Scheduler


@dataclass(frozen=True)
class Failing(Scheduler, name="failing"):
    """Raises an error on a workload of a size; FCFS on others."""

    at: int = option(0, Number(0, whole=True), "how many jobs it cannot take")

    def run(self, workload, estimate, seed):
        if len(workload) == self.at:
            raise ArithmeticError("it does not add up")
        return FCFS().run(workload, estimate, seed)


@dataclass(frozen=True)
class Deadly(Scheduler, name="deadly"):
    """Ends its process on a workload of a size; FCFS on others."""

    at: int = option(0, Number(0, whole=True), "how many jobs it dies of")

    def run(self, workload, estimate, seed):
        if len(workload) == self.at:
            os._exit(1)
        return FCFS().run(workload, estimate, seed)
