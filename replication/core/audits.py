"""What became of the jobs at the head of the queue, and what would have without the jobs behind them.

Index order is order of priority. At the head means that every job of higher priority has started for good.
"""

import numpy as np
from numba import njit

from replication.core.easy import easy
from replication.core.planned import corrected
from replication.core.predicting import copy_tables
from replication.core.pv_easy import run_on
from replication.core.running import NEVER, SLOT_BITS, SLOT_MASK
from replication.core.shadow import (
    ARRIVED,
    HEAD,
    KILLS,
    RUNNING,
    SHADOW,
    START,
    TAIL,
    empty_machine,
    with_more_room,
)


@njit(nogil=True, cache=True)
def earliest_at_head(since, end, size, machine):
    """When each job could start at the head of the queue if no job of lower priority ran.

    Parameters
    ----------
    since : int64[n], s
        When the job came to the head; never descending.
    end : int64[n], s
    size : int64[n], processors
    machine : int, processors

    Returns
    -------
    int64[n], s
        The first instant from `since` on at which those of higher priority leave enough processors.
    """
    n = len(since)
    earliest = np.empty(n, np.int64)
    others = np.empty(n, np.int64)  # jobs of higher priority that may still run, by descending end
    running, used = 0, 0
    for job in range(n):
        now = since[job]
        while running > 0 and end[others[running - 1]] <= now:
            running -= 1
            used -= size[others[running]]
        needed, last = used + size[job] - machine, running
        while needed > 0:
            last -= 1
            now = end[others[last]]
            needed -= size[others[last]]
        earliest[job] = now
        k = running
        while k > 0 and end[others[k - 1]] < end[job]:
            others[k] = others[k - 1]
            k -= 1
        others[k] = job
        running += 1
        used += size[job]
    return earliest


@njit(nogil=True, cache=True)
def first_reservations(
    since, asked, start, end, prediction, estimate, size, machine, correction, sunny
):
    """Reservation of each job at the instant it came to the head and was blocked.

    Parameters
    ----------
    since : int64[n], s
        When the job came to the head; never descending.
    asked : bool[n]
        Whose reservation is wanted.
    start, end, prediction, estimate : int64[n], s
    size : int64[n], processors
    machine : int, processors
    correction : int
        Of predictions that are outlived, see `replication.core.planned`.
    sunny : bool
        Whether only running jobs of higher priority count, and the others' processors as free.

    Returns
    -------
    int64[n], s
        The earliest planned end at which the job fits; -1 where not asked.
    """
    n = len(since)
    reserved = np.full(n, -1, np.int64)
    order = np.argsort(start)
    live, planned = np.empty(n, np.int64), np.empty(n, np.int64)
    running = begun = 0
    for job in range(n):
        if not asked[job]:
            continue
        now = since[job]
        while begun < n and start[order[begun]] <= now:
            live[running] = order[begun]
            running += 1
            begun += 1
        kept, plans, used = 0, 0, 0
        for k in range(running):
            other = live[k]
            if end[other] > now:
                live[kept] = other
                kept += 1
                if other < job or not sunny:
                    elapsed = now - start[other]
                    plan = start[other] + corrected(
                        prediction[other], estimate[other], elapsed, correction
                    )
                    planned[plans] = max(plan, now) << SLOT_BITS | other
                    plans += 1
                    used += size[other]
        running = kept
        ends = np.sort(planned[:plans])
        k = 0
        while used + size[job] > machine:
            used -= size[ends[k] & SLOT_MASK]
            reserved[job] = ends[k] >> SLOT_BITS
            k += 1
    return reserved


@njit(nogil=True, cache=True)
def outlived_behind(asked, at, start, end, prediction):
    """Whether a job of lower priority runs at an instant at which it should have ended by its prediction.

    Parameters
    ----------
    asked : bool[n]
        For which jobs.
    at : int64[n], s
        The instant of each.
    start, end, prediction : int64[n], s

    Returns
    -------
    bool[n]
    """
    n = len(at)
    found = np.zeros(n, np.bool_)
    instants = np.argsort(at)
    order = np.argsort(start)
    live = np.empty(n, np.int64)
    running = begun = 0
    for k in range(n):
        job = instants[k]
        if not asked[job]:
            continue
        now = at[job]
        while begun < n and start[order[begun]] <= now:
            live[running] = order[begun]
            running += 1
            begun += 1
        kept = 0
        for place in range(running):
            other = live[place]
            if end[other] > now:
                live[kept] = other
                kept += 1
                found[job] |= other > job and start[other] + prediction[other] <= now
        running = kept
    return found


