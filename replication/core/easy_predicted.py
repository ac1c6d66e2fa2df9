"""EASY backfilling that plans with predictions, as one compiled event loop.

A job is its index, and indices are in queue order. What is decided at each instant is written in
``docs/semantics/predicted.md``; the readable twin is ``replication.reference.easy``.

Between two passes only an end teaches the predictors, and only an end or a correction changes the plans. With
neither, a submission can affect none but the submitted job, so only that one is looked at. A prediction is
worked out where a decision needs it: for jobs that fit.

Given `seen`, the loop notes wild backfills, delays of heads and starts of the shortest job, as
``replication.core.easy`` does; left out, nothing of it is compiled.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core import observing as see
from replication.core.planned import (
    ARRIVED,
    EXTRA,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    LEAVING,
    NOBODY,
    RESERVED,
    RUNNING,
    SHADOW,
    SMALLEST,
    TAIL,
    begin,
    correct,
    finish,
    idle,
    let_go,
    next_end,
    next_planned_end,
    notice_an_end,
    predicted_now,
    reservation,
    submit,
)
from replication.core.running import LATEST, NEVER, ONE, SLOT_BITS
from replication.core.uncounted import sort, uncounted
from replication.core.waiting import GONE, narrow

# shortest_first : candidates by prediction, not in queue order
# refresh : predictions of waiting jobs are renewed at every pass, not kept from submission
# correction : REQUEST, GRADUAL, DOUBLING or NOW of replication.core.planned
# kept : the reservation is kept until its job starts or its time comes, not recomputed at every pass
# uses_up : a job that outlives the shadow time takes its processors off the extra ones
# all_count : every job planned to end by the shadow time counts into the extra processors
# one_by_one : each event of an instant has its own pass
# by_plan : that too, and who ends as planned leaves before the first event of that instant
# submissions_first : before the ends of the same instant, not after them
# only_if_fits : submissions that do not fit the free processors lead to no pass
Rules = namedtuple(
    "Rules",
    "shortest_first refresh correction kept uses_up all_count one_by_one "
    "by_plan submissions_first only_if_fits",
)

# by_end, size : int64[m + 1], the running jobs in the order of their true ends, as `replication.core.observing`
# wants them: a key is an end with a place in `size` in its low bits
Truth = namedtuple("Truth", "by_end size")


@njit(nogil=True, cache=True)
def easy_predicted(memory, processors, rules, start, backfilled, first, prediction, seen=None):
    """Simulate EASY with predictions.

    Parameters
    ----------
    memory : namedtuple
        The jobs and a predictor that has seen none of them; changed.
    processors : int
    rules : Rules
    start, first, prediction : int64[n], s, out
        When each job starts; what was predicted at its submission, and what it was planned with at its start.
    backfilled : bool[n], out
        True where the job was started past a blocked head; must come in as False.
    seen : replication.core.observing.Seen, out, optional
        As `nothing_seen` makes it.
    """
    machine = idle(len(memory.submit), processors, start, prediction)
    most = 0 if seen is None else len(machine.by_end)
    truth = Truth(np.full(most, NEVER), np.empty(most, np.int64))
    _simulate(machine, memory, rules, first, backfilled, seen, truth)


@uncounted
def _simulate(machine, memory, rules, first, backfilled, seen, truth):
    """The event loop."""
    n = len(memory.submit)
    count = machine.count
    # Other readings of the reservation can change it without an end or a correction.
    always = rules.kept or not rules.uses_up or not rules.all_count
    now = 0
    stale = False  # whether jobs that waited through the last pass may have become able to start
    while count[ARRIVED] < n or count[RUNNING] > 0 or count[LEAVING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        if count[LEAVING] == 0:
            now = min(submission, next_end(machine))
        if rules.by_plan:
            stale |= let_go(machine, memory, now)
        submissions, ends = submission == now, next_end(machine) == now or count[LEAVING] > 0
        if rules.one_by_one and submissions and ends:
            submissions, ends = rules.submissions_first, not rules.submissions_first
        before = count[TAIL]
        wanted = ends
        if submissions and rules.submissions_first:
            wanted |= _submit(machine, memory, rules, first, seen, now)
        if ends:
            _finish(machine, memory, rules, now)
        if submissions and not rules.submissions_first:
            wanted |= _submit(machine, memory, rules, first, seen, now)
        corrected = correct(machine, memory, rules.correction, now)
        stale |= (
            ends or corrected or always or before == count[HEAD] or next_planned_end(machine) < now
        )
        if wanted:
            since = count[HEAD] if stale else before
            _pass(machine, memory, rules, first, backfilled, seen, truth, since, now)
            stale = False


@uncounted
def _submit(machine, memory, rules, first, seen, now):
    """Put the jobs submitted now into the queue, one if one by one; whether they ask for a pass."""
    place = machine.count[TAIL]
    fits = submit(machine, memory, first, now, rules.one_by_one)
    if seen is not None:
        for k in range(place, machine.count[TAIL]):
            seen.run_time[k] = narrow(memory.run_time[machine.waiting[k]])
            # Where the shortest is not known it is looked for anew, whatever stands here.
            seen.state[see.LEAST] = min(seen.state[see.LEAST], np.int64(seen.run_time[k]))
    return fits or not rules.only_if_fits


@uncounted
def _finish(machine, memory, rules, now):
    """End the jobs that end now, one if one by one."""
    if rules.by_plan:
        notice_an_end(machine, memory, now)
        return
    while next_end(machine) == now and machine.count[RUNNING] > 0:
        finish(machine, memory, now)
        if rules.one_by_one:
            break


@uncounted
def _pass(machine, memory, rules, first, backfilled, seen, truth, since, now):
    """One scheduling pass over the queue from place `since` on: from the head, or the new ones behind it."""
    count = machine.count
    if since == count[HEAD]:
        _start_heads(machine, memory, rules, first, seen, now)
        since = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return
    fitting = 0
    if count[SMALLEST] <= count[FREE]:
        fitting = _fitting(machine, since)
    if rules.kept or fitting > 0:
        _reserve(machine, memory, rules, now)
    if fitting > 0 and _backfill(
        machine, memory, rules, first, backfilled, seen, truth, fitting, now
    ):
        _close_ranks(machine, seen, since)


@uncounted
def _start_heads(machine, memory, rules, first, seen, now):
    """Start jobs in queue order as long as the head fits."""
    count = machine.count
    if not rules.kept:
        count[RESERVED] = NOBODY
    while count[HEAD] < count[TAIL] and machine.wanted[count[HEAD]] <= count[FREE]:
        job = machine.waiting[count[HEAD]]
        if seen is not None:
            _see_start(seen, machine, memory, job, now)
            see.see_head_start(seen, job, now)
        begin(machine, memory, job, predicted_now(memory, rules.refresh, first, job, now), now)
        count[HEAD] += 1


@uncounted
def _fitting(machine, since):
    """Note the places from `since` on whose jobs fit, and return how many there are."""
    count, wanted, scratch = machine.count, machine.wanted, machine.scratch
    free, fitting, smallest = count[FREE], 0, NEVER
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        smallest = min(smallest, wanted[k])
        if wanted[k] <= free:
            scratch[fitting] = k
            fitting += 1
    if since == count[HEAD] + 1:
        count[SMALLEST] = smallest
    return fitting


@uncounted
def _reserve(machine, memory, rules, now):
    """Make the head's reservation unless it has one that holds."""
    count = machine.count
    head = machine.waiting[count[HEAD]]
    if count[RESERVED] != head or (rules.kept and count[SHADOW] <= now):
        count[SHADOW], count[EXTRA] = reservation(
            machine, memory, memory.size[head], rules.all_count, now
        )
        count[RESERVED] = head


