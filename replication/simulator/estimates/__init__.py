"""What users say of run times: their own estimates, and models of them.

In comes a workload, out come seconds for each of its jobs: ``FModel(2).make(workload, seed)``.
"""

from replication.simulator.estimates.modal import Modal
from replication.simulator.estimates.model import (
    EstimateError,
    EstimateModel,
    cut_runs,
    limit,
    truncated,
    whole_seconds,
)
from replication.simulator.estimates.models import Deterministic, Exact, FModel, Users

__all__ = [
    "Deterministic",
    "EstimateError",
    "EstimateModel",
    "Exact",
    "FModel",
    "Modal",
    "Users",
    "cut_runs",
    "limit",
    "truncated",
    "whole_seconds",
]
