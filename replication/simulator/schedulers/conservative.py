"""Conservative backfilling and largest area first, both on predicted run times."""

from dataclasses import dataclass

from replication.simulator.choices import option
from replication.simulator.kernels import conservative, laf
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.scheduler import Scheduler


@dataclass(frozen=True)
class LargestAreaFirst(options.OnPredictions, Scheduler, name="laf"):
    """Largest predicted area first (Top Percent, section IV); no reservation."""

    predictor: Predictor = options.predictor()
    refresh: str = options.refresh()
    order: str = options.order()

    def kernel(self):
        """The compiled function that decides, and the rules it follows."""
        return laf.largest_area_first, self.rules(laf.Rules)


@dataclass(frozen=True)
class Conservative(LargestAreaFirst, name="conservative"):
    """Conservative backfilling with compression (Mu'alem and Feitelson 2001), on predictions."""

    correction: str = options.correction()
    events: str = options.events("together", "by-plan")
    compression: str = option(
        "all",
        ("all", "each"),
        "after an end all reservations are made anew, or each in turn beside the others",
    )

    def last_second(self, workload, estimate):
        """A bound on all times, float, s."""
        return options.last_reserved_second(workload, estimate)

    def kernel(self):
        """The compiled function that decides, and the rules it follows."""
        rules = self.rules(conservative.Rules, each=self.compression == "each")
        return conservative.conservative, rules