@uncounted
def _backfill(machine, memory, rules, first, backfilled, seen, truth, fitting, now):
    """Try the jobs at the places in `scratch`; leave a gap where one starts, and say whether any did."""
    count, places = machine.count, machine.scratch[:fitting]
    if rules.shortest_first:
        for k in range(fitting):
            job = machine.waiting[places[k]]
            places[k] |= predicted_now(memory, rules.refresh, first, job, now) << JOB_BITS
        sort(places)
    gaps = False
    for key in places:
        place = key & JOB_MASK
        job, size = machine.waiting[place], machine.wanted[place]
        if size > count[FREE]:
            continue
        predicted = key >> JOB_BITS
        if not rules.shortest_first:
            predicted = predicted_now(memory, rules.refresh, first, job, now)
        in_time = now + predicted <= count[SHADOW]
        if in_time or size <= count[EXTRA]:
            if seen is not None:
                _see_start(seen, machine, memory, job, now)
                _see_backfill(seen, truth, machine, memory, job, now)
                seen.run_time[place] = GONE
            begin(machine, memory, job, predicted, now)
            if seen is not None and seen.wild[job]:
                _tell(truth, machine, memory)
                running, free = count[RUNNING], count[FREE]
                see.see_wild(seen, truth, running, free, machine.wanted[count[HEAD]], now)
            backfilled[job] = True
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
            machine.waiting[place] = NOBODY
            gaps = True
    return gaps


@uncounted
def _close_ranks(machine, seen, since):
    """Close the gaps in the queue from place `since` on."""
    count = machine.count
    waiting, wanted = machine.waiting, machine.wanted
    kept = np.uint64(since)
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        if waiting[k] != NOBODY:
            waiting[kept], wanted[kept] = waiting[k], wanted[k]
            if seen is not None:
                seen.run_time[kept] = seen.run_time[k]
            kept += ONE
    count[TAIL] = kept


@uncounted
def _see_start(seen, machine, memory, job, now):
    """Whether `job`, still in the queue, is a shortest one there: whoever has come by now is in the queue."""
    head, tail, n = machine.count[HEAD], machine.count[TAIL], len(memory.submit)
    see.see_start(seen, memory.submit, memory.run_time, n, head, tail, job, now)


@uncounted
def _see_backfill(seen, truth, machine, memory, job, now):
    """Tell wild from mild, just before `job` begins past the head."""
    count = machine.count
    if not seen.state[see.IS_HEAD_KNOWN]:
        _tell(truth, machine, memory)
    head_size, run_time, size = machine.wanted[count[HEAD]], memory.run_time[job], memory.size[job]
    see.see_backfill(seen, truth, count[RUNNING], count[FREE], head_size, job, run_time, size, now)


@uncounted
def _tell(truth, machine, memory):
    """Note the running jobs' true ends and sizes, in their order."""
    for k in range(1, machine.count[RUNNING] + 1):
        key = machine.by_end[k]
        truth.by_end[k] = key >> JOB_BITS << SLOT_BITS | k
        truth.size[k] = memory.size[key & JOB_MASK]
