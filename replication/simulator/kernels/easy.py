"""EASY backfilling (and plain FCFS) as one compiled event loop, watched if that is asked for.

A job is its index, and indices are in queue order: by submission, then job number. What is decided at
each instant, and in which order, is written in ``docs/semantics.md``; the reference implementation is
``replication.simulator.reference.easy``.

What makes the loop fast changes no decision:

* Between two ends nothing is freed and the reservation of the blocked head stays as it is, so a
  submission can only affect the submitted job itself.
* An end that leaves fewer processors free than the smallest waiting job needs starts nothing.
* Where a part of the queue can hold no candidate, none of its jobs is looked at; see ``core.waiting``.
* Nothing is allocated or counted inside the loop.

Given `seen`, the loop notes wild backfills, delays of heads and starts of the shortest job; see
``core.observing``. Given `allowed` as well, it lets jobs do more or less to the head than the reservation would.
"""

import numpy as np
from numba import njit

from replication.simulator.kernels import observing as see
from replication.simulator.kernels import waiting as wait
from replication.simulator.kernels.running import (
    LATEST,
    begin,
    empty_running,
    finish,
    next_end,
    next_planned_end,
    reservation,
)
from replication.simulator.kernels.waiting import EMPTY


@njit(nogil=True, cache=True)
def easy(
    submit,
    run_time,
    estimate,
    size,
    machine,
    backfilling,
    start,
    backfilled,
    seen=None,
    allowed=None,
):
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
    seen : replication.simulator.kernels.observing.Seen, out, optional
        As `empty_observations` makes it. Left out, nothing of it is compiled.
    allowed : int8[n], optional
        What each job may do to a head: `AS_BELIEVED`, `NEVER_WILD` or `LET_PAST` of
        `replication.simulator.kernels.observing`. Only with `seen`; left out, nothing of it is compiled.

    Notes
    -----
    Lifka 1995; Mu'alem and Feitelson 2001, section 2. Memory is O(n), all of it taken before the loop.
    """
    n = len(submit)
    room = empty_running(min(n, machine)), wait.empty_queue(n), np.empty(wait.SEARCH, np.uint64)
    _loop(
        submit,
        run_time,
        estimate,
        size,
        machine,
        backfilling,
        start,
        backfilled,
        room,
        seen,
        allowed,
    )


# Nothing is allocated here. Without numba's reference counts (_nrt) every call that is handed an array is
# spared two locked instructions, which would more than double the time of a run in which things are seen.
@njit(nogil=True, cache=True, _nrt=False)
def _loop(
    submit, run_time, estimate, size, machine, backfilling, start, backfilled, room, seen, allowed
):
    n = len(submit)
    jobs, queue, search = room
    waiting = queue.job
    head = tail = 0  # the queue is what is not struck out of [head, tail)
    running = arrived = struck = 0
    free = machine
    smallest = np.int64(EMPTY)  # no job waiting behind the head needs fewer processors
    shadow, extra, reserved = 0, 0, False  # the head's reservation, and whether it is up to date
    moved = False  # whether a job that was let past moved the reservation since the last pass
    while arrived < n or running > 0:
        now = min(submit[arrived] if arrived < n else LATEST, next_end(jobs, running))
        if seen is not None:
            see.on_submissions(seen, submit, run_time, arrived, now)

        # Ends first.
        ended = False
        while running > 0 and next_end(jobs, running) == now:
            free += finish(jobs, running)
            running -= 1
            ended = True
        overdue = next_planned_end(jobs, running) < now

        # One pass over those who waited already: the heads that fit ...
        if head < tail and (ended or overdue or moved):
            reserved = moved = False
            while head < tail:
                job = waiting[head]
                if queue.size[head] != EMPTY and size[job] <= free:
                    if seen is not None:
                        see.on_start(seen, submit, run_time, arrived, head, tail, job, now)
                        see.on_head_start(seen, job, now)
                    wait.leave(queue, head)
                    start[job] = now
                    begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
                    running += 1
                    free -= size[job]
                elif queue.size[head] == EMPTY:
                    struck -= 1
                else:
                    break
                head += 1

            # ... and behind a head that does not fit, whoever does not delay it by what is believed ...
            if backfilling and head < tail and smallest <= free:
                if struck > wait.COMPACT_THRESHOLD and 2 * struck > tail - head:
                    if seen is not None:
                        wait.compact_column(seen.run_time, queue.size, head, tail)
                    tail = wait.compact(queue, head, tail)
                    struck = 0
                head_size = size[waiting[head]]
                shadow, extra = reservation(jobs, running, free, head_size, now)
                reserved = True
                wait.look_from(search, head, tail)
                while True:
                    k = wait.find(queue, search, tail, free, extra, shadow - now)
                    if k >= tail:
                        break
                    job = waiting[k]
                    in_time = now + estimate[job] <= shadow
                    passes = size[job] <= free and (in_time or size[job] <= extra)
                    if allowed is not None:
                        passes = see.may_pass(
                            seen,
                            allowed[job],
                            passes,
                            jobs,
                            running,
                            free,
                            head_size,
                            run_time[job],
                            size[job],
                            now,
                        )
                    if not passes:
                        continue
                    if seen is not None:
                        see.on_start(seen, submit, run_time, arrived, head, tail, job, now)
                        see.on_backfill(
                            seen, jobs, running, free, head_size, job, run_time[job], size[job], now
                        )
                        seen.run_time[k] = EMPTY
                    wait.take(queue, search, k)
                    struck += 1
                    start[job] = now
                    backfilled[job] = True
                    begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
                    running += 1
                    free -= size[job]
                    if not in_time:
                        extra -= size[job]
                    if seen is not None and seen.wild[job]:
                        see.on_wild(seen, jobs, running, free, head_size, now)
                    if allowed is not None and extra < 0:
                        shadow, extra = reservation(jobs, running, free, head_size, now)
                        wait.look_again(queue, search, k, free, extra, shadow - now)
                        moved = True
                smallest = np.int64(search[wait.SMALLEST])

        # ... and, in the same way, those who come now.
        while arrived < n and submit[arrived] == now:
            job = arrived
            arrived += 1
            starts = size[job] <= free
            if head == tail:
                wait.start_over(queue, tail)
                head = tail = struck = 0
                reserved = False
                smallest = np.int64(EMPTY)
            elif starts and backfilling:
                if not reserved:
                    shadow, extra = reservation(jobs, running, free, size[waiting[head]], now)
                    reserved = True
                in_time = now + estimate[job] <= shadow
                starts = in_time or size[job] <= extra
                if allowed is not None:
                    starts = see.may_pass(
                        seen,
                        allowed[job],
                        starts,
                        jobs,
                        running,
                        free,
                        size[waiting[head]],
                        run_time[job],
                        size[job],
                        now,
                    )
                if starts and not in_time:
                    extra -= size[job]
                backfilled[job] = starts
            else:
                starts = False
            if not starts:
                if head < tail:
                    smallest = min(smallest, size[job])
                if seen is not None:
                    seen.run_time[tail] = wait.narrow(run_time[job])
                planned = estimate[job]
                if allowed is not None and allowed[job] == see.LET_PAST:
                    planned = 0  # so that the search never passes over it
                wait.join(queue, tail, job, size[job], planned)
                tail += 1
                continue
            if seen is not None:
                see.on_start(seen, submit, run_time, arrived, head, tail, job, now)
                if backfilled[job]:
                    head_size = size[waiting[head]]
                    see.on_backfill(
                        seen, jobs, running, free, head_size, job, run_time[job], size[job], now
                    )
            start[job] = now
            begin(jobs, running, now + run_time[job], now + estimate[job], size[job])
            running += 1
            free -= size[job]
            if seen is not None and seen.wild[job]:
                see.on_wild(seen, jobs, running, free, size[waiting[head]], now)
            if allowed is not None and extra < 0:
                reserved, moved = False, True
