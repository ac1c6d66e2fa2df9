"""EASY with predictions as slow, readable Python: the oracle of ``replication.core.easy_predicted``."""

from collections import deque
from itertools import islice, takewhile

from replication.reference import predictors as reference_predictors
from replication.reference.easy import reservation

HOUR = 3600
# Tsafrir, Etsion and Feitelson 2007, section 4.2.
STEPS = [60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR]


class EasyPredicted:
    """One simulation; `run` carries it out.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    estimate : sequence of int, s
    predictor : str
    seed : int
    **options
        Those of `replication.schedulers.EASY` but the predictor, all of them.

    Attributes
    ----------
    start, prediction, first_prediction : list of int, s
    backfilled : list of bool
    """

    def __init__(self, workload, estimate, predictor, seed, **options):
        n = len(workload)
        self.workload, self.options, self.request = workload, options, [int(e) for e in estimate]
        self.submit, self.size = workload.submit.tolist(), workload.processors.tolist()
        self.run_time = workload.run_time.tolist()
        self.predictor = reference_predictors.make(workload, estimate, predictor, seed)
        self.start, self.prediction, self.first_prediction = [None] * n, [None] * n, [None] * n
        self.backfilled = [False] * n
        self.planned, self.corrections = {}, {}
        self.coming, self.queue, self.running = deque(range(n)), [], []
        self.kept = None  # head, shadow time and extra processors, where reservations are kept

    def run(self):
        """Simulate until the last job has ended, and return this object."""
        while self.coming or self.running:
            now = min(
                [self.start[job] + self.run_time[job] for job in self.running]
                + [self.submit[job] for job in islice(self.coming, 1)]
            )
            if self.happen(now):
                self.schedule(now)
        return self

    def happen(self, now):
        """Take the events of an instant, or one of them; whether a scheduling pass follows."""
        ending = sorted(job for job in self.running if self.start[job] + self.run_time[job] == now)
        coming = list(takewhile(lambda job: self.submit[job] == now, self.coming))
        submissions_first = self.options["order"] == "submissions-first"
        if self.options["events"] == "one-by-one":
            if coming and (submissions_first or not ending):
                ending, coming = [], coming[:1]
            else:
                ending, coming = ending[:1], []
        fits = False
        if submissions_first:
            fits = self.submitted(coming, now)
        for job in ending:
            self.running.remove(job)
            self.predictor.learn(job, self.start[job], now)
        if not submissions_first:
            fits = self.submitted(coming, now)
        for job in self.running:
            self.correct(job, now)
        return bool(ending) or fits or (bool(coming) and self.options["passes"] == "always")

    def submitted(self, jobs, now):
        """Put jobs into the queue; whether one of them fits the free processors."""
        for job in jobs:
            self.coming.remove(job)
            self.queue.append(job)
            self.first_prediction[job] = self.predictor.predict(job, now)
        return any(self.size[job] <= self.free() for job in jobs)

    def correct(self, job, now):
        """Let the prediction of a running job grow until it lies in the future, or reaches the request."""
        way, request = self.options["correction"], self.request[job]
        while (
            way != "now"
            and self.start[job] + self.planned[job] <= now
            and self.planned[job] < request
        ):
            k = self.corrections[job] = self.corrections.get(job, 0) + 1
            if way == "tsafrir" and k <= len(STEPS):
                self.planned[job] = min(self.prediction[job] + STEPS[k - 1], request)
            elif way == "doubling":
                self.planned[job] = min(max(2 * self.planned[job], 1), request)
            else:
                self.planned[job] = request

    def free(self):
        """Free processors."""
        return self.workload.machine - sum(self.size[job] for job in self.running)

    def predicted(self, job, now):
        """What a waiting job is planned with."""
        return (
            self.predictor.predict(job, now)
            if self.options["refresh"] == "pass"
            else self.first_prediction[job]
        )

    def begin(self, job, now):
        """Start a waiting job."""
        self.start[job] = now
        self.prediction[job] = self.planned[job] = self.predicted(job, now)
        self.queue.remove(job)
        self.running.append(job)
        self.predictor.begun(job, now)

    def schedule(self, now):
        """One pass: heads while they fit, a reservation for the blocked one, then candidates."""
        while self.queue and self.size[self.queue[0]] <= self.free():
            self.begin(self.queue[0], now)
        if not self.queue:
            return
        shadow, extra = self.reserve(now)
        candidates = self.queue[1:]
        if self.options["candidates"] == "sjf":
            candidates.sort(key=lambda job: self.predicted(job, now))
        for job in candidates:
            in_time = now + self.predicted(job, now) <= shadow
            if self.size[job] <= self.free() and (in_time or self.size[job] <= extra):
                self.begin(job, now)
                self.backfilled[job] = True
                if not in_time and self.options["extra"] == "used-up":
                    extra -= self.size[job]
        self.kept = (self.queue[0], shadow, extra)

    def reserve(self, now):
        """Shadow time and extra processors of the blocked head."""
        head = self.queue[0]
        if (
            self.options["reservation"] == "kept"
            and self.kept
            and self.kept[0] == head
            and self.kept[1] > now
        ):
            return self.kept[1:]
        ends = sorted((self.start[job] + self.planned[job], job) for job in self.running)
        if self.options["shadow"] == "all":
            return reservation(
                [(max(end, now), self.size[job]) for end, job in ends], self.free(), self.size[head]
            )
        available = self.free()
        for end, job in ends:
            available += self.size[job]
            if available >= self.size[head]:
                return max(end, now), available - self.size[head]
        raise ValueError(
            f"a job of {self.size[head]} processors never fits; the machine is smaller than that"
        )


def easy_predicted(workload, estimate, seed, predictor, **options):
    """EASY with predictions, as `EasyPredicted` after its run."""
    return EasyPredicted(workload, estimate, predictor, seed, **options).run()
