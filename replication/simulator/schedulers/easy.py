"""First come, first served, and EASY backfilling on users' estimates or predicted run times."""

from dataclasses import dataclass
from typing import final

import numpy as np

from replication.simulator.kernels import easy as plain
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.kernels import ordered_list, reservations
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError


@final
@dataclass(frozen=True)
class FCFS(Scheduler):
    """First come, first served; no backfilling. It ignores estimates."""

    validated = False
    draws_at_random = False
    uses_estimates = False

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        return _plain(workload, estimate, False)[0]


@final
@dataclass(frozen=True)
class EASY(options.WithProfile, Scheduler):
    """EASY backfilling (Lifka 1995), on the users' estimates or on predictions."""

    validated = False
    draws_at_random = False

    predictor: Predictor = options.predictor()
    candidates: options.Candidates = options.candidates()
    reservations: int = options.reservations()
    candidates_limit: int | None = options.candidates_limit()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()

    def __post_init__(self):
        super().__post_init__()
        if self.has_profile and self.candidates_limit is not None:
            raise SchedulerError(f"{self!r}: allowed with several reservations: no limit")

    @property
    def is_plain(self) -> bool:
        """Whether this is textbook EASY on the users' estimates, which has the fastest kernel."""
        return all(getattr(self, name) == option.default for name, option in self.options().items())

    def check_room(self, workload, estimate) -> None:
        """Raise SchedulerError if the times or the number of jobs exceed the keys of the kernel
        with predictions.
        """
        if not self.is_plain:
            super().check_room(workload, estimate)

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        if self.is_plain:
            return _with_estimates(_plain(workload, estimate, True)[0], estimate)
        return super().run(workload, estimate, seed)

    def run_observed(self, workload, estimate, seed) -> tuple:
        """Return columns, order and submissions as `options.run_observed` does."""
        if self.has_profile:
            raise SchedulerError(f"{self!r} cannot be observed; allowed: one reservation")
        if not self.is_plain:
            return options.run_observed(self, workload, estimate, seed)
        columns, order = _plain(workload, estimate, True)
        submitted = np.searchsorted(workload.submit, columns["start"][order], side="right")
        return _with_estimates(columns, estimate), order, submitted

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the order of the queue: all jobs alike, so in order of submission."""
        return (np.zeros(len(workload), np.int64),)

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules; for textbook EASY, those with predictions."""
        shortest_first = self.candidates == "shortest"
        if self.has_profile:
            rules = self.rules(
                reservations.Rules, reservations=self.reservations, shortest_first=shortest_first
            )
            return reservations.easy_with_reservations, rules
        limit = options.limit_of(self, "candidates_limit")
        rules = self.rules(lists.Rules, shortest_first=shortest_first, candidates_limit=limit)
        return lists.list_scheduler, rules


def _plain(workload, estimate, backfilling):
    """Return start and backfilled by name, and the jobs in order of start."""
    w, n = workload, len(workload)
    start, backfilled, order = np.full(n, -1), np.zeros(n, bool), np.empty(n, np.int64)
    estimate = options.numbers("estimates of run", estimate, n, ordered_list.LATEST)
    jobs = w.submit, w.run_time, estimate.astype(np.int64), w.processors, w.machine
    plain.easy(*jobs, backfilling, start, backfilled, order)
    return {"start": start, "backfilled": backfilled}, order


def _with_estimates(columns, estimate):
    """Add the predictions, which are the estimates from submission to start."""
    return columns | {"prediction": estimate, "first_prediction": estimate}
