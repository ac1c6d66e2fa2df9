"""The base of the reference implementations: a scheduler's options and a predictor,
on the public event loop.
"""

from typing import Self

from replication.simulator.predictors import Estimate
from replication.simulator.schedulers.event_loop import EventLoop, LoopOptions
from tests.reference import predictors


class Reference(EventLoop):
    """One simulation; `run` carries it out.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        The estimates of the scheduler; by default those of the workload.
    seed : int
        Seed of random predictors.
    **options
        Options of the scheduler's value, such as `replication.simulator.schedulers.EASY`.
    """

    def __init__(self, workload, estimate=None, seed=1, **options):
        defaults = {name: option.default for name, option in self.scheduler.options().items()}
        self.options = defaults | options
        estimate = [int(e) for e in (workload.estimate if estimate is None else estimate)]
        predictor = self.options.get("predictor", Estimate())
        predictor = predictors.make(workload, estimate, predictor, seed)
        super().__init__(workload, estimate, predictor)
        own = {name: self.options[name] for name in LoopOptions._fields if name in self.options}
        self.loop_options = LoopOptions(**own)

    def run(self) -> Self:
        """Simulate until the last job has ended, and return this object."""
        for now in self.passes():
            self.schedule(now)
        return self
