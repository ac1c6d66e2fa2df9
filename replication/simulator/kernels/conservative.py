"""Conservative backfilling with compression: every waiting job has a reservation.

A submitted job is reserved the earliest time at which nobody planned before it is in its way. After an end,
or once a running job has outlived its plan, all reservations are made again in the order of the reserved
starts; with unchanged predictions that moves none of them back. Other readings are told in
``docs/semantics/predicted.md``. The reference implementation is ``replication.simulator.reference.conservative.Conservative``.

The plan ahead is a staircase of all who run or wait: ``at`` holds the instants at which the number of free
processors changes, ``free`` how many there are from then on. It is drawn anew only where a plan or a prediction
has changed. Otherwise an end gives back what the job was planned to hold on to, and making all reservations again
comes to this: each job in turn, beside all the others where they are, is brought forward as far as it can be.

* Who is planned to start later is in no job's way to an earlier start: where the two overlap, the job's own
  reservation holds already. For the same reason only what lies before its own start can be in its way.
* Nobody can start earlier but on processors that were given back since, so no later than the last of them.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import planned
from replication.simulator.kernels.compiling import njit_noalloc, sort
from replication.simulator.kernels.planned import JOB_BITS, JOB_MASK, LATEST, TAIL, predicted_now
from replication.simulator.kernels.running import ONE

# at, free : int64[m], the staircase, and `LATEST` behind its last step; steps : int64[1], how many there are
# reserved : int64[n], start of each waiting job's reservation; `planned` of the machine is its length
# order : int64[n], a key of the reserved start and the job for each waiting job, ascending
Plan = namedtuple("Plan", "at free steps reserved order")

# each : after an end each job in turn of the queue is planned again, instead of all in the order of their starts
Rules = namedtuple("Rules", planned.EVENTS + "each")


@njit(nogil=True, cache=True)
def conservative(memory, processors, rules):
    """Simulate conservative backfilling; as `replication.simulator.kernels.easy_predicted.easy_predicted`."""
    n = len(memory.submit)
    machine = planned.idle(n, processors)
    most = 3 * n + 2 * min(n, processors) + 4
    plan = Plan(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.zeros(1, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    _simulate(machine, memory, plan, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, plan, rules):
    """The event loop."""
    count = machine.count
    now, late = 0, False
    given_back = 0  # until when processors were given back since the last end
    while planned.has_events(machine) or count[TAIL] > 0:
        before = count[TAIL]
        now = planned.next_event(machine, memory, now)
        if rules.each and not late and before > 0 and count[planned.LEAVING] == 0:
            now = min(now, plan.order[0] >> JOB_BITS)
        # A job past its plan is expected at any moment, so what is planned behind it moves with the time.
        known = before > 0 and not late
        if known:
            _advance(plan, now)
        ended, _, _, failed = planned.process_events(machine, memory, rules, now)
        given_back = max(given_back, _give_back(machine, memory, plan, known, now))
        late = planned.next_planned_end(machine) <= now
        if count[TAIL] == 0:
            continue
        for k in range(before, count[TAIL]):
            plan.order[k] = LATEST << JOB_BITS | machine.waiting[k]
        since = before
        # Who was to start before now waits for a job that has outlived its plan since the last event.
        if not known or failed or late or plan.order[0] >> JOB_BITS < now:
            since = 0
        elif ended and rules.each:
            _each_anew(machine, memory, plan, rules, before, now)
        elif ended and _is_predicted_otherwise(machine, memory, plan, rules, before, now):
            since = 0
        elif ended and given_back > now:
            _bring_forward(machine, memory, plan, before, given_back)
        if ended or since == 0:
            given_back = now
        if since == 0:
            _draw_profile(machine, memory, plan, now)
        for k in range(since, count[TAIL]):
            _plan(machine, memory, plan, rules, k, now)
        if plan.order[0] >> JOB_BITS == now:
            _start(machine, memory, plan, now)


@njit_noalloc
def _give_back(machine, memory, plan, known, now):
    """Give back what those who left were planned to hold on to; until when. A plan not `known` is left alone."""
    given_back = now
    for job in machine.freed[: machine.count[planned.FREED]]:
        planned_end = machine.start[job] + max(machine.planned[job], 1)
        given_back = max(given_back, planned_end)
        if known and planned_end > now:
            take(plan, -memory.size[job], now, planned_end)
    return given_back


@njit_noalloc
def _draw_profile(machine, memory, plan, now):
    """Draw the staircase of the running jobs alone."""
    at, free = plan.at, plan.free
    at[0], free[0] = now, machine.count[planned.FREE]
    steps = 1
    for k in range(machine.count[planned.RUNNING], 0, -1):
        key = machine.by_plan[k]
        # Processors of a job past its plan are not free now; the next instant is the earliest.
        end = max(key >> JOB_BITS, now + 1)
        if at[steps - 1] < end:
            at[steps], free[steps] = end, free[steps - 1]
            steps += 1
        free[steps - 1] += memory.size[key & JOB_MASK]
    at[steps] = LATEST
    plan.steps[0] = steps


@njit_noalloc
def _plan(machine, memory, plan, rules, k, now):
    """Plan the job at place `k` of the order, where those before it are planned."""
    job = plan.order[k] & JOB_MASK
    machine.planned[job] = predicted_now(machine, memory, rules, job, now)
    _file(plan.order, k, _place(machine, memory, plan, job))


@njit_noalloc
def _each_anew(machine, memory, plan, rules, waiting, now):
    """Let each of the first jobs waiting, in queue order, give up its reservation for the earliest there is."""
    for k in range(waiting):
        job = machine.waiting[k]
        reserved, length = plan.reserved[job], max(machine.planned[job], 1)
        take(plan, -memory.size[job], reserved, reserved + length)
        machine.planned[job] = predicted_now(machine, memory, rules, job, now)
        plan.order[k] = _place(machine, memory, plan, job)
    sort(plan.order[:waiting])


@njit_noalloc
def _is_predicted_otherwise(machine, memory, plan, rules, waiting, now):
    """Whether any of the first jobs waiting is planned with another prediction than it has now."""
    for k in range(waiting):
        job = machine.waiting[k]
        if predicted_now(machine, memory, rules, job, now) != machine.planned[job]:
            return True
    return False


@njit_noalloc
def _bring_forward(machine, memory, plan, waiting, given_back):
    """Let each of the first jobs of the order start as early as it can; until when processors were given back."""
    for k in range(waiting):
        job = plan.order[k] & JOB_MASK
        size, length, reserved = memory.size[job], max(machine.planned[job], 1), plan.reserved[job]
        until = _first_from(plan, min(given_back, reserved))
        step = earliest_step(plan, size, length, until, reserved)
        if step == until:
            continue
        begins = plan.at[step]
        take(plan, size, begins, min(begins + length, reserved))
        take(plan, -size, max(begins + length, reserved), reserved + length)
        given_back = max(given_back, reserved + length)
        plan.reserved[job] = begins
        _file(plan.order, k, begins << JOB_BITS | job)


@njit_noalloc
def _file(order, k, key):
    """Put a key among the first `k` of an ascending order, in which the next place is vacant."""
    place = np.uint64(k)
    while place > 0 and order[place - ONE] > key:
        order[place] = order[place - ONE]
        place -= ONE
    order[place] = key


@njit_noalloc
def _place(machine, memory, plan, job):
    """Reserve the earliest start for a job; its key."""
    size, length = memory.size[job], max(machine.planned[job], 1)
    begins = plan.at[earliest_step(plan, size, length, plan.steps[0] - 1, LATEST)]
    take(plan, size, begins, begins + length)
    plan.reserved[job] = begins
    return begins << JOB_BITS | job


@njit_noalloc
def earliest_step(plan, size, length, until, beyond):
    """First step from which on `size` processors stay free for `length` seconds; `until` if none before it is.

    Nothing from second `beyond` on is in the way.
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
def _advance(plan, now):
    """Let the staircase begin now."""
    at, free = plan.at, plan.free
    past = np.uint64(_first_from(plan, now + 1)) - ONE
    if past > 0:
        for k in range(past, np.uint64(plan.steps[0]) + ONE):
            at[k - past], free[k - past] = at[k], free[k]
        plan.steps[0] -= past
    at[0] = now


