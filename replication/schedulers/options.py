"""Options that several schedulers have, and what the kernels call their values."""

import numpy as np

from replication.basics.choices import option
from replication.basics.lazy import lazily
from replication.predictors import Predictor, Request
from replication.schedulers.scheduler import refuse_beyond

planned = lazily("replication.core.planned")

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
        ("recomputed", "kept"),
        "at every pass, or kept until the head starts or the reserved time comes",
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


class OnPredictions:
    """What schedulers share that plan with predictions alone: fields `predictor` and `refresh`, and a method `kernel`."""

    validated = False
    draws_at_random = False

    def check_room(self, workload, estimate):
        """Refuse what the kernel cannot count."""
        check_room(workload, estimate)

    def run(self, workload, estimate, seed):
        """The columns it decides; see `replication.schedulers.scheduler.Scheduler.run`."""
        decided = undecided(workload)
        kernel, rules = self.kernel()
        kernel(
            self.predictor.memory(workload, estimate, seed),
            workload.machine,
            *rules,
            decided["start"],
            decided["backfilled"],
            decided["first_prediction"],
            decided["prediction"],
        )
        return decided

    def kernel(self):
        """The compiled function that decides, and what it calls the options."""
        raise NotImplementedError(f"{type(self).__name__} has no method kernel()")


def undecided(workload):
    """Empty columns for a kernel that plans with predictions.

    Returns
    -------
    dict of str to array
        start, backfilled, first_prediction, prediction.
    """
    n = len(workload)
    seconds = {
        name: np.full(n, -1, np.int64) for name in ("start", "first_prediction", "prediction")
    }
    return seconds | {"backfilled": np.zeros(n, bool)}


def check_room(workload, estimate):
    """Refuse what the keys of time and job of the kernels that plan with predictions cannot hold."""
    # No prediction is more than twice the run time or above the request, whichever is more.
    work = float(workload.run_time.sum(dtype=np.float64))
    last = float(workload.submit[-1]) + 2 * work + float(estimate.max())
    refuse_beyond(workload, last, planned.LATEST, planned.JOB_MASK, "predictions")
