"""EASY's pass with the rules that papers leave open, and with interventions.

Sentences P10 to P29 and P32 of docs/semantics/predicted.md and O10 to O15 of
docs/semantics/observation.md define the rules; ``tests/reference/easy.py`` is the reference
implementation. The options are those of `replication.simulator.schedulers.paper_easy.PaperEASY`.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_call, njit_noalloc, sort
from replication.simulator.kernels.machine import (
    ARRIVED,
    EXTRA,
    FREE,
    FREED,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    NO_JOB,
    RESERVED,
    RUNNING,
    SHADOW,
    SMALLEST,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER, insert, remove

#: Permissions of a job to pass the head: by the reservation, never wildly, whenever it fits, wildly
#: if its true run time is shorter or longer than the median of the waiting jobs.
BY_RESERVATION, NEVER_WILD, WHENEVER_IT_FITS, WILD_IF_SHORTER, WILD_IF_LONGER = range(5)

# The options as the compiled pass reads them. `closed` : no job is backfilled on extra processors
# of a reservation that lasts and is due.
Rules = namedtuple(
    "Rules",
    "shortest_first lasts until_start recounts closed uses_up none_extra strict unaged all_count "
    "by_start only_if_fits",
)


@njit(nogil=True, cache=True)
def simulate(memory, processors, shared, rules, permission):
    """Simulate; `shared` are the rules of the machine, `permission` has one for each job."""
    machine = machines.idle_machine(len(memory.submit), processors)
    ends = empty_ends(machine)
    simulate_until(machine, memory, shared, rules, permission, ends, NEVER)
    return machine


@njit(nogil=True, cache=True)
def empty_ends(machine):
    """Return space for two lists of the running jobs like `machine.by_plan`: of planned lengths for
    plans that do not age, and with equal planned ends in the order of starts.
    """
    ends = np.full((2, len(machine.by_plan)), NEVER)
    return ends[0], ends[1]


@njit_call
def simulate_until(machine, memory, shared, rules, permission, ends, instant):
    """Run the event loop up to an instant, whose events are left; `ends` is from `empty_ends`."""
    count, now = machine.count, 0
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        if now >= instant:
            break
        ended, came, fits, _ = machines.process_events(machine, memory, shared, now)
        if rules.unaged:
            for k in range(count[FREED]):
                job = machine.freed[k]
                key = machine.planned[job] << JOB_BITS | job
                remove(ends[0], count[RUNNING] + count[FREED] - k, key)
        if ended or fits or (came and not rules.only_if_fits):
            _pass(machine, memory, shared, rules, permission, ends, now)


@njit_noalloc
def _pass(machine, memory, shared, rules, permission, ends, now):
    """Start heads while they fit, make a reservation for the blocked head, and backfill."""
    count, waiting = machine.count, machine.waiting
    while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
        job = waiting[count[HEAD]]
        length = machines.predicted_now(machine, memory, shared, job, now)
        _begin(machine, memory, rules, ends, job, length, now)
        count[HEAD] += 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return

    # Only jobs that fit are candidates. Without any the reservation matters if it lasts.
    fitting = 0
    if count[SMALLEST] <= count[FREE]:
        fitting = machines.fitting(machine, count[HEAD] + 1)
    head, places = waiting[count[HEAD]], machine.scratch[:fitting]
    if fitting > 0 or rules.lasts:
        _reserve(machine, memory, rules, ends, head, now)
    if rules.shortest_first:
        _sort_by_prediction(machine, memory, shared, places, now)

    has_gaps = False
    for place in places:
        job = waiting[place]
        size = memory.size[job]
        if size > count[FREE]:
            continue
        length = machines.predicted_now(machine, memory, shared, job, now)
        in_time = now + length <= count[SHADOW] - rules.strict
        if _may_pass(machine, memory, permission[job], job, head, in_time, now):
            _begin(machine, memory, rules, ends, job, length, now)
            machine.backfilled[job] = has_gaps = True
            waiting[place] = NO_JOB
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
                if count[EXTRA] < 0:  # the job was let past the head, which needs a new reservation
                    count[RESERVED] = NO_JOB
                    _reserve(machine, memory, rules, ends, head, now)
    if has_gaps:
        machines.compact_queue(machine, count[HEAD] + 1)


@njit_noalloc
def _begin(machine, memory, rules, ends, job, length, now):
    """Start a job with its prediction."""
    if rules.unaged:
        insert(ends[0], machine.count[RUNNING], length << JOB_BITS | job)
    machines.begin(machine, memory, job, length, now)


@njit_call
def _sort_by_prediction(machine, memory, shared, places, now):
    """Sort places of the queue by the prediction of their jobs, equal ones in queue order."""
    for k in range(len(places)):
        job = machine.waiting[places[k]]
        places[k] |= machines.predicted_now(machine, memory, shared, job, now) << JOB_BITS
    sort(places)
    for k in range(len(places)):
        places[k] &= JOB_MASK


# ---- The reservation of the head


@njit_call
def _reserve(machine, memory, rules, ends, head, now):
    """Make the reservation of the blocked head, unless it has one that is still valid."""
    count, size = machine.count, memory.size[head]
    is_valid = rules.lasts and count[RESERVED] == head
    is_valid &= rules.until_start or count[SHADOW] > now
    if not is_valid or rules.recounts:
        # Plans that do not age are planned lengths, so times are counted from now on.
        since = now if rules.unaged else 0
        order = ends[0] if rules.unaged else machine.by_plan
        if rules.by_start:
            _sort_by_start(machine, order, ends[1])
            order = ends[1]
        if is_valid:
            shadow = max(count[SHADOW], now) - since
            count[EXTRA] = _extra_at(machine, memory, rules, order, size, shadow, now - since)
        else:
            shadow, count[EXTRA] = _earliest(machine, memory, rules, order, size, now - since)
            count[SHADOW] = since + shadow
    count[RESERVED] = head
    if rules.none_extra or (rules.closed and count[SHADOW] <= now):
        count[EXTRA] = 0


@njit_noalloc
def _earliest(machine, memory, rules, order, size, now):
    """Return the earliest planned end at which the head fits, and the extra processors then."""
    free, shadow, k = machine.count[FREE], now, machine.count[RUNNING]
    while free < size or (rules.all_count and _planned_end(order, k, now) == shadow):
        shadow = _planned_end(order, k, now)
        free += memory.size[order[k] & JOB_MASK]
        k -= 1
    return shadow, free - size


@njit_noalloc
def _extra_at(machine, memory, rules, order, size, shadow, now):
    """Return the extra processors at a reserved time, below 0 if the head does not fit then."""
    free, k = machine.count[FREE], machine.count[RUNNING]
    while _planned_end(order, k, now) <= shadow:
        if not rules.all_count and free >= size and _planned_end(order, k, now) == shadow:
            break
        free += memory.size[order[k] & JOB_MASK]
        k -= 1
    return free - size


@njit_noalloc
def _planned_end(order, k, now):
    """Return a planned end; a job past its plan is expected to end now."""
    return max(order[k] >> JOB_BITS, now)


@njit_noalloc
def _sort_by_start(machine, order, by_start):
    """Copy a list of the running jobs, those with equal planned ends in the order of starts."""
    for k in range(1, machine.count[RUNNING] + 1):
        by_start[k], place = order[k], k
        while _started_earlier(machine, by_start[place - 1], order[k]):
            by_start[place] = by_start[place - 1]
            place -= 1
        by_start[place] = order[k]


@njit_noalloc
def _started_earlier(machine, key, other_key):
    """Return whether a job started earlier than another one with the same planned end."""
    is_same = key >> JOB_BITS == other_key >> JOB_BITS
    return is_same and machine.start[key & JOB_MASK] < machine.start[other_key & JOB_MASK]


# ---- Interventions


@njit_noalloc
def _may_pass(machine, memory, permission, job, head, in_time, now):
    """Return whether a job that fits may pass the head."""
    if permission == WHENEVER_IT_FITS:
        return True
    if not in_time and memory.size[job] > machine.count[EXTRA]:
        return False
    if permission == BY_RESERVATION or not _would_be_wild(machine, memory, job, head, now):
        return True
    return permission != NEVER_WILD and _is_on_side(machine, memory, permission, job, head)


@njit_call
def _would_be_wild(machine, memory, job, head, now):
    """Return whether the real shadow time of the head would move if the job started now."""
    shadow, extra = machines.reservation(machine, machine.by_end, memory, memory.size[head], now)
    return now + memory.run_time[job] > shadow and memory.size[job] > extra


@njit_call
def _is_on_side(machine, memory, permission, job, head):
    """Return whether the true run time of a job is on the permitted side
    of the median of the waiting jobs.
    """
    waiting = beyond = 0  # jobs, and those of them that the job is not shorter, or not longer, than
    for waiting_job in range(head, machine.count[ARRIVED]):
        if machine.start[waiting_job] < 0:
            more = memory.run_time[waiting_job] - memory.run_time[job]
            waiting += 1
            beyond += more <= 0 if permission == WILD_IF_SHORTER else more >= 0
    return 2 * beyond <= waiting
