"""A trained policy as a scheduler, for `replication.simulate`, `compare` and `sweep`."""

from collections.abc import Callable

import replication as rp
from replication_gym.environment import action_mask, observe, permitted_action


class Policy(rp.PythonScheduler, name="gym-policy"):
    """A scheduler that begins the jobs which a policy chooses, as in the environment.

    Parameters
    ----------
    act : function of an observation and a mask
        Returns the action. As in the environment, one whose mask is False counts as none, or as the
        first job where none is masked too.
    slots : int
    head_first : bool
        As in the environment.
    """

    act: Callable = None
    slots: int = 32
    head_first: bool = False

    def schedule(self, now):
        """Begin jobs until the policy chooses none, or no job fits."""
        while self.head_first and self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
        while True:
            mask = action_mask(self, self.slots)
            if not mask[:-1].any():
                return
            action = permitted_action(self.act(observe(self, self.slots), mask), mask)
            if action == self.slots:
                return
            self.begin(self.queue[action])
