"""EASY backfilling over a queue in another order than that of arrival."""

from dataclasses import dataclass
from typing import Literal, get_args

from replication.simulator.choices import Number, option
from replication.simulator.kernels import queue_orders
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler

By = Literal["shortest", "smallest-area", "wfp3", "f1"]  # in the order of the kernel's numbers
ORDERS = get_args(By)
NO_LIMIT = 2**62


@dataclass(frozen=True)
class OrderedEASY(options.OnPredictions, Scheduler, name="easy-by"):
    """EASY backfilling over an ordered queue, with a waiting limit past which order is by arrival.

    The first job in the order is the head and has the reservation; the others are backfill candidates in the same order.
    docs/semantics/queue_orders.md defines the decisions. WFP3 is of Tang and others (2009), F1 of Carastan-Santos and de
    Camargo (2017).
    """

    validated = False

    by: By = option("shortest", ORDERS, "order of the queue, its head and its candidates", sign="=")
    limit: int | None = option(
        None,
        Number(0, NO_LIMIT, whole=True, or_none=True),
        "jobs that have waited longer than this come first, by arrival, s",
    )
    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()

    def kernel(self):
        """Return the compiled kernel and its rules."""
        limit = NO_LIMIT if self.limit is None else self.limit
        rules = self.rules(queue_orders.Rules, by=ORDERS.index(self.by), limit=limit)
        return queue_orders.ordered, rules
