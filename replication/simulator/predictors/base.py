"""The base class of predictors, and the checks of their predictions."""

import inspect
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from itertools import count
from typing import Any, dataclass_transform

import numpy as np
from numba import njit, objmode
from numba.core.errors import NumbaError

from replication.simulator.choices import Choice, ChoiceError
from replication.simulator.kernels.memory import BASE, Memory
from replication.simulator.workload import EndedJob, Job, Workload

RESERVED = [name for name, _ in BASE] + ["tables"]


class PredictorError(ChoiceError):
    """A wrong predictor, option or prediction; the message lists the allowed values."""


def compiled(function: Callable) -> Any:
    """Compile a predictor's or a scheduler's function with numba.

    Functions outside this package check array bounds, which makes a simulation by EASY 5 to 20 %
    longer, and are compiled once in each process (about half a second for a predictor). Those of
    this package are stored on disk.
    """
    if function.__module__.partition(".")[0] == "replication":
        settings = {"cache": True, "error_model": "numpy", "_nrt": False}
    else:
        settings = {"boundscheck": True}
    return staticmethod(njit(nogil=True, **settings)(function))


@dataclass_transform()  # for type checkers: an online predictor needs no decorator
class Predictor(Choice, family="predictor"):
    """A predictor of run times, which a scheduler plans with in place of the user's estimate.

    A predictor defines `predict`, and `start`, `begin` and `learn` as needed. It keeps its state on
    ``self``, which is a new copy in each simulation. Outside of simulations the methods may be
    called as well::

        class LastOfUser(Predictor):
            def start(self, workload):
                self.last = {}

            def predict(self, job, now):
                return self.last.get(job.user, job.estimate)

            def learn(self, job, now):
                self.last[job.user] = job.run_time

    Two kinds of frozen dataclasses are faster; docs/extending.md has an example of each. A compiled
    predictor has the same methods as functions of (memory, job, now) decorated by `compiled`, where
    ``job`` is an index; `tables` returns its arrays, which ``memory`` has beside submit, run_time,
    estimate and size. A predictor that does not learn may define `predictions` alone.

    A simulation raises `PredictorError` for a prediction out of range and for an index out of
    bounds, with the job and the value.

    Attributes
    ----------
    draws_at_random : bool
        Whether the predictions depend on the seed.
    changes_only_at_ends : bool
        Whether the prediction of a waiting job, once made, stays the same until `learn` is called.
        Schedulers that know this ask less often.

    Both count for the class that states them, never for a subclass, and so does `classes`.
    """

    error = PredictorError
    decoration = (
        "define predict(job, now), or put @dataclass(frozen=True) before a compiled predictor"
    )
    draws_at_random = True
    changes_only_at_ends = False

    def __init_subclass__(cls, **keywords):
        _check_methods(cls)
        super().__init_subclass__(**keywords)

    @classmethod
    def decorates_itself(cls) -> bool:
        """Return whether the class is an online predictor, which needs no decorator."""
        return cls.is_online()

    @classmethod
    def is_online(cls) -> bool:
        """Return whether this is a predictor in Python that is called during the simulation."""
        return cls.predict is not Predictor.predict and not _is_compiled(cls, "predict")

    @property
    def is_compiled(self) -> bool:
        """Whether no method in Python is called during the simulation."""
        return not self.is_online()

    @property
    def has_begin(self) -> bool:
        """Whether the predictor uses the starts of jobs,
        of which a preemptive scheduler does not notify it.
        """
        return type(self).begin is not Predictor.begin

    def start(self, workload: Workload) -> None:
        """Prepare an online predictor before the first job.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
            All jobs with their run times, which a predictor that is not clairvoyant ignores.
        """

    def predict(self, job: Job, now: int) -> float:
        """Return the predicted run time of a waiting job.

        Parameters
        ----------
        job : Job
        now : int, s

        Returns
        -------
        number, s
            From 0. It is rounded to whole seconds; a larger prediction than the estimate counts as
            the estimate.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method predict(job, now)")

    def begin(self, job: Job, now: int) -> None:
        """Note that a job starts; called after the scheduling pass,
        for each started job in the order of the starts.

        Parameters
        ----------
        job : Job
        now : int, s
        """

    def learn(self, job: EndedJob, now: int) -> None:
        """Learn from a job when it ends.

        Parameters
        ----------
        job : EndedJob
            The job with its run time.
        now : int, s
        """

    def predictions(self, workload: Workload, estimate: np.ndarray, seed: int) -> np.ndarray:
        """Return the predictions of a predictor that does not learn.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        estimate : int64[n], s
            The users' estimates as the scheduler receives them.
        seed : int
            Seed of random predictors.

        Returns
        -------
        number[n], s
            Numbers from 0 to the estimate or twice the run time, whichever is more; they are
            rounded to whole seconds.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method predict or predictions")

    def tables(self, workload: Workload, estimate: np.ndarray, seed: int) -> dict:
        """Return the arrays and numbers of a compiled predictor before the first job, by name.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        estimate : int64[n], s
            The users' estimates as the scheduler receives them.
        seed : int
            Seed of random predictors.

        Returns
        -------
        dict of str to array or number
            Attributes of ``memory`` in the compiled methods, beside its own: submit, run_time,
            estimate, size, known, state, current, predict, begin and learn. Each simulation has its
            own copy of the arrays.
        """
        return {}

    def classes(self, workload: Workload, estimate: np.ndarray) -> np.ndarray | None:
        """Return the classes of jobs with equal predictions: a scheduler predicts one job of each.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        estimate : int64[n], s
            The users' estimates as the scheduler receives them.

        Returns
        -------
        int64[n] or None
            A number for each job: at any instant, jobs with equal numbers have equal predictions.
            None if unknown.
        """
        return None

    statements = {"draws_at_random": True, "changes_only_at_ends": False, "classes": classes}

    @contextmanager
    def memory(self, workload, estimate, seed=1) -> Iterator[Memory]:
        """Provide the `Memory` of one simulation;
        an error of the predictor names the predictor and the job.
        """
        memory = self._memory(workload, estimate, seed)
        try:
            yield memory
        except (ArithmeticError, IndexError, ValueError) as error:
            job, value = memory.current
            if memory.online or isinstance(error, ChoiceError) or job < 0:
                raise
            message = str(error)
            if message == "out of range":
                most = max(memory.estimate[job], 2 * memory.run_time[job], 1)
                message = f"predicted {value} s; expected 0 to {most} s"
            raise PredictorError(f"{self!r}: job {workload.job_id[job]}: {message}") from error

    def _memory(self, workload, estimate, seed=1):
        estimate = np.ascontiguousarray(estimate, dtype=np.int64)
        jobs = workload.submit, workload.run_time, estimate, workload.processors
        if self.is_online():
            online = _Online(self, workload, estimate)
            memory = Memory(jobs, {"key": online.key}, (_predict, _begin, _learn))
            memory.online = online
            return memory
        if not _is_compiled(type(self), "predict"):
            predictions = self._check_predictions(workload, estimate, seed)
            memory = Memory(jobs, {}, (None, None, None), predictions)
            memory.online = None
            return memory
        functions = [
            getattr(self, name) if _is_compiled(type(self), name) else None
            for name in ("predict", "begin", "learn")
        ]
        tables = self.tables(workload, estimate, seed)
        if taken := [name for name in tables if name in RESERVED]:
            raise PredictorError(
                f"{self!r}: table {taken[0]!r} has the name of a field of the memory; expected "
                f"other names than {', '.join(RESERVED)}"
            )
        try:
            memory = Memory(jobs, tables, functions)
        except (NumbaError, TypeError) as error:
            reason = str(error).strip().splitlines()[0]
            raise PredictorError(f"{self!r} does not compile: {reason}") from error
        memory.online = next((t.online for t in tables.values() if isinstance(t, Memory)), None)
        return memory

    def _check_predictions(self, workload, estimate, seed):
        """Return `predictions` as int64[n], s; PredictorError
        for a wrong shape or a value out of range.
        """
        predictions = np.asarray(self.predictions(workload, _read_only(estimate), seed))
        n = len(workload)
        if predictions.shape != (n,) or predictions.dtype.kind not in "iuf":
            raise PredictorError(
                f"{self!r}: predictions are {predictions.dtype}{list(predictions.shape)}; expected "
                f"numbers [{n}]"
            )
        most = np.maximum(np.maximum(estimate, 2 * workload.run_time), 1)
        wrong = ~((predictions >= 0) & (predictions <= most))
        if wrong.any():
            job = int(np.argmax(wrong))
            raise PredictorError(
                f"{self!r}: job {workload.job_id[job]}: predicted {predictions[job]} s; "
                f"expected 0 to {most[job]} s"
            )
        whole = np.rint(predictions) if predictions.dtype.kind == "f" else predictions
        return np.ascontiguousarray(whole, dtype=np.int64)


