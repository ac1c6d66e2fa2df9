"""Estimates of run times: the users' own, and models of them.

A model returns the estimate of each job in seconds: ``FModel(2).make(workload, seed)``.
"""

from replication.simulator.estimates.modal import Modal as Modal
from replication.simulator.estimates.models import Deterministic as Deterministic
from replication.simulator.estimates.models import EstimateError as EstimateError
from replication.simulator.estimates.models import EstimateModel as EstimateModel
from replication.simulator.estimates.models import FModel as FModel
from replication.simulator.estimates.models import Perfect as Perfect
from replication.simulator.estimates.models import Users as Users
from replication.simulator.estimates.models import cut_runs as cut_runs
from replication.simulator.estimates.models import limit as limit
from replication.simulator.estimates.models import whole_seconds as whole_seconds
