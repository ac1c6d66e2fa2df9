"""PV-EASY as a compiled event loop: preempt shadow load, then backfill at a venture.

A job is its index, and indices are in order of priority: by submission, then job number. Running jobs of higher
priority than every waiting job are the sunny load, which the reservation counts on; the others are the shadow load,
which the head may preempt. What is decided at each instant, and in which order, is written in
``docs/semantics/pv_easy.md``; the reference implementation is ``replication.simulator.reference.pv_easy``.

Two facts make the loop fast without changing any decision:

* A pass leaves no waiting job that fits the free processors, and a submission changes neither the free
  processors nor what preemption could free. So only the submitted jobs can start at a submission.
* Where all jobs that fit do so together, all of them start, whatever the reservation. It is worked out only
  where they compete.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.simulator.kernels import planned
from replication.simulator.kernels.compiling import njit_noalloc, sort
from replication.simulator.kernels.planned import (
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    RUNNING,
    SHADOW,
    TAIL,
)
from replication.simulator.kernels.running import NEVER, remove

KILL, SUSPEND, CHECKPOINT = range(3)  # what a preempted job keeps of its work

# kept : the reservation is kept until the head starts, not worked out at every pass
# venture : jobs not predicted to end by the reservation are backfilled too
# at_once : preempted jobs return to the queue in the same pass, not when it is over
# mode : KILL, SUSPEND or CHECKPOINT
# interval : s of work between checkpoints
# cost : s, of each resumption (SUSPEND) or of each checkpoint (CHECKPOINT)
Rules = namedtuple("Rules", planned.EVENTS + "kept venture at_once mode interval cost")

# length, times_killed : int64[n], how long each job's last run takes, s, and how many were preempted
# killed : int64[k, 3], runs that were preempted: job, start and end
# kills : int64[2], how many of its rows are filled, and how many jobs returned to the queue after the last pass
# shadow : int64[2], the last head whose shadow load was asked for, and the processors of that load since
Runs = namedtuple("Runs", "length times_killed killed kills shadow")


@njit(nogil=True, cache=True)
def empty_runs(n, processors):
    """Room for the runs of `n` jobs, and for so many preempted ones that it is seldom emptied."""
    room = n + 2 * min(n, processors)
    killed = np.empty((room, 3), np.int64)
    shadow = np.array([planned.NOBODY, 0])
    return Runs(np.zeros(n, np.int64), np.zeros(n, np.int64), killed, np.zeros(2, np.int64), shadow)


@njit(nogil=True, cache=True)
def pv_easy(memory, processors, rules):
    """Simulate PV-EASY (Yuan, Yang, Wu and Zheng 2010, section 4); as `replication.simulator.kernels.easy_predicted.easy_predicted`.

    The runs that were preempted come out too, in the order in which they were.
    """
    n = len(memory.submit)
    machine, runs = planned.idle(n, processors), empty_runs(n, processors)
    killed = runs.killed[:0]
    done = False
    while not done:
        done = run_on(machine, memory, runs, rules, NEVER)
        killed = np.concatenate((killed, runs.killed[: runs.kills[0]]))
        runs.kills[0] = 0
    return machine, Runs(runs.length, runs.times_killed, killed, runs.kills, runs.shadow)


@njit_noalloc
def run_on(machine, memory, runs, rules, until):
    """Go on until nobody comes or runs, or the instant `until` is reached; False if there is no room for more kills."""
    count, now = machine.count, 0
    while planned.has_events(machine):
        # A pass preempts each running job once at most.
        if runs.kills[0] + len(machine.by_end) > len(runs.killed):
            return False
        now = planned.next_event(machine, memory, now)
        if now >= until:
            return True
        queued = count[TAIL] - count[HEAD]
        ended, _, _, _ = planned.process_events(machine, memory, rules, now)
        for job in machine.freed[: count[planned.FREED]]:
            _change_shadow(runs, job, -memory.size[job])
        if count[HEAD] < count[TAIL]:
            before = runs.kills[0]
            # Jobs that returned after the last pass have not been tried yet.
            _pass(machine, memory, runs, rules, ended or runs.kills[1] > 0, queued, now)
            runs.kills[1] = 0 if rules.at_once else runs.kills[0] - before
            for run in runs.killed[before : before + runs.kills[1]]:
                _return(machine, memory, run[0])
    return True


@njit_noalloc
def _pass(machine, memory, runs, rules, ended, queued, now):
    """Schedule after an instant's ends (`ended`: any) and submissions, before which `queued` jobs waited.

    Where others may fit than those submitted, `ended` is true as well.
    """
    count = machine.count
    first = count[HEAD] + max(queued, 1)
    if ended or queued == 0:
        _start_heads(machine, memory, runs, rules, now)
    if ended or queued == 0 or not rules.venture:
        first = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[planned.SMALLEST] = NEVER
        return
    if rules.kept:
        _reserve(machine, memory, runs, rules, now)
    if first < count[TAIL] and count[planned.SMALLEST] <= count[FREE]:
        _backfill(machine, memory, runs, rules, first, now)


@njit_noalloc
def _start_heads(machine, memory, runs, rules, now):
    """Start heads that fit, and heads that fit once shadow load is preempted."""
    count = machine.count
    while count[HEAD] < count[TAIL]:
        head, size = machine.waiting[count[HEAD]], machine.wanted[count[HEAD]]
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
    """Processors of the shadow load, where this job is the head."""
    if runs.shadow[0] != head:
        runs.shadow[0], runs.shadow[1] = head, 0
        for k in range(1, machine.count[RUNNING] + 1):
            job = machine.by_end[k] & JOB_MASK
            _change_shadow(runs, job, memory.size[job])
    return runs.shadow[1]


@njit_noalloc
def _change_shadow(runs, job, size):
    """Add the processors of a job that runs now, or take off those of one that does no longer."""
    runs.shadow[1] += size if job > runs.shadow[0] else 0


@njit_noalloc
def _reserve(machine, memory, runs, rules, now):
    """When the blocked head can start, by the sunny load and the predictions alone."""
    count = machine.count
    head, wanted = machine.waiting[count[HEAD]], machine.wanted[count[HEAD]]
    if rules.kept and count[planned.RESERVED] == head:
        return count[SHADOW]
    # Who began just now may be past its plan too.
    planned.correct(machine, memory, rules.correction, now)
    available = count[FREE] + _shadow_size(machine, memory, runs, head)
    k = count[RUNNING] + 1
    while available < wanted:
        k -= 1
        job = machine.by_plan[k] & JOB_MASK
        available += memory.size[job] if job < head else 0
    count[planned.RESERVED], count[SHADOW] = head, max(machine.by_plan[k] >> JOB_BITS, now)
    return count[SHADOW]


@njit_noalloc
def _backfill(machine, memory, runs, rules, first, now):
    """Let jobs at place `first` of the queue and later pass the blocked head."""
    fitting, processors = planned.fitting(machine, first)
    if fitting == 0:
        return
    first = machine.scratch[0]
    if processors > machine.count[FREE] or not rules.venture:
        _in_time(machine, memory, runs, rules, fitting, now)
    if rules.venture:
        for place in range(first, machine.count[TAIL]):
            if machine.waiting[place] >= 0 and machine.wanted[place] <= machine.count[FREE]:
                left = _time_left(machine, memory, rules, machine.waiting[place], now)
                _pass_head(machine, memory, runs, rules, place, left, now)
    planned.compact_queue(machine, first)


@njit_noalloc
def _in_time(machine, memory, runs, rules, fitting, now):
    """Of the jobs that fit, start those predicted to end by the reservation, shortest prediction first."""
    window = _reserve(machine, memory, runs, rules, now) - now
    places, some = machine.scratch, 0
    for k in range(fitting):
        left = _time_left(machine, memory, rules, machine.waiting[places[k]], now)
        if left <= window:
            places[some] = left << JOB_BITS | places[k]
            some += 1
    sort(places[:some])
    for key in places[:some]:
        if machine.wanted[key & JOB_MASK] <= machine.count[FREE]:
            _pass_head(machine, memory, runs, rules, key & JOB_MASK, key >> JOB_BITS, now)


@njit_noalloc
def _pass_head(machine, memory, runs, rules, place, left, now):
    """Start the job at a place of the queue past the blocked head; the place is left as a gap."""
    job = machine.waiting[place]
    machine.backfilled[job] = True
    _begin(machine, memory, runs, rules, job, left, now)
    machine.waiting[place] = planned.NOBODY


@njit_noalloc
def _time_left(machine, memory, rules, job, now):
    """Predicted seconds that a waiting job still needs; its prediction is noted."""
    done, predicted = machine.done[job], planned.predicted_now(machine, memory, rules, job, now)
    machine.prediction[job] = predicted
    if done == 0:
        return predicted
    return max(planned.corrected(predicted, memory.request[job], done, rules.correction) - done, 0)


@njit_noalloc
def _begin(machine, memory, runs, rules, job, left, now):
    """Start a job predicted to need `left` seconds. No predictor that knows of preemption wants to be told."""
    runs.length[job] = _wall_time(machine, memory, runs, rules, job)
    planned.start_run(machine, memory, job, now, runs.length[job], left)
    _change_shadow(runs, job, memory.size[job])


@njit_noalloc
def _wall_time(machine, memory, runs, rules, job):
    """How long the next run of a job takes if nobody stops it, with what saving and restoring cost."""
    left = memory.run_time[job] - machine.done[job]
    if rules.mode == SUSPEND and runs.times_killed[job] > 0:
        return left + rules.cost
    if rules.mode == CHECKPOINT and left > 0:
        return left + (left - 1) // rules.interval * rules.cost
    return left


@njit_noalloc
def _safe_work(machine, runs, rules, job, elapsed):
    """Seconds of a job's work that are safe when it is stopped `elapsed` seconds into a run."""
    done = machine.done[job]
    if rules.mode == SUSPEND:
        return done + max(elapsed - (rules.cost if runs.times_killed[job] > 0 else 0), 0)
    if rules.mode == CHECKPOINT:
        return done + elapsed // (rules.interval + rules.cost) * rules.interval
    return 0


