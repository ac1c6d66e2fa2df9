"""The decisions of textbook EASY one by one, with the real shadow time of the head.

The explorer walks through them, and a figure of a paper shows them. Tests compare them with the
kernels and with the reference implementation.
"""

from typing import NamedTuple, Self

from replication import EventLoop
from replication.simulator.schedulers.event_loop import earliest_fit

#: Run time and size by job number: the example of heel-and-toe's Fig. 8, for two processors.
SIX_JOBS = {1: (6, 1), 2: (4, 1), 3: (3, 2), 4: (4, 1), 5: (3, 1), 6: (2, 1)}


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
    before: int | None = None  # of a backfill, the real shadow time before it


class TextbookEasy(EventLoop):
    """One simulation of EASY (Mu'alem and Feitelson 2001, section 2) that lists its `decisions`.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        Estimate of each job; by default that of the workload.
    """

    def __init__(self, workload, estimate=None):
        super().__init__(workload, estimate)
        self.decisions: list[Decision] = []

    def run(self, until: int | None = None) -> Self:
        """Simulate until the last job has ended or the second `until` is over, and return this
        object.
        """
        for now in self.passes():
            if until is not None and now > until:
                break
            self.schedule(now)
        return self

    def schedule(self, now: int) -> None:
        """Start heads while they fit, make a reservation for the blocked head, and backfill."""
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
            self.note("started", self.running[-1:])
        if not self.queue:
            return
        head, *candidates = self.queue
        shadow, extra = self.reservation(head)
        self.note("reserved", [head], shadow, extra, self.real_shadow(head))
        for job in candidates:
            in_time = now + self.planned(job) <= shadow
            if job.size <= self.free and (in_time or job.size <= extra):
                before = self.real_shadow(head)
                self.begin(job)
                extra -= 0 if in_time else job.size
                self.note("backfilled", [job], shadow, extra, self.real_shadow(head), before)

    def real_shadow(self, head) -> int:
        """Return the time, s, at which the head could start if no other job did."""
        ends = [(self.start[job.index] + self.length(job), job.size) for job in self.running]
        return earliest_fit(head.size, self.free, ends).time

    def note_events(self, ended, submitted, corrected) -> None:
        """Note ends and submissions as a decision."""
        if ended or submitted:
            self.note("events", [*ended, *submitted])

    def note(self, kind, jobs, *of_head) -> None:
        """Append a decision; `of_head` are its fields for a blocked head."""
        parts = (jobs, self.queue, self.running)
        indices = (tuple(job.index for job in part) for part in parts)
        self.decisions.append(Decision(kind, self.now, *indices, *of_head))
