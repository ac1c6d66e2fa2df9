"""The user's request, as it is."""

from dataclasses import dataclass

from replication.predictors.base import Predictor


@dataclass(frozen=True)
class Request(Predictor):
    """The request itself: a scheduler without predictions (Reqtime in Top Percent, section IV.A)."""

    draws_at_random = False

    def predicted(self, workload, request, seed):
        """The requests."""
        return request
