"""PV-EASY in readable Python, after the paper's section 4: the reference implementation of ``kernels.pv_easy``."""

from replication.simulator import schedulers
from replication.simulator.reference.easy import Easy, grown


class PVEasy(Easy):
    """One simulation, with the event loop of EASY; the options are those of `replication.simulator.schedulers.PVEasy`."""

    scheduler = schedulers.PVEasy

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.mode, self.cost = self.options["mode"], self.options["cost"]
        self.interval = self.options["interval"]
        self.refresh = self.options["refresh"] == "pass"
        n = len(self.workload)
        # Of each job the length of its last run, s, and how often it was killed; of each killed run job, start and end.
        self.length, self.done, self.times_killed = [0] * n, [0] * n, [0] * n
        self.killed_runs, self.reserved, self.preempted = [], {}, []

    def end(self, job):
        """When a running job ends."""
        return self.start[job] + self.length[job]

    def submitted(self, jobs, now):
        super().submitted(jobs, now)
        for job in jobs:
            self.prediction[job] = self.first_prediction[job]

    def correct(self, job, now):
        """Nothing is kept: what a prediction has become is worked out where it is asked for."""

    def schedule(self, now):
        """Section 4, after its introduction: by priority, then preemption, then venture backfilling."""
        while self.queue and (self.fits(self.queue[0]) or self.preempt_shadow_load(now)):
            self.begin(self.queue[0], now, backfilled=False)
        if self.queue:
            self.venture_backfilling(now)
        self.queue = sorted([*self.queue, *self.preempted])
        self.preempted = []

    def preempt_shadow_load(self, now):
        """Section 4.2: if that lets the head start right away, kill shadow jobs, lowest priority first."""
        head = self.queue[0]
        shadow = sorted(job for job in self.running if job > head)
        if self.free() + sum(self.size[job] for job in shadow) < self.size[head]:
            return False
        while not self.fits(head):
            self.kill(shadow.pop(), now)
        return True

    def venture_backfilling(self, now):
        """Section 4.3, in its four numbered steps."""
        # 1) The reservation of the first blocked job, from the sunny load alone.
        reservation = self.reserve(now)
        # 2) The possible run times of the waiting jobs.
        waiting = self.queue[1:]
        if self.refresh:
            for job in waiting:
                self.prediction[job] = self.predictor.predict(job, now)
        # 3) From the nearest predicted completion to the furthest within the reservation.
        for job in sorted(waiting, key=lambda job: (self.left(job), job)):
            if self.fits(job) and now + self.left(job) <= reservation:
                self.begin(job, now, backfilled=True)
        # 4) According to priority, whatever the prediction says.
        for job in waiting:
            if self.options["venture"] == "yes" and job in self.queue and self.fits(job):
                self.begin(job, now, backfilled=True)

    def reserve(self, now):
        """Predicted start of the head if there were no shadow load."""
        head = self.queue[0]
        if self.options["reservation"] != "recomputed" and head in self.reserved:
            return self.reserved[head]
        sunny = [job for job in self.running if job < head]
        planned = {job: max(self.expected_end(job, now), now) for job in sunny}
        for instant in sorted(set(planned.values())):
            still = sum(self.size[job] for job in sunny if planned[job] > instant)
            if self.size[head] <= self.workload.machine - still:
                self.reserved[head] = instant
                return instant
        raise AssertionError("the head would fit without the shadow load and should have started")

    def expected_end(self, job, now):
        """Predicted end of a running job, corrected if it has outlived its prediction."""
        work = now - self.start[job] + self.done[job]
        return now - work + self.corrected(job, work)

    def corrected(self, job, work):
        """The prediction of a job with so many seconds of work behind it."""
        return grown(self.options["correction"], self.prediction[job], self.request[job], work)

    def left(self, job):
        """Predicted seconds that a waiting job still needs."""
        done = self.done[job]
        return max(self.corrected(job, done) - done, 0) if done else self.prediction[job]

    def begin(self, job, now, backfilled):
        """Start a job; a resumed one pays for it, and one with checkpoints pays for each of them."""
        if self.refresh:
            self.prediction[job] = self.predictor.predict(job, now)
        self.queue.remove(job)
        self.running.append(job)
        self.start[job], self.backfilled[job] = now, backfilled
        self.length[job] = self.run_time[job] - self.done[job]
        if self.mode == "suspend" and self.times_killed[job]:
            self.length[job] += self.cost
        if self.mode == "checkpoint":
            # None is written at the end of the job.
            self.length[job] += self.cost * len(
                range(self.interval, self.length[job], self.interval)
            )

    def kill(self, job, now):
        """Stop a job and return it to the queue at its own priority."""
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
        """Whether the idle processors suffice."""
        return self.size[job] <= self.free()
