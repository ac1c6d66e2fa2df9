"""EASY backfilling over an ordered queue, as one compiled event loop.

A job is its index, and indices are in order of arrival. What is decided at each instant is written in
``docs/semantics/queue_orders.md``; the reference implementation is ``replication.simulator.reference.queue_orders``.

At every event the queue may be in another order, so nothing of a pass is kept for the next, and only who is first in
order is looked for. Free and extra processors only get fewer in a pass: who could not start before cannot later, so the
next to start is always the first of those who can. A pass in which nobody fits is left out.
"""

import math
from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import planned
from replication.simulator.kernels.compiling import njit_noalloc
from replication.simulator.kernels.planned import FREE, HEAD, NOBODY, SMALLEST, TAIL
from replication.simulator.kernels.running import NEVER

SHORTEST, SMALLEST_AREA, WFP3, F1 = range(4)

# by : what the queue is ordered by
# limit : s; who has waited so long goes first, by arrival
Rules = namedtuple("Rules", planned.EVENTS + "by limit")


@njit(nogil=True, cache=True)
def ordered(memory, processors, rules):
    """Simulate EASY over an ordered queue; as `replication.simulator.kernels.easy_predicted.easy_predicted`."""
    machine = planned.idle(len(memory.submit), processors)
    _simulate(machine, memory, rules, np.empty(len(memory.submit)))
    return machine


@njit_noalloc
def _simulate(machine, memory, rules, key):
    """The event loop; `key` has room for what the queue is ordered by."""
    count, now = machine.count, 0
    count[HEAD] = -1  # nobody stays first
    while planned.has_events(machine):
        now = planned.next_event(machine, memory, now)
        planned.process_events(machine, memory, rules, now)
        if count[SMALLEST] <= count[FREE] and planned.fitting(machine, 0)[0] > 0:
            _pass(machine, memory, rules, key, now)


@njit_noalloc
def _pass(machine, memory, rules, key, now):
    """One scheduling pass over the queue: heads while they fit, a reservation, then those who may pass."""
    count, waiting, length = machine.count, machine.waiting, machine.planned
    for place in range(count[TAIL]):
        job = waiting[place]
        length[job] = planned.predicted_now(machine, memory, rules, job, now)
        key[place] = _key(memory, rules, job, length[job], now)
    head = _first(machine, key, NEVER, 0)
    while head != NOBODY and machine.wanted[head] <= count[FREE]:
        _begin(machine, memory, head, now)
        head = _first(machine, key, NEVER, 0)
    if head != NOBODY:
        shadow, extra = planned.reservation(
            machine, machine.by_plan, memory, machine.wanted[head], True, now
        )
        place = _first(machine, key, min(extra, count[FREE]), shadow - now)
        while place != NOBODY:
            if now + length[waiting[place]] > shadow:
                extra -= machine.wanted[place]
            machine.backfilled[waiting[place]] = True
            _begin(machine, memory, place, now)
            place = _first(machine, key, min(extra, count[FREE]), shadow - now)
    planned.compact_queue(machine, 0)


@njit_noalloc
def _begin(machine, memory, place, now):
    """Start the job at a place of the queue, which becomes a gap."""
    job = machine.waiting[place]
    planned.begin(machine, memory, job, machine.planned[job], now)
    machine.waiting[place] = NOBODY


@njit_noalloc
def _first(machine, key, extra, window):
    """First in order of those who need at most `extra` processors, or fit and are planned for at most `window` s: a place."""
    best, free = NOBODY, machine.count[FREE]
    for place in range(machine.count[TAIL]):
        job, size = machine.waiting[place], machine.wanted[place]
        if job >= 0 and (best == NOBODY or key[place] < key[best]):
            if size <= extra or (size <= free and machine.planned[job] <= window):
                best = place
    return best


@njit_noalloc
def _key(memory, rules, job, predicted, now):
    """What a waiting job is ordered by, the least first; equal ones in order of arrival."""
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
