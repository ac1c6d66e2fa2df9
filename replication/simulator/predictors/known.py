"""Predictors that do not learn: the user's estimate, run time, run time with an error;
and another predictor times a factor.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels import memory as kernel
from replication.simulator.predictors.base import Predictor, compiled
from replication.simulator.workload import generator


@dataclass(frozen=True)
class Estimate(Predictor):
    """The user's estimate: no prediction (Reqtime in Top Percent, section IV.A)."""

    draws_at_random = False
    changes_only_at_ends = True

    def predictions(self, workload, estimate, seed) -> np.ndarray:
        """Return the estimates."""
        return estimate


@dataclass(frozen=True)
class Clairvoyant(Predictor):
    """The true run time (Clairvoyant in Top Percent, section IV.A; virtual error 0 in PV-EASY)."""

    draws_at_random = False
    changes_only_at_ends = True

    def predictions(self, workload, estimate, seed) -> np.ndarray:
        """Return the run times."""
        return workload.run_time


@dataclass(frozen=True)
class Virtual(Predictor):
    """The run time times (1 + bias) (1 + uniform(-error, error)), to the nearest second
    (PV-EASY, section 5.2.2).

    The paper has errors up to 1 and no bias. Beyond them a prediction is at least 0, and at most
    the estimate or twice the run time. The draw depends on the workload's `draw_key`, its length,
    the error and the seed alone.
    """

    changes_only_at_ends = True

    error: float = option(allowed=Number(0, 2), about="largest relative error")
    bias: float = option(0.0, Number(-1), "relative error of all predictions")

    @property
    def draws_at_random(self) -> bool:
        """Whether predictions depend on the seed; without an error they do not."""
        return self.error > 0

    def predictions(self, workload, estimate, seed) -> np.ndarray:
        """Return the run times with their errors."""
        jobs, error = len(workload), float(self.error)
        draws = generator(workload.draw_key, jobs, "virtual", error, int(seed)).random(jobs)
        run_time, factor = workload.run_time, np.maximum(1 + error * (2 * draws - 1), 0)
        predicted = np.rint(run_time * (1 + float(self.bias)) * factor)
        return np.minimum(predicted, np.maximum(estimate, 2 * run_time))


@dataclass(frozen=True)
class Biased(Predictor):
    """The predictions of another predictor times a factor: another bias, in the same order.

    They are rounded to the nearest second and at most the estimate.
    """

    of: Predictor = option(allowed=Predictor, about="the other predictor")
    factor: float = option(1.0, Number(0), "multiplies its predictions")

    @property
    def draws_at_random(self) -> bool:
        """Whether the other predictor depends on the seed."""
        return self.of.draws_at_random

    @property
    def changes_only_at_ends(self) -> bool:
        """Whether the predictions of the other predictor change only when jobs end."""
        return self.of.changes_only_at_ends

    @property
    def is_compiled(self) -> bool:
        """Whether the other predictor calls no Python."""
        return self.of.is_compiled

    @property
    def has_begin(self) -> bool:
        """Whether the other predictor uses the starts of jobs."""
        return self.of.has_begin

    def tables(self, workload, estimate, seed) -> dict:
        """Return the factor and the memory of the other predictor."""
        return {"factor": self.factor, "of": self.of._memory(workload, estimate, seed)}

    @compiled
    def predict(memory, job, now) -> int:
        """Return the prediction of the other predictor times the factor."""
        prediction = kernel.predict(memory.of, job, now)
        # Limited before it becomes a whole number, which a large factor's product may not fit.
        return np.int64(min(np.rint(memory.factor * prediction), np.float64(memory.estimate[job])))

    @compiled
    def begin(memory, job, now) -> None:
        """Notify the other predictor of a start."""
        kernel.begin(memory.of, job, now)

    @compiled
    def learn(memory, job, now) -> None:
        """Let the other predictor learn from an ended job."""
        kernel.learn(memory.of, job, now)
