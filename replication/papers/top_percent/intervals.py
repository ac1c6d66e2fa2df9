"""How sure a ratio of two rows is: the log's weeks drawn anew, both rows' jobs of a week together."""

import numpy as np

from replication.papers import resampling
from replication.papers.top_percent.runs import REFERENCE, UNITS
from replication.simulator import measures


def columns(schedule):
    """What the measures and shares of one schedule are made of, by name: float64[n] each."""
    w, wait = schedule.workload, schedule.wait.astype(float)
    flow, run_time = wait + w.run_time, w.run_time.astype(float)
    priority = w.processors * (flow**2 - wait**2)
    return {
        "jobs": np.ones(len(w)),
        "avebsld": measures.bounded_slowdown(schedule.wait, w.run_time),
        "af": flow,
        "ap0waf": w.processors * run_time * flow,
        "ap0waf weight": w.processors * run_time,
        "ap1waf": priority * flow,
        "ap1waf weight": priority,
        "r2": (run_time - schedule.first_prediction) ** 2,
        "run_time": run_time,
        "squares": run_time**2,
        "under": schedule.prediction < w.run_time,
        "backfilled": schedule.backfilled,
    }


class Block:
    """The rows of one log with intervals: schedules of the same jobs by policy, Reqtime among them; the name
    is the key of the random numbers.
    """

    def __init__(self, name, schedules):
        self._sums = {}
        for policy, schedule in schedules.items():
            made = columns(schedule)
            # The same weeks are drawn for each, by the name.
            drawn = resampling.weeks(
                np.column_stack([*made.values()]), schedule.workload.submit, name
            )
            self._sums |= {
                (policy, column): sums for column, sums in zip(made, drawn.T, strict=True)
            }

    def values(self, policy, measure):
        """The measure, over Reqtime's but for R2: the log's own, then one a draw."""
        found = self._value(policy, measure)
        return found if UNITS[measure] == "1" else found / self._value(REFERENCE, measure)

    def _value(self, policy, measure):
        sums, jobs = self._sums, self._sums[policy, "jobs"]
        if measure == "r2":
            spread = sums[policy, "squares"] - sums[policy, "run_time"] ** 2 / jobs
            return 1 - sums[policy, "r2"] / spread
        return sums[policy, measure] / sums.get((policy, f"{measure} weight"), jobs)

    def shares(self, policy, part):
        """Share of jobs that are ``under`` or ``backfilled``: the log's own, then one a draw."""
        return self._sums[policy, part] / self._sums[policy, "jobs"]
