"""Was a schedule fair, and were its reservations kept? For any schedule of any scheduler.

Priority is submission order (PV-EASY, section 5.2), so a job's priority is its place in the workload. A job
is at the head of the queue once every job before it has started for good, and blocked if it then does not
start at that instant.
"""

import functools

import numpy as np

from replication.simulator.choices import among
from replication.simulator.kernels import audits
from replication.simulator.predictors import Virtual
from replication.simulator.schedulers import EASY, FCFS, PVEasy
from replication.simulator.schedulers.options import CORRECTIONS
from replication.simulator.simulation import simulate

BLAMES = ("under-predicted", "any-later", "since-reserved")
WHICH = ("first", "latest")
BY = ("predictions", "estimates")
SINCE = ("alone", "head", "reservation", "running")


class AuditError(ValueError):
    """A question that cannot be asked of this schedule; the message lists what is allowed."""


def _once(asked):
    """Keep what is asked of a schedule with it: several audits start from the same."""

    @functools.wraps(asked)
    def answer(schedule, *more):
        known = schedule.__dict__.setdefault("_audits", {})
        if (asked, *more) not in known:
            known[asked, *more] = asked(schedule, *more)
            known[asked, *more].flags.writeable = False
        return known[asked, *more]

    return answer


def _alone_at_head(schedule):
    """When each job is submitted and all before it have started for good, int64[n], s."""
    earlier = np.concatenate([[0], np.maximum.accumulate(schedule.start)[:-1]])
    return np.maximum(schedule.workload.submit, earlier)


@_once
def head_since(schedule):
    """When each job came to the head of the queue, int64[n], s; its start where it did not wait there."""
    return np.minimum(_alone_at_head(schedule), schedule.start)


@_once
def blocked(schedule):
    """Which jobs came to the head of the queue and could not start at that instant, bool[n].

    Preempted jobs count by their last wait: once at the head a job stays there until it starts, and then it
    cannot be preempted.
    """
    return schedule.start > head_since(schedule)


@_once
def earliest_at_head(schedule):
    """First instant at which each blocked job could have started if no later job had run, int64[n], s.

    That is when idle processors and those of later jobs together sufficed; the start for jobs not blocked.
    """
    w = schedule.workload
    since = _alone_at_head(schedule)
    found = audits.earliest_at_head(since, schedule.end, w.processors, w.machine)
    return np.where(blocked(schedule), found, schedule.start)


def head_violations(schedule):
    """Which jobs waited at the head while idle and shadow processors would have done, bool[n].

    PV-EASY, sections 3.1 and 4.2: such a job is delayed by jobs of lower priority.
    """
    return schedule.start > earliest_at_head(schedule)


@_once
def reservations(schedule, which="first", by="predictions"):
    """The reservation of each blocked job, int64[n], s; -1 for the others. The `first` is made when the
    job comes to the head, the `latest` when a job last comes or ends before it starts. Worked out as
    the scheduler does it at that instant: from the running jobs and their predictions, with PV-EASY
    from the sunny load alone (sections 3.2 and 4.3). Schedules with resumed jobs are refused: what was
    left of them is not known.

    By `estimates`, the first reservation is the one that plain EASY would give at that instant, before it
    backfills: a bound that only a later job can break while no job outlives its estimate.
    """
    since = head_since(schedule)
    if among(BY, "by", by, AuditError) == "estimates":
        if which == "latest" or isinstance(schedule.scheduler, PVEasy):
            raise AuditError("by='estimates': allowed: which='first', any scheduler but PV-EASY")
        # A job that is backfilled at this very instant is not there yet, see `earliest_of_running`.
        later = schedule.backfilled.astype(np.int64)
        plans = schedule.estimate - later, schedule.estimate - later
        return _reserved(schedule, since, schedule.start + later, plans)
    if among(WHICH, "which", which, AuditError) == "latest":
        events = np.unique(np.concatenate([schedule.workload.submit, schedule.end]))
        before = events[np.maximum(np.searchsorted(events, schedule.start, "left") - 1, 0)]
        since = np.maximum(since, before)
    if schedule.length is not None:
        raise AuditError(
            f"{schedule.workload.name}: the reservations of resumed jobs are not known; "
            "allowed: mode='kill'"
        )
    correction = CORRECTIONS.index(getattr(schedule.scheduler, "correction", "now"))
    plans, sunny = (schedule.prediction, schedule.estimate), isinstance(schedule.scheduler, PVEasy)
    return _reserved(schedule, since, schedule.start, plans, correction, sunny)


def _reserved(schedule, since, start, plans, correction=0, sunny=False):
    w, asked = schedule.workload, blocked(schedule)
    jobs = since, asked, start, schedule.end, *plans, w.processors, w.machine
    return audits.first_reservations(*jobs, correction, sunny)


@_once
def earliest_of_running(schedule):
    """First instant at which each blocked job could start if no job had after it was blocked, int64[n], s.

    That is when enough of the jobs that ran when it came to the head have really ended, be they earlier or
    later ones: its first real shadow time (heel-and-toe, section 5); the start for jobs not blocked.
    """
    # A job that is backfilled at the very instant starts after the head was found blocked: counted as
    # starting one second later, it is not there yet.
    later, since = schedule.backfilled.astype(np.int64), head_since(schedule)
    length = schedule.end - schedule.start - later
    found = _reserved(schedule, since, schedule.start + later, (length, length))
    # Preemption may make room before the jobs that ran have ended.
    return np.where(blocked(schedule), np.clip(found, since, schedule.start), schedule.start)


