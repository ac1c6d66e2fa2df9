"""Audits of the schedules of any scheduler: fairness at the head of the queue,
and violations of reservations.

The priority is the order of submission (PV-EASY, section 5.2), so a job's priority is its index in
the workload. A job is at the head of the queue when every job before it has started for good, and
is blocked if it cannot start at that instant.
"""

import functools
import inspect

import numpy as np

from notebooks import audit_kernels as kernels
from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.kernels import machine
from replication.simulator.schedulers import EASY, FCFS, PaperEASY, PVEasy
from replication.simulator.schedulers.options import CORRECTIONS
from replication.simulator.simulation import simulate

BLAMES = ("since-reserved", "under-predicted", "any-later", "at-reservation")
WHICH = ("first", "latest")
BY = ("predictions", "estimates")
SINCE = ("alone", "head", "reservation", "running")


class AuditError(InputError):
    """An audit that is impossible for this schedule; the message lists the possible ones."""


def cached(audit):
    """Store the result of an audit with its schedule: several audits begin with the same one."""

    signature = inspect.signature(audit)

    @functools.wraps(audit)
    def result(*values, **named):
        bound = signature.bind(*values, **named)
        bound.apply_defaults()
        schedule, *more = bound.args
        results = schedule.__dict__.setdefault("_audits", {})
        if (audit, *more) not in results:
            results[audit, *more] = audit(schedule, *more)
            results[audit, *more].flags.writeable = False
        return results[audit, *more]

    return result


def _alone_at_head(schedule):
    """Return the first instant at which a job is submitted and all before it have started
    for good, int64[n], s.
    """
    earlier = np.concatenate([[0], np.maximum.accumulate(schedule.start)[:-1]])
    return np.maximum(schedule.workload.submit, earlier)


@cached
def head_since(schedule) -> np.ndarray:
    """Return the instant at which each job came to the head of the queue.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    int64[n], s
        The job's start if it did not wait at the head.
    """
    return np.minimum(_alone_at_head(schedule), schedule.start)


@cached
def blocked(schedule) -> np.ndarray:
    """Return the mask of the jobs that came to the head of the queue
    and could not start at that instant.

    Preempted jobs count by their last wait: a job at the head stays there until it starts, and then
    cannot be preempted.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    bool[n]
    """
    return schedule.start > head_since(schedule)


@cached
def earliest_at_head(schedule) -> np.ndarray:
    """Return the first instant at which each blocked job could have started without later jobs.

    From then on, idle processors and those of later jobs together suffice.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    int64[n], s
        The start of a job that was not blocked.
    """
    w = schedule.workload
    since = _alone_at_head(schedule)
    earliest = kernels.earliest_at_head(since, schedule.end, w.processors, w.machine)
    return np.where(blocked(schedule), earliest, schedule.start)


def head_violations(schedule) -> np.ndarray:
    """Return the mask of jobs that waited at the head while idle and shadow processors sufficed.

    Jobs of lower priority delay such a job (PV-EASY, sections 3.1 and 4.2).

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    bool[n]
    """
    return schedule.start > earliest_at_head(schedule)


@cached
def reservations(schedule, which="first", by="predictions") -> np.ndarray:
    """Return the reservation of each blocked job.

    It is computed as the scheduler does at that instant: from the running jobs and their
    predictions, in PV-EASY from the sunny load alone (sections 3.2 and 4.3).

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    which : {"first", "latest"}
        The reservation made when the job comes to the head, or at the last submission or end before
        it starts.
    by : {"predictions", "estimates"}
        By estimates, the first reservation is that of plain EASY at that instant before it
        backfills. Only a later job can violate it while no job outlives its estimate.

    Returns
    -------
    int64[n], s
        -1 for jobs that were not blocked.

    Raises
    ------
    AuditError
        For schedules with resumed jobs, whose remaining run times are unknown, and for times above
        2^39 s or more than 2^24 jobs, as `earliest_of_running` and `postponements` do.
    """
    since = head_since(schedule)
    if among(BY, "by", by, AuditError) == "estimates":
        if which == "latest" or isinstance(schedule.scheduler, PVEasy):
            raise AuditError("by='estimates': allowed: which='first', any scheduler but PV-EASY")
        plan = schedule.estimate - schedule.backfilled
        return _reservations_at(schedule, since, *_runs_at_pass(schedule), (plan, plan))
    if among(WHICH, "which", which, AuditError) == "latest":
        events = np.unique(np.concatenate([schedule.workload.submit, schedule.end]))
        before = events[np.maximum(np.searchsorted(events, schedule.start, "left") - 1, 0)]
        since = np.maximum(since, before)
    if schedule.length is not None:
        raise AuditError(
            f"{schedule.workload.name}: reservations are unknown if jobs are resumed; "
            "allowed: preemption='kill'"
        )
    correction = CORRECTIONS.index(getattr(schedule.scheduler, "correction", "now"))
    plans, sunny = (schedule.prediction, schedule.estimate), isinstance(schedule.scheduler, PVEasy)
    unaged = getattr(schedule.scheduler, "plans", "aged") == "unaged"
    runs = schedule.start, schedule.end
    return _reservations_at(schedule, since, *runs, plans, correction, sunny, unaged)


