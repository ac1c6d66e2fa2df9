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

# tree : over the ranks; job, rank : int64[n], the job of each rank and the rank of each job; empty
#     until they are needed
# given : int64[n], the order of the queue if it is `GIVEN`
Lists = namedtuple("Lists", "tree job rank given")


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
    """Simulate, and rank the jobs when the queue first needs it.

    `key` is scratch space for the keys of the queue's places, float64[n]; None if all is in order
    of submission. Without keys the loop is compiled apart, since their code would slow it down even
    where it is not used.
    """
    machine, none = machines.idle_machine(len(memory.submit), processors), np.empty(0, np.int64)
    lists = Lists(trees.empty_tree(0), none, none, given)
    now = _simulate(machine, memory, rules, lists, key, 0)
    while now != DONE:
        lists = _ranked(memory, rules, lists)
        now = _simulate(machine, memory, rules, lists, key, now)
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
    return Lists(trees.empty_tree(n), job, rank, lists.given)


@njit(nogil=True, cache=True, _nrt=False)
def _simulate(machine, memory, rules, lists, key, now):
    """Run the event loop from an instant on; return `DONE`,
    or the instant at which the queue needs ranks.
    """
    count = machine.count
    is_limited = rules.candidates_limit < NO_LIMIT
    # Here the candidates, the head or a prediction can change without an end or a correction.
    always = is_limited or (rules.order != SUBMISSION and rules.order != LARGEST_AREA)
    always |= rules.volatile and memory.predict != 0
    is_known = memory.predict == 0
    can_rank = rules.order in RANKABLE and rules.waiting_limit == NO_LIMIT and not is_limited
    if rules.order != GIVEN and (rules.order != SUBMISSION or rules.shortest_first):
        can_rank &= is_known
    stale = True  # whether jobs that the last pass left in the queue may be able to start
    is_ranked = len(lists.job) > 0
    if is_ranked:
        _rank_queue(machine, memory, rules, lists)
    elif rules.order != SUBMISSION:
        count[HEAD] = -1  # no place of the queue is the head's
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        before = count[TAIL]
        ended, _, _, corrected = machines.process_events(machine, memory, rules, now)
        stale |= ended or corrected or always
        stale |= before == count[HEAD] and not is_ranked
        if rules.order != LARGEST_AREA:
            stale |= machines.next_planned_end(machine) < now
        if is_ranked:
            _move_to_ranks(machine, memory, rules, lists, 0)
            _pass_by_rank(machine, memory, rules, lists, stale, now)
        elif rules.order == SUBMISSION:
            _pass(machine, memory, rules, lists, key, count[HEAD] if stale else before, now)
        elif key is not None:
            if count[SMALLEST] <= count[FREE]:
                _pass_by_key(machine, memory, rules, lists, key, 0 if stale else before, now)
        stale = False
        waiting = count[ARRIVED] - count[STARTED]
        if is_ranked and 4 * waiting < LONG:
            is_ranked = False
            _leave_ranks(machine, memory, rules, lists)
        elif not is_ranked and waiting > LONG and can_rank:
            if len(lists.job) == 0:
                return now
            is_ranked = True
            _rank_queue(machine, memory, rules, lists)
    return DONE


# ---- A scanned queue in order of submission


@njit_noalloc
def _pass(machine, memory, rules, lists, key, since, now):
    """Schedule the queue from place `since` on: the head, or the first new job behind it."""
    count = machine.count
    if since == count[HEAD]:
        _start_heads(machine, memory, rules, now)
        since = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return
    fitting = 0
    if count[SMALLEST] <= count[FREE]:
        fitting = machines.fitting(machine, since)
    if fitting == 0:
        return
    _reserve(machine, memory, machine.waiting[count[HEAD]], now)
    places = machine.scratch[:fitting]
    gaps = False
    if rules.candidates_limit < NO_LIMIT:
        gaps = _backfill_first(machine, memory, rules, lists, key, since, now)
    elif key is None:
        gaps = _backfill(machine, memory, rules, places, now)
    elif rules.shortest_first:
        for place in places:
            job = machine.waiting[place]
            machine.planned[job] = machines.predicted_now(machine, memory, rules, job, now)
            key[place] = machine.planned[job]
        gaps = _backfill_by_key(machine, memory, rules, lists, key, fitting, now)
    if gaps:
        machines.compact_queue(machine, since)


