"""The paper's claims: a function for each returns its cases; rules are in ``data/published/top_percent/claims.toml``.

Claims about single measures have no function here: their cases are rows of a table, named by ``select``.

Tables
------
draws : pandas.DataFrame
    `replication.papers.top_percent.intervals.draws` of EASY with each predictor.
schedules : dict
    The schedules behind them, by log and policy.
workloads : dict
    The workload of each log.
modes : pandas.DataFrame
    `replication.papers.top_percent.fig1.one_mode`.
scaled, short_first, biased : pandas.DataFrame
    Draws of further runs: see the functions of `replication.papers.top_percent.runs` and `bias`.
schedulers : pandas.DataFrame
    Measures under several schedulers, `replication.papers.top_percent.runs.simulate_rows`.
"""

import numpy as np
import pandas as pd
from scipy import stats

from replication.papers.claims import Case
from replication.papers.resampling import interval
from replication.papers.top_percent.runs import POLICIES, TITLES, class_of
from replication.papers.top_percent.schedulers import PAPER as SCHEDULERS

USUAL, PRIORITY = ["AVEbsld", "AF"], ["AP0WAF", "AP1WAF"]
SCHEDULE = [*USUAL, *PRIORITY]
TOPS, RELATED = ["Top02", "Top03", "Top04"], ["Complete", "CVH", "Tsafrir"]
LEARNED = [*RELATED, *TOPS]


def rows(draws: pd.DataFrame, policies, measures) -> pd.DataFrame:
    """Return the rows of some policies and measures."""
    levels = draws.index.get_level_values
    return draws[levels("policy").isin(policies) & levels("measure").isin(measures)]


def extreme(draws: pd.DataFrame, policies, measures, pick: str) -> pd.DataFrame:
    """Return the ``min`` or ``max`` over some policies, by log and measure."""
    return rows(draws, policies, measures).groupby(["log", "measure"], sort=False).agg(pick)


def intervals(values: pd.DataFrame, scale: float = 1.0):
    """Yield a case with its interval for each row of draws."""
    for key, row in values.iterrows():
        name = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        yield Case(name, *(scale * x for x in interval(row.to_numpy())))


def less(draws: pd.DataFrame, policies, other: str, measures) -> pd.DataFrame:
    """Return the measures of some policies less those of another."""
    base = rows(draws, [other], measures).droplevel("policy")
    several = rows(draws, policies, measures)
    same = base.loc[several.droplevel("policy").index]
    return several - same.to_numpy()


def alone(draws: pd.DataFrame, policy: str, measures, pick: str) -> pd.DataFrame:
    """Return the measures of a learned predictor less the ``min`` or ``max`` of the other learned ones."""
    others = [other for other in LEARNED if other != policy]
    return extreme(draws, [policy], measures, "min") - extreme(draws, others, measures, pick)


# ---- the jobs


def overestimates(workloads):
    """Return the median of request over run time."""
    for log, jobs in workloads.items():
        yield Case(log, float(np.median(jobs.estimate / np.maximum(jobs.run_time, 1))))


def common_attributes(workloads):
    """Return the share of the variance of run times between classes of several jobs, per cent.

    It is one less the variance within classes, on the degrees of freedom that are left, over the variance of all.
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


def multimodal(modes):
    """Return the p value of a single mode for each large class."""
    return [Case(f"class {number}", p) for number, p in enumerate(modes["one_mode"], 1)]


# ---- one learned predictor compared with others


def cvh_best_usual(draws):
    """Return AVEbsld and AF of CVH less the best of the others."""
    return intervals(alone(draws, "CVH", USUAL, "min"))


def cvh_worst_priority(draws):
    """Return AP0WAF and AP1WAF of CVH less the worst of the others."""
    return intervals(alone(draws, "CVH", PRIORITY, "max"))


def tsafrir_underperforms(draws):
    """Return each measure of Tsafrir less the worst of the others."""
    return intervals(alone(draws, "Tsafrir", SCHEDULE, "max"))


def tsafrir_never_best(draws):
    """Return each measure of Tsafrir less the best of the others."""
    return intervals(alone(draws, "Tsafrir", SCHEDULE, "min"))


def top_best_priority(draws):
    """Return the best AP0WAF and AP1WAF of the Top Percents less the best of the related predictors."""
    return intervals(
        extreme(draws, TOPS, PRIORITY, "min") - extreme(draws, RELATED, PRIORITY, "min")
    )


def clairvoyant_upper_bound(draws):
    """Return each measure of each learned predictor less Clairvoyant's."""
    return intervals(less(draws, LEARNED, "Clairvoyant", SCHEDULE))


