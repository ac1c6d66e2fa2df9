"""The state of a machine whose scheduler plans with predictions: running jobs in two orders, queue, counts.

As in `replication.core.running`, the orders descend behind a sentinel and a key is an end with something in
its low bits, here the job. Of equal ends the job earlier in the queue therefore goes first, which one reading
of a reservation depends on.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.predicting import begun, learn
from replication.core.running import NEVER, ONE, insert, remove
from replication.core.uncounted import uncounted

JOB_BITS = 24
JOB_MASK = (1 << JOB_BITS) - 1
LATEST = NEVER >> JOB_BITS  # the last second a key can hold, some 17,000 years away

# Entries of `count`; the queue is waiting[HEAD:TAIL].
FREE, RUNNING, HEAD, TAIL, ARRIVED, SMALLEST, SHADOW, EXTRA, RESERVED = range(9)
NOBODY = -1  # RESERVED where no reservation is up to date

# by_end, by_plan : int64[m + 1], keys of the running jobs; end : int64[n]
# planned : int64[n], predicted run time that a running job is planned with; corrected : int64[n], how often
# waiting, wanted : int64[n], the queue's jobs and their sizes; scratch : int64[n]; count : int64[9]
Machine = namedtuple(
    "Machine", "by_end by_plan planned corrected waiting wanted scratch count start prediction"
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
    count = np.zeros(9, np.int64)
    count[FREE], count[SMALLEST], count[RESERVED] = processors, NEVER, NOBODY
    return Machine(
        by_end,
        by_plan,
        np.empty(n, np.int64),
        np.zeros(n, np.int64),
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
    """End the running job that ends next, and learn from it."""
    count = machine.count
    job = machine.by_end[count[RUNNING]] & JOB_MASK
    began = machine.start[job]
    remove(machine.by_plan, count[RUNNING], (began + machine.planned[job]) << JOB_BITS | job)
    count[FREE] += memory.size[job]
    count[RUNNING] -= 1
    learn(memory, job, began, now)


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
        predicted = _grown(machine, memory, job, way, now)
        if predicted == machine.planned[job]:
            k -= 1  # nothing left to grow to: it is expected at any moment
            continue
        machine.planned[job] = predicted
        remove(machine.by_plan, running, key)
        insert(machine.by_plan, running - 1, (machine.start[job] + predicted) << JOB_BITS | job)
        changed = True
    return changed


@uncounted
def _grown(machine, memory, job, way, now):
    """The prediction after as many corrections as it takes to lie in the future, or to reach the request."""
    request, predicted = memory.request[job], machine.planned[job]
    while predicted < request and machine.start[job] + predicted <= now:
        k = machine.corrected[job]
        machine.corrected[job] += 1
        if way == GRADUAL and k < len(STEPS):
            predicted = min(machine.prediction[job] + STEPS[k], request)
        elif way == DOUBLING:
            predicted = min(max(2 * predicted, 1), request)
        else:
            predicted = request
    return predicted


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
