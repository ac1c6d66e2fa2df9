"""Conventions of simulators, which are no defects: how events, jobs and processors count."""

import heapq

from conformance.easy import Easy


class OneByOne(Easy):
    """Each end and each submission of an instant has a pass of its own (P13)."""

    def take_events(self):
        """Take one event."""
        if self.events and self.events[0][0] == self.now:
            self.take_event()


class ByPlan(OneByOne):
    """The same; a job that ends as planned frees its processors before the others (P21, P22)."""

    def take_events(self):
        """Free the processors of the jobs that end now as planned, and take one event."""
        for job in list(self.running):
            if job.start + job.plan == job.start + job.run_time == self.now:
                super().end(job)
        super().take_events()

    def end(self, job):
        """Free the processors of a job if it holds them."""
        if job in self.running:
            super().end(job)

    def add_event(self, time, kind, job):
        """Note an event; ends are taken in the order of the starts."""
        rank = (job.start, *self.rank(job)) if kind == self.END else self.rank(job)
        heapq.heappush(self.events, (time, kind, rank, job))


class SubmissionsFirst(Easy):
    """The submissions of an instant are taken before its ends (P14)."""

    END, SUBMISSION = 1, 0


class PassesIfFits(Easy):
    """A submission leads to a pass only if the submitted job fits (P15)."""

    def take_events(self):
        """Take events, and note whether a pass is due, as it is without any."""
        self.due = not self.events or self.events[0][0] > self.now
        super().take_events()

    def submit(self, job):
        """Put a job in the queue."""
        super().submit(job)
        self.due = self.due or job.size <= self.free

    def end(self, job):
        """Free the processors of a job."""
        super().end(job)
        self.due = True

    def schedule(self):
        """Make a pass if one is due."""
        if self.due:
            super().schedule()


class Kills(Easy):
    """A job is killed at its estimate."""

    def __init__(self, jobs, processors):
        for job in jobs:
            job.run_time = min(job.run_time, job.estimate)
        super().__init__(jobs, processors)


class RunsASecond(Easy):
    """A job of run time 0 ends a second after it starts."""

    def __init__(self, jobs, processors):
        for job in jobs:
            job.run_time = max(job.run_time, 1)
        super().__init__(jobs, processors)


class DropsEmptyJobs(Easy):
    """A job of run time 0 never starts."""

    def __init__(self, jobs, processors):
        super().__init__([job for job in jobs if job.run_time], processors)


class AsListed(Easy):
    """Jobs submitted together have the order of the file."""

    def rank(self, job):
        """Return submission and place in the file."""
        return job.submit, job.place, job.number


class HighestNumberFirst(Easy):
    """Of jobs submitted together the one of the highest number goes first."""

    def rank(self, job):
        """Return submission and number, the highest first."""
        return job.submit, -job.number


class NamedProcessors(Easy):
    """Processors have numbers, and the head reserves the lowest that will be free."""

    def unused(self):
        """Return the processors that no job holds."""
        return set(range(self.processors)).difference(*(job.held for job in self.running))

    def choose(self, free, size):
        """Return the lowest of free processors."""
        return sorted(free)[:size]

    def reservation(self, head):
        """Return shadow time and extra processors, and note the reserved ones."""
        shadow, extra = super().reservation(head)
        ended = [job.held for job in self.running if self.planned_end(job) <= shadow]
        self.kept = set(self.keep(self.unused(), set().union(*ended), head.size))
        return shadow, extra

    def keep(self, idle, ended, size):
        """Return the processors that the head reserves, of idle ones and of those of ended jobs."""
        return self.choose(idle | ended, size)

    def earliest(self, job):
        """Return the earliest start at which named processors are free, and note these (P16)."""
        length = max(self.planned(job), 1)
        holds = [(self.now, max(j.start + j.plan, self.now + 1), j.held) for j in self.running]
        holds += [(at, at + max(plan, 1), j.held) for j, (at, plan) in self.reserved.items()]
        for start in sorted({self.now, *(end for _, end, _ in holds)}):
            held = [held for at, end, held in holds if at < start + length and end > start]
            free = set(range(self.processors)).difference(*held)
            if len(free) >= job.size:
                job.held = self.choose(free, job.size)
                return start

    def fits_extra(self, job):
        """Return whether enough processors are neither in use nor reserved."""
        return job.size <= len(self.unused() - self.kept)

    def use_extra(self, job, in_time):
        """Choose processors that are not reserved for a job that outlives the shadow time."""
        super().use_extra(job, in_time)
        if not in_time:
            job.held = self.choose(self.unused() - self.kept, job.size)

    def start(self, job):
        """Start a job on unused processors, unless it has some."""
        job.held = getattr(job, "held", None) or self.choose(self.unused(), job.size)
        super().start(job)


class ConsecutiveProcessors(NamedProcessors):
    """Processors have numbers; a job gets those of the smallest gap in which it fits."""

    def choose(self, free, size):
        """Return free processors: of the smallest gap that suffices, or of the largest gaps."""
        gaps, chosen = [], []
        for number in sorted(free):
            if gaps and gaps[-1][-1] == number - 1:
                gaps[-1].append(number)
            else:
                gaps.append([number])
        while len(chosen) < size and gaps:
            wanted = size - len(chosen)
            best = min(gaps, key=lambda gap: (len(gap) < wanted, abs(len(gap) - wanted)))
            gaps.remove(best)
            chosen += best[:wanted]
        return chosen


class BusyProcessors(ConsecutiveProcessors):
    """The same; the head reserves processors in use first, and an idle one more if they suffice."""

    def keep(self, idle, ended, size):
        """Return the processors that the head reserves."""
        busy = sorted(ended)[:size]
        return busy + sorted(idle)[: size - len(busy) or 1]
