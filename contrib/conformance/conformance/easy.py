"""EASY backfilling as the sentences E1 to E15 define it: the standard of this suite.

Another scheduler is a subclass that overrides a method; `variants` has those that the suite knows.
"""

import heapq
import math
from itertools import groupby

NEVER = math.inf


class Job:
    """A job of a log. Times are in s.

    Parameters
    ----------
    number, submit, size, estimate, run_time : int
    user : int, optional
    place : int, optional
        Its place in the log.
    """

    start = None

    def __init__(self, number, submit, size, estimate, run_time, user=-1, place=0):
        self.number, self.submit, self.size = number, submit, size
        self.estimate, self.run_time, self.user, self.place = estimate, run_time, user, place


class Easy:
    """A machine that schedules jobs with EASY; `simulate` sets the start of each job.

    Parameters
    ----------
    jobs : list of Job
    processors : int
    """

    END, SUBMISSION = 0, 1  # the order of the events of an instant (E2)

    def __init__(self, jobs, processors):
        self.processors = self.free = processors
        self.queue, self.running, self.events = [], [], []
        for job in jobs:
            self.add_event(job.submit, self.SUBMISSION, job)

    def simulate(self):
        """Take the events of each instant, then make a pass (E2)."""
        while self.next_instant() < NEVER:
            self.now = self.next_instant()
            self.take_events()
            self.schedule()

    def schedule(self):
        """Start jobs from the head of the queue; if one does not fit, backfill (E5)."""
        while self.queue and self.queue[0].size <= self.free:
            self.start(self.queue[0])
        if self.queue:
            self.backfill(self.queue[0])

    def backfill(self, head):
        """Start the jobs behind the blocked head that do not delay it (E10)."""
        self.shadow, self.extra = self.reservation(head)
        for job in self.candidates(self.queue[1:]):
            in_time = self.in_time(self.candidate_end(job))
            if job.size <= self.free and (in_time or self.fits_extra(job)):
                self.use_extra(job, in_time)
                self.start(job)

    def reservation(self, head):
        """Return the shadow time of the head, and the extra processors (E7 to E9)."""
        available = self.free
        for end, jobs in self.expected_ends():
            available += sum(job.size for job in jobs)
            if available >= head.size:
                return end, available - head.size

    def expected_ends(self):
        """Return the instants at which running jobs are to end, each with its jobs (E9)."""
        return groupby(sorted(self.running, key=self.planned_end), self.planned_end)

    def candidates(self, waiting):
        """Return the jobs that are tried behind the head, in their order (E10)."""
        return waiting

    def candidate_end(self, job):
        """Return the estimated end of a job that would start now (E10)."""
        return self.now + self.planned(job)

    def in_time(self, end):
        """Return whether a job may be backfilled for its end (E11)."""
        return self.clears(end, self.shadow)

    def clears(self, end, begin):
        """Return whether a job that ends then leaves a reservation alone that begins then (E11)."""
        return end <= begin

    def fits_extra(self, job):
        """Return whether a job may be backfilled for its size (E12)."""
        return job.size <= self.extra

    def use_extra(self, job, in_time):
        """Use up the extra processors for a job that outlives the shadow time (E12)."""
        if not in_time:
            self.extra -= job.size

    def planned(self, job):
        """Return the run time that a waiting job is planned with (E14)."""
        return job.estimate

    def planned_end(self, job):
        """Return the end that is expected of a running job (E15)."""
        return max(job.start + job.plan, self.now)

    def start(self, job):
        """Start a waiting job, which runs to its end (E3, E13)."""
        job.start, job.plan = self.now, self.planned(job)
        self.queue.remove(job)
        self.running.append(job)
        self.free -= job.size
        self.add_event(self.now + job.run_time, self.END, job)

    def end(self, job):
        """Free the processors of a job."""
        self.running.remove(job)
        self.free += job.size

    def submit(self, job):
        """Put a job in the queue."""
        self.queue.append(job)

    def rank(self, job):
        """Return the place of a job in the queue, as a value to sort by (E4)."""
        return job.submit, job.number

    def add_event(self, time, kind, job):
        """Note a coming end or submission."""
        heapq.heappush(self.events, (time, kind, self.rank(job), job))

    def next_instant(self):
        """Return the time of the next event."""
        return self.events[0][0] if self.events else NEVER

    def take_events(self):
        """Take the events of this instant, the ends first (E2)."""
        while self.events and self.events[0][0] == self.now:
            self.take_event()

    def take_event(self):
        """Take the next event."""
        _, kind, _, job = heapq.heappop(self.events)
        self.end(job) if kind == self.END else self.submit(job)
