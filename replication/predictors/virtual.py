"""The run time with a random error."""

from dataclasses import dataclass

import numpy as np

from replication.basics.choices import Number, option
from replication.basics.seeding import generator
from replication.predictors.base import Predictor


@dataclass(frozen=True)
class Virtual(Predictor):
    """The run time times 1 + uniform(-error, error), to the nearest second (PV-EASY, section 5.2.2).

    Parameters
    ----------
    error : float
        Largest relative error, 0 to 1. The draw depends on the trace's name, its length, the error and the
        seed alone.
    """

    error: float = option(allowed=Number(0, 1), about="largest relative error", sign="=")

    def predicted(self, workload, request, seed):
        """Run times with their errors."""
        jobs, error = len(workload), float(self.error)
        draws = generator(workload.name, jobs, "virtual", error, int(seed)).random(jobs)
        return np.rint(workload.run_time * (1 + error * (2 * draws - 1)))
