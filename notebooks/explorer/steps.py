"""The decisions of EASY one by one: what the scheduler believes, what is true, and what is stolen
from the head.

`notebooks.explorer.decisions` simulates and lists each decision; this module adds sentences.
"""

from dataclasses import dataclass

import numpy as np

import replication as rp
from notebooks.explorer.decisions import SIX_JOBS, Decision, TextbookEasy
from notebooks.explorer.model import HOUR, hours

THIRDS = 3  # s in a time unit of the paper's example, which makes all estimates whole
#: Badness factors of the example by name; its estimates are F times the run times.
BADNESS = {"F = 1": 0, "F = 2": 1}
ARRIVALS = 60  # jobs that arrive during a walk through a log
NEVER = 2**53  # s, the start of a job that waits longer than its walk lasts


@dataclass(frozen=True)
class Moment:
    """One decision: the state after it, and the head's real shadow time, s, when it became the head
    (`first_real`) and, for a backfill, before the decision (`before`).
    """

    sight: Decision
    first_real: int | None = None
    before: int | None = None

    @property
    def wild(self) -> bool:
        """True if a backfill moved the head's real shadow time (heel-and-toe report, section 5)."""
        return self.before is not None and self.sight.real != self.before

    @property
    def stolen(self) -> int:
        """Time stolen from the head since it became the head, s."""
        return 0 if self.first_real is None else self.sight.real - self.first_real


def processors(count, adjective="") -> str:
    """Return a number of processors in words, such as ``1 processor`` or ``4 extra processors``."""
    noun = "processor" if count == 1 else "processors"
    return " ".join(filter(None, (str(count), adjective, noun)))


class Walk:
    """A run of EASY as a list of decisions, `moments`, with start, end and believed end of each
    job, s.

    The time axis has the label `axis`, counts in `unit` s, and begins at second `since`. With
    `until`, s, the walk ends there, and the decisions of second 0, which restore the state of the
    machine, are left out.
    """

    def __init__(self, workload, estimate, unit, axis, until=None, since=0):
        self.workload, self.unit, self.axis, self.estimate = workload, unit, axis, estimate
        self.since = since
        run = TextbookEasy(workload, estimate.tolist()).run(until)
        self.start = np.array([NEVER if start is None else start for start in run.start])
        self.end, self.believed = self.start + workload.run_time, self.start + estimate
        self.moments = list(_moments(run.decisions))
        if until is not None:
            self.moments = [m for m in self.moments if 0 < m.sight.now <= until] or self.moments

    def x(self, seconds) -> float:
        """Return a time of the walk on the time axis."""
        return (self.since + seconds) / self.unit

    def job(self, job) -> str:
        """Return a job's name by its index."""
        return f"job {self.workload.job_id[job]}"

    def free(self, moment) -> int:
        """Return the number of idle processors after a decision."""
        return self.workload.machine - int(self.workload.processors[[*moment.sight.running]].sum())

    def verdict(self, moment, job) -> str:
        """Return whether a waiting job may pass the head, in a few words."""
        sight, size, free = moment.sight, int(self.workload.processors[job]), self.free(moment)
        if sight.planned is None:
            return "waits"
        if job == sight.queue[0]:
            return "head: has the reservation"
        if size > free:
            return "too wide for the idle processors" if free else "no idle processors"
        if sight.now + self.estimate[job] <= sight.planned:
            return "fits the hole"
        return "fits the extra processors" if size <= sight.extra else "too long for the hole"

    def sentences(self, number) -> list[str]:
        """Return the decision, the scheduler's belief and the truth, a sentence each."""
        moment = self.moments[number]
        sight = moment.sight
        lines = [f"At {self._time(sight.now)}: {self._event(moment)}"]
        if sight.planned is not None:
            head, ahead = self.job(sight.queue[0]), self._long(sight.planned - sight.now)
            lines.append(
                f"Belief: {head} starts at {self._time(sight.planned)} (reservation), with "
                f"{processors(sight.extra, 'extra')}; until then "
                f"{processors(self.free(moment), 'idle')} for {ahead} "
                "(the hole)."
            )
            lines.append(
                f"Truth: {head} could start at {self._time(sight.real)} (real shadow time); stolen "
                f"from it so far: "
                f"{self._long(moment.stolen)}."
            )
        return lines

    def _event(self, moment):
        sight = moment.sight
        if sight.kind == "events":
            ended = [self.job(job) for job in sight.jobs if job not in sight.queue]
            arrived = [self.job(job) for job in sight.jobs if job in sight.queue]
            parts = [f"{_enumerate(ended)} ended"] * bool(ended)
            return "; ".join(parts + [f"{_enumerate(arrived)} arrived"] * bool(arrived)) + "."
        name, real = self.job(sight.jobs[0]), self._time(sight.real or 0)
        if sight.kind == "started":
            return f"{name} starts in order."
        if sight.kind == "reserved":
            return f"{name} is the head and does not fit; it gets a reservation."
        if not moment.wild:
            return f"{name} is backfilled, mildly: the real shadow time stays {real}."
        return (
            f"{name} is backfilled, wildly: the real shadow time moves from "
            f"{self._time(moment.before)} to {real}, "
            f"which steals {self._long(sight.real - moment.before)} from the head."
        )

    def _time(self, seconds):
        if self.unit == THIRDS:
            return f"{round(seconds / self.unit, 2):g}"
        return f"{self.x(seconds):,.3f} h"

    def _long(self, seconds):
        if self.unit == HOUR:
            return hours(seconds)
        return f"{self._time(seconds)} time unit{'s' * (seconds != self.unit)}"


