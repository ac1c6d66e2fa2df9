"""EASY backfilling over a queue in another order than that of arrival."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from replication.simulator.choices import Number, option
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.kernels import reservations
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

By = Literal["shortest", "smallest-area", "wfp3", "f1"]  # in the order of the kernel's numbers
ORDERS = get_args(By)


@dataclass(frozen=True)
class OrderedEASY(options.WithProfile, Scheduler):
    """EASY backfilling over an ordered queue, with a waiting limit past which order is by arrival.

    The first job in the order is the head and has the reservation; the others are backfill
    candidates in the same order. docs/semantics/queue_orders.md defines the decisions, and
    docs/semantics/reservations.md those with other candidates or several reservations. WFP3 is of
    Tang and others (2009), F1 of Carastan-Santos and de Camargo (2017).
    """

    validated = False
    draws_at_random = False

    by: By | Callable = option(
        "shortest",
        options.WordsOrFunction(ORDERS),
        "order of the queue, its head and its candidates: by a name, or by a function of the "
        "workload",
    )
    limit: int | None = option(
        None,
        Number(0, lists.NO_LIMIT, whole=True, or_none=True),
        "jobs that have waited this long or longer come first, by arrival, s",
    )
    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()
    candidates: Literal["queue"] | Callable = option(
        "queue",
        options.WordsOrFunction(["queue"]),
        "order of the backfill candidates: the queue's, or that of a function",
    )
    reservations: int = options.reservations()
    candidates_limit: int | None = options.candidates_limit()

    def __post_init__(self):
        super().__post_init__()
        limits = self.limit, self.candidates_limit
        if self.has_profile and not (callable(self.by) and limits == (None, None)):
            raise SchedulerError(
                f"{self!r}: allowed with candidates or reservations: by a function, and no limit"
            )

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        if self.has_profile:
            rules = self.rules(
                reservations.Rules, reservations=self.reservations, shortest_first=False
            )
            return reservations.easy_with_reservations, rules
        order = lists.GIVEN if callable(self.by) else lists.SHORTEST + ORDERS.index(self.by)
        limits = {name: options.limit_of(self, name) for name in ("limit", "candidates_limit")}
        return lists.list_scheduler, self.rules(lists.Rules, order=order, **limits)

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the ranks of the queue and of the candidates,
        or no permissions and the order of the queue.
        """
        by = options.ranks(self, "by", workload, estimate)
        if self.has_profile:
            return by, options.ranks(self, "candidates", workload, estimate)
        return options.NO_PERMISSIONS, by
