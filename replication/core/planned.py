"""The state of a machine whose scheduler plans with predictions: running jobs in two orders, queue, counts.

As in `replication.core.running`, the orders descend behind a sentinel and a key is an end with something in
its low bits, here the job. Of equal ends the job earlier in the queue therefore goes first, which one reading
of a reservation depends on.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.predicting import begun, learn, predict
from replication.core.running import NEVER, ONE, insert, remove
from replication.core.uncounted import uncounted

JOB_BITS = 24
JOB_MASK = (1 << JOB_BITS) - 1
LATEST = NEVER >> JOB_BITS  # the last second a key can hold, some 17,000 years away

# Entries of `count`; the queue is waiting[HEAD:TAIL].
FREE, RUNNING, HEAD, TAIL, ARRIVED, SMALLEST, SHADOW, EXTRA, RESERVED, LEAVING, COUNTS = range(11)
NOBODY = -1  # RESERVED where no reservation is up to date

# by_end, by_plan : int64[m + 1], keys of the running jobs
# planned : int64[n], predicted run time that a running job is planned with
# waiting, wanted : int64[n], the queue's jobs and their sizes; scratch : int64[n]; count : int64[COUNTS]
# leaving : int64[n], jobs whose processors are free but whose end is still to be noticed
Machine = namedtuple(
    "Machine", "by_end by_plan planned waiting wanted scratch leaving count start prediction"
)

# How a prediction grows when its job outlives it: the k-th correction adds this to the first prediction, s
# (Tsafrir, Etsion and Feitelson 2007, section 4.2).
STEPS = np.array([60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000])
REQUEST, GRADUAL, DOUBLING, NOW = range(4)


@njit(nogil=True, cache=True)
def idle(n, processors, start, prediction):
    """An idle machine with room for `n` jobs; jobs that start fill in `start` and `prediction` (int64[n])."""
    most = min(n, processors)
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    count = np.zeros(COUNTS, np.int64)
    count[FREE], count[SMALLEST], count[RESERVED] = processors, NEVER, NOBODY
    return Machine(
        by_end,
        by_plan,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        count,
        start,
        prediction,
    )


@uncounted
def begin(machine, memory, job, predicted, now):
    """Start a job that is planned to run for `predicted` seconds."""
    count = machine.count
    machine.start[job] = now
    machine.prediction[job] = machine.planned[job] = predicted
    insert(machine.by_end, count[RUNNING], (now + memory.run_time[job]) << JOB_BITS | job)
    insert(machine.by_plan, count[RUNNING], (now + predicted) << JOB_BITS | job)
    count[FREE] -= memory.size[job]
    count[RUNNING] += 1
    begun(memory, job, now)


@uncounted
def finish(machine, memory, now):
    """End the running job that ends next, learn from it and return it."""
    count = machine.count
    job = machine.by_end[count[RUNNING]] & JOB_MASK
    began = machine.start[job]
    remove(machine.by_plan, count[RUNNING], (began + machine.planned[job]) << JOB_BITS | job)
    count[FREE] += memory.size[job]
    count[RUNNING] -= 1
    learn(memory, job, began, now)
    return job


@uncounted
def let_go(machine, memory, now):
    """Free the processors of the jobs that end now as planned, their ends still to be noticed; whether any."""
    count = machine.count
    before, k = count[LEAVING], count[RUNNING]
    while machine.by_end[k] >> JOB_BITS == now:
        key = machine.by_end[k]
        job = key & JOB_MASK
        if machine.start[job] + machine.planned[job] == now:
            remove(machine.by_end, count[RUNNING], key)
            remove(machine.by_plan, count[RUNNING], key)
            count[RUNNING] -= 1
            count[FREE] += memory.size[job]
            machine.leaving[count[LEAVING]] = job
            count[LEAVING] += 1
        k -= 1
    return count[LEAVING] > before


@uncounted
def notice_an_end(machine, memory, now):
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
    job = best & JOB_MASK
    if best == left:
        machine.count[LEAVING] -= 1
        leaving[place] = leaving[machine.count[LEAVING]]
        learn(memory, job, machine.start[job], now)
    else:
        order[place], order[last] = order[last], order[place]
        finish(machine, memory, now)
    return job


@uncounted
def next_end(machine):
    """When the next running job truly ends; `LATEST` if none runs."""
    return machine.by_end[machine.count[RUNNING]] >> JOB_BITS


@uncounted
def next_planned_end(machine):
    """When the next running job is planned to end; `LATEST` if none runs."""
    return machine.by_plan[machine.count[RUNNING]] >> JOB_BITS


@uncounted
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
        ran = now - machine.start[job]
        predicted = corrected(machine.prediction[job], memory.request[job], ran, way)
        if predicted == machine.planned[job]:
            k -= 1  # nothing left to grow to: it is expected at any moment
            continue
        machine.planned[job] = predicted
        remove(machine.by_plan, running, key)
        insert(machine.by_plan, running - 1, (machine.start[job] + predicted) << JOB_BITS | job)
        changed = True
    return changed


@uncounted
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


@uncounted
def reservation(machine, memory, head_size, all_count, now):
    """Earliest planned end at which `head_size` processors are free, and how many more are free then.

    With `all_count` every job planned to end by that instant counts, else no more than it takes. A planned
    end that is past is taken to be now.
    """
    order, size = machine.by_plan, memory.size
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


@uncounted
def submit(machine, memory, first, now, only_one):
    """Put the jobs submitted now, or one of them, into the queue; whether one of them fits."""
    count = machine.count
    fits = False
    while count[ARRIVED] < len(memory.submit) and memory.submit[count[ARRIVED]] == now:
        job = count[ARRIVED]
        first[job] = predict(memory, job, now)
        machine.waiting[count[TAIL]] = job
        machine.wanted[count[TAIL]] = memory.size[job]
        fits |= memory.size[job] <= count[FREE]
        count[SMALLEST] = min(count[SMALLEST], memory.size[job])
        count[TAIL] += 1
        count[ARRIVED] += 1
        if only_one:
            break
    return fits


@uncounted
def predicted_now(memory, refresh, first, job, now):
    """What a waiting job is planned with."""
    return predict(memory, job, now) if refresh else first[job]


@uncounted
def close_ranks(machine, backfilled):
    """Close the gaps in the queue; where `backfilled` is given, jobs started now behind one that waits on count as it."""
    count, waiting, wanted = machine.count, machine.waiting, machine.wanted
    kept, smallest = 0, NEVER
    for k in range(count[TAIL]):
        if waiting[k] < 0:
            if backfilled is not None:
                backfilled[started(waiting[k])] = kept > 0
            continue
        waiting[kept], wanted[kept] = waiting[k], wanted[k]
        smallest = min(smallest, wanted[k])
        kept += 1
    count[TAIL] = kept
    count[SMALLEST] = smallest


@uncounted
def started(entry):
    """A job as the queue's entry once it has started, and the job of such an entry."""
    return -1 - entry
