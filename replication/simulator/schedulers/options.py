"""Options that several schedulers have, and what the kernels call their values."""

import numpy as np

from replication.simulator.choices import option
from replication.simulator.kernels import planned
from replication.simulator.predictors import Predictor, Request
from replication.simulator.schedulers.scheduler import SchedulerError

CORRECTIONS = ("request", "tsafrir", "doubling", "now")  # in the order of the kernels' numbers


def predictor(default=Request(), allowed=Predictor):
    """What predicts run times."""
    return option(default, allowed, "what predicts run times")


def refresh():
    """When predictions are renewed."""
    return option("pass", ("pass", "submission"), "when a waiting job's prediction is made")


def correction():
    """What becomes of a prediction that was too short."""
    return option(
        "request", CORRECTIONS, "what a running job is planned with once it outlives its prediction"
    )


def reservation():
    """Whether the head's reservation may move."""
    return option(
        "recomputed",
        ("recomputed", "kept", "held"),
        "recomputed at every pass, kept until the head starts or the reserved time comes, "
        "or held until the head starts",
    )


EVENTS = {
    "together": "one pass for an instant",
    "one-by-one": "one for each event",
    "by-plan": "one for each event, and who ends as planned has left before the first",
}


def events(*allowed):
    """Whether what happens at one instant is seen at once; the first that is allowed is the default."""
    return option(allowed[0], allowed, ", or ".join(EVENTS[name] for name in allowed))


def order():
    """Which events of an instant come first."""
    return option("ends-first", ("ends-first", "submissions-first"), "events of one instant")


class WordsOrFunction(tuple):
    """The words that an option may be, or a function of the workload that returns a number for each job."""

    def __contains__(self, value):
        return callable(value) or super().__contains__(value)


def ranks(scheduler, name, workload, estimate):
    """Return the jobs' ranks, int64[n], by the function that is an option of a scheduler; zeros for a word.

    Equal values have one rank. SchedulerError unless the function returns finite numbers, one for each job.
    """
    function, n = getattr(scheduler, name), len(workload)
    if not callable(function):
        return np.zeros(n, np.int64)
    values = np.asarray(function(workload.replace(estimate=estimate)))
    if values.shape != (n,) or values.dtype.kind not in "biuf":
        raise SchedulerError(
            f"{scheduler!r}: {name}: {values.dtype}{list(values.shape)}; expected numbers [{n}]"
        )
    if not np.isfinite(values).all():
        job = int(np.argmin(np.isfinite(values)))
        raise SchedulerError(
            f"{scheduler!r}: {name}: job {workload.job_id[job]}: {values[job]}; expected finite numbers"
        )
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def last_reserved_second(workload, estimate):
    """Return a bound on all times, float, s, where the reservations of all jobs may follow one another."""
    longest = np.maximum(2.0 * workload.run_time, estimate)
    return float(workload.submit[-1]) + float(longest.sum())


class OnPredictions:
    """What schedulers share that plan with predictions: a field `predictor`, perhaps other options, and a method `kernel`."""

    validated = False
    draws_at_random = False

    def check_room(self, workload, estimate):
        """Refuse what the keys of time and job of the kernels cannot hold."""
        last = self.last_second(workload, estimate)
        if not last < planned.LATEST or len(workload) > planned.JOB_MASK:
            raise SchedulerError(
                f"{workload.name}: {len(workload)} jobs up to second {last:.0f}; allowed with predictions: "
                f"{planned.JOB_MASK} jobs and times below {planned.LATEST} s"
            )

    def last_second(self, workload, estimate):
        """A bound on all times, float, s."""
        # No prediction is more than twice the run time or above the request, whichever is more.
        work = float(workload.run_time.sum(dtype=np.float64))
        return float(workload.submit[-1]) + 2 * work + float(estimate.max())

    def run(self, workload, estimate, seed):
        """The columns it decides; see `replication.simulator.schedulers.scheduler.Scheduler.run`."""
        kernel, rules = self.kernel()
        with self.predictor.memory(workload, estimate, seed) as memory:
            return decided(kernel(memory, workload.machine, rules))

    def kernel(self):
        """The compiled function that decides, and the rules it follows."""
        raise NotImplementedError(f"{type(self).__name__} has no method kernel()")

    def rules(self, kind, **own):
        """Rules of a kernel, those of all kernels as the options say and the others as given."""
        events = getattr(self, "events", "together")
        shared = {
            "refresh": self.refresh == "pass",
            "at_submission": True,
            "correction": CORRECTIONS.index(getattr(self, "correction", "now")),
            "one_by_one": events != "together",
            "by_plan": events == "by-plan",
            "submissions_first": getattr(self, "order", None) == "submissions-first",
        }
        return kind(**shared | own)


def decided(machine):
    """The columns of a `replication.simulator.kernels.planned.Machine` after its last job."""
    return {
        "start": machine.start,
        "backfilled": machine.backfilled,
        "prediction": machine.prediction,
        "first_prediction": machine.first,
    }
