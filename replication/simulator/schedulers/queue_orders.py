"""EASY backfilling over a queue in another order than that of arrival."""

from dataclasses import dataclass

from replication.simulator.choices import Number, option
from replication.simulator.kernels import queue_orders
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler

ORDERS = ("shortest", "smallest-area", "wfp3", "f1")  # in the order of the kernel's numbers
NO_LIMIT = 2**62


@dataclass(frozen=True)
class OrderedEASY(options.OnPredictions, Scheduler, name="easy-by"):
    """EASY backfilling over an ordered queue, with a waiting limit past which order is by arrival.

    Who is first in the order is the head and has the reservation; the others are tried for backfilling in the same
    order. The decisions are told in docs/semantics/queue_orders.md.
    """

    by: str = option(
        "shortest", ORDERS, "what the queue is ordered by, its head and its candidates", sign="="
    )
    limit: int | None = option(
        None,
        Number(0, NO_LIMIT, whole=True, or_none=True),
        "jobs that have waited so long go first, by arrival, s",
    )
    predictor: Predictor = options.predictor()
    refresh: str = options.refresh()
    correction: str = options.correction()

    def kernel(self):
        """The compiled function that decides, and the rules it follows."""
        limit = NO_LIMIT if self.limit is None else self.limit
        rules = self.rules(queue_orders.Rules, by=ORDERS.index(self.by), limit=limit)
        return queue_orders.ordered, rules
