"""Schedulers of other programs in a few lines, right and with their defects, on the event loop of
this package.

The rules are those of WRENCH, CQSim, RAPS and pyss as observed on real logs; contrib/exchange has
the comparison.
"""

from holes import hole

from replication.simulator.logs import registry
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedulers.event_loop import EventLoop, LoopOptions
from replication_conformance.cases import FOLDER
from tests.reference.conservative import Conservative


class Easy(EventLoop):
    """EASY."""

    def run(self):
        """Simulate until the last job has ended."""
        for now in self.passes():
            self.schedule(now)

    def schedule(self, now):
        """Start heads while they fit, then jobs that do not delay the blocked head."""
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
        if self.queue:
            shadow, extra = self.reserve(self.queue[0])
            for job in self.queue[1:]:
                in_time = now + self.expected(job) <= shadow
                if job.size <= self.free and (in_time or job.size <= extra):
                    self.begin(job)
                    extra -= 0 if in_time else job.size

    def reserve(self, head):
        """Return shadow time and extra processors."""
        return self.reservation(head)

    def expected(self, job):
        """Return the run time that a candidate is planned with."""
        return self.planned(job)


class CandidatesByRunTime(Easy):
    """CQSim as published: candidates are planned with their true run times, and running jobs with
    estimates.
    """

    def expected(self, job):
        """Return the run time."""
        return self.length(job)


class RunningByLimit(Easy):
    """RAPS as published: running jobs are sorted by their limits and not by their planned ends; no
    extra processors.
    """

    def reserve(self, head):
        """Return the planned end of the running job with which the head fits."""
        free = self.free
        for job in sorted(self.running, key=lambda job: job.estimate):
            free += job.size
            if free >= head.size:
                return max(self.planned_end(job), self.now), 0


class Holes(Conservative):
    """Conservative backfilling with a search for holes of its own."""

    search = staticmethod(hole)

    def earliest(self, job, length, now):
        """Return the start of the hole that the search finds."""
        taken = [(now, max(self.planned_end(one), now + 1), one.size) for one in self.running]
        reserved = [
            (start, start + max(predicted, 1), one.size)
            for one, (start, predicted) in self.reserved.items()
        ]
        found = self.search(job.size, self.machine, taken, reserved, length, now)
        return now + 10**6 if found is None else found


def starts(program, kills=False, **options):
    """Return a function of an entry: the start of each job of its log by a program, None where it
    fails.

    Jobs are killed at their estimates if `kills`; `options` are those of
    `replication.simulator.schedulers.event_loop` or of conservative backfilling.
    """

    def run(entry):
        overrun = "cut-run" if kills else "as-is"
        log = registry.load(FOLDER / "logs" / f"{entry['name']}.swf", drop=[], overrun=overrun)
        own = program(log, **options) if issubclass(program, Conservative) else program(log)
        if not issubclass(program, Conservative):
            own.loop_options = LoopOptions(**options)
        try:
            own.run()
        except (SchedulerError, AssertionError):  # it starts a job that does not fit
            pass
        return dict(zip(map(str, log.job_id.tolist()), own.start, strict=True))

    return run
