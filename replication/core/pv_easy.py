"""PV-EASY as a compiled event loop: preempt shadow load, then backfill at a venture.

What is decided at each instant, and in which order, is written in ``docs/semantics/pv_easy.md``; the readable
twin is ``replication.reference.pv_easy``. The state is that of ``core.shadow``.

Two facts make the loop fast without changing any decision:

* A pass leaves no waiting job that fits the free processors, and a submission changes neither the free
  processors nor what preemption could free. So only the submitted jobs can start at a submission.
* Where all jobs that fit do so together, all of them start, whatever the reservation. It is worked out only
  where they compete.
"""

import numpy as np
from numba import njit

from replication.core.planned import corrected
from replication.core.running import LATEST, NEVER, ONE, SLOT_BITS, SLOT_MASK, insert, when_it_fits
from replication.core.shadow import (
    ARRIVED,
    BACKFILLED,
    DONE,
    ESTIMATE,
    FREE,
    HEAD,
    KILLS,
    PLANNED,
    PLANNED_END,
    PREDICTION,
    RESERVATION,
    RESERVED,
    RUNNING,
    SHADOW_SIZE,
    SMALLEST,
    START,
    SUBMIT,
    TAIL,
    begin,
    empty_machine,
    finish,
    preempt,
    promote,
    submit,
    time_left,
    to_shadow,
    to_sunny,
    with_more_room,
)
from replication.core.uncounted import uncounted


@uncounted
def start_heads(now, rules, memory, state):
    """Start heads that fit, and heads that fit once shadow load is preempted."""
    count = state.count
    while count[HEAD] < count[TAIL]:
        job = state.waiting[count[HEAD]]
        if state.size[job] > count[FREE]:
            promote(state)
            if state.size[job] > count[FREE] + count[SHADOW_SIZE]:
                return
            while state.size[job] > count[FREE]:
                preempt(now, rules, state)
        count[HEAD] += 1
        state.jobs[job, BACKFILLED] = False
        begin(job, now, rules, memory, state)
        to_sunny(job, state)
    promote(state)


@uncounted
def correct_expired(now, rules, state):
    """Sunny jobs that have outlived their predictions get later ones, where the rule has any."""
    jobs = state.jobs
    k = state.count[PLANNED]
    while state.by_plan[k] >> SLOT_BITS <= now:
        job = state.by_plan[k] & SLOT_MASK
        work = now - jobs[job, START] + jobs[job, DONE]
        later = (
            now
            - work
            + corrected(jobs[job, PREDICTION], jobs[job, ESTIMATE], work, rules.correction)
        )
        if later > now:
            # What lies between the new place and the old one moves up; what lies below stays.
            insert(state.by_plan, k - 1, later << SLOT_BITS | job)
            jobs[job, PLANNED_END] = later
        else:
            k -= 1


@uncounted
def reserve(now, rules, state):
    """When the blocked head can start, by the sunny load and the predictions alone."""
    count = state.count
    head = state.waiting[count[HEAD]]
    if rules.kept and count[RESERVED] == head:
        return count[RESERVATION]
    correct_expired(now, rules, state)
    count[RESERVED] = head
    count[RESERVATION], _ = when_it_fits(
        state.by_plan,
        state.size,
        count[PLANNED],
        count[FREE] + count[SHADOW_SIZE],
        state.size[head],
        now,
    )
    return count[RESERVATION]


@uncounted
def pass_head(place, now, rules, memory, state):
    """Start the job at a place of the queue past the blocked head; the place is left as a gap."""
    job = state.waiting[place]
    state.jobs[job, BACKFILLED] = True
    begin(job, now, rules, memory, state)
    to_shadow(job, state)
    state.waiting[place] = -1


@uncounted
def those_that_fit(first, state):
    """Note the places of the queue from `first` on whose jobs fit; how many, and how large together."""
    count, free = state.count, state.count[FREE]
    found = processors = 0
    smallest = NEVER
    for k in range(np.uint64(first), np.uint64(count[TAIL])):
        size = state.size[state.waiting[k]]
        smallest = min(smallest, size)
        if size <= free:
            state.fitting[found] = k
            found += 1
            processors += size
    if first == count[HEAD] + 1:
        count[SMALLEST] = smallest
    return found, processors


