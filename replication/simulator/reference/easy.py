"""EASY and FCFS as slow, readable Python that follows the papers' prose: the oracle of their kernels.

Nothing here is fast and nothing here is clever. It is compared with the compiled kernels on every start time, on
random and on real workloads. Whoever wants to watch the decisions passes `watch`.
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


class Sight(NamedTuple):
    """The machine at one decision; times in s, jobs by their indices."""

    # `events` (ends and submissions of an instant), `started` (in the queue's order), `reserved` (the head is blocked)
    # or `backfilled`.
    kind: str
    now: int
    jobs: (
        tuple  # those that the decision is about: ended and submitted, started, or the blocked head
    )
    queue: tuple  # after the decision, in its order; `running` too
    running: tuple
    # Where there is one, the head's reservation, what it leaves over then, and its real shadow time after the decision.
    planned: int | None = None
    extra: int | None = None
    real: int | None = None


class Easy:
    """One simulation of EASY (Lifka 1995; Mu'alem and Feitelson 2001, section 2); `run` carries it out.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        What the scheduler is told; the workload's own estimates by default.
    seed : int
        Of random predictors.
    watch : callable, optional
        Called with a `Sight` at every decision.
    permissions : sequence of int, optional
        Of each job: whether it may never be backfilled wildly (`NEVER_WILD`), or passes a head whenever it fits
        (`WHENEVER_IT_FITS`), after which the head has a new reservation.
    **options
        Those of the scheduler's value, such as `replication.simulator.schedulers.EASY`.
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
        # What is decided of each job: seconds, and whether it went past a blocked head.
        self.start, self.prediction, self.first_prediction = [None] * n, [None] * n, [None] * n
        self.backfilled = [False] * n
        self.planned = {}
        self.coming, self.queue, self.running = deque(range(n)), [], []
        # Running jobs that have left by the plan, and whose ends are still to be noticed.
        self.gone = set()
        self.kept = None  # head, shadow time and extra processors, where reservations are kept

    def run(self):
        """Simulate until the last job has ended, and return this object."""
        while self.coming or self.running or self.queue:
            now = min(self.instants())
            if self.process_events(now):
                self.schedule(now)
        return self

    def instants(self):
        """When something happens next: ends of running jobs, and the next submission."""
        return [self.end(job) for job in self.running] + [
            self.submit[job] for job in islice(self.coming, 1)
        ]

    def end(self, job):
        """When a running job truly ends, which the scheduler does not know."""
        return self.start[job] + self.run_time[job]

    def planned_end(self, job):
        """When the scheduler expects a running job to end."""
        return self.start[job] + self.planned[job]

    def process_events(self, now):
        """Take the events of an instant, or one of them; whether a scheduling pass follows."""
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
            fits = self.submitted(coming, now)
        for job in ending:
            self.running.remove(job)
            self.predictor.learn(job, now)
        if not submissions_first:
            fits = self.submitted(coming, now)
        for job in self.holding():
            self.correct(job, now)
        if ending or coming:
            self.show("events", now, ending + coming)
        return bool(ending) or fits or (bool(coming) and self.options["passes"] == "always")

    def submitted(self, jobs, now):
        """Put jobs into the queue; whether one of them fits the free processors."""
        for job in jobs:
            self.coming.remove(job)
            self.queue.append(job)
            self.first_prediction[job] = self.predictor.predict(job, now)
        return any(self.size[job] <= self.free() for job in jobs)

    def correct(self, job, now):
        """Let the prediction of a running job grow if it has outlived it."""
        way, ran = self.options["correction"], now - self.start[job]
        self.planned[job] = grown(way, self.prediction[job], self.request[job], ran)

    def holding(self):
        """The running jobs whose processors are not free."""
        return [job for job in self.running if job not in self.gone]

    def free(self):
        """Free processors."""
        return self.workload.machine - sum(self.size[job] for job in self.holding())

    def predicted(self, job, now):
        """What a waiting job is planned with."""
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
        """One pass: heads while they fit, a reservation for the blocked one, then candidates."""
        while self.queue and self.size[self.queue[0]] <= self.free():
            self.begin(self.queue[0], now)
            self.show("started", now, self.running[-1:])
        if not self.queue or not self.backfills:
            return
        shadow, extra = self.reserve(now)
        self.show("reserved", now, self.queue[:1], shadow, extra)
        candidates = self.queue[1:]
        if self.options["candidates"] == "sjf":
            candidates.sort(key=lambda job: self.predicted(job, now))
        for job in candidates:
            in_time = now + self.predicted(job, now) <= shadow
            if self.size[job] <= self.free() and self.passes(job, now, in_time, extra):
                self.begin(job, now)
                self.backfilled[job] = True
                if not in_time and self.options["extra"] == "used-up":
                    extra -= self.size[job]
                if extra < 0:
                    shadow, extra = self.reserve(now)
                self.show("backfilled", now, [job], shadow, extra)
        self.kept = (self.queue[0], shadow, extra)

    def passes(self, job, now, in_time, extra):
        """Whether a job that fits may pass the head."""
        permissions = None if self.permissions is None else self.permissions[job]
        if permissions == WHENEVER_IT_FITS:
            return True
        if not in_time and self.size[job] > extra:
            return False
        return permissions != NEVER_WILD or not self.would_be_wild(job, now)

    def would_be_wild(self, job, now):
        """Whether the head would truly fit later if the job began now."""
        ends = [(max(self.end(other), now), self.size[other]) for other in self.running]
        free, head_size = self.free(), self.size[self.queue[0]]
        before, _ = reservation(ends, free, head_size)
        ends.append((now + self.run_time[job], self.size[job]))
        return reservation(ends, free - self.size[job], head_size)[0] > before

    def reserve(self, now):
        """Shadow time and extra processors of the blocked head."""
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
        """Whether the head has a reservation that it keeps."""
        way = self.options["reservation"]
        if way == "recomputed" or self.kept is None or self.kept[0] != self.queue[0]:
            return False
        return way == "held" or self.kept[1] > now

    def earliest(self, now):
        """Shadow time and extra processors of the blocked head as they are now."""
        head = self.queue[0]
        ends = [(self.planned_end(job), job) for job in self.holding()]
        if self.options["shadow"] == "all":
            return self.reservation(ends, now)
        available = self.free()
        for end, job in sorted(ends):
            available += self.size[job]
            if available >= self.size[head]:
                return max(end, now), available - self.size[head]
        raise never_fits(self.size[head])

    def extra_at(self, shadow, now):
        """Extra processors of the head at a reserved time; below 0 if the head is not expected to fit then."""
        shadow, needed = max(shadow, now), self.size[self.queue[0]]
        available = self.free()
        for end, job in sorted((self.planned_end(job), job) for job in self.holding()):
            first = self.options["shadow"] == "first"
            if max(end, now) == shadow and first and available >= needed:
                break
            if max(end, now) <= shadow:
                available += self.size[job]
        return available - needed

    def reservation(self, ends, now):
        """`reservation` of the head, where the running jobs end as `ends` says, those past their end now."""
        planned = [(max(end, now), self.size[job]) for end, job in ends]
        return reservation(planned, self.free(), self.size[self.queue[0]])

    def show(self, kind, now, jobs, *head):
        """Let the watcher see a decision; `head` is the shadow time and the extra processors."""
        if self.watch is not None:
            ends = [(self.end(job), job) for job in self.holding()]
            real = self.reservation(ends, now)[:1] if head else ()
            queue, running = tuple(self.queue), tuple(self.running)
            self.watch(Sight(kind, now, tuple(jobs), queue, running, *head, *real))


class Fcfs(Easy):
    """First come, first served: nobody passes a blocked head."""

    backfills = False


def reservation(planned, free, head_size):
    """Shadow time and extra processors of a head that needs `head_size` processors.

    `planned` lists (planned end, size) of the running jobs. The shadow time is the earliest planned end
    at which the head fits; all jobs planned to end by that instant count, and what the head leaves over
    is extra.
    """
    for shadow in sorted({end for end, _ in planned}):
        available = free + sum(size for end, size in planned if end <= shadow)
        if available >= head_size:
            return shadow, available - head_size
    raise never_fits(head_size)


def grown(way, first, request, ran):
    """What the `first` prediction has become once a job has run for `ran` seconds, by a way of correction.

    It grows until it lies in the future, or reaches the request.
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
    """The error for a job wider than the machine."""
    return ValueError(f"a job of {size} processors never fits; the machine is smaller than that")
