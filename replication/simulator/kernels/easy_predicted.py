"""EASY backfilling that plans with predictions, as one compiled event loop.

A job is its index, and indices are in queue order. What is decided at each instant is written in
``docs/semantics/predicted.md``; the reference implementation is ``replication.simulator.reference.easy``.

Between two passes only an end teaches the predictors, and only an end or a correction changes the plans. With
neither, a submission can affect none but the submitted job, so only that one is looked at. A prediction is
worked out where a decision needs it: for jobs that fit.
"""

from collections import namedtuple

from numba import njit

from replication.simulator.kernels import planned
from replication.simulator.kernels.compiling import njit_noalloc, sort
from replication.simulator.kernels.planned import (
    EXTRA,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    SHADOW,
    TAIL,
)
from replication.simulator.kernels.running import NEVER

# shortest_first : candidates by prediction, not in queue order
# kept : the reservation stays until its job starts or its time comes, not recomputed at every pass
# held : a reservation that is kept stays when its time has come, too
# recounts : the extra processors of a reservation that is kept are counted at every pass
# closed : once a held reservation is due, no job is backfilled on extra processors
# uses_up : a job that outlives the shadow time takes its processors off the extra ones
# all_count : every job planned to end by the shadow time counts into the extra processors
# only_if_fits : submissions that do not fit the free processors lead to no pass
Rules = namedtuple(
    "Rules",
    planned.EVENTS + "shortest_first kept held recounts closed uses_up all_count only_if_fits",
)


@njit(nogil=True, cache=True)
def easy_predicted(memory, processors, rules):
    """Simulate EASY with predictions.

    Parameters
    ----------
    memory : namedtuple
        The jobs and a predictor that has seen none of them; changed.
    processors : int
    rules : Rules

    Returns
    -------
    replication.simulator.kernels.planned.Machine
        After the last job: when each started, on which predictions, and whether past a blocked head.
    """
    machine = planned.idle(len(memory.submit), processors)
    _simulate(machine, memory, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules):
    """The event loop."""
    count = machine.count
    # Other readings of the reservation can change it without an end or a correction.
    always = rules.kept or not rules.uses_up or not rules.all_count
    now = 0
    stale = False  # whether jobs that waited through the last pass may have become able to start
    while planned.has_events(machine):
        now = planned.next_event(machine, memory, now)
        before = count[TAIL]
        ended, came, fits, corrected = planned.process_events(machine, memory, rules, now)
        stale |= (
            ended
            or corrected
            or always
            or count[planned.FREED] > 0
            or before == count[HEAD]
            or planned.next_planned_end(machine) < now
        )
        if ended or fits or (came and not rules.only_if_fits):
            _pass(machine, memory, rules, count[HEAD] if stale else before, now)
            stale = False


@njit_noalloc
def _pass(machine, memory, rules, since, now):
    """One scheduling pass over the queue from place `since` on: from the head, or the new ones behind it."""
    count = machine.count
    if since == count[HEAD]:
        _start_heads(machine, memory, rules, now)
        since = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[planned.SMALLEST] = NEVER
        return
    fitting = 0
    if count[planned.SMALLEST] <= count[FREE]:
        fitting, _ = planned.fitting(machine, since)
    if rules.kept or fitting > 0:
        _reserve(machine, memory, rules, now)
    if fitting > 0 and _backfill(machine, memory, rules, fitting, now):
        planned.compact_queue(machine, since)


@njit_noalloc
def _start_heads(machine, memory, rules, now):
    """Start jobs in queue order as long as the head fits."""
    count = machine.count
    if not rules.kept:
        count[planned.RESERVED] = planned.NOBODY
    while count[HEAD] < count[TAIL] and machine.wanted[count[HEAD]] <= count[FREE]:
        job = machine.waiting[count[HEAD]]
        planned.begin(
            machine, memory, job, planned.predicted_now(machine, memory, rules, job, now), now
        )
        count[HEAD] += 1


@njit_noalloc
def _reserve(machine, memory, rules, now):
    """Make the head's reservation unless it has one that is valid."""
    count = machine.count
    head = machine.waiting[count[HEAD]]
    size = memory.size[head]
    is_due = count[SHADOW] <= now
    if count[planned.RESERVED] != head or (rules.kept and is_due and not rules.held):
        count[SHADOW], count[EXTRA] = planned.reservation(
            machine, machine.by_plan, memory, size, rules.all_count, now
        )
        count[planned.RESERVED] = head
    elif rules.recounts:
        count[EXTRA] = planned.extra_at(machine, memory, size, rules.all_count, count[SHADOW], now)
    if rules.held and rules.closed and count[SHADOW] <= now:
        count[EXTRA] = 0


@njit_noalloc
def _backfill(machine, memory, rules, fitting, now):
    """Try the jobs at the places in `scratch`; leave a gap where one starts, and say whether any did."""
    count, places = machine.count, machine.scratch[:fitting]
    if rules.shortest_first:
        for k in range(fitting):
            job = machine.waiting[places[k]]
            places[k] |= planned.predicted_now(machine, memory, rules, job, now) << JOB_BITS
        sort(places)
    gaps = False
    for key in places:
        place = key & JOB_MASK
        job, size = machine.waiting[place], machine.wanted[place]
        if size > count[FREE]:
            continue
        predicted = key >> JOB_BITS
        if not rules.shortest_first:
            predicted = planned.predicted_now(machine, memory, rules, job, now)
        in_time = now + predicted <= count[SHADOW]
        if in_time or size <= count[EXTRA]:
            planned.begin(machine, memory, job, predicted, now)
            machine.backfilled[job] = True
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
            machine.waiting[place] = planned.NOBODY
            gaps = True
    return gaps