def _moments(sights):
    """Yield each decision with the head's real shadow time before it."""
    head = first = None
    for sight in sights:
        if sight.real is None:
            yield Moment(sight)
            continue
        if sight.queue[0] != head:
            head, first = sight.queue[0], sight.real
        yield Moment(sight, first, sight.before)


def _enumerate(names):
    shown = names[:4] + [f"{len(names) - 4} more"] * (len(names) > 4)
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def six_jobs(badness: str = "F = 2", others: dict[int, int] | None = None) -> Walk:
    """Return the walk through heel-and-toe's Fig. 8, with estimates of F times the run time; some
    jobs may have `others` instead, in s by index.
    """
    run_time, size = np.array([*SIX_JOBS.values()]).T
    submit = np.zeros(len(size), int)
    jobs = rp.Workload.from_columns("six jobs", 2, submit, THIRDS * run_time, size)
    estimate = rp.Deterministic(BADNESS[badness]).make(jobs)[1].copy()
    for job, seconds in (others or {}).items():
        estimate[job] = max(seconds, jobs.run_time[job])
    return Walk(jobs, estimate, THIRDS, "time units")


def of_log(schedule: rp.Schedule, since: int) -> Walk:
    """Return the walk through a schedule of EASY from second `since` on, until `ARRIVALS` more jobs
    have arrived.

    The machine and the queue are those of the schedule: a running job is shortened to what is left
    of its run and its estimate. Until the last arrival the walk starts all jobs at the same times
    as the schedule.
    """
    w, start, end = schedule.workload, schedule.start, schedule.end
    running = np.flatnonzero((start < since) & (end > since))
    waiting = np.flatnonzero((w.submit < since) & (start >= since))
    jobs = np.concatenate([running, waiting, np.flatnonzero(w.submit >= since)[:ARRIVALS]])
    if not len(jobs):
        raise ValueError(f"No job of {w.name} runs, waits or arrives after {hours(since)}.")
    elapsed = np.where(start[jobs] < since, since - start[jobs], 0)
    estimate = np.maximum(schedule.estimate[jobs] - elapsed, 0)
    submit, run_time = np.maximum(w.submit[jobs] - since, 0), w.run_time[jobs] - elapsed
    columns = {"estimate": estimate, "job_id": w.job_id[jobs]}
    part = rp.Workload.from_columns(
        w.name, w.machine, submit, run_time, w.processors[jobs], **columns
    )
    axis = f"hours since the start of {w.name}{' (stand-in)' * w.stand_in}"
    return Walk(part, estimate, HOUR, axis, int(submit[-1]), since)