@uncounted
def in_time(found, now, rules, memory, state):
    """Of the jobs that fit, start those predicted to end by the reservation, shortest prediction first."""
    waiting, fitting, left = state.waiting, state.fitting, state.left
    longest = reserve(now, rules, state) - now
    for k in range(found):
        left[k] = time_left(waiting[fitting[k]], now, rules, memory, state)
    while True:
        best, shortest = -1, longest + 1
        for k in range(found):
            job = waiting[fitting[k]]
            if left[k] < shortest and job >= 0 and state.size[job] <= state.count[FREE]:
                best, shortest = k, left[k]
        if best < 0:
            return
        pass_head(fitting[best], now, rules, memory, state)


@uncounted
def at_a_venture(found, now, rules, memory, state):
    """Of the jobs noted, start in order of priority whichever still fits."""
    for k in range(found):
        job = state.waiting[state.fitting[k]]
        if job >= 0 and state.size[job] <= state.count[FREE]:
            pass_head(state.fitting[k], now, rules, memory, state)


@uncounted
def close_gaps(first, state):
    """Close the gaps in the queue from place `first` on."""
    waiting = state.waiting
    kept = np.uint64(first)
    for k in range(np.uint64(first), np.uint64(state.count[TAIL])):
        if waiting[k] >= 0:
            waiting[kept] = waiting[k]
            kept += ONE
    state.count[TAIL] = np.int64(kept)


@uncounted
def backfill(first, now, rules, memory, state):
    """Let jobs at place `first` of the queue and later pass the blocked head."""
    found, processors = those_that_fit(first, state)
    if found == 0:
        return
    if processors > state.count[FREE] or not rules.venture:
        in_time(found, now, rules, memory, state)
    if rules.venture:
        at_a_venture(found, now, rules, memory, state)
    close_gaps(state.fitting[0], state)


@uncounted
def one_pass(ended, queued, now, rules, memory, state):
    """Schedule after an instant's ends (`ended`: any) and submissions, before which `queued` jobs waited."""
    count = state.count
    first = count[HEAD] + max(queued, 1)
    if ended or queued == 0:
        start_heads(now, rules, memory, state)
    if ended or queued == 0 or not rules.venture:
        first = count[HEAD] + 1
    if rules.kept and count[HEAD] < count[TAIL]:
        reserve(now, rules, state)
    if first < count[TAIL] and count[SMALLEST] <= count[FREE]:
        backfill(first, now, rules, memory, state)


@uncounted
def run_on(last, until, rules, memory, state):
    """Go on until all jobs before `last` are done and nobody else runs, or the instant `until` is reached.

    Returns
    -------
    bool
        False if it stopped early for want of room for preempted runs.
    """
    count = state.count
    while count[ARRIVED] < last or count[RUNNING] > 0:
        # A pass preempts each running job once at most.
        if len(state.killed) - count[KILLS] < len(state.shadow):
            return False
        now = min(
            state.jobs[count[ARRIVED], SUBMIT] if count[ARRIVED] < last else LATEST,
            state.by_end[count[RUNNING]] >> SLOT_BITS,
        )
        if now >= until:
            return True
        ended = came = False
        while state.by_end[count[RUNNING]] >> SLOT_BITS == now and not (rules.one_by_one and ended):
            finish(memory, state)
            ended = True
        queued = count[TAIL] - count[HEAD]
        while (
            count[ARRIVED] < last
            and state.jobs[count[ARRIVED], SUBMIT] == now
            and not (rules.one_by_one and (ended or came))
        ):
            submit(count[ARRIVED], now, rules, memory, state)
            came = True
        if count[HEAD] < count[TAIL]:
            one_pass(ended, queued, now, rules, memory, state)
    return True


@njit(nogil=True, cache=True)
def pv_easy(submit, run_time, estimate, size, machine, rules, memory):
    """Simulate PV-EASY (Yuan, Yang, Wu and Zheng 2010, section 4).

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
        Ordered by submission; seconds and processors. ``1 <= size <= machine``.
    machine : int, processors
    rules : replication.core.shadow.Rules
    memory : namedtuple

    Returns
    -------
    jobs : int64[n, COLUMNS]
        What was decided of each job; see ``core.shadow``.
    killed : int64[k, 3]
        Runs that were preempted, in this order: job, start and end of the run.
    """
    state = empty_machine(submit, run_time, estimate, size, machine)
    while not run_on(len(submit), NEVER, rules, memory, state):
        state = with_more_room(state)
    return state.jobs, state.killed[: state.count[KILLS]].copy()
