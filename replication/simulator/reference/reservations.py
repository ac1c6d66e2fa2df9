"""EASY with any queue order, any order of candidates and k reservations, as readable Python."""

from replication.simulator.reference.easy import Easy, fits


class ReservedEasy(Easy):
    """EASY that makes a reservation for each of the first k blocked jobs; `docs/semantics/reservations.md`."""

    def __init__(self, workload, *args, **options):
        super().__init__(workload, *args, **options)
        order, candidates = self.options["order"], self.options["candidates"]
        arrival = range(len(workload))
        self.score = order(workload) if callable(order) else arrival
        self.candidate_score = candidates(workload) if callable(candidates) else None
        self.reserved = []  # start, end and size of the reservations of a pass

    def schedule(self, now):
        """Start or reserve in queue order until k jobs have reservations; then try the others as candidates."""
        self.reserved = []
        waiting = sorted(self.queue, key=lambda job: (self.score[job], job))
        while waiting and len(self.reserved) < self.options["reservations"]:
            job = waiting.pop(0)
            if not self.start_if_it_fits(job, now):
                self.reserve_earliest(job, now)
        if self.candidate_score is not None:
            waiting.sort(key=lambda job: self.candidate_score[job])
        elif self.options["candidates"] == "sjf":
            waiting.sort(key=lambda job: self.predicted(job, now))
        for job in waiting:
            self.start_if_it_fits(job, now)

    def start_if_it_fits(self, job, now):
        """Start a job if it fits the free processors and delays no reservation; return whether it started."""
        if self.size[job] > self.free() or not self.fits(job, now, self.predicted(job, now)):
            return False
        self.begin(job, now)
        self.backfilled[job] = bool(self.reserved)
        return True

    def reserve_earliest(self, job, now):
        """Reserve the earliest start at which the job has its processors for its predicted run time."""
        length = max(self.predicted(job, now), 1)
        starts = {now, *(end for _, end, _ in self.allocations(now))}
        start = min(start for start in starts if self.fits(job, now, length, start))
        self.reserved.append((start, start + length, self.size[job]))

    def allocations(self, now):
        """Return start, planned end and size of running jobs and of reservations; ends in the past count as now."""
        running = [(now, max(self.planned_end(job), now), self.size[job]) for job in self.holders()]
        return running + self.reserved

    def fits(self, job, now, length, start=None):
        """Return whether a job's processors are free from `start`, or now, on for `length` seconds."""
        start, machine = now if start is None else start, self.workload.machine
        return fits(self.size[job], machine, self.allocations(now), start, length)
