"""PV-EASY in readable Python, after the paper's section 4:
the reference implementation of ``kernels.pv_easy``.
"""

from notebooks.pv_easy import sparing
from replication.simulator import schedulers
from replication.simulator.schedulers.event_loop import corrected_prediction, earliest_fit
from tests.reference.base import Reference


class PVEasy(Reference):
    """One simulation; options as of `replication.simulator.schedulers.PVEasy`."""

    scheduler = schedulers.PVEasy
    spares = False  # jobs taken for preemption that the head does not need

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.preemption, self.cost = self.options["preemption"], self.options["cost"]
        self.reserved = None  # head and reserved time

    def correct_plans(self, now) -> None:
        """Do nothing: predictions are corrected where they are used."""

    def schedule(self, now) -> None:
        """Start heads, if necessary after preemption, then do venture backfilling (section 4)."""
        while self.queue and (self.fits(self.queue[0]) or self.preempt_shadow_load(now)):
            self.begin(self.queue[0], backfilled=False)
        if self.queue and self.options["venture"] == "easy":
            self.backfill_as_easy(now)
        elif self.queue:
            self.venture_backfilling(now)

    def preempt_shadow_load(self, now) -> bool:
        """Kill shadow jobs, lowest priority first, if the head can then start now (section 4.2)."""
        head = self.queue[0]
        shadow = sorted(job for job in self.running if job > head)
        if self.free + sum(job.size for job in shadow) < head.size:
            return False
        taken = []
        while self.free + sum(job.size for job in taken) < head.size:
            taken.append(shadow.pop())
        unneeded = self.free + sum(job.size for job in taken) - head.size
        for job in taken:
            if self.spares and job.size <= unneeded:
                unneeded -= job.size
            else:
                self.kill(job, now)
        return True

    def venture_backfilling(self, now) -> None:
        """Backfill in the four steps of section 4.3."""
        # 1) Make the head's reservation from the sunny load.
        reservation = self.reserve(now)
        # 2) Predict the run times of the waiting jobs.
        waiting = self.queue[1:]
        left = {job: self.planned(job) for job in waiting}
        # 3) Start jobs predicted to end by the reservation, the earliest predicted end first.
        for job in sorted(waiting, key=lambda job: (left[job], job)):
            if self.fits(job) and now + left[job] <= reservation:
                self.begin(job, backfilled=True)
        # 4) Start further jobs that fit in order of priority, whatever their predictions.
        for job in waiting:
            if self.options["venture"] == "yes" and job in self.queue and self.fits(job):
                self.begin(job, backfilled=True)

    def backfill_as_easy(self, now) -> None:
        """Backfill as EASY does: by the whole load, in queue order,
        and on extra processors, which are used up.
        """
        head, *waiting = self.queue
        ends = [(max(self.expected_end(job, now), now), job.size) for job in self.running]
        shadow, extra = earliest_fit(head.size, self.free, ends)
        for job in waiting:
            in_time = now + self.planned(job) <= shadow
            if self.fits(job) and (in_time or job.size <= extra):
                extra -= 0 if in_time else job.size
                self.begin(job, backfilled=True)

    def reserve(self, now) -> int:
        """Return the predicted start of the head without the shadow load."""
        head = self.queue[0]
        lasts = self.options["lifetime"] != "recomputed"
        if lasts and self.reserved and self.reserved[0] == head:
            return self.reserved[1]
        sunny = [(max(self.expected_end(j, now), now), j.size) for j in self.running if j < head]
        free = self.machine - sum(size for _, size in sunny)
        self.reserved = head, earliest_fit(head.size, free, sunny).time  # lost with another head
        return self.reserved[1]

    def expected_end(self, job, now) -> int:
        """Return the predicted end of a running job, corrected if the prediction has expired."""
        way, prediction = self.loop_options.correction, self.prediction[job.index]
        work = now - self.start[job.index] + self.work_kept[job.index]
        return now - work + corrected_prediction(way, prediction, job.estimate, work)

    def length(self, job) -> int:
        """Return the length of the job's next run, with the cost of the resumption
        or of the checkpoints.
        """
        length = super().length(job)
        if self.preemption == "suspend" and self.times_killed[job.index]:
            length += self.cost
        if self.preemption == "checkpoint":
            # No checkpoint is written at the end of the job.
            interval = self.options["interval"]
            length += self.cost * len(range(interval, length, interval))
        return length

    def kill(self, job, now) -> None:
        """Stop a job and return it to the queue by its priority."""
        ran, keep, interval = now - self.start[job.index], 0, self.options["interval"]
        if self.preemption == "suspend":
            keep = max(ran - self.cost, 0) if self.times_killed[job.index] else ran
        if self.preemption == "checkpoint":
            keep = ran // (interval + self.cost) * interval
        self.end(job, keep)

    def fits(self, job) -> bool:
        """Return whether a job fits the free processors."""
        return job.size <= self.free


class SparingPVEasy(PVEasy):
    """PV-EASY that spares the jobs that the head turns out not to need, lowest priority first."""

    scheduler, spares = sparing.SparingPVEasy, True
