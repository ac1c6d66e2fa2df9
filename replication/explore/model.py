"""What the explorer shows, as numbers: which jobs, which schedule, and what is told of them. No widgets."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from replication.estimates.modal import SMALLEST_E_MAX
from replication.explore.looks import NUMBER
from replication.logs import traces
from replication.schedule import measures, plans, text
from replication.schedule.schedule import usage
from replication.schedule.simulation import simulate
from replication.schedulers import PVEasy

#: Estimate models by what the control calls them: as text, and in words, in which the badness is still open.
MODELS = {
    "users' own": ("log", "users' estimates"),
    "users' own × (f + 1)": ("log*{factor:g}", "users' estimates × {factor:g}"),
    "perfect": ("perfect", "perfect estimates"),
    "random f-model": ("f={f:g}", "random f = {f:g}"),
    "deterministic f-model": ("deterministic={f:g}", "estimates {factor:g} × run time"),
    "modal": ("modal,emax={longest}", "modal estimates"),
}
PREDICTORS = (
    "scheduler's own",
    *"request perfect virtual=0.2 last tsafrir complete top=2 top=3 top=4 cvh".split(),
)


class ExploreError(ValueError):
    """A choice that cannot be shown; the message lists what is allowed."""


@dataclass(frozen=True)
class Jobs:
    """Which jobs are simulated: those of a name of the registry or an SWF file, from a place in the
    log (from 1), so many or all that follow, scaled to an offered load (a share) or at their
    own.
    """

    log: str = "KTH-SP2"
    first: int = 1
    count: int | None = None
    load: float | None = None


@dataclass(frozen=True)
class Choice:
    """One side of the comparison: scheduler and predictor as `replication.schedule.text` reads them
    (empty for the scheduler's own predictor), a value of `MODELS`, and its badness factor.
    """

    scheduler: str = "easy"
    predictor: str = ""
    model: str = "users' own"
    f: float = 1.0

    @property
    def takes_predictor(self):
        """Whether the scheduler has one."""
        return "predictor" in text.scheduler(self.scheduler).options()

    @property
    def takes_f(self):
        """Whether the estimate model has a badness."""
        return "{f" in MODELS[self.model][0]

    @property
    def decides(self):
        """The scheduler as a value."""
        scheduler = text.scheduler(self.scheduler)
        if self.predictor and self.takes_predictor:
            return replace(scheduler, predictor=text.predictor(self.predictor))
        return scheduler

    def told(self, workload):
        """The estimate model as a value; the modal one's E_max is the longest time of the jobs."""
        longest = max(int(workload.estimate.max()), int(workload.run_time.max()), SMALLEST_E_MAX)
        return text.estimates(self._filled(0, longest))

    @property
    def words(self):
        """The side in a few words."""
        given = self.predictor if self.takes_predictor else ""
        return f"{self.scheduler}, {self._filled(1)}{f', predictor {given}' if given else ''}"

    def _filled(self, which, longest=None):
        return MODELS[self.model][which].format(f=self.f, factor=self.f + 1, longest=longest)


@functools.lru_cache(4)
def _whole(log):
    return traces.load(log)


def size_of(log):
    """How many jobs a log has, and their offered load (a share, nan where all come at once)."""
    return len(_whole(log)), _whole(log).load


@functools.lru_cache(8)
def workload(jobs):
    """The jobs that were chosen; ExploreError for a first job that the log does not have, or a load
    that cannot be.
    """
    whole = _whole(jobs.log)
    if not 1 <= jobs.first <= len(whole) or (jobs.count is not None and jobs.count < 1):
        raise ExploreError(
            f"{jobs.log}: {jobs.count} jobs from {jobs.first}, allowed: 1 to {len(whole)}"
        )
    last = len(whole) if jobs.count is None else jobs.first - 1 + jobs.count
    chosen = (
        whole if jobs.first == 1 and last >= len(whole) else whole.take(slice(jobs.first - 1, last))
    )
    if jobs.load is None:
        return chosen
    if not (jobs.load > 0 and chosen.load > 0):
        raise ExploreError(
            f"{jobs.log}: load {jobs.load:g}, allowed: above 0, of jobs that come one by one"
        )
    return chosen.scaled(chosen.load / jobs.load)


@functools.lru_cache(8)
def side(jobs, choice, seed=1):
    """What a scheduler makes of the jobs, and all of it that does not depend on the window of time."""
    found = schedule(jobs, choice, seed)
    return Seen(choice.words, found, runs(found), over_time(found), by_size(found))


def schedule(jobs, choice, seed=1):
    """What a scheduler makes of the jobs."""
    chosen = workload(jobs)
    return simulate(chosen, choice.decides, choice.told(chosen), seed)


@dataclass(frozen=True)
class Runs:
    """All runs of a schedule, those that were preempted too: int64[m] columns of jobs' indices,
    start and end, s, from when on no job of higher priority waits, s, so that the run is sunny
    load (the start for schedulers that do not preempt), and numbers of looks.
    """

    job: np.ndarray
    start: np.ndarray
    end: np.ndarray
    sunny: np.ndarray
    look: np.ndarray


@dataclass(frozen=True)
class Seen:
    """One side, ready to be drawn."""

    words: str
    schedule: object
    runs: Runs
    over_time: dict
    by_size: dict


def runs(found):
    """Every run and what it was.

    A job is shadow load as long as one submitted before it waits (PV-EASY, section 4.1); that is
    over, and for good, when the last of these has started its final run.
    """
    n, killed = len(found.start), found.killed_runs
    job = np.concatenate([np.arange(n), killed[:, 0]])
    start = np.concatenate([found.start, killed[:, 1]])
    end = np.concatenate([found.end, killed[:, 2]])
    whole = np.where(found.backfilled, NUMBER["backfilled"], NUMBER["regular"])
    look = np.concatenate([whole, np.full(len(killed), NUMBER["preempted"])])
    sunny = start
    if preempts(found):
        before = np.concatenate([found.start[:1], np.maximum.accumulate(found.start)[:-1]])
        sunny = np.where(np.arange(len(job)) < n, np.clip(before[job], start, end), end)
    return Runs(job, start, end, sunny, look)


def preempts(found):
    """Whether a schedule is of a scheduler that tells sunny from shadow load."""
    return isinstance(found.scheduler, PVEasy)


def over_time(found):
    """Queue (jobs) and machine (used processors) over time: instants, s, and what holds from each
    to the next.
    """
    submit, processors, killed = found.workload.submit, found.workload.processors, found.killed_runs
    start, end = np.concatenate([submit, killed[:, 2]]), np.concatenate([found.start, killed[:, 1]])
    every = runs(found)
    return {
        "queue": usage(start, end, np.ones(len(start), np.int64)),
        "used": usage(every.start, every.end, processors[every.job]),
    }


def by_size(found):
    """Mean wait, h, and mean bounded slowdown by the classes of size of
    `replication.schedule.plans`, of the jobs that `replication.schedule.measures` counts; nan
    for a class without jobs.
    """
    w = found.workload
    kept = measures.trimmed(w.submit, found.end)
    if not kept.any():  # all at once: nobody ends before the last arrival
        kept[:] = True
    group, classes = plans.size_class(w.processors[kept]), len(plans.size_names())
    count = np.bincount(group, minlength=classes)
    columns = {
        "wait": found.wait[kept] / 3600,
        "slowdown": measures.bounded_slowdown(found.wait[kept], w.run_time[kept]),
    }
    with np.errstate(invalid="ignore"):
        return {
            name: np.bincount(group, values, classes) / count for name, values in columns.items()
        }


def change(first, second):
    """How much later each job starts in the second schedule (its final run), int64[n], s."""
    return second.start - first.start


def tell(found, job, unit=3600, name="h"):
    """One line on one job of a schedule."""
    w = found.workload
    kind = "backfilled" if found.backfilled[job] else "started in order"
    kills = int(found.times_killed[job])
    times = (
        f"{what} {value / unit:,.2f} {name}"
        for what, value in (
            ("submitted", w.submit[job]),
            ("wait", found.wait[job]),
            ("start", found.start[job]),
            ("end", found.end[job]),
            ("run time", w.run_time[job]),
            ("estimate", found.estimate[job]),
        )
    )
    return (
        f"job {w.job_id[job]}, {w.processors[job]} processors, {kind}"
        f"{f', preempted {kills} times' if kills else ''}; {'; '.join(times)}"
    )
