"""Conservative backfilling and largest area first, both on predicted run times."""

from dataclasses import dataclass

from replication.basics.lazy import lazily
from replication.predictors import Predictor
from replication.schedulers import options
from replication.schedulers.scheduler import Scheduler

conservative = lazily("replication.core.conservative")
laf = lazily("replication.core.laf")


@dataclass(frozen=True)
class Conservative(Scheduler):
    """Conservative backfilling with compression (Mu'alem and Feitelson 2001), on predictions.

    Parameters
    ----------
    predictor, refresh, correction, order
        As of `replication.schedulers.easy.EASY`.
    """

    validated = False
    draws_at_random = False

    predictor: Predictor = options.predictor()
    refresh: str = options.refresh()
    correction: str = options.correction()
    order: str = options.order()

    def check_room(self, workload, estimate):
        """Refuse what the kernel cannot count."""
        options.check_room(workload, estimate)

    def run(self, workload, estimate, seed):
        """The columns it decides; see `replication.schedulers.scheduler.Scheduler.run`."""
        decided = options.undecided(workload)
        conservative.conservative(
            self.predictor.memory(workload, estimate, seed),
            workload.machine,
            self.refresh == "pass",
            options.CORRECTIONS.index(self.correction),
            self.order == "submissions-first",
            decided["start"],
            decided["backfilled"],
            decided["first_prediction"],
            decided["prediction"],
        )
        return decided


@dataclass(frozen=True)
class LargestAreaFirst(Scheduler, name="laf"):
    """Largest predicted area first (Top Percent, section IV); no reservation.

    Parameters
    ----------
    predictor, refresh, order
        As of `replication.schedulers.easy.EASY`.
    """

    validated = False
    draws_at_random = False

    predictor: Predictor = options.predictor()
    refresh: str = options.refresh()
    order: str = options.order()

    def check_room(self, workload, estimate):
        """Refuse what the kernel cannot count."""
        options.check_room(workload, estimate)

    def run(self, workload, estimate, seed):
        """The columns it decides; see `replication.schedulers.scheduler.Scheduler.run`."""
        decided = options.undecided(workload)
        laf.largest_area_first(
            self.predictor.memory(workload, estimate, seed),
            workload.machine,
            self.refresh == "pass",
            self.order == "submissions-first",
            decided["start"],
            decided["backfilled"],
            decided["first_prediction"],
            decided["prediction"],
        )
        return decided