@njit_noalloc
def _start_heads(machine, memory, rules, now):
    """Start jobs at the head as long as they fit."""
    count = machine.count
    count[RESERVED] = NO_JOB
    while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
        job = machine.waiting[count[HEAD]]
        predicted = machines.predicted_now(machine, memory, rules, job, now)
        machines.begin(machine, memory, job, predicted, now)
        count[HEAD] += 1


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
def _backfill(machine, memory, rules, places, now):
    """Backfill the jobs at `places` in order; return whether any started, which leaves a gap."""
    gaps = False
    for k in range(len(places)):
        place = np.uint64(places[k])  # a signed index costs a test at every access
        if machine.queued_size[place] <= machine.count[FREE]:
            job = machine.waiting[place]
            predicted = machines.predicted_now(machine, memory, rules, job, now)
            if _start_candidate(machine, memory, job, predicted, now):
                machine.waiting[place] = NO_JOB
                gaps = True
    return gaps


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


# ---- A scanned queue or candidates in another order


@njit_noalloc
def _pass_by_key(machine, memory, rules, lists, key, since, now):
    """Start heads while they fit, make a reservation for the blocked head, and backfill;
    from place `since` on.
    """
    count, waiting = machine.count, machine.waiting
    fitting = machines.fitting(machine, since)
    if fitting == 0:
        return
    if rules.order == LARGEST_AREA:
        started = count[STARTED]
        for place in machine.scratch[:fitting]:
            _set_key(machine, memory, rules, lists, key, place, now)
        count[SHADOW], count[EXTRA] = LATEST, 0
        _backfill_by_key(machine, memory, rules, lists, key, fitting, now)
        machines.compact_queue(machine, since)
        _mark_backfilled(machine, started, waiting[0] if count[TAIL] > 0 else NEVER)
        return
    for place in range(count[TAIL]):
        _set_key(machine, memory, rules, lists, key, place, now)
    head = _first(machine, key)
    while head != NO_JOB and machine.queued_size[head] <= count[FREE]:
        machines.begin(machine, memory, waiting[head], machine.planned[waiting[head]], now)
        waiting[head] = NO_JOB
        head = _first(machine, key)
    if head != NO_JOB:
        count[RESERVED] = NO_JOB
        _reserve(machine, memory, waiting[head], now)
        if rules.candidates_limit < NO_LIMIT:
            _backfill_first(machine, memory, rules, lists, key, 0, now)
        else:
            _backfill_by_key(machine, memory, rules, lists, key, fitting, now)
    machines.compact_queue(machine, since)


@njit_noalloc
def _set_key(machine, memory, rules, lists, key, place, now):
    """Predict the job at a place of the queue, and compute its key."""
    job = machine.waiting[place]
    machine.planned[job] = machines.predicted_now(machine, memory, rules, job, now)
    key[place] = _key(memory, rules, lists, job, machine.planned[job], now)


@njit_noalloc
def _first(machine, key):
    """Return the place of the first job by key, `NO_JOB` if none waits."""
    best, least = NO_JOB, math.inf
    for place in range(machine.count[TAIL]):
        if machine.waiting[place] >= 0 and (best == NO_JOB or key[place] < least):
            best, least = place, key[place]
    return best


@njit_noalloc
def _backfill_by_key(machine, memory, rules, lists, key, some, now):
    """Backfill jobs at the first `some` places in `scratch` by key; return whether any started."""
    count, gaps = machine.count, False
    while True:
        extra, window = min(count[EXTRA], count[FREE]), count[SHADOW] - now
        place, some = _first_that_may_start(machine, rules, key, some, extra, window)
        if place == NO_JOB:
            return gaps
        job = machine.waiting[place]
        _start_candidate(machine, memory, job, machine.planned[job], now)
        machine.waiting[place] = NO_JOB
        gaps = True


@njit_noalloc
def _backfill_first(machine, memory, rules, lists, key, since, now):
    """Try candidates from place `since` on, up to the limit; return whether any started."""
    count, waiting, gaps, some = machine.count, machine.waiting, False, 0
    left = machine.scratch
    for place in range(since, count[TAIL]):
        if waiting[place] >= 0 and waiting[place] != count[RESERVED]:
            left[some] = place
            some += 1
            if key is not None and rules.shortest_first:
                _set_key(machine, memory, rules, lists, key, place, now)
    for k in range(min(rules.candidates_limit, some)):
        best = k
        if key is not None:
            for other in range(k + 1, some):
                first = key[left[other]] < key[left[best]]
                best = other if first else best
        place = left[best]
        # The others keep their order, so that of equal keys the first in the queue is first.
        for other in range(best, k, -1):
            left[other] = left[other - 1]
        if machine.queued_size[place] <= count[FREE]:
            job = waiting[place]
            predicted = machines.predicted_now(machine, memory, rules, job, now)
            if _start_candidate(machine, memory, job, predicted, now):
                waiting[place] = NO_JOB
                gaps = True
    return gaps


