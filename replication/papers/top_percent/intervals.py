"""How sure a ratio of two rows is: the log's weeks drawn anew, both rows' jobs of a week together."""

import numpy as np

from replication.basics.seeding import generator
from replication.papers.top_percent.runs import REFERENCE, UNITS

WEEK = 7 * 86400
DRAWS = 1000


class Sums:
    """What the measures of one schedule are made of, summed over the jobs submitted in each week.

    Parameters
    ----------
    schedule : replication.schedule.schedule.Schedule

    Attributes
    ----------
    parts : dict of str to (float64[weeks], float64[weeks])
        For each measure but R2 the sums whose ratio it is; for R2 the squared misses, and the run times,
        their squares and the jobs.
    """

    def __init__(self, schedule):
        from replication.schedule import measures

        w, wait = schedule.workload, schedule.wait.astype(float)
        flow, run_time = wait + w.run_time, w.run_time.astype(float)
        _, self.week = np.unique((w.submit - w.submit[0]) // WEEK, return_inverse=True)
        one = np.ones(len(w))
        priority = w.processors * (flow**2 - wait**2)
        self.parts = {
            name: tuple(map(self._by_week, pair))
            for name, pair in {
                "avebsld": (measures.bounded_slowdown(schedule.wait, w.run_time), one),
                "af": (flow, one),
                "ap0waf": (w.processors * run_time * flow, w.processors * run_time),
                "ap1waf": (priority * flow, priority),
                "r2": ((run_time - schedule.first_prediction) ** 2, run_time, run_time**2, one),
            }.items()
        }
        self.under = self._by_week(schedule.prediction < w.run_time)
        self.backfilled = self._by_week(schedule.backfilled)
        self.jobs = self._by_week(one)

    def _by_week(self, values):
        return np.bincount(self.week, weights=values)

    def value(self, measure, times):
        """The measure, each week taken so often; float64[draws] for ``times`` of float64[draws, weeks]."""
        sums = [times @ part for part in self.parts[measure]]
        if measure == "r2":
            missed, total, squares, jobs = sums
            return 1 - missed / (squares - total**2 / jobs)
        return sums[0] / sums[1]

    def share(self, part, times):
        """Share of jobs that `part`, one of ``under`` and ``backfilled``, counts."""
        return (times @ getattr(self, part)) / (times @ self.jobs)


class Block:
    """The rows of one log with intervals.

    Parameters
    ----------
    name : str
        Names the random numbers.
    schedules : dict of str to replication.schedule.schedule.Schedule
        By policy; Reqtime among them.
    """

    def __init__(self, name, schedules):
        self.sums = {policy: Sums(schedule) for policy, schedule in schedules.items()}
        weeks = len(next(iter(self.sums.values())).jobs)
        rng = generator(name, weeks, "weeks", DRAWS)
        drawn = rng.multinomial(weeks, np.full(weeks, 1 / weeks), size=DRAWS)
        # The first is the log as it is.
        self.times = np.vstack([np.ones(weeks), drawn]).astype(float)

    def values(self, policy, measure):
        """The measure, over Reqtime's but for R2: the log's own, then one a draw."""
        found = self.sums[policy].value(measure, self.times)
        return (
            found
            if UNITS[measure] == "1"
            else found / self.sums[REFERENCE].value(measure, self.times)
        )

    def shares(self, policy, part):
        """Share of jobs, see `Sums.share`: the log's own, then one a draw."""
        return self.sums[policy].share(part, self.times)


def interval(values):
    """A value and its 95 % interval from the log's own and the draws'."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return float(values[0]), float(low), float(high)
