"""Measures of schedules with intervals over the weeks of the log."""

import math

import numpy as np
import pandas as pd

from notebooks.ratios import over
from notebooks.top_percent.runs import REFERENCE, TITLES, UNITS
from replication.simulator.schedules import intervals, measures

#: Measures that are quotients, whose intervals are those of their logarithms.
RATIOS = {title for measure, title in TITLES.items() if UNITS[measure] != "1"}
#: Shares of jobs: started with a prediction below the run time, and backfilled.
SHARES = ("under", "backfilled")


def replicates(schedules, names=("policy",)) -> pd.DataFrame:
    """Return the measures of schedules, each for the log and without each block of its weeks
    (jackknife replicates).

    Parameters
    ----------
    schedules : dict of str to dict
        By log, the schedule of each policy, Reqtime among them; a policy may be a tuple of several
        names.
    names : tuple of str
        Names of the index levels for a policy; Reqtime has its name in the first and NaN in the
        others.

    Returns
    -------
    pandas.DataFrame
        float64[rows, 1 + blocks], indexed by log, `names` and measure. Column 0 is the log's own
        value. The rows of logs with fewer blocks end in nan. The measures are those of Table I by
        their titles, over Reqtime's but for R2, and `SHARES`.
    """
    rows = {}
    for log, several in schedules.items():
        sums = {policy: _sums(schedule) for policy, schedule in several.items()}
        for policy, totals in sums.items():
            key = policy if isinstance(policy, tuple) else (policy, *[np.nan] * (len(names) - 1))
            for measure, title in TITLES.items():
                value = _value(totals, measure)
                if UNITS[measure] != "1":
                    value = over(value, _value(sums[REFERENCE], measure))
                rows[log, *key, title] = value
            rows |= {(log, *key, part): over(totals[part], totals["jobs"]) for part in SHARES}
    index = pd.MultiIndex.from_tuples(rows, names=["log", *names, "measure"])
    return pd.DataFrame([*rows.values()], index=index)


def table(values) -> pd.DataFrame:
    """Return a value with the ends of its 95 % interval for each row of `replicates`: its index
    levels, value, low, high.
    """
    columns = [*values.index.names, "value", "low", "high"]
    rows = [(*key, *interval(row)) for key, row in values.iterrows()]
    return pd.DataFrame(rows, columns=columns)


def interval(row, difference=False) -> tuple[float, float, float]:
    """Return a row of `replicates` as a value with the ends of its interval, that of the logarithm
    for `RATIOS`; or a `difference` of two rows. All are nan where the log has no value.
    """
    if np.isnan(row.iloc[0]):
        return math.nan, math.nan, math.nan
    names = {*np.atleast_1d(row.name)}
    priority = {TITLES["ap0waf"], TITLES["ap1waf"]} & names
    factor = intervals.PRIORITY if priority else intervals.PLAIN
    log = not difference and bool(RATIOS & names)
    return intervals.interval(row.dropna().to_numpy(), factor, log=log)


def _sums(schedule):
    """Return the sums over jobs that the measures are made of, by name: float64[1 +
    blocks] each.
    """
    w, wait = schedule.workload, schedule.wait.astype(float)
    flow, run_time = wait + w.run_time, w.run_time.astype(float)
    priority = w.processors * (flow**2 - wait**2)
    columns = {
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
    sums = intervals.sums_without(np.column_stack([*columns.values()]), w.submit)
    return dict(zip(columns, sums.T, strict=True))


def _value(sums, measure):
    jobs = sums["jobs"]
    if measure == "r2":
        return 1 - over(sums["r2"], sums["squares"] - over(sums["run_time"] ** 2, jobs))
    return over(sums[measure], sums.get(f"{measure} weight", jobs))
