"""Conservative backfilling and largest area first as slow, readable Python: the oracle of their kernels."""

from replication.reference.predicted import EasyPredicted

UNUSED = {
    "candidates": "fcfs",
    "reservation": "recomputed",
    "extra": "used-up",
    "shadow": "all",
    "events": "together",
    "passes": "always",
    "correction": "request",
}


class _OwnPasses(EasyPredicted):
    """The event loop of EASY with other passes; who starts before an earlier job counts as backfilled."""

    def note_backfilled(self, before):
        """Mark the jobs among those that waited `before` the pass that went past one that still waits."""
        for k, job in enumerate(before):
            self.backfilled[job] = job not in self.queue and any(
                other in self.queue for other in before[:k]
            )


class LargestAreaFirst(_OwnPasses):
    """No reservations: start the largest predicted area that fits, then the longest, then the earliest."""

    def schedule(self, now):
        before = list(self.queue)
        area = {
            job: (-self.size[job] * self.predicted(job, now), -self.predicted(job, now), job)
            for job in before
        }
        for job in sorted(before, key=area.get):
            if self.size[job] <= self.free():
                self.begin(job, now)
        self.note_backfilled(before)


class Conservative(_OwnPasses):
    """Every job has a reservation; all are made again after an end, or when a plan has failed."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.reserved = {}  # start and length of each waiting job's reservation
        self.changed = False

    def happen(self, now):
        plans = {job: self.planned[job] for job in self.running}
        super().happen(now)
        late = any(self.start[job] + self.planned[job] <= now for job in self.running)
        self.changed = late or plans != {job: self.planned[job] for job in self.running}
        return True

    def schedule(self, now):
        before = list(self.queue)
        new = [job for job in before if job not in self.reserved]
        again = []
        if self.changed:
            again = sorted(self.reserved, key=lambda job: (self.reserved[job][0], job))
            self.reserved = {}
        for job in again + new:
            length = max(self.predicted(job, now), 1)
            self.reserved[job] = self.earliest(job, length, now), length
        for job in before:
            if self.reserved[job][0] == now:
                self.begin(job, now)
                del self.reserved[job]
        self.note_backfilled(before)

    def earliest(self, job, length, now):
        """The earliest start at which nobody running or reserved is in the way."""
        taken = [
            (now, max(self.start[j] + self.planned[j], now + 1), self.size[j]) for j in self.running
        ]
        taken += [
            (start, start + planned, self.size[j]) for j, (start, planned) in self.reserved.items()
        ]
        for start in sorted({now} | {end for _, end, _ in taken}):
            moments = {start} | {
                begins for begins, _, _ in taken if start < begins < start + length
            }
            if all(
                self.size[job]
                + sum(size for begins, ends, size in taken if begins <= moment < ends)
                <= self.workload.machine
                for moment in moments
            ):
                return start
        raise ValueError(
            f"a job of {self.size[job]} processors never fits; the machine is smaller than that"
        )


def largest_area_first(workload, estimate, seed, predictor, **options):
    """Largest area first, as `LargestAreaFirst` after its run."""
    return LargestAreaFirst(workload, estimate, predictor, seed, **UNUSED | options).run()


def conservative(workload, estimate, seed, predictor, **options):
    """Conservative backfilling, as `Conservative` after its run."""
    return Conservative(workload, estimate, predictor, seed, **UNUSED | options).run()
