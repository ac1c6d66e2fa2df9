"""Starts and reservations of jobs at the head of the queue, with and without later jobs.

The index of a job is its priority. A job is at the head when every job of higher priority has
started for good.
"""

import numpy as np
from numba import njit

from replication.simulator.kernels import paper_easy
from replication.simulator.kernels.easy import easy
from replication.simulator.kernels.machine import (
    ARRIVED,
    HEAD,
    JOB_BITS,
    JOB_MASK,
    LAST,
    RUNNING,
    TAIL,
    corrected,
    idle_machine,
)
from replication.simulator.kernels.ordered_list import NEVER
from replication.simulator.kernels.pv_easy import copy_queue, empty_runs, simulate_until


@njit(nogil=True, cache=True)
def earliest_at_head(since, end, size, machine):
    """Return the start of each job at the head of the queue
    if no job of lower priority ran, int64[n], s.

    That is the first instant at which the jobs of higher priority leave enough processors, from
    `since` on (int64[n], s, ascending), when the job comes to the head.
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
def _running_at(now, order, live, counts, start, end):
    """Return the jobs that run at an instant, a view of `live`; the instants of calls ascend.

    `order` has the jobs by start; `counts` has the number of those that have begun, and of those in
    `live`.
    """
    while counts[0] < len(order) and start[order[counts[0]]] <= now:
        live[counts[1]] = order[counts[0]]
        counts += 1
    kept = 0
    for job in live[: counts[1]]:
        if end[job] > now:
            live[kept] = job
            kept += 1
    counts[1] = kept
    return live[:kept]


@njit(nogil=True, cache=True)
def first_reservations(
    since, asked, start, end, prediction, estimate, size, machine, correction, sunny, unaged
):
    """Return the reservation of each job of `asked` (bool[n]) at the instant `since`, int64[n], s;
    -1 for other jobs.

    It is the earliest planned end at which the job fits, the instant itself if it fits then. The
    instants ascend; `correction` is that of expired predictions, see
    `replication.simulator.kernels.machine`. If `sunny`, the processors of running jobs of lower
    priority count as free. If `unaged`, running jobs are planned to end after their whole plan.
    """
    n = len(since)
    reserved, planned = np.where(asked, since, -1), np.empty(n, np.int64)
    order, live, counts = np.argsort(start), np.empty(n, np.int64), np.zeros(2, np.int64)
    for job in np.flatnonzero(asked):
        now, plans, used = since[job], 0, 0
        for other in _running_at(now, order, live, counts, start, end):
            if other < job or not sunny:
                elapsed = now - start[other]
                plan = corrected(prediction[other], estimate[other], elapsed, correction)
                plan_end = now + prediction[other] if unaged else max(start[other] + plan, now)
                planned[plans] = plan_end << JOB_BITS | other
                plans += 1
                used += size[other]
        ends = np.sort(planned[:plans])
        k = 0
        while used + size[job] > machine:
            used -= size[ends[k] & JOB_MASK]
            reserved[job] = ends[k] >> JOB_BITS
            k += 1
    return reserved


@njit(nogil=True, cache=True)
def outlived_behind(asked, at, since, start, end, prediction):
    """Return whether a job of lower priority runs past its prediction at the instant `at`
    (int64[n], s), bool[n].

    For each job of `asked` (bool[n]); the other job has started at `since` (int64[n], s) or later.
    """
    n = len(at)
    outlived = np.zeros(n, np.bool_)
    order, live, counts = np.argsort(start), np.empty(n, np.int64), np.zeros(2, np.int64)
    for job in np.argsort(at):
        if asked[job]:
            for other in _running_at(at[job], order, live, counts, start, end):
                late = start[other] + prediction[other] <= at[job]
                outlived[job] |= other > job and late and start[other] >= since[job]
    return outlived


@njit(nogil=True, cache=True)
def outlived_at(asked, at, since, start, end, prediction, size, machine):
    """Return whether a job past its prediction keeps another one from starting at the instant `at`
    (int64[n], s), bool[n].

    For each job of `asked` (bool[n]): it would fit then without the jobs of lower priority that
    have started at `since` (int64[n], s) or later, and one of these, started before the instant,
    runs past its prediction.
    """
    n = len(at)
    outlived = np.zeros(n, np.bool_)
    order, live, counts = np.argsort(start), np.empty(n, np.int64), np.zeros(2, np.int64)
    for job in np.argsort(at):
        if asked[job]:
            used, late = size[job], False
            for other in _running_at(at[job], order, live, counts, start, end):
                if other < job or start[other] < since[job]:
                    used += size[other]
                elif start[other] < at[job]:
                    late |= start[other] + prediction[other] <= at[job]
            outlived[job] = late and used <= machine
    return outlived


@njit(nogil=True, cache=True)
def easy_without_later(submit, run_time, estimate, size, machine, backfilling, start, asked):
    """Return the start of each job of `asked` (bool[n]), int64[n], s, under EASY (or FCFS)
    if no job of lower priority had been submitted; of other jobs that in the schedule, `start`.

    Up to a job's submission the schedule does not depend on later jobs. Each replay
    begins there: the running jobs with their remaining run times, then the waiting ones, all
    submitted at once.
    """
    n = len(submit)
    alone = start.copy()
    live = np.empty(n, np.int64)  # jobs submitted earlier that have not ended
    living = 0
    for job in range(n):
        now, kept = submit[job], 0
        for other in live[:living]:
            if start[other] >= now or start[other] + run_time[other] > now:
                live[kept] = other
                kept += 1
        live[kept] = job
        living = kept + 1
        if asked[job] and _may_differ(job, submit, start):
            alone[job] = now + _replay(
                live[:living], now, run_time, estimate, size, machine, backfilling, start
            )
    return alone


@njit(nogil=True, cache=True)
def _may_differ(job, submit, start):
    """Return whether a job may start at another time without later jobs:
    it waited, or another has its submission.
    """
    return start[job] > submit[job] or (job + 1 < len(submit) and submit[job + 1] == submit[job])


@njit(nogil=True, cache=True)
def _replay(live, now, run_time, estimate, size, machine, backfilling, start):
    """Return the start of the last job of `live` without further submissions, seconds from now."""
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
    begins, backfilled, order = np.empty(n, np.int64), np.zeros(n, np.bool_), np.empty(n, np.int64)
    submit, run_time, estimate, size = columns[0], columns[1], columns[2], columns[3]
    easy(submit, run_time, estimate, size, machine, backfilling, begins, backfilled, order)
    return begins[n - 1]


@njit(nogil=True, cache=True)
def pv_easy_without_later(machine, rules, group, memory, spare, start, asked):
    """Return the start of each job's last PV-EASY run
    if no job of lower priority had been submitted, int64[n], s.

    `group` (int64[n]) are the classes of the jobs. `memory` and `spare` are of the same predictor,
    before the first job; `start` is that of the schedule, and of the jobs not `asked` (bool[n]).
    """
    n, submit = len(start), memory.submit
    alone = start.copy()
    world, runs = idle_machine(n, machine), empty_runs(n, machine, group)
    replay, replay_runs = idle_machine(n, machine), empty_runs(n, machine, group)
    done = 0  # jobs that have had their replay
    while done < n:
        # The schedule up to the instant of the next submission.
        instant = submit[done]
        while not simulate_until(world, memory, runs, rules, instant):
            runs.kills[0] = 0
        while done < n and submit[done] == instant:
            if asked[done] and _may_differ(done, submit, start):
                _copy(world, runs, replay, replay_runs, done)
                spare.state[:] = memory.state
                while not simulate_until(replay, spare, replay_runs, rules, NEVER):
                    replay_runs.kills[0] = 0
                alone[done] = replay.start[done]
            done += 1
    return alone


@njit(nogil=True, cache=True)
def _copy(world, runs, replay, replay_runs, job):
    """Copy the state to another one in which `job` is the last submission."""
    replay.count[:], replay_runs.shadow[:] = world.count, runs.shadow
    replay.count[LAST], replay_runs.kills[0], replay_runs.kills[1] = job + 1, 0, runs.kills[1]
    last = world.count[RUNNING] + 1
    replay.by_end[:last], replay.by_plan[:last] = world.by_end[:last], world.by_plan[:last]
    copy_queue(runs, replay_runs)
    for k in np.flatnonzero(runs.is_waiting[: world.count[ARRIVED]]):
        _copy_job(world, runs, replay, replay_runs, k)
    for key in world.by_end[1:last]:
        _copy_job(world, runs, replay, replay_runs, key & JOB_MASK)
    for k in range(world.count[ARRIVED], job + 1):
        _copy_job(world, runs, replay, replay_runs, k)


@njit(nogil=True, cache=True)
def _copy_job(world, runs, replay, replay_runs, job):
    """Copy what has become of a job."""
    replay.start[job], replay.first[job] = world.start[job], world.first[job]
    replay.prediction[job], replay.planned[job] = world.prediction[job], world.planned[job]
    replay.done[job], replay_runs.length[job] = world.done[job], runs.length[job]
    replay_runs.times_killed[job] = runs.times_killed[job]


@njit(nogil=True, cache=True)
def paper_easy_without_later(machine, shared, rules, permission, memory, spare, start, asked):
    """Return the start of each job of `asked` (bool[n]) under `PaperEASY`
    if no job of lower priority had been submitted, int64[n], s.

    `memory` and `spare` are of the same predictor, before the first job; `start` is that of the
    schedule, and of the jobs not asked.
    """
    n, submit = len(start), memory.submit
    alone = start.copy()
    world, replay = idle_machine(n, machine), idle_machine(n, machine)
    ends, replay_ends = paper_easy.empty_ends(world), paper_easy.empty_ends(replay)
    for job in range(n):
        if asked[job] and _may_differ(job, submit, start):
            # The schedule up to the instant of the job's submission.
            instant = submit[job]
            paper_easy.simulate_until(world, memory, shared, rules, permission, ends, instant)
            _copy_machine(world, replay, job)
            for k in range(2):
                replay_ends[k][: world.count[RUNNING] + 1] = ends[k][: world.count[RUNNING] + 1]
            spare.state[:] = memory.state
            paper_easy.simulate_until(replay, spare, shared, rules, permission, replay_ends, NEVER)
            alone[job] = replay.start[job]
    return alone


@njit(nogil=True, cache=True)
def _copy_machine(world, replay, job):
    """Copy the state of a machine to another one in which `job` is the last submission."""
    replay.count[:] = world.count
    replay.count[LAST] = job + 1
    last, queue = world.count[RUNNING] + 1, slice(world.count[HEAD], world.count[TAIL])
    replay.by_end[:last], replay.by_plan[:last] = world.by_end[:last], world.by_plan[:last]
    replay.waiting[queue] = world.waiting[queue]
    replay.queued_size[queue] = world.queued_size[queue]
    for k in world.waiting[queue]:
        replay.first[k] = world.first[k]
    for key in world.by_end[1:last]:
        k = key & JOB_MASK
        replay.start[k], replay.first[k] = world.start[k], world.first[k]
        replay.prediction[k], replay.planned[k] = world.prediction[k], world.planned[k]


@njit(nogil=True, cache=True)
def postponements(since, asked, start, end, events, plans, size, machine, correction, passing):
    """Return the postponements of the reservations of the jobs `asked` (bool[n])
    while each is the head, int64[n, 4].

    Arguments and results as in `notebooks.audits.postponements`. `since` (int64[n], s,
    ascending) is the instant at which each job comes to the head, `events` (int64[k], s, ascending)
    are the instants of the passes, `plans` predictions and estimates. `passing` (int8[n]) is set.
    """
    n = len(since)
    prediction, estimate = plans
    moved = np.zeros((n, 4), np.int64)
    order, live, counts = np.argsort(start), np.empty(n, np.int64), np.zeros(2, np.int64)
    planned, prior = np.empty(n, np.int64), np.empty(n, np.int64)
    for job in np.flatnonzero(asked):
        k, before = np.searchsorted(events, since[job]), -1
        while events[k] < start[job]:
            now, count, earlier, used, used_earlier = events[k], 0, 0, 0, 0
            for other in _running_at(now, order, live, counts, start, end):
                if other > job and start[other] == now:
                    continue  # this pass starts it
                plan = corrected(prediction[other], estimate[other], now - start[other], correction)
                key = max(start[other] + plan, now) << JOB_BITS | other
                planned[count] = key
                count += 1
                used += size[other]
                if other < job or start[other] < since[job]:
                    prior[earlier] = key
                    earlier += 1
                    used_earlier += size[other]
            shadow = _shadow(planned[:count], used + size[job] - machine, size, now)
            moved[job, 0] += 1
            if before >= 0 and shadow > before:
                moved[job, 1] += 1
                moved[job, 3] += shadow - before
                alone = _shadow(prior[:earlier], used_earlier + size[job] - machine, size, now)
                moved[job, 2] += alone <= before or used_earlier + size[job] <= machine
            before = shadow
            for place in range(counts[1]):
                other = live[place]
                if other > job and start[other] == now:
                    in_time = now + prediction[other] <= shadow
                    passing[other] = 1 if in_time else (3 if shadow <= now else 2)
            k += 1
    return moved


@njit(nogil=True, cache=True)
def _shadow(keys, needed, size, now):
    """Return the planned end at which `needed` processors have become free, s."""
    instant = now
    for key in np.sort(keys):
        if needed <= 0:
            break
        needed -= size[key & JOB_MASK]
        instant = key >> JOB_BITS
    return instant