@njit_noalloc
def _preempt(machine, memory, runs, rules, now):
    """Stop the running job of lowest priority and put it back in the queue behind the head."""
    count = machine.count
    job = 0
    for k in range(1, count[RUNNING] + 1):
        job = max(job, machine.by_end[k] & JOB_MASK)
    began = machine.start[job]
    remove(machine.by_end, count[RUNNING], (began + runs.length[job]) << JOB_BITS | job)
    planned.release(machine, memory, job)
    _change_shadow(runs, job, -memory.size[job])
    if rules.at_once:
        _return(machine, memory, job)
    run = runs.killed[runs.kills[0]]
    run[0], run[1], run[2] = job, began, now
    runs.kills[0] += 1
    machine.done[job] = _safe_work(machine, runs, rules, job, now - began)
    runs.times_killed[job] += 1


@njit_noalloc
def _return(machine, memory, job):
    """Put a preempted job back in the queue at its own priority."""
    count, waiting, wanted = machine.count, machine.waiting, machine.wanted
    if count[TAIL] == len(waiting):
        jobs = count[TAIL] - count[HEAD]
        for k in range(jobs):
            waiting[k], wanted[k] = waiting[count[HEAD] + k], wanted[count[HEAD] + k]
        count[HEAD], count[TAIL] = 0, jobs
    k = count[TAIL]
    while k > count[HEAD] and waiting[k - 1] > job:
        waiting[k], wanted[k] = waiting[k - 1], wanted[k - 1]
        k -= 1
    waiting[k], wanted[k] = job, memory.size[job]
    count[TAIL] += 1
    count[planned.SMALLEST] = min(count[planned.SMALLEST], memory.size[job])
