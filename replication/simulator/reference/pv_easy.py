"""PV-EASY in readable Python, after the paper's section 4: the reference implementation of ``kernels.pv_easy``."""

from replication.simulator import schedulers
from replication.simulator.reference.base import Reference
from replication.simulator.schedulers.event_loop import corrected_prediction, earliest_fit


class PVEasy(Reference):
    """One simulation; options as of `replication.simulator.schedulers.PVEasy`."""

    scheduler = schedulers.PVEasy

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.mode, self.cost = self.options["mode"], self.options["cost"]
        # Of each job: length of the last run, s, and saved work, s.
        self.lengths, self.done = ([0] * len(self.jobs) for _ in range(2))
        self.preempted = []
        self.kept = None  # head and reserved time

    def correct_plans(self, now) -> None:
        """Do nothing: predictions are corrected where they are used."""

    def schedule(self, now) -> None:
        """Start heads, if necessary after preemption, then do venture backfilling (section 4)."""
        while self.queue and (self.fits(self.queue[0]) or self.preempt_shadow_load(now)):
            self.begin(self.queue[0], backfilled=False)
        if self.queue:
            self.venture_backfilling(now)
        self.queue = tuple(sorted([*self.queue, *self.preempted]))
        self.preempted = []

    def preempt_shadow_load(self, now) -> bool:
        """Kill shadow jobs, lowest priority first, if the head can then start now (section 4.2)."""
        head = self.queue[0]
        shadow = sorted(job for job in self.running if job > head)
        if self.free + sum(job.size for job in shadow) < head.size:
            return False
        while not self.fits(head):
            self.kill(shadow.pop(), now)
        return True

    def venture_backfilling(self, now) -> None:
        """Backfill in the four steps of section 4.3."""
        # 1) Make the head's reservation from the sunny load.
        reservation = self.reserve(now)
        # 2) Predict the run times of the waiting jobs.
        waiting = self.queue[1:]
        left = {job: self.left(job) for job in waiting}
        # 3) Start jobs predicted to end by the reservation, the earliest predicted end first.
        for job in sorted(waiting, key=lambda job: (left[job], job)):
            if self.fits(job) and now + left[job] <= reservation:
                self.begin(job, backfilled=True)
        # 4) Start further jobs that fit in order of priority, whatever their predictions.
        for job in waiting:
            if self.options["venture"] == "yes" and job in self.queue and self.fits(job):
                self.begin(job, backfilled=True)

    def reserve(self, now) -> int:
        """Return the predicted start of the head without the shadow load."""
        head = self.queue[0]
        if self.options["reservation"] != "recomputed" and self.kept and self.kept[0] == head:
            return self.kept[1]
        sunny = [(max(self.expected_end(j, now), now), j.size) for j in self.running if j < head]
        free = self.machine - sum(size for _, size in sunny)
        self.kept = head, earliest_fit(head.size, free, sunny).time  # lost with another head
        return self.kept[1]

    def expected_end(self, job, now) -> int:
        """Return the predicted end of a running job, corrected if the prediction has expired."""
        work = now - self.start[job.index] + self.done[job.index]
        return now - work + self.prediction_after(job, work)

    def prediction_after(self, job, work) -> int:
        """Return the corrected prediction of a job that has done `work` seconds of work."""
        way = self.rules.correction
        return corrected_prediction(way, self.planned(job), job.estimate, work)

    def left(self, job) -> int:
        """Return the predicted remaining time of a waiting job, s."""
        done = self.done[job.index]
        return max(self.prediction_after(job, done) - done, 0) if done else self.planned(job)

    def length(self, job) -> int:
        """Return the length of the job's next run, with the cost of the resumption or of the checkpoints."""
        length = super().length(job) - self.done[job.index]
        if self.mode == "suspend" and self.times_killed[job.index]:
            length += self.cost
        if self.mode == "checkpoint":
            # No checkpoint is written at the end of the job.
            interval = self.options["interval"]
            length += self.cost * len(range(interval, length, interval))
        self.lengths[job.index] = length
        return length

    def kill(self, job, now) -> None:
        """Stop a job and return it to the queue by its priority."""
        ran, was_killed = now - self.start[job.index], self.times_killed[job.index]
        self.end(job)
        if self.options["killed"] != "same-pass":
            self.queue = tuple(other for other in self.queue if other is not job)
            self.preempted.append(job)
        if self.mode == "suspend":
            self.done[job.index] += max(ran - self.cost, 0) if was_killed else ran
        if self.mode == "checkpoint":
            interval = self.options["interval"]
            self.done[job.index] += ran // (interval + self.cost) * interval

    def fits(self, job) -> bool:
        """Return whether a job fits the free processors."""
        return job.size <= self.free
