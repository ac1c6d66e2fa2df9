"""Predictors of run times: what a scheduler may plan with in place of the user's estimate.

In goes a workload with the users' requests; out comes a predictor's memory, which the schedulers' kernels ask
through `replication.simulator.kernels.predicting`. A predictor is one file: a frozen dataclass that says which, the arrays
it keeps, and its compiled functions; those that keep the same arrays share one. One more is added in a file of one's own,
inside the package or outside it (`tests/predictors/test_added_predictor.py` shows one); it is known once it has been imported.
"""

from replication.simulator.predictors.base import Predictor, PredictorError
from replication.simulator.predictors.biased import Biased
from replication.simulator.predictors.complete import Complete
from replication.simulator.predictors.cvh import CVH
from replication.simulator.predictors.known import (
    Clairvoyant,
    LastSubmitted,
    Request,
    Scaled,
    Virtual,
)
from replication.simulator.predictors.newest import Last, Tsafrir
from replication.simulator.predictors.top_percent import TopPercent

__all__ = [
    "CVH",
    "Biased",
    "Clairvoyant",
    "Complete",
    "Last",
    "LastSubmitted",
    "Predictor",
    "PredictorError",
    "Request",
    "Scaled",
    "TopPercent",
    "Tsafrir",
    "Virtual",
]
