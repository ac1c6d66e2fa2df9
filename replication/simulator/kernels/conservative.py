"""Conservative backfilling with compression: every waiting job has a reservation.

A submitted job has a reservation at the earliest start that delays no job planned before it. After an end, or when a
job has run past its planned end, all reservations are made again in the order of the reserved starts. With unchanged
predictions this delays no job. ``docs/semantics/predicted.md`` has the variants. The reference implementation is
``replication.simulator.reference.conservative.Conservative``.

The profile is the number of free processors over time, with all running and waiting jobs in place: ``at`` has the
instants at which the number changes, and ``free`` the number from then on. The profile is built again only after a
planned end or a prediction has changed. Otherwise an end releases the rest of the job's planned run. Making all
reservations again is then the same as moving each job in turn as far forward as possible, while all others keep their
reservations:

* A job with a later reserved start never prevents an earlier start: where the two would overlap, the reservation of the
  job that moves already holds the processors. So only the profile before its own start matters.
* A job can move forward only onto processors that were released since, so it starts before the end of the last release.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc, sort
from replication.simulator.kernels.machine import JOB_BITS, JOB_MASK, LATEST, TAIL, predicted_now
from replication.simulator.kernels.ordered_list import ONE

# at, free : int64[m], the profile, with `LATEST` behind its last step; steps : int64[1], the number of steps
# reserved : int64[n], reserved start of each waiting job; `planned` of the machine is the length of its reservation
# order : int64[n], ascending keys of reserved start and job for the waiting jobs
Plan = namedtuple("Plan", "at free steps reserved order")

# each : after an end reservations are made again one by one in queue order, with all others in place; otherwise all are
# made again in the order of their starts
Rules = namedtuple("Rules", machines.SHARED_RULES + "each")


@njit(nogil=True, cache=True)
def conservative(memory, processors, rules):
    """Simulate conservative backfilling.

    Parameters and result are those of `replication.simulator.kernels.easy_predicted.easy_predicted`.
    """
    n = len(memory.submit)
    machine = machines.idle_machine(n, processors)
    _simulate(machine, memory, empty_plan(n, processors), rules)
    return machine


@njit(nogil=True, cache=True)
def empty_plan(n, processors):
    """Return a plan with space for `n` jobs."""
    steps = 3 * n + 2 * min(n, processors) + 4
    return Plan(
        np.empty(steps, np.int64),
        np.empty(steps, np.int64),
        np.zeros(1, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )


@njit_noalloc
def _simulate(machine, memory, plan, rules):
    """Run the event loop."""
    count = machine.count
    now, overdue = 0, False
    released_until = 0  # end of the last release of processors since the last end
    while machines.has_events(machine) or count[TAIL] > 0:
        before = count[TAIL]
        now = machines.next_event(machine, memory, now)
        if rules.each and not overdue and before > 0 and count[machines.LEAVING] == 0:
            now = min(now, plan.order[0] >> JOB_BITS)
        # A job past its planned end is expected to end at any moment, so reservations behind it move with the time.
        valid = before > 0 and not overdue
        if valid:
            _drop_past(plan, now)
        ended, _, _, corrected = machines.process_events(machine, memory, rules, now)
        released_until = max(released_until, _release(machine, memory, plan, valid, now))
        overdue = machines.next_planned_end(machine) <= now
        if count[TAIL] == 0:
            continue
        for k in range(before, count[TAIL]):
            plan.order[k] = LATEST << JOB_BITS | machine.waiting[k]
        since = before
        # A job with a reserved start in the past waits for a job that has passed its planned end since the last event.
        if not valid or corrected or overdue or plan.order[0] >> JOB_BITS < now:
            since = 0
        elif ended and rules.each:
            _replan_each(machine, memory, plan, rules, before, now)
        elif ended and _any_prediction_changed(machine, memory, plan, rules, before, now):
            since = 0
        elif ended and released_until > now:
            _compress(machine, memory, plan, before, released_until)
        if ended or since == 0:
            released_until = now
        if since == 0:
            # Processors of a job past its planned end are not free before the next second.
            reset_profile(machine, memory, plan, now, now + 1)
        for k in range(since, count[TAIL]):
            _plan_job(machine, memory, plan, rules, k, now)
        if plan.order[0] >> JOB_BITS == now:
            _start(machine, memory, plan, now)


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
            occupy(plan, -memory.size[job], now, planned_end)
    return released_until


@njit_noalloc
def reset_profile(machine, memory, plan, now, earliest):
    """Set the profile to the running jobs alone; a job past its planned end is expected to end at `earliest`."""
    at, free = plan.at, plan.free
    at[0], free[0] = now, machine.count[machines.FREE]
    steps = 1
    for k in range(machine.count[machines.RUNNING], 0, -1):
        key = machine.by_plan[k]
        end = max(key >> JOB_BITS, earliest)
        if at[steps - 1] < end:
            at[steps], free[steps] = end, free[steps - 1]
            steps += 1
        free[steps - 1] += memory.size[key & JOB_MASK]
    at[steps] = LATEST
    plan.steps[0] = steps


@njit_noalloc
def _plan_job(machine, memory, plan, rules, k, now):
    """Reserve for the job at place `k` of the order after the jobs before it."""
    job = plan.order[k] & JOB_MASK
    machine.planned[job] = predicted_now(machine, memory, rules, job, now)
    _insert_key(plan.order, k, _reserve(machine, memory, plan, job))


@njit_noalloc
def _replan_each(machine, memory, plan, rules, waiting, now):
    """Reserve again for each of the first `waiting` jobs of the queue, with all other reservations in place."""
    for k in range(waiting):
        job = machine.waiting[k]
        reserved, length = plan.reserved[job], max(machine.planned[job], 1)
        occupy(plan, -memory.size[job], reserved, reserved + length)
        machine.planned[job] = predicted_now(machine, memory, rules, job, now)
        plan.order[k] = _reserve(machine, memory, plan, job)
    sort(plan.order[:waiting])


@njit_noalloc
def _any_prediction_changed(machine, memory, plan, rules, waiting, now):
    """Return whether the prediction of any of the first `waiting` jobs differs from its reservation."""
    for k in range(waiting):
        job = machine.waiting[k]
        if predicted_now(machine, memory, rules, job, now) != machine.planned[job]:
            return True
    return False


@njit_noalloc
def _compress(machine, memory, plan, waiting, released_until):
    """Move each of the first `waiting` reservations in the order as far forward as possible."""
    for k in range(waiting):
        job = plan.order[k] & JOB_MASK
        size, length, reserved = memory.size[job], max(machine.planned[job], 1), plan.reserved[job]
        until = _first_from(plan, min(released_until, reserved))
        step = earliest_step(plan, size, length, until, reserved)
        if step == until:
            continue
        begins = plan.at[step]
        occupy(plan, size, begins, min(begins + length, reserved))
        occupy(plan, -size, max(begins + length, reserved), reserved + length)
        released_until = max(released_until, reserved + length)
        plan.reserved[job] = begins
        _insert_key(plan.order, k, begins << JOB_BITS | job)


@njit_noalloc
def _insert_key(order, k, key):
    """Insert a key into the first `k` of an ascending order; the next place is vacant."""
    place = np.uint64(k)
    while place > 0 and order[place - ONE] > key:
        order[place] = order[place - ONE]
        place -= ONE
    order[place] = key


@njit_noalloc
def _reserve(machine, memory, plan, job):
    """Reserve the earliest start for a job and return its key."""
    size, length = memory.size[job], max(machine.planned[job], 1)
    begins = plan.at[earliest_step(plan, size, length, plan.steps[0] - 1, LATEST)]
    occupy(plan, size, begins, begins + length)
    plan.reserved[job] = begins
    return begins << JOB_BITS | job


@njit_noalloc
def earliest_step(plan, size, length, until, beyond):
    """Return the first step before `until` from which `size` processors are free for `length` seconds, or `until`.

    The profile from second `beyond` on is ignored.
    """
    at, free = plan.at, plan.free
    begins, until = np.uint64(0), np.uint64(until)
    while True:
        while begins < until and free[begins] < size:
            begins += ONE
        if begins == until:
            return until
        ends = min(at[begins] + length, beyond)
        k = begins + ONE
        while at[k] < ends and free[k] >= size:
            k += ONE
        if at[k] >= ends:
            return begins
        begins = min(k + ONE, until)


@njit_noalloc
def _drop_past(plan, now):
    """Remove the part of the profile before now."""
    at, free = plan.at, plan.free
    past = np.uint64(_first_from(plan, now + 1)) - ONE
    if past > 0:
        for k in range(past, np.uint64(plan.steps[0]) + ONE):
            at[k - past], free[k - past] = at[k], free[k]
        plan.steps[0] -= past
    at[0] = now


@njit_noalloc
def occupy(plan, size, begins, ends):
    """Occupy `size` processors from second `begins` until `ends`."""
    first, beyond = _step_at(plan, begins), _step_at(plan, ends)
    for step in range(np.uint64(first), np.uint64(beyond)):
        plan.free[step] -= size
    _drop_if_flat(plan, beyond)
    _drop_if_flat(plan, first)


@njit_noalloc
def _first_from(plan, time):
    """Return the first step that begins at a time or later."""
    low, high = np.uint64(0), np.uint64(plan.steps[0])
    while low < high:
        middle = (low + high) >> ONE
        if plan.at[middle] < time:
            low = middle + ONE
        else:
            high = middle
    return np.int64(low)


@njit_noalloc
def _step_at(plan, time):
    """Return the step that begins at a time; insert it if there is none."""
    k, at, free = np.uint64(_first_from(plan, time)), plan.at, plan.free
    if at[k] != time:
        for later in range(np.uint64(plan.steps[0]), k - ONE, -1):
            at[later + ONE], free[later + ONE] = at[later], free[later]
        at[k], free[k] = time, free[k - ONE]
        plan.steps[0] += 1
    return k


@njit_noalloc
def _drop_if_flat(plan, k):
    """Remove a step at which the number of free processors does not change."""
    at, free = plan.at, plan.free
    if k > 0 and free[k] == free[k - 1]:
        for later in range(np.uint64(k), np.uint64(plan.steps[0])):
            at[later], free[later] = at[later + ONE], free[later + ONE]
        plan.steps[0] -= 1


@njit_noalloc
def _start(machine, memory, plan, now):
    """Start the jobs with a reserved start of now, in queue order."""
    starting, waiting = 0, machine.count[TAIL]
    for k in range(waiting):
        job = machine.waiting[k]
        if plan.reserved[job] == now:
            machine.backfilled[job] = k > starting
            machines.begin(machine, memory, job, machine.planned[job], now)
            machine.waiting[k] = machines.NO_JOB
            starting += 1
    for k in range(starting, waiting):
        plan.order[k - starting] = plan.order[k]
    machines.compact_queue(machine, 0)
