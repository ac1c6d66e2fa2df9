"""Predictors of run times, with which a scheduler may plan in place of the users' estimates.

A predictor is a value; `Predictor` describes how one is defined. It is known once its module has
been imported.
"""

from replication.simulator.predictors.base import Predictor, PredictorError, compiled
from replication.simulator.predictors.cvh import CVH
from replication.simulator.predictors.history import Complete, Last, Tsafrir
from replication.simulator.predictors.known import Biased, Clairvoyant, Request, Virtual
from replication.simulator.predictors.top_percent import TopPercent

__all__ = [
    "CVH",
    "Biased",
    "Clairvoyant",
    "Complete",
    "Last",
    "Predictor",
    "PredictorError",
    "Request",
    "TopPercent",
    "Tsafrir",
    "Virtual",
    "compiled",
]
