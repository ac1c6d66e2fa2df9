"""What is seen of the readable twin of EASY, as heel-and-toe's report sees it (sections 5 and 6).

Nothing is kept from one moment to the next: real shadow times and the shortest waiting job are found anew
every time, as the report says it.
"""

from typing import NamedTuple

from replication.reference.easy import Easy


class Step(NamedTuple):
    """One backfill past a head.

    Parameters
    ----------
    now : int, s
    head, job : int
        Indices of the blocked head and of the job that passes it.
    planned : int, s
        The head's reservation, from the estimates of the running jobs.
    before, after : int, s
        The head's real shadow time just before and just after; it is wild if they differ.
    """

    now: int
    head: int
    job: int
    planned: int
    before: int
    after: int


def easy(workload, estimate=None, seed=1, **options):
    """Watch EASY, with predictions too, and what it does to the heads.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    estimate : int[n], s, optional
        What the scheduler is told; the workload's own estimates by default.
    seed, **options
        As `replication.reference.easy.Easy` takes them.

    Returns
    -------
    start : list of int, s
    shortest : list of bool
        Whether no job in the queue had a shorter true run time when this one was started.
    steps : list of Step
        Every backfill, in order.
    """
    sights = []
    done = Easy(workload, estimate, seed, watch=sights.append, **options).run()
    shortest, steps = [False] * len(workload), []
    for before, sight in zip([None, *sights], sights, strict=False):
        if sight.kind in ("started", "backfilled"):
            (job,) = sight.jobs
            others = [done.run_time[waiting] for waiting in sight.queue]
            shortest[job] = done.run_time[job] <= min(others, default=done.run_time[job])
        if sight.kind == "backfilled":
            head = sight.queue[0]
            steps.append(Step(sight.now, head, job, before.planned, before.real, sight.real))
    return done.start, shortest, steps


def suffered(start, steps):
    """What each head suffered (section 5).

    Parameters
    ----------
    start : list of int, s
    steps : list of Step

    Returns
    -------
    wild : set of int
        Jobs that were backfilled wildly.
    events : dict of int to int
        How many wild backfills each delayed job suffered while it was the head.
    delay : dict of int to int, s
        From each delayed job's first real shadow time to its start.
    """
    wild = {step.job for step in steps if step.after != step.before}
    first = {}
    for step in steps:
        first.setdefault(step.head, step.before)
    events = {}
    for step in steps:
        if step.job in wild:
            events[step.head] = events.get(step.head, 0) + 1
    return wild, events, {head: start[head] - first[head] for head in events}
