"""EASY backfilling over an ordered queue, as one compiled event loop.

A job is its index, and indices are in order of submission. ``docs/semantics/queue_orders.md`` states the decisions at
each instant; the reference implementation is ``replication.simulator.reference.queue_orders``.

The order of the queue may change at every event, so the queue is not sorted; a pass repeatedly selects the first job
that can start. Free and extra processors only decrease during a pass, so a job that could not start before cannot start
later in the pass. A pass in which no job fits is skipped.
"""

import math
from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.machine import FREE, HEAD, NO_JOB, SMALLEST, TAIL
from replication.simulator.kernels.ordered_list import NEVER

SHORTEST, SMALLEST_AREA, WFP3, F1 = range(4)

# by : order of the queue
# limit : s; jobs that have waited this long come first, in order of submission
Rules = namedtuple("Rules", machines.SHARED_RULES + "by limit")


@njit(nogil=True, cache=True)
def ordered(memory, processors, rules):
    """Simulate EASY over an ordered queue; as `replication.simulator.kernels.easy_predicted.easy_predicted`."""
    machine = machines.idle_machine(len(memory.submit), processors)
    _simulate(machine, memory, rules, np.empty(len(memory.submit)))
    return machine


@njit_noalloc
def _simulate(machine, memory, rules, key):
    """Run the event loop; `key` is float64[n], scratch space."""
    count, now = machine.count, 0
    count[HEAD] = -1  # no place of the queue is the head's
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        machines.process_events(machine, memory, rules, now)
        if count[SMALLEST] <= count[FREE] and machines.fitting(machine, 0)[0] > 0:
            _pass(machine, memory, rules, key, now)


@njit_noalloc
def _pass(machine, memory, rules, key, now):
    """Start heads while they fit, make a reservation for the blocked head, and backfill."""
    count, waiting, length = machine.count, machine.waiting, machine.planned
    for place in range(count[TAIL]):
        job = waiting[place]
        length[job] = machines.predicted_now(machine, memory, rules, job, now)
        key[place] = _key(memory, rules, job, length[job], now)
    head = _first(machine, key, NEVER, 0)
    while head != NO_JOB and machine.queued_size[head] <= count[FREE]:
        _begin(machine, memory, head, now)
        head = _first(machine, key, NEVER, 0)
    if head != NO_JOB:
        shadow, extra = machines.reservation(
            machine, machine.by_plan, memory, machine.queued_size[head], True, now
        )
        place = _first(machine, key, min(extra, count[FREE]), shadow - now)
        while place != NO_JOB:
            if now + length[waiting[place]] > shadow:
                extra -= machine.queued_size[place]
            machine.backfilled[waiting[place]] = True
            _begin(machine, memory, place, now)
            place = _first(machine, key, min(extra, count[FREE]), shadow - now)
    machines.compact_queue(machine, 0)


@njit_noalloc
def _begin(machine, memory, place, now):
    """Start the job at a place of the queue, which becomes a gap."""
    job = machine.waiting[place]
    machines.begin(machine, memory, job, machine.planned[job], now)
    machine.waiting[place] = NO_JOB


@njit_noalloc
def _first(machine, key, extra, window):
    """Return the place of the first job that needs at most `extra` processors, or fits and ends within `window` s."""
    best, free = NO_JOB, machine.count[FREE]
    for place in range(machine.count[TAIL]):
        job, size = machine.waiting[place], machine.queued_size[place]
        if job >= 0 and (best == NO_JOB or key[place] < key[best]):
            if size <= extra or (size <= free and machine.planned[job] <= window):
                best = place
    return best


@njit_noalloc
def _key(memory, rules, job, predicted, now):
    """Return the sort key of a waiting job; the least is first, and equal ones are in order of submission."""
    waited, size = now - memory.submit[job], memory.size[job]
    if waited >= rules.limit:
        return -math.inf
    if rules.by == SHORTEST:
        return float(predicted)
    if rules.by == SMALLEST_AREA:
        return float(predicted * size)
    length = float(max(predicted, 1))
    if rules.by == WFP3:
        ratio = waited / length
        return -(ratio * ratio * ratio * size)
    arrival = float(max(memory.submit[job] - memory.submit[0], 1))
    return math.log10(length) * size + 870.0 * math.log10(arrival)
