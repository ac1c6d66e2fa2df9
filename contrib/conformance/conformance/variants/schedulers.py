"""Schedulers other than EASY: FCFS, largest area first, and conservative backfilling."""

import itertools
from collections import defaultdict

from conformance.easy import NEVER, Easy


class Fcfs(Easy):
    """First come, first served (E6)."""

    def backfill(self, head):
        """Start no job past the blocked head."""


class LargestAreaFirst(Easy):
    """The job with the largest planned area that fits starts (P18)."""

    def schedule(self):
        """Try every waiting job in the order of the areas."""
        plans = {job: self.planned(job) for job in self.queue}
        for job in sorted(plans, key=lambda job: (-job.size * plans[job], -plans[job])):
            if job.size <= self.free:
                self.start(job)


class Conservative(Easy):
    """Every waiting job has a reservation (P16, P17)."""

    corrected = late = freed = False
    wakes = False  # whether a reserved start needs no other event

    def __init__(self, jobs, processors):
        super().__init__(jobs, processors)
        self.reserved = {}  # start and planned run time of each waiting job's reservation

    def next_instant(self):
        """Return the time of the next event, or of a reserved start (P20)."""
        starts = [start for start, _ in self.reserved.values()]
        return min([super().next_instant(), *(starts if self.wakes and not self.late else ())])

    def end(self, job):
        """Free the processors of a job."""
        super().end(job)
        self.freed = True

    def schedule(self):
        """Make reservations, and start the jobs whose reservation begins now."""
        was_late = self.late
        self.late = any(job.start + job.plan <= self.now for job in self.running)
        new = [job for job in self.queue if job not in self.reserved]
        again = []
        if self.corrected or self.late or was_late:
            again = self.all_again()
        elif self.freed:
            again = self.compressed()
        self.freed = False
        for job in again + new:
            self.reserved.pop(job, None)
            self.reserved[job] = self.earliest(job), self.planned(job)
        for job in [job for job in self.queue if self.reserved[job][0] == self.now]:
            self.start(job)
            del self.reserved[job]

    def planned(self, job):
        """Return the run time that a waiting job is reserved or planned with."""
        return self.reserved[job][1] if job in self.reserved else super().planned(job)

    def all_again(self):
        """Give up all reservations; return their jobs in the order of their starts (P17)."""
        again = sorted(self.reserved, key=lambda job: (self.reserved[job][0], self.rank(job)))
        self.reserved = {}
        return again

    def compressed(self):
        """Return the jobs whose reservations are made again after an end."""
        return self.all_again()

    def earliest(self, job):
        """Return the earliest start that running jobs and other reservations permit (P16)."""
        size, length, begin = job.size, max(self.planned(job), 1), None
        for time, following, free in self.profile():
            if free < size:
                begin = None
            elif begin is None:
                begin = time
            if begin is not None and following - begin >= length:
                return begin

    def profile(self):
        """Return the free processors from each instant to the following, a list of triples."""
        holds = [(self.now, max(job.start + job.plan, self.now + 1), job) for job in self.running]
        holds += [
            (start, start + max(plan, 1), job) for job, (start, plan) in self.reserved.items()
        ]
        changes = defaultdict(int, {self.now: self.processors})
        for start, end, job in holds:
            if end > self.now:
                changes[max(start, self.now)] -= job.size
                changes[end] += job.size
        times, free, steps = sorted(changes), 0, []
        for time, following in zip(times, [*times[1:], NEVER]):
            free += changes[time]
            steps.append((time, following, free))
        return steps


class ExchangesEach(Easy):
    """After an end the reservations are exchanged one by one, in queue order (P20)."""

    wakes = True

    def compressed(self):
        """Return the jobs with a reservation in queue order."""
        return [job for job in self.queue if job in self.reserved]


class QueueOrder(Easy):
    """Every pass makes all reservations again, in queue order."""

    def schedule(self):
        """Give up all reservations, and make them."""
        self.reserved = {}
        super().schedule()


class Backwards(Easy):
    """The start of a reservation is sought from the last planned end backwards."""

    def earliest(self, job):
        """Return now, or the first instant of those at whose end the job fits all the time."""
        start = super().earliest(job)
        if start == self.now:
            return start
        fit = itertools.takewhile(lambda step: step[2] >= job.size, reversed(self.profile()))
        return [time for time, _, _ in fit][-1]


class KeepsReservations(Easy):
    """Reservations are not made again after an end."""

    wakes = True

    def compressed(self):
        """Return no job."""
        return []
