"""EASY backfilling that plans with predictions, as one compiled event loop.

A job is its index, and indices are in queue order. What is decided at each instant is written in
``docs/semantics/predicted.md``; the readable twin is ``replication.reference.easy``.

Between two passes only an end teaches the predictors, and only an end or a correction changes the plans. With
neither, a submission can affect none but the submitted job, so only that one is looked at. A prediction is
worked out where a decision needs it: for jobs that fit.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.planned import (
    ARRIVED,
    EXTRA,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
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
    next_end,
    next_planned_end,
    reservation,
)
from replication.core.predicting import predict
from replication.core.running import LATEST, NEVER, ONE
from replication.core.uncounted import sort, uncounted

# shortest_first : candidates by prediction, not in queue order
# refresh : predictions of waiting jobs are renewed at every pass, not kept from submission
# correction : REQUEST, GRADUAL, DOUBLING or NOW of replication.core.planned
# kept : the reservation is kept until its job starts or its time comes, not recomputed at every pass
# uses_up : a job that outlives the shadow time takes its processors off the extra ones
# all_count : every job planned to end by the shadow time counts into the extra processors
# one_by_one : each event of an instant has its own pass
# submissions_first : before the ends of the same instant, not after them
# only_if_fits : submissions that do not fit the free processors lead to no pass
Rules = namedtuple(
    "Rules",
    "shortest_first refresh correction kept uses_up all_count one_by_one "
    "submissions_first only_if_fits",
)


@njit(nogil=True, cache=True)
def easy_predicted(memory, processors, rules, start, backfilled, first, prediction):
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
    """
    machine = idle(len(memory.submit), processors, start, prediction)
    _simulate(machine, memory, rules, first, backfilled)


@uncounted
def _simulate(machine, memory, rules, first, backfilled):
    """The event loop."""
    n = len(memory.submit)
    count = machine.count
    # Other readings of the reservation can change it without an end or a correction.
    always = rules.kept or not rules.uses_up or not rules.all_count
    stale = False  # whether jobs that waited through the last pass may have become able to start
    while count[ARRIVED] < n or count[RUNNING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        end = next_end(machine)
        now = min(submission, end)
        submissions, ends = submission == now, end == now
        if rules.one_by_one and submissions and ends:
            submissions, ends = rules.submissions_first, not rules.submissions_first
        before = count[TAIL]
        wanted = ends
        if submissions and rules.submissions_first:
            wanted |= _submit(machine, memory, rules, first, now)
        if ends:
            _finish(machine, memory, rules, now)
        if submissions and not rules.submissions_first:
            wanted |= _submit(machine, memory, rules, first, now)
        corrected = correct(machine, memory, rules.correction, now)
        stale |= (
            ends or corrected or always or before == count[HEAD] or next_planned_end(machine) < now
        )
        if wanted:
            _pass(machine, memory, rules, first, backfilled, count[HEAD] if stale else before, now)
            stale = False


@uncounted
def _submit(machine, memory, rules, first, now):
    """Put the jobs submitted now into the queue, one if one by one; whether they ask for a pass."""
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
        if rules.one_by_one:
            break
    return fits or not rules.only_if_fits


@uncounted
def _finish(machine, memory, rules, now):
    """End the jobs that end now, one if one by one."""
    while next_end(machine) == now and machine.count[RUNNING] > 0:
        finish(machine, memory, now)
        if rules.one_by_one:
            break


@uncounted
def _pass(machine, memory, rules, first, backfilled, since, now):
    """One scheduling pass over the queue from place `since` on: from the head, or the new ones behind it."""
    count = machine.count
    if since == count[HEAD]:
        _start_heads(machine, memory, rules, first, now)
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
    if fitting > 0 and _backfill(machine, memory, rules, first, backfilled, fitting, now):
        _close_ranks(machine, since)


@uncounted
def _start_heads(machine, memory, rules, first, now):
    """Start jobs in queue order as long as the head fits."""
    count = machine.count
    if not rules.kept:
        count[RESERVED] = NOBODY
    while count[HEAD] < count[TAIL] and machine.wanted[count[HEAD]] <= count[FREE]:
        job = machine.waiting[count[HEAD]]
        begin(machine, memory, job, predict(memory, job, now) if rules.refresh else first[job], now)
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
def _backfill(machine, memory, rules, first, backfilled, fitting, now):
    """Try the jobs at the places in `scratch`; leave a gap where one starts, and say whether any did."""
    count, places = machine.count, machine.scratch[:fitting]
    if rules.shortest_first:
        for k in range(fitting):
            job = machine.waiting[places[k]]
            predicted = predict(memory, job, now) if rules.refresh else first[job]
            places[k] |= predicted << JOB_BITS
        sort(places)
    gaps = False
    for key in places:
        place = key & JOB_MASK
        job, size = machine.waiting[place], machine.wanted[place]
        if size > count[FREE]:
            continue
        predicted = key >> JOB_BITS
        if not rules.shortest_first:
            predicted = predict(memory, job, now) if rules.refresh else first[job]
        in_time = now + predicted <= count[SHADOW]
        if in_time or size <= count[EXTRA]:
            begin(machine, memory, job, predicted, now)
            backfilled[job] = True
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
            machine.waiting[place] = NOBODY
            gaps = True
    return gaps


@uncounted
def _close_ranks(machine, since):
    """Close the gaps in the queue from place `since` on."""
    count = machine.count
    waiting, wanted = machine.waiting, machine.wanted
    kept = np.uint64(since)
    for k in range(np.uint64(since), np.uint64(count[TAIL])):
        if waiting[k] != NOBODY:
            waiting[kept], wanted[kept] = waiting[k], wanted[k]
            kept += ONE
    count[TAIL] = kept