@njit(nogil=True, cache=True)
def easy_without_later(submit, run_time, estimate, size, machine, backfilling, start):
    """Start of each job under EASY (or FCFS) if no job of lower priority had been submitted.

    What happened before a job's submission is the same with and without the jobs behind it, so each replay
    begins there: the running jobs with what is left of them, then the waiting ones, all submitted at once.

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
    machine : int, processors
    backfilling : bool
    start : int64[n], s
        As scheduled.

    Returns
    -------
    int64[n], s
    """
    n = len(submit)
    alone = start.copy()
    live = np.empty(n, np.int64)  # jobs submitted earlier that have not ended
    living = 0
    for job in range(n):
        now = submit[job]
        kept = 0
        for k in range(living):
            other = live[k]
            if start[other] >= now or start[other] + run_time[other] > now:
                live[kept] = other
                kept += 1
        live[kept] = job
        living = kept + 1
        if _may_differ(job, submit, start):
            alone[job] = now + _replay(
                live[:living], now, run_time, estimate, size, machine, backfilling, start
            )
    return alone


@njit(nogil=True, cache=True)
def _may_differ(job, submit, start):
    """Whether a job may start at another time without the later ones: it waited, or one came with it."""
    return start[job] > submit[job] or (job + 1 < len(submit) and submit[job + 1] == submit[job])


@njit(nogil=True, cache=True)
def _replay(live, now, run_time, estimate, size, machine, backfilling, start):
    """Start of the last of `live`, seconds from now, if nobody else comes."""
    n = len(live)
    columns = np.zeros((4, n), np.int64)
    place = 0
    for waiting in (False, True):
        for job in live:
            if (start[job] >= now) == waiting:
                gone = 0 if waiting else now - start[job]
                columns[1, place] = run_time[job] - gone
                columns[2, place] = max(estimate[job] - gone, 0)
                columns[3, place] = size[job]
                place += 1
    begins, backfilled = np.empty(n, np.int64), np.zeros(n, np.bool_)
    easy(columns[0], columns[1], columns[2], columns[3], machine, backfilling, begins, backfilled)
    return begins[n - 1]


@njit(nogil=True, cache=True)
def pv_easy_without_later(submit, run_time, estimate, size, machine, rules, memory, spare, start):
    """Start of each job's last run under PV-EASY if no job of lower priority had been submitted.

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
    machine : int, processors
    rules : replication.core.shadow.Rules
    memory, spare : namedtuple
        Two of the same predictor, before the first job; changed.
    start : int64[n], s
        Of the last runs, as scheduled.

    Returns
    -------
    int64[n], s
    """
    n = len(submit)
    alone = start.copy()
    state = empty_machine(submit, run_time, estimate, size, machine)
    copy = empty_machine(submit, run_time, estimate, size, machine)
    done = 0  # jobs before this one have had their replay
    while done < n:
        # Up to the instant of the next submission, as it was.
        while not run_on(n, submit[done], rules, memory, state):
            state = with_more_room(state)
        instant = submit[done]
        while done < n and submit[done] == instant:
            if _may_differ(done, submit, start):
                _copy(state, copy, done)
                copy_tables(memory, spare)
                while not run_on(done + 1, NEVER, rules, spare, copy):
                    copy = with_more_room(copy)
                alone[done] = copy.jobs[done, START]
            done += 1
    return alone


@njit(nogil=True, cache=True)
def _copy(state, copy, job):
    """Make `copy` the same as `state`, where `job` and those of its instant are yet to come."""
    head, tail = state.count[HEAD], state.count[TAIL]
    copy.count[:] = state.count
    copy.count[HEAD], copy.count[TAIL], copy.count[KILLS] = 0, tail - head, 0
    copy.waiting[: tail - head] = state.waiting[head:tail]
    for order, same in ((state.by_end, copy.by_end), (state.by_plan, copy.by_plan)):
        same[: state.count[RUNNING] + 1] = order[: state.count[RUNNING] + 1]
    copy.shadow[: state.count[SHADOW]] = state.shadow[: state.count[SHADOW]]
    for k in range(head, tail):
        copy.jobs[state.waiting[k]] = state.jobs[state.waiting[k]]
    for k in range(1, state.count[RUNNING] + 1):
        copy.jobs[state.by_end[k] & SLOT_MASK] = state.jobs[state.by_end[k] & SLOT_MASK]
    for k in range(state.count[ARRIVED], job + 1):
        copy.jobs[k] = state.jobs[k]
