"""An environment for learning schedulers on the event loop of `replication`; importing it registers
``Backfill-v0``.
"""

import gymnasium

from replication_gym.environment import FEATURES, MACHINE_FEATURES, Backfill, easy_action
from replication_gym.policy import Policy

gymnasium.register("Backfill-v0", entry_point="replication_gym.environment:Backfill")

__all__ = ["FEATURES", "MACHINE_FEATURES", "Backfill", "Policy", "easy_action"]