def _read_only(column):
    """Return a view of an array that code of users cannot change."""
    view = column.view()
    view.flags.writeable = False
    return view


def _is_compiled(kind, name):
    """Return whether a class has a method made by `compiled`."""
    return isinstance(inspect.getattr_static(kind, name), staticmethod)


def _place(kind, name):
    """Return the place of the class that defines a method in the order of inheritance."""
    return next(k for k, base in enumerate(kind.__mro__) if name in vars(base))


def _check_methods(kind):
    """Raise PredictorError for a method that is not called as it is written."""
    base, events = kind.__mro__.index(Predictor), ("start", "begin", "learn")
    predict = _place(kind, "predict")
    if min(predict, _place(kind, "predictions")) == base:
        return  # a base of predictors
    called = ["predictions"]
    if kind.is_online():
        called = [name for name in events if not _is_compiled(kind, name)]
    elif predict < base:
        called = ["tables", *(name for name in events[1:] if _is_compiled(kind, name))]
    for name in (*events, "tables", "predictions"):
        # A predict of another kind replaces tables and predictions of a base.
        is_replaced = name not in events and _place(kind, name) > predict
        is_defined = getattr(kind, name) is not getattr(Predictor, name)
        if is_defined and name not in called and not is_replaced:
            raise PredictorError(
                f"{kind.__name__}: method {name} does not suit the others; allowed: predict, "
                "start, begin and learn in Python; tables, and predict, begin and learn compiled; "
                "or predictions alone"
            )


