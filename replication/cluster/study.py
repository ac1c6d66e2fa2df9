"""What other schedulers would have done with a cluster's jobs, and what else could be changed.

All jobs are measured, the same under every scheduler. EASY on the users' own estimates is what the others are
compared with, because production systems backfill much like it.
"""

import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import tqdm

from replication.cluster import replay
from replication.papers import resampling
from replication.simulator import measures, plans
from replication.simulator.estimates import Exact, Users
from replication.simulator.grid import sweep
from replication.simulator.predictors import Last
from replication.simulator.schedulers import EASY, FCFS, Conservative, PVEasy
from replication.simulator.simulation import simulate

BASE = "EASY"
#: Of these one may be recommended: the scheduler, and what it asks of a site.
CANDIDATES = {
    "EASY, predictions": (EASY(predictor=Last()), "a record of each user's last job"),
    "SJF-EASY": (
        EASY(candidates="sjf"),
        "the users' estimates, by which the shortest job is backfilled first",
    ),
    "Conservative": (Conservative(), "the users' estimates, by which every job gets a reservation"),
}
SCHEDULERS = (
    {"FCFS": FCFS(), BASE: EASY()}
    | {name: one for name, (one, _) in CANDIDATES.items()}
    | {"PV-EASY": PVEasy()}
)
#: All intervals of the candidates hold together.
LEVEL = 1 - (1 - resampling.LEVEL) / len(CANDIDATES)
FEWEST = 8  # users from whom an interval can be told
WORTH_IT = 0.02
NOTICEABLE = 0.1  # of a user's mean wait, and at least
LEAST = 60  # s
ESTIMATES = {
    "users' own estimates": Users(),
    "estimates doubled": Users(2),
    "perfect estimates": Exact(),
}
SHARES = {"10 % fewer processors": 0.9, "10 % more processors": 1.1}
LOADS = {"10 % less load": 0.9, "10 % more load": 1.1}


@dataclass(frozen=True)
class Study:
    """All simulations of a case: schedules by the names of `SCHEDULERS`, a table of `what_if`, and `changes` on the least and the
    largest machine that the log allows, by size, where its size is not known.
    """

    case: object
    schedules: dict
    what_if: pd.DataFrame
    at: dict

    @cached_property
    def held(self):
        """Logged against replayed waits, see `replication.cluster.replay.held`."""
        return replay.held(self.case, self.schedules[BASE])

    @cached_property
    def near(self):
        """How near they are, see `replication.cluster.replay.nearness`; None where nothing is known of the log's."""
        return replay.nearness(self.held) if len(self.held) else None

    @cached_property
    def withheld(self):
        """Why there is no advice, see `replication.cluster.replay.withheld`."""
        return replay.withheld(self.case, self.held)

    @cached_property
    def changes(self):
        """`changes` on the machine itself."""
        return changes(self.schedules)

    @cached_property
    def chosen(self):
        """The candidate that is clearly better than EASY on every machine that the log allows; None for none."""
        found = {best(table) for table in (self.changes, *self.at.values())}
        return found.pop() if len(found) == 1 else None


def study(case, seed=1, progress=None):
    """Simulate everything of a `replication.cluster.log.Case`; `progress` shows schedulers and the time left on standard
    error, by default if that is a terminal.
    """
    shown, w = sys.stderr.isatty() if progress is None else progress, case.workload
    on = {w.machine: w} | {size: _on(w, size) for size in case.sizes or () if size != w.machine}
    few = (BASE, *CANDIDATES)
    todo = [(jobs, name) for jobs in on.values() for name in (SCHEDULERS if jobs is w else few)]
    schedules = {size: {} for size in on}
    with tqdm.tqdm(todo, unit="simulation", disable=not shown, dynamic_ncols=True) as bar:
        for jobs, name in bar:
            bar.set_description(f"{name} on {jobs.machine:,} processors")
            schedules[jobs.machine][name] = simulate(jobs, SCHEDULERS[name], seed=seed)
    own = schedules.pop(w.machine)
    at = {size: changes(made) for size, made in schedules.items()}
    return Study(case, own, what_if(case, seed, shown), at)


def _on(workload, machine):
    """The jobs that fit another machine, on it."""
    return workload.take(workload.processors <= machine).replace(machine=machine)


