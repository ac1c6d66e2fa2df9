"""The base class of schedulers in Python: a method decides at each pass which jobs begin."""

import functools
import types
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import ClassVar, dataclass_transform

import numpy as np

from replication.simulator.kernels import memory as compiled
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import options
from replication.simulator.schedulers.event_loop import EventLoop, LoopOptions
from replication.simulator.schedulers.scheduler import Scheduler, SchedulerError
from replication.simulator.workload import Job, Workload


@dataclass_transform()  # for type checkers: a subclass needs no decorator
@dataclass(frozen=True, kw_only=True)
class PythonScheduler(EventLoop, Scheduler, name=""):
    """A scheduler in Python, which decides at each pass and leaves the events to the `EventLoop`.

    A subclass defines `schedule`, and its options as annotated fields. It may keep state on
    ``self``, which is a new copy in each simulation::

        class Smallest(rp.PythonScheduler):
            most: int = 64

            def schedule(self, now):
                for job in sorted(self.queue, key=lambda job: job.size):
                    if job.size <= min(self.free, self.most):
                        self.begin(job)

    `EventLoop` has the attributes and methods: `queue`, `running`, `free`, `machine`, `planned`,
    `planned_end`, `reservation`, `earliest_start`, `begin`, `end`, `wake` and `resize`. Options and
    state have other names.

    Attributes
    ----------
    seed : int
        Seed of the simulation. A scheduler that uses it sets ``draws_at_random = True`` in its
        class; SchedulerError without.
    """

    @property
    def draws_at_random(self) -> bool:
        """Whether the scheduler depends on the seed: False by default, but for a class with a `run`
        of its own.
        """
        return type(self).run is not PythonScheduler.run

    statements: ClassVar[dict] = Scheduler.statements | {"draws_at_random": draws_at_random}

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        if not self.draws_at_random:
            raise SchedulerError(f"{self!r} reads seed; its class lacks draws_at_random = True")
        return self._seed

    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    correction: options.Correction = options.correction()

    @classmethod
    def decorates_itself(cls) -> bool:
        """Return True: a subclass needs no decorator."""
        return True

    def __init_subclass__(cls, **how):
        for base in set(cls.__mro__) - set(PythonScheduler.__mro__):
            attributes, options = vars(base), vars(base).get("__annotations__", ())
            for name in TAKEN & {*attributes, *options}:
                is_method = callable(attributes.get(name)) and name not in options
                if not (is_method and callable(getattr(PythonScheduler, name, None))):
                    raise SchedulerError(
                        f"{base.__name__}.{name}: the event loop has this name; expected another "
                        "one for an option or an attribute"
                    )
        super().__init_subclass__(**how)

    def prepare(self, workload: Workload) -> None:
        """Prepare before the first event.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
            All jobs with their run times, which a scheduler that is not clairvoyant ignores.
        """

    def schedule(self, now: int) -> None:
        """Begin jobs in one scheduling pass, after the events of an instant.

        Parameters
        ----------
        now : int, s
        """
        raise NotImplementedError(f"{type(self).__name__} has no method schedule(now)")

    def end(self, job: Job, keep: int = 0) -> None:
        """Preempt a running job, see `EventLoop.end`; SchedulerError
        if the predictor uses the starts of jobs.
        """
        if self.predictor.has_begin:
            raise SchedulerError(
                f"{self!r}: {self.predictor!r} uses the starts of jobs, which preemption repeats; "
                "allowed with end: predictors without a method begin"
            )
        super().end(job, keep)

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        simulation = deepcopy(replace(self))  # options may be choices with a state
        simulation.__class__ = _unguarded(type(self))
        with self.predictor.memory(workload, estimate, seed) as memory:
            EventLoop.__init__(simulation, workload, estimate, _Predictions(memory))
            simulation._seed = seed
            simulation.loop_options = LoopOptions(self.refresh, self.correction)
            before = dict(vars(simulation))
            try:
                simulation.prepare(workload)
                _refuse_assignments(self, simulation, before, CHANGING[:2])
                for now in simulation.passes():
                    try:
                        simulation.schedule(now)
                    except Exception as error:
                        error.add_note(f"in {self!r}.schedule at {now} s")
                        raise
            finally:  # such an assignment may be the cause of another error
                _refuse_assignments(self, simulation, before, CHANGING)
        return simulation.columns()


#: Names that options and attributes of a scheduler cannot have.
TAKEN = {name for name in (*vars(EventLoop), *EventLoop.__annotations__) if name[0] != "_"}
TAKEN |= {"options", "prepare", "run", "schedule", "seed"}
#: Attributes that the event loop replaces in a simulation; the first two also before it.
CHANGING = ("machine", "free", "now", "queue", "running")


def _refuse_assignments(scheduler, simulation, before, changing):
    """Raise SchedulerError if an option or an attribute of the event loop was replaced; those that
    are `changing` may have another value of the same type.
    """
    for name, value in before.items():
        present = getattr(simulation, name)
        same = type(present) is type(value) if name in changing else present is value
        if not (same or name.startswith("_")):
            raise SchedulerError(
                f"{scheduler!r} assigns to self.{name}, which is an option or the event loop's; "
                "expected another name for its state"
            )


@functools.cache
def _unguarded(kind):
    """Return a subclass for simulations, which does not test each assignment to ``self``."""

    def fill(body):
        body["__setattr__"] = object.__setattr__
        body.update((name, vars(kind)[name]) for name in kind.statements)

    return types.new_class(kind.__name__, (kind,), {"name": ""}, fill)


class _Predictions:
    """A predictor of any kind as the `EventLoop` calls it."""

    def __init__(self, memory):
        self.memory = memory
        self.known = memory.known.tolist() if memory.predict == 0 else None

    def predict(self, job, now):
        return compiled.predict(self.memory, job, now) if self.known is None else self.known[job]

    def begin(self, job, now):
        if self.memory.begin:
            compiled.begin(self.memory, job, now)

    def learn(self, job, now):
        if self.memory.learn:
            compiled.learn(self.memory, job, now)
