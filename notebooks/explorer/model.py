"""Choices that the explorer offers, and the schedules that they lead to; no widgets and no
pictures.
"""

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import replication as rp
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.paths import toml
from replication.simulator.schedules import intervals
from replication.simulator.schedules.measures import measured_jobs
from replication.simulator.workload import usage

HOUR = 3600  # s
#: Schedulers by name, each with an explanation.
SCHEDULERS = {
    "EASY": (rp.EASY(), "first come, first served; a later job may pass unless it delays the head"),
    "EASY, backfills shortest first": (rp.EASY(candidates="shortest"), "the head by submission; "
                                       "behind it the shortest job by estimate is tried first"),
    "EASY on predictions": (rp.EASY(predictor=rp.Last()), "EASY that plans with the user's last "
                                                          "accuracy"),
    "PV-EASY": (rp.PVEasy(), "EASY that backfills on predictions and preempts jobs that delay an "
                             "earlier one"),
    "conservative": (rp.Conservative(), "conservative backfilling: every waiting job has a "
                                        "reservation"),
    "largest area first": (rp.LargestAreaFirst(), "every job that fits starts, most processors × "
                                                  "time first; no reservation"),
    "EASY, queue shortest first": (rp.OrderedEASY(), "the whole queue is ordered by estimate, so "
                                   "that the head is its shortest job"),
    "no backfilling": (rp.FCFS(), "first come, first served; nothing passes a blocked job"),
}  # fmt: skip
OWN = "scheduler's own"
#: Predictors by name, each with an explanation; None is the scheduler's own.
PREDICTORS = {
    OWN: (None, "the default of the scheduler"),
    "user estimate": (rp.Estimate(), "no prediction"),
    "true run time": (rp.Clairvoyant(), "perfect prediction"),
    "true run time ± 20 %": (rp.Virtual(0.2), "run time × (1 + random in ± 0.2)"),
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
    "perfect": (lambda f, longest: rp.Perfect(), "the true run times"),
    "run times × (f + 1)": (lambda f, longest: rp.Deterministic(f), "all run times multiplied"),
    RANDOM: (lambda f, longest: rp.FModel(f), "uniform between r and (f + 1) r"),
    "modal": (lambda f, longest: rp.Modal(longest), "few round values, as users choose (Tsafrir)"),
}  # fmt: skip

#: Values of f at which the curve of the mean wait is computed, in this order.
FACTORS = (0, 10, 1, 4, 2, 0.5, 7, 3, 1.5, 0.25, 5.5, 8.5)
#: Classes of jobs by length: upper ends, s, and names.
LENGTHS = {60: "< 1 min", 600: "1 to 10 min", HOUR: "10 to 60 min", 4 * HOUR: "1 to 4 h"}
LENGTHS |= {12 * HOUR: "4 to 12 h", np.inf: "> 12 h"}


