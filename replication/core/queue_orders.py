"""EASY backfilling over an ordered queue, as one compiled event loop.

A job is its index, and indices are in order of arrival. What is decided at each instant is written in
``docs/semantics/queue_orders.md``; the readable twin is ``replication.reference.queue_orders``.

At every event the queue may be in another order, so nothing of a pass is kept for the next. What spares work changes
no decision: a pass in which nobody fits starts nobody and is left out, the heads are taken off a heap, and behind the
blocked head only the jobs that fit are put in order.
"""

import math

import numpy as np
from numba import njit

from replication.core.planned import (
    ARRIVED,
    FREE,
    RUNNING,
    SMALLEST,
    TAIL,
    begin,
    close_ranks,
    correct,
    finish,
    idle,
    next_end,
    predicted_now,
    reservation,
    started,
    submit,
)
from replication.core.running import LATEST
from replication.core.uncounted import uncounted

SHORTEST, SMALLEST_AREA, WFP3, F1 = range(4)


@njit(nogil=True, cache=True)
def ordered(
    memory, processors, by, limit, refresh, correction, start, backfilled, first, prediction
):
    """Simulate EASY over an ordered queue.

    Parameters
    ----------
    memory : namedtuple
        The jobs and a predictor that has seen none of them; changed.
    processors : int
    by : int
        `SHORTEST`, `SMALLEST_AREA`, `WFP3` or `F1`.
    limit : int, s
        Who has waited so long goes first, by arrival.
    refresh : bool
        Whether predictions of waiting jobs are renewed at every pass, not kept from submission.
    correction : int
        As of `replication.core.easy_predicted.Rules`.
    start, first, prediction : int64[n], s, out
        When each job starts; what was predicted at its submission, and what it was planned with at its start.
    backfilled : bool[n], out
        True where the job was started past a blocked head; must come in as False.
    """
    n = len(memory.submit)
    machine = idle(n, processors, start, prediction)
    key, planned = np.empty(n), np.empty(n, np.int64)
    _simulate(machine, memory, by, limit, refresh, correction, first, backfilled, key, planned)


@uncounted
def _simulate(machine, memory, by, limit, refresh, correction, first, backfilled, key, planned):
    """The event loop: ends, then submissions, then one pass."""
    n, count = len(memory.submit), machine.count
    while count[ARRIVED] < n or count[RUNNING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        now = min(submission, next_end(machine))
        while count[RUNNING] > 0 and next_end(machine) == now:
            finish(machine, memory, now)
        submit(machine, memory, first, now, False)
        correct(machine, memory, correction, now)
        if count[SMALLEST] <= count[FREE]:
            _pass(machine, memory, by, limit, refresh, first, backfilled, key, planned, now)


@uncounted
def _pass(machine, memory, by, limit, refresh, first, backfilled, key, planned, now):
    """One scheduling pass over the queue; `scratch` holds places in the queue, as a heap by their keys."""
    count, waiting, places = machine.count, machine.waiting, machine.scratch
    left = count[TAIL]
    for place in range(left):
        job = waiting[place]
        planned[place] = predicted_now(memory, refresh, first, job, now)
        key[place] = _key(memory, job, planned[place], by, limit, now)
        places[place] = place
    _heap(places, key, left)
    while left > 0 and memory.size[waiting[places[0]]] <= count[FREE]:
        left = _begin_first(machine, memory, places, key, planned, left, now)
    if left > 0:
        head = waiting[places[0]]
        left = _fitting(machine, memory, places, key, left, head)
        if left > 0:
            shadow, extra = reservation(machine, memory, memory.size[head], True, now)
        while left > 0:
            job, length = waiting[places[0]], planned[places[0]]
            size, in_time = memory.size[job], now + length <= shadow
            if size <= count[FREE] and (in_time or size <= extra):
                backfilled[job] = True
                if not in_time:
                    extra -= size
                left = _begin_first(machine, memory, places, key, planned, left, now)
            else:
                left = _drop_first(places, key, left)
    close_ranks(machine, None)


@uncounted
def _key(memory, job, predicted, by, limit, now):
    """What a waiting job is ordered by, the least first; equal ones in order of arrival."""
    waited = now - memory.submit[job]
    if waited >= limit:
        return -math.inf
    if by == SHORTEST:
        return float(predicted)
    if by == SMALLEST_AREA:
        return float(predicted * memory.size[job])
    length = float(max(predicted, 1))
    if by == WFP3:
        ratio = waited / length
        return -(ratio * ratio * ratio * memory.size[job])
    arrival = float(max(memory.submit[job] - memory.submit[0], 1))
    return math.log10(length) * memory.size[job] + 870.0 * math.log10(arrival)


@uncounted
def _begin_first(machine, memory, places, key, planned, left, now):
    """Start the first job of the heap; how many are left in it."""
    place = places[0]
    begin(machine, memory, machine.waiting[place], planned[place], now)
    machine.waiting[place] = started(machine.waiting[place])
    return _drop_first(places, key, left)


@uncounted
def _fitting(machine, memory, places, key, left, head):
    """Leave of the heap of `left` places those whose jobs fit behind the head; how many there are."""
    kept = 0
    for k in range(left):
        job = machine.waiting[places[k]]
        if job != head and memory.size[job] <= machine.count[FREE]:
            places[kept] = places[k]
            kept += 1
    _heap(places, key, kept)
    return kept


@uncounted
def _heap(places, key, left):
    """Make a heap of the first `left` places, the one with the least key on top."""
    for top in range(left // 2 - 1, -1, -1):
        _sift(places, key, top, left)


@uncounted
def _drop_first(places, key, left):
    """Take the top off the heap; how many are left in it."""
    places[0] = places[left - 1]
    _sift(places, key, 0, left - 1)
    return left - 1


@uncounted
def _sift(places, key, top, left):
    """Let the place at `top` sink to where it belongs in the heap."""
    place = places[top]
    child = 2 * top + 1
    while child < left:
        if child + 1 < left and _before(key, places[child + 1], places[child]):
            child += 1
        if _before(key, place, places[child]):
            break
        places[top] = places[child]
        top, child = child, 2 * child + 1
    places[top] = place


@uncounted
def _before(key, place, other):
    """Whether a place in the queue goes before another."""
    return key[place] < key[other] or (key[place] == key[other] and place < other)
