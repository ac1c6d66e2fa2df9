"""Largest area first: of the waiting jobs that fit, start the one with the largest predicted area.

No job has a reservation, so planned ends have no effect. The reference implementation is
``replication.simulator.reference.conservative.LargestAreaFirst``.
"""

from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.machine import FREE, HEAD, NO_JOB, SMALLEST, TAIL


@njit(nogil=True, cache=True)
def largest_area_first(memory, processors, rules):
    """Simulate largest area first; as `replication.simulator.kernels.easy_predicted.easy_predicted`."""
    machine = machines.idle_machine(len(memory.submit), processors)
    _simulate(machine, memory, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules):
    """Run the event loop. Between two ends no processor becomes free, so only new jobs can fit."""
    count, now = machine.count, 0
    count[HEAD] = -1  # the queue has no head
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        before = count[TAIL]
        ended, _, _, _ = machines.process_events(machine, memory, rules, now)
        if count[SMALLEST] <= count[FREE]:
            _pass(machine, memory, rules, 0 if ended else before, now)


@njit_noalloc
def _pass(machine, memory, rules, since, now):
    """Start the largest job that fits, from place `since` on, until no job fits."""
    waiting, length = machine.waiting, machine.planned
    fitting, _ = machines.fitting(machine, since)
    if fitting == 0:
        return
    places = machine.scratch[:fitting]
    for place in places:
        length[waiting[place]] = machines.predicted_now(machine, memory, rules, waiting[place], now)
    largest = _largest(machine, places)
    while largest != NO_JOB:
        job = waiting[largest]
        machines.begin(machine, memory, job, length[job], now)
        waiting[largest] = ~job  # a gap with the job that left it
        largest = _largest(machine, places)
    passed = since > 0  # whether a job before this place still waits
    for place in range(since, machine.count[TAIL]):
        if waiting[place] >= 0:
            passed = True
        else:
            machine.backfilled[~waiting[place]] = passed
    machines.compact_queue(machine, since)


@njit_noalloc
def _largest(machine, places):
    """Return the place of the job with the largest area that fits; of equal areas the longest job, then the first."""
    best, most, longest = NO_JOB, 0, 0
    for place in places:
        job, size = machine.waiting[place], machine.queued_size[place]
        if job >= 0 and size <= machine.count[FREE]:
            length = machine.planned[job]
            area = size * length
            if best == NO_JOB or area > most or (area == most and length > longest):
                best, most, longest = place, area, length
    return best
