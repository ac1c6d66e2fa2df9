"""Conservative backfilling and largest area first in readable Python: the reference implementations."""

from replication.simulator import schedulers
from replication.simulator.reference.easy import Easy, fits, never_fits


class _OwnPasses(Easy):
    """The event loop of EASY with other passes; a job that starts before an earlier job counts as backfilled."""

    def mark_backfilled(self, before):
        """Mark the jobs of the queue `before` the pass that started past a job that still waits."""
        for k, job in enumerate(before):
            self.backfilled[job] = job not in self.queue and any(
                other in self.queue for other in before[:k]
            )


class LargestAreaFirst(_OwnPasses):
    """Start the job with the largest predicted area that fits; of equal areas the longest, then the earliest."""

    scheduler = schedulers.LargestAreaFirst

    def schedule(self, now):
        before = list(self.queue)
        area = {
            job: (-self.size[job] * self.predicted(job, now), -self.predicted(job, now), job)
            for job in before
        }
        for job in sorted(before, key=area.get):
            if self.size[job] <= self.free():
                self.begin(job, now)
        self.mark_backfilled(before)


class Conservative(_OwnPasses):
    """Every job has a reservation; after an end or an expired prediction all are made again."""

    scheduler = schedulers.Conservative

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.each = self.options["compression"] == "each"
        self.reserved = {}  # start and predicted run time of each waiting job's reservation
        self.ended = self.failed = self.late = False

    def instants(self):
        """Return the instants of EASY, and reserved starts that do not depend on an end."""
        instants = super().instants()
        if self.each and not self.late:
            instants += [start for start, _ in self.reserved.values()]
        return instants

    def process_events(self, now):
        plans, was_late = {job: self.planned[job] for job in self.running}, self.late
        super().process_events(now)
        self.late = any(self.planned_end(job) <= now for job in self.holders())
        self.ended = not plans.keys() <= set(self.running)
        corrected = any(plans[job] != self.planned[job] for job in self.running)
        self.failed = corrected or self.late or was_late
        return True

    def schedule(self, now):
        before = list(self.queue)
        new = [job for job in before if job not in self.reserved]
        again = []
        # All are made again in the order of their starts, or each in turn with the others in place.
        if self.failed or (self.ended and not self.each):
            again = sorted(self.reserved, key=lambda job: (self.reserved[job][0], job))
            self.reserved = {}
        elif self.ended:
            again = [job for job in before if job in self.reserved]
        for job in again + new:
            self.reserved.pop(job, None)
            predicted = self.predicted(job, now)
            self.reserved[job] = self.earliest(job, max(predicted, 1), now), predicted
        for job in before:
            if self.reserved[job][0] == now:
                self.begin(job, now)
                _, self.prediction[job] = _, self.planned[job] = self.reserved.pop(job)
        self.mark_backfilled(before)

    def earliest(self, job, length, now):
        """Return the earliest start that leaves running jobs and reservations their processors."""
        occupied = [(now, max(self.planned_end(j), now + 1), self.size[j]) for j in self.holders()]
        occupied += [
            (start, start + max(predicted, 1), self.size[j])
            for j, (start, predicted) in self.reserved.items()
        ]
        for start in sorted({now} | {end for _, end, _ in occupied}):
            if fits(self.size[job], self.workload.machine, occupied, start, length):
                return start
        raise never_fits(self.size[job])
