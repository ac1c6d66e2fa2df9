"""The numbers that the paper's tables count in a schedule: name to (value, unit), named as in
``data/published``.
"""

import numpy as np

from notebooks import audits
from replication.simulator.schedules import measures
from replication.verdicts import published

HOUR, MINUTE = 3600.0, 60.0
Numbers = dict[str, tuple[float, str]]


def _mean(values):
    return float(np.mean(values)) if len(values) else float("nan")


def _largest(values):
    return float(np.max(values)) if len(values) else float("nan")


@audits.cached
def blocked_jobs(schedule, which="any") -> np.ndarray:
    """Return which jobs count as blocked, bool[n].

    ``any``: those that come to the head and do not start at that instant; ``others-wait``: of
    these, those with a job behind them meanwhile that could be backfilled; ``passed``: those that
    another job's start passes.
    """
    hit = audits.blocked(schedule)
    if which == "any":
        return hit
    since, start = audits.head_since(schedule), schedule.start
    begun = np.sort(np.concatenate([start, schedule.killed_runs[:, 1]]))
    passed = np.searchsorted(begun, start, "left") > np.searchsorted(begun, since, "right")
    # Of those that start at that very instant, the ones ahead do so before the job is blocked, the
    # others after.
    order = np.argsort(start, kind="stable")
    last = order[np.searchsorted(start[order], since, "right") - 1]
    passed |= (start[last] == since) & (last > np.arange(len(hit)))
    if which == "passed":
        return hit & passed
    submitted = np.searchsorted(schedule.workload.submit, start, "left")
    waiting = submitted - np.searchsorted(start[order], start, "left") > 1
    return hit & (passed | waiting)


def delays(schedule, since="alone", blocked="any") -> Numbers:
    """Return Table 1: blocked jobs, those delayed by later jobs, and their delays."""
    hit = blocked_jobs(schedule, blocked)
    delay = audits.start_delays(schedule, since)
    delay = delay[hit & (delay > 0)]
    return {
        "delayed": (len(delay), "jobs"),
        "blocked": (int(hit.sum()), "jobs"),
        "mean_delay": (_mean(delay) / MINUTE, "min"),
        "max_delay": (_largest(delay) / HOUR, "h"),
    }


def violations(schedule, blame="since-reserved", which="first", by="predictions") -> Numbers:
    """Return Table 2: violated reservations, the sizes of the jobs, their delays and increases of
    slowdown.

    By default a violation is as in section 3.2 of the paper; see
    `notebooks.audits.reservation_delays`.
    """
    w = schedule.workload
    delay = audits.reservation_delays(schedule, blame, which, by)
    late = delay > 0
    # The bounded slowdown grows by the delay over the bounded run time.
    increase = delay[late] / np.maximum(w.run_time[late], measures.BOUND)
    return {
        "violated": (int(late.sum()), "jobs"),
        "violated_mean_size": (_mean(w.processors[late]), "processors"),
        "mean_dtr": (_mean(delay[late]) / MINUTE, "min"),
        "max_dtr": (_largest(delay[late]) / HOUR, "h"),
        "mean_si": (_mean(increase), "1"),
        "max_si": (_largest(increase), "1"),
    }


def kinds(schedule, backfilled="last-run", blocked="any") -> Numbers:
    """Return Table 4: backfilled and blocked jobs.

    Backfilled are jobs whose completing run was (``last-run``); all ``starts`` by backfilling,
    those of preempted runs included; jobs that ``ever`` were; or jobs that also ended before all
    jobs ahead had started (``in-shadow``).
    """
    last, killed = schedule.backfilled, schedule.times_killed
    earlier = np.concatenate([[0], np.maximum.accumulate(schedule.start)[:-1]])
    count = {
        "last-run": last,
        "starts": last + killed,
        "ever": last | (killed > 0),
        "in-shadow": last & (schedule.end <= earlier),
    }[backfilled].sum()
    hit = blocked_jobs(schedule, blocked)
    return {"backfilled": (int(count), "jobs"), "blocked": (int(hit.sum()), "jobs")}


def loads(schedule, since="first-submission") -> Numbers:
    """Return Table 5: the load with the killed work included, and the killed work's part, up to the
    last end.

    The span is since the first submission, as the paper says, or since the log's ``time-0``.
    """
    w = schedule.workload
    span = int(schedule.end.max()) - (int(w.submit[0]) if since == "first-submission" else 0)
    wasted = measures.wasted_time(schedule)
    total = measures.load(w.run_time + wasted, w.processors, w.machine, span)
    part = measures.load(wasted, w.processors, w.machine, span)
    return {"total_load": (100 * total, "%"), "wasted_load": (100 * part, "%")}


def preemptions(schedule, waste="mean") -> Numbers:
    """Return Table 6: preempted jobs, mean number of kills, and run time waste: the jobs' ``mean``,
    or the ``total`` over all their run time.
    """
    hit = schedule.times_killed > 0
    wasted, run_time = measures.wasted_time(schedule)[hit], schedule.workload.run_time[hit]
    share = _mean(wasted / run_time) if waste == "mean" else wasted.sum() / max(run_time.sum(), 1)
    return {
        "preempted": (int(hit.sum()), "jobs"),
        "preempted_share": (100 * float(hit.mean()), "%"),
        "mkt": (_mean(schedule.times_killed[hit]), "kills"),
        "rtw": (100 * float(share), "%"),
    }


def slowdowns(schedule) -> Numbers:
    """Return Figs. 4 to 6: mean bounded slowdown, plain and weighted by size, over all jobs."""
    w = schedule.workload
    return {
        "mbs": (measures.mbs(schedule.wait, w.run_time), "1"),
        "mwbs": (measures.mwbs(schedule.wait, w.run_time, w.processors), "1"),
    }


def blocked_by_size(schedule) -> Numbers:
    """Return the shares of the large jobs and of the others that are blocked."""
    return by_size(schedule, "blocked", audits.blocked(schedule))


def by_size(schedule, name, hit) -> Numbers:
    """Return the shares of the jobs larger than a quarter of the machine, and of the others, that
    are among some jobs, bool[n].
    """
    w = schedule.workload
    large = 4 * w.processors > w.machine
    return {
        f"{size} jobs {name}": (100 * _mean(hit[mask]), "%")
        for size, mask in (("large", large), ("small", ~large))
    }


def last_end(schedule) -> Numbers:
    """Return the end of the last job."""
    return {"last end": (int(schedule.end.max()) / HOUR, "h")}


COUNTS = (delays, violations, kinds, loads, preemptions, slowdowns)
#: The ways of counting each number, in words, the default first.
WAYS = {
    count: published.entries("pv_easy", "variants.toml")["ways"][count.__name__] for count in COUNTS
}
