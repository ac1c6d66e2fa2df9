"""PV-EASY in readable Python, after the paper's section 4: the reference implementation of ``kernels.pv_easy``."""

from replication.simulator import schedulers
from replication.simulator.reference.easy import Easy, corrected_prediction


class PVEasy(Easy):
    """One simulation with the event loop of EASY; options as of `replication.simulator.schedulers.PVEasy`."""

    scheduler = schedulers.PVEasy

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.mode, self.cost = self.options["mode"], self.options["cost"]
        self.interval = self.options["interval"]
        self.refresh = self.options["refresh"] == "pass"
        n = len(self.workload)
        # Of each job: length of the last run, s, saved work, s, and number of kills.
        self.length, self.done, self.times_killed = [0] * n, [0] * n, [0] * n
        self.killed_runs, self.preempted = [], []  # job, start and end of each killed run

    def end(self, job):
        """Return the actual end of a running job."""
        return self.start[job] + self.length[job]

    def submit_jobs(self, jobs, now):
        super().submit_jobs(jobs, now)
        for job in jobs:
            self.prediction[job] = self.first_prediction[job]

    def correct(self, job, now):
        """Do nothing: predictions are corrected where they are used."""

    def schedule(self, now):
        """Start heads, if necessary after preemption, then do venture backfilling (section 4)."""
        while self.queue and (self.fits(self.queue[0]) or self.preempt_shadow_load(now)):
            self.begin(self.queue[0], now, backfilled=False)
        if self.queue:
            self.venture_backfilling(now)
        self.queue = sorted([*self.queue, *self.preempted])
        self.preempted = []

    def preempt_shadow_load(self, now):
        """Kill shadow jobs, lowest priority first, if the head can then start now (section 4.2)."""
        head = self.queue[0]
        shadow = sorted(job for job in self.running if job > head)
        if self.free() + sum(self.size[job] for job in shadow) < self.size[head]:
            return False
        while not self.fits(head):
            self.kill(shadow.pop(), now)
        return True

    def venture_backfilling(self, now):
        """Backfill in the four steps of section 4.3."""
        # 1) Make the head's reservation from the sunny load.
        reservation = self.reserve(now)
        # 2) Predict the run times of the waiting jobs.
        waiting = self.queue[1:]
        if self.refresh:
            for job in waiting:
                self.prediction[job] = self.predictor.predict(job, now)
        # 3) Start jobs predicted to end by the reservation, the earliest predicted end first.
        for job in sorted(waiting, key=lambda job: (self.left(job), job)):
            if self.fits(job) and now + self.left(job) <= reservation:
                self.begin(job, now, backfilled=True)
        # 4) Start further jobs that fit in order of priority, whatever their predictions.
        for job in waiting:
            if self.options["venture"] == "yes" and job in self.queue and self.fits(job):
                self.begin(job, now, backfilled=True)

    def reserve(self, now):
        """Return the predicted start of the head without the shadow load."""
        head = self.queue[0]
        if self.options["reservation"] != "recomputed" and self.kept and self.kept[0] == head:
            return self.kept[1]
        sunny = [job for job in self.running if job < head]
        planned = {job: max(self.expected_end(job, now), now) for job in sunny}
        for instant in sorted(set(planned.values())):
            still = sum(self.size[job] for job in sunny if planned[job] > instant)
            if self.size[head] <= self.workload.machine - still:
                self.kept = head, instant  # lost if another job becomes the head
                return instant
        raise AssertionError("the head would fit without the shadow load and should have started")

    def expected_end(self, job, now):
        """Return the predicted end of a running job, corrected if the prediction has expired."""
        work = now - self.start[job] + self.done[job]
        return now - work + self.corrected(job, work)

    def corrected(self, job, work):
        """Return the corrected prediction of a job that has done `work` seconds of work."""
        return corrected_prediction(
            self.options["correction"], self.prediction[job], self.request[job], work
        )

    def left(self, job):
        """Return the predicted remaining time of a waiting job, s."""
        done = self.done[job]
        return max(self.corrected(job, done) - done, 0) if done else self.prediction[job]

    def begin(self, job, now, backfilled):
        """Start a job; its run includes the cost of the resumption or of the checkpoints."""
        if self.refresh:
            self.prediction[job] = self.predictor.predict(job, now)
        self.queue.remove(job)
        self.running.append(job)
        self.start[job], self.backfilled[job] = now, backfilled
        self.length[job] = self.run_time[job] - self.done[job]
        if self.mode == "suspend" and self.times_killed[job]:
            self.length[job] += self.cost
        if self.mode == "checkpoint":
            # No checkpoint is written at the end of the job.
            self.length[job] += self.cost * len(
                range(self.interval, self.length[job], self.interval)
            )

    def kill(self, job, now):
        """Stop a job and return it to the queue by its priority."""
        self.running.remove(job)
        if self.options["killed"] == "same-pass":
            self.queue = sorted([*self.queue, job])
        else:
            self.preempted.append(job)
        ran = now - self.start[job]
        self.killed_runs.append([job, self.start[job], now])
        if self.mode == "suspend":
            self.done[job] += max(ran - self.cost, 0) if self.times_killed[job] else ran
        if self.mode == "checkpoint":
            self.done[job] += ran // (self.interval + self.cost) * self.interval
        self.times_killed[job] += 1

    def fits(self, job):
        """Return whether a job fits the free processors."""
        return self.size[job] <= self.free()
