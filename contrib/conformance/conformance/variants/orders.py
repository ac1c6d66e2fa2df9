"""EASY over a queue that is put in order at every pass (Q1 to Q11)."""

import math

from conformance.easy import NEVER, Easy


class Ordered(Easy):
    """The queue is in the order of `value`, the least first (Q1 to Q3)."""

    def schedule(self):
        """Put the queue in order, and make a pass."""
        self.queue.sort(key=lambda job: (self.value(job), self.rank(job)))
        super().schedule()

    def value(self, job):
        """Return the value of a waiting job."""
        return 0


class Shortest(Ordered):
    """The shortest prediction goes first (Q5)."""

    def value(self, job):
        """Return the planned run time."""
        return self.planned(job)


class SmallestArea(Ordered):
    """The smallest area goes first (Q5)."""

    def value(self, job):
        """Return the planned run time times the processors."""
        return self.planned(job) * job.size


class Wfp3(Ordered):
    """Long waits for short predictions of large jobs go first (Q6)."""

    def value(self, job):
        """Return the cube of wait over prediction, times the processors, negative."""
        ratio = (self.now - job.submit) / max(self.planned(job), 1)
        return -(ratio * ratio * ratio * job.size)


class F1(Ordered):
    """Early, short and small jobs go first (Q7)."""

    def __init__(self, jobs, processors):
        self.first = min(job.submit for job in jobs)
        super().__init__(jobs, processors)

    def value(self, job):
        """Return the value of F1."""
        length, arrival = max(self.planned(job), 1), max(job.submit - self.first, 1)
        return math.log10(length) * job.size + 870 * math.log10(arrival)


class WaitingLimit(Ordered):
    """Jobs that have waited for the limit go first, in the order of arrival (Q8)."""

    waiting_limit = NEVER

    def value(self, job):
        """Return the value of the order, or less than all for a job that has waited."""
        return super().value(job) if self.now - job.submit < self.waiting_limit else -NEVER
