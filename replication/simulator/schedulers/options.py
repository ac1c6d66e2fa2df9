"""Options that several schedulers have, and the base of schedulers that plan with predictions."""

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from replication.simulator.choices import Number, option
from replication.simulator.kernels import list_scheduler as lists
from replication.simulator.kernels import machine
from replication.simulator.predictors import Estimate, Predictor
from replication.simulator.schedulers.scheduler import SchedulerError

Candidates = Literal["in-order", "shortest"]
Refresh = Literal["pass", "submission"]
Correction = Literal[
    "estimate", "tsafrir", "doubling", "now"
]  # in the order of the kernels' numbers
Lifetime = Literal["recomputed", "until-due", "until-start"]
Events = Literal["together", "one-by-one", "by-plan"]
Ties = Literal["ends-first", "submissions-first"]
CORRECTIONS = get_args(Correction)


def predictor(default=Estimate(), allowed=Predictor) -> Any:
    """Return the option of the predictor of run times."""
    return option(default, allowed, "predictor of run times")


def refresh() -> Any:
    """Return the option of the time at which a waiting job is predicted."""
    return option("pass", get_args(Refresh), "when the prediction of a waiting job is made")


def correction() -> Any:
    """Return the option of the correction of an expired prediction."""
    return option("estimate", CORRECTIONS, "correction of an expired prediction")


def lifetime() -> Any:
    """Return the option of the lifetime of the head's reservation."""
    return option(
        "recomputed",
        get_args(Lifetime),
        "how long the head's reservation lasts: one pass, until it is due, or until the head "
        "starts",
    )


EVENTS = {
    "together": "one pass for all events of an instant",
    "one-by-one": "one pass for each event",
    "by-plan": "one pass for each event, after the jobs that end as planned have ended",
}


def events(*allowed) -> Any:
    """Return the option of the processing of simultaneous events;
    the first allowed value is the default.
    """
    return option(allowed[0], allowed, ", or ".join(EVENTS[name] for name in allowed))


def ties() -> Any:
    """Return the option of the order of simultaneous events."""
    return option("ends-first", get_args(Ties), "order of simultaneous events")


def reservations() -> Any:
    """Return the option of the number of reservations."""
    return option(
        1, Number(1, 2**20, whole=True), "how many of the first blocked jobs have a reservation"
    )


def candidates_limit() -> Any:
    """Return the option of the number of backfill candidates."""
    return option(
        None,
        Number(0, 2**20, whole=True, or_none=True),
        "how many jobs behind the head a pass tries, all by default",
    )


def candidates() -> Any:
    """Return the option of the order of the backfill candidates."""
    return option(
        "in-order",
        get_args(Candidates),
        "order of the backfill candidates: the queue's, or shortest prediction first",
    )


def limit_of(scheduler, name) -> int:
    """Return an option of a limit as the kernel for lists takes it."""
    limit = getattr(scheduler, name)
    return lists.NO_LIMIT if limit is None else limit


class WordsOrFunction(tuple):
    """The allowed words of an option that may also be a function of the workload
    with a number for each job.
    """

    def __contains__(self, value):
        return callable(value) or super().__contains__(value)


def numbers(what, returned, n, most=None) -> np.ndarray:
    """Return the array that a method or function gave, a number for each of `n` jobs.

    SchedulerError, which begins with `what`, for another shape or type, a masked array, and a
    pandas.Series that is not in the order of the jobs; with `most`, also for other values than
    whole numbers from 0 to `most`.
    """
    values = np.asarray(returned)
    kinds, expected = "biuf", f"numbers [{n}]"
    if most is not None:
        kinds, expected = "iu", f"whole numbers [{n}] from 0 to {most}"
    if np.ma.isMaskedArray(returned):
        problem = "a masked array"
    elif isinstance(returned, pd.Series) and not returned.index.equals(pd.RangeIndex(n)):
        problem = f"a Series whose index is not 0 to {n - 1}"
    elif values.shape != (n,) or values.dtype.kind not in kinds:
        problem = f"{values.dtype}{list(values.shape)}"
    elif most is not None and n and not 0 <= values.min() <= values.max() <= most:
        problem = f"{values.min()} to {values.max()}"
    else:
        return values
    raise SchedulerError(f"{what}: {problem}; expected {expected}")


