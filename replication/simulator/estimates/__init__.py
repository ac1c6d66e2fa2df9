"""Estimates of run times: the users' own, and models of them.

A model returns the estimate of each job in seconds: ``FModel(2).make(workload, seed)``.
"""

from replication.simulator.estimates.modal import Modal
from replication.simulator.estimates.models import (
    Deterministic,
    EstimateError,
    EstimateModel,
    Exact,
    FModel,
    Users,
    cut_runs,
    limit,
    whole_seconds,
)

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
    "whole_seconds",
]
