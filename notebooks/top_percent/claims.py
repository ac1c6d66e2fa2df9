"""The statistics of the paper's claims; the rules are in
``data/published/top_percent/claims.toml``.

Each function returns the cases of the claim of its name, or of those that name it. Claims about
single measures have none: their cases are rows of a table, named by ``select``.

Tables
------
replicates : pandas.DataFrame
    `notebooks.top_percent.weeks.replicates` of EASY with each predictor.
schedules : dict
    The schedules behind them, by log and policy.
workloads : dict
    The workload of each log.
lengths : pandas.DataFrame
    `notebooks.top_percent.fig1.short_and_long`.
scaled, short_first : pandas.DataFrame
    Draws of further runs: see the functions of `notebooks.top_percent.runs`.
schedulers : pandas.DataFrame
    Measures under several schedulers, `notebooks.top_percent.runs.simulate_rows`.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from notebooks.ratios import percent_more, rank_correlation
from notebooks.top_percent.runs import POLICIES, SCHEDULERS, TITLES, class_of
from notebooks.top_percent.weeks import interval
from replication.verdicts.rules import Case

USUAL = ["AVEbsld", "AF"]
SCHEDULE = [*USUAL, "AP0WAF", "AP1WAF"]
TOPS, RELATED = ["Top02", "Top03", "Top04"], ["Complete", "CVH", "Tsafrir"]


def rows(replicates: pd.DataFrame, policies, measures) -> pd.DataFrame:
    """Return the rows of some policies and measures."""
    levels = replicates.index.get_level_values
    return replicates[levels("policy").isin(policies) & levels("measure").isin(measures)]


def extreme(replicates: pd.DataFrame, policies, measures, pick: str) -> pd.DataFrame:
    """Return the ``min`` or ``max`` over some policies, by log and measure."""
    return rows(replicates, policies, measures).groupby(["log", "measure"], sort=False).agg(pick)


def intervals(values: pd.DataFrame, scale: float = 1.0, difference=False) -> Iterator[Case]:
    """Yield a case with its interval for each row of replicates, or of differences of two, named by
    the log and by the levels that differ.
    """
    differ = [name == "log" or values.index.unique(name).size > 1 for name in values.index.names]
    for key, row in values.iterrows():
        name = " ".join(str(part) for part, differs in zip(key, differ, strict=True) if differs)
        yield Case(name, *(scale * x for x in interval(row, difference)))


def less(replicates, policies, other, measures, scale=1.0) -> Iterator[Case]:
    """Return the measures of some policies less the measures of another policy."""
    base = rows(replicates, [other], measures).droplevel("policy")
    several = rows(replicates, policies, measures)
    same = base.loc[several.droplevel("policy").index]
    return intervals(several - same.to_numpy(), scale, difference=True)


def extremes(
    replicates, policies, others, measures, pick="min", other_pick="min", scale=1.0
) -> Iterator[Case]:
    """Return the ``min`` or ``max`` of the measures of some policies less the ``min`` or ``max`` of
    other policies.
    """
    ours, theirs = (
        extreme(replicates, policies, measures, pick),
        extreme(replicates, others, measures, other_pick),
    )
    return intervals(ours - theirs, scale, difference=True)


def ratios(replicates, policies, measures) -> Iterator[Case]:
    """Return the measures of some policies."""
    return intervals(rows(replicates, policies, measures))


def under_predicted(replicates, policies) -> Iterator[Case]:
    """Return the share of jobs that some policies under-predict, per cent."""
    for (log, policy, _), share in rows(replicates, policies, ["under"])[0].items():
        yield Case(f"{log} {policy}", 100 * float(share))


# ---- the jobs


def overestimates(workloads) -> Iterator[Case]:
    """Return the median of estimate over run time."""
    for log, jobs in workloads.items():
        yield Case(log, float(np.median(jobs.estimate / np.maximum(jobs.run_time, 1))))


def common_attributes(workloads) -> Iterator[Case]:
    """Return the share of the variance of run times between classes of several jobs, per cent.

    It is one less the variance within classes, on the degrees of freedom that are left, over the
    variance of all.
    """
    for log, workload in workloads.items():
        yield Case(log, 100 * between_classes(workload))


def between_classes(workload) -> float:
    """Return the share of the variance of run times between classes, corrected for their number."""
    code, count = class_of(workload)
    several = count[code] > 1
    run_time = workload.run_time[several].astype(float)
    _, code = np.unique(code[several], return_inverse=True)
    mean = np.bincount(code, weights=run_time) / np.bincount(code)
    within = ((run_time - mean[code]) ** 2).sum() / (len(run_time) - len(mean))
    return float(1 - within / run_time.var(ddof=1))


def multimodal(lengths) -> Iterator[Case]:
    """Return the shares of very short and of very long jobs of each large class, per cent."""
    for number, row in enumerate(lengths.to_dict("records"), 1):
        for part in ("short", "long"):
            yield Case(f"class {number}", row[part], part=f"very {part}")


# ---- relations of measures


def tsafrir_like_cvh(ratios) -> Iterator[Case]:
    """Return the measures of Tsafrir: the usual measures must be below 1 by more than *none*, the
    other measures must not.
    """
    for row in ratios[ratios["policy"] == "Tsafrir"].to_dict("records"):
        if row["measure"] in SCHEDULE:
            yield Case(
                f"{row['log']} {row['measure']}",
                *(row[name] for name in ("value", "low", "high")),
                operator="<" if row["measure"] in USUAL else ">=",
            )


def quality_uncorrelated(replicates) -> Iterator[Case]:
    """Return the rank correlation of R2 with each measure over all predictors."""
    estimate = replicates[0].unstack("measure")
    for log in estimate.index.unique("log"):
        table = estimate.loc[log].loc[list(POLICIES)]
        for measure in SCHEDULE:
            yield Case(f"{log} {measure}", rank_correlation(table["R2"], table[measure]))


def never_above_estimate(schedules) -> Iterator[Case]:
    """Return the number of jobs that a Top Percent predicts longer than their estimate."""
    for log, several in schedules.items():
        for policy in TOPS:
            schedule = several[policy]
            above = schedule.first_prediction > schedule.workload.estimate
            yield Case(f"{log} {policy}", int(above.sum()))


# ---- further runs


def schedulers_close(schedulers) -> Iterator[Case]:
    """Return the largest value of the paper's three schedulers over the smallest, per cent above
    the smallest.
    """
    # Reqtime's measures are 1 by definition.
    ratios = schedulers[
        schedulers["scheduler"].isin(SCHEDULERS) & (schedulers["policy"] != "Reqtime")
    ]
    ratios = ratios[ratios["measure"] != "r2"]
    for (log, policy, measure), part in ratios.groupby(["trace", "policy", "measure"], sort=False):
        value = part["value"]
        yield Case(f"{log} {policy} {TITLES[measure]}", percent_more(value.max(), value.min()))
