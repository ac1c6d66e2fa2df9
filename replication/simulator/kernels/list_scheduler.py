"""List scheduling on predictions, with and without backfilling, as one compiled event loop.

A job is its index, and indices are in order of submission. The queue has an order: that of
submission, or another one. Its first jobs start while they fit, and the next one is the head. The
jobs behind the head may pass it by its reservation (EASY), or the queue has no head and every job
starts that fits (largest area first). ``docs/semantics`` states the decisions at each instant in
`predicted.md` and `queue_orders.md`; the reference implementations are in ``tests/reference``.

Planned ends change only at ends and corrections, and so do the predictions of waiting jobs unless
the rules say that they are `volatile`. Without either since the last pass, a submission can start
the submitted job only, so the pass considers no other. Free and extra processors only decrease
during a pass, so a job that cannot start does not become able to start later in the pass.

A queue of up to `LONG` jobs is scanned. The jobs of a longer one are ranked in the order in which
they are tried, and a tree over the ranks finds the next job that may start
(`replication.simulator.kernels.queue_tree`). This requires an order that is known before the
simulation:

* Predictions that change from pass to pass have the lower bound 0 in the tree, so every job that
  fits the free processors is predicted. A pass costs as many predictions as jobs fit.
* The queue is scanned where its order depends on such predictions, is not in `RANKABLE`, or has a
  waiting limit. A pass costs as many predictions and keys as jobs wait.
"""

