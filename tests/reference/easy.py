"""EASY in readable Python, after the papers: the reference implementation of its kernels.

It is compared with the compiled kernels on every start time, on random and on real workloads.
"""

from statistics import median
from typing import NamedTuple

from replication import PaperEASY
from replication.simulator.kernels.paper_easy import (
    BY_RESERVATION,
    NEVER_WILD,
    WHENEVER_IT_FITS,
    WILD_IF_SHORTER,
)
from replication.simulator.schedulers.event_loop import Reservation, earliest_fit
from tests.reference.base import Reference


class Decision(NamedTuple):
    """One decision and the machine after it; times in s, jobs as indices."""

    # events (ends and submissions of an instant), started (in queue order), reserved (the head is
    # blocked), or backfilled
    kind: str
    now: int
    jobs: tuple  # the jobs that ended or were submitted, the job that started, or the blocked head
    queue: tuple
    running: tuple
    # With a blocked head: its reservation, the extra processors then, and its real shadow time.
    planned: int | None = None
    extra: int | None = None
    real: int | None = None


class Easy(Reference):
    """One simulation of EASY (Lifka 1995; Mu'alem and Feitelson 2001, section 2).

    Parameters
    ----------
    workload, estimate, seed, **options
        As in `Reference`.
    watch : callable, optional
        Called with a `Decision` at every decision.
    permissions : sequence of int, optional
        Permission of each job: to be backfilled wildly never (`NEVER_WILD`), or if its run time is
        shorter or longer than the median of the waiting jobs (`WILD_IF_SHORTER`, `WILD_IF_LONGER`);
        or to pass the head whenever it fits (`WHENEVER_IT_FITS`), after which the head has a new
        reservation.
    """

    scheduler = PaperEASY

    def __init__(self, workload, estimate=None, seed=1, watch=None, permissions=None, **options):
        super().__init__(workload, estimate, seed, **options)
        self.watch, self.permissions = watch, permissions
        self.last = None  # head, shadow time and extra processors of the last reservation

    def correct_plans(self, now) -> bool:
        """Correct the expired predictions of running jobs; plans that do not age never expire."""
        return self.options["plans"] == "aged" and super().correct_plans(now)

    def planned_end(self, job) -> int:
        """Return the planned end of a running job."""
        if self.options["plans"] == "aged":
            return super().planned_end(job)
        return self.now + self.planned(job)

    def schedule(self, now) -> None:
        """Start heads while they fit, make a reservation for the blocked head, and backfill."""
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
            self.report("started", self.running[-1:])
        if not self.queue:
            return
        head, *candidates = self.queue
        shadow, extra = self.reserve(head)
        self.report("reserved", [head], shadow, extra)
        if self.options["candidates"] == "shortest":
            candidates.sort(key=self.planned)
        for job in candidates[: self.options.get("candidates_limit")]:
            end = now + self.planned(job)
            in_time = end < shadow or (end == shadow and not self.options["strict"])
            if job.size <= self.free and self.may_pass(job, head, in_time, extra):
                self.begin(job)
                if not in_time and self.options["extra"] != "not-used-up":
                    extra -= job.size
                    if extra < 0:  # the job was let past the head
                        self.last = None
                        shadow, extra = self.reserve(head)
                self.report("backfilled", [job], shadow, extra)
        self.last = head, Reservation(shadow, extra)

    def may_pass(self, job, head, in_time, extra) -> bool:
        """Return whether a job that fits may pass the head."""
        permission = BY_RESERVATION if self.permissions is None else self.permissions[job.index]
        if permission == WHENEVER_IT_FITS:
            return True
        if not in_time and job.size > extra:
            return False
        if permission == BY_RESERVATION or not self.would_be_wild(job, head):
            return True
        if permission == NEVER_WILD:
            return False
        middle, length = median(map(self.length, self.queue)), self.length(job)
        return length < middle if permission == WILD_IF_SHORTER else length > middle

    def would_be_wild(self, job, head) -> bool:
        """Return whether the real shadow time of the head would move if the job started now."""
        end = self.now + self.length(job)
        ends = [*self.real_ends(), (end, job.size)]
        after = earliest_fit(head.size, self.free - job.size, ends).time
        return after > self.real_shadow(head)

    def real_ends(self) -> list[tuple[int, int]]:
        """Return actual end and size of each running job."""
        lengths = [(self.start[job.index] + self.length(job), job.size) for job in self.running]
        return [(max(end, self.now), size) for end, size in lengths]

    def real_shadow(self, head) -> int:
        """Return the time at which the head could start if no other job did."""
        return earliest_fit(head.size, self.free, self.real_ends()).time

    def reserve(self, head) -> Reservation:
        """Return the reservation of the blocked head."""
        if self.is_valid(head):
            shadow, extra = self.last[1]
            if self.options["recount"] == "pass":
                extra = self.extra_at(shadow, head)
        else:
            shadow, extra = self.earliest(head)
        lifetime, overdue = self.options["lifetime"], self.options["overdue"]
        closed = overdue == "nobody" or (overdue == "by-lifetime" and lifetime == "until-start")
        is_closed = lifetime != "recomputed" and closed and shadow <= self.now
        if is_closed or self.options["extra"] == "none":
            extra = 0
        return Reservation(shadow, extra)

    def is_valid(self, head) -> bool:
        """Return whether the head has a reservation that is still valid."""
        way = self.options["lifetime"]
        if way == "recomputed" or self.last is None or self.last[0] is not head:
            return False
        return way == "until-start" or self.last[1].time > self.now

    def by_planned_end(self) -> list[tuple[int, int]]:
        """Return planned end and size of each running job, of equal ends the job earlier in the
        queue, or started, first.
        """
        by_start = self.options["shadow"] == "first-started"
        running = sorted(
            (self.planned_end(job), self.start[job.index] if by_start else 0, job)
            for job in self.running
        )
        return [(max(end, self.now), job.size) for end, _, job in running]

    def earliest(self, head) -> Reservation:
        """Return the reservation of the blocked head by the present planned ends."""
        if self.options["shadow"] == "all":
            return self.reservation(head)
        available = self.free
        for end, size in self.by_planned_end():
            available += size
            if available >= head.size:
                return Reservation(end, available - head.size)
        raise AssertionError("the head fits once all running jobs have ended")

    def extra_at(self, shadow, head) -> int:
        """Return the extra processors at a reserved time; below 0
        if the head does not fit then by the planned ends.
        """
        shadow, available = max(shadow, self.now), self.free
        for end, size in self.by_planned_end():
            by_single_end = self.options["shadow"] != "all"
            if end == shadow and by_single_end and available >= head.size:
                break
            if end <= shadow:
                available += size
        return available - head.size

    def note_events(self, ended, submitted, corrected) -> None:
        """Report the events."""
        if ended or submitted:
            self.report("events", [*ended, *submitted])

    def report(self, kind, jobs, *reservation) -> None:
        """Call `watch` with a decision; `reservation` is that of the blocked head."""
        if self.watch is not None:
            indices = (
                tuple(job.index for job in part) for part in (jobs, self.queue, self.running)
            )
            real = [self.real_shadow(self.queue[0])] if reservation else []
            self.watch(Decision(kind, self.now, *indices, *reservation, *real))
