"""Conservative backfilling with compression: every waiting job has a reservation.

A submitted job is reserved the earliest time at which nobody planned before it is in its way. After an end,
or once a running job has outlived its plan, all reservations are made again in the order of the reserved
starts; with unchanged predictions that moves none of them back. The readable twin is
``replication.reference.conservative.conservative``.

The plan ahead is a staircase: ``at`` holds the instants at which the number of free processors changes,
``free`` how many there are from then on.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.laf import close_ranks, started, submit
from replication.core.planned import (
    ARRIVED,
    FREE,
    JOB_BITS,
    JOB_MASK,
    RUNNING,
    TAIL,
    begin,
    correct,
    finish,
    idle,
    next_end,
    next_planned_end,
)
from replication.core.predicting import predict
from replication.core.running import LATEST, NEVER
from replication.core.uncounted import sort, uncounted

STEPS = 0

# at, free : int64[m], the staircase; reserved, planned : int64[n], start and length of each waiting job's
# reservation; size : int64[1], how many steps there are
Plan = namedtuple("Plan", "at free reserved planned size")


@njit(nogil=True, cache=True)
def conservative(
    memory, processors, refresh, correction, submissions_first, start, backfilled, first, prediction
):
    """Simulate conservative backfilling; arguments as in `replication.core.easy_predicted.easy_predicted`."""
    n = len(memory.submit)
    machine = idle(n, processors, start, prediction)
    most = 2 * n + min(n, processors) + 3
    plan = Plan(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.full(n, NEVER >> JOB_BITS),
        np.empty(n, np.int64),
        np.zeros(1, np.int64),
    )
    _simulate(machine, memory, plan, refresh, correction, submissions_first, backfilled, first)


@uncounted
def _simulate(machine, memory, plan, refresh, correction, submissions_first, backfilled, first):
    """The event loop."""
    n, count = len(memory.submit), machine.count
    while count[ARRIVED] < n or count[RUNNING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        now = min(submission, next_end(machine))
        stale = next_end(machine) == now
        before = count[TAIL]
        if submissions_first:
            submit(machine, memory, first, now)
        while next_end(machine) == now and count[RUNNING] > 0:
            finish(machine, memory, now)
        if not submissions_first:
            submit(machine, memory, first, now)
        # A job past its plan is expected at any moment, so what is planned behind it moves with the time.
        stale |= correct(machine, memory, correction, now)
        stale |= count[TAIL] > 0 and next_planned_end(machine) <= now
        if count[TAIL] == 0:
            continue
        if stale or before == 0:
            _survey(machine, memory, plan, now)
            before = 0
        else:
            _advance(plan, now)
        _reserve(machine, memory, plan, refresh, first, before, now)
        if _start(machine, memory, plan, now):
            close_ranks(machine, backfilled)


@uncounted
def _survey(machine, memory, plan, now):
    """Draw the staircase of the running jobs alone."""
    at, free = plan.at, plan.free
    at[0], free[0] = now, machine.count[FREE]
    steps = 1
    for k in range(machine.count[RUNNING], 0, -1):
        key = machine.by_plan[k]
        # Processors of a job past its plan are not free now; the next instant is the earliest.
        end = max(key >> JOB_BITS, now + 1)
        if at[steps - 1] < end:
            at[steps], free[steps] = end, free[steps - 1]
            steps += 1
        free[steps - 1] += memory.size[key & JOB_MASK]
    plan.size[STEPS] = steps


@uncounted
def _reserve(machine, memory, plan, refresh, first, since, now):
    """Give the jobs from place `since` on new reservations, in the order of their old ones; new jobs last."""
    waiting, order = machine.waiting, machine.scratch[since : machine.count[TAIL]]
    for k in range(len(order)):
        order[k] = plan.reserved[waiting[since + k]] << JOB_BITS | waiting[since + k]
    sort(order)
    for key in order:
        job = key & JOB_MASK
        predicted = predict(memory, job, now) if refresh else first[job]
        plan.planned[job] = predicted
        plan.reserved[job] = _place(plan, memory.size[job], max(predicted, 1))


@uncounted
def _advance(plan, now):
    """Let the staircase begin now."""
    at, free, steps = plan.at, plan.free, plan.size[STEPS]
    past = 0
    while past + 1 < steps and at[past + 1] <= now:
        past += 1
    for k in range(past, steps):
        at[k - past], free[k - past] = at[k], free[k]
    at[0] = now
    plan.size[STEPS] = steps - past


@uncounted
def _place(plan, size, length):
    """Earliest start at which `size` processors stay free for `length` seconds; they are taken."""
    at, free, steps = plan.at, plan.free, plan.size[STEPS]
    begins, k = 0, 0
    # The last step has the whole machine, so the search ends in time.
    while k < steps and at[k] < at[begins] + length:
        if free[k] < size:
            begins = k + 1
        k += 1
    ends = at[begins] + length
    if k == steps or at[k] > ends:
        for later in range(steps, k, -1):
            at[later], free[later] = at[later - 1], free[later - 1]
        at[k], free[k] = ends, free[k - 1]
        plan.size[STEPS] = steps + 1
    for step in range(begins, k):
        free[step] -= size
    return at[begins]


@uncounted
def _start(machine, memory, plan, now):
    """Start the jobs whose reservation is for now; whether there were any."""
    any_started = False
    for k in range(machine.count[TAIL]):
        job = machine.waiting[k]
        if plan.reserved[job] == now:
            begin(machine, memory, job, plan.planned[job], now)
            machine.waiting[k] = started(job)
            any_started = True
    return any_started
