"""The true run time."""

from dataclasses import dataclass

from replication.predictors.base import Predictor


@dataclass(frozen=True)
class Clairvoyant(Predictor, name="perfect"):
    """The true run time (Clairvoyant in Top Percent, section IV.A; virtual error 0 in PV-EASY)."""

    draws_at_random = False

    def predicted(self, workload, request, seed):
        """The run times."""
        return workload.run_time