@njit_noalloc
def take(plan, size, begins, ends):
    """Take `size` processors from second `begins` until `ends`."""
    first, beyond = _step_at(plan, begins), _step_at(plan, ends)
    for step in range(np.uint64(first), np.uint64(beyond)):
        plan.free[step] -= size
    _drop_if_flat(plan, beyond)
    _drop_if_flat(plan, first)


@njit_noalloc
def _first_from(plan, time):
    """The first step that begins at a time or later."""
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
    """The step that begins at a time, made where there is none."""
    k, at, free = np.uint64(_first_from(plan, time)), plan.at, plan.free
    if at[k] != time:
        for later in range(np.uint64(plan.steps[0]), k - ONE, -1):
            at[later + ONE], free[later + ONE] = at[later], free[later]
        at[k], free[k] = time, free[k - ONE]
        plan.steps[0] += 1
    return k


@njit_noalloc
def _drop_if_flat(plan, k):
    """Drop a step at which as many processors are free as before it."""
    at, free = plan.at, plan.free
    if k > 0 and free[k] == free[k - 1]:
        for later in range(np.uint64(k), np.uint64(plan.steps[0])):
            at[later], free[later] = at[later + ONE], free[later + ONE]
        plan.steps[0] -= 1


@njit_noalloc
def _start(machine, memory, plan, now):
    """Start the jobs whose reservation is for now, in queue order."""
    starting, waiting = 0, machine.count[TAIL]
    for k in range(waiting):
        job = machine.waiting[k]
        if plan.reserved[job] == now:
            machine.backfilled[job] = k > starting
            planned.begin(machine, memory, job, machine.planned[job], now)
            machine.waiting[k] = planned.NOBODY
            starting += 1
    for k in range(starting, waiting):
        plan.order[k - starting] = plan.order[k]
    planned.compact_queue(machine, 0)
