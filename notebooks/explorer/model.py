"""Choices that the explorer offers, and the schedules that they lead to; no widgets and no
pictures.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

import replication as rp
from replication.simulator.workload import usage

HOUR, DAY = 3600, 86400  # s
#: Schedulers by name, each with an explanation.
SCHEDULERS = {
    "EASY": (rp.EASY(), "first come, first served; a later job may pass unless it delays the head"),
    "EASY, shortest first": (rp.EASY(candidates="sjf"), "EASY, but the shortest waiting job passes "
                                                        "first"),
    "EASY on predictions": (rp.EASY(predictor=rp.Last()), "EASY that plans with the user's last "
                                                          "accuracy"),
    "PV-EASY": (rp.PVEasy(), "EASY that backfills on predictions and preempts jobs that delay an "
                             "earlier one"),
    "conservative": (rp.Conservative(), "conservative backfilling: every waiting job has a "
                                        "reservation"),
    "largest area first": (rp.LargestAreaFirst(), "every job that fits starts, most processors × "
                                                  "time first; no reservation"),
    "shortest first": (rp.OrderedEASY(), "EASY whose whole queue, with its head, is ordered by "
                                         "estimate"),
    "no backfilling": (rp.FCFS(), "first come, first served; nothing passes a blocked job"),
}  # fmt: skip
WITH_ERROR = "run time with an error"
#: Predictors by name, each with an explanation; None is the scheduler's own.
PREDICTORS = {
    "scheduler's own": (None, "the default of the scheduler"),
    "user estimate": (rp.Request(), "no prediction"),
    "true run time": (rp.Clairvoyant(), "perfect prediction"),
    WITH_ERROR: (rp.Virtual(0.2), "run time × (1 + bias) × (1 + random in ± error)"),
    "last accuracy": (rp.Last(), "estimate × run time / estimate of the user's last job (PV-EASY)"),
    "last two run times (Tsafrir)": (rp.Tsafrir(), "mean of the user's last two run times"),
    "mean of similar jobs": (rp.Complete(), "decaying mean over classes of similar jobs (Top "
                                            "Percent)"),
    "top 2 %": (rp.TopPercent(2), "run time that 2 % of similar jobs exceed (Top Percent)"),
    "top 3 %": (rp.TopPercent(3), "run time that 3 % of similar jobs exceed (Top Percent)"),
    "top 4 %": (rp.TopPercent(4), "run time that 4 % of similar jobs exceed (Top Percent)"),
    "linear model (Gaussier)": (rp.CVH(), "online regression with an asymmetric loss"),
}  # fmt: skip
RANDOM = "random, up to × (f + 1)"
#: Estimate models by name: a function of f and of the longest time of the log, s, and an
#: explanation.
ESTIMATES = {
    "user estimates": (lambda f, longest: rp.Users(), "as in the log"),
    "user estimates × (f + 1)": (lambda f, longest: rp.Users(f + 1), "all user estimates "
                                                                     "multiplied"),
    "perfect": (lambda f, longest: rp.Exact(), "the true run times"),
    "run times × (f + 1)": (lambda f, longest: rp.Deterministic(f), "all run times multiplied"),
    RANDOM: (lambda f, longest: rp.FModel(f), "uniform between r and (f + 1) r"),
    "modal": (lambda f, longest: rp.Modal(longest), "few round values, as users choose (Tsafrir)"),
}  # fmt: skip


#: Errors of the curve, in the order in which they are computed, and the seeds of each point.
ERRORS, SEEDS = (0, 2, 1, 0.5, 0.2, 1.5, 0.1, 0.75, 0.35), range(1, 11)
#: Classes of jobs by length: upper ends, s, and names.
LENGTHS = {60: "< 1 min", 600: "1 to 10 min", HOUR: "10 to 60 min", 4 * HOUR: "1 to 4 h"}
LENGTHS |= {12 * HOUR: "4 to 12 h", np.inf: "> 12 h"}


def choose(
    scheduler: rp.Scheduler, predictor: str, error: float = 0.2, bias: float = 0.0
) -> rp.Scheduler:
    """Return a scheduler with a predictor, given by name; a scheduler without predictions stays as
    it is.

    `error` and `bias` are those of the predictor with an error.
    """
    own = PREDICTORS[predictor][0]
    own = rp.Virtual(error, bias) if predictor == WITH_ERROR else own
    return (
        replace(scheduler, predictor=own) if own and hasattr(scheduler, "predictor") else scheduler
    )


@lru_cache(4)
def workload(log: str, load: float | None = None) -> rp.Workload:
    """Return the jobs of a log, by name or path, scaled to an offered load (a share) unless that is
    None.
    """
    jobs = rp.load(log)
    return jobs if load is None else jobs.scaled(jobs.load / load)


@lru_cache(12)
def view(
    log: str,
    load: float | None,
    scheduler: str = "EASY",
    predictor: str = "scheduler's own",
    estimates: str = "user estimates",
    f: float = 1.0,
    error: float = 0.2,
    bias: float = 0.0,
    own: rp.Scheduler | None = None,
) -> "View":
    """Simulate a choice of scheduler, predictor and estimate model, by name, on a log.

    `f` is the badness factor, `error` and `bias` are as in `choose`; `own` is the scheduler if its
    name is not one of `SCHEDULERS`.
    """
    plain = own or SCHEDULERS[scheduler][0]
    jobs, chosen = workload(log, load), choose(plain, predictor, error, bias)
    longest = max(int(jobs.estimate.max()), int(jobs.run_time.max()), HOUR)
    name = f"{scheduler}, {estimates.replace('(f + 1)', f'{f + 1:g}')}"
    if chosen != plain:
        name += f", predicted: {predictor}"
        name += f" (± {error:.0%}, bias {bias:+.0%})" * (predictor == WITH_ERROR)
    return View(name, rp.simulate(jobs, chosen, ESTIMATES[estimates][0](f, longest)))


def means_of(schedule: rp.Schedule) -> tuple[float, float]:
    """Return the mean wait, h, and the mean bounded slowdown of a schedule."""
    return schedule.measures["mean_wait"] / HOUR, schedule.measures["mean_bounded_slowdown"]


@dataclass(frozen=True)
class View:
    """A schedule with its name, and the tables that pictures are drawn from."""

    name: str
    schedule: rp.Schedule

    @cached_property
    def runs(self) -> pd.DataFrame:
        """All runs: job (index), start and end, s, and kind (regular, backfilled or preempted)."""
        schedule = self.schedule
        runs = pd.DataFrame({"start": schedule.start, "end": schedule.end}).reset_index(names="job")
        runs["kind"] = np.where(schedule.backfilled, "backfilled", "regular")
        killed = pd.DataFrame(schedule.killed_runs, columns=["job", "start", "end"])
        return pd.concat([runs, killed.assign(kind="preempted")], ignore_index=True)

    @cached_property
    def queue(self) -> tuple[np.ndarray, np.ndarray]:
        """Length of the queue: instants, s, and the number of waiting jobs from each to
        the next.
        """
        schedule, killed = self.schedule, self.schedule.killed_runs
        arrival = np.concatenate([schedule.workload.submit, killed[:, 2]])
        start = np.concatenate([schedule.start, killed[:, 1]])
        return usage(arrival, start, np.ones(len(arrival), np.int64))

    def busiest(self, length: int) -> int:
        """Return the start, s, of the window of `length` s in which most jobs wait."""
        first, last = self.queue[0][[0, -1]]
        since = np.arange(first, max(last - length, first + 1), max(length // 8, 1))
        return int(since[np.argmax(mean_level(*self.queue, since, since + length))])

    @cached_property
    def summary(self) -> str:
        """The main measures in a line."""
        m, preempted = self.schedule.measures, len(self.schedule.killed_runs)
        wait, slowdown = m["mean_wait"] / HOUR, m["mean_bounded_slowdown"]
        means = f"mean wait {wait:,.2f} h, mean bounded slowdown {slowdown:,.1f}, "
        means = "too few jobs for a mean, " if np.isnan(wait) else means
        return f"{self.name}: {means}{m['backfilled']:.0%} backfilled, {preempted:,} preemptions"

    def describe(self, job: int) -> str:
        """Return when and how a job ran, in a line."""
        schedule, kills = self.schedule, int(self.schedule.times_killed[job])
        how = "backfilled" if schedule.backfilled[job] else "in order"
        how += f", preempted {kills} times" if kills else ""
        start, estimate = schedule.start[job] / DAY, schedule.estimate[job] / HOUR
        wait = schedule.wait[job] / HOUR
        return (
            f"waits {wait:,.2f} h, starts on day {start:,.2f} ({how}), estimate {estimate:,.2f} h"
        )


def mean_level(instant: np.ndarray, level: np.ndarray, since, until) -> np.ndarray:
    """Return the mean of a step curve in each of several windows of time."""
    total = np.concatenate([[0], np.cumsum(level[:-1] * np.diff(instant))])
    return (np.interp(until, instant, total) - np.interp(since, instant, total)) / (until - since)


def classes(jobs: rp.Workload) -> dict[str, pd.Categorical]:
    """Return the class of each job by size, in powers of two, and by length."""
    powers = 2 ** np.arange(int(jobs.machine - 1).bit_length() + 1)
    sizes = [
        f"{low + 1} to {high}" if high > low + 1 else f"{high}"
        for low, high in zip(powers // 2, powers, strict=True)
    ]
    columns = (
        (jobs.processors, [0, *powers], sizes),
        (jobs.run_time, [-1, *LENGTHS], LENGTHS.values()),
    )
    names = "processors", "run time"
    return {
        name: pd.cut(values, edges, labels=[*labels])
        for name, (values, edges, labels) in zip(names, columns, strict=True)
    }


def lines(log: str, load: float | None, views) -> str:
    """Return the Python lines that simulate the schedules of some views of a log, and print their
    measures.
    """
    scaled = "" if load is None else f".at_load({load:g})"
    text = ["import replication as rp", "", f"jobs = rp.load({log!r}){scaled}"]
    for name, view in zip("ab", views, strict=True):
        words = f"{view.schedule.scheduler!r}, {view.schedule.estimates!r}"
        known = re.sub(
            r"\b([A-Z]\w+)\(", lambda call: f"{'rp.' * hasattr(rp, call[1])}{call[0]}", words
        )
        text.append(f"{name} = rp.simulate(jobs, {known})")
    return "\n".join([*text, 'print(a.measures, b.measures, sep="\\n\\n")'])


def differences(first: rp.Schedule, second: rp.Schedule) -> str:
    """Return how many jobs start earlier and later in the second schedule, in a line."""
    later = (second.start - first.start) / HOUR
    parts = [
        f"{len(part):,} jobs start {word}"
        + (f" (mean {abs(part.mean()):,.2f} h)" if len(part) else "")
        for part, word in ((later[later < 0], "earlier"), (later[later > 0], "later"))
    ]
    return f"In B {' and '.join(parts)}, {int((later == 0).sum()):,} at the same time."
