"""The environment: a learner chooses, again and again in each scheduling pass, the waiting job that begins next."""

from typing import Literal

import gymnasium
import numpy as np

import replication as rp

#: Features of a waiting job, each from 0 to 1, in the order of the observation.
FEATURES = (
    "waits",  # 1; all features of an empty slot are 0
    "fits",  # 1 if it fits the free processors
    "mild",  # 1 if it delays no plan: it is the head, ends by the head's shadow time, or fits the extra processors
    "size",  # share of the machine
    "planned",  # logarithm of the planned run time
    "waited",  # logarithm of the time since its submission
)
#: Features of the machine and the queue, which follow those of all slots.
MACHINE_FEATURES = (
    "free",  # share of the machine
    "queue",  # logarithm of the number of waiting jobs
    "shadow",  # logarithm of the time to the head's shadow time
    "extra",  # extra processors at that time, share of the machine
)
WEEK = 604_800  # s; logarithms reach 1 there
SHORTEST = 10  # s, the bound of the bounded slowdown


class Backfill(gymnasium.Env):
    """A window of a log, scheduled job by job.

    An episode begins with an empty machine and ends when all jobs of its window have begun. At each step the learner
    sees the first `slots` waiting jobs by submission. Action k begins the job in slot k, action `slots` begins none and
    ends the pass. Passes in which no job fits are not shown. An action whose mask is False counts as none; where none is
    masked too, because nothing else would ever happen, it counts as the first job.

    Parameters
    ----------
    workload : replication.Workload, optional
        The log from which windows are drawn; by default 5,000 synthetic jobs on 100 processors.
    jobs : int
        In a window; with all jobs of the log there is one window.
    slots : int
    measure : {"bounded_slowdown", "wait"}
        The rewards of an episode add up to minus its mean over the jobs; of the bounded slowdown, less 1.

    Attributes
    ----------
    observation_space : Box(0, 1, (slots x len(FEATURES) + len(MACHINE_FEATURES),), float32)
        `FEATURES` of slot 0, of slot 1, ..., then `MACHINE_FEATURES`. Run times are hidden.
    action_space : Discrete(slots + 1)
    loop : replication.EventLoop
        The simulation of the present episode.
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        workload: rp.Workload | None = None,
        jobs: int = 256,
        slots: int = 32,
        measure: Literal["bounded_slowdown", "wait"] = "bounded_slowdown",
    ):
        self.workload = rp.synthetic(5000, 100) if workload is None else workload
        if not 1 <= jobs <= len(self.workload):
            raise ValueError(f"jobs {jobs}; expected 1 to the log's {len(self.workload)}")
        if slots < 1:
            raise ValueError(f"slots {slots}; expected 1 or more")
        if measure not in ("bounded_slowdown", "wait"):
            raise ValueError(f"measure {measure!r}; expected bounded_slowdown or wait")
        self.jobs, self.slots, self.measure = jobs, slots, measure
        shape = (slots * len(FEATURES) + len(MACHINE_FEATURES),)
        self.observation_space = gymnasium.spaces.Box(0, 1, shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(slots + 1)

    def reset(self, *, seed=None, options=None):
        """Begin an episode with the window drawn by `seed`, or at job ``options["first"]`` of the log."""
        super().reset(seed=seed)
        last = len(self.workload) - self.jobs
        drawn = int(self.np_random.integers(last + 1))
        self.first = (options or {}).get("first", drawn)
        if not 0 <= self.first <= last:
            raise ValueError(f"first {self.first}; expected 0 to {last}")
        self.loop = rp.EventLoop(self.workload.take(slice(self.first, self.first + self.jobs)))
        self._passes = self.loop.passes()
        self._begun_cost, self._cost = 0.0, 0.0
        self._next_pass()
        return self._state()

    def step(self, action):
        """Begin a job or end the pass; return observation, reward, terminated, False and the info with the mask."""
        mask = self.action_masks()
        if not mask[action]:
            action = self.slots if mask[self.slots] else 0
        if action == self.slots:
            self._next_pass()
        else:
            job = self.loop.queue[action]
            self._begun_cost += self._cost_of(job)
            self.loop.begin(job)
            if not self._has_choice():
                self._next_pass()
        cost = self._begun_cost + sum(map(self._cost_of, self.loop.queue))
        reward, self._cost = (self._cost - cost) / self.jobs, cost
        observation, info = self._state()
        return observation, reward, self.is_over, False, info

    def action_masks(self) -> np.ndarray:
        """Return the permitted actions, bool[slots + 1], in the form that maskable learners ask for."""
        mask = np.zeros(self.slots + 1, bool)
        for k, job in enumerate(self.loop.queue[: self.slots]):
            mask[k] = job.size <= self.loop.free
        mask[self.slots] = self.is_over or bool(self.loop.instants())
        return mask

    @property
    def is_over(self) -> bool:
        """Whether all jobs have begun."""
        return None not in self.loop.start

    def _has_choice(self):
        free = self.loop.free
        return any(job.size <= free for job in self.loop.queue[: self.slots])

    def _next_pass(self):
        """Process events up to the next pass with a choice, or to the end."""
        for _ in self._passes:
            if self._has_choice():
                return

    def _cost_of(self, job):
        """Return the measure of a job that begins now."""
        waited = self.loop.now - job.submit
        if self.measure == "wait":
            return float(waited)
        run_time = self.loop.length(job)
        return max((waited + run_time) / max(run_time, SHORTEST), 1.0) - 1

    def _state(self):
        observation = observe(self.loop, self.slots)
        return observation, {"action_mask": self.action_masks(), "first": self.first}


def observe(loop: rp.EventLoop, slots: int) -> np.ndarray:
    """Return the observation of a simulation, float32[slots x len(FEATURES) + len(MACHINE_FEATURES)]."""
    now, free, machine, waiting = loop.now, loop.free, loop.machine, loop.queue[:slots]
    jobs, others = np.zeros((slots, len(FEATURES))), np.zeros(len(MACHINE_FEATURES))
    others[:2] = free / machine, np.log1p(len(loop.queue)) / np.log1p(len(loop.jobs))
    if waiting:
        size, submit = np.array([(job.size, job.submit) for job in waiting]).T
        planned = np.array([loop.planned(job) for job in waiting])
        shadow, extra = loop.reservation(waiting[0])
        jobs[: len(waiting)] = np.column_stack(
            [
                np.ones(len(waiting)),
                size <= free,
                (now + planned <= shadow) | (size <= extra) | (np.arange(len(waiting)) == 0),
                size / machine,
                _logarithm(planned),
                _logarithm(now - submit),
            ]
        )
        others[2:] = _logarithm(shadow - now), extra / machine
    return np.concatenate([jobs.ravel(), others]).astype(np.float32)


def _logarithm(seconds):
    return np.minimum(np.log1p(seconds) / np.log1p(WEEK), 1)


def easy_action(loop: rp.EventLoop, slots: int) -> int:
    """Return the action of EASY: the head, or else the first job that does not delay it, or else none."""
    for k, job in enumerate(loop.queue[:slots]):
        if k == 0:
            if job.size <= loop.free:
                return 0
            time, extra = loop.reservation(job)
        elif job.size <= loop.free and (loop.now + loop.planned(job) <= time or job.size <= extra):
            return k
    return slots
