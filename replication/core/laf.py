"""Largest area first: at every pass the waiting job of the largest predicted area that fits is started.

No job has a reservation, so a running job's plan decides nothing. The readable twin is
``replication.reference.conservative.largest_area_first``.
"""

from numba import njit

from replication.core.planned import (
    ARRIVED,
    FREE,
    NOBODY,
    RUNNING,
    SMALLEST,
    TAIL,
    begin,
    close_ranks,
    finish,
    idle,
    next_end,
    predicted_now,
    started,
    submit,
)
from replication.core.running import LATEST
from replication.core.uncounted import uncounted


@njit(nogil=True, cache=True)
def largest_area_first(
    memory, processors, refresh, submissions_first, start, backfilled, first, prediction
):
    """Simulate largest area first; arguments as for `replication.core.easy_predicted.easy_predicted`."""
    machine = idle(len(memory.submit), processors, start, prediction)
    _simulate(machine, memory, refresh, submissions_first, backfilled, first)


@uncounted
def _simulate(machine, memory, refresh, submissions_first, backfilled, first):
    """The event loop. Between two ends only those who come can fit, for nothing is freed."""
    n, count = len(memory.submit), machine.count
    while count[ARRIVED] < n or count[RUNNING] > 0:
        submission = memory.submit[count[ARRIVED]] if count[ARRIVED] < n else LATEST
        now = min(submission, next_end(machine))
        ended = next_end(machine) == now
        before = count[TAIL]
        if submissions_first:
            submit(machine, memory, first, now, False)
        while next_end(machine) == now and count[RUNNING] > 0:
            finish(machine, memory, now)
        if not submissions_first:
            submit(machine, memory, first, now, False)
        if count[SMALLEST] <= count[FREE] and _start(
            machine, memory, refresh, first, 0 if ended else before, now
        ):
            close_ranks(machine, backfilled)


@uncounted
def _start(machine, memory, refresh, first, since, now):
    """Start the largest that fits until none does, among the jobs from place `since` on; whether any did."""
    count, waiting, wanted, predicted = (
        machine.count,
        machine.waiting,
        machine.wanted,
        machine.scratch,
    )
    for k in range(since, count[TAIL]):
        if wanted[k] <= count[FREE]:
            predicted[k] = predicted_now(memory, refresh, first, waiting[k], now)
    any_started = False
    while True:
        best = NOBODY
        for k in range(since, count[TAIL]):
            if (
                waiting[k] >= 0
                and wanted[k] <= count[FREE]
                and (
                    best == NOBODY
                    or _larger(wanted[k], predicted[k], wanted[best], predicted[best])
                )
            ):
                best = k
        if best == NOBODY:
            return any_started
        begin(machine, memory, waiting[best], predicted[best], now)
        waiting[best] = started(waiting[best])
        any_started = True


@uncounted
def _larger(size, predicted, other_size, other_predicted):
    """Whether a job goes before another: the larger area, of equal areas the longer."""
    area, other = size * predicted, other_size * other_predicted
    return area > other or (area == other and predicted > other_predicted)
