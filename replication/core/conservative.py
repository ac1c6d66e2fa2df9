"""Conservative backfilling with compression: every waiting job has a reservation.

A submitted job is reserved the earliest time at which nobody planned before it is in its way. After an end,
or once a running job has outlived its plan, all reservations are made again in the order of the reserved
starts; with unchanged predictions that moves none of them back. Other readings are told in
``docs/semantics/predicted.md``. The readable twin is ``replication.reference.conservative.conservative``.

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
    NOBODY,
    RUNNING,
    TAIL,
    begin,
    correct,
    finish,
    idle,
    next_end,
    next_planned_end,
)
from replication.core.predicting import learn, predict
from replication.core.running import LATEST, NEVER, remove
from replication.core.uncounted import sort, uncounted

STEPS, LEAVING = range(2)

# at, free : int64[m], the staircase; reserved, planned : int64[n], start and length of each waiting job's
# reservation; leaving : int64[n], jobs whose processors are free but whose end is still to be noticed;
# size : int64[2], how many steps and how many of the leaving there are
Plan = namedtuple("Plan", "at free reserved planned leaving size")

# refresh, correction, submissions_first : as in `replication.core.easy_predicted.Rules`
# by_plan : each event has its own pass, and who ends as planned leaves before the first event of that instant
# each : after an end each reservation is made again beside the others, instead of all anew
Rules = namedtuple("Rules", "refresh correction submissions_first by_plan each")


@njit(nogil=True, cache=True)
def conservative(memory, processors, rules, start, backfilled, first, prediction):
    """Simulate conservative backfilling; arguments as in `replication.core.easy_predicted.easy_predicted`."""
    n = len(memory.submit)
    machine = idle(n, processors, start, prediction)
    most = 3 * n + min(n, processors) + 3
    plan = Plan(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.full(n, NEVER >> JOB_BITS),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.zeros(2, np.int64),
    )
    _simulate(machine, memory, plan, rules, backfilled, first)


@uncounted
def _simulate(machine, memory, plan, rules, backfilled, first):
    """The event loop."""
    n, count = len(memory.submit), machine.count
    now, late = 0, False
    while count[ARRIVED] < n or count[RUNNING] > 0 or count[TAIL] > 0 or plan.size[LEAVING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        if plan.size[LEAVING] == 0:
            now = min(submission, next_end(machine))
            if rules.each and not late:
                now = min(now, _next_start(machine, plan))
        if rules.by_plan:
            _let_go(machine, memory, plan, now)
        comes, ends = submission == now, next_end(machine) == now or plan.size[LEAVING] > 0
        if rules.by_plan and comes and ends:
            comes, ends = rules.submissions_first, not rules.submissions_first
        before = count[TAIL]
        if comes and rules.submissions_first:
            submit(machine, memory, first, now, rules.by_plan)
        if ends and rules.by_plan:
            _notice_an_end(machine, memory, plan, now)
        while ends and next_end(machine) == now and not rules.by_plan:
            finish(machine, memory, now)
        if comes and not rules.submissions_first:
            submit(machine, memory, first, now, rules.by_plan)
        # A job past its plan is expected at any moment, so what is planned behind it moves with the time.
        failed = correct(machine, memory, rules.correction, now) or late
        late = next_planned_end(machine) <= now
        failed |= late
        if count[TAIL] == 0:
            continue
        if failed or before == 0 or (ends and not rules.each):
            _survey(machine, memory, plan, now)
            before = 0
        elif ends:
            _survey(machine, memory, plan, now)
            _compress(machine, memory, plan, rules.refresh, first, before, now)
        else:
            _advance(plan, now)
        _reserve(machine, memory, plan, rules.refresh, first, before, now)
        if _start(machine, memory, plan, now):
            close_ranks(machine, backfilled)


@uncounted
def _next_start(machine, plan):
    """The earliest reservation; `LATEST` if nobody waits."""
    earliest = LATEST
    for k in range(machine.count[TAIL]):
        earliest = min(earliest, plan.reserved[machine.waiting[k]])
    return earliest


@uncounted
def _let_go(machine, memory, plan, now):
    """Free the processors of the jobs that end now as planned; their ends are still to be noticed."""
    count = machine.count
    k = count[RUNNING]
    while machine.by_end[k] >> JOB_BITS == now:
        key = machine.by_end[k]
        job = key & JOB_MASK
        if machine.start[job] + machine.planned[job] == now:
            remove(machine.by_end, count[RUNNING], key)
            remove(machine.by_plan, count[RUNNING], key)
            count[RUNNING] -= 1
            count[FREE] += memory.size[job]
            plan.leaving[plan.size[LEAVING]] = job
            plan.size[LEAVING] += 1
        k -= 1


@uncounted
def _notice_an_end(machine, memory, plan, now):
    """End one job of those that end now: the one that started first, of these the earliest in the queue."""
    order, leaving, last = machine.by_end, plan.leaving, machine.count[RUNNING]
    best, place = NEVER, NOBODY
    for k in range(plan.size[LEAVING]):
        age = machine.start[leaving[k]] << JOB_BITS | leaving[k]
        if age < best:
            best, place = age, k
    left = best
    k = last
    while order[k] >> JOB_BITS == now:
        job = order[k] & JOB_MASK
        age = machine.start[job] << JOB_BITS | job
        if age < best:
            best, place = age, k
        k -= 1
    if best == left:
        plan.size[LEAVING] -= 1
        leaving[place] = leaving[plan.size[LEAVING]]
        job = best & JOB_MASK
        learn(memory, job, machine.start[job], now)
    else:
        order[place], order[last] = order[last], order[place]
        finish(machine, memory, now)


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
def _compress(machine, memory, plan, refresh, first, waiting, now):
    """Let each of the first jobs waiting, in queue order, give up its reservation for the earliest there is."""
    for k in range(waiting):
        job = machine.waiting[k]
        _take(plan, memory.size[job], plan.reserved[job], max(plan.planned[job], 1))
    for k in range(waiting):
        job = machine.waiting[k]
        _take(plan, -memory.size[job], plan.reserved[job], max(plan.planned[job], 1))
        plan.planned[job] = predict(memory, job, now) if refresh else first[job]
        plan.reserved[job] = _place(plan, memory.size[job], max(plan.planned[job], 1))


@uncounted
def _take(plan, size, begins, length):
    """Take `size` processors for `length` seconds from second `begins` on."""
    first = _step_at(plan, begins)
    for step in range(first, _step_at(plan, begins + length)):
        plan.free[step] -= size


@uncounted
def _step_at(plan, time):
    """The step that begins at a time, made where there is none."""
    at, free, steps = plan.at, plan.free, plan.size[STEPS]
    k = 0
    while k < steps and at[k] < time:
        k += 1
    if k == steps or at[k] > time:
        for later in range(steps, k, -1):
            at[later], free[later] = at[later - 1], free[later - 1]
        at[k], free[k] = time, free[k - 1]
        plan.size[STEPS] = steps + 1
    return k


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
