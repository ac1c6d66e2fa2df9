"""EASY and FCFS in readable Python, after the papers: the reference implementation of their kernels.

It is compared with the compiled kernels on every start time, on random and on real workloads.
"""

from collections import deque
from itertools import islice, takewhile
from typing import NamedTuple

from replication.simulator.kernels.interventions import NEVER_WILD, WHENEVER_IT_FITS
from replication.simulator.reference import predictors as reference_predictors
from replication.simulator.schedulers import EASY

HOUR = 3600
# Tsafrir, Etsion and Feitelson 2007, section 4.2.
STEPS = [60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR]


class Decision(NamedTuple):
    """One decision and the machine after it; times in s, jobs as indices."""

    # events (ends and submissions of an instant), started (in queue order), reserved (the head is blocked),
    # or backfilled
    kind: str
    now: int
    jobs: tuple  # the jobs that ended or were submitted, the job that started, or the blocked head
    queue: tuple
    running: tuple
    # With a blocked head: its reservation, the extra processors then, and its real shadow time.
    planned: int | None = None
    extra: int | None = None
    real: int | None = None


class Easy:
    """One simulation of EASY (Lifka 1995; Mu'alem and Feitelson 2001, section 2); `run` carries it out.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        The estimates of the scheduler; by default those of the workload.
    seed : int
        Seed of random predictors.
    watch : callable, optional
        Called with a `Decision` at every decision.
    permissions : sequence of int, optional
        Permission of each job: never to be backfilled wildly (`NEVER_WILD`), or to pass the head whenever it fits
        (`WHENEVER_IT_FITS`), after which the head has a new reservation.
    **options
        Options of the scheduler's value, such as `replication.simulator.schedulers.EASY`.
    """

    scheduler, backfills = EASY, True

    def __init__(self, workload, estimate=None, seed=1, watch=None, permissions=None, **options):
        n = len(workload)
        self.workload, self.watch, self.permissions = workload, watch, permissions
        own = EASY.options() | self.scheduler.options()
        self.options = {name: option.default for name, option in own.items()} | options
        self.request = [int(e) for e in (workload.estimate if estimate is None else estimate)]
        self.submit, self.size = workload.submit.tolist(), workload.processors.tolist()
        self.run_time = workload.run_time.tolist()
        self.predictor = reference_predictors.make(
            workload, self.request, self.options["predictor"], seed
        )
        self.start, self.prediction, self.first_prediction = [None] * n, [None] * n, [None] * n
        self.backfilled = [False] * n
        self.planned = {}
        self.coming, self.queue, self.running = deque(range(n)), [], []
        # Running jobs that have ended as planned, whose processors are free and whose ends are not yet processed.
        self.gone = set()
        self.kept = None  # head, shadow time and extra processors of the last reservation

    def run(self):
        """Simulate until the last job has ended, and return this object."""
        while self.coming or self.running or self.queue:
            now = min(self.instants())
            if self.process_events(now):
                self.schedule(now)
        return self

    def instants(self):
        """Return the ends of the running jobs and the next submission."""
        return [self.end(job) for job in self.running] + [
            self.submit[job] for job in islice(self.coming, 1)
        ]

    def end(self, job):
        """Return the actual end of a running job, which the scheduler does not know."""
        return self.start[job] + self.run_time[job]

    def planned_end(self, job):
        """Return the planned end of a running job."""
        return self.start[job] + self.planned[job]

    def process_events(self, now):
        """Process the events of an instant, or one of them; return whether a scheduling pass follows."""
        ending = sorted(job for job in self.running if self.end(job) == now)
        if self.options["events"] == "by-plan":
            self.gone = {job for job in ending if self.planned_end(job) == now}
            ending.sort(key=self.start.__getitem__)
        coming = list(takewhile(lambda job: self.submit[job] == now, self.coming))
        submissions_first = self.options["order"] == "submissions-first"
        if self.options["events"] != "together":
            if coming and (submissions_first or not ending):
                ending, coming = [], coming[:1]
            else:
                ending, coming = ending[:1], []
        fits = False
        if submissions_first:
            fits = self.submit_jobs(coming, now)
        for job in ending:
            self.running.remove(job)
            self.predictor.learn(job, now)
        if not submissions_first:
            fits = self.submit_jobs(coming, now)
        for job in self.holders():
            self.correct(job, now)
        if ending or coming:
            self.report("events", now, ending + coming)
        return bool(ending) or fits or (bool(coming) and self.options["passes"] == "always")

    def submit_jobs(self, jobs, now):
        """Append jobs to the queue; return whether one of them fits the free processors."""
        for job in jobs:
            self.coming.remove(job)
            self.queue.append(job)
            self.first_prediction[job] = self.predictor.predict(job, now)
        return any(self.size[job] <= self.free() for job in jobs)

    def correct(self, job, now):
        """Correct the prediction of a running job if it has expired."""
        way, ran = self.options["correction"], now - self.start[job]
        self.planned[job] = corrected_prediction(way, self.prediction[job], self.request[job], ran)

    def holders(self):
        """Return the running jobs whose processors are not free."""
        return [job for job in self.running if job not in self.gone]

    def free(self):
        """Return the number of free processors."""
        return self.workload.machine - sum(self.size[job] for job in self.holders())

    def predicted(self, job, now):
        """Return the prediction with which a waiting job is planned."""
        if self.options["refresh"] == "pass":
            return self.predictor.predict(job, now)
        return self.first_prediction[job]

    def begin(self, job, now):
        """Start a waiting job."""
        self.start[job] = now
        self.prediction[job] = self.planned[job] = self.predicted(job, now)
        self.queue.remove(job)
        self.running.append(job)
        self.predictor.begin(job, now)

    def schedule(self, now):
        """Start heads while they fit, make a reservation for the blocked head, and backfill."""
        while self.queue and self.size[self.queue[0]] <= self.free():
            self.begin(self.queue[0], now)
            self.report("started", now, self.running[-1:])
        if not self.queue or not self.backfills:
            return
        shadow, extra = self.reserve(now)
        self.report("reserved", now, self.queue[:1], shadow, extra)
        candidates = self.queue[1:]
        if self.options["candidates"] == "sjf":
            candidates.sort(key=lambda job: self.predicted(job, now))
        for job in candidates:
            in_time = now + self.predicted(job, now) <= shadow
            if self.size[job] <= self.free() and self.may_pass(job, now, in_time, extra):
                self.begin(job, now)
                self.backfilled[job] = True
                if not in_time and self.options["extra"] == "used-up":
                    extra -= self.size[job]
                if extra < 0:
                    shadow, extra = self.reserve(now)
                self.report("backfilled", now, [job], shadow, extra)
        self.kept = (self.queue[0], shadow, extra)

    def may_pass(self, job, now, in_time, extra):
        """Return whether a job that fits may pass the head."""
        permission = None if self.permissions is None else self.permissions[job]
        if permission == WHENEVER_IT_FITS:
            return True
        if not in_time and self.size[job] > extra:
            return False
        return permission != NEVER_WILD or not self.would_be_wild(job, now)

    def would_be_wild(self, job, now):
        """Return whether the real shadow time of the head would move if the job started now."""
        ends = [(max(self.end(other), now), self.size[other]) for other in self.running]
        free, head_size = self.free(), self.size[self.queue[0]]
        before, _ = reservation(ends, free, head_size)
        ends.append((now + self.run_time[job], self.size[job]))
        return reservation(ends, free - self.size[job], head_size)[0] > before

    def reserve(self, now):
        """Return shadow time and extra processors of the blocked head."""
        if self.is_valid(now):
            shadow, extra = self.kept[1:]
            if self.options["recount"] == "pass":
                extra = self.extra_at(shadow, now)
        else:
            shadow, extra = self.earliest(now)
        is_held = self.options["reservation"] == "held"
        if is_held and self.options["overdue"] == "nobody" and shadow <= now:
            extra = 0
        return shadow, extra

    def is_valid(self, now):
        """Return whether the head has a kept reservation that is valid."""
        way = self.options["reservation"]
        if way == "recomputed" or self.kept is None or self.kept[0] != self.queue[0]:
            return False
        return way == "held" or self.kept[1] > now

    def earliest(self, now):
        """Return shadow time and extra processors of the blocked head by the present planned ends."""
        head = self.queue[0]
        ends = [(self.planned_end(job), job) for job in self.holders()]
        if self.options["shadow"] == "all":
            return self.reservation(ends, now)
        available = self.free()
        for end, job in sorted(ends):
            available += self.size[job]
            if available >= self.size[head]:
                return max(end, now), available - self.size[head]
        raise never_fits(self.size[head])

    def extra_at(self, shadow, now):
        """Return the extra processors at a reserved time; below 0 if the head does not fit then by the planned ends."""
        shadow, needed = max(shadow, now), self.size[self.queue[0]]
        available = self.free()
        for end, job in sorted((self.planned_end(job), job) for job in self.holders()):
            first = self.options["shadow"] == "first"
            if max(end, now) == shadow and first and available >= needed:
                break
            if max(end, now) <= shadow:
                available += self.size[job]
        return available - needed

    def reservation(self, ends, now):
        """Return `reservation` of the head for the given ends of the running jobs; ends in the past count as now."""
        planned = [(max(end, now), self.size[job]) for end, job in ends]
        return reservation(planned, self.free(), self.size[self.queue[0]])

    def report(self, kind, now, jobs, *head):
        """Call `watch` with a decision; `head` is the shadow time and the extra processors."""
        if self.watch is not None:
            ends = [(self.end(job), job) for job in self.holders()]
            real = self.reservation(ends, now)[:1] if head else ()
            queue, running = tuple(self.queue), tuple(self.running)
            self.watch(Decision(kind, now, tuple(jobs), queue, running, *head, *real))