class Log(NamedTuple):
    """A log by name or path, and the paper whose rules and machine apply; without one, the machine
    that the log names.
    """

    name: str
    paper: str | None = None

    @property
    def words(self) -> str:
        """The name, and that of the paper."""
        paper = self.paper and toml(paths.PUBLISHED / "papers.toml")[self.paper]["name"]
        return Path(self.name).name + (f" as in {paper}" if paper else "")

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of `replication.load` beside the name."""
        return {"paper": self.paper} if self.paper else {}


def logs() -> dict[str, Log]:
    """Return all registered logs by a name with their processors; a log that a paper runs on
    another machine is listed with that one too.
    """
    entries = {}
    for name in registry.names():
        for machine, papers in registry.machines(name).items():
            log = Log(name, None if machine == registry.info(name).processors else papers[0])
            entries[f"{log.words}: {machine:,}"] = log
    return entries


@lru_cache(4)
def workload(log: Log, load: float | None) -> rp.Workload:
    """Return the jobs of a log, scaled to an offered load (a share) unless that is None; without
    the log, as many generated jobs.
    """
    try:
        jobs = rp.load(log.name, **log.arguments)
    except registry.Missing:
        jobs = rp.load(log.name, synthetic=True, **log.arguments)
    return jobs if load is None else jobs.scaled(jobs.load / load)


@dataclass(frozen=True)
class Choice:
    """What to simulate: a log at an offered load (a share; None for its own), and a scheduler, a
    predictor and an estimate model by name.

    `f` is the badness factor; `own` is the scheduler if its name is not one of `SCHEDULERS`.
    """

    log: Log
    load: float | None = None
    scheduler: str = "EASY"
    predictor: str = OWN
    estimates: str = "user estimates"
    f: float = 0.0
    own: rp.Scheduler | None = None

    @property
    def plans(self) -> rp.Scheduler:
        """The scheduler with its predictor; one without predictions stays as it is."""
        plain = self.own or SCHEDULERS[self.scheduler][0]
        predictor = PREDICTORS[self.predictor][0]
        known = predictor and hasattr(plain, "predictor")
        return replace(plain, predictor=predictor) if known else plain

    @property
    def without_effect(self) -> set[str]:
        """Names of the choices that cannot change this schedule."""
        plans, names = self.plans, set()
        if not hasattr(plans, "predictor"):
            names.add("predictor")
        if isinstance(plans, rp.FCFS) or getattr(plans, "predictor", None) == rp.Clairvoyant():
            names.add("estimates")
        if "estimates" in names or "f + 1" not in self.estimates:
            names.add("f")
        return names

    @property
    def name(self) -> str:
        """The scheduler, its estimates and its predictor, as far as they count."""
        parts = [self.scheduler]
        if "estimates" not in self.without_effect:
            parts.append(self.estimates.replace("(f + 1)", f"{self.f + 1:g}"))
        if self.predictor != OWN and "predictor" not in self.without_effect:
            parts.append(f"predicted: {self.predictor}")
        return ", ".join(parts)

    def simulate(self) -> rp.Schedule:
        """Return the schedule."""
        jobs = workload(self.log, self.load)
        longest = max(int(jobs.estimate.max()), int(jobs.run_time.max()), HOUR)
        return rp.simulate(jobs, self.plans, ESTIMATES[self.estimates][0](self.f, longest))

    def mean_wait(self) -> float:
        """Return the mean wait of its schedule, h."""
        return self.simulate().measures["mean_wait"] / HOUR


@lru_cache(12)
def view(choice: Choice) -> "View":
    """Simulate a choice."""
    return View(choice.name, choice.simulate())


def describe(choice: Choice) -> str:
    """Return the jobs and the machine of a choice in a line."""
    jobs = workload(choice.log, choice.load)
    load = f", load {jobs.load:.2f}" if np.isfinite(jobs.load) else ""
    machine = f"{len(jobs):,} jobs on {jobs.machine:,} processors"
    return f"{choice.log.words}: {machine}{load}"


def hours(seconds: float) -> str:
    """Return a time in hours, with two decimals or, if it is short, two digits."""
    short = 0 < abs(seconds) < 360
    return f"{seconds / HOUR:.2g} h" if short else f"{seconds / HOUR:,.2f} h"


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
        slowdown = m["mean_bounded_slowdown"]
        means = f"mean wait {hours(m['mean_wait'])}, mean bounded slowdown {slowdown:,.1f}, "
        means = "too few jobs for a mean, " if np.isnan(slowdown) else means
        return f"{self.name}: {means}{m['backfilled']:.0%} backfilled, {preempted:,} preemptions"

    def describe(self, job: int) -> str:
        """Return when and how a job ran, in a line."""
        schedule, kills = self.schedule, int(self.schedule.times_killed[job])
        how = "backfilled" if schedule.backfilled[job] else "in order"
        how += f", preempted {kills} times" if kills else ""
        wait, start, estimate = schedule.wait[job], schedule.start[job], schedule.estimate[job]
        return f"waits {hours(wait)}, starts at {hours(start)} ({how}), estimate {hours(estimate)}"


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


def changes(a: rp.Schedule, b: rp.Schedule) -> dict[str, pd.DataFrame]:
    """Return the change of the mean wait from one schedule to another, for all jobs and for each
    class by size and by length, over the jobs that both measure.

    A table for each of `classes`, with the index all and the classes that have jobs, and the
    columns jobs, change (h), and low and high, the ends of its 95 % interval over weeks, which are
    nan where the weeks are too few.
    """
    submit = a.workload.submit
    measured = measured_jobs(submit, a.end) & measured_jobs(submit, b.end)
    later = np.where(measured, b.start - a.start, 0) / HOUR
    tables = {}
    for name, groups in classes(a.workload).items():
        member = np.column_stack([measured, pd.get_dummies(groups) & measured[:, None]])
        names = ["all", *groups.categories]
        sums = intervals.sums_without(np.hstack([member * later[:, None], member]), submit)
        rows = {}
        for k, group in enumerate(names):
            count = sums[0, len(names) + k]
            if count:
                ends = intervals.interval(intervals.ratio(sums, k, len(names) + k))
                rows[group] = (int(count), *ends)
        columns = ["jobs", "change", "low", "high"]
        tables[name] = pd.DataFrame.from_dict(rows, "index", columns=columns)
    return tables


def lines(log: Log, load: float | None, views) -> str:
    """Return the Python lines that simulate the schedules of some views of a log, and print their
    measures.
    """
    given = dict(log.arguments)
    if views[0].schedule.workload.stand_in:
        given["synthetic"] = True
    words = ", ".join([repr(log.name), *(f"{name}={value!r}" for name, value in given.items())])
    scaled = "" if load is None else f".at_load({load:g})"
    text = ["import replication as rp", "", f"jobs = rp.load({words}){scaled}"]
    for name, view in zip("ab", views, strict=True):
        words = f"{view.schedule.scheduler!r}, {view.schedule.estimates!r}"
        known = re.sub(
            r"\b([A-Z]\w+)\(", lambda call: f"{'rp.' * hasattr(rp, call[1])}{call[0]}", words
        )
        text.append(f"{name} = rp.simulate(jobs, {known})")
    return "\n".join([*text, 'print(a.measures, b.measures, sep="\\n\\n")'])


def differences(first: rp.Schedule, second: rp.Schedule) -> str:
    """Return how many jobs start earlier and later in the second schedule, in a line."""
    later = second.start - first.start
    if not later.any():
        return "All jobs start at the same time in A and B."
    parts = [
        f"{len(part):,} jobs start {word}"
        + (f" (mean {hours(abs(part.mean()))})" if len(part) else "")
        for part, word in ((later[later < 0], "earlier"), (later[later > 0], "later"))
    ]
    return f"In B {' and '.join(parts)}, {int((later == 0).sum()):,} at the same time."
