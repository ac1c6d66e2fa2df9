"""Performance measures of a schedule. Times are in seconds, shares between 0 and 1.

Plain functions of columns, so that they serve a schedule of any scheduler, ours or not.
"""

import numpy as np

BOUND = 10  # s; heel-and-toe, section 2, and PV-EASY, section 5.1.2
WARM_UP = 0.01  # share of terminated jobs left out; heel-and-toe, section 2

NAMES = {
    "jobs": "jobs measured",
    "mean_wait": "mean wait, s",
    "mean_bounded_slowdown": "mean bounded slowdown",
    "mbs": "mean bounded slowdown as PV-EASY defines it",
    "mwbs": "the same, weighted by size",
    "backfilled": "share of jobs backfilled",
    "load": "work over capacity, first submission to last",
    "total_load": "work over capacity, first submission to last end",
}


def bounded_slowdown(wait, run_time):
    """max(1, (w + r) / max(10, r)) of each job, from int64[n], s (heel-and-toe, section 2)."""
    return np.maximum(1.0, (wait + run_time) / np.maximum(BOUND, run_time))


def pv_bounded_slowdown(wait, run_time):
    """(w + max(r, 10)) / max(r, 10) of each job (PV-EASY, formula 1).

    Other than `bounded_slowdown` for runs below 10 s that waited.
    """
    bounded = np.maximum(BOUND, run_time)
    return (wait + bounded) / bounded


def mbs(wait, run_time):
    """Mean bounded slowdown (PV-EASY, section 5.1.2)."""
    return float(pv_bounded_slowdown(wait, run_time).mean())


def mwbs(wait, run_time, processors):
    """Mean bounded slowdown weighted by the jobs' sizes (PV-EASY, formula 2)."""
    return float(np.average(pv_bounded_slowdown(wait, run_time), weights=processors))


def average_flow(wait, run_time):
    """AF: mean time from submission to end, s (Top Percent, section IV.A; Horn 1973)."""
    return float((wait + run_time).mean())


def weighted_flow(wait, run_time, processors, alpha):
    """AP^alpha WAF: average flow weighted by area and amplified wait, s (Top Percent, equation 2);
    nan where all weights are 0.

    The weight of a job is its size times F^(alpha + 1) - w^(alpha + 1), with F the flow time and w
    the wait, from int64[n], s. At alpha = 0 that is the job's area, its size times its run time;
    the paper uses 0 and 1. ValueError if `alpha` is -1 or less: the weights would not grow with the
    flow time.
    """
    if not alpha > -1:
        raise ValueError(f"alpha is {alpha}, allowed: above -1")
    wait, run_time = wait.astype(float), run_time.astype(float)
    flow = wait + run_time
    weight = processors * (run_time if alpha == 0 else flow ** (alpha + 1) - wait ** (alpha + 1))
    # Not np.dot: the order in which BLAS adds up depends on the processor, and with it the last bits.
    return float((weight * flow).sum() / weight.sum()) if weight.any() else float("nan")


def determination(run_time, prediction):
    """R2 of predicted run times, the share of variance explained (Top Percent, equation 3): 1 if
    perfect, 0 if as good as the mean run time, negative if worse; nan where all run times are
    equal.
    """
    missed = ((run_time - prediction).astype(float) ** 2).sum()
    spread = ((run_time - run_time.mean()) ** 2).sum()
    return float(1 - missed / spread) if spread > 0 else float("nan")


def load(run_time, processors, machine, span):
    """Work over the capacity of `machine` processors in `span` seconds; nan where the span is 0.

    PV-EASY divides by the time from the first submission to the last in Table 3, and to the last end in
    Table 5.
    """
    return float(np.dot(run_time, processors)) / (machine * span) if span > 0 else float("nan")


def trimmed(submit, end):
    """Which jobs heel-and-toe measures (section 2), bool[n]. Left out are the first 1 % of
    terminated jobs, rounded down, of equal ends the earlier in the queue first; and the jobs
    that end after the last arrival.
    """
    kept = end <= submit.max()
    kept[np.argsort(end, kind="stable")[: int(len(end) * WARM_UP)]] = False
    return kept


def all_of(schedule, trim=True):
    """The measures of a schedule that both papers on EASY use, by the names in `NAMES`; nan for a
    mean over no jobs. `trim` leaves out of waits and slowdowns the jobs that `trimmed` does; the
    share backfilled and the loads are of all jobs.
    """
    w = schedule.workload
    kept = trimmed(w.submit, schedule.end) if trim else np.ones(len(w), bool)
    wait, run_time, processors = schedule.wait[kept], w.run_time[kept], w.processors[kept]
    means = dict.fromkeys(("mean_wait", "mean_bounded_slowdown", "mbs", "mwbs"), float("nan"))
    if kept.any():
        means = {
            "mean_wait": float(wait.mean()),
            "mean_bounded_slowdown": float(bounded_slowdown(wait, run_time).mean()),
            "mbs": mbs(wait, run_time),
            "mwbs": mwbs(wait, run_time, processors),
        }
    return {
        "jobs": int(kept.sum()),
        **means,
        "backfilled": float(schedule.backfilled.mean()),
        "load": load(w.run_time, w.processors, w.machine, w.span),
        "total_load": load(
            w.run_time, w.processors, w.machine, int(schedule.end.max() - w.submit[0])
        ),
    }