class Fcfs(Easy):
    """First come, first served: no job passes a blocked head."""

    backfills = False


def reservation(planned, free, head_size):
    """Return shadow time and extra processors of a head that needs `head_size` processors.

    `planned` lists (planned end, size) of the running jobs. The shadow time is the earliest planned end at which the
    head fits. The processors of all jobs planned to end by then count, and those that the head does not need are extra.
    """
    for shadow in sorted({end for end, _ in planned}):
        available = free + sum(size for end, size in planned if end <= shadow)
        if available >= head_size:
            return shadow, available - head_size
    raise never_fits(head_size)


def fits(size, machine, allocations, start, length):
    """Return whether `size` processors are free from `start` on for `length` seconds.

    `allocations` lists (start, end, size); some may still be planned.
    """
    begins = {begin for begin, _, _ in allocations if start < begin < start + length}
    return length == 0 or all(
        size + sum(other for begin, end, other in allocations if begin <= instant < end) <= machine
        for instant in {start, *begins}
    )


def corrected_prediction(way, first, request, ran):
    """Return the `first` prediction as corrected by `way` for a job that has run for `ran` seconds.

    The prediction grows until it exceeds that time or reaches the request.
    """
    predicted, steps = first, list(STEPS)
    while predicted <= ran and predicted < request and way != "now":
        if way == "tsafrir" and steps:
            predicted = first + steps.pop(0)
        elif way == "doubling":
            predicted = max(2 * predicted, 1)
        else:
            predicted = request
        predicted = min(predicted, request)
    return predicted


def never_fits(size):
    """Return the error for a job larger than the machine."""
    return ValueError(f"a job of {size} processors never fits; the machine is smaller than that")
