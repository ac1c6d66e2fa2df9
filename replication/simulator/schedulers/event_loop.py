"""The event loop of simulations in Python: events, queue, running jobs and their planned ends."""

import heapq
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
    """The treatment of predictions; docs/semantics/predicted.md defines it."""

    refresh: str = "pass"
    correction: str = "estimate"


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
    workload : replication.simulator.workload.Workload
    jobs : list of Job
        All jobs by their index.
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
    backfilled : list of bool
    prediction, first_prediction : list of int, s
        Prediction of each job by its index, at its start and at its submission.
    times_killed : list of int
        Number of preemptions of each job by its index.
    killed_runs : list of (int, int, int)
        Index of the job, start and end of each preempted run, s.
    work_kept : list of int, s
        Work of each job by its index that its preempted runs have done and that is not repeated.
    """

    workload: Workload
    jobs: list[Job]
    machine: int
    free: int
    now: int
    queue: tuple[Job, ...]
    running: tuple[Job, ...]
    start: list[int | None]
    backfilled: list[bool]
    prediction: list[int | None]
    first_prediction: list[int | None]
    times_killed: list[int]
    killed_runs: list[list[int]]
    work_kept: list[int]
    loop_options = LoopOptions()

    def __init__(self, workload: Workload, estimate=None, predictor=None):
        # A scheduler keeps its state beside these attributes; private ones cannot collide with it.
        n = len(workload)
        self.workload = workload
        self.jobs = workload.jobs(estimate)
        self.machine = self.free = workload.machine
        self.now = int(workload.submit[0])
        self.queue, self.running = (), ()
        self.start, self.backfilled = [None] * n, [False] * n
        self.prediction, self.first_prediction = [None] * n, [None] * n
        self.times_killed, self.work_kept, self.killed_runs = [0] * n, [0] * n, []
        self.__predictor = predictor or _Estimates(self.jobs)
        self.__run_time = workload.run_time.tolist()
        # Of running jobs: the actual end, which the scheduler does not know, and the planned run
        # time.
        self.__end, self.__planned = [None] * n, [None] * n
        self.__submitted, self.__timers = 0, []  # the timers are a heap
        self.__begun = []  # jobs of this pass that may have been backfilled
        self.__noted = []  # jobs of this pass of whose start the predictor is notified after it

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
            is_idle = not self.running and self.__submitted == len(self.jobs)
            idle = idle + 1 if is_idle else 0
            if idle > MOST_IDLE:
                raise SchedulerError(
                    f"{self!r}: job {self.queue[0].id} still waits after {MOST_IDLE:,} timers "
                    "at which no job ran"
                )
            if self.process_events(self.now):
                yield self.now
                for job in self.__begun:
                    self.backfilled[job.index] = bool(self.queue) and self.queue[0] < job
                for job in self.__noted:
                    self.__predictor.begin(job.index, self.now)
                self.__begun, self.__noted = [], []
        waiting = self.queue or [job for job in self.jobs if self.start[job.index] is None]
        if waiting:
            raise SchedulerError(f"{self!r}: job {waiting[0].id} waits at the end and never begins")

    def instants(self) -> list[int]:
        """Return the times of the next events, s: ends of jobs, next submission, next timer.

        Without a job that waits, runs or is to come there are none.
        """
        ends = [self.__end[job.index] for job in self.running]
        times = ends + [job.submit for job in self.jobs[self.__submitted : self.__submitted + 1]]
        return times + self.__timers[:1] if times or self.queue else []

    def process_events(self, now: int) -> bool:
        """Process the events of an instant, ends first; return whether a scheduling pass
        follows.
        """
        ended = sorted(job for job in self.running if self.__end[job.index] == now)
        for job in ended:
            self.__leave(job)
            self.__predictor.learn(job.index, now)
        first = self.__submitted
        while (k := self.__submitted) < len(self.jobs) and self.jobs[k].submit == now:
            self.first_prediction[k] = self.__predictor.predict(k, now)
            self.__submitted += 1
        submitted = self.jobs[first : self.__submitted]
        self.queue += tuple(submitted)
        woken = self.__timers[:1] == [now]
        while self.__timers[:1] == [now]:
            heapq.heappop(self.__timers)
        self.note_events(ended, submitted, self.correct_plans(now))
        return bool(ended or submitted or woken)

    def note_events(self, ended: list[Job], submitted: list[Job], corrected: bool) -> None:
        """Do nothing; a scheduler that has to know of ends and submissions defines this method.

        It is called after the events of an instant and before the scheduling pass, also where no
        pass follows.

        Parameters
        ----------
        ended, submitted : list of Job
            Jobs that ended and that were submitted at this instant. `start` has the starts of the
            former, so a run lasted from there until `now`.
        corrected : bool
            Whether the plan of a running job changed.
        """

    def __leave(self, job):
        """Take a job off the machine."""
        self.running = tuple(other for other in self.running if other is not job)
        self.free += job.size

    def correct_plans(self, now: int) -> bool:
        """Correct the expired predictions of running jobs; return whether one changed."""
        corrected = False
        for job in self.running:
            k, ran = job.index, now - self.start[job.index]
            if self.__planned[k] <= ran:
                before = self.__planned[k]
                self.__planned[k] = self.__rest(job, self.prediction[k], ran)
                corrected |= self.__planned[k] != before
        return corrected

    def planned(self, job: Job) -> int:
        """Return the time that a run of a waiting or running job is planned with, s.

        It is the estimate or prediction, less the work that was kept.
        """
        planned = self.__planned[job.index]
        if planned is not None:
            return planned
        predicted = self.predicted(job)
        return self.__rest(job, predicted) if self.work_kept[job.index] else predicted

    def predicted(self, job: Job) -> int:
        """Return the estimate or prediction of a waiting job, s: the time of all of its work."""
        if self.loop_options.refresh == "pass":
            return self.__predictor.predict(job.index, self.now)
        return self.first_prediction[job.index]

    def __rest(self, job, prediction, ran=0):
        """Return the planned length of a run that has lasted `ran` seconds."""
        kept, way = self.work_kept[job.index], self.loop_options.correction
        if not kept + ran:
            return prediction
        return max(corrected_prediction(way, prediction, job.estimate, kept + ran) - kept, 0)

    def planned_end(self, job: Job) -> int:
        """Return the planned end of a running job, s; it is in the past if the job is overdue."""
        return self.start[job.index] + self.__planned[job.index]

    def reservation(
        self,
        job: Job,
        begun: Iterable[Job] = (),
        among: Iterable[Job] | None = None,
        free: int | None = None,
    ) -> Reservation:
        """Return the earliest time at which a waiting job fits by the planned ends,
        and the extra processors then.

        All ends of one second count together. The time is infinite for a job that does not fit
        after the last of them either.

        Parameters
        ----------
        job : Job
        begun : iterable of Job
            Waiting jobs that are planned as if they began now.
        among : iterable of Job, optional
            The running jobs whose processors the job may get; by default all.
        free : int, optional
            The processors that it may get now, before those of `begun` are taken; by default all
            free ones.
        """
        free = self.free if free is None else free
        running = self.running if among is None else among
        ends = [(max(self.planned_end(run), self.now), run.size) for run in running]
        for run in begun:
            free -= run.size
            ends.append((self.now + self.planned(run), run.size))
        return earliest_fit(job.size, free, [(self.now, 0), *ends])

    def earliest_start(
        self, job: Job, reserved: Iterable[tuple[int, int, int]] = (), length: int | None = None
    ) -> float:
        """Return the earliest time from now on at which a job has its processors for all of its
        planned run time, beside the running jobs and other reservations.

        The processors of an overdue job are not free before the next second. The time is infinite
        for a job that is larger than the machine is now.

        Parameters
        ----------
        job : Job
        reserved : iterable of (start, end, processors)
            Other reservations, s.
        length : int, s, optional
            In place of the planned run time; by default at least 1.
        """
        length = max(self.planned(job), 1) if length is None else length
        taken = [
            (self.now, max(self.planned_end(run), self.now + 1), run.size) for run in self.running
        ]
        return earliest_start(job.size, self.machine, [*taken, *reserved], length, self.now)

    def length(self, job: Job) -> int:
        """Return the length of the run of a job that begins now, s,
        which the scheduler does not know.
        """
        return self.__run_time[job.index] - self.work_kept[job.index]

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
        self.start[k], self.__planned[k] = self.now, planned
        self.__end[k] = self.now + self.length(job)
        self.queue = tuple(other for other in self.queue if other is not job)
        self.running += (job,)
        self.free -= job.size
        self.backfilled[k] = bool(backfilled)
        if backfilled is None:
            self.__begun.append(job)
        self.__noted.append(job)

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
        self.work_kept[k] += self.__whole("keep", keep, 0, self.now - self.start[k])
        self.__leave(job)
        self.killed_runs.append([k, self.start[k], self.now])
        self.times_killed[k] += 1
        self.__planned[k] = self.__end[k] = None
        self.__begun = [other for other in self.__begun if other is not job]
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
        heapq.heappush(self.__timers, self.__whole("wake", at, self.now + 1, LARGEST))

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
        machine = self.__whole("resize", processors, 0, self.workload.machine)
        self.free += machine - self.machine
        self.machine = machine

    def __whole(self, name, value, least, most):
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
        length = np.array(self.__end, np.int64) - columns["start"]
        if not np.array_equal(length, self.__run_time):
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
    count together. If there are too few after the last of them, the time is infinite.
    """
    ending = defaultdict(int)
    for end, processors in ends:
        ending[end] += processors
    for time in sorted(ending):
        free += ending[time]
        if size <= free:
            return Reservation(time, free - size)
    return Reservation(math.inf, 0)


