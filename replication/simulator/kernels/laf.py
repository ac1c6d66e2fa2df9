"""Largest area first: at every pass the waiting job of the largest predicted area that fits is started.

No job has a reservation, so a running job's plan decides nothing. The reference implementation is
``replication.simulator.reference.conservative.LargestAreaFirst``.
"""

from numba import njit

from replication.simulator.kernels import planned
from replication.simulator.kernels.compiling import njit_noalloc
from replication.simulator.kernels.planned import FREE, HEAD, NOBODY, SMALLEST, TAIL


@njit(nogil=True, cache=True)
def largest_area_first(memory, processors, rules):
    """Simulate largest area first; as `replication.simulator.kernels.easy_predicted.easy_predicted`."""
    machine = planned.idle(len(memory.submit), processors)
    _simulate(machine, memory, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules):
    """The event loop. Between two ends only those who come can fit, for nothing is freed."""
    count, now = machine.count, 0
    count[HEAD] = -1  # nobody is first
    while planned.has_events(machine):
        now = planned.next_event(machine, memory, now)
        before = count[TAIL]
        ended, _, _, _ = planned.process_events(machine, memory, rules, now)
        if count[SMALLEST] <= count[FREE]:
            _pass(machine, memory, rules, 0 if ended else before, now)


@njit_noalloc
def _pass(machine, memory, rules, since, now):
    """Start the largest that fits until none does, among the jobs from place `since` on."""
    waiting, length = machine.waiting, machine.planned
    found, _ = planned.fitting(machine, since)
    if found == 0:
        return
    places = machine.scratch[:found]
    for place in places:
        length[waiting[place]] = planned.predicted_now(machine, memory, rules, waiting[place], now)
    largest = _largest(machine, places)
    while largest != NOBODY:
        job = waiting[largest]
        planned.begin(machine, memory, job, length[job], now)
        waiting[largest] = ~job  # a gap that tells who left it
        largest = _largest(machine, places)
    passed = since > 0  # whether anybody waits on before this place
    for place in range(since, machine.count[TAIL]):
        if waiting[place] >= 0:
            passed = True
        else:
            machine.backfilled[~waiting[place]] = passed
    planned.compact_queue(machine, since)


@njit_noalloc
def _largest(machine, places):
    """Of the places whose jobs still fit, that of the largest area, of equal areas the longest job, of these the first."""
    best, most, longest = NOBODY, 0, 0
    for place in places:
        job, size = machine.waiting[place], machine.wanted[place]
        if job >= 0 and size <= machine.count[FREE]:
            length = machine.planned[job]
            area = size * length
            if best == NOBODY or area > most or (area == most and length > longest):
                best, most, longest = place, area, length
    return best
