"""Conservative backfilling in readable Python: the reference implementation."""

from replication.simulator import schedulers
from tests.reference.base import Reference


class Conservative(Reference):
    """Every job has a reservation; after an end or an expired prediction all are made again."""

    scheduler = schedulers.Conservative

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.each = self.options["compression"] == "each"
        self.reserved = {}  # start and predicted run time of each waiting job's reservation
        self.ended = self.failed = self.late = False

    def instants(self) -> list[int]:
        """Return the events' times, and reserved starts that do not depend on an end."""
        instants = super().instants()
        if self.each and not self.late:
            instants += [start for start, _ in self.reserved.values()]
        return instants

    def process_events(self, now) -> bool:
        """Process the events; a pass always follows."""
        super().process_events(now)
        return True

    def note_events(self, ended, submitted, corrected) -> None:
        was_late = self.late
        self.late = any(self.planned_end(job) <= self.now for job in self.running)
        self.ended = bool(ended)
        self.failed = corrected or self.late or was_late

    def schedule(self, now) -> None:
        before = self.queue
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
            predicted = self.planned(job)
            self.reserved[job] = self.earliest(job, max(predicted, 1), now), predicted
        for job in before:
            if self.reserved[job][0] == now:
                self.begin(job)

    def planned(self, job) -> int:
        """Return the prediction with which a waiting job is reserved."""
        return self.reserved[job][1] if job in self.reserved else super().planned(job)

    def begin(self, job) -> None:
        super().begin(job)
        del self.reserved[job]

    def earliest(self, job, length, now) -> int:
        """Return the earliest start that leaves running jobs and reservations their processors."""
        reserved = [
            (start, start + max(predicted, 1), j.size)
            for j, (start, predicted) in self.reserved.items()
        ]
        return self.earliest_start(job, reserved, length)
