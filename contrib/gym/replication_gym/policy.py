"""A trained policy as a scheduler, for `replication.simulate`, `compare` and `sweep`."""

from collections.abc import Callable

import numpy as np

import replication as rp
from replication_gym.environment import observe


class Policy(rp.PythonScheduler, name="gym-policy"):
    """A scheduler that begins the jobs which a policy chooses, as in the environment.

    Parameters
    ----------
    act : function of an observation and a mask
        Returns the action.
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
            mask = np.array([job.size <= self.free for job in self.queue[: self.slots]], bool)
            if not mask.any():
                return
            must_begin = not self.instants()
            mask = np.append(np.pad(mask, (0, self.slots - len(mask))), not must_begin)
            action = self.act(observe(self, self.slots), mask)
            if action == self.slots and mask[action]:
                return
            self.begin(self.queue[action if mask[action] else 0])
