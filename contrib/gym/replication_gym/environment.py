"""The environment: a learner chooses, again and again in each scheduling pass, the waiting job that
begins next.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import gymnasium
import numpy as np

import replication as rp

#: Features of a waiting job, each from 0 to 1, in the order of the observation.
FEATURES = (
    "waits",  # 1; all features of an empty slot are 0
    "fits",  # 1 if it fits the free processors
    # 1 if it delays no plan: it is the head, ends by the head's shadow time, or fits the extra
    # processors
    "mild",
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

    An episode begins with an empty machine, or with `warm` earlier jobs, and ends when all jobs of
    its window have begun. At each step the learner sees the first `slots` waiting jobs by
    submission. Action k begins the job in slot k, action `slots` begins none and ends the pass.
    Passes in which no job fits are not shown. An action whose mask is False counts as none; where
    none is masked too, because nothing else would ever happen, it counts as the first job.

    Parameters
    ----------
    workload : replication.Workload or sequence of them, optional
        The logs from which windows are drawn, each as often as the others; by default 5,000
        synthetic jobs on 100 processors.
    jobs : int
        In a window; with all jobs of the log there is one window.
    slots : int
    measure : {"bounded_slowdown", "wait"} or function of a schedule
        The rewards of an episode add up to minus its mean over the jobs; of the bounded slowdown,
        less 1. A function of a `replication.Schedule` gives one reward at the end: minus its value.
    warm : int
        Number of jobs before the window that make the machine busy. EASY begins them, and the other
        jobs until the last of them has begun; from then on the learner decides. The measure is that
        of the window's jobs.
    baseline : bool
        Whether `reset` simulates EASY, and the info has the sum of its rewards as ``baseline``.
    head_first : bool
        Whether the first waiting job begins by itself as soon as it fits, so that the learner only
        chooses backfills.

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
        workload: rp.Workload | Sequence[rp.Workload] | None = None,
        jobs: int = 256,
        slots: int = 32,
        measure: Literal["bounded_slowdown", "wait"] | Callable = "bounded_slowdown",
        warm: int = 0,
        baseline: bool = False,
        head_first: bool = False,
    ):
        logs = rp.synthetic(5000, 100) if workload is None else workload
        self.workloads = [logs] if isinstance(logs, rp.Workload) else list(logs)
        shortest = min(map(len, self.workloads))
        if warm < 0 or not 1 <= jobs <= shortest - warm:
            raise ValueError(
                f"jobs {jobs} after {warm}; expected 1 or more, together at most the log's "
                f"{shortest}"
            )
        if slots < 1:
            raise ValueError(f"slots {slots}; expected 1 or more")
        if measure not in ("bounded_slowdown", "wait") and not callable(measure):
            raise ValueError(
                f"measure {measure!r}; expected bounded_slowdown, wait or a function of a schedule"
            )
        self.jobs, self.slots, self.measure = jobs, slots, measure
        self.warm, self.baseline, self.head_first = warm, baseline, head_first
        shape = (slots * len(FEATURES) + len(MACHINE_FEATURES),)
        self.observation_space = gymnasium.spaces.Box(0, 1, shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(slots + 1)

    def reset(self, *, seed=None, options=None):
        """Begin an episode with the window drawn by `seed`, or at job ``options["first"]`` of the
        log.

        With several logs ``options["workload"]`` is the number of the log, from 0.
        """
        super().reset(seed=seed)
        options, number = options or {}, 0
        if wrong := [name for name in options if name not in ("first", "workload")]:
            raise ValueError(f"options {wrong[0]!r}; expected first or workload")
        if len(self.workloads) > 1:
            number = int(self.np_random.integers(len(self.workloads)))
        number = options.get("workload", number)
        if number not in range(len(self.workloads)):
            raise ValueError(f"workload {number}; expected 0 to {len(self.workloads) - 1}")
        log = self.workloads[number]
        last = len(log) - self.jobs
        drawn = self.warm + int(self.np_random.integers(last - self.warm + 1))
        self.first = options.get("first", drawn)
        if not self.warm <= self.first <= last:
            raise ValueError(f"first {self.first}; expected {self.warm} to {last}")
        self.window = log.take(slice(self.first - self.warm, self.first + self.jobs))
        self.loop = rp.EventLoop(self.window)
        self._passes = self.loop.passes()
        self._begun_cost, self._cost = 0.0, 0.0
        self._warm_up()
        observation, info = self._state()
        info["log"] = log.name
        if self.baseline:
            info["baseline"] = -self._mean_of(rp.simulate(self.window, rp.EASY()))
        return observation, info

    def step(self, action):
        """Begin a job or end the pass; return observation, reward, terminated, False and the info
        with the mask.
        """
        action = permitted_action(action, self.action_masks())
        if action == self.slots:
            self._next_pass()
        else:
            self._begin(self.loop.queue[action])
            if not self._has_choice():
                self._next_pass()
        observation, info = self._state()
        return observation, self._reward(), self.is_over, False, info

    def _reward(self):
        """Return minus the increase of the measure since the last step."""
        if callable(self.measure):
            return -self._mean_of(self._schedule()) if self.is_over else 0.0
        cost = self._begun_cost + sum(map(self._cost_of, self.loop.queue))
        reward, self._cost = (self._cost - cost) / self.jobs, cost
        return reward

    def _begin(self, job):
        if not callable(self.measure):
            self._begun_cost += self._cost_of(job)
        self.loop.begin(job)

    def _warm_up(self):
        """Begin jobs as EASY until all jobs before the window have begun; go on to the
        next choice.
        """
        while None in self.loop.start[: self.warm]:
            next(self._passes)
            everyone = len(self.loop.queue)
            while (action := easy_action(self.loop, everyone)) < len(self.loop.queue):
                self._begin(self.loop.queue[action])
        if self.warm:
            self._begin_heads()
        if not (self.warm and self._has_choice()):
            self._next_pass()

    def _schedule(self):
        """Return the schedule of an episode that is over."""
        columns = {name: np.array(getattr(self.loop, name)) for name in ("start", "backfilled")}
        return rp.Schedule(self.window, None, None, None, estimate=self.window.estimate, **columns)

    def _mean_of(self, schedule):
        """Return the measure of the window's jobs in a schedule that includes those before them."""
        part = slice(self.warm, None)
        if callable(self.measure):
            columns = {name: getattr(schedule, name)[part] for name in ("start", "backfilled")}
            window = self.window.take(part)
            schedule = rp.Schedule(window, None, None, None, estimate=window.estimate, **columns)
            return float(self.measure(schedule))
        if self.measure == "wait":
            return float(schedule.wait[part].mean())
        return float(schedule.jobs["bounded_slowdown"][part].mean()) - 1

    def action_masks(self) -> np.ndarray:
        """Return the permitted actions, bool[slots + 1], in the form that maskable learners ask
        for.
        """
        return action_mask(self.loop, self.slots)

    @property
    def is_over(self) -> bool:
        """Whether all jobs have begun."""
        return None not in self.loop.start

    def _has_choice(self):
        free = self.loop.free
        return any(job.size <= free for job in self.loop.queue[: self.slots])

    def _begin_heads(self):
        """Begin the first waiting jobs as long as they fit, if they go first."""
        while self.head_first and self.loop.queue and self.loop.queue[0].size <= self.loop.free:
            self._begin(self.loop.queue[0])

    def _next_pass(self):
        """Process events up to the next pass with a choice, or to the end."""
        for _ in self._passes:
            self._begin_heads()
            if self._has_choice():
                return

    def _cost_of(self, job):
        """Return the measure of a job that begins now; 0 for those before the window."""
        if job.index < self.warm:
            return 0.0
        waited = self.loop.now - job.submit
        if self.measure == "wait":
            return float(waited)
        run_time = self.loop.length(job)
        return max((waited + run_time) / max(run_time, SHORTEST), 1.0) - 1

    def _state(self):
        observation = observe(self.loop, self.slots)
        return observation, {"action_mask": self.action_masks(), "first": self.first}


