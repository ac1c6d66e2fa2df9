"""EASY with any queue order and k reservations, as a compiled event loop.

A job is its index, and indices are in order of submission. ``docs/semantics/reservations.md``
states the decisions at each instant; the reference implementation is
``tests/reference/lists.py``.

Every pass makes all reservations again on a profile of the free processors over time. A pass in
which no job fits the free processors is skipped, and only jobs that fit are candidates.

The profile of running jobs alone never falls, so a profile with reservations falls only where one
of them begins. A job that starts now therefore delays no reservation if it fits the free processors
now, and those that are free when each reservation begins that is earlier than the job's planned
end. So a candidate costs k comparisons, and not a search of the profile.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc, sort
from replication.simulator.kernels.machine import (
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    LATEST,
    NO_JOB,
    SMALLEST,
    TAIL,
)
from replication.simulator.kernels.profile import (
    earliest_start,
    empty_profile,
    free_at,
    occupy,
    reset_profile,
)

# reservations : number of blocked jobs with a reservation
# shortest_first : candidates are in order of prediction, not in queue order
Rules = namedtuple("Rules", machines.SHARED_RULES + "reservations shortest_first")

# profile : the profile of free processors
# begins, extra : int64[k], the reservations of a pass, in order: their starts, s, and the
#     processors that are free then
Plan = namedtuple("Plan", "profile begins extra")


@njit(nogil=True, cache=True)
def easy_with_reservations(memory, processors, rules, queue_rank):
    """Simulate EASY with k reservations.

    Parameters
    ----------
    memory, processors, rules
        As for `replication.simulator.kernels.list_scheduler.list_scheduler`.
    queue_rank : int64[n]
        Places of the jobs in the queue, from 0; equal ones are in order of submission.
    """
    n = len(memory.submit)
    machine = machines.idle_machine(n, processors)
    most = min(rules.reservations, n)
    plan = Plan(empty_profile(n), np.empty(most, np.int64), np.empty(most, np.int64))
    _simulate(machine, memory, rules, plan, queue_rank)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules, plan, queue_rank):
    """Run the event loop."""
    count, now = machine.count, 0
    count[HEAD] = -1  # no place of the queue is the head's
    while machines.has_events(machine):
        before = count[TAIL]
        now = machines.next_event(machine, memory, now)
        machines.process_events(machine, memory, rules, now)
        for place in range(before, count[TAIL]):
            _move_up(machine, place, queue_rank)
        if count[SMALLEST] <= count[FREE]:
            fitting = machines.fitting(machine, 0)
            if fitting > 0:
                _pass(machine, memory, rules, plan, fitting, now)


@njit_noalloc
def _move_up(machine, place, queue_rank):
    """Move the job at a place of the queue before all jobs of a higher rank."""
    waiting, queued_size = machine.waiting, machine.queued_size
    job, size = waiting[place], queued_size[place]
    while place > 0 and queue_rank[waiting[place - 1]] > queue_rank[job]:
        waiting[place], queued_size[place] = waiting[place - 1], queued_size[place - 1]
        place -= 1
    waiting[place], queued_size[place] = job, size


@njit_noalloc
def _pass(machine, memory, rules, plan, fitting, now):
    """Start jobs or reserve for them in queue order until all reservations are made;
    then backfill the candidates.

    The first `fitting` entries of `scratch` are the places of the jobs that fit.
    """
    count, waiting, keys = machine.count, machine.waiting, machine.scratch
    reset_profile(plan.profile, machine, memory, now, now)
    place = blocked = 0
    while place < count[TAIL] and blocked < rules.reservations:
        job = waiting[place]
        predicted = machines.predicted_now(machine, memory, rules, job, now)
        if _fits(machine, memory, plan, blocked, job, now + predicted):
            _start(machine, memory, plan, blocked, place, predicted, now)
            occupy(plan.profile, memory.size[job], now, now + predicted)
        else:
            _reserve(plan, blocked, memory.size[job], max(predicted, 1))
            blocked += 1
        place += 1
    k = 0
    while k < fitting and keys[k] < place:
        k += 1
    candidates = keys[k:fitting]
    if rules.shortest_first:
        for k in range(len(candidates)):
            job = waiting[candidates[k]]
            candidates[k] |= machines.predicted_now(machine, memory, rules, job, now) << JOB_BITS
        sort(candidates)
    for key in candidates:
        if count[FREE] < count[SMALLEST]:
            break
        place = key & JOB_MASK
        if machine.queued_size[place] <= count[FREE]:
            job = waiting[place]
            predicted = machines.predicted_now(machine, memory, rules, job, now)
            if _fits(machine, memory, plan, blocked, job, now + predicted):
                _start(machine, memory, plan, blocked, place, predicted, now)
    machines.compact_queue(machine, 0)


@njit_noalloc
def _fits(machine, memory, plan, blocked, job, ends):
    """Return whether a job with a planned end can start now
    without delaying one of the `blocked` reservations.
    """
    size = memory.size[job]
    if size > machine.count[FREE]:
        return False
    for k in range(blocked):
        if plan.begins[k] < ends and plan.extra[k] < size:
            return False
    return True


@njit_noalloc
def _start(machine, memory, plan, blocked, place, predicted, now):
    """Start the job at a place of the queue, which becomes a gap."""
    job = machine.waiting[place]
    machines.begin(machine, memory, job, predicted, now)
    machine.backfilled[job] = blocked > 0
    machine.waiting[place] = NO_JOB
    for k in range(blocked):
        if plan.begins[k] < now + predicted:
            plan.extra[k] -= memory.size[job]


@njit_noalloc
def _reserve(plan, blocked, size, length):
    """Make the reservation after the first `blocked` ones."""
    begins = earliest_start(plan.profile, size, length, LATEST, LATEST)
    occupy(plan.profile, size, begins, begins + length)
    for k in range(blocked):
        if begins <= plan.begins[k] < begins + length:
            plan.extra[k] -= size
    plan.begins[blocked], plan.extra[blocked] = begins, free_at(plan.profile, begins)
