"""Conservative backfilling and largest area first, both on predicted run times."""

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from replication.simulator.choices import option
from replication.simulator.kernels import conservative
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler


@dataclass(frozen=True)
class _OnPredictions(options.OnPredictions):
    """The options of both."""

    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    ties: options.Ties = options.ties()


@final
@dataclass(frozen=True)
class LargestAreaFirst(_OnPredictions, Scheduler):
    """Largest predicted area first (Top Percent, section IV); no reservation."""

    validated = False
    draws_at_random = False

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        return lists.list_scheduler, self.rules(lists.Rules, order=lists.LARGEST_AREA)

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return an order of the queue, which the kernel ignores."""
        return (np.zeros(len(workload), np.int64),)


@final
@dataclass(frozen=True)
class Conservative(_OnPredictions, Scheduler):
    """Conservative backfilling with compression (Mu'alem and Feitelson 2001), on predictions."""

    draws_at_random = False

    correction: options.Correction = options.correction()
    events: Literal["together", "by-plan"] = options.events("together", "by-plan")
    compression: Literal["all", "each"] = option(
        "all",
        ("all", "each"),
        "after an end, all reservations are recomputed, or each in turn with the others in place",
    )

    def last_second(self, workload, estimate) -> float:
        """Return an upper bound on all times, float, s."""
        return options.last_reserved_second(workload, estimate)

    def kernel(self) -> tuple:
        """Return the compiled kernel and its rules."""
        rules = self.rules(conservative.Rules, each=self.compression == "each")
        return conservative.conservative, rules

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return no further arguments."""
        return ()