def action_mask(loop: rp.EventLoop, slots: int) -> np.ndarray:
    """Return the permitted actions of a simulation, bool[slots + 1]."""
    mask = np.zeros(slots + 1, bool)
    for k, job in enumerate(loop.queue[:slots]):
        mask[k] = job.size <= loop.free
    mask[slots] = not loop.queue or bool(loop.instants())
    return mask


def permitted_action(action: int, mask: np.ndarray) -> int:
    """Return the action itself if its mask is True; else none, or the first job where none is
    masked too. ValueError for an action outside of the space.
    """
    if not gymnasium.spaces.Discrete(len(mask)).contains(action):
        raise ValueError(f"action {action!r}; expected a whole number from 0 to {len(mask) - 1}")
    none = len(mask) - 1
    return int(action) if mask[action] else none if mask[none] else 0


def observe(loop: rp.EventLoop, slots: int) -> np.ndarray:
    """Return the observation of a simulation, float32[slots x len(FEATURES) +
    len(MACHINE_FEATURES)].
    """
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
    """Return the action of EASY: the head, or else the first job that does not delay it, or else
    none.
    """
    for k, job in enumerate(loop.queue[:slots]):
        if k == 0:
            if job.size <= loop.free:
                return 0
            time, extra = loop.reservation(job)
        elif job.size <= loop.free and (loop.now + loop.planned(job) <= time or job.size <= extra):
            return k
    return slots