def earliest_start(
    size: int, machine: int, taken: Iterable[tuple[int, int, int]], length: int, now: int
) -> float:
    """Return the earliest time from `now` on at which `size` processors of a machine are free for
    `length` seconds; infinite if there is none.

    `taken` are the start, the end and the processors of running jobs and of reservations.
    """
    change = defaultdict(int, {now: 0})
    for start, end, processors in taken:
        change[max(start, now)] += processors
        change[max(end, now)] -= processors
    used, since, times = 0, None, sorted(change)
    for time, following in zip(times, [*times[1:], math.inf], strict=True):
        used += change[time]
        if used + size > machine:
            since = None
            continue
        since = time if since is None else since
        if following - since >= length:
            return since
    return math.inf


def corrected_prediction(way: str, first: int, estimate: int, ran: int) -> int:
    """Return the `first` prediction as corrected by `way` for a job that has run for `ran` seconds.

    The prediction grows until it exceeds that time or reaches the estimate.
    """
    predicted, steps = first, list(STEPS)
    while predicted <= ran and predicted < estimate and way != "now":
        if way == "tsafrir" and steps:
            predicted = first + steps.pop(0)
        elif way == "doubling":
            predicted = max(2 * predicted, 1)
        else:
            predicted = estimate
        predicted = min(predicted, estimate)
    return predicted
