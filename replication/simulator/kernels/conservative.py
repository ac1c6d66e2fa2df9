"""Conservative backfilling with compression: every waiting job has a reservation.

A submitted job has a reservation at the earliest start that delays no job planned before it. After
an end, or when a job has run past its planned end, all reservations are made again in the order of
the reserved starts. With unchanged predictions this delays no job. ``docs/semantics/predicted.md``
has the variants. The reference implementation is
``tests/reference/conservative.py``.

All running and waiting jobs are in the profile of free processors. The profile is built again only
after a planned end or a prediction has changed. Otherwise an end releases the rest of the job's
planned run. Making all reservations again is then the same as moving each job in turn as far
forward as possible, while all others keep their reservations: where a job with a later reserved
start would overlap an earlier start, the reservation of the job that moves already holds the
processors. So only the profile before its own start matters. Two bounds decide which jobs are
tried:

* No job could move before the release. So a job can move only onto processors that were released
  since, and it starts before the end of the last release.
* The profile stores, for a size and a length, an instant before which no start is possible. A job
  whose reserved start is not later cannot move. The instants stay valid while jobs move: a job that
  moves releases processors only from its old start on, and the stored instants are not later,
  because jobs move in the order of their starts.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc, sort
from replication.simulator.kernels.machine import (
    HEAD,
    JOB_BITS,
    JOB_MASK,
    LATEST,
    TAIL,
    predicted_now,
)
from replication.simulator.kernels.ordered_list import ONE
from replication.simulator.kernels.profile import (
    drop_past,
    earliest_start,
    empty_profile,
    forget,
    occupy,
    reset_profile,
)

# profile : the profile of free processors
# reserved : int64[n], reserved start of each waiting job; `planned` of the machine is the length of
#     its reservation
# order : int64[n], ascending keys of reserved start and job; those of the waiting jobs are
#     order[first:last]
# bounds : int64[2], first and last
Plan = namedtuple("Plan", "profile reserved order bounds")
FIRST, LAST = range(2)

# each : after an end reservations are made again one by one in queue order, with all others in
#     place; otherwise all are made again in the order of their starts
Rules = namedtuple("Rules", machines.SHARED_RULES + "each")


@njit(nogil=True, cache=True)
def conservative(memory, processors, rules):
    """Simulate conservative backfilling.

    Parameters and result are those of
    `replication.simulator.kernels.list_scheduler.list_scheduler`.
    """
    n = len(memory.submit)
    machine = machines.idle_machine(n, processors)
    profile = empty_profile(n)
    plan = Plan(profile, np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(2, np.int64))
    _simulate(machine, memory, plan, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, plan, rules):
    """Run the event loop."""
    count, bounds, order = machine.count, plan.bounds, plan.order
    now, overdue = 0, False
    released_until = 0  # end of the last release of processors since the last end
    while machines.has_events(machine) or bounds[FIRST] < bounds[LAST]:
        arrived, before = count[TAIL], bounds[LAST]
        now = machines.next_event(machine, memory, now)
        waited = bounds[FIRST] < before
        if rules.each and not overdue and waited:
            now = min(now, order[bounds[FIRST]] >> JOB_BITS)
        # A job past its planned end is expected to end at any moment, so reservations behind it
        # move with the time.
        valid = waited and not overdue
        if valid:
            drop_past(plan.profile, now)
        ended, _, _, corrected = machines.process_events(machine, memory, rules, now)
        released_until = max(released_until, _release(machine, memory, plan, valid, now))
        overdue = machines.next_planned_end(machine) <= now
        for place in range(arrived, count[TAIL]):
            order[bounds[LAST]] = LATEST << JOB_BITS | machine.waiting[place]
            bounds[LAST] += 1
        if bounds[FIRST] == bounds[LAST]:
            continue
        since = before
        # A job with a reserved start in the past waits for a job that has passed its planned end
        # since the last event.
        if not valid or corrected or overdue or order[bounds[FIRST]] >> JOB_BITS < now:
            since = bounds[FIRST]
        elif ended and rules.each:
            _replan_each(machine, memory, plan, rules, before, now)
        elif ended and _any_prediction_changed(machine, memory, plan, rules, before, now):
            since = bounds[FIRST]
        elif ended and released_until > now:
            _compress(machine, memory, plan, before, released_until)
        if ended or since == bounds[FIRST]:  # time only
            released_until = now
        if since == bounds[FIRST]:
            # Processors of a job past its planned end are not free before the next second.
            reset_profile(plan.profile, machine, memory, now, now + 1)
        for k in range(since, bounds[LAST]):
            _plan_job(machine, memory, plan, rules, k, now)
        if order[bounds[FIRST]] >> JOB_BITS == now:
            _start(machine, plan, memory, now)


@njit_noalloc
def _release(machine, memory, plan, valid, now):
    """Release the rest of the planned runs of the jobs that ended, if the profile is `valid`.

    Returns the last planned end of these jobs, at least now.
    """
    released_until = now
    for job in machine.freed[: machine.count[machines.FREED]]:
        planned_end = machine.start[job] + max(machine.planned[job], 1)
        released_until = max(released_until, planned_end)
        if valid and planned_end > now:
            occupy(plan.profile, -memory.size[job], now, planned_end)
            forget(plan.profile)
    return released_until


@njit_noalloc
def _plan_job(machine, memory, plan, rules, k, now):
    """Reserve for the job at place `k` of the order after the jobs before it."""
    job = plan.order[k] & JOB_MASK
    machine.planned[job] = predicted_now(machine, memory, rules, job, now)
    _insert_key(plan.order, plan.bounds[FIRST], k, _reserve(machine, memory, plan, job))


@njit_noalloc
def _replan_each(machine, memory, plan, rules, last, now):
    """Reserve again for each job of the order before place `last`, in queue order,
    with all other reservations in place.
    """
    waiting = plan.order[plan.bounds[FIRST] : last]
    for k in range(len(waiting)):
        waiting[k] &= JOB_MASK
    sort(waiting)  # jobs are numbered in queue order
    for k in range(len(waiting)):
        job = waiting[k]
        size, length, reserved = memory.size[job], max(machine.planned[job], 1), plan.reserved[job]
        predicted = predicted_now(machine, memory, rules, job, now)
        is_same = predicted == machine.planned[job]
        if is_same and earliest_start(plan.profile, size, length, reserved, reserved) == LATEST:
            waiting[k] = reserved << JOB_BITS | job
            continue
        occupy(plan.profile, -size, reserved, reserved + length)
        forget(plan.profile)
        machine.planned[job] = predicted
        waiting[k] = _reserve(machine, memory, plan, job)
    sort(waiting)


@njit_noalloc
def _any_prediction_changed(machine, memory, plan, rules, last, now):
    """Return whether the prediction of any job of the order before place `last` differs
    from its reservation.
    """
    if memory.predict == 0 or not rules.refresh:
        return False
    for key in plan.order[plan.bounds[FIRST] : last]:
        job = key & JOB_MASK
        if predicted_now(machine, memory, rules, job, now) != machine.planned[job]:
            return True
    return False


@njit_noalloc
def _compress(machine, memory, plan, last, released_until):
    """Move each reservation of the order before place `last` as far forward as possible."""
    order, first, moved, n_moved = plan.order, plan.bounds[FIRST], machine.scratch, 0
    for k in range(first, last):
        job, reserved = order[k] & JOB_MASK, order[k] >> JOB_BITS
        size, length = memory.size[job], max(machine.planned[job], 1)
        before = min(released_until, reserved)
        begins = earliest_start(plan.profile, size, length, before, reserved)
        if begins == LATEST:
            order[k - n_moved] = order[k]
            continue
        occupy(plan.profile, size, begins, min(begins + length, reserved))
        occupy(plan.profile, -size, max(begins + length, reserved), reserved + length)
        released_until = max(released_until, reserved + length)
        plan.reserved[job] = begins
        _insert_key(moved, 0, n_moved, begins << JOB_BITS | job)
        n_moved += 1
    # Merge the two ascending lists of keys from the end on.
    rest = last - n_moved
    while n_moved > 0:
        last -= 1
        if rest > first and order[rest - 1] > moved[n_moved - 1]:
            rest -= 1
            order[last] = order[rest]
        else:
            n_moved -= 1
            order[last] = moved[n_moved]


@njit_noalloc
def _insert_key(order, first, last, key):
    """Insert a key into the ascending order[first:last]; the place behind it is vacant."""
    first, place = np.uint64(first), np.uint64(last)
    while place > first and order[place - ONE] > key:
        order[place] = order[place - ONE]
        place -= ONE
    order[place] = key


@njit_noalloc
def _reserve(machine, memory, plan, job):
    """Reserve the earliest start for a job and return its key."""
    size, length = memory.size[job], max(machine.planned[job], 1)
    begins = earliest_start(plan.profile, size, length, LATEST, LATEST)
    occupy(plan.profile, size, begins, begins + length)
    plan.reserved[job] = begins
    return begins << JOB_BITS | job


@njit_noalloc
def _start(machine, plan, memory, now):
    """Start the jobs with a reserved start of now, in queue order."""
    count, bounds = machine.count, plan.bounds
    since = bounds[FIRST]
    while bounds[FIRST] < bounds[LAST] and plan.order[bounds[FIRST]] >> JOB_BITS == now:
        job = plan.order[bounds[FIRST]] & JOB_MASK
        machines.begin(machine, memory, job, machine.planned[job], now)
        bounds[FIRST] += 1
    # The head of the queue is the first job that still waits; the queue keeps the places of jobs
    # that have started.
    while count[HEAD] < count[TAIL] and machine.start[machine.waiting[count[HEAD]]] >= 0:
        count[HEAD] += 1
    for key in plan.order[since : bounds[FIRST]]:
        job = key & JOB_MASK
        machine.backfilled[job] = (
            bounds[FIRST] < bounds[LAST] and job > machine.waiting[count[HEAD]]
        )
