"""A machine whose scheduler plans with predictions: running jobs in two orders, the queue, and what happens to them.

As in `replication.simulator.kernels.running`, the orders descend behind a sentinel and a key is an end with something in
its low bits, here the job. Of equal ends the job earlier in the queue therefore goes first, which one reading
of a reservation depends on.

A kernel's loop asks for the `next_event`, lets the kernel `process_events`, and makes its own pass over the queue.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels.compiling import njit_noalloc
from replication.simulator.kernels.memory import begin as begin_prediction
from replication.simulator.kernels.memory import learn, predict
from replication.simulator.kernels.running import NEVER, ONE, insert, remove

JOB_BITS = 24
JOB_MASK = (1 << JOB_BITS) - 1
LATEST = NEVER >> JOB_BITS  # the last second a key can hold, some 17,000 years away

# Entries of `count`; the queue is waiting[HEAD:TAIL], and only jobs before LAST come.
FREE, RUNNING, HEAD, TAIL, ARRIVED, LAST, SMALLEST = range(7)
SHADOW, EXTRA, RESERVED, LEAVING, FREED, STARTED, COUNTS = range(7, 14)
NOBODY = -1  # RESERVED where no reservation is up to date; below 0 an entry of the queue is a gap

# start, first, prediction : int64[n], s, of each job its last start, and what was predicted when it was submitted
# and when it started; backfilled : bool[n]
# planned, done : int64[n], s, how long a running job is planned to hold on, and what earlier runs have left done
# by_end, by_plan : int64[m + 1], keys of the running jobs
# waiting, wanted : int64[n], the queue's jobs and their sizes; scratch : int64[n]; count : int64[COUNTS]
# order : int64[n], jobs in the order of `begin`; submitted : int64[n], how many had been submitted then
# leaving : int64[n], jobs whose processors are free but whose end is still to be noticed
# freed : int64[n], those whose processors the last event freed
Machine = namedtuple(
    "Machine",
    "start first prediction backfilled planned done by_end by_plan "
    "waiting wanted scratch order submitted leaving freed count",
)

# What the rules of every kernel on this machine say.
# refresh : predictions of waiting jobs are renewed at every pass, not kept from submission
# at_submission : predictions are made then too, if only to be told
# correction : REQUEST, GRADUAL, DOUBLING or NOW
# one_by_one : each event of an instant has its own pass
# by_plan : that too, and who ends as planned leaves before the first event of that instant
# submissions_first : before the ends of the same instant, not after them
EVENTS = "refresh at_submission correction one_by_one by_plan submissions_first "
Rules = namedtuple("Rules", EVENTS)

# How a prediction grows when its job outlives it: the k-th correction adds this to the first prediction, s
# (Tsafrir, Etsion and Feitelson 2007, section 4.2).
STEPS = np.array([60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000])
REQUEST, GRADUAL, DOUBLING, NOW = range(4)


@njit(nogil=True, cache=True)
def idle(n, processors):
    """An idle machine with room for `n` jobs, all of which are to come."""
    most = min(n, processors)
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    count = np.zeros(COUNTS, np.int64)
    count[FREE], count[LAST], count[SMALLEST], count[RESERVED] = processors, n, NEVER, NOBODY
    return Machine(
        np.full(n, -1),
        np.full(n, -1),
        np.full(n, -1),
        np.zeros(n, np.bool_),
        np.empty(n, np.int64),
        np.zeros(n, np.int64),
        by_end,
        by_plan,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        count,
    )


@njit_noalloc
def has_events(machine):
    """Whether anybody is still to come, runs, or has left unnoticed."""
    count = machine.count
    return count[ARRIVED] < count[LAST] or count[RUNNING] > 0 or count[LEAVING] > 0


@njit_noalloc
def next_event(machine, memory, now):
    """When something happens next: now, as long as an end of this instant is still to be noticed."""
    count = machine.count
    if count[LEAVING] > 0:
        return now
    coming = memory.submit[count[ARRIVED]] if count[ARRIVED] < count[LAST] else LATEST
    return min(coming, next_end(machine))


@njit_noalloc
def process_events(machine, memory, rules, now):
    """Take the events of an instant, or one of them; then correct the plans that are outlived.

    Returns whether jobs ended, whether jobs came, whether one that came fits, and whether a plan was corrected.
    """
    count = machine.count
    count[FREED] = 0
    if rules.by_plan:
        _end_planned(machine, memory, now)
    come = count[ARRIVED] < count[LAST] and memory.submit[count[ARRIVED]] == now
    end = next_end(machine) == now or count[LEAVING] > 0
    if rules.one_by_one and come and end:
        come, end = rules.submissions_first, not rules.submissions_first
    fits = False
    if come and rules.submissions_first:
        fits = _submit(machine, memory, rules, now)
    if end and rules.by_plan:
        _end_next(machine, memory, now)
    elif end:
        _finish(machine, memory, now)
        while next_end(machine) == now and not rules.one_by_one:
            _finish(machine, memory, now)
    if come and not rules.submissions_first:
        fits = _submit(machine, memory, rules, now)
    return end, come, fits, correct(machine, memory, rules.correction, now)


@njit_noalloc
def _submit(machine, memory, rules, now):
    """Put the jobs submitted now, or one of them, into the queue; whether one of them fits."""
    count = machine.count
    fits = False
    while count[ARRIVED] < count[LAST] and memory.submit[count[ARRIVED]] == now:
        job = count[ARRIVED]
        if rules.at_submission:
            machine.first[job] = predict(memory, job, now)
        machine.waiting[count[TAIL]] = job
        machine.wanted[count[TAIL]] = memory.size[job]
        fits |= memory.size[job] <= count[FREE]
        count[SMALLEST] = min(count[SMALLEST], memory.size[job])
        count[TAIL] += 1
        count[ARRIVED] += 1
        if rules.one_by_one:
            break
    return fits


@njit_noalloc
def begin(machine, memory, job, predicted, now):
    """Start a job that is planned to run for `predicted` seconds."""
    count = machine.count
    machine.prediction[job] = predicted
    machine.order[count[STARTED]], machine.submitted[count[STARTED]] = job, count[ARRIVED]
    count[STARTED] += 1
    start_run(machine, memory, job, now, memory.run_time[job], predicted)
    begin_prediction(memory, job, now)


@njit_noalloc
def start_run(machine, memory, job, now, length, planned):
    """Let a job run from now on for `length` seconds, which are planned to be `planned` ones."""
    count = machine.count
    machine.start[job], machine.planned[job] = now, planned
    insert(machine.by_end, count[RUNNING], (now + length) << JOB_BITS | job)
    insert(machine.by_plan, count[RUNNING], (now + planned) << JOB_BITS | job)
    count[FREE] -= memory.size[job]
    count[RUNNING] += 1


@njit_noalloc
def release(machine, memory, job):
    """Take a job off the running ones by their plan, and free its processors; off `by_end` the caller takes it."""
    count = machine.count
    key = (machine.start[job] + machine.planned[job]) << JOB_BITS | job
    remove(machine.by_plan, count[RUNNING], key)
    count[FREE] += memory.size[job]
    count[RUNNING] -= 1
    machine.freed[count[FREED]] = job
    count[FREED] += 1


@njit_noalloc
def _finish(machine, memory, now):
    """End the running job that ends next, and learn from it."""
    job = machine.by_end[machine.count[RUNNING]] & JOB_MASK
    release(machine, memory, job)
    learn(memory, job, now)


@njit_noalloc
def _end_planned(machine, memory, now):
    """Free the processors of the jobs that end now as planned, their ends still to be noticed."""
    count = machine.count
    k = count[RUNNING]
    while machine.by_end[k] >> JOB_BITS == now:
        job = machine.by_end[k] & JOB_MASK
        if machine.start[job] + machine.planned[job] == now:
            remove(machine.by_end, count[RUNNING], machine.by_end[k])
            release(machine, memory, job)
            machine.leaving[count[LEAVING]] = job
            count[LEAVING] += 1
        k -= 1


@njit_noalloc
def _end_next(machine, memory, now):
    """End one job of those that end now: the one that started first, of these the earliest in the queue."""
    order, leaving, last = machine.by_end, machine.leaving, machine.count[RUNNING]
    best, place = NEVER, NOBODY
    for k in range(machine.count[LEAVING]):
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
        machine.count[LEAVING] -= 1
        leaving[place] = leaving[machine.count[LEAVING]]
        learn(memory, best & JOB_MASK, now)
    else:
        # The order stays sorted: only this entry is removed, wherever it is among equal ends.
        job = best & JOB_MASK
        remove(order, last, order[place])
        release(machine, memory, job)
        learn(memory, job, now)


@njit_noalloc
def next_end(machine):
    """When the next running job truly ends; `LATEST` if none runs."""
    return machine.by_end[machine.count[RUNNING]] >> JOB_BITS


@njit_noalloc
def next_planned_end(machine):
    """When the next running job is planned to end; `LATEST` if none runs."""
    return machine.by_plan[machine.count[RUNNING]] >> JOB_BITS


@njit_noalloc
def correct(machine, memory, way, now):
    """Correct the plans of running jobs that should have ended by now; True if any plan changed."""
    if way == NOW:
        return False
    running = machine.count[RUNNING]
    changed = False
    k = running
    while machine.by_plan[k] >> JOB_BITS <= now:
        key = machine.by_plan[k]
        job = key & JOB_MASK
        done = machine.done[job]
        work = now - machine.start[job] + done
        planned = corrected(machine.prediction[job], memory.request[job], work, way) - done
        if planned <= machine.planned[job]:
            k -= 1  # nothing left to grow to: it is expected at any moment
            continue
        machine.planned[job] = planned
        remove(machine.by_plan, running, key)
        insert(machine.by_plan, running - 1, (machine.start[job] + planned) << JOB_BITS | job)
        changed = True
    return changed


@njit_noalloc
def corrected(prediction, request, elapsed, way):
    """The prediction of a job that has run for `elapsed` seconds: above that, as far as the request goes."""
    if prediction > elapsed or way == NOW or prediction >= request:
        return prediction
    if way == GRADUAL:
        for step in STEPS:
            if prediction + step > elapsed:
                return min(prediction + step, request)
    if way == DOUBLING:
        while prediction <= elapsed and prediction < request:
            prediction = min(max(2 * prediction, 1), request)
        return prediction
    return request


@njit_noalloc
def reservation(machine, order, memory, head_size, all_count, now):
    """Return the earliest end in `order` at which `head_size` processors are free, and how many more are free then.

    With `all_count` every job that ends by that instant counts, else no more than necessary. An end that is past is
    taken to be now.
    """
    size = memory.size
    available = machine.count[FREE]
    k = np.uint64(machine.count[RUNNING])
    while available < head_size:
        available += size[order[k] & JOB_MASK]
        k -= ONE
    instant = max(order[k + ONE] >> JOB_BITS, now)
    while all_count and order[k] >> JOB_BITS <= instant:
        available += size[order[k] & JOB_MASK]
        k -= ONE
    return instant, available - head_size


@njit_noalloc
def extra_at(machine, memory, head_size, all_count, instant, now):
    """Processors beyond `head_size` that are free at an instant by the plans; below 0 if the head does not fit then.

    An instant that is past is taken to be now, as planned ends are. Without `all_count`, of the jobs planned to end
    at the instant itself no more count than it takes.
    """
    order, size = machine.by_plan, memory.size
    instant = max(instant, now)
    available = machine.count[FREE]
    k = np.uint64(machine.count[RUNNING])
    while order[k] >> JOB_BITS <= instant:
        if not all_count and available >= head_size and max(order[k] >> JOB_BITS, now) == instant:
            break
        available += size[order[k] & JOB_MASK]
        k -= ONE
    return available - head_size


@njit_noalloc
def predicted_now(machine, memory, rules, job, now):
    """What a waiting job is planned with."""
    return predict(memory, job, now) if rules.refresh else machine.first[job]


@njit_noalloc
def fitting(machine, since):
    """Note in `scratch` the places from `since` on whose jobs fit; how many these are, and how large together."""
    count, wanted, scratch = machine.count, machine.wanted, machine.scratch
    free, smallest = count[FREE], NEVER
    found = processors = 0
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        smallest = min(smallest, wanted[k])
        if wanted[k] <= free:
            scratch[found] = k
            found += 1
            processors += wanted[k]
    if since == count[HEAD] + 1:
        count[SMALLEST] = smallest
    return found, processors


@njit_noalloc
def compact_queue(machine, since):
    """Close the gaps in the queue from place `since` on."""
    count, waiting, wanted = machine.count, machine.waiting, machine.wanted
    kept = np.uint64(since)
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        if waiting[k] >= 0:
            waiting[kept], wanted[kept] = waiting[k], wanted[k]
            kept += ONE
    count[TAIL] = np.int64(kept)
