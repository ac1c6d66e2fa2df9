"""EASY with interventions, which know what no scheduler can know and show the effect of a cause."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.predictors import Request
from replication.simulator.schedulers import options
from replication.simulator.schedulers.easy import EASY, observed
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError
from replication.simulator.workload import generator

Wild = Literal["allowed", "forbidden", "shorter", "longer", "half"]
PERMISSIONS = {
    "allowed": lists.BY_RESERVATION,
    "forbidden": lists.NEVER_WILD,
    "shorter": lists.WILD_IF_SHORTER,
    "longer": lists.WILD_IF_LONGER,
    "half": lists.BY_RESERVATION,
}


@dataclass(frozen=True)
class WildEASY(options.OnPredictions, Scheduler):
    """Textbook EASY on the users' estimates, with more or fewer wild backfills.

    A backfill is wild if it moves the time at which the head could really start (heel-and-toe,
    section 5). docs/semantics/observation.md defines the interventions. The jobs that
    ``wild="half"`` and `let_past` choose depend on the draw key of the workload, its length, the
    share and the seed.
    """

    validated = False
    #: Those of textbook EASY.
    predictor, correction = Request(), "request"

    wild: Wild = option(
        "allowed",
        get_args(Wild),
        "jobs whose wild backfills are allowed: all, none, those with a run time shorter or longer "
        "than the median of the waiting jobs, or half of the jobs, drawn at random",
    )
    let_past: float = option(
        0.0,
        Number(0, 1),
        "share of jobs, drawn at random, that pass a blocked head whenever they fit",
    )

    def __post_init__(self):
        super().__post_init__()
        if self.wild != "allowed" and self.let_past > 0:
            raise SchedulerError(f"{self!r}: allowed: either wild or let_past, not both")

    @property
    def draws_at_random(self) -> bool:
        """Whether the schedule depends on the seed, estimates aside."""
        return self.let_past > 0 or self.wild == "half"

    def run_observed(self, workload, estimate, seed) -> tuple:
        """Return the columns of `run` and the observations, as `EASY` does."""
        return observed(self, workload, estimate, seed)

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the permissions, and no order."""
        return self.permissions(workload, seed), options.NO_ORDER

    def permissions(self, workload, seed) -> np.ndarray:
        """Return the permission of each job to pass a head by `kernels.list_scheduler`, int8[n]."""
        n = len(workload)
        permissions = np.full(n, PERMISSIONS[self.wild], np.int8)
        if self.wild == "half":
            draws = generator(workload.draw_key, n, "wild", int(seed)).random(n)
            permissions[draws < 0.5] = lists.NEVER_WILD
        if self.let_past > 0:
            key = workload.draw_key, n, "let-past", self.let_past, int(seed)
            permissions[generator(*key).random(n) < self.let_past] = lists.WHENEVER_IT_FITS
        return permissions

    def kernel(self) -> tuple:
        """Return the kernel of EASY with predictions and the textbook's rules."""
        return EASY().kernel()
