"""A scheduler that fails on workloads of one size, for tests of the fate of the other tasks."""

import builtins
from dataclasses import dataclass

from replication.simulator.choices import Number, option
from replication.simulator.schedulers import FCFS, Scheduler


@dataclass(frozen=True)
class Failing(Scheduler, name="failing"):
    """Raise an error on a workload of a size; FCFS on others."""

    at: int = option(0, Number(0, whole=True), "number of jobs that it cannot take")
    error: str = option("ArithmeticError", ("ArithmeticError", "KeyboardInterrupt"))

    def run(self, workload, estimate, seed):
        if len(workload) == self.at:
            raise getattr(builtins, self.error)("it does not add up")
        return FCFS().run(workload, estimate, seed)
