"""PV-EASY as slow, readable Python that follows the paper's section 4: the oracle of ``core.pv_easy``."""

from replication.reference.predictors import Last

_STEPS = [60 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000)]


class PVEasy:
    """One simulation; `run` carries it out.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    estimate : int[n], s, optional
        The workload's own by default.
    predictor : replication.reference.predictors.Predictor, optional
        `Last` by default.
    refresh, correction, reservation, events, venture, mode, interval, cost
        As in `replication.schedulers.pv_easy`.
    """

    def __init__(
        self,
        workload,
        estimate=None,
        predictor=None,
        *,
        refresh="pass",
        correction="request",
        reservation="recomputed",
        events="together",
        venture="yes",
        mode="kill",
        interval=3600,
        cost=0,
    ):
        self.workload, self.size = workload, workload.processors.tolist()
        self.submit, self.run_time = workload.submit.tolist(), workload.run_time.tolist()
        self.estimate = [int(e) for e in (workload.estimate if estimate is None else estimate)]
        self.predictor = predictor or Last(workload, self.estimate)
        self.refresh, self.correction, self.events = refresh == "pass", correction, events
        self.keep_reservation, self.venture = reservation == "kept", venture == "yes"
        self.mode, self.interval, self.cost = mode, interval, cost
        n = len(workload)
        self.start, self.length, self.prediction = [None] * n, [0] * n, [None] * n
        self.done, self.times_killed, self.backfilled = [0] * n, [0] * n, [False] * n
        self.killed_runs, self.reserved = [], {}
        self.queue, self.running = [], []

    def run(self):
        """Simulate; the results are in start, length, prediction, backfilled and killed_runs."""
        coming = list(range(len(self.workload)))[::-1]
        while coming or self.running:
            instants = [self.end(job) for job in self.running] + (
                [self.submit[coming[-1]]] if coming else []
            )
            now = min(instants)
            ended = sorted(job for job in self.running if self.end(job) == now)
            arrived = []
            while coming and self.submit[coming[-1]] == now:
                arrived.append(coming.pop())
            if self.events == "one-by-one":
                # The first event alone; the others are met again at the same instant.
                kept = [] if ended else arrived[:1]
                coming.extend(reversed(arrived[len(kept) :]))
                ended, arrived = ended[:1], kept
            for job in ended:
                self.running.remove(job)
                self.predictor.learn(job, self.start[job], now)
            for job in arrived:
                self.prediction[job] = self.predictor.predict(job, now)
                self.queue.append(job)
            self.schedule(now)
        return self

    def schedule(self, now):
        """Section 4, after its introduction: by priority, then preemption, then venture backfilling."""
        while self.queue and (self.fits(self.queue[0]) or self.preempt_shadow_load(now)):
            self.begin(self.queue[0], now, backfilled=False)
        if self.queue:
            self.venture_backfilling(now)

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
        reservation = self.reservation(now)
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
            if self.venture and job in self.queue and self.fits(job):
                self.begin(job, now, backfilled=True)

    def reservation(self, now):
        """Predicted start of the head if there were no shadow load."""
        head = self.queue[0]
        if self.keep_reservation and head in self.reserved:
            return self.reserved[head]
        sunny = [job for job in self.running if job < head]
        planned = {job: max(self.planned_end(job, now), now) for job in sunny}
        for instant in sorted(set(planned.values())):
            still = sum(self.size[job] for job in sunny if planned[job] > instant)
            if self.size[head] <= self.workload.machine - still:
                self.reserved[head] = instant
                return instant
        raise AssertionError("the head would fit without the shadow load and should have started")

    def planned_end(self, job, now):
        """Predicted end of a running job, corrected if it has outlived its prediction."""
        work = now - self.start[job] + self.done[job]
        return now - work + self.corrected(job, work)

    def corrected(self, job, work):
        """The prediction, or what takes its place where the job has run for `work` seconds without an end."""
        first = prediction = self.prediction[job]
        steps = list(_STEPS)
        while prediction <= work and prediction < self.estimate[job] and self.correction != "now":
            if self.correction == "tsafrir" and steps:
                prediction = first + steps.pop(0)
            elif self.correction == "doubling":
                prediction = max(2 * prediction, 1)
            else:
                prediction = self.estimate[job]
            prediction = min(prediction, self.estimate[job])
        return prediction

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
        self.queue = sorted([*self.queue, job])
        ran = now - self.start[job]
        self.killed_runs.append([job, self.start[job], now])
        if self.mode == "suspend":
            self.done[job] += max(ran - self.cost, 0) if self.times_killed[job] else ran
        if self.mode == "checkpoint":
            self.done[job] += ran // (self.interval + self.cost) * self.interval
        self.times_killed[job] += 1

    def end(self, job):
        """When a running job ends."""
        return self.start[job] + self.length[job]

    def free(self):
        """Idle processors."""
        return self.workload.machine - sum(self.size[job] for job in self.running)

    def fits(self, job):
        """Whether the idle processors suffice."""
        return self.size[job] <= self.free()
