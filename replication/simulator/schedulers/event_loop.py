"""The event loop of simulations in Python: events, queue, running jobs and their planned ends."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from replication.simulator.choices import Number
from replication.simulator.schedulers.scheduler import SchedulerError
from replication.simulator.workload import LARGEST, Job, Workload

HOUR = 3600
# Tsafrir, Etsion and Feitelson 2007, section 4.2.
STEPS = [60, 300, 900, 1800, HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 20 * HOUR, 50 * HOUR, 100 * HOUR]

#: Timers in succession while nothing runs or is to come; more are a scheduler that waits for ever.
MOST_IDLE = 100_000


class Reservation(NamedTuple):
    """The earliest time at which a job fits, s, and the extra processors:
    those that it leaves free at that time.
    """

    time: float
    extra: int


class LoopOptions(NamedTuple):
    """The loop's options; docs/semantics/predicted.md defines them."""

    refresh: str = "pass"
    correction: str = "request"
    events: str = "together"
    ties: str = "ends-first"
    passes: str = "always"


class EventLoop:
    """One simulation; a subclass or a caller decides at each scheduling pass which jobs begin.

    The order of simultaneous events, jobs of run time 0, expired predictions and overdue jobs
    follow the sentences of docs/semantics.md and docs/semantics/predicted.md; timers, changes of
    the machine's size and kept work those of docs/semantics/events.md.

    Parameters
    ----------
    workload : replication.simulator.workload.Workload
    estimate : sequence of int, s, optional
        Estimate of each job; by default that of the workload.
    predictor : object, optional
        An object with methods predict(index, now), begin(index, now) and learn(index, now); by
        default jobs are planned with their estimates.

    Attributes
    ----------
    machine, free : int, processors
        Those of the machine as it is now, and those without a job; `free` is negative while more
        are in use than a smaller machine has.
    now : int, s
    queue : tuple of Job
        The waiting jobs by submission.
    running : tuple of Job
        The running jobs in the order of their starts.
    start : list of int, s
        Start of each job by its index: the latest start of a job that was preempted, None before
        the first.
    work_kept : list of int, s
        Work of each job by its index that its preempted runs have done and that is not repeated.
    """

    loop_options = LoopOptions()

    def __init__(self, workload: Workload, estimate=None, predictor=None):
        n = len(workload)
        self.workload = workload
        self.jobs = workload.jobs(estimate)
        self.machine = self.free = workload.machine
        self.now = int(workload.submit[0])
        self.queue, self.running = (), ()
        self.start, self.backfilled = [None] * n, [False] * n
        self.prediction, self.first_prediction = [None] * n, [None] * n
        self.times_killed, self.killed_runs = [0] * n, []  # job, start and end of each killed run
        self.work_kept = [0] * n
        self._predictor = predictor or _Estimates(self.jobs)
        self._run_time = workload.run_time.tolist()
        # Of running jobs: the actual end, which the scheduler does not know, and the planned run
        # time.
        self._end, self._planned = [None] * n, [None] * n
        self._submitted, self._timers = 0, set()
        self._gone = ()  # jobs that have ended as planned and whose ends are not yet processed
        self._begun = []  # jobs of this pass that may have been backfilled
        self._noted = []  # jobs of this pass of whose start the predictor is notified after it

    def passes(self) -> Iterator[int]:
        """Yield the time of each scheduling pass, s, after the events before it.

        Raises
        ------
        SchedulerError
            If jobs wait after the last event, or after `MOST_IDLE` timers with nothing else to
            come.
        """
        idle = 0
        while instants := self.instants():
            self.now = min(instants)
            is_idle = not self.running and self._submitted == len(self.jobs)
            idle = idle + 1 if is_idle else 0
            if idle > MOST_IDLE:
                raise SchedulerError(
                    f"{self!r}: job {self.queue[0].id} still waits after {MOST_IDLE:,} timers "
                    "at which no job ran"
                )
            if self.process_events(self.now):
                yield self.now
                for job in self._begun:
                    self.backfilled[job.index] = bool(self.queue) and self.queue[0] < job
                for job in self._noted:
                    self._predictor.begin(job.index, self.now)
                self._begun, self._noted = [], []
        if self.queue:
            raise SchedulerError(
                f"{self!r}: job {self.queue[0].id} waits at the end and never begins"
            )

    def instants(self) -> list[int]:
        """Return the times of the next events, s: ends of jobs, next submission, next timer.

        Without a job that waits, runs or is to come there are none.
        """
        ends = [self._end[job.index] for job in self.running + self._gone]
        times = ends + [job.submit for job in self.jobs[self._submitted : self._submitted + 1]]
        return times + sorted(self._timers)[:1] if times or self.queue else []

    def process_events(self, now: int) -> bool:
        """Process the events of an instant, or one of them; return whether a pass follows."""
        chosen = self.loop_options
        ending = sorted(job for job in self.running if self._end[job.index] == now)
        if chosen.events == "by-plan":
            self._gone += tuple(job for job in ending if self.planned_end(job) == now)
            self._leave(self._gone)
            ending = sorted({*ending, *self._gone}, key=lambda job: (self.start[job.index], job))
        last = self._submitted
        while last < len(self.jobs) and self.jobs[last].submit == now:
            last += 1
        coming = self.jobs[self._submitted : last]
        submissions_first = chosen.ties == "submissions-first"
        if chosen.events != "together":
            if coming and (submissions_first or not ending):
                ending, coming = [], coming[:1]
            else:
                ending, coming = ending[:1], []
        woken = now in self._timers and (chosen.events == "together" or not (ending or coming))
        if woken:
            self._timers.remove(now)
        fits = submissions_first and self._submit(coming)
        self._leave(ending)
        self._gone = tuple(job for job in self._gone if job not in ending)
        for job in ending:
            self._predictor.learn(job.index, now)
        if not submissions_first:
            fits = self._submit(coming)
        corrected = self.correct_plans(now)
        self.note_events(ending, coming, corrected)
        return bool(ending) or fits or woken or (bool(coming) and chosen.passes == "always")

    def note_events(self, ended: list[Job], submitted: list[Job], corrected: bool) -> None:
        """Note the events that were processed; `corrected` is whether the plan
        of a running job changed.
        """

    def _leave(self, jobs):
        """Take jobs off the machine."""
        for job in jobs:
            if job in self.running:
                self.running = tuple(other for other in self.running if other is not job)
                self.free += job.size

    def _submit(self, jobs):
        """Append jobs to the queue; return whether one of them fits the free processors."""
        self._submitted += len(jobs)
        self.queue += tuple(jobs)
        for job in jobs:
            self.first_prediction[job.index] = self._predictor.predict(job.index, self.now)
        return any(job.size <= self.free for job in jobs)

    def correct_plans(self, now: int) -> bool:
        """Correct the expired predictions of running jobs; return whether one changed."""
        corrected = False
        for job in self.running:
            k, ran = job.index, now - self.start[job.index]
            if self._planned[k] <= ran:
                before = self._planned[k]
                self._planned[k] = self._rest(job, self.prediction[k], ran)
                corrected |= self._planned[k] != before
        return corrected

    def planned(self, job: Job) -> int:
        """Return the time that a run of a waiting or running job is planned with, s.

        It is the estimate or prediction, less the work that was kept.
        """
        if self._planned[job.index] is not None:
            return self._planned[job.index]
        return self._rest(job, self.predicted(job))

    def predicted(self, job: Job) -> int:
        """Return the estimate or prediction of a waiting job, s: the time of all of its work."""
        if self.loop_options.refresh == "pass":
            return self._predictor.predict(job.index, self.now)
        return self.first_prediction[job.index]

    def _rest(self, job, prediction, ran=0):
        """Return the planned length of a run that has lasted `ran` seconds."""
        kept, way = self.work_kept[job.index], self.loop_options.correction
        if not kept + ran:
            return prediction
        return max(corrected_prediction(way, prediction, job.estimate, kept + ran) - kept, 0)

    def planned_end(self, job: Job) -> int:
        """Return the planned end of a running job, s; it is in the past if the job is overdue."""
        return self.start[job.index] + self._planned[job.index]

    def reservation(self, job: Job) -> Reservation:
        """Return the earliest time at which a waiting job fits by the planned ends,
        and the extra processors then.

        The time is infinite for a job that is larger than the machine is now.
        """
        if job.size > self.machine:
            return Reservation(math.inf, 0)
        ends = [(max(self.planned_end(other), self.now), other.size) for other in self.running]
        return earliest_fit(job.size, self.free, [(self.now, 0), *ends])

    def length(self, job: Job) -> int:
        """Return the length of the run of a job that begins now, s,
        which the scheduler does not know.
        """
        return self._run_time[job.index] - self.work_kept[job.index]

    def begin(self, job: Job, backfilled: bool | None = None) -> None:
        """Begin a waiting job now.

        Parameters
        ----------
        job : Job
        backfilled : bool, optional
            By default a job is backfilled if one that was submitted before it still waits after the
            pass.

        Raises
        ------
        SchedulerError
            For a job that does not wait or does not fit.
        """
        if job not in self.queue or job.size > self.free:
            state = f"needs {job.size} of {self.free} free processors"
            state = state if job in self.queue else "does not wait"
            raise SchedulerError(f"{self!r}: job {job.id} cannot begin at {self.now} s: it {state}")
        k = job.index
        planned = self.planned(job)
        self.prediction[k] = self.predicted(job) if self.work_kept[k] else planned
        self.start[k], self._planned[k] = self.now, planned
        self._end[k] = self.now + self.length(job)
        self.queue = tuple(other for other in self.queue if other is not job)
        self.running += (job,)
        self.free -= job.size
        self.backfilled[k] = bool(backfilled)
        if backfilled is None:
            self._begun.append(job)
        self._noted.append(job)

    def end(self, job: Job, keep: int = 0) -> None:
        """Preempt a running job, which returns to its place in the queue.

        Parameters
        ----------
        job : Job
        keep : int, s
            Work of this run that the job need not repeat, at most the length of the run until now:
            all of it for a suspended job, the time of the last checkpoint, less what it costs to
            resume the job. By default the job repeats all of its work.

        Raises
        ------
        SchedulerError
            For a job that does not run, and for more work than the run has done.
        """
        if job not in self.running:
            raise SchedulerError(
                f"{self!r}: job {job.id} cannot end at {self.now} s: it does not run"
            )
        k = job.index
        self.work_kept[k] += self._whole("keep", keep, 0, self.now - self.start[k])
        self._leave([job])
        self.killed_runs.append([k, self.start[k], self.now])
        self.times_killed[k] += 1
        self._planned[k] = self._end[k] = None
        self._begun = [other for other in self._begun if other is not job]
        self.queue = tuple(sorted((*self.queue, job)))

    def wake(self, at: int) -> None:
        """Set a timer: a scheduling pass follows the ends and submissions of an instant.

        Parameters
        ----------
        at : int, s
            After the present instant.

        Raises
        ------
        SchedulerError
            For another time.
        """
        self._timers.add(self._whole("wake", at, self.now + 1, LARGEST))

    def resize(self, processors: int) -> None:
        """Change the size of the machine, as by failed nodes or maintenance; running jobs stay.

        Parameters
        ----------
        processors : int
            From 0 to the machine of the workload.

        Raises
        ------
        SchedulerError
            For another number.
        """
        machine = self._whole("resize", processors, 0, self.workload.machine)
        self.free += machine - self.machine
        self.machine = machine

    def _whole(self, name, value, least, most):
        try:
            return Number(least, most, whole=True)(value)
        except ValueError as allowed:
            raise SchedulerError(
                f"{self!r}: {name} {value!r:.40} at {self.now} s; expected {allowed}"
            ) from None

    def columns(self) -> dict[str, Any]:
        """Return the columns of a `replication.simulator.schedules.schedule.Schedule`
        after the last job.
        """
        names = "start", "prediction", "first_prediction", "times_killed"
        columns = {name: np.array(getattr(self, name), np.int64) for name in names}
        columns["backfilled"] = np.array(self.backfilled, bool)
        columns["killed_runs"] = np.array(self.killed_runs, np.int64).reshape(-1, 3)
        length = np.array(self._end, np.int64) - columns["start"]
        if not np.array_equal(length, self._run_time):
            columns["length"] = length
        return columns


class _Estimates:
    """The estimates as predictions."""

    def __init__(self, jobs):
        self.jobs = jobs

    def predict(self, job, now):
        return self.jobs[job].estimate

    def begin(self, job, now):
        """Do nothing."""

    learn = begin


def earliest_fit(size: int, free: int, ends: Iterable[tuple[int, int]]) -> Reservation:
    """Return the earliest of some ends at which `size` processors are free,
    and the extra processors at that time.

    Each of the `ends` is a time, s, and the number of processors that become free; all of one time
    count together.
    """
    ending = defaultdict(int)
    for end, processors in ends:
        ending[end] += processors
    for time in sorted(ending):
        free += ending[time]
        if size <= free:
            return Reservation(time, free - size)
    raise ValueError(f"a job of {size} processors never fits; the machine is smaller than that")


def corrected_prediction(way: str, first: int, request: int, ran: int) -> int:
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
