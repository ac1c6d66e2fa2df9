"""PV-EASY as a compiled event loop: preemption of shadow load and venture backfilling.

A job is its index, and indices are in order of priority: by submission, then job number. Running
jobs of higher priority than every waiting job are the sunny load. The reservation of the head is
based on it. The other running jobs are the shadow load, which the head may preempt.
``docs/semantics/pv_easy.md`` states the decisions at each instant and their order; the reference
implementation is ``tests/reference/pv_easy.py``.

Four properties make the loop fast without changing a decision:

* The jobs of a class have equal sizes and, while they wait, equal predictions. A pass considers the
  first waiting job of each class, and the next one only after that has started. On logs with long
  queues, few classes have many jobs.
* After a pass no waiting job fits the free processors, and a submission changes neither the free
  nor the preemptable processors. So only submitted jobs can start at a submission.
* If all jobs that fit do so together, all of them start regardless of the reservation, so it is not
  computed.
* A pass ends when fewer processors are free than the smallest waiting job needs.

`HEAD` is the first waiting job, not a place, and `waiting` holds the jobs of one instant until they
join their classes.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import heapify, njit_noalloc, pop, sift
from replication.simulator.kernels.machine import (
    ARRIVED,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    NO_JOB,
    RUNNING,
    SHADOW,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER, remove

KILL, SUSPEND, CHECKPOINT = range(3)  # whether a preempted job loses, keeps or saves its work
#: Backfilling after preemption: jobs that end in time (step 3), venture backfilling, or that of
#: EASY.
IN_TIME, VENTURE, EASYS = range(3)

# lasts : the reservation is valid until the head starts, not for one pass only
# venture : IN_TIME, VENTURE or EASYS
# preemption : KILL, SUSPEND or CHECKPOINT
# interval : s of work between checkpoints
# cost : s, of each resumption (SUSPEND) or of each checkpoint (CHECKPOINT)
# spares : jobs taken for preemption that the head turns out not to need are spared, lowest priority
#     first
Rules = namedtuple("Rules", machines.SHARED_RULES + "lasts venture preemption interval cost spares")

# length, times_killed : int64[n], length of each job's last run, s, and number of its preempted
#     runs
# killed : int64[k, 3], preempted runs: job, start and end
# kills : int64[1], number of filled rows of `killed`
# shadow : int64[2], the last head for which the shadow load was computed, and the processors of
#     that load since
# is_waiting : bool[n]
# group, later : int64[n], the class of each job and the next job of that class by submission;
#     NO_JOB: none
# first, jobs : int64[c], a job of each class, no later than its first waiting one, and the number
#     of its waiting jobs
# active : int64[c], the classes with waiting jobs, and some that are empty since the last search;
#     `first` of the others is NO_JOB
# searched : int64[1], number of filled entries of `active`
Runs = namedtuple(
    "Runs",
    "length times_killed killed kills shadow is_waiting group later first jobs active searched",
)


@njit(nogil=True, cache=True)
def empty_runs(n, processors, group):
    """Return space for the runs of `n` jobs of given classes,
    and for the preempted runs of many events.
    """
    killed = np.empty((n + 2 * min(n, processors), 3), np.int64)
    shadow = np.array([NO_JOB, 0])
    later, first = np.empty(n, np.int64), np.full(group.max() + 1, NO_JOB)
    for job in range(n - 1, -1, -1):
        later[job], first[group[job]] = first[group[job]], job
    first[:] = NO_JOB
    return Runs(
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        killed,
        np.zeros(1, np.int64),
        shadow,
        np.zeros(n, np.bool_),
        group,
        later,
        first,
        np.zeros(len(first), np.int64),
        np.empty(len(first), np.int64),
        np.zeros(1, np.int64),
    )


@njit(nogil=True, cache=True)
def pv_easy(memory, processors, rules, group):
    """Simulate PV-EASY (Yuan, Yang, Wu and Zheng 2010, section 4).

    `group` (int64[n]) are the classes of the jobs. Other parameters as for
    `replication.simulator.kernels.list_scheduler.list_scheduler`. Returns the machine and the runs;
    `killed` is in order of preemption.
    """
    n = len(memory.submit)
    machine, runs = machines.idle_machine(n, processors), empty_runs(n, processors, group)
    killed = runs.killed[:0]
    done = False
    while not done:
        done = simulate_until(machine, memory, runs, rules, NEVER)
        killed = np.concatenate((killed, runs.killed[: runs.kills[0]]))
        runs.kills[0] = 0
    return machine, Runs(runs.length, runs.times_killed, killed, *runs[3:])


@njit_noalloc
def simulate_until(machine, memory, runs, rules, until):
    """Simulate up to the instant `until` or the last event;
    return False without space for more preempted runs.
    """
    count, now = machine.count, 0
    while machines.has_events(machine):
        # A pass preempts each running job once at most.
        if runs.kills[0] + len(machine.by_end) > len(runs.killed):
            return False
        now = machines.next_event(machine, memory, now)
        if now >= until:
            return True
        was_empty = not _has_head(machine, runs)
        ended, _, fits, _ = machines.process_events(machine, memory, rules, now)
        for job in machine.waiting[: count[TAIL]]:
            _enqueue(runs, job)
        count[TAIL] = 0
        for job in machine.freed[: count[machines.FREED]]:
            _change_shadow(runs, job, -memory.size[job])
        if _has_head(machine, runs):
            _pass(machine, memory, runs, rules, ended or was_empty, fits, now)
    return True


@njit_noalloc
def _pass(machine, memory, runs, rules, others_fit, fits, now):
    """Start heads, make the reservation and backfill, after the ends and submissions of an instant.

    `others_fit` is true if jobs other than the submitted ones may fit: after an end, and if no job
    waited before. `fits` is true if one of the submitted jobs may fit.
    """
    count = machine.count
    if others_fit:
        _start_heads(machine, memory, runs, rules, now)
    if not _has_head(machine, runs):
        count[machines.SMALLEST] = NEVER
        return
    if rules.lasts:
        _reserve(machine, memory, runs, rules, now)
    every_pass = rules.venture != VENTURE
    if (others_fit or fits or every_pass) and count[machines.SMALLEST] <= count[FREE]:
        if rules.venture == EASYS:
            _backfill_as_easy(machine, memory, runs, rules, now)
        else:
            _backfill(machine, memory, runs, rules, now)


@njit_noalloc
def _has_head(machine, runs):
    """Move `HEAD` to the first waiting job, and return whether there is one."""
    count = machine.count
    while count[HEAD] < count[ARRIVED] and not runs.is_waiting[count[HEAD]]:
        count[HEAD] += 1
    return count[HEAD] < count[ARRIVED]


@njit_noalloc
def _start_heads(machine, memory, runs, rules, now):
    """Start heads that fit, if necessary after preemption of shadow load."""
    count = machine.count
    while _has_head(machine, runs):
        head = count[HEAD]
        size = memory.size[head]
        if size > count[FREE]:
            if size > count[FREE] + _shadow_size(machine, memory, runs, head):
                return
            _preempt_shadow_load(machine, memory, runs, rules, size, now)
        machine.backfilled[head] = False
        left = _time_left(machine, memory, rules, head, now)
        _begin(machine, memory, runs, rules, head, left, now)


@njit_noalloc
def _shadow_size(machine, memory, runs, head):
    """Return the processors of the shadow load of a head."""
    if runs.shadow[0] != head:
        runs.shadow[0], runs.shadow[1] = head, 0
        for k in range(1, machine.count[RUNNING] + 1):
            job = machine.by_end[k] & JOB_MASK
            _change_shadow(runs, job, memory.size[job])
    return runs.shadow[1]


@njit_noalloc
def _change_shadow(runs, job, size):
    """Add the processors of a starting job, or subtract (`size` below 0) those of an ending one."""
    runs.shadow[1] += size if job > runs.shadow[0] else 0


@njit_noalloc
def _reserve(machine, memory, runs, rules, now):
    """Return the reserved time of the blocked head by the predicted ends of the sunny load,
    without the shadow load.
    """
    count = machine.count
    head, head_size = count[HEAD], memory.size[count[HEAD]]
    if rules.lasts and count[machines.RESERVED] == head:
        return count[SHADOW]
    available = count[FREE] + _shadow_size(machine, memory, runs, head)
    k = count[RUNNING] + 1
    while available < head_size:
        k -= 1
        job = machine.by_plan[k] & JOB_MASK
        available += memory.size[job] if job < head else 0
    count[machines.RESERVED], count[SHADOW] = head, max(machine.by_plan[k] >> JOB_BITS, now)
    return count[SHADOW]


@njit_noalloc
def _backfill(machine, memory, runs, rules, now):
    """Backfill jobs that are predicted to end by the reserved time, shortest first;
    then others in queue order.
    """
    count, keys = machine.count, machine.scratch
    n_candidates, processors = _candidates(machine, memory, runs)
    if n_candidates > 0 and (processors > count[FREE] or rules.venture != VENTURE):
        window = _reserve(machine, memory, runs, rules, now) - now
        in_time = 0
        for k in range(n_candidates):
            left = _time_left(machine, memory, rules, -keys[k], now)
            if left <= window:
                keys[in_time] = -(left << JOB_BITS) + keys[k]
                in_time += 1
        _start_in_order(machine, memory, runs, rules, in_time, True, now)
        if rules.venture == VENTURE and count[machines.SMALLEST] <= count[FREE]:
            n_candidates, _ = _candidates(machine, memory, runs)
    if rules.venture == VENTURE:
        _start_in_order(machine, memory, runs, rules, n_candidates, False, now)


@njit_noalloc
def _backfill_as_easy(machine, memory, runs, rules, now):
    """Backfill in queue order: jobs that end by the reserved time of the whole load,
    or fit its extra processors.
    """
    count, keys = machine.count, machine.scratch
    n_candidates, _ = _candidates(machine, memory, runs)
    if n_candidates == 0:
        return
    available, size = count[FREE], memory.size[count[HEAD]]
    k = count[RUNNING] + 1
    shadow = now
    while k > 1 and (available < size or max(machine.by_plan[k - 1] >> JOB_BITS, now) <= shadow):
        k -= 1
        available += memory.size[machine.by_plan[k] & JOB_MASK]
        shadow = max(machine.by_plan[k] >> JOB_BITS, now)
    extra = available - size
    heapify(keys[:n_candidates])
    while n_candidates > 0 and count[machines.SMALLEST] <= count[FREE]:
        job = -keys[0]
        after, size = NO_JOB, memory.size[job]
        if size <= count[FREE]:
            left = _time_left(machine, memory, rules, job, now)
            in_time = now + left <= shadow
            # The other jobs of the class have the same size and prediction, and fit neither if this
            # one does not.
            if in_time or size <= extra:
                extra -= 0 if in_time else size
                machine.backfilled[job] = True
                _begin(machine, memory, runs, rules, job, left, now)
                if runs.jobs[runs.group[job]] > 0:
                    after = _next_waiting(runs, runs.later[job])
        if after == NO_JOB:
            pop(keys, n_candidates)
            n_candidates -= 1
        else:
            keys[0] = -after
            sift(keys, 0, n_candidates)


@njit_noalloc
def _candidates(machine, memory, runs):
    """Write the first job behind the head of each class that fits to `scratch`, negated.

    Returns their number and the processors of all jobs that fit. Removes the empty classes from
    `active`.
    """
    count, active = machine.count, runs.active
    smallest, n_candidates, processors, k = NEVER, 0, 0, 0
    while k < runs.searched[0]:
        c = active[k]
        jobs = runs.jobs[c]
        if jobs == 0:
            runs.first[c] = NO_JOB
            runs.searched[0] -= 1
            active[k] = active[runs.searched[0]]
            continue
        k += 1
        job = runs.first[c] = _next_waiting(runs, runs.first[c])
        if job == count[HEAD]:
            if jobs == 1:
                continue
            job, jobs = _next_waiting(runs, runs.later[job]), jobs - 1
        size = memory.size[job]
        smallest = min(smallest, size)
        if size <= count[FREE]:
            machine.scratch[n_candidates] = -job
            n_candidates += 1
            processors += jobs * size
    count[machines.SMALLEST] = smallest
    return n_candidates, processors


@njit_noalloc
def _next_waiting(runs, job):
    """Return the first waiting job of a class from `job` on; `NO_JOB` if there is none."""
    while job != NO_JOB and not runs.is_waiting[job]:
        job = runs.later[job]
    return job


@njit_noalloc
def _start_in_order(machine, memory, runs, rules, n_keys, in_time, now):
    """Start jobs that fit in the order of the first `n_keys` keys in `scratch`,
    and then the next jobs of their classes.

    A key is a negative number: the job in the low bits, and above it the predicted remaining time
    if `in_time`.
    """
    count, keys = machine.count, machine.scratch
    # A few jobs fill the machine, so a heap is faster than a sorted list.
    heapify(keys[:n_keys])
    while n_keys > 0 and count[machines.SMALLEST] <= count[FREE]:
        key = -keys[0]
        job = key & JOB_MASK
        after, left = NO_JOB, key >> JOB_BITS
        if memory.size[job] <= count[FREE]:
            if not in_time:
                left = _time_left(machine, memory, rules, job, now)
            machine.backfilled[job] = True
            _begin(machine, memory, runs, rules, job, left, now)
            if runs.jobs[runs.group[job]] > 0:
                after = _next_waiting(runs, runs.later[job])
        if after == NO_JOB:
            pop(keys, n_keys)
            n_keys -= 1
        else:
            machine.prediction[after] = machine.prediction[job]
            keys[0] += job - after
            sift(keys, 0, n_keys)


@njit_noalloc
def _time_left(machine, memory, rules, job, now):
    """Return the predicted remaining time of a waiting job, s, and store its prediction."""
    done, predicted = machine.done[job], machines.predicted_now(machine, memory, rules, job, now)
    machine.prediction[job] = predicted
    if done == 0:
        return predicted
    return max(
        machines.corrected(predicted, memory.estimate[job], done, rules.correction) - done, 0
    )


@njit_noalloc
def _begin(machine, memory, runs, rules, job, left, now):
    """Start a job with a predicted remaining time of `left` seconds;
    predictors are not notified of starts.
    """
    runs.is_waiting[job] = False
    runs.jobs[runs.group[job]] -= 1
    runs.length[job] = _wall_time(machine, memory, runs, rules, job)
    machines.start_run(machine, memory, job, now, runs.length[job], left)
    _change_shadow(runs, job, memory.size[job])


@njit_noalloc
def _wall_time(machine, memory, runs, rules, job):
    """Return the length of the next run of a job without preemption,
    with the cost of saving and restoring.
    """
    left = memory.run_time[job] - machine.done[job]
    if rules.preemption == SUSPEND and runs.times_killed[job] > 0:
        return left + rules.cost
    if rules.preemption == CHECKPOINT and left > 0:
        return left + (left - 1) // rules.interval * rules.cost
    return left


@njit_noalloc
def _safe_work(machine, runs, rules, job, elapsed):
    """Return the work, s, that is saved when a job is stopped `elapsed` seconds into a run."""
    done = machine.done[job]
    if rules.preemption == SUSPEND:
        return done + max(elapsed - (rules.cost if runs.times_killed[job] > 0 else 0), 0)
    if rules.preemption == CHECKPOINT:
        return done + elapsed // (rules.interval + rules.cost) * rules.interval
    return 0


@njit_noalloc
def _preempt_shadow_load(machine, memory, runs, rules, size, now):
    """Preempt running jobs, lowest priority first, so that a head of `size` processors fits."""
    count, victims = machine.count, machine.scratch
    free, last, n_victims = count[FREE], NEVER, 0
    while free < size:
        job = 0
        for k in range(1, count[RUNNING] + 1):
            running_job = machine.by_end[k] & JOB_MASK
            if running_job < last:
                job = max(job, running_job)
        victims[n_victims] = last = job
        free += memory.size[job]
        n_victims += 1
    for job in victims[:n_victims]:
        if rules.spares and memory.size[job] <= free - size:
            free -= memory.size[job]
        else:
            _preempt(machine, memory, runs, rules, job, now)


@njit_noalloc
def _preempt(machine, memory, runs, rules, job, now):
    """Stop a running job, which returns to the queue."""
    count = machine.count
    began = machine.start[job]
    remove(machine.by_end, count[RUNNING], (began + runs.length[job]) << JOB_BITS | job)
    machines.release(machine, memory, job)
    _change_shadow(runs, job, -memory.size[job])
    _requeue(machine, memory, runs, job)
    run = runs.killed[runs.kills[0]]
    run[0], run[1], run[2] = job, began, now
    runs.kills[0] += 1
    machine.done[job] = _safe_work(machine, runs, rules, job, now - began)
    runs.times_killed[job] += 1


@njit_noalloc
def _requeue(machine, memory, runs, job):
    """Return a preempted job to the queue."""
    count = machine.count
    _enqueue(runs, job)
    count[HEAD] = min(count[HEAD], job)
    count[machines.SMALLEST] = min(count[machines.SMALLEST], memory.size[job])


@njit_noalloc
def _enqueue(runs, job):
    """Add a job to the waiting ones of its class."""
    c = runs.group[job]
    if runs.first[c] == NO_JOB:
        runs.active[runs.searched[0]] = c
        runs.searched[0] += 1
        runs.first[c] = job
    runs.first[c] = min(runs.first[c], job)
    runs.is_waiting[job] = True
    runs.jobs[c] += 1


@njit_noalloc
def copy_queue(runs, other):
    """Copy the queue to other runs of the same jobs, none of which waits."""
    for c in other.active[: other.searched[0]]:
        other.first[c] = NO_JOB
    other.searched[0] = 0
    for c in runs.active[: runs.searched[0]]:
        job = runs.first[c]
        for _ in range(runs.jobs[c]):
            job = _next_waiting(runs, job)
            _enqueue(other, job)
            job = runs.later[job]
