"""The choices of the explorer, and the numbers behind its pictures."""

import math
import re
from functools import lru_cache
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

MINUTE, HOUR = 60, 3600  # s
#: Schedulers by the names of the menus.
SCHEDULERS = {
    "EASY": rp.EASY(),
    "EASY, shortest backfilled first": rp.EASY(candidates="shortest"),
    "EASY on predictions": rp.EASY(predictor=rp.Last()),
    "EASY, queue shortest first": rp.OrderedEASY(),
    "PV-EASY": rp.PVEasy(),
    "conservative": rp.Conservative(),
    "largest area first": rp.LargestAreaFirst(),
    "no backfilling": rp.FCFS(),
}
#: Estimate models by the names of the menus: functions of f.
ESTIMATES = {
    "users' estimates": lambda f: rp.Users(),
    "users' estimates × (f + 1)": lambda f: rp.Users(f + 1),
    "perfect": lambda f: rp.Perfect(),
    "run times × (f + 1)": rp.Deterministic,
    "random, up to run times × (f + 1)": rp.FModel,
}
USERS, DOUBLED, *_, RANDOM = ESTIMATES


class Log(NamedTuple):
    """A log by its registered name or its path, and the paper whose rules and machine apply."""

    name: str
    paper: str | None = None

    def __str__(self):
        papers = toml(paths.PUBLISHED / "papers.toml")
        about = f" as in {papers[self.paper]['name']}" if self.paper else ""
        return Path(self.name).name + about


#: A log beyond those of the papers: its queue is long.
RICC = Log("RICC")


def logs() -> list[Log]:
    """Return the logs of each paper, and `RICC`."""
    return [Log(log, paper) for paper in registry.papers() for log in registry.names(paper)] + [
        RICC
    ]


@lru_cache(4)
def workload(log: Log, load: float | None) -> rp.Workload:
    """Return the jobs of a log, scaled to an offered load (a share) unless that is None; without
    the log, synthetic jobs.
    """
    try:
        jobs = rp.load(log.name, paper=log.paper)
    except registry.Missing:
        jobs = rp.load(log.name, paper=log.paper, synthetic=True)
    return jobs if load is None else jobs.at_load(load)


@lru_cache(8)
def simulate(log: Log, load: float | None, scheduler, estimates) -> rp.Schedule:
    """Return a schedule of the jobs of `workload`."""
    return rp.simulate(workload(log, load), scheduler, estimates)


def duration(seconds: float) -> str:
    """Return a time in words, such as 40 s, 33 min or 1 h 33 min."""
    sign, size = "\u2212" * bool(seconds < 0), abs(seconds)
    if size < MINUTE:
        return f"{sign}{size:.0f} s" if round(size) else "0 s"
    minutes = round(size / MINUTE)
    hours, rest = divmod(minutes, 60)
    if hours >= 100:
        return f"{sign}{minutes / 60:,.0f} h"
    return f"{sign}{hours} h {rest:02} min" if hours else f"{sign}{minutes} min"


def runs(schedule: rp.Schedule) -> pd.DataFrame:
    """Return all runs: job (index), start and end, s, and kind (in order, backfilled or killed)."""
    table = pd.DataFrame({"start": schedule.start, "end": schedule.end}).reset_index(names="job")
    table["kind"] = np.where(schedule.backfilled, "backfilled", "in order")
    killed = pd.DataFrame(schedule.killed_runs, columns=["job", "start", "end"])
    return pd.concat([table, killed.assign(kind="killed")], ignore_index=True)


def queue(schedule: rp.Schedule) -> tuple[np.ndarray, np.ndarray]:
    """Return instants, s, and the number of waiting jobs from each to the next."""
    killed = schedule.killed_runs
    arrival = np.concatenate([schedule.workload.submit, killed[:, 2]])
    start = np.concatenate([schedule.start, killed[:, 1]])
    return usage(arrival, start, np.ones(len(arrival), np.int64))


