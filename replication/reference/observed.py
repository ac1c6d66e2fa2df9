"""EASY watched as heel-and-toe's report watches it (sections 5 and 6): the readable twin of what the kernel
sees.

Nothing is kept from one moment to the next: real shadow times and the shortest waiting job are found anew
every time, as the report says it.
"""

from typing import NamedTuple

from replication.core.observing import LET_PAST, NEVER_WILD
from replication.reference.easy import instants, reservation


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


class Sight(NamedTuple):
    """The machine at one decision, for who watches the twin at work.

    Parameters
    ----------
    kind : str
        ``events`` (ends and submissions of an instant), ``started`` (in the queue's order), ``reserved`` (the
        head is blocked) or ``backfilled``.
    now : int, s
    jobs : tuple of int
        Those that the decision is about: ended and submitted, started, or the blocked head.
    queue, running : tuple of int
        After the decision, the queue in its order.
    planned : int, s, or None
        The head's reservation, where there is one.
    extra : int, processors, or None
        What the head leaves over at that time, after the decision.
    real : int, s, or None
        The head's real shadow time after the decision.
    """

    kind: str
    now: int
    jobs: tuple
    queue: tuple
    running: tuple
    planned: int | None = None
    extra: int | None = None
    real: int | None = None


def easy(workload, estimate=None, watch=None, allowed=None):
    """EASY backfilling as in `replication.reference.easy.easy`, and what it does to the heads.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    estimate : int[n], s, optional
        What the scheduler is told; the workload's own estimates by default.
    watch : callable, optional
        Called with a `Sight` at every decision.
    allowed : int[n], optional
        Where somebody intervenes: who may never be backfilled wildly (`NEVER_WILD`), and who passes a head
        whenever he fits (`LET_PAST`), after which the head has a new reservation.

    Returns
    -------
    start : list of int, s
    shortest : list of bool
        Whether no job in the queue had a shorter true run time when this one was started.
    steps : list of Step
        Every backfill, in order.
    """
    run_time, size = workload.run_time.tolist(), workload.processors.tolist()
    estimate = workload.estimate.tolist() if estimate is None else [int(e) for e in estimate]
    start, shortest, steps = [None] * len(workload), [False] * len(workload), []
    queue, running = [], []

    def begin(job, now):
        shortest[job] = run_time[job] == min(run_time[waiting] for waiting in queue)
        start[job] = now
        queue.remove(job)
        running.append(job)

    def free():
        return workload.machine - sum(size[job] for job in running)

    def shadow(end_of, now):
        """Shadow time and extra processors of the head, from ends as `end_of` has them."""
        ends = [(max(end_of(job), now), size[job]) for job in running]
        return reservation(ends, free(), size[queue[0]])

    def would_be_wild(job, now):
        """Whether the head would truly fit later if the job began now."""
        ends = [(max(true_end(other), now), size[other]) for other in running]
        ends.append((now + run_time[job], size[job]))
        return reservation(ends, free() - size[job], size[queue[0]])[0] > shadow(true_end, now)[0]

    def true_end(job):
        return start[job] + run_time[job]

    def show(kind, now, jobs, *head):
        if watch is not None and jobs:
            real = shadow(true_end, now)[:1] if head else ()
            watch(Sight(kind, now, tuple(jobs), tuple(queue), tuple(running), *head, *real))

    for now, submitted in instants(workload, start, running):
        ended = [job for job in running if true_end(job) <= now]
        running[:] = [job for job in running if job not in ended]
        queue.extend(submitted)
        show("events", now, ended + submitted)
        while queue and size[queue[0]] <= free():
            begin(queue[0], now)
            show("started", now, running[-1:])
        if not queue:
            continue
        planned, extra = shadow(lambda job: start[job] + estimate[job], now)
        show("reserved", now, queue[:1], planned, extra)
        for job in queue[1:]:
            in_time = now + estimate[job] <= planned
            passes = in_time or size[job] <= extra
            if allowed is not None and allowed[job] == LET_PAST:
                passes = True
            if size[job] > free():
                passes = False
            elif passes and allowed is not None and allowed[job] == NEVER_WILD:
                passes = not would_be_wild(job, now)
            if passes:
                before, _ = shadow(true_end, now)
                begin(job, now)
                after, _ = shadow(true_end, now)
                steps.append(Step(now, queue[0], job, planned, before, after))
                if not in_time:
                    extra -= size[job]
                if extra < 0:
                    planned, extra = shadow(lambda job: start[job] + estimate[job], now)
                show("backfilled", now, [job], planned, extra)
    return start, shortest, steps


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
