"""PV-EASY (Yuan, Yang, Wu and Zheng 2010): strict fairness by preemption, and backfilling at a venture."""

from replication.schedulers import Option, OptionError, Scheduler, predictors


def _seconds(least):
    def check(value):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"allowed: whole seconds from {least}")
        return value

    return check


def _predictor(text):
    predictors.check(text)
    if text == "cvh":
        raise ValueError(
            "cvh keeps a list of running jobs that knows no preemption; "
            "allowed: any other predictor"
        )
    return text


OPTIONS = {
    "predictor": Option("last", _predictor, "what predicts run times: " + predictors.FORMS),
    "refresh": Option("pass", ("pass", "submission"), "when a waiting job's prediction is made"),
    "correction": Option(
        "request",
        ("request", "tsafrir", "doubling", "now"),
        "what a running job is planned with once it outlives its prediction",
    ),
    "reservation": Option(
        "recomputed", ("recomputed", "kept"), "at every pass, or kept until the head starts"
    ),
    "events": Option(
        "together", ("together", "one-by-one"), "one pass for an instant, or one for each event"
    ),
    "venture": Option(
        "yes",
        ("yes", "no"),
        "whether jobs that are not predicted to end in time are backfilled too",
    ),
    "mode": Option(
        "kill",
        ("kill", "suspend", "checkpoint"),
        "what a preempted job keeps of its work: nothing, all, or what its last checkpoint holds",
    ),
    "interval": Option(3600, _seconds(1), "seconds of work from one checkpoint to the next"),
    "cost": Option(
        0, _seconds(0), "seconds that each resumption (suspend) or each checkpoint takes"
    ),
}


def pv_easy(workload, estimate, seed, *, predictor, **options):
    """PV-EASY; see ``OPTIONS`` and docs/semantics/pv_easy.md."""
    from replication.core import pv_easy as kernel
    from replication.core import shadow

    _check_room(workload, estimate, options)
    memory = predictors.make(workload, estimate, predictor, seed)
    jobs, killed = kernel.pv_easy(
        workload.submit,
        workload.run_time,
        estimate,
        workload.processors,
        workload.machine,
        rules(**options),
        memory,
    )
    columns = {
        "start": shadow.START,
        "prediction": shadow.PREDICTION,
        "times_killed": shadow.TIMES_KILLED,
    }
    found = {name: jobs[:, place].copy() for name, place in columns.items()}
    length = {} if options["mode"] == "kill" else {"length": jobs[:, shadow.LENGTH].copy()}
    return found | length | {"backfilled": jobs[:, shadow.BACKFILLED] != 0, "killed_runs": killed}


def rules(*, refresh, correction, reservation, events, venture, mode, interval, cost):
    """The kernel's rules from the options' words."""
    from replication.core.shadow import Rules

    return Rules(
        at_submission=refresh == "submission",
        one_by_one=events == "one-by-one",
        correction=OPTIONS["correction"].allowed.index(correction),
        kept=reservation == "kept",
        venture=venture == "yes",
        mode=OPTIONS["mode"].allowed.index(mode),
        interval=interval,
        cost=cost,
    )


def _check_room(workload, estimate, options):
    """Refuse what the kernel's keys of time and job cannot hold."""
    from replication.core.running import LATEST, SLOT_MASK

    # Somebody always runs for good while anybody waits, so all is done once the work is, with what saving it
    # takes; a prediction is at most twice the run time.
    work = float(workload.run_time.sum(dtype="float64"))
    saving = options["cost"] * (work / options["interval"] + len(workload))
    last = float(workload.submit[-1]) + 3 * (work + saving) + float(estimate.max())
    if last >= LATEST or len(workload) > SLOT_MASK:
        raise OptionError(
            f"{workload.name}: {len(workload)} jobs up to second {last:.0f}; allowed with "
            f"preemption: {SLOT_MASK} jobs and times below {LATEST} s"
        )


SCHEDULERS = {
    "pv-easy": Scheduler(
        "PV-EASY: strict fairness by preemption, backfilling at a venture", pv_easy, OPTIONS
    )
}
