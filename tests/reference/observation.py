"""Observations of the reference implementation of EASY, after heel-and-toe
(report 2006, sections 5 and 6).

Real shadow times and the shortest waiting job are computed at every decision.
"""

from typing import NamedTuple

from tests.reference.easy import Easy


class Step(NamedTuple):
    """One backfill; times in s."""

    now: int
    head: int
    job: int
    planned: int  # shadow time by the reservation
    # real shadow time of the head before and after the backfill, which is wild if they differ
    before: int
    after: int


def easy(workload, estimate=None, seed=1, **options) -> tuple[list[int], list[bool], list[Step]]:
    """Simulate and observe EASY; arguments as for `tests.reference.easy.Easy`.

    Returns
    -------
    start : list of int, s
    shortest : list of bool
        Whether no job in the queue had a shorter run time when the job started.
    steps : list of Step
        The backfills in order.
    """
    decisions = []
    done = Easy(workload, estimate, seed, watch=decisions.append, **options).run()
    run_time, shortest, steps = workload.run_time, [False] * len(workload), []
    for before, decision in zip([None, *decisions], decisions, strict=False):
        if decision.kind in ("started", "backfilled"):
            (job,) = decision.jobs
            shortest[job] = run_time[job] <= min(run_time[[*decision.queue, job]])
        if decision.kind == "backfilled":
            head = decision.queue[0]
            steps.append(Step(decision.now, head, job, before.planned, before.real, decision.real))
    return done.start, shortest, steps


def delays(start, steps) -> tuple[set[int], dict[int, int], dict[int, int]]:
    """Return the effects of the backfills `steps` (section 5).

    Returns
    -------
    wild : set of int
        Jobs that were backfilled wildly.
    events : dict of int to int
        Number of wild backfills while a delayed job was the head, by that job.
    delay : dict of int to int, s
        Time from the first real shadow time of a delayed job to its start.
    """
    wild = {step.job for step in steps if step.after != step.before}
    shadow = {}
    for step in steps:
        shadow.setdefault(step.head, step.before)
    events = {}
    for step in steps:
        if step.job in wild:
            events[step.head] = events.get(step.head, 0) + 1
    return wild, events, {head: start[head] - shadow[head] for head in events}
