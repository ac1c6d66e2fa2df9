"""Simulations of a cluster's jobs under other schedulers.

All jobs are measured. The baseline is EASY on the users' estimates, because production systems
backfill similarly.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

import replication as rp
from replication_cluster import replay

BASE = "EASY"
#: Schedulers that can be recommended, with their requirements.
CANDIDATES = {
    "EASY, predictions": (rp.EASY(predictor=rp.Last()), "a record of each user's last job"),
    "SJF-EASY": (
        rp.EASY(candidates="sjf"),
        "the users' estimates, by which the shortest job is backfilled first",
    ),
    "Conservative": (rp.Conservative(), "the users' estimates; every job gets a reservation"),
}
SCHEDULERS = (
    {"FCFS": rp.FCFS(), BASE: rp.EASY()}
    | {name: one for name, (one, _) in CANDIDATES.items()}
    | {"PV-EASY": rp.PVEasy()}
)
DRAWS = 1000
#: Simultaneous 95 % intervals of the candidates (Bonferroni).
LEVEL = 1 - 0.05 / len(CANDIDATES)
MIN_USERS = 8  # for an interval
MIN_GAIN = 0.02
NOTICEABLE = 0.1  # change of a user's mean wait, and at least
MIN_CHANGE = 60  # s
BOUND = 10  # s, of the bounded slowdown


@dataclass(frozen=True)
class Study:
    """All simulations of a case.

    Parameters
    ----------
    case : replication_cluster.case.Case
    schedules : dict of str to replication.Schedule
        By the names of `SCHEDULERS`.
    """

    case: object
    schedules: dict

    @cached_property
    def waits(self):
        """Logged and replayed waits by group, see `replication_cluster.replay.group_waits`."""
        return replay.group_waits(self.case, self.schedules[BASE])

    @cached_property
    def similarity(self):
        """See `replication_cluster.replay.similarity`; None if the log has no waits."""
        return replay.similarity(self.waits) if len(self.waits) else None

    @cached_property
    def withheld(self):
        """Reasons to withhold advice, see `replication_cluster.replay.withheld`."""
        return replay.withheld(self.case, self.waits)

    @cached_property
    def changes(self):
        """See `replication_cluster.study.changes`."""
        return changes(self.schedules)

    @cached_property
    def recommended(self):
        """The candidate that is significantly better than EASY, or None."""
        return best(self.changes)


def study(case, seed=1):
    """Simulate a `replication_cluster.case.Case` under all schedulers; return a `Study`."""
    schedules = {
        name: rp.simulate(case.workload, one, seed=seed) for name, one in SCHEDULERS.items()
    }
    return Study(case, schedules)


def bounded_slowdown(schedule):
    """Return max(1, (wait + run time) / max(10 s, run time)) of each job, float64[n]."""
    run_time = schedule.workload.run_time
    return np.maximum(1.0, (schedule.wait + run_time) / np.maximum(BOUND, run_time))


def changes(schedules):
    """Compare mean bounded slowdowns with EASY's, with simultaneous intervals over resampled users.

    Columns: scheduler, mean bounded slowdown, change, low and high; the bounds are nan with fewer
    than `MIN_USERS` users.
    """
    _, user = np.unique(schedules[BASE].workload.user, return_inverse=True)
    values = {name: bounded_slowdown(schedule) for name, schedule in schedules.items()}
    sums = np.column_stack([np.bincount(user, weights=one) for one in values.values()])
    users = len(sums)
    times = np.random.default_rng(users).multinomial(users, np.full(users, 1 / users), size=DRAWS)
    resampled = np.stack([sums[np.repeat(np.arange(users), row)].sum(axis=0) for row in times])
    base = [*schedules].index(BASE)
    rows = []
    for k, (name, slowdown) in enumerate(values.items()):
        bounds = (np.nan, np.nan)
        if users >= MIN_USERS:
            ratios = resampled[:, k] / resampled[:, base] - 1
            bounds = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        rows.append([name, slowdown.mean(), sums[:, k].sum() / sums[:, base].sum() - 1, *bounds])
    columns = ["scheduler", "mean bounded slowdown", "change", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def best(table):
    """Return the best candidate of `changes` if its gain is large enough and significant, else
    None.
    """
    tried = table[table["scheduler"].isin(CANDIDATES)]
    row = tried.loc[tried["change"].idxmin()]
    return row["scheduler"] if row["change"] <= -MIN_GAIN and row["high"] < 0 else None


def overview(result):
    """Return one row for each scheduler: waits in hours, slowdowns, users better and worse off,
    killed runs.

    A user is better or worse off if the mean wait changes by more than `NOTICEABLE` and
    `MIN_CHANGE`.
    """
    waits = pd.DataFrame({name: schedule.wait for name, schedule in result.schedules.items()})
    means = waits.groupby(result.case.workload.user).mean()
    moved = means.sub(means[BASE], axis=0)
    least = np.maximum(MIN_CHANGE, NOTICEABLE * means[BASE])
    return pd.DataFrame(
        {
            "scheduler": [*waits],
            "mean wait, h": waits.mean().to_numpy() / 3600,
            "95 % wait less than, h": waits.quantile(0.95).to_numpy() / 3600,
            **{
                name: result.changes[name]
                for name in ("mean bounded slowdown", "change", "low", "high")
            },
            "users better off": moved.lt(-least, axis=0).sum().to_numpy(),
            "worse off": moved.gt(least, axis=0).sum().to_numpy(),
            "runs killed": [int(one.times_killed.sum()) for one in result.schedules.values()],
        }
    )


def gains(result):
    """Return the change of the mean wait of each group of jobs under each scheduler but `BASE`.

    Columns: by, group, jobs, share of work, mean wait in hours under `BASE`, and the schedulers;
    nan where no job waits.
    """
    w = result.case.workload
    waits = pd.DataFrame({name: schedule.wait for name, schedule in result.schedules.items()})
    work = pd.Series(w.run_time * w.processors.astype(np.float64))
    tables = []
    for by, group in result.case.groups.items():
        if by == "week":
            continue
        mean = waits.groupby(group, observed=True).mean()
        table = mean.div(mean[BASE].where(mean[BASE] > 0), axis=0).drop(columns=BASE) - 1
        table.insert(0, "jobs", waits.groupby(group, observed=True).size())
        share = work.groupby(group, observed=True).sum() / max(work.sum(), 1)
        table.insert(1, "share of work", share)
        table.insert(2, "mean wait, h", mean[BASE] / 3600)
        tables.append(table.reset_index(names="group").astype({"group": str}).assign(by=by))
    table = pd.concat(tables, ignore_index=True)
    return table[["by", *table.columns.drop("by")]]
