"""Relaxed backfilling: a backfill may delay the head's reserved start by a share of its expected
wait.

Ward, Mahood and West (JSSPP 2002), as far as their rule is known: the largest delay is a share of
the wait that the scheduler expects for the head. The page of `exceptions.ipynb` has the rules as
numbered sentences; ``tests/studies/test_relaxed.py`` compares every start with a scheduler in
Python.
"""

from dataclasses import dataclass

from numba import njit

from replication import Predictor, Scheduler
from replication.simulator.choices import Number, option
from replication.simulator.kernels import machine as machines
from replication.simulator.kernels.compilation import njit_call, njit_noalloc
from replication.simulator.kernels.machine import (
    EXTRA,
    FREE,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    LATEST,
    NEVER,
    NO_JOB,
    RESERVED,
    RUNNING,
    SHADOW,
    SMALLEST,
    TAIL,
)
from replication.simulator.schedulers import options


@dataclass(frozen=True)
class Relaxed(options.OnPredictions, Scheduler, name="relaxed-backfilling"):
    """EASY that lets backfills delay the head's reserved start by a share of its expected wait.

    The reservation lasts until the head starts. With share 0 the schedule is that of
    ``PaperEASY(lifetime="until-start", recount="pass")``, and with perfect estimates EASY's.
    """

    draws_at_random = False

    predictor: Predictor = options.predictor()
    refresh: options.Refresh = options.refresh()
    share: float = option(
        0.0, Number(0, 1e6), "largest delay of the head, as a share of its expected wait"
    )

    run_observed = options.run_observed

    def kernel(self) -> tuple:
        """Return the compiled loop, the rules of the machine, and the share."""
        return simulate, self.rules(), self.share


@njit(nogil=True, cache=True)
def simulate(memory, processors, rules, share):
    """Simulate; `rules` are those of the machine."""
    machine = machines.idle_machine(len(memory.submit), processors)
    _simulate(machine, memory, rules, share)
    return machine


@njit_call
def _simulate(machine, memory, rules, share):
    now = 0
    while machines.has_events(machine):
        now = machines.next_event(machine, memory, now)
        machines.process_events(machine, memory, rules, now)
        _pass(machine, memory, rules, share, now)


@njit_noalloc
def _pass(machine, memory, rules, share, now):
    """Start heads while they fit, reserve for the blocked head, and backfill."""
    count, waiting = machine.count, machine.waiting
    while count[HEAD] < count[TAIL] and machine.queued_size[count[HEAD]] <= count[FREE]:
        job = waiting[count[HEAD]]
        length = machines.predicted_now(machine, memory, rules, job, now)
        machines.begin(machine, memory, job, length, now)
        count[HEAD] += 1
    if count[HEAD] == count[TAIL]:
        count[HEAD] = count[TAIL] = 0
        count[SMALLEST] = NEVER
        return

    head = waiting[count[HEAD]]
    if count[RESERVED] != head:
        count[RESERVED], count[SHADOW] = head, _latest_start(machine, memory, head, share, now)
    if count[SMALLEST] > count[FREE] or count[SHADOW] <= now:
        return

    # The head can start in time if enough processors are free at its latest start.
    count[EXTRA] = _free_at(machine, memory, count[SHADOW]) - memory.size[head]
    has_gaps = False
    for place in machine.scratch[: machines.fitting(machine, count[HEAD] + 1)]:
        job = waiting[place]
        length = machines.predicted_now(machine, memory, rules, job, now)
        in_time = now + length <= count[SHADOW]
        if memory.size[job] <= count[FREE] and (in_time or memory.size[job] <= count[EXTRA]):
            machines.begin(machine, memory, job, length, now)
            machine.backfilled[job] = has_gaps = True
            waiting[place] = NO_JOB
            if not in_time:
                count[EXTRA] -= memory.size[job]
    if has_gaps:
        machines.compact_queue(machine, count[HEAD] + 1)


@njit_noalloc
def _latest_start(machine, memory, head, share, now):
    """Return the reserved start of the head, and a share of its expected wait beyond."""
    start, _ = machines.reservation(machine, machine.by_plan, memory, memory.size[head], now)
    return min(start + int(share * (start - memory.submit[head])), LATEST - 1)


@njit_noalloc
def _free_at(machine, memory, instant):
    """Return the processors that are free at an instant if no job starts before."""
    free, k = machine.count[FREE], machine.count[RUNNING]
    while machine.by_plan[k] >> JOB_BITS <= instant:
        free += memory.size[machine.by_plan[k] & JOB_MASK]
        k -= 1
    return free