def reservation_delays(schedule, blame="under-predicted", which="first", by="predictions"):
    """Delay from the reservation of each job whose reservation a later job violated, int64[n], s;
    else 0. PV-EASY, section 3.2: a job that starts after its reservation suffers a violation if
    it could have started earlier without the later jobs. Otherwise its predecessors ran longer
    than predicted, which the paper calls benign, or it was not late at all.

    `blame` says whether a later job must still run past its prediction at the first instant at
    which the job is late and could have started (under-predicted); or any later job will do
    (any-later); or it must also have started since the reservation (since-reserved). `which` is the
    reservation that a job had first, or the latest one, `by` predictions or by the users' estimates.
    """
    among(BLAMES, "blame", blame, AuditError)
    reserved = reservations(schedule, which, by)
    late_from = np.maximum(reserved, earliest_at_head(schedule))
    violated = (reserved >= 0) & (schedule.start > late_from)
    if blame != "any-later":
        since = head_since(schedule) if blame == "since-reserved" else np.zeros_like(late_from)
        violated &= audits.outlived_behind(
            violated, late_from, since, schedule.start, schedule.end, schedule.prediction
        )
    return np.where(violated, schedule.start - reserved, 0)


def alone(schedule, jobs=None):
    """Start of each job, int64[n], s, if no job of lower priority had been submitted. The literal
    definition of strict fairness (PV-EASY, section 3.1). Up to a job's submission the two worlds
    are the same; from there the scheduler runs on without further arrivals. Of preempted jobs,
    the start of the run that completes.

    `jobs` are indices, all by default; the others get their start as scheduled. Outside FCFS, plain
    EASY and PV-EASY each job takes a simulation from the beginning, which is refused for random
    predictions: they would be drawn anew.
    """
    found, w = schedule.start.copy(), schedule.workload
    if is_replayed(schedule.scheduler):
        chosen = slice(None) if jobs is None else jobs
        found[chosen] = _replayed(schedule)[chosen]
        return found
    if isinstance(getattr(schedule.scheduler, "predictor", None), Virtual):
        raise AuditError(
            f"{schedule.scheduler!r}: random predictions cannot be repeated for part of the jobs"
        )
    for job in range(len(w)) if jobs is None else jobs:
        with_another = job + 1 < len(w) and w.submit[job + 1] == w.submit[job]
        if schedule.start[job] > w.submit[job] or with_another:
            part, estimate = w.take(slice(job + 1)), schedule.estimate[: job + 1]
            found[job] = simulate(part, schedule.scheduler, estimate, schedule.seed).start[job]
    return found


def is_replayed(scheduler):
    """Whether the scheduler's kernel can go on from any instant: then `alone` is quick for all jobs."""
    plain = isinstance(scheduler, EASY) and scheduler.is_plain
    if isinstance(scheduler, PVEasy):
        return (
            scheduler.predictor.is_compiled
        )  # a state in Python cannot be copied at every instant
    return plain or isinstance(scheduler, FCFS)


@_once
def _replayed(schedule):
    """`alone` for the schedulers whose kernels can go on from any instant."""
    w, scheduler = schedule.workload, schedule.scheduler
    if not isinstance(scheduler, PVEasy):
        jobs = w.submit, w.run_time, schedule.estimate, w.processors, w.machine
        return audits.easy_without_later(*jobs, isinstance(scheduler, EASY), schedule.start)
    _, rules = scheduler.kernel()
    given = w, schedule.estimate, schedule.seed
    with scheduler.predictor.memory(*given) as memory, scheduler.predictor.memory(*given) as spare:
        return audits.pv_easy_without_later(w.machine, rules, memory, spare, schedule.start)


def start_delays(schedule, since="alone"):
    """How long each blocked job was delayed by jobs behind it, int64[n], s; 0 for jobs not blocked.
    PV-EASY, Table 1.

    The delay is measured from `since`: the start without the later jobs (`alone`); the first
    instant at the head at which idle and later jobs' processors sufficed (head,
    `earliest_at_head`); that instant or the first reservation, whichever is later (reservation);
    the real end of enough jobs that ran already (running, `earliest_of_running`).
    """
    among(SINCE, "since", since, AuditError)
    if since == "alone":
        fair = alone(schedule)
    elif since == "running":
        fair = earliest_of_running(schedule)
    else:
        fair = earliest_at_head(schedule)
        if since == "reservation":
            fair = np.maximum(fair, reservations(schedule, "first"))
    return np.where(blocked(schedule), np.maximum(schedule.start - fair, 0), 0)


def postponements(schedule):
    """How the reservations of blocked jobs move while these wait at the head, under EASY with any predictor.

    Worked out from the schedule: at each submission and each end, from the running jobs and their predictions.

    Returns
    -------
    moved : int64[n, 4]
        Of each job: passes at which it was blocked at the head; those at which it was expected to start later than at
        the pass before; those of these at which it would not have been without the later jobs started since it came
        to the head; and by how much it was postponed in all, s.
    passing : int8[n]
        Of each job that was started behind a blocked head: 1 if it was planned to end by the head's shadow time, 2 if
        it took extra processors, 3 if it took extra processors of a head that was expected at that very instant; else 0.
    """
    w = schedule.workload
    events = np.unique(np.concatenate([w.submit, schedule.end]))
    correction = CORRECTIONS.index(getattr(schedule.scheduler, "correction", "now"))
    passing = np.zeros(len(w), np.int8)
    plans = schedule.prediction, schedule.estimate
    jobs = head_since(schedule), blocked(schedule), schedule.start, schedule.end, events, plans
    moved = audits.postponements(*jobs, w.processors, w.machine, correction, passing)
    return moved, passing