_keys = count()
_simulations = weakref.WeakValueDictionary()  # the online predictors that are running, by key


class _Online:
    """An online predictor during one simulation, which kernels call by its key."""

    def __init__(self, predictor, workload, estimate):
        self.key = next(_keys)
        self.predictor = deepcopy(replace(predictor))  # options may be predictors with a state
        self.jobs = workload.jobs(estimate)
        self.run_time = workload.run_time
        self._call("start", workload)
        _simulations[self.key] = self

    def _call(self, method, *arguments):
        """Call a method of the predictor; an exception gets a note with the predictor,
        the method and the job.
        """
        try:
            return getattr(self.predictor, method)(*arguments)
        except Exception as error:
            job = f", job {arguments[0].id}" if isinstance(arguments[0], Job | EndedJob) else ""
            error.add_note(f"in {self.predictor!r}.{method}{job}")
            raise

    def predict(self, job, now):
        """Return the prediction, checked, rounded and at most the estimate."""
        return self._check(self.jobs[job], self._call("predict", self.jobs[job], now))

    def _check(self, job, value):
        try:
            seconds = max(round(value), -1)
        except (TypeError, ValueError, OverflowError):
            seconds = -1
        if seconds < 0:
            raise PredictorError(
                f"{self.predictor!r}: job {job.id}: predicted {' '.join(repr(value).split())}; "
                "expected seconds >= 0"
            )
        return min(seconds, job.estimate)

    def begin(self, job, now):
        """Pass on a job that starts."""
        self._call("begin", self.jobs[job], now)

    def learn(self, job, now):
        """Pass on an ended job with its run time."""
        self._call("learn", EndedJob(*self.jobs[job], int(self.run_time[job])), now)


def _call_predict(key, job, now):
    return _simulations[key].predict(job, now)


def _call_begin(key, job, now):
    _simulations[key].begin(job, now)


def _call_learn(key, job, now):
    _simulations[key].learn(job, now)


@njit(cache=True)
def _predict(memory, job, now):
    key = memory.key
    with objmode(seconds="int64"):
        seconds = _call_predict(key, job, now)
    return seconds


@njit(cache=True)
def _begin(memory, job, now):
    key = memory.key
    with objmode():
        _call_begin(key, job, now)


@njit(cache=True)
def _learn(memory, job, now):
    key = memory.key
    with objmode():
        _call_learn(key, job, now)
