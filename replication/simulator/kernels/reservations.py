"""EASY with any queue order, any order of candidates and k reservations, as a compiled event loop.

A job is its index, and indices are in order of submission. ``docs/semantics/reservations.md`` states the decisions at
each instant; the reference implementation is ``replication.simulator.reference.reservations``.

Every pass makes all reservations again on a profile of the free processors over time. A pass in which no job fits the
free processors is skipped.
"""

from collections import namedtuple

from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc, sort
from replication.simulator.kernels.conservative import (
    earliest_step,
    empty_plan,
    occupy,
    reset_profile,
)
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

# reservations : number of blocked jobs with a reservation
# shortest_first : candidates are in order of prediction, not of rank
Rules = namedtuple("Rules", machines.SHARED_RULES + "reservations shortest_first")


@njit(nogil=True, cache=True)
def easy_with_reservations(memory, processors, rules, queue_rank, candidate_rank):
    """Simulate EASY with k reservations.

    Parameters
    ----------
    memory, processors, rules
        As for `replication.simulator.kernels.easy_predicted.easy_predicted`.
    queue_rank, candidate_rank : int64[n]
        Places of the jobs in the two orders, from 0; equal ones are in order of submission, or of the queue.
    """
    n = len(memory.submit)
    machine = machines.idle_machine(n, processors)
    _simulate(machine, memory, rules, empty_plan(n, processors), queue_rank, candidate_rank)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules, profile, queue_rank, candidate_rank):
    """Run the event loop."""
    count, now = machine.count, 0
    count[HEAD] = -1  # no place of the queue is the head's
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        machines.process_events(machine, memory, rules, now)
        if count[SMALLEST] <= count[FREE] and machines.fitting(machine, 0)[0] > 0:
            _pass(machine, memory, rules, profile, queue_rank, candidate_rank, now)


@njit_noalloc
def _pass(machine, memory, rules, profile, queue_rank, candidate_rank, now):
    """Start jobs or reserve for them in queue order until all reservations are made; then backfill the candidates."""
    waiting, places, keys = machine.waiting, machine.scratch, profile.order
    tail = machine.count[TAIL]
    for place in range(tail):
        job = waiting[place]
        machine.planned[job] = machines.predicted_now(machine, memory, rules, job, now)
        keys[place] = queue_rank[job] << JOB_BITS | place
    sort(keys[:tail])
    reset_profile(machine, memory, profile, now, now)
    k = blocked = 0
    while k < tail and blocked < rules.reservations:
        place = keys[k] & JOB_MASK
        job = waiting[place]
        if _fits(machine, memory, profile, job, now):
            machine.backfilled[job] = blocked > 0
            _start(machine, memory, profile, place, now)
        else:
            size, length = memory.size[job], max(machine.planned[job], 1)
            begins = profile.at[earliest_step(profile, size, length, profile.steps[0] - 1, LATEST)]
            occupy(profile, size, begins, begins + length)
            blocked += 1
        k += 1
    for i in range(k, tail):
        places[i] = keys[i] & JOB_MASK
    for i in range(k, tail):
        job = waiting[places[i]]
        rank = machine.planned[job] if rules.shortest_first else candidate_rank[job]
        keys[i] = rank << JOB_BITS | i
    sort(keys[k:tail])
    for i in range(k, tail):
        place = places[keys[i] & JOB_MASK]
        if _fits(machine, memory, profile, waiting[place], now):
            machine.backfilled[waiting[place]] = True
            _start(machine, memory, profile, place, now)
    machines.compact_queue(machine, 0)


@njit_noalloc
def _fits(machine, memory, profile, job, now):
    """Return whether a job can start now without delaying a reservation."""
    size, ends = memory.size[job], now + machine.planned[job]
    if size > machine.count[FREE]:
        return False
    k = 0
    while profile.at[k] < ends:
        if profile.free[k] < size:
            return False
        k += 1
    return True


@njit_noalloc
def _start(machine, memory, profile, place, now):
    """Start the job at a place of the queue, which becomes a gap."""
    job = machine.waiting[place]
    length = machine.planned[job]
    machines.begin(machine, memory, job, length, now)
    if length > 0:
        occupy(profile, memory.size[job], now, now + length)
    machine.waiting[place] = NO_JOB
