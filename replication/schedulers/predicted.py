"""EASY backfilling that plans with predicted run times; the kill time stays the estimate."""

from dataclasses import replace

import numpy as np

from replication.schedulers import Option, OptionError, Scheduler, predictors

OPTIONS = {
    "predictor": Option(
        "request", predictors.check, "what predicts run times: " + predictors.FORMS
    ),
    "candidates": Option(
        "fcfs",
        ("fcfs", "sjf"),
        "order in which jobs are tried for backfilling: the queue's, or shortest prediction first",
    ),
    "refresh": Option("pass", ("pass", "submission"), "when a waiting job's prediction is made"),
    "correction": Option(
        "request",
        ("request", "tsafrir", "doubling", "now"),
        "what a running job is planned with once it outlives its prediction",
    ),
    "reservation": Option(
        "recomputed",
        ("recomputed", "kept"),
        "at every pass, or kept until the head starts or the reserved time comes",
    ),
    "extra": Option(
        "used-up",
        ("used-up", "not-used-up"),
        "whether jobs that outlive the shadow time take their processors off the extra ones",
    ),
    "shadow": Option(
        "all",
        ("all", "first"),
        "of the jobs planned to end at the shadow time, all count as extra, "
        "or the first that suffice",
    ),
    "events": Option(
        "together", ("together", "one-by-one"), "one pass for an instant, or one for each event"
    ),
    "order": Option("ends-first", ("ends-first", "submissions-first"), "events of one instant"),
    "passes": Option(
        "always",
        ("always", "if-fits"),
        "which submissions lead to a pass: all, or those that fit the free processors",
    ),
}


def easy_predicted(
    workload,
    estimate,
    seed,
    *,
    predictor,
    candidates,
    refresh,
    correction,
    reservation,
    extra,
    shadow,
    events,
    order,
    passes,
):
    """EASY with predictions; see ``OPTIONS`` and docs/semantics/predicted.md."""
    from replication.core import easy_predicted as kernel

    rules = kernel.Rules(
        candidates == "sjf",
        refresh == "pass",
        OPTIONS["correction"].allowed.index(correction),
        reservation == "kept",
        extra == "used-up",
        shadow == "all",
        events == "one-by-one",
        order == "submissions-first",
        passes == "if-fits",
    )
    n = len(workload)
    check_room(workload, estimate)
    start, first, prediction = (np.full(n, -1, np.int64) for _ in range(3))
    backfilled = np.zeros(n, bool)
    memory = predictors.make(workload, estimate, predictor, seed)
    kernel.easy_predicted(memory, workload.machine, rules, start, backfilled, first, prediction)
    return {
        "start": start,
        "backfilled": backfilled,
        "prediction": prediction,
        "first_prediction": first,
    }


def check_room(workload, estimate):
    """Refuse what the kernels' keys of time and job cannot hold."""
    from replication.core.planned import JOB_MASK, LATEST

    # No prediction is more than twice the run time or above the request, whichever is more.
    last = (
        float(workload.submit[-1])
        + 2 * float(workload.run_time.sum(dtype=np.float64))
        + float(estimate.max())
    )
    if last >= LATEST or len(workload) > JOB_MASK:
        raise OptionError(
            f"{workload.name}: {len(workload)} jobs up to second {last:.0f}; "
            f"allowed with predictions: {JOB_MASK} jobs and times below {LATEST} s"
        )


def _preset(**defaults):
    """The options with other defaults."""
    return OPTIONS | {
        name: replace(OPTIONS[name], default=value) for name, value in defaults.items()
    }


SCHEDULERS = {
    "easy-predicted": Scheduler(
        "EASY backfilling that plans with predictions", easy_predicted, OPTIONS
    ),
    "easy-last": Scheduler(
        "EASY that plans with the accuracy of the user's last job",
        easy_predicted,
        _preset(predictor="last"),
    ),
    "sjf-easy": Scheduler(
        "EASY that tries the job predicted to be shortest first",
        easy_predicted,
        _preset(candidates="sjf"),
    ),
}