def mean_level(instant: np.ndarray, level: np.ndarray, since, until) -> np.ndarray:
    """Return the mean of a step curve in each of several windows of time."""
    total = np.concatenate([[0], np.cumsum(level[:-1] * np.diff(instant))])
    return (np.interp(until, instant, total) - np.interp(since, instant, total)) / (until - since)


def window(a: rp.Schedule, b: rp.Schedule, length: int, differing=False) -> int:
    """Return the start, s, of the window of `length` s in which most jobs wait in two schedules, or
    in which their queues differ most.
    """
    instant = np.union1d(*(queue(schedule)[0] for schedule in (a, b)))
    edges = np.arange(instant[0], max(instant[-1], instant[0] + length) + 1, max(length // 8, 1))
    level_a, level_b = (mean_level(*queue(schedule), edges[:-1], edges[1:]) for schedule in (a, b))
    level = abs(level_a - level_b) if differing else level_a + level_b
    return int(edges[np.argmax(np.convolve(level, np.ones(8))[7:])])


def changes(a: rp.Schedule, b: rp.Schedule, classes=None) -> pd.DataFrame:
    """Return the change of the mean wait from one schedule to another, over the jobs that both
    measure.

    Parameters
    ----------
    a, b : replication.Schedule
        Of the same jobs.
    classes : sequence, optional
        The class of each job, such as its user, or a range of sizes as of `pandas.cut`.

    Returns
    -------
    pandas.DataFrame
        A row for all jobs, and one for each class with measured jobs: jobs, change, and low and
        high, the ends of its 95 % interval over weeks, min; nan where the weeks are too few.
    """
    submit = a.workload.submit
    measured = measured_jobs(submit, a.end) & measured_jobs(submit, b.end)
    later = (b.start - a.start) / MINUTE
    members = {"all": measured}
    if classes is not None:
        kinds = pd.Categorical(classes)
        members |= {kind: measured & (kinds == kind) for kind in kinds.categories}
    rows = {}
    for kind, member in members.items():
        if member.any():
            sums = intervals.sums_without(np.column_stack([member * later, member]), submit)
            ends = intervals.interval(intervals.ratio(sums, 0, 1))
            rows[str(kind)] = int(member.sum()), *ends
    return pd.DataFrame.from_dict(rows, "index", columns=["jobs", "change", "low", "high"])


def in_words(schedule: rp.Schedule) -> str:
    """Return the main measures of a schedule in a line."""
    measures, killed = schedule.measures, len(schedule.killed_runs)
    if math.isnan(measures["mean_wait"]):
        return "too few jobs for a mean"
    slowdown = measures["mean_bounded_slowdown"]
    text = f"mean wait {duration(measures['mean_wait'])}, mean bounded slowdown {slowdown:,.1f}"
    return f"{text}, {measures['backfilled']:.0%} backfilled" + f", {killed:,} killed" * (
        killed > 0
    )


def lines(log: Log, load: float | None, schedules) -> str:
    """Return the Python lines that simulate schedules A and B of a log, and print the measures."""
    arguments = [repr(log.name), *([f"paper={log.paper!r}"] if log.paper else [])]
    arguments += ["synthetic=True"] * schedules[0].workload.stand_in
    scaled = "" if load is None else f".at_load({load:g})"
    text = ["import replication as rp", "", f"jobs = rp.load({', '.join(arguments)}){scaled}"]
    for name, schedule in zip("ab", schedules, strict=True):
        choices = f"{schedule.scheduler!r}, {schedule.estimates!r}"
        qualified = re.sub(
            r"\b([A-Z]\w+)\(", lambda call: f"{'rp.' * hasattr(rp, call[1])}{call[0]}", choices
        )
        text.append(f"{name} = rp.simulate(jobs, {qualified})")
    return "\n".join([*text, 'print(a.measures, b.measures, sep="\\n\\n")'])
