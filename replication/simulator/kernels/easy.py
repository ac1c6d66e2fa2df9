"""EASY backfilling (and plain FCFS) as one compiled event loop.

A job is its index, and indices are in queue order: by submission, then job number.
``docs/semantics.md`` states the decisions at each instant and their order; the reference
implementation is ``tests/reference/easy.py``.

Four properties make the loop fast without changing a decision:

* Between two ends no processor becomes free and the reservation of the blocked head does not move,
  so a submission can start the submitted job only.
* Candidates are searched for only if the smallest job behind the head fits the free processors.
* The search for candidates skips the parts of the queue that hold none
  (``replication.simulator.kernels.queue``).
* The loop allocates nothing.
"""

import numpy as np
from numba import njit

from replication.simulator.kernels import queue as queues
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.ordered_list import (
    LATEST,
    begin,
    empty_running,
    finish,
    next_end,
    next_planned_end,
    when_it_fits,
)
from replication.simulator.kernels.queue_tree import EMPTY


@njit(nogil=True, cache=True)
def easy(submit, run_time, estimate, size, machine, backfilling, start, backfilled, order):
    """Simulate EASY (FCFS if not `backfilling`); fill in `start`, `backfilled` and `order`.

    Lifka 1995; Mu'alem and Feitelson 2001, section 2. Memory is O(n).

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
        Ordered by submission; seconds and processors. ``1 <= size <= machine``.
    machine : int, processors
    backfilling : bool
    start : int64[n], s, out
    backfilled : bool[n], out
        True where the job was started past a blocked head; all False on input.
    order : int64[n], out
        The jobs in the order in which they were started.
    """
    n = len(submit)
    running, queue = empty_running(min(n, machine)), queues.empty_queue(n, backfilling)
    search = np.empty(queues.SEARCH, np.uint64)
    jobs, schedule = (submit, run_time, estimate, size), (start, backfilled, order)
    _simulate(jobs, machine, backfilling, schedule, running, queue, search)


# `_nrt=False` leaves out numba's reference counts, which cost two locked instructions for each
# array of a call.
@njit(nogil=True, cache=True, _nrt=False)
def _simulate(jobs, machine, backfilling, schedule, running, queue, search):
    submit, _, estimate, size = jobs
    _, backfilled, _ = schedule
    n, free = len(submit), machine
    nothing = np.int64(0)  # not a literal, for which each callee would be compiled once more
    arrived = started = n_running = nothing
    # The queue is [head, tail) without `removed` entries of its middle.
    head = tail = removed = nothing
    smallest = np.int64(EMPTY)  # no job waiting behind the head needs fewer processors
    # The reservation of the head, and whether it is valid.
    shadow, extra, reserved = nothing, nothing, False
    while arrived < n or n_running > 0:
        now = min(submit[arrived] if arrived < n else LATEST, next_end(running, n_running))

        # Jobs end.
        ended = False
        while n_running > 0 and next_end(running, n_running) == now:
            free += finish(running, n_running)
            n_running -= 1
            ended = True
        overdue = next_planned_end(running, n_running) < now  # the reservation moves

        if head < tail and (ended or overdue):
            # Jobs at the head start as long as they fit.
            reserved = False
            while head < tail:
                job = queue.job[head]
                if queue.size[head] == EMPTY:
                    removed -= 1
                elif size[job] <= free:
                    queues.remove(queue, head, tail)
                    _start(job, now, jobs, schedule, started, running, n_running)
                    started += 1
                    n_running += 1
                    free -= size[job]
                else:
                    break
                head += 1

            # The head is blocked and has a reservation: the shadow time and the extra processors
            # then. A job behind it is backfilled if it fits now and ends by the shadow time, or
            # needs no more than the extra processors.
            if backfilling and head < tail and smallest <= free:
                gaps = head + removed  # time only, as is the compaction
                if gaps > queues.COMPACT_THRESHOLD and 2 * gaps > tail:
                    tail = queues.compact(queue, head, tail)
                    head = removed = nothing
                shadow, extra = when_it_fits(
                    running.by_plan, running.size, n_running, free, size[queue.job[head]], now
                )
                reserved = True
                queues.begin_search(search, queue, head, tail)
                while True:
                    k = queues.next_candidate(queue, search, tail, free, extra, shadow - now)
                    if k >= tail:
                        break
                    job = queue.job[k]
                    in_time = now + estimate[job] <= shadow
                    if size[job] <= free and (in_time or size[job] <= extra):
                        queues.remove(queue, k, tail)
                        removed += 1
                        backfilled[job] = True
                        _start(job, now, jobs, schedule, started, running, n_running)
                        started += 1
                        n_running += 1
                        free -= size[job]
                        if not in_time:
                            extra -= size[job]
                smallest = np.int64(search[queues.SMALLEST])

        # Jobs are submitted; each starts (empty queue), is backfilled (blocked head), or joins the
        # queue.
        while arrived < n and submit[arrived] == now:
            job = arrived
            arrived += 1
            starts = size[job] <= free
            if head == tail:
                queues.clear(queue, tail)
                head = tail = removed = nothing
                smallest = np.int64(EMPTY)
            elif starts and backfilling:
                if not reserved:
                    shadow, extra = when_it_fits(
                        running.by_plan, running.size, n_running, free, size[queue.job[head]], now
                    )
                    reserved = True
                in_time = now + estimate[job] <= shadow
                starts = backfilled[job] = in_time or size[job] <= extra
                if starts and not in_time:
                    extra -= size[job]
            else:
                starts = False
            if starts:
                _start(job, now, jobs, schedule, started, running, n_running)
                started += 1
                n_running += 1
                free -= size[job]
            else:
                if head < tail:
                    smallest = min(smallest, size[job])
                queues.append(queue, tail, job, size[job], estimate[job])
                tail += 1


@njit_noalloc
def _start(job, now, jobs, schedule, started, running, n_running):
    """Start a job; `started` jobs were started before it."""
    _, run_time, estimate, size = jobs
    start, _, order = schedule
    start[job] = now
    order[started] = job
    begin(running, n_running, now + run_time[job], now + estimate[job], size[job])
