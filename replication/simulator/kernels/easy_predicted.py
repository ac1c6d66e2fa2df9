"""EASY backfilling that plans with predictions, as one compiled event loop.

A job is its index, and indices are in queue order. ``docs/semantics/predicted.md`` states the decisions at each
instant; the reference implementation is ``replication.simulator.reference.easy``.

Predictors learn only from ends, and planned ends change only at ends and corrections. Without either since the last
pass, a submission can start the submitted job only, so the pass considers no other. Predictions are computed only for
jobs that fit.
"""

from collections import namedtuple

from numba import njit

from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_noalloc, sort
from replication.simulator.kernels.machine import (
    EXTRA,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    SHADOW,
    TAIL,
)
from replication.simulator.kernels.ordered_list import NEVER

# shortest_first : candidates are in order of prediction, not in queue order
# kept : the reservation is valid until the head starts or the reserved time comes, not for one pass only
# held : a kept reservation stays valid after the reserved time
# recounts : the extra processors of a kept reservation are counted again at every pass
# closed : no job is backfilled on extra processors after the time of a held reservation
# uses_up : a job that outlives the shadow time uses up extra processors
# all_count : all jobs planned to end by the shadow time count for the extra processors
# only_if_fits : a submission leads to a pass only if the job fits the free processors
Rules = namedtuple(
    "Rules",
    machines.SHARED_RULES
    + "shortest_first kept held recounts closed uses_up all_count only_if_fits",
)


@njit(nogil=True, cache=True)
def easy_predicted(memory, processors, rules):
    """Simulate EASY with predictions.

    Parameters
    ----------
    memory : namedtuple
        The jobs and a predictor before the first job; modified.
    processors : int
    rules : Rules

    Returns
    -------
    replication.simulator.kernels.machines.Machine
        The machine after the last job, with the decisions for each job.
    """
    machine = machines.idle_machine(len(memory.submit), processors)
    _simulate(machine, memory, rules)
    return machine


@njit_noalloc
def _simulate(machine, memory, rules):
    """The event loop."""
    count = machine.count
    # In these variants the reservation can change without an end or a correction.
    always = rules.kept or not rules.uses_up or not rules.all_count
    now = 0
    stale = False  # whether jobs that the last pass left in the queue may be able to start
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        before = count[TAIL]
        ended, came, fits, corrected = machines.process_events(machine, memory, rules, now)
        stale |= (
            ended
            or corrected
            or always
            or count[machines.FREED] > 0
            or before == count[HEAD]
            or machines.next_planned_end(machine) < now
        )
        if ended or fits or (came and not rules.only_if_fits):
            _pass(machine, memory, rules, count[HEAD] if stale else before, now)
            stale = False


@njit_noalloc
def _pass(machine, memory, rules, since, now):
    """Schedule the queue from place `since` on, which is the head or the first new job behind it."""
    count = machine.count
    if since == count[HEAD]:
        _start_heads(machine, memory, rules, now)
        since = count[HEAD] + 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[machines.SMALLEST] = NEVER
        return
    fitting = 0
    if count[machines.SMALLEST] <= count[FREE]:
        fitting, _ = machines.fitting(machine, since)
    if rules.kept or fitting > 0:
        _reserve(machine, memory, rules, now)
    if fitting > 0 and _backfill(machine, memory, rules, fitting, now):
        machines.compact_queue(machine, since)


@njit_noalloc
def _start_heads(machine, memory, rules, now):
    """Start jobs at the head as long as they fit."""
    count = machine.count
    if not rules.kept:
        count[machines.RESERVED] = machines.NO_JOB
    while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
        job = machine.waiting[count[HEAD]]
        machines.begin(
            machine, memory, job, machines.predicted_now(machine, memory, rules, job, now), now
        )
        count[HEAD] += 1


@njit_noalloc
def _reserve(machine, memory, rules, now):
    """Make the reservation of the head unless it has a valid one."""
    count = machine.count
    head = machine.waiting[count[HEAD]]
    size = memory.size[head]
    is_due = count[SHADOW] <= now
    if count[machines.RESERVED] != head or (rules.kept and is_due and not rules.held):
        count[SHADOW], count[EXTRA] = machines.reservation(
            machine, machine.by_plan, memory, size, rules.all_count, now
        )
        count[machines.RESERVED] = head
    elif rules.recounts:
        count[EXTRA] = machines.extra_at(machine, memory, size, rules.all_count, count[SHADOW], now)
    if rules.held and rules.closed and count[SHADOW] <= now:
        count[EXTRA] = 0


@njit_noalloc
def _backfill(machine, memory, rules, fitting, now):
    """Backfill the jobs at the places in `scratch`, which become gaps; return whether any started."""
    count, places = machine.count, machine.scratch[:fitting]
    if rules.shortest_first:
        for k in range(fitting):
            job = machine.waiting[places[k]]
            places[k] |= machines.predicted_now(machine, memory, rules, job, now) << JOB_BITS
        sort(places)
    gaps = False
    for key in places:
        place = key & JOB_MASK
        job, size = machine.waiting[place], machine.queued_size[place]
        if size > count[FREE]:
            continue
        predicted = key >> JOB_BITS
        if not rules.shortest_first:
            predicted = machines.predicted_now(machine, memory, rules, job, now)
        in_time = now + predicted <= count[SHADOW]
        if in_time or size <= count[EXTRA]:
            machines.begin(machine, memory, job, predicted, now)
            machine.backfilled[job] = True
            if rules.uses_up and not in_time:
                count[EXTRA] -= size
            machine.waiting[place] = machines.NO_JOB
            gaps = True
    return gaps
