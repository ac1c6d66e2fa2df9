"""The paper's findings as claims: each decided by a number, by the rule in
``data/published/heel_and_toe/claims.toml``.
"""

from replication.evidence.claims import totals
from replication.papers.heel_and_toe import (
    causes,
    claims_dynamics,
    claims_estimates,
    claims_performance,
)
from replication.papers.heel_and_toe.deciding import CLAIMS

# These fill the register when they are imported.
REGISTERED = claims_performance, claims_dynamics, claims_estimates, causes
evaluate = CLAIMS.evaluate
__all__ = ["CLAIMS", "evaluate", "totals"]