def _check_room(schedule):
    """Raise AuditError if times or jobs exceed the keys of the kernels
    that order jobs by their planned ends.
    """
    last = float(schedule.end.max()) + float(schedule.estimate.max())
    if not last < machine.LATEST or len(schedule.workload) > machine.JOB_MASK:
        raise AuditError(
            f"{schedule.workload.name}: {len(schedule.workload)} jobs up to second {last:.0f}; "
            f"allowed in audits of reservations: {machine.JOB_MASK} jobs and times below "
            f"{machine.LATEST} s"
        )


def _runs_at_pass(schedule):
    """Return the start and the end of each job's run as seen at the instant at which a head is
    blocked, two int64[n], s.

    A job backfilled at that instant starts after the head is blocked: it counts as starting one
    second later. A job that was not backfilled and takes no time runs at its only instant.
    """
    in_no_time = (schedule.start == schedule.end) & ~schedule.backfilled
    return schedule.start + schedule.backfilled, schedule.end + in_no_time


def _reservations_at(schedule, since, start, end, plans, correction=0, sunny=False, unaged=False):
    _check_room(schedule)
    w, asked = schedule.workload, blocked(schedule)
    jobs = since, asked, start, end, *plans, w.processors, w.machine
    return kernels.first_reservations(*jobs, correction, sunny, unaged)


@cached
def earliest_of_running(schedule) -> np.ndarray:
    """Return the first real shadow time of each blocked job (heel-and-toe, section 5).

    It is the first instant at which enough of the jobs that ran when the job came to the head have
    really ended. Jobs submitted before and after it count alike.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    int64[n], s
        The start of a job that was not blocked.
    """
    since, (start, end) = head_since(schedule), _runs_at_pass(schedule)
    length = schedule.end - start
    ends = _reservations_at(schedule, since, start, end, (length, length))
    # Preemption may free processors before the running jobs have ended.
    return np.where(blocked(schedule), np.minimum(ends, schedule.start), schedule.start)


def reservation_delays(
    schedule, blame="since-reserved", which="first", by="predictions"
) -> np.ndarray:
    """Return the delay of each job whose reservation a later job violated.

    A job that starts after its reservation suffers a violation if it could have started earlier
    without the later jobs (PV-EASY, section 3.2). Otherwise its predecessors ran longer than
    predicted, which the paper calls benign.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    blame : {"since-reserved", "under-predicted", "any-later", "at-reservation"}
        The later jobs that count at the first instant at which the job is late and could have
        started. The default, which follows section 3.2, counts those that started since the first
        reservation and run past their prediction; "under-predicted" counts all that run past it,
        "any-later" every later job. "at-reservation" asks at the reservation itself: the job would
        fit then without the later jobs that started since it came to the head, and one of these
        runs past its prediction.
    which, by : str
        See `reservations`.

    Returns
    -------
    int64[n], s
        0 for jobs without a violation.

    Raises
    ------
    AuditError
        See `reservations`.
    """
    among(BLAMES, "blame", blame, AuditError)
    reserved = reservations(schedule, which, by)
    if blame == "at-reservation":
        w, late = schedule.workload, (reserved >= 0) & (schedule.start > reserved)
        at, runs = (late, reserved, head_since(schedule)), (schedule.start, schedule.end)
        late = kernels.outlived_at(*at, *runs, schedule.prediction, w.processors, w.machine)
        return np.where(late, schedule.start - reserved, 0)
    late_from = np.maximum(reserved, earliest_at_head(schedule))
    violated = (reserved >= 0) & (schedule.start > late_from)
    if blame != "any-later":
        since = head_since(schedule) if blame == "since-reserved" else np.zeros_like(late_from)
        violated &= kernels.outlived_behind(
            violated, late_from, since, schedule.start, schedule.end, schedule.prediction
        )
    return np.where(violated, schedule.start - reserved, 0)


