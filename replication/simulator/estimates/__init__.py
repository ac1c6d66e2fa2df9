"""Estimates of run times: the users' own, and models of them.

A model turns a workload into seconds for each of its jobs: ``FModel(2).make(workload, seed)``.
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
    truncated,
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
    "truncated",
    "whole_seconds",
]
