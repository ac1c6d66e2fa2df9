"""EASY walked through decision by decision: what it believes, what is true, and what is stolen.

The readable twin (`replication.simulator.reference.easy`) runs; this module watches it and says in words what it
saw.
"""

from dataclasses import dataclass

import numpy as np

from replication.explore import model
from replication.papers.heel_and_toe import examples
from replication.simulator.estimates import Deterministic
from replication.simulator.reference import easy as reference

THIRDS = 3  # s in a time unit of the paper's example, so that thirds are whole
BADNESS = {f"F = {name.partition('=')[2]}": factor - 1 for name, factor in examples.FACTORS.items()}


@dataclass(frozen=True)
class Moment:
    """One decision: what the twin saw, the head's real shadow time when it became the head, s, and
    that before this decision where it is a backfill.
    """

    sight: reference.Sight
    first_real: int | None = None
    before: int | None = None

    @property
    def wild(self):
        """Whether a backfill moved the head's real shadow time (report, section 5)."""
        return self.before is not None and self.sight.real != self.before

    @property
    def stolen(self):
        """Time stolen from the head since it became the head, s."""
        return 0 if self.first_real is None else self.sight.real - self.first_real


class Walk:
    """A run of EASY, decision by decision; `unit`, s, is what the axis counts in.

    Of each job it has start and end, s, and `believed`, when the scheduler expects the end.
    """

    def __init__(self, workload, estimate, unit=1, unit_name="s", about=""):
        self.workload, self.unit, self.unit_name, self.about = workload, unit, unit_name, about
        sights, estimate = [], np.asarray(estimate)
        watched = reference.Easy(workload, estimate.tolist(), watch=sights.append).run()
        self.start = np.array(watched.start)
        self.end, self.believed = self.start + workload.run_time, self.start + estimate
        self.estimate, self.moments = estimate, list(_moments(sights))

    def name(self, job):
        """A job as the log numbers it."""
        return f"job {self.workload.job_id[job]}"

    def free(self, moment):
        """Idle processors after a decision."""
        return self.workload.machine - int(self.workload.processors[[*moment.sight.running]].sum())

    def verdict(self, moment, job):
        """Whether a waiting job may pass the head now, in a few words."""
        sight, size = moment.sight, int(self.workload.processors[job])
        if sight.planned is None:
            return ""
        if job == sight.queue[0]:
            return "head: has the reservation"
        if not self.free(moment):
            return "nothing is free"
        if size > self.free(moment):
            return "too wide for what is free"
        if sight.now + self.estimate[job] <= sight.planned:
            return "fits the hole"
        return "fits the extra processors" if size <= sight.extra else "too long for the hole"

    def words(self, number):
        """What happens at a decision, in sentences: what is decided, what the scheduler believes,
        what is true.
        """
        moment, total = self.moments[number], len(self.moments)
        sight = moment.sight
        event = f"At {self._long(sight.now)}: {self._event(moment)}"
        yield f"Step {number + 1} of {total}. {event}"
        if sight.planned is not None:
            head = self.name(sight.queue[0])
            yield (
                f"The scheduler believes: {head} can start at {self._time(sight.planned)} (reservation), "
                f"with {sight.extra} extra processors then; until then {self.free(moment)} are free, a hole "
                f"of {self._long(sight.planned - sight.now)}."
            )
            yield (
                f"In truth {head} could start at {self._time(sight.real)} (real shadow time); stolen from "
                f"it so far: {self._long(moment.stolen)}."
            )
        if number + 1 == total:
            yield from self._in_the_end()

    def _in_the_end(self):
        """What the head that lost most could have had; nothing where no head lost anything."""
        could = {m.sight.queue[0]: m.first_real for m in self.moments if m.sight.real is not None}
        job = max(could, key=lambda head: self.start[head] - could[head], default=None)
        if job is not None and self.start[job] > could[job]:
            yield (
                f"In the end: {self.name(job)} could have started at {self._time(could[job])} when it became the "
                f"head, and started at {self._time(self.start[job])}; later jobs stole "
                f"{self._long(self.start[job] - could[job])} from it."
            )

    def _event(self, moment):
        sight = moment.sight
        if sight.kind == "events":
            ended = [self.name(job) for job in sight.jobs if job not in sight.queue]
            came = [self.name(job) for job in sight.jobs if job in sight.queue]
            said = [f"{_listed(ended)} end{'s' * (len(ended) == 1)}"] * bool(ended)
            return "; ".join(said + [f"{_listed(came)} submitted"] * bool(came)) + "."
        name, real = self.name(sight.jobs[0]), self._time(sight.real or 0)
        if sight.kind == "started":
            return f"{name} starts in order."
        if sight.kind == "reserved":
            return f"{name} is the head and does not fit; it gets a reservation."
        if not moment.wild:
            return f"{name} is backfilled, mildly: the real shadow time stays {real}."
        return (
            f"{name} is backfilled, wildly: the real shadow time moves from {self._time(moment.before)} to "
            f"{real}, and steals {self._long(sight.real - moment.before)}."
        )

    def _time(self, seconds):
        return f"{round(seconds / self.unit, 2):,g}"

    def _long(self, seconds):
        return f"{self._time(seconds)} {self.unit_name}"


def _moments(sights):
    """Each sight with what the head's real shadow time was before."""
    head = first = real = None
    for sight in sights:
        if sight.real is None:
            yield Moment(sight)
            continue
        if sight.queue[0] != head:
            head, first = sight.queue[0], sight.real
        yield Moment(sight, first, real if sight.kind == "backfilled" else None)
        real = sight.real


def _listed(names):
    shown = names[:4] + [f"{len(names) - 4} more"] * (len(names) > 4)
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def heel_and_toe(badness="F = 2"):
    """The paper's own example, Fig. 8, with one of the three badnesses of Table 2, the keys of
    `BADNESS`; the figure's is F = 2.
    """
    jobs = examples.workload("fig08", examples.FIG8, 2, THIRDS)
    _, told = Deterministic(BADNESS[badness]).make(jobs)
    return Walk(jobs, told, THIRDS, "time units", f"Heel and toe, Fig. 8, {badness}")


def of_log(jobs, choice, seed=1):
    """The jobs of a log under EASY with a side's estimates, from an empty machine."""
    told = model.Choice(model=choice.model, f=choice.f)
    found = model.side(jobs, told, seed).schedule
    stand_in = " (stand-in)" * found.workload.stand_in
    about = f"{len(found.start)} jobs of {found.workload.name}{stand_in}, {told.words}"
    return Walk(found.workload, found.estimate, 3600, "hours", about)