def what_if(case, seed=1, progress=False):
    """EASY with other estimates, more or fewer processors, more or less load, as `sweep` measures it.

    Columns what if, jobs measured, mean wait in hours, mean bounded slowdown and its change.
    """
    w = case.workload
    how = {"seeds": [seed], "folder": None, "progress": progress}
    estimates = ESTIMATES if case.estimated >= replay.ESTIMATED else {"as it was": Users()}
    tables = [sweep(w, EASY(), [*estimates.values()], **how).assign(what=[*estimates])]
    if w.span and w.load:
        loads = [share * w.load for share in LOADS.values()]
        tables.append(sweep(w, EASY(), loads=loads, **how).assign(what=[*LOADS]))
    base = [tables[0]["mean_bounded_slowdown"][0]] * sum(map(len, tables))
    for what, share in SHARES.items():
        # Held against the same jobs: those that fit both machines.
        other = _on(w, max(round(share * w.machine), int(w.processors.min())))
        both = sweep([other, other.replace(machine=w.machine)], EASY(), **how)
        tables.append(both[:1].assign(what=what))
        base.append(both["mean_bounded_slowdown"][1])
    table = pd.concat(tables, ignore_index=True)
    return pd.DataFrame(
        {
            "what if": table["what"],
            "jobs measured": table["jobs"].astype(int),
            "mean wait, h": table["mean_wait"] / 3600,
            "mean bounded slowdown": table["mean_bounded_slowdown"],
            "change": table["mean_bounded_slowdown"] / base - 1,
        }
    )


def changes(schedules):
    """How the mean bounded slowdown changes against EASY, with intervals over users drawn anew that hold together.

    Columns scheduler, mean bounded slowdown, change, low and high; the bounds are nan with fewer than `FEWEST` users.
    """
    w, user = schedules[BASE].workload, schedules[BASE].workload.user
    waits = [schedule.wait for schedule in schedules.values()]
    values = np.column_stack([measures.bounded_slowdown(wait, w.run_time) for wait in waits])
    sums = resampling.users(values, user, "cluster")
    base = [*schedules].index(BASE)
    few = len(np.unique(user)) < FEWEST
    rows = []
    for k, name in enumerate(schedules):
        change, low, high = resampling.interval(resampling.ratio(sums, k, base) - 1, LEVEL)
        bounds = (np.nan, np.nan) if few else (low, high)
        rows.append([name, values[:, k].mean(), change, *bounds])
    return pd.DataFrame(
        rows, columns=["scheduler", "mean bounded slowdown", "change", "low", "high"]
    )


def best(table):
    """The best candidate of `changes` if its gain is worth it and certain; None else."""
    tried = table[table["scheduler"].isin(CANDIDATES)]
    row = tried.loc[tried["change"].idxmin()]
    return row["scheduler"] if row["change"] <= -WORTH_IT and row["high"] < 0 else None


def overview(found):
    """One row a scheduler: waits in hours, slowdowns, who gains, fairness and preemptions.

    A user is better or worse off where the mean wait changes by more than `NOTICEABLE` and `LEAST`.
    """
    waits = pd.DataFrame({name: schedule.wait for name, schedule in found.schedules.items()})
    means = waits.groupby(found.case.workload.user).mean()
    moved = means.sub(means[BASE], axis=0)
    least = np.maximum(LEAST, NOTICEABLE * means[BASE])
    fair = [plans.fairness(schedule) for schedule in found.schedules.values()]
    return pd.DataFrame(
        {
            "scheduler": [*waits],
            "mean wait, h": waits.mean().to_numpy() / 3600,
            "95 % wait less than, h": waits.quantile(0.95).to_numpy() / 3600,
            **{
                name: found.changes[name]
                for name in ("mean bounded slowdown", "change", "low", "high")
            },
            "users better off": moved.lt(-least, axis=0).sum().to_numpy(),
            "worse off": moved.gt(least, axis=0).sum().to_numpy(),
            "delayed at the head": [one["head_delayed"] for one in fair],
            "delay, h": [one["head_delay"] / 3600 for one in fair],
            "reservations missed": [one["reservations_broken"] for one in fair],
            "runs killed": [len(schedule.killed_runs) for schedule in found.schedules.values()],
        }
    )


def gains(found):
    """Who waits less and who more: the change of the mean wait of each group of jobs under each scheduler but `BASE`.

    Columns by, group, jobs, share of work, mean wait in hours under `BASE`, and the schedulers; nan where nobody waits.
    """
    w = found.case.workload
    waits = pd.DataFrame({name: schedule.wait for name, schedule in found.schedules.items()})
    work = pd.Series(w.run_time * w.processors.astype(np.float64))
    made = []
    for by, group in found.case.groups.items():
        if by == "week":
            continue
        mean = waits.groupby(group, observed=True).mean()
        table = mean.div(mean[BASE].where(mean[BASE] > 0), axis=0).drop(columns=BASE) - 1
        table.insert(0, "jobs", waits.groupby(group, observed=True).size())
        table.insert(
            1, "share of work", work.groupby(group, observed=True).sum() / max(work.sum(), 1)
        )
        table.insert(2, "mean wait, h", mean[BASE] / 3600)
        made.append(table.reset_index(names="group").astype({"group": str}).assign(by=by))
    table = pd.concat(made, ignore_index=True)
    return table[["by", *table.columns.drop("by")]]