def ranks(scheduler, name, workload, estimate) -> np.ndarray:
    """Return the jobs' ranks, int64[n], by a scheduler's option that is a function;
    zeros if the option is a word.

    Equal values have one rank. SchedulerError unless the function returns finite numbers, one for
    each job.
    """
    function, n = getattr(scheduler, name), len(workload)
    if not callable(function):
        return np.zeros(n, np.int64)
    values = numbers(f"{scheduler!r}: {name}", function(workload.replace(estimate=estimate)), n)
    if not np.isfinite(values).all():
        job = int(np.argmin(np.isfinite(values)))
        raise SchedulerError(
            f"{scheduler!r}: {name}: job {workload.job_id[job]}: {values[job]}; expected finite "
            "numbers"
        )
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def last_reserved_second(workload, estimate) -> float:
    """Return a bound on all times, float, s, where the reservations
    of all jobs may follow one another.
    """
    longest = np.maximum(2.0 * workload.run_time, estimate)
    return float(workload.submit[-1]) + float(longest.sum())


class OnPredictions:
    """The base of schedulers that plan with predictions on the machine of
    `replication.simulator.kernels.machine`.

    A subclass has the fields `predictor` and `refresh`, those of `correction`, `events` and `ties`
    that it offers, and a method `kernel`. docs/extending.md has an example.
    """

    def check_room(self, workload, estimate) -> None:
        """Raise SchedulerError if the times or the number of jobs exceed the kernels' keys."""
        last = self.last_second(workload, estimate)
        if not last < machine.LATEST or len(workload) > machine.JOB_MASK:
            raise SchedulerError(
                f"{workload.name}: {len(workload)} jobs up to second {last:.0f}; allowed with "
                f"predictions: {machine.JOB_MASK} jobs and times below {machine.LATEST} s"
            )

    def last_second(self, workload, estimate) -> float:
        """Return an upper bound on all times, float, s."""
        # No prediction is more than twice the run time or above the estimate, whichever is more.
        work = float(workload.run_time.sum(dtype=np.float64))
        return float(workload.submit[-1]) + 2 * work + float(estimate.max())

    def run(self, workload, estimate, seed) -> dict[str, np.ndarray]:
        """Simulate; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        return columns(self.simulated(workload, estimate, seed))

    def simulated(self, workload, estimate, seed) -> machine.Machine:
        """Return the `Machine` after the last job."""
        estimate = numbers(f"{self!r}: estimates", estimate, len(workload), machine.LATEST)
        OnPredictions.check_room(self, workload, estimate)  # plain EASY has more room
        kernel, rules, *arguments = self.kernel()
        arguments += self.columns_of(workload, estimate, seed)
        with self.predictor.memory(workload, estimate, seed) as memory:
            return kernel(memory, workload.machine, rules, *arguments)

    def columns_of(self, workload, estimate, seed) -> tuple:
        """Return further arguments of the kernel that depend on the workload; none by default."""
        return ()

    def kernel(self) -> tuple:
        """Return the compiled kernel, its rules, and its further arguments.

        A kernel is a function of (memory, processors, rules, ...) that returns a `Machine`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method kernel()")

    def rules(self, kind=machine.Rules, **further) -> tuple:
        """Return the rules of a kernel: those of `replication.simulator.kernels.machine`
        from the options, and `further` ones.

        numba stores compiled code by the types of arguments, so `kind` must be a class of this
        package; a scheduler outside it passes its own rules to its kernel as further arguments.
        """
        events = getattr(self, "events", "together")
        shared = {
            "refresh": self.refresh == "pass",
            "at_submission": True,
            "volatile": self.refresh == "pass" and not self.predictor.changes_only_at_ends,
            "correction": CORRECTIONS.index(getattr(self, "correction", "now")),
            "one_by_one": events != "together",
            "by_plan": events == "by-plan",
            "submissions_first": getattr(self, "ties", None) == "submissions-first",
        }
        return kind(**shared | further)


class WithProfile(OnPredictions):
    """The base of schedulers with a field `reservations`."""

    @property
    def has_profile(self) -> bool:
        """Whether there are several reservations, which require a profile of the free
        processors.
        """
        return self.reservations > 1

    def last_second(self, workload, estimate) -> float:
        """Return an upper bound on all times, float, s."""
        if self.has_profile:
            return last_reserved_second(workload, estimate)
        return super().last_second(workload, estimate)


def run_observed(self, workload, estimate, seed) -> tuple:
    """Return the columns of `run`, the jobs in the order of their starts, int64[n], and the number
    of jobs submitted by each of these starts, int64[n].

    A scheduler on the machine that has this function as a method can be observed. Its queue is in
    order of submission, and its head has a reservation.
    """
    machine = self.simulated(workload, estimate, seed)
    return columns(machine), machine.order, machine.submitted


def columns(machine) -> dict[str, np.ndarray]:
    """Return the columns of a schedule from a `replication.simulator.kernels.machine.Machine`
    after its last job.
    """
    return {
        "start": machine.start,
        "backfilled": machine.backfilled,
        "prediction": machine.prediction,
        "first_prediction": machine.first,
    }
