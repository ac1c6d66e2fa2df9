"""The run time times a factor."""

from dataclasses import dataclass

import numpy as np

from replication.basics.choices import Number, option
from replication.predictors.base import Predictor


@dataclass(frozen=True)
class Scaled(Predictor):
    """The run time times a factor, to the nearest second: predictions that all err in one direction.

    Parameters
    ----------
    factor : float
        0 to 2.
    """

    draws_at_random = False

    factor: float = option(allowed=Number(0, 2), about="times the run time", sign="=")

    def predicted(self, workload, request, seed):
        """Run times times the factor."""
        return np.rint(workload.run_time * float(self.factor))
