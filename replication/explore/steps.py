"""EASY walked through decision by decision: what it believes, what is true, and what is stolen.

The readable twin (`replication.reference.easy`) runs; this module watches it and says in words what it
saw.
"""

from dataclasses import dataclass

from replication.estimates import Deterministic
from replication.explore import model
from replication.papers.heel_and_toe import examples
from replication.reference import easy as reference

MOST = 400  # jobs that the twin walks through in about a second
THIRDS = 3  # s in a time unit of the paper's example, so that thirds are whole
BADNESS = {f"F = {name.partition('=')[2]}": factor - 1 for name, factor in examples.FACTORS.items()}


class StepError(ValueError):
    """Jobs that cannot be walked through."""


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


@dataclass(frozen=True)
class Walk:
    """A run of EASY, decision by decision; `unit`, s, is what the axis counts in."""

    workload: object
    estimate: list
    start: list
    moments: list
    unit: int
    unit_name: str
    about: str

    def end(self, job):
        """When a job really ends, s."""
        return self.start[job] + int(self.workload.run_time[job])

    def believed_end(self, job):
        """When the scheduler expects a job to end, s."""
        return self.start[job] + self.estimate[job]

    def name(self, job):
        """A job as the log numbers it."""
        return f"job {self.workload.job_id[job]}"

    def free(self, moment):
        """Idle processors after a decision."""
        return self.workload.machine - int(
            sum(self.workload.processors[job] for job in moment.sight.running)
        )

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


def walk(workload, estimate, unit=1, unit_name="s", about=""):
    """Watch EASY; StepError for more than `MOST` jobs."""
    if len(workload) > MOST:
        raise StepError(
            f"{workload.name}: {len(workload):,} jobs, allowed in the step mode: up to {MOST}"
        )
    sights, estimate = [], [int(e) for e in estimate]
    start = reference.Easy(workload, estimate, watch=sights.append).run().start
    return Walk(workload, estimate, start, list(_moments(sights)), unit, unit_name, about)


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


def heel_and_toe(badness="F = 2"):
    """The paper's own example, Fig. 8, with one of the three badnesses of Table 2, the keys of
    `BADNESS`; the figure's is F = 2.
    """
    if badness not in BADNESS:
        raise StepError(f"badness {badness!r}, allowed: {', '.join(BADNESS)}")
    jobs = examples.workload("fig08", examples.FIG8, 2, THIRDS)
    _, told = Deterministic(BADNESS[badness]).make(jobs)
    return walk(jobs, told, THIRDS, "time units", f"Heel and toe, Fig. 8, {badness}")


def of_log(jobs, choice, seed=1):
    """The jobs of a log under EASY with a side's estimates, from an empty machine."""
    told = model.Choice("easy", "", choice.model, choice.f)
    found = model.schedule(jobs, told, seed)
    about = (
        f"{len(found.start)} jobs of {found.workload.name}{' (stand-in)' * found.workload.stand_in}"
    )
    return walk(found.workload, found.estimate, 3600, "hours", f"{about}, {told.words}")


def words(found, number):
    """What happens at a decision, in sentences: what is decided, what the scheduler believes, what
    is true.
    """
    moment = found.moments[number]
    sight = moment.sight
    at = f"At {_long(found, sight.now)}"
    said = [f"Step {number + 1} of {len(found.moments)}. {at}: {_event(found, moment)}"]
    if sight.planned is not None:
        head = found.name(sight.queue[0])
        said.append(
            f"The scheduler believes: {head} can start at {_time(found, sight.planned)} (reservation), "
            f"with {sight.extra} extra processors then; until then {found.free(moment)} are free, a hole "
            f"of {_long(found, sight.planned - sight.now)}."
        )
        said.append(
            f"In truth {head} could start at {_time(found, sight.real)} (real shadow time); stolen from "
            f"it so far: {_long(found, moment.stolen)}."
        )
    return said + (_in_the_end(found) if number + 1 == len(found.moments) else [])


def _in_the_end(found):
    """What the head that lost most could have had, a sentence; none where no head lost anything."""
    could = {
        one.sight.queue[0]: one.first_real for one in found.moments if one.sight.real is not None
    }
    job = max(could, key=lambda head: found.start[head] - could[head], default=None)
    if job is None or found.start[job] <= could[job]:
        return []
    return [
        f"In the end: {found.name(job)} could have started at {_time(found, could[job])} when it became the head, "
        f"and started at {_time(found, found.start[job])}; later jobs stole "
        f"{_long(found, found.start[job] - could[job])} from it."
    ]


def _event(found, moment):
    sight = moment.sight
    if sight.kind == "events":
        ended = [found.name(job) for job in sight.jobs if job not in sight.queue]
        came = [found.name(job) for job in sight.jobs if job in sight.queue]
        said = [f"{_listed(ended)} end{'s' * (len(ended) == 1)}"] * bool(ended)
        return "; ".join(said + [f"{_listed(came)} submitted"] * bool(came)) + "."
    name = found.name(sight.jobs[0])
    if sight.kind == "started":
        return f"{name} starts in order."
    if sight.kind == "reserved":
        return f"{name} is the head and does not fit; it gets a reservation."
    if not moment.wild:
        return (
            f"{name} is backfilled, mildly: the real shadow time stays {_time(found, sight.real)}."
        )
    return (
        f"{name} is backfilled, wildly: the real shadow time moves from {_time(found, moment.before)} to "
        f"{_time(found, sight.real)}, and steals {_long(found, sight.real - moment.before)}."
    )


def _listed(names):
    shown = names[:4] + [f"{len(names) - 4} more"] * (len(names) > 4)
    return (
        shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""
    )


def _time(found, seconds):
    return f"{round(seconds / found.unit, 2):,g}"


def _long(found, seconds):
    return f"{_time(found, seconds)} {found.unit_name}"