import math
from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels import queue_tree as trees
from replication.simulator.kernels.compilation import njit_call, njit_noalloc, sort
from replication.simulator.kernels.machine import (
    ARRIVED,
    EXTRA,
    FREE,
    HEAD,
    LATEST,
    NO_JOB,
    RESERVED,
    SHADOW,
    SMALLEST,
    STARTED,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER, ONE

LONG = 1024  # waiting jobs above which the queue is ranked
DONE = -1

#: Orders of the queue; `GIVEN` by a number for each job, the least first.
SUBMISSION, SHORTEST, SMALLEST_AREA, WFP3, F1, GIVEN, LARGEST_AREA = range(7)
#: Orders in which the keys of waiting jobs depend on nothing that changes but predictions, so that
#: a long queue may be ranked; the queue of any other order is scanned.
RANKABLE = (SUBMISSION, SHORTEST, SMALLEST_AREA, F1, GIVEN, LARGEST_AREA)
NO_LIMIT = 2**62

# order : order of the queue
# waiting_limit : s; jobs that have waited this long come first, in order of submission
# shortest_first : candidates are in order of prediction, not in queue order
# candidates_limit : jobs behind the head that a pass tries
Rules = namedtuple(
    "Rules",
    machines.SHARED_RULES + "order waiting_limit shortest_first candidates_limit",
    defaults=(SUBMISSION, NO_LIMIT, False, NO_LIMIT),
)

# job, rank : int64[n], the job of each rank and the rank of each job; empty until they are needed
# given : int64[n], the order of the queue if it is `GIVEN`
Lists = namedtuple("Lists", "job rank given")


def list_scheduler(memory, processors, rules, given):
    """Simulate a list scheduler.

    Parameters
    ----------
    memory : replication.simulator.kernels.memory.Memory
        The jobs and a predictor before the first job; modified.
    processors : int
    rules : Rules
    given : int64[n] or int64[0]
        The order of the queue if it is `GIVEN`; equal ones are in order of submission.

    Returns
    -------
    replication.simulator.kernels.machine.Machine
        The machine after the last job, with the decisions for each job.
    """
    by_key = rules.order != SUBMISSION or rules.shortest_first
    key = np.empty(len(memory.submit)) if by_key else None
    return _run(memory, processors, rules, given, key)


@njit(nogil=True, cache=True)
def _run(memory, processors, rules, given, key):
    """Simulate with a scanned queue while it is short, and with a ranked one while it is long.

    `key` is scratch space for the keys of the queue's places, float64[n]; None if all is in order
    of submission. The loop is compiled apart for each kind of queue, since code for the others
    would slow it down even where it is not used.
    """
    n, none = len(memory.submit), np.empty(0, np.int64)
    machine = machines.idle_machine(n, processors)
    if rules.order != SUBMISSION:
        machine.count[HEAD] = -1  # no place of the queue is the head's
    lists, tree = Lists(none, none, given), trees.empty_tree(0)
    now = _simulate(machine, memory, rules, lists, key, None, 0)
    while now != DONE:
        if len(lists.job) == 0:
            lists, tree = _ranked(memory, rules, lists), trees.empty_tree(n)
        _rank_queue(machine, memory, rules, lists, tree)
        now = _simulate(machine, memory, rules, lists, None, tree, now)
        if now != DONE:
            _leave_ranks(machine, memory, rules, lists, tree)
            now = _simulate(machine, memory, rules, lists, key, None, now)
    return machine


@njit(nogil=True, cache=True)
def _ranked(memory, rules, lists):
    """Return the lists with ranks for all jobs."""
    n = len(memory.submit)
    job, rank, key = np.arange(n), np.arange(n), np.empty(n)
    if rules.order != SUBMISSION or rules.shortest_first:
        for k in range(n):
            predicted = memory.known[k] if memory.predict == 0 else 0
            key[k] = -predicted  # the longest of equally large areas is first
        if rules.order == LARGEST_AREA:
            job = np.argsort(key, kind="mergesort")
        for k in range(n):
            predicted = memory.known[k] if memory.predict == 0 else 0
            key[k] = _key(memory, rules, lists, k, predicted, memory.submit[k])
        job = job[np.argsort(key[job], kind="mergesort")]
        rank[job] = np.arange(n)
    return Lists(job, rank, lists.given)


@njit(nogil=True, cache=True, _nrt=False)
def _simulate(machine, memory, rules, lists, key, tree, now):
    """Run the event loop from an instant on; return `DONE`,
    or the instant at which the queue has become too long for a scan or too short for a `tree`.
    """
    count = machine.count
    is_limited = rules.candidates_limit < NO_LIMIT
    # Here the candidates, the head or a prediction can change without an end or a correction.
    always = is_limited or (rules.order != SUBMISSION and rules.order != LARGEST_AREA)
    always |= rules.volatile and memory.predict != 0
    can_rank = rules.order in RANKABLE and rules.waiting_limit == NO_LIMIT and not is_limited
    if rules.order != GIVEN and (rules.order != SUBMISSION or rules.shortest_first):
        can_rank &= memory.predict == 0
    stale = True  # whether jobs that the last pass left in the queue may be able to start
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        before = count[TAIL]
        ended, _, _, corrected = machines.process_events(machine, memory, rules, now)
        stale |= ended or corrected or always
        stale |= before == count[HEAD] and tree is None
        if rules.order != LARGEST_AREA:
            stale |= machines.next_planned_end(machine) < now
        if tree is not None:
            _move_to_ranks(machine, memory, rules, lists, tree, 0)
        _pass(machine, memory, rules, lists, key, tree, stale, before, now)
        stale = False
        waiting = count[ARRIVED] - count[STARTED]
        if tree is not None:
            if 4 * waiting < LONG:
                return now
        elif waiting > LONG and can_rank:
            return now
    return DONE


# ---- The pass, on any of the three kinds of queue


@njit_noalloc
def _pass(machine, memory, rules, lists, key, tree, stale, since, now):
    """Start heads while they fit, make a reservation for the blocked head, and backfill.

    Unless `stale`, only the jobs from place `since` of a scanned queue on may be able to start.
    """
    count, started, gaps, head = machine.count, machine.count[STARTED], False, NO_JOB
    has_keys = key is not None and rules.order != SUBMISSION
    if rules.order == LARGEST_AREA:
        count[SHADOW] = LATEST  # every job ends in time; `EXTRA` stays 0
    else:
        if stale:
            count[RESERVED] = NO_JOB
            if not _find_order(machine, memory, rules, lists, key, tree, now):
                return
        head = _first(machine, rules, lists, key, tree)
        while head != NO_JOB and memory.size[_job(machine, lists, tree, head)] <= count[FREE]:
            job = _job(machine, lists, tree, head)
            predicted = _planned(machine, memory, rules, has_keys, job, now)
            machines.begin(machine, memory, job, predicted, now)
            gaps |= _leave(machine, rules, tree, head)
            head = _first(machine, rules, lists, key, tree)
    n_entries = 0
    if head != NO_JOB or rules.order == LARGEST_AREA:
        n_entries = _candidates(machine, memory, rules, lists, key, tree, head, stale, since, now)
    if n_entries > 0 and head != NO_JOB:
        _reserve(machine, memory, _job(machine, lists, tree, head), now)
    left = n_entries
    while left > 0:
        entry, left = _next(machine, rules, key, tree, n_entries, left, now)
        if entry != NO_JOB:
            job = _job(machine, lists, tree, entry)
            predicted = _planned(machine, memory, rules, key is not None, job, now)
            if _start_candidate(machine, memory, job, predicted, now):
                gaps |= _leave(machine, rules, tree, entry)
    if gaps:
        machines.compact_queue(machine, max(count[HEAD], 0) if stale else since)
    if rules.order == LARGEST_AREA:
        _mark_backfilled(machine, started, tree)


@njit_noalloc
def _planned(machine, memory, rules, has_key, job, now):
    """Return the prediction of a job that is about to start; that of its key if it has one."""
    if has_key:
        return machine.planned[job]
    return machines.predicted_now(machine, memory, rules, job, now)


@njit_noalloc
def _reserve(machine, memory, head, now):
    """Make the reservation of the head unless it has a valid one."""
    count = machine.count
    if count[RESERVED] != head:
        count[SHADOW], count[EXTRA] = machines.reservation(
            machine, machine.by_plan, memory, memory.size[head], now
        )
        count[RESERVED] = head


@njit_noalloc
def _start_candidate(machine, memory, job, predicted, now):
    """Start a job that fits if it may pass the head; return whether it started."""
    count, size = machine.count, memory.size[job]
    in_time = now + predicted <= count[SHADOW]
    if not in_time and size > count[EXTRA]:
        return False
    machines.begin(machine, memory, job, predicted, now)
    machine.backfilled[job] = True
    if not in_time:
        count[EXTRA] -= size
    return True


# ---- The queue: its entries are places of a scanned queue, or ranks


@njit_noalloc
def _job(machine, lists, tree, entry):
    """Return the job of an entry."""
    return machine.waiting[entry] if tree is None else lists.job[entry]


@njit_noalloc
def _find_order(machine, memory, rules, lists, key, tree, now):
    """Compute the keys that order a scanned queue; return False without them if no job fits."""
    if tree is None and key is not None and rules.order != SUBMISSION:
        if machine.count[SMALLEST] > machine.count[FREE] or machines.fitting(machine, 0) == 0:
            return False
        for place in range(machine.count[TAIL]):
            _set_key(machine, memory, rules, lists, key, place, now)
    return True


@njit_noalloc
def _first(machine, rules, lists, key, tree):
    """Return the entry of the head; `NO_JOB` if no job waits."""
    count = machine.count
    if tree is not None:
        if rules.order == SUBMISSION:
            oldest = _oldest(machine)
            return lists.rank[oldest] if oldest < count[ARRIVED] else NO_JOB
        rank = trees.next_entry(tree, 0, NEVER, NEVER, NEVER)
        return rank if rank < len(tree.size) else NO_JOB
    if rules.order == SUBMISSION:
        if count[HEAD] < count[TAIL]:
            return count[HEAD]
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return NO_JOB
    best, least = NO_JOB, math.inf
    if key is not None:
        for place in range(count[TAIL]):
            if machine.waiting[place] >= 0 and (best == NO_JOB or key[place] < least):
                best, least = place, key[place]
    return best


@njit_noalloc
def _candidates(machine, memory, rules, lists, key, tree, head, stale, since, now):
    """Return the number of entries behind the head to search for jobs that may start.

    Those of a scanned queue are in `scratch`: the jobs that fit, or with a limit the first jobs.
    """
    count = machine.count
    if tree is not None:
        return len(tree.size) if tree.rows[ONE, trees.NONE] <= count[FREE] else 0
    if count[SMALLEST] > count[FREE]:
        return 0
    n_places = machines.fitting(machine, count[HEAD] + 1 if stale else since)
    is_limited = rules.candidates_limit < NO_LIMIT
    if n_places > 0 and is_limited:
        n_places = 0
        for place in range(count[TAIL]):
            if place > count[HEAD] and place != head and machine.waiting[place] >= 0:
                machine.scratch[n_places] = place
                n_places += 1
    if key is not None:
        if rules.shortest_first or rules.order == LARGEST_AREA:
            for place in machine.scratch[:n_places]:
                _set_key(machine, memory, rules, lists, key, place, now)
        if is_limited:
            _select(machine.scratch[:n_places], key, rules.candidates_limit)
    return min(n_places, rules.candidates_limit)


@njit_call
def _select(places, key, most):
    """Sort the `most` places of the least keys to the front; those of equal keys keep their
    order.
    """
    for k in range(min(most, len(places))):
        best = k
        for i in range(k + 1, len(places)):
            best = i if key[places[i]] < key[places[best]] else best
        place = places[best]
        for i in range(best, k, -1):
            places[i] = places[i - 1]
        places[k] = place


@njit_noalloc
def _next(machine, rules, key, tree, n_entries, left, now):
    """Return the entry of the next job that fits and may pass the head, and the number of entries
    left to search; `NO_JOB` without one.

    Where the search knows no prediction, the caller tests whether the job ends in time.
    """
    count = machine.count
    if tree is not None:
        if tree.rows[ONE, trees.NONE] > count[FREE]:
            return NO_JOB, 0
        window = count[SHADOW] - now
        rank = trees.next_entry(tree, n_entries - left, count[FREE], count[EXTRA], window)
        if rank == len(tree.size):
            return NO_JOB, 0
        return (rank if tree.size[rank] <= count[FREE] else NO_JOB), n_entries - rank - 1
    if key is not None and rules.candidates_limit == NO_LIMIT:
        extra, window = min(count[EXTRA], count[FREE]), count[SHADOW] - now
        return _first_that_may_start(machine, rules, key, left, extra, window)
    while left > 0:
        place = np.uint64(machine.scratch[n_entries - left])  # a signed index costs a test
        left -= 1
        if machine.queued_size[place] <= count[FREE]:
            return np.int64(place), left
    return NO_JOB, 0


@njit_noalloc
def _leave(machine, rules, tree, entry):
    """Remove an entry; return whether this leaves a gap in a scanned queue."""
    if tree is not None:
        trees.leave(tree, entry)
        return False
    if rules.order == SUBMISSION and entry == machine.count[HEAD]:
        machine.count[HEAD] += 1
        return False
    machine.waiting[entry] = NO_JOB
    return True


@njit_noalloc
def _set_key(machine, memory, rules, lists, key, place, now):
    """Predict the job at a place of the queue, and compute its key."""
    job = machine.waiting[place]
    machine.planned[job] = machines.predicted_now(machine, memory, rules, job, now)
    key[place] = _key(memory, rules, lists, job, machine.planned[job], now)


@njit_noalloc
def _first_that_may_start(machine, rules, key, n_places, extra, window):
    """Select the first job by key that needs at most `extra` processors,
    or fits and ends within `window` s.

    Returns its place and the number of places left in `scratch`: those of the first `n_places`
    whose jobs fit so.
    """
    places, waiting, free = machine.scratch, machine.waiting, machine.count[FREE]
    best, least, left = NO_JOB, math.inf, 0
    for place in places[:n_places]:
        job, size = waiting[place], machine.queued_size[place]
        if job >= 0 and (size <= extra or (size <= free and machine.planned[job] <= window)):
            places[left] = place
            left += 1
            is_first = best == NO_JOB or key[place] < least
            if rules.order == LARGEST_AREA and key[place] == least:
                is_first |= machine.planned[job] > machine.planned[waiting[best]]
            if is_first:
                best, least = place, key[place]
    return best, left


@njit_call
def _mark_backfilled(machine, started, tree):
    """Mark the jobs that started in this pass as backfilled if a job that waits was submitted
    before them.
    """
    count, oldest = machine.count, NEVER
    if tree is not None:
        oldest = _oldest(machine)
    elif count[TAIL] > 0:
        oldest = machine.waiting[0]
    for job in machine.order[started : count[STARTED]]:
        machine.backfilled[job] = job > oldest


@njit_noalloc
def _key(memory, rules, lists, job, predicted, now):
    """Return the sort key of a waiting job; the least is first,
    and equal ones are in order of submission.
    """
    waited, size = now - memory.submit[job], memory.size[job]
    if waited >= rules.waiting_limit:
        return -math.inf
    if rules.order == GIVEN:
        return float(lists.given[job])
    if rules.order == SMALLEST_AREA:
        return float(predicted) * float(size)  # whole numbers would end at 2**63
    if rules.order == LARGEST_AREA:
        return -float(predicted) * float(size)
    length = float(max(predicted, 1))
    if rules.order == WFP3:
        ratio = waited / length
        return -(ratio * ratio * ratio * size)
    if rules.order == F1:
        arrival = float(max(memory.submit[job] - memory.submit[0], 1))
        return math.log10(length) * size + 870.0 * math.log10(arrival)
    return float(predicted)


# ---- Between a scanned and a ranked queue, of which `HEAD` is the first job by submission that
# waits, and `waiting` holds new jobs only


@njit_call
def _rank_queue(machine, memory, rules, lists, tree):
    """Move all jobs of a scanned queue to the tree."""
    first = max(machine.count[HEAD], 0)
    machine.count[HEAD] = machine.waiting[first]
    _move_to_ranks(machine, memory, rules, lists, tree, first)


@njit_call
def _move_to_ranks(machine, memory, rules, lists, tree, first):
    """Move the jobs from place `first` of the queue on to the tree."""
    is_known = memory.predict == 0 or not rules.refresh
    for job in machine.waiting[first : machine.count[TAIL]]:
        planned = machine.first[job] if is_known else 0
        trees.add(tree, lists.rank[job], trees.narrow(memory.size[job]), trees.narrow(planned))
    machine.count[TAIL] = 0


@njit_call
def _leave_ranks(machine, memory, rules, lists, tree):
    """Move all jobs from the tree to a scanned queue."""
    count = machine.count
    rank = trees.next_entry(tree, 0, NEVER, NEVER, NEVER)
    while rank < len(tree.size):
        machine.waiting[count[TAIL]] = lists.job[rank]
        count[TAIL] += 1
        trees.leave(tree, rank)
        rank = trees.next_entry(tree, rank, NEVER, NEVER, NEVER)
    sort(machine.waiting[: count[TAIL]])
    for place in range(count[TAIL]):
        machine.queued_size[place] = memory.size[machine.waiting[place]]
    count[HEAD] = 0 if rules.order == SUBMISSION else -1
    count[SMALLEST] = 0


@njit_noalloc
def _oldest(machine):
    """Return the first submitted job that waits; the number of submitted jobs if none waits."""
    count = machine.count
    while count[HEAD] < count[ARRIVED] and machine.start[count[HEAD]] >= 0:
        count[HEAD] += 1
    return count[HEAD]