def alone(schedule, jobs=None) -> np.ndarray:
    """Return the start of each job if no job of lower priority had been submitted.

    This is the literal definition of strict fairness (PV-EASY, section 3.1). Up to the submission
    of a job both schedules are equal; from there the scheduler continues without further arrivals.
    For preempted jobs it is the start of the run that completes.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    jobs : sequence of int, optional
        Indices of the jobs to compute, all by default; other jobs get their start in the schedule.
        Schedulers for which `is_replayed` is false need a whole simulation for each job.

    Returns
    -------
    int64[n], s

    Raises
    ------
    AuditError
        For random choices of the scheduler or its predictor, which would differ between these
        simulations.
    """
    start, w = schedule.start.copy(), schedule.workload
    if is_replayed(schedule.scheduler):
        asked = np.full(len(w), jobs is None)
        asked[[] if jobs is None else jobs] = True
        return _replay(schedule, asked)
    choices = schedule.scheduler, getattr(schedule.scheduler, "predictor", None)
    if any(getattr(choice, "draws_at_random", False) for choice in choices):
        raise AuditError(
            f"{schedule.scheduler!r}: random choices cannot be repeated for part of the jobs; "
            "allowed: a scheduler and a predictor with draws_at_random = False"
        )
    for job in range(len(w)) if jobs is None else jobs:
        with_another = job + 1 < len(w) and w.submit[job + 1] == w.submit[job]
        if schedule.start[job] > w.submit[job] or with_another:
            part, estimate = w.take(slice(job + 1)), schedule.estimate[: job + 1]
            start[job] = simulate(part, schedule.scheduler, estimate, schedule.seed).start[job]
    return start


def is_replayed(scheduler) -> bool:
    """Return whether the scheduler's kernel can continue from any instant,
    so that `alone` is fast for all jobs.
    """
    if isinstance(scheduler, PVEasy | PaperEASY):
        # The state of a predictor in Python cannot be copied at every instant.
        return scheduler.predictor.is_compiled and not scheduler.draws_at_random
    is_plain = isinstance(scheduler, EASY) and scheduler.is_plain
    return is_plain or isinstance(scheduler, FCFS)


def _replay(schedule, asked):
    """Return `alone` for the schedulers whose kernels can continue from any instant."""
    w, scheduler = schedule.workload, schedule.scheduler
    if not isinstance(scheduler, PVEasy | PaperEASY):
        jobs = w.submit, w.run_time, schedule.estimate, w.processors, w.machine
        is_easy = isinstance(scheduler, EASY)
        return kernels.easy_without_later(*jobs, is_easy, schedule.start, asked)
    inputs = w, schedule.estimate, schedule.seed
    with (
        scheduler.predictor.memory(*inputs) as memory,
        scheduler.predictor.memory(*inputs) as spare,
    ):
        rest = memory, spare, schedule.start, asked
        if isinstance(scheduler, PVEasy):
            group = scheduler.classes(w, schedule.estimate)
            return kernels.pv_easy_without_later(w.machine, scheduler.kernel()[1], group, *rest)
        rules, columns = scheduler.kernel()[1:], scheduler.columns_of(*inputs)
        return kernels.paper_easy_without_later(w.machine, *rules, *columns, *rest)


@cached
def start_delays(schedule, since="alone") -> np.ndarray:
    """Return the delay of each blocked job by later jobs (PV-EASY, Table 1).

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule
    since : {"alone", "head", "reservation", "running"}
        The start of the delay: the start without later jobs (`alone`); the first instant at the
        head at which idle and later jobs' processors sufficed (`earliest_at_head`); that instant or
        the first reservation, whichever is later; or the first real shadow time
        (`earliest_of_running`).

    Returns
    -------
    int64[n], s
        0 for jobs that were not blocked.
    """
    among(SINCE, "since", since, AuditError)
    if since == "alone":
        fair = alone(schedule, np.flatnonzero(blocked(schedule)))
    elif since == "running":
        fair = earliest_of_running(schedule)
    else:
        fair = earliest_at_head(schedule)
        if since == "reservation":
            fair = np.maximum(fair, reservations(schedule, "first"))
    return np.where(blocked(schedule), np.maximum(schedule.start - fair, 0), 0)


def postponements(schedule) -> tuple[np.ndarray, np.ndarray]:
    """Return the postponements of the reservations of blocked jobs under EASY with any predictor.

    They are computed from the schedule, at each submission and end, from the running jobs and their
    predictions.

    Parameters
    ----------
    schedule : replication.simulator.schedules.schedule.Schedule

    Returns
    -------
    moved : int64[n, 4]
        For each job: the number of passes at which it was blocked at the head; the number of those
        at which its reservation was later than at the pass before; the number at which only later
        jobs that started since it came to the head caused this; and the sum, s, of its
        postponements.
    passing : int8[n]
        For each job that started behind a blocked head: 1 if its planned end was no later than the
        shadow time, 2 if it took extra processors, 3 if it took extra processors and the shadow
        time was the present instant; else 0.
    """
    _check_room(schedule)
    w = schedule.workload
    events = np.unique(np.concatenate([w.submit, schedule.end]))
    correction = CORRECTIONS.index(getattr(schedule.scheduler, "correction", "now"))
    passing = np.zeros(len(w), np.int8)
    plans = schedule.prediction, schedule.estimate
    jobs = head_since(schedule), blocked(schedule), schedule.start, schedule.end, events, plans
    moved = kernels.postponements(*jobs, w.processors, w.machine, correction, passing)
    return moved, passing
