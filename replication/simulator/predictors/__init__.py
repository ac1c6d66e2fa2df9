"""Predictors of run times, with which a scheduler may plan in place of the users' estimates.

A predictor is a value; `Predictor` describes how one is defined. It is known once its module has
been imported.
"""

from replication.simulator.predictors.base import Predictor as Predictor
from replication.simulator.predictors.base import PredictorError as PredictorError
from replication.simulator.predictors.base import compiled as compiled
from replication.simulator.predictors.cvh import CVH as CVH
from replication.simulator.predictors.history import Complete as Complete
from replication.simulator.predictors.history import Last as Last
from replication.simulator.predictors.history import Tsafrir as Tsafrir
from replication.simulator.predictors.known import Biased as Biased
from replication.simulator.predictors.known import Clairvoyant as Clairvoyant
from replication.simulator.predictors.known import Estimate as Estimate
from replication.simulator.predictors.known import Virtual as Virtual
from replication.simulator.predictors.top_percent import TopPercent as TopPercent
