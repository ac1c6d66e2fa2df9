"""EASY backfilling (and plain FCFS) as one compiled event loop.

A job is its index, and indices are in queue order: by submission, then job number. What is decided at
each instant, and in which order, is written in ``docs/semantics.md``; the readable twin is
``replication.reference.easy.easy``.

Two facts make the loop fast without changing any decision:

* Between two ends nothing is freed and the reservation of the blocked head stays as it is, so a
  submission can only affect the submitted job itself.
* An end that leaves fewer processors free than the smallest waiting job needs starts nothing.
"""

import numpy as np
from numba import njit

from replication.core.running import (
    LATEST,
    NEVER,
    ONE,
    begin,
    finish,
    next_end,
    next_planned_end,
    nobody_runs,
    reservation,
)


@njit(nogil=True, cache=True)
def easy(submit, run_time, estimate, size, machine, backfilling, start, backfilled):
    """Simulate EASY (FCFS if not `backfilling`); fill in `start` and `backfilled`.

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
        Ordered by submission; seconds and processors. ``1 <= size <= machine``.
    machine : int, processors
    backfilling : bool
    start : int64[n], s, out
    backfilled : bool[n], out
        True where the job was started past a blocked head; must come in as False.

    Notes
    -----
    Lifka 1995; Mu'alem and Feitelson 2001, section 2. Memory is O(n), all of it taken before the loop.
    """
    n = len(submit)
    jobs = nobody_runs(min(n, machine))
    waiting, wait_size, wait_estimate = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    head = tail = 0  # the queue is waiting[head:tail]
    running = arrived = 0
    free = machine
    smallest = NEVER  # no job waiting behind the head needs fewer processors
    shadow, extra, reserved = 0, 0, False  # the head's reservation, and whether it is up to date
    while arrived < n or running > 0:
        now = min(submit[arrived] if arrived < n else LATEST, next_end(jobs, running))

        # Ends first.
        ended = False
        while running > 0 and next_end(jobs, running) == now:
            free += finish(jobs, running)
            running -= 1
            ended = True
        overdue = next_planned_end(jobs, running) < now

        # One pass over those who waited already ...
        if head < tail and (ended or overdue):
            reserved = False
            while head < tail and wait_size[head] <= free:
                job = waiting[head]
                start[job] = now
                free -= size[job]
                begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
                running += 1
                head += 1
            if backfilling and tail - head > 1 and smallest <= free:
                shadow, extra = reservation(jobs, running, free, wait_size[head], now)
                reserved = True
                smallest = NEVER
                kept = np.uint64(head + 1)
                for k in range(np.uint64(head + 1), np.uint64(tail)):
                    in_time = now + wait_estimate[k] <= shadow
                    if wait_size[k] <= free and (in_time or wait_size[k] <= extra):
                        job = waiting[k]
                        start[job] = now
                        backfilled[job] = True
                        free -= size[job]
                        if not in_time:
                            extra -= size[job]
                        begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
                        running += 1
                    else:
                        if kept < k:
                            waiting[kept], wait_size[kept] = waiting[k], wait_size[k]
                            wait_estimate[kept] = wait_estimate[k]
                        smallest = min(smallest, wait_size[k])
                        kept += ONE
                tail = np.int64(kept)

        # ... which goes on through those who come now.
        while arrived < n and submit[arrived] == now:
            job = arrived
            arrived += 1
            starts = size[job] <= free
            if head == tail:
                head = tail = 0
                reserved = False
                smallest = NEVER
            elif starts and backfilling:
                if not reserved:
                    shadow, extra = reservation(jobs, running, free, wait_size[head], now)
                    reserved = True
                in_time = now + estimate[job] <= shadow
                starts = in_time or size[job] <= extra
                if starts and not in_time:
                    extra -= size[job]
                backfilled[job] = starts
            else:
                starts = False
            if starts:
                start[job] = now
                free -= size[job]
                begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
                running += 1
            else:
                if head < tail:
                    smallest = min(smallest, size[job])
                waiting[tail], wait_size[tail], wait_estimate[tail] = job, size[job], estimate[job]
                tail += 1
