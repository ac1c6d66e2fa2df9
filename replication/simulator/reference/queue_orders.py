"""EASY over an ordered queue in readable Python: the reference implementation of its kernel."""

from math import log10

from replication.simulator import schedulers
from replication.simulator.reference.easy import Easy


class OrderedEasy(Easy):
    """EASY with a queue that is sorted before each pass."""

    scheduler = schedulers.OrderedEASY

    def schedule(self, now):
        """Sort the queue, then schedule as EASY does."""
        self.queue.sort(key=lambda job: (*self.place(job, now), job))
        super().schedule(now)

    def place(self, job, now):
        """Return the sort key of a waiting job: jobs past the limit first, then by value."""
        waited, limit = now - self.submit[job], self.options["limit"]
        if limit is not None and waited >= limit:
            return False, 0.0
        return True, self.value(self.predicted(job, now), self.size[job], waited, self.submit[job])

    def value(self, predicted, size, waited, submit):
        """Return the value by which the queue is sorted; the least is first."""
        length, arrival = max(predicted, 1), max(submit - self.submit[0], 1)
        return {
            "shortest": lambda: predicted,
            "smallest-area": lambda: predicted * size,
            "wfp3": lambda: -((waited / length) * (waited / length) * (waited / length) * size),
            "f1": lambda: log10(length) * size + 870 * log10(arrival),
        }[self.options["by"]]()