@njit_noalloc
def _first_that_may_start(machine, rules, key, some, extra, window):
    """Select the first job by key that needs at most `extra` processors,
    or fits and ends within `window` s.

    Returns its place and the number of places left in `scratch`: those of the first `some` whose
    jobs fit so.
    """
    places, waiting, free = machine.scratch, machine.waiting, machine.count[FREE]
    best, least, left = NO_JOB, math.inf, 0
    for place in places[:some]:
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
def _mark_backfilled(machine, started, oldest):
    """Mark the jobs that started in this pass as backfilled
    if the `oldest` waiting job was submitted before them.
    """
    for job in machine.order[started : machine.count[STARTED]]:
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


# ---- A ranked queue: `HEAD` is the first job by submission that waits, and `waiting` holds new
# jobs only


@njit_noalloc
def _rank_queue(machine, memory, rules, lists):
    """Move all jobs of a scanned queue to the tree."""
    first = max(machine.count[HEAD], 0)
    machine.count[HEAD] = machine.waiting[first]
    _move_to_ranks(machine, memory, rules, lists, first)


@njit_call
def _move_to_ranks(machine, memory, rules, lists, first):
    """Move the jobs from place `first` of the queue on to the tree."""
    is_known, tree = memory.predict == 0 or not rules.refresh, lists.tree
    for job in machine.waiting[first : machine.count[TAIL]]:
        planned = machine.first[job] if is_known else 0
        trees.add(tree, lists.rank[job], trees.narrow(memory.size[job]), trees.narrow(planned))
    machine.count[TAIL] = 0


@njit_call
def _leave_ranks(machine, memory, rules, lists):
    """Move all jobs from the tree to a scanned queue."""
    count, tree = machine.count, lists.tree
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


@njit_call
def _pass_by_rank(machine, memory, rules, lists, stale, now):
    """Start heads while they fit, unless nothing has changed for them;
    reserve for the blocked head, and backfill.
    """
    count, tree, started = machine.count, lists.tree, machine.count[STARTED]
    if rules.order == LARGEST_AREA:
        count[SHADOW], count[EXTRA] = LATEST, 0
    else:
        if stale:
            count[RESERVED] = NO_JOB
        head = _head_by_rank(machine, rules, lists)
        while head != NO_JOB and memory.size[head] <= count[FREE]:
            predicted = machines.predicted_now(machine, memory, rules, head, now)
            machines.begin(machine, memory, head, predicted, now)
            trees.leave(tree, lists.rank[head])
            head = _head_by_rank(machine, rules, lists)
        if head == NO_JOB:
            return
        if tree.rows[ONE, trees.NONE] <= count[FREE]:
            _reserve(machine, memory, head, now)
    rank = -1
    while tree.rows[ONE, trees.NONE] <= count[FREE]:
        window = count[SHADOW] - now
        rank = trees.next_entry(tree, rank + 1, count[FREE], count[EXTRA], window)
        if rank == len(tree.size):
            break
        job = lists.job[rank]
        if memory.size[job] <= count[FREE]:
            predicted = machines.predicted_now(machine, memory, rules, job, now)
            if _start_candidate(machine, memory, job, predicted, now):
                trees.leave(tree, rank)
    if rules.order == LARGEST_AREA:
        _mark_backfilled(machine, started, _oldest(machine))


@njit_noalloc
def _head_by_rank(machine, rules, lists):
    """Return the first job of the queue; `NO_JOB` if none waits."""
    if rules.order == SUBMISSION:
        oldest = _oldest(machine)
        return oldest if oldest < machine.count[ARRIVED] else NO_JOB
    rank = trees.next_entry(lists.tree, 0, NEVER, NEVER, NEVER)
    return lists.job[rank] if rank < len(lists.tree.size) else NO_JOB


@njit_noalloc
def _oldest(machine):
    """Return the first submitted job that waits; the number of submitted jobs if none waits."""
    count = machine.count
    while count[HEAD] < count[ARRIVED] and machine.start[count[HEAD]] >= 0:
        count[HEAD] += 1
    return count[HEAD]
