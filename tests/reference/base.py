"""The base of the reference implementations: a scheduler's options, a predictor, and the events
on the public event loop.
"""

from typing import Self

from replication.simulator.predictors import Estimate
from replication.simulator.schedulers.event_loop import EventLoop, LoopOptions
from tests.reference import predictors


class Reference(EventLoop):
    """One simulation; `run` carries it out.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        The estimates of the scheduler; by default those of the workload.
    seed : int
        Seed of random predictors.
    **options
        Options of the scheduler's value, such as `replication.simulator.schedulers.EASY`.
    """

    def __init__(self, workload, estimate=None, seed=1, **options):
        defaults = {name: option.default for name, option in self.scheduler.options().items()}
        self.options = defaults | options
        estimate = [int(e) for e in (workload.estimate if estimate is None else estimate)]
        predictor = self.options.get("predictor", Estimate())
        self.predictor = predictors.make(workload, estimate, predictor, seed)
        super().__init__(workload, estimate, self.predictor)
        self.submitted = 0
        self.gone = ()  # jobs that ended as planned and whose ends are not yet processed
        names = self.options.keys() & {*LoopOptions._fields}
        self.loop_options = LoopOptions(**{name: self.options[name] for name in names})

    def run(self) -> Self:
        """Simulate until the last job has ended, and return this object."""
        for now in self.passes():
            self.schedule(now)
        return self

    def instants(self) -> list[int]:
        """Return the times of the next events."""
        ends = [self.actual_end(job) for job in self.running + self.gone]
        return ends + [job.submit for job in self.jobs[self.submitted : self.submitted + 1]]

    def actual_end(self, job) -> int:
        """Return the end of a run."""
        return self.start[job.index] + self.length(job)

    def process_events(self, now) -> bool:
        """Process the events of an instant, or one of them; return whether a pass follows."""
        way = self.options.get("events", "together")
        submissions_first = self.options.get("ties") == "submissions-first"
        ended = sorted(job for job in self.running if self.actual_end(job) == now)
        if way == "by-plan":
            self.gone += tuple(job for job in ended if self.planned_end(job) == now)
            self.leave(self.gone)
            ended = sorted({*ended, *self.gone}, key=lambda job: (self.start[job.index], job))
        last = self.submitted
        while last < len(self.jobs) and self.jobs[last].submit == now:
            last += 1
        submitted = self.jobs[self.submitted : last]
        if way != "together":
            if submitted and (submissions_first or not ended):
                ended, submitted = [], submitted[:1]
            else:
                ended, submitted = ended[:1], []
        fits = submissions_first and self.submit(submitted)
        self.leave(ended)
        self.gone = tuple(job for job in self.gone if job not in ended)
        for job in ended:
            self.predictor.learn(job.index, now)
        if not submissions_first:
            fits = self.submit(submitted)
        self.note_events(ended, submitted, self.correct_plans(now))
        always = self.options.get("passes", "always") == "always"
        return bool(ended) or fits or (bool(submitted) and always)

    def leave(self, jobs) -> None:
        """Take jobs off the machine."""
        self.free += sum(job.size for job in jobs if job in self.running)
        self.running = tuple(job for job in self.running if job not in jobs)

    def submit(self, jobs) -> bool:
        """Append jobs to the queue; return whether one of them fits the free processors."""
        self.submitted += len(jobs)
        self.queue += tuple(jobs)
        for job in jobs:
            self.first_prediction[job.index] = self.predictor.predict(job.index, self.now)
        return any(job.size <= self.free for job in jobs)
