"""What another predictor predicts, times a factor."""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import predicting
from replication.simulator.kernels.uncounted import uncounted
from replication.simulator.predictors.base import Predictor


@uncounted
def predict(memory, job, now):
    """The other's prediction times the factor, in whole seconds and at most the request."""
    other = predicting.predict(memory.of, job, now)
    # Cut before it is made a whole number, which a large factor's product may not fit.
    return np.int64(min(np.rint(memory.factor * other), np.float64(memory.request[job])))


@uncounted
def begun(memory, job, now):
    """Let the other take note of a start."""
    predicting.begun(memory.of, job, now)


@uncounted
def learn(memory, job, start, now):
    """Let the other learn from an end."""
    predicting.learn(memory.of, job, start, now)


@dataclass(frozen=True)
class Biased(Predictor, predict=predict, begun=begun, learn=learn):
    """Another's predictions times a factor: its order stays, its bias moves.

    Rounded to the nearest second, and at most the request.
    """

    of: Predictor = option(allowed=Predictor, about="whose predictions")
    factor: float = option(1.0, Number(0), "what they are multiplied with", sign="=")

    @property
    def draws_at_random(self):
        """As the other's."""
        return self.of.draws_at_random

    @property
    def asks_for_starts(self):
        """As the other's."""
        return self.of.asks_for_starts

    def tables(self, workload, request, seed):
        """The factor, and the other's memory."""
        return {"factor": self.factor, "of": self.of.memory(workload, request, seed)}
