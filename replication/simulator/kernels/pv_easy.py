"""PV-EASY as a compiled event loop: preemption of shadow load and venture backfilling.

A job is its index, and indices are in order of priority: by submission, then job number. Running jobs of higher
priority than every waiting job are the sunny load. The reservation of the head is based on it. The other running jobs
are the shadow load, which the head may preempt. ``docs/semantics/pv_easy.md`` states the decisions at each instant and
their order; the reference implementation is ``replication.simulator.reference.pv_easy``.

Three properties make the loop fast without changing a decision:

* After a pass no waiting job fits the free processors, and a submission changes neither the free nor the preemptable
  processors. So only submitted jobs can start at a submission.
* If all jobs that fit do so together, all of them start regardless of the reservation, so it is not computed.
* A pass ends when fewer processors are free than the smallest waiting job needs.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import heapify, njit_noalloc, pop
from replication.simulator.kernels.machine import (
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    RUNNING,
    SHADOW,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER, remove

KILL, SUSPEND, CHECKPOINT = range(3)  # whether a preempted job loses, keeps or saves its work

# kept : the reservation is valid until the head starts, not for one pass only
# venture : jobs that are not predicted to end by the reserved time are backfilled too
# at_once : preempted jobs return to the queue during the pass, not after it
# mode : KILL, SUSPEND or CHECKPOINT
# interval : s of work between checkpoints
# cost : s, of each resumption (SUSPEND) or of each checkpoint (CHECKPOINT)
Rules = namedtuple("Rules", machines.SHARED_RULES + "kept venture at_once mode interval cost")

# length, times_killed : int64[n], length of each job's last run, s, and number of its preempted runs
# killed : int64[k, 3], preempted runs: job, start and end
# kills : int64[2], number of filled rows of `killed`, and number of jobs that returned to the queue after the last pass
# shadow : int64[2], the last head for which the shadow load was computed, and the processors of that load since
Runs = namedtuple("Runs", "length times_killed killed kills shadow")


@njit(nogil=True, cache=True)
def empty_runs(n, processors):
    """Return space for the runs of `n` jobs, and for the preempted runs of many events."""
    killed = np.empty((n + 2 * min(n, processors), 3), np.int64)
    shadow = np.array([machines.NO_JOB, 0])
    return Runs(np.zeros(n, np.int64), np.zeros(n, np.int64), killed, np.zeros(2, np.int64), shadow)


@njit(nogil=True, cache=True)
def pv_easy(memory, processors, rules):
    """Simulate PV-EASY (Yuan, Yang, Wu and Zheng 2010, section 4).

    Parameters as for `replication.simulator.kernels.list_scheduler.list_scheduler`. Returns the machine and the runs;
    `killed` is in order of preemption.
    """
    n = len(memory.submit)
    machine, runs = machines.idle_machine(n, processors), empty_runs(n, processors)
    killed = runs.killed[:0]
    done = False
    while not done:
        done = simulate_until(machine, memory, runs, rules, NEVER)
        killed = np.concatenate((killed, runs.killed[: runs.kills[0]]))
        runs.kills[0] = 0
    return machine, Runs(runs.length, runs.times_killed, killed, runs.kills, runs.shadow)


@njit_noalloc
def simulate_until(machine, memory, runs, rules, until):
    """Simulate up to the instant `until` or the last event; return False without space for more preempted runs."""
    count, now = machine.count, 0
    while machines.has_events(machine):
        # A pass preempts each running job once at most.
        if runs.kills[0] + len(machine.by_end) > len(runs.killed):
            return False
        now = machines.next_event(machine, memory, now)
        if now >= until:
            return True
        queued = count[TAIL] - count[HEAD]
        ended, _, _, _ = machines.process_events(machine, memory, rules, now)
        for job in machine.freed[: count[machines.FREED]]:
            _change_shadow(runs, job, -memory.size[job])
        if count[HEAD] < count[TAIL]:
            before = runs.kills[0]
            # Jobs that returned after the last pass have not been tried yet.
            _pass(machine, memory, runs, rules, ended or runs.kills[1] > 0, queued, now)
            runs.kills[1] = 0 if rules.at_once else runs.kills[0] - before
            for run in runs.killed[before : before + runs.kills[1]]:
                _requeue(machine, memory, run[0])
    return True


@njit_noalloc
def _pass(machine, memory, runs, rules, ended, queued, now):
    """Start heads, make the reservation and backfill, after the ends and submissions of an instant.

    `ended` is true if jobs other than the submitted ones may fit: after an end, and if preempted jobs have returned to
    the queue since the last pass. `queued` is the length of the queue before the submissions.
    """
    count = machine.count
    first = count[HEAD] + max(queued, 1)
    if ended or queued == 0:
        _start_heads(machine, memory, runs, rules, now)
    if ended or queued == 0 or not rules.venture:
        first = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[machines.SMALLEST] = NEVER
        return
    if rules.kept:
        _reserve(machine, memory, runs, rules, now)
    if first < count[TAIL] and count[machines.SMALLEST] <= count[FREE]:
        _backfill(machine, memory, runs, rules, first, now)


@njit_noalloc
def _start_heads(machine, memory, runs, rules, now):
    """Start heads that fit, if necessary after preemption of shadow load."""
    count = machine.count
    while count[HEAD] < count[TAIL]:
        head, size = machine.waiting[count[HEAD]], machine.queued_size[count[HEAD]]
        if size > count[FREE]:
            if size > count[FREE] + _shadow_size(machine, memory, runs, head):
                return
            while size > count[FREE]:
                _preempt(machine, memory, runs, rules, now)
        count[HEAD] += 1
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
    """Add the processors of a job that starts, or subtract (`size` below 0) those of one that ends."""
    runs.shadow[1] += size if job > runs.shadow[0] else 0


@njit_noalloc
def _reserve(machine, memory, runs, rules, now):
    """Return the reserved time of the blocked head by the predicted ends of the sunny load, without the shadow load."""
    count = machine.count
    head, head_size = machine.waiting[count[HEAD]], machine.queued_size[count[HEAD]]
    if rules.kept and count[machines.RESERVED] == head:
        return count[SHADOW]
    # A job that started at this instant may be past its planned end too.
    machines.correct(machine, memory, rules.correction, now)
    available = count[FREE] + _shadow_size(machine, memory, runs, head)
    k = count[RUNNING] + 1
    while available < head_size:
        k -= 1
        job = machine.by_plan[k] & JOB_MASK
        available += memory.size[job] if job < head else 0
    count[machines.RESERVED], count[SHADOW] = head, max(machine.by_plan[k] >> JOB_BITS, now)
    return count[SHADOW]


@njit_noalloc
def _backfill(machine, memory, runs, rules, first, now):
    """Backfill jobs from place `first` of the queue on."""
    fitting, processors = machines.fitting(machine, first)
    if fitting == 0:
        return
    first = machine.scratch[0]
    if processors > machine.count[FREE] or not rules.venture:
        _backfill_in_time(machine, memory, runs, rules, fitting, now)
    if rules.venture:
        for place in range(first, machine.count[TAIL]):
            if machine.count[machines.SMALLEST] > machine.count[FREE]:
                break
            if machine.waiting[place] >= 0 and machine.queued_size[place] <= machine.count[FREE]:
                left = _time_left(machine, memory, rules, machine.waiting[place], now)
                _start_past_head(machine, memory, runs, rules, place, left, now)
    machines.compact_queue(machine, first)


@njit_noalloc
def _backfill_in_time(machine, memory, runs, rules, fitting, now):
    """Start the jobs that fit and are predicted to end by the reserved time, shortest prediction first."""
    window = _reserve(machine, memory, runs, rules, now) - now
    places, some = machine.scratch, 0
    for k in range(fitting):
        left = _time_left(machine, memory, rules, machine.waiting[places[k]], now)
        if left <= window:
            places[some] = -(left << JOB_BITS | places[k])
            some += 1
    # A few jobs fill the machine, so a heap is faster than a sorted list.
    heapify(places[:some])
    while some > 0 and machine.count[machines.SMALLEST] <= machine.count[FREE]:
        key = -pop(places, some)
        some -= 1
        if machine.queued_size[key & JOB_MASK] <= machine.count[FREE]:
            _start_past_head(machine, memory, runs, rules, key & JOB_MASK, key >> JOB_BITS, now)


@njit_noalloc
def _start_past_head(machine, memory, runs, rules, place, left, now):
    """Backfill the job at a place of the queue, which becomes a gap."""
    job = machine.waiting[place]
    machine.backfilled[job] = True
    _begin(machine, memory, runs, rules, job, left, now)
    machine.waiting[place] = machines.NO_JOB


@njit_noalloc
def _time_left(machine, memory, rules, job, now):
    """Return the predicted remaining time of a waiting job, s, and store its prediction."""
    done, predicted = machine.done[job], machines.predicted_now(machine, memory, rules, job, now)
    machine.prediction[job] = predicted
    if done == 0:
        return predicted
    return max(machines.corrected(predicted, memory.request[job], done, rules.correction) - done, 0)


@njit_noalloc
def _begin(machine, memory, runs, rules, job, left, now):
    """Start a job with a predicted remaining time of `left` seconds; predictors are not notified of starts."""
    runs.length[job] = _wall_time(machine, memory, runs, rules, job)
    machines.start_run(machine, memory, job, now, runs.length[job], left)
    _change_shadow(runs, job, memory.size[job])


@njit_noalloc
def _wall_time(machine, memory, runs, rules, job):
    """Return the length of the next run of a job without preemption, with the cost of saving and restoring."""
    left = memory.run_time[job] - machine.done[job]
    if rules.mode == SUSPEND and runs.times_killed[job] > 0:
        return left + rules.cost
    if rules.mode == CHECKPOINT and left > 0:
        return left + (left - 1) // rules.interval * rules.cost
    return left


@njit_noalloc
def _safe_work(machine, runs, rules, job, elapsed):
    """Return the seconds of work that are saved when a job is stopped `elapsed` seconds into a run."""
    done = machine.done[job]
    if rules.mode == SUSPEND:
        return done + max(elapsed - (rules.cost if runs.times_killed[job] > 0 else 0), 0)
    if rules.mode == CHECKPOINT:
        return done + elapsed // (rules.interval + rules.cost) * rules.interval
    return 0


@njit_noalloc
def _preempt(machine, memory, runs, rules, now):
    """Stop the running job of lowest priority, which returns to the queue."""
    count = machine.count
    job = 0
    for k in range(1, count[RUNNING] + 1):
        job = max(job, machine.by_end[k] & JOB_MASK)
    began = machine.start[job]
    remove(machine.by_end, count[RUNNING], (began + runs.length[job]) << JOB_BITS | job)
    machines.release(machine, memory, job)
    _change_shadow(runs, job, -memory.size[job])
    if rules.at_once:
        _requeue(machine, memory, job)
    run = runs.killed[runs.kills[0]]
    run[0], run[1], run[2] = job, began, now
    runs.kills[0] += 1
    machine.done[job] = _safe_work(machine, runs, rules, job, now - began)
    runs.times_killed[job] += 1


@njit_noalloc
def _requeue(machine, memory, job):
    """Insert a preempted job into the queue by its priority."""
    count, waiting, queued_size = machine.count, machine.waiting, machine.queued_size
    if count[TAIL] == len(waiting):
        jobs = count[TAIL] - count[HEAD]
        for k in range(jobs):
            waiting[k], queued_size[k] = waiting[count[HEAD] + k], queued_size[count[HEAD] + k]
        count[HEAD], count[TAIL] = 0, jobs
    k = count[TAIL]
    while k > count[HEAD] and waiting[k - 1] > job:
        waiting[k], queued_size[k] = waiting[k - 1], queued_size[k - 1]
        k -= 1
    waiting[k], queued_size[k] = job, memory.size[job]
    count[TAIL] += 1
    count[machines.SMALLEST] = min(count[machines.SMALLEST], memory.size[job])
