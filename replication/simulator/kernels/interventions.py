"""EASY on users' estimates, with interventions that no real scheduler could make.

Each job has a permission to pass the blocked head: by the reservation, as in EASY; by the reservation unless the
backfill is wild, which only a simulator knows; or whenever it fits, which may delay the head.
``docs/semantics/observation.md`` states the decisions, and the reference implementation is
``replication.simulator.reference.easy``.
"""

from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.kernels.machine import FREE, HEAD, TAIL
from replication.simulator.kernels.ordered_list import NEVER

#: Permissions of a job.
BY_RESERVATION, NEVER_WILD, WHENEVER_IT_FITS = range(3)


@njit(nogil=True, cache=True)
def easy_with_interventions(memory, processors, rules, permission):
    """Simulate EASY with interventions.

    Parameters
    ----------
    memory, processors, rules
        As for `replication.simulator.kernels.easy_predicted.easy_predicted`; the predictor is not used.
    permission : int8[n]
        `BY_RESERVATION`, `NEVER_WILD` or `WHENEVER_IT_FITS`.
    """
    machine = machines.idle_machine(len(memory.submit), processors)
    _simulate(machine, memory, rules, permission)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules, permission):
    """Schedule the whole queue at every event."""
    count, now = machine.count, 0
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        machines.process_events(machine, memory, rules, now)
        while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
            job = machine.waiting[count[HEAD]]
            machines.begin(machine, memory, job, memory.request[job], now)
            count[HEAD] += 1
        if count[HEAD] == count[TAIL]:
            count[HEAD] = count[TAIL] = 0
            count[machines.SMALLEST] = NEVER
        elif count[machines.SMALLEST] <= count[FREE]:
            _backfill(machine, memory, permission, now)


@njit_noalloc
def _backfill(machine, memory, permission, now):
    """Start the jobs behind the head that fit and are permitted to pass it."""
    count = machine.count
    head_size = machine.queued_size[count[HEAD]]
    fitting, _ = machines.fitting(machine, count[HEAD] + 1)
    shadow, extra = machines.reservation(machine, machine.by_plan, memory, head_size, True, now)
    for place in machine.scratch[:fitting]:
        job, size = machine.waiting[place], machine.queued_size[place]
        if size > count[FREE]:
            continue
        in_time = now + memory.request[job] <= shadow
        passes = in_time or size <= extra or permission[job] == WHENEVER_IT_FITS
        if permission[job] == NEVER_WILD and _is_wild(machine, memory, job, now):
            passes = False
        if passes:
            machines.begin(machine, memory, job, memory.request[job], now)
            machine.backfilled[job] = True
            machine.waiting[place] = machines.NO_JOB
            if not in_time:
                extra -= size
            if extra < 0:
                shadow, extra = machines.reservation(
                    machine, machine.by_plan, memory, head_size, True, now
                )
    machines.compact_queue(machine, count[HEAD] + 1)


@njit_noalloc
def _is_wild(machine, memory, job, now):
    """Return whether the head's real shadow time moves if a job starts now."""
    head_size = machine.queued_size[machine.count[HEAD]]
    shadow, extra = machines.reservation(machine, machine.by_end, memory, head_size, True, now)
    return now + memory.run_time[job] > shadow and memory.size[job] > extra
