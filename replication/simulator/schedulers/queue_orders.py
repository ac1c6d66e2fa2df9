"""EASY backfilling over a queue in another order than that of arrival."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final, get_args

from replication.simulator.choices import Number, option
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.kernels import reservations
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError

Order = Literal["shortest", "smallest-area", "wfp3", "f1"]  # in the order of the kernel's numbers
ORDERS = get_args(Order)


@final
@dataclass(frozen=True)
class OrderedEASY(options.WithProfile, Scheduler):
    """EASY backfilling over an ordered queue, with a waiting limit past which order is by arrival.

    The first job in the order is the head and has the reservation; the others are backfill
    candidates in the same order. docs/semantics/queue_orders.md defines the decisions, and
    docs/semantics/reservations.md those with several reservations. WFP3 is of
    Tang and others (2009), F1 of Carastan-Santos and de Camargo (2017).
    """

    validated = False
    draws_at_random = False

    order: Order | Callable = option(
        "shortest",
        options.WordsOrFunction(ORDERS),
        "order of the queue, its head and its candidates: by a name, or by a function of the "
        "workload",
    )
    waiting_limit: int | None = option(
        None,
        Number(0, lists.NO_LIMIT, whole=True, or_none=True),
        "jobs that have waited this long or longer come first, by arrival, s",
    )
    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()
    reservations: int = options.reservations()
    candidates_limit: int | None = options.candidates_limit()

    def __post_init__(self):
        super().__post_init__()
        limits = self.waiting_limit, self.candidates_limit
        if self.has_profile and not (callable(self.order) and limits == (None, None)):
            raise SchedulerError(
                f"{self!r}: allowed with several reservations: order by a function, and no limit"
            )

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        if self.has_profile:
            rules = self.rules(
                reservations.Rules, reservations=self.reservations, shortest_first=False
            )
            return reservations.easy_with_reservations, rules
        order = lists.GIVEN if callable(self.order) else lists.SHORTEST + ORDERS.index(self.order)
        rules = self.rules(
            lists.Rules,
            order=order,
            waiting_limit=options.limit_of(self, "waiting_limit"),
            candidates_limit=options.limit_of(self, "candidates_limit"),
        )
        return lists.list_scheduler, rules

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return the order of the queue."""
        return (options.ranks(self, "order", workload, estimate),)
