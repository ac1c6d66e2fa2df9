"""The machine of all schedulers that plan with predictions:
the running jobs in two orders, the queue, and the events.

As in `replication.simulator.kernels.ordered_list`, both orders are descending lists behind a
sentinel. A key is an end with the job in its low bits, so of equal ends that of the job earlier in
the queue comes first.

The loop of a kernel calls `next_event` and `process_events`, and then makes its own pass over the
queue.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels.compilation import njit_call, njit_noalloc
from replication.simulator.kernels.memory import begin as begin_prediction
from replication.simulator.kernels.memory import learn, predict
from replication.simulator.kernels.ordered_list import (
    LATEST,
    NEVER,
    ONE,
    SLOT_BITS,
    SLOT_MASK,
    insert,
    remove,
    when_it_fits,
)

JOB_BITS, JOB_MASK = SLOT_BITS, SLOT_MASK  # a job's slot is its index

# Entries of `count`. The queue is waiting[HEAD:TAIL]; only jobs before LAST are submitted.
FREE, RUNNING, HEAD, TAIL, ARRIVED, LAST, SMALLEST = range(7)
SHADOW, EXTRA, RESERVED, LEAVING, FREED, STARTED, NOTIFIED, COUNTS = range(7, 15)
NO_JOB = -1  # RESERVED without a valid reservation; an entry of the queue below 0 is a gap

# start, first, prediction : int64[n], s, the last start of each job and its predictions at
#     submission and at its start
# backfilled : bool[n]
# planned, done : int64[n], s, planned length of the current run, and work saved from earlier runs
# by_end, by_plan : int64[m + 1], keys of the running jobs
# waiting, queued_size : int64[n], the jobs in the queue and their sizes
# scratch : int64[n]; count : int64[COUNTS]
# order, submitted : int64[n], the jobs in the order in which they started, and the number of jobs
#     submitted by then
# leaving : int64[n], jobs whose processors are free but whose end is not yet processed
# freed : int64[n], jobs whose processors were freed by the last event
Machine = namedtuple(
    "Machine",
    "start first prediction backfilled planned done by_end by_plan "
    "waiting queued_size scratch order submitted leaving freed count",
)

# Rules of every kernel on this machine.
# refresh : predictions of waiting jobs are made at every pass, not only at submission
# at_submission : predictions are made at submission too
# correction : ESTIMATE, GRADUAL, DOUBLING or NOW
# one_by_one : each event of an instant has its own pass
# volatile : predictions of waiting jobs may change at any instant, not only when jobs end
# by_plan : as one_by_one, and jobs that end as planned free their processors before the first event
#     of the instant
# submissions_first : submissions precede the ends of the same instant
SHARED_RULES = "refresh at_submission volatile correction one_by_one by_plan submissions_first "
Rules = namedtuple("Rules", SHARED_RULES)

# Increments of an expired prediction, s: the k-th correction adds the k-th of them to the first
# prediction (Tsafrir, Etsion and Feitelson 2007, section 4.2).
STEPS = np.array([60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000])
ESTIMATE, GRADUAL, DOUBLING, NOW = range(4)


@njit(nogil=True, cache=True)
def idle_machine(n, processors):
    """Return an idle machine before the submission of `n` jobs."""
    most = min(n, processors)
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    count = np.zeros(COUNTS, np.int64)
    count[FREE], count[LAST], count[SMALLEST], count[RESERVED] = processors, n, NEVER, NO_JOB
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
    """Return whether a submission, a running job or an unprocessed end is left."""
    count = machine.count
    return count[ARRIVED] < count[LAST] or count[RUNNING] > 0 or count[LEAVING] > 0


@njit_noalloc
def next_event(machine, memory, now):
    """Return the instant of the next event: now, while an end of this instant is not processed."""
    count = machine.count
    if count[LEAVING] > 0:
        return now
    coming = memory.submit[count[ARRIVED]] if count[ARRIVED] < count[LAST] else LATEST
    return min(coming, next_end(machine))


@njit_noalloc
def process_events(machine, memory, rules, now):
    """Process the events of an instant, or one of them; then correct expired predictions.

    Returns whether jobs ended, whether jobs were submitted, whether one of the submitted jobs fits,
    and whether a prediction was corrected.
    """
    count = machine.count
    count[FREED] = 0
    _note_starts(machine, memory)
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
def _note_starts(machine, memory):
    """Notify the predictor of the starts of the last pass,
    so that all predictions of a pass are made in one state.
    """
    count = machine.count
    if memory.begin != 0:
        for job in machine.order[count[NOTIFIED] : count[STARTED]]:
            begin_prediction(memory, job, machine.start[job])
        count[NOTIFIED] = count[STARTED]


@njit_noalloc
def _submit(machine, memory, rules, now):
    """Append the jobs submitted now, or one of them, to the queue; return whether one fits."""
    count = machine.count
    fits = False
    while count[ARRIVED] < count[LAST] and memory.submit[count[ARRIVED]] == now:
        job = count[ARRIVED]
        if rules.at_submission:
            machine.first[job] = predict(memory, job, now)
        machine.waiting[count[TAIL]] = job
        machine.queued_size[count[TAIL]] = memory.size[job]
        fits |= memory.size[job] <= count[FREE]
        count[SMALLEST] = min(count[SMALLEST], memory.size[job])
        count[TAIL] += 1
        count[ARRIVED] += 1
        if rules.one_by_one:
            break
    return fits


@njit_noalloc
def begin(machine, memory, job, predicted, now):
    """Start a job, predicted to run `predicted` s; `process_events` notifies the predictor."""
    count = machine.count
    machine.prediction[job] = predicted
    machine.order[count[STARTED]], machine.submitted[count[STARTED]] = job, count[ARRIVED]
    count[STARTED] += 1
    start_run(machine, memory, job, now, memory.run_time[job], predicted)


@njit_noalloc
def start_run(machine, memory, job, now, length, planned):
    """Start a run of `length` seconds that is planned to take `planned` seconds."""
    count = machine.count
    machine.start[job], machine.planned[job] = now, planned
    insert(machine.by_end, count[RUNNING], (now + length) << JOB_BITS | job)
    insert(machine.by_plan, count[RUNNING], (now + planned) << JOB_BITS | job)
    count[FREE] -= memory.size[job]
    count[RUNNING] += 1


@njit_noalloc
def release(machine, memory, job):
    """Free the processors of a running job and remove it from `by_plan`;
    the caller removes it from `by_end`.
    """
    count = machine.count
    key = (machine.start[job] + machine.planned[job]) << JOB_BITS | job
    remove(machine.by_plan, count[RUNNING], key)
    count[FREE] += memory.size[job]
    count[RUNNING] -= 1
    machine.freed[count[FREED]] = job
    count[FREED] += 1


@njit_noalloc
def _finish(machine, memory, now):
    """End the running job that ends next, and let the predictor learn from it."""
    job = machine.by_end[machine.count[RUNNING]] & JOB_MASK
    release(machine, memory, job)
    learn(memory, job, now)


@njit_call
def _end_planned(machine, memory, now):
    """Free the processors of the jobs that end now as planned; their ends are processed later."""
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


@njit_call
def _end_next(machine, memory, now):
    """Process one end of this instant: of the job that started first,
    of equal starts the one earlier in the queue.
    """
    order, leaving, last = machine.by_end, machine.leaving, machine.count[RUNNING]
    best, place = NEVER, NO_JOB
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
        # Remove this entry from among the equal ends, so that the order stays sorted.
        job = best & JOB_MASK
        remove(order, last, order[place])
        release(machine, memory, job)
        learn(memory, job, now)


@njit_noalloc
def next_end(machine):
    """Return the next actual end; `LATEST` if no job runs."""
    return machine.by_end[machine.count[RUNNING]] >> JOB_BITS


@njit_noalloc
def next_planned_end(machine):
    """Return the next planned end; `LATEST` if no job runs."""
    return machine.by_plan[machine.count[RUNNING]] >> JOB_BITS


@njit_noalloc
def correct(machine, memory, way, now):
    """Correct the expired predictions of running jobs; return whether any changed."""
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
        planned = corrected(machine.prediction[job], memory.estimate[job], work, way) - done
        if planned <= machine.planned[job]:
            k -= 1  # it cannot grow; the job is expected to end at any moment
            continue
        machine.planned[job] = planned
        remove(machine.by_plan, running, key)
        insert(machine.by_plan, running - 1, (machine.start[job] + planned) << JOB_BITS | job)
        changed = True
    return changed


@njit_noalloc
def corrected(prediction, estimate, elapsed, way):
    """Return the corrected prediction of a job that has run for `elapsed` s;
    at most the estimate.
    """
    if prediction > elapsed or way == NOW or prediction >= estimate:
        return prediction
    if way == GRADUAL:
        for step in STEPS:
            if prediction + step > elapsed:
                return min(prediction + step, estimate)
    if way == DOUBLING:
        while prediction <= elapsed and prediction < estimate:
            prediction = min(max(2 * prediction, 1), estimate)
        return prediction
    return estimate


@njit_noalloc
def reservation(machine, order, memory, head_size, now):
    """Return the earliest end in `order` at which `head_size` processors are free,
    and how many more are free then. Ends in the past count as now.
    """
    free, running = machine.count[FREE], machine.count[RUNNING]
    return when_it_fits(order, memory.size, running, free, head_size, now)


@njit_noalloc
def predicted_now(machine, memory, rules, job, now):
    """Return the prediction with which a waiting job is planned."""
    return predict(memory, job, now) if rules.refresh else machine.first[job]


@njit_noalloc
def fitting(machine, since):
    """Write the places from `since` on whose jobs fit to `scratch`; return their number."""
    count, queued_size, scratch = machine.count, machine.queued_size, machine.scratch
    free, smallest = count[FREE], NEVER
    places = 0
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        smallest = min(smallest, queued_size[k])
        if queued_size[k] <= free:
            scratch[places] = k
            places += 1
    if since == count[HEAD] + 1:
        count[SMALLEST] = smallest
    return places


@njit_noalloc
def compact_queue(machine, since):
    """Close the gaps in the queue from place `since` on."""
    count, waiting, queued_size = machine.count, machine.waiting, machine.queued_size
    kept = np.uint64(since)
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        if waiting[k] >= 0:
            waiting[kept], queued_size[kept] = waiting[k], queued_size[k]
            kept += ONE
    count[TAIL] = np.int64(kept)
