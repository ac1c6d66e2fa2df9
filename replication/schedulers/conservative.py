"""Conservative backfilling and largest area first, both on predicted run times."""

from dataclasses import dataclass

from replication.basics.choices import option
from replication.basics.lazy import lazily
from replication.predictors import Predictor
from replication.schedulers import options
from replication.schedulers.scheduler import Scheduler

conservative = lazily("replication.core.conservative")
laf = lazily("replication.core.laf")


@dataclass(frozen=True)
class LargestAreaFirst(options.OnPredictions, Scheduler, name="laf"):
    """Largest predicted area first (Top Percent, section IV); no reservation.

    Parameters
    ----------
    predictor, refresh, order
        As of `replication.schedulers.easy.EASY`.
    """

    predictor: Predictor = options.predictor()
    refresh: str = options.refresh()
    order: str = options.order()

    def kernel(self):
        """The compiled function that decides, and what it calls the options."""
        rules = self.refresh == "pass", self.order == "submissions-first"
        return laf.largest_area_first, rules


@dataclass(frozen=True)
class Conservative(LargestAreaFirst, name="conservative"):
    """Conservative backfilling with compression (Mu'alem and Feitelson 2001), on predictions.

    Parameters
    ----------
    predictor, refresh, order, correction, events
        As of `replication.schedulers.easy.EASY`; events are never seen one by one without the plan.
    compression : {"all", "each"}
        After an end all reservations are made anew, or each in turn beside the others.
    """

    correction: str = options.correction()
    events: str = options.events("together", "by-plan")
    compression: str = option(
        "all",
        ("all", "each"),
        "after an end all reservations are made anew, or each in turn beside the others",
    )

    def kernel(self):
        """The compiled function that decides, and what it calls the options."""
        rules = conservative.Rules(
            refresh=self.refresh == "pass",
            correction=options.CORRECTIONS.index(self.correction),
            submissions_first=self.order == "submissions-first",
            by_plan=self.events == "by-plan",
            each=self.compression == "each",
        )
        return conservative.conservative, (rules,)
