"""List schedulers in readable Python: an order of the queue, and k reservations.

The reference implementations of FCFS, of EASY with other orders or several reservations, and of
largest area first.
"""

from math import log10
from typing import Any

from replication.simulator import schedulers
from replication.simulator.schedulers.event_loop import earliest_start
from tests.reference.base import Reference


class List(Reference):
    """Begin or reserve in order until k jobs are blocked, then try the others as candidates."""

    scheduler, k = schedulers.EASY, 1

    def place(self, job, now) -> Any:
        """Return the sort key of a waiting job;
        jobs of equal keys are in the order of submission.
        """
        return 0

    def candidates(self, waiting) -> list:
        """Return the jobs tried once k jobs are blocked, in their order."""
        return waiting

    def schedule(self, now) -> None:
        """Begin the jobs that delay no reservation."""
        self.reserved = []  # start, end and size of the reservations of this pass
        waiting = sorted(self.queue, key=lambda job: (self.place(job, now), job))
        while waiting and len(self.reserved) < self.k:
            job = waiting.pop(0)
            if not self.begin_if_it_fits(job):
                self.reserve_earliest(job)
        for job in self.candidates(waiting)[: self.options.get("candidates_limit")]:
            self.begin_if_it_fits(job)

    def begin_if_it_fits(self, job) -> bool:
        """Begin a job if it fits the free processors and delays no reservation;
        return whether it began.
        """
        planned, now = self.planned(job), self.now
        if job.size > self.free:
            return False
        if planned and now < earliest_start(
            job.size, self.machine, self.allocations(), planned, now
        ):
            return False
        self.begin(job, backfilled=bool(self.reserved) if self.k else None)
        return True

    def reserve_earliest(self, job) -> None:
        """Reserve the earliest start at which the job has its processors
        for its predicted run time.
        """
        length = max(self.planned(job), 1)
        start = earliest_start(job.size, self.machine, self.allocations(), length, self.now)
        self.reserved.append((start, start + length, job.size))

    def allocations(self) -> list[tuple[int, int, int]]:
        """Return start, planned end and size of running jobs and of reservations;
        ends in the past count as now.
        """
        ends = [(max(self.planned_end(job), self.now), job.size) for job in self.running]
        return [(self.now, end, size) for end, size in ends] + self.reserved


class Fcfs(List):
    """First come, first served: no job passes a blocked head."""

    scheduler = schedulers.FCFS

    def candidates(self, waiting) -> list:
        return []


class ReservedEasy(List):
    """EASY that makes a reservation for each of the first k blocked jobs;
    `docs/semantics/reservations.md`.
    """

    def __init__(self, workload, *args, **options):
        super().__init__(workload, *args, **options)
        self.k = self.options["reservations"]
        functions = {name: value for name, value in self.options.items() if callable(value)}
        self.scores = {name: function(workload) for name, function in functions.items()}

    def candidates(self, waiting) -> list:
        is_shortest_first = self.options.get("candidates") == "shortest"
        return sorted(waiting, key=self.planned) if is_shortest_first else waiting


class LargestAreaFirst(List):
    """Begin the job with the largest predicted area that fits;
    of equal areas the longest, then the earliest.
    """

    scheduler, k = schedulers.LargestAreaFirst, 0

    def place(self, job, now) -> Any:
        return -job.size * self.planned(job), -self.planned(job)


class OrderedEasy(ReservedEasy):
    """EASY with a queue that is sorted before each pass."""

    scheduler = schedulers.OrderedEASY

    def place(self, job, now) -> Any:
        """Return the sort key of a waiting job: jobs past the limit first, then by value."""
        waited, limit = now - job.submit, self.options["waiting_limit"]
        if limit is not None and waited >= limit:
            return False, 0.0
        if "order" in self.scores:
            return True, self.scores["order"][job.index]
        return True, self.value(self.planned(job), job.size, waited, job.submit)

    def value(self, predicted, size, waited, submit) -> float:
        """Return the value by which the queue is sorted; the least is first."""
        length, arrival = max(predicted, 1), max(submit - self.jobs[0].submit, 1)
        return {
            "shortest": lambda: predicted,
            "smallest-area": lambda: predicted * size,
            "wfp3": lambda: -((waited / length) * (waited / length) * (waited / length) * size),
            "f1": lambda: log10(length) * size + 870 * log10(arrival),
        }[self.options["order"]]()