def tsafrir_like_cvh(ratios):
    """Return the measures of Tsafrir: the usual ones are to be below 1 by more than none, the others not."""
    for row in ratios[ratios["policy"] == "Tsafrir"].to_dict("records"):
        if row["measure"] in SCHEDULE:
            yield Case(
                f"{row['log']} {row['measure']}",
                *(row[name] for name in ("value", "low", "high")),
                operator="<" if row["measure"] in USUAL else ">=",
            )


# ---- predictions


def complete_best_r2(draws):
    """Return R2 of Complete less the best of the others."""
    return intervals(alone(draws, "Complete", ["R2"], "max").droplevel("measure"))


def cvh_poor_r2(draws):
    """Return R2 of CVH less Complete's."""
    return intervals(less(draws, ["CVH"], "Complete", ["R2"]).droplevel(["policy", "measure"]))


def reqtime_lower_bound(draws):
    """Return R2 of each learned predictor less Reqtime's."""
    return intervals(less(draws, LEARNED, "Reqtime", ["R2"]).droplevel("measure"))


def top_predicts_better_than_requests(draws):
    """Return R2 of each Top Percent less Reqtime's."""
    return intervals(less(draws, TOPS, "Reqtime", ["R2"]).droplevel("measure"))


def quality_uncorrelated(draws):
    """Return the rank correlation of R2 with each measure over all predictors."""
    own = draws[0].unstack("measure")
    for log in own.index.unique("log"):
        table = own.loc[log].loc[list(POLICIES)]
        for measure in SCHEDULE:
            yield Case(f"{log} {measure}", float(stats.spearmanr(table["R2"], table[measure])[0]))


# ---- shares of jobs


def fewer_backfilled(draws):
    """Return the share backfilled under Reqtime less Clairvoyant's, points."""
    return intervals(_shares(draws, "backfilled", ["Reqtime"], "Clairvoyant"), 100)


def more_aggressive(draws):
    """Return the share backfilled under each Top Percent less Reqtime's, points."""
    return intervals(_shares(draws, "backfilled", TOPS, "Reqtime"), 100)


def means_fall_short(draws):
    """Return the share under-predicted by Top03 less Complete's, points."""
    return intervals(_shares(draws, "under", ["Top03"], "Complete"), 100)


def least_underprediction(draws):
    """Return the largest share under-predicted by a Top Percent less the least of the related, points."""
    most, least = (
        extreme(draws, policies, ["under"], pick)
        for policies, pick in ((TOPS, "max"), (RELATED, "min"))
    )
    return intervals((most - least).droplevel("measure"), 100)


def _shares(draws, part, policies, other):
    return less(draws, policies, other, [part]).droplevel("measure")


def reqtime_never_under(draws):
    """Return the share under-predicted by Reqtime, per cent."""
    return _under(draws, ["Reqtime"])


def others_under_predict(draws):
    """Return the share under-predicted by each learned predictor, per cent."""
    return _under(draws, LEARNED)


def _under(draws, policies):
    for (log, policy, _), share in rows(draws, policies, ["under"])[0].items():
        yield Case(f"{log} {policy}", 100 * float(share))


def never_above_request(schedules):
    """Return the number of jobs that a Top Percent predicts longer than their request."""
    for log, several in schedules.items():
        for policy in TOPS:
            schedule = several[policy]
            above = schedule.first_prediction > schedule.workload.estimate
            yield Case(f"{log} {policy}", int(above.sum()))


# ---- further runs


def underprediction_hurts(scaled):
    """Return AP0WAF and AP1WAF with halved run times as predictions over those with 1.5 times."""
    return intervals(rows(scaled, ["short"], PRIORITY).droplevel("policy"))


def short_jobs_first(short_first):
    """Return AVEbsld and AF with the shortest candidate first over those in queue order."""
    return intervals(rows(short_first, ["short"], USUAL).droplevel("policy"))


def favouring_overprediction_helps(biased):
    """Return AP1WAF with doubled predictions less that with halved ones, per cent of Reqtime's."""
    own = biased.xs("AP1WAF", level="measure")
    own = own[own.index.get_level_values("policy").isin(RELATED)]
    return intervals(own.xs(2, level="factor") - own.xs(0.5, level="factor"), 100)


def schedulers_close(schedulers):
    """Return how far the paper's three schedulers are apart, per cent above the least value."""
    # Reqtime's measures are 1 by definition.
    some = schedulers[
        schedulers["scheduler"].isin(SCHEDULERS) & (schedulers["policy"] != "Reqtime")
    ]
    some = some[some["measure"] != "r2"]
    for (log, policy, measure), part in some.groupby(["trace", "policy", "measure"], sort=False):
        value = part["value"]
        yield Case(f"{log} {policy} {TITLES[measure]}", 100 * (value.max() / value.min() - 1))
