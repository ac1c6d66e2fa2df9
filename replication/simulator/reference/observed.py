"""What is seen of the readable twin of EASY, as heel-and-toe's report sees it (sections 5 and 6).

Nothing is kept from one moment to the next: real shadow times and the shortest waiting job are found anew
every time, as the report says it.
"""

from typing import NamedTuple

from replication.simulator.reference.easy import Easy


class Step(NamedTuple):
    """One backfill past a head: when, the head, and the job that passes it."""

    now: int
    head: int
    job: int
    planned: int  # s, the head's reservation, from the estimates of the running jobs
    before: int  # s, the head's real shadow time just before and just after; the backfill is wild if they differ
    after: int


def easy(workload, estimate=None, seed=1, **options):
    """Watch EASY, with predictions too, and what it does to the heads; arguments as of `replication.simulator.reference.easy.Easy`.

    Returns the start of each job, s; whether no job in the queue had a shorter true run time then; and every backfill
    in order, a `Step` each.
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
    """What each head suffered from the backfills `steps` (section 5).

    Returns the jobs that were backfilled wildly; how many wild backfills each delayed job suffered while it was the head;
    and from its first real shadow time to its start, s.
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
