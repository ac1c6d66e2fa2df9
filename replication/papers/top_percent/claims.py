"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/top_percent``."""

import numpy as np
from scipy import stats

from replication.papers.deciders import Claims, above, at_most, below, each_log, level, totals
from replication.papers.resampling import interval
from replication.papers.top_percent import bias, schedulers
from replication.papers.top_percent.modes import LEVEL
from replication.papers.top_percent.runs import POLICIES, TITLES, class_of, simulated

USUAL, PRIORITY = (
    {m: TITLES[m] for m in some} for some in (("avebsld", "af"), ("ap0waf", "ap1waf"))
)
SCHEDULE = USUAL | PRIORITY
TOPS, RELATED = ("Top02", "Top03", "Top04"), ("Complete", "CVH", "Tsafrir")
LEARNED = RELATED + TOPS
FORM = "{:.3f} ({:.3f} to {:.3f})"
POINTS, PER_CENT = (f"{{:.3f}} {unit} ({{:.3f}} to {{:.3f}})" for unit in ("points", "%"))
__all__ = ["CLAIMS", "evaluate", "totals"]
CLAIMS = Claims("top_percent", FORM)
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate


# ---- what is measured


def _each(value, *axes, of="blocks", scale=1):
    """Something of each log's `intervals.Block` with its interval, scaled: ``value(block, *keys)``."""

    def measured(e, log, *keys):
        return [scale * x for x in interval(value(getattr(e, of)[log], *keys))]

    return each_log(measured, *axes)


def over(policies, measures):
    """Predictors' measures over Reqtime's."""
    return _each(lambda block, *key: block.values(*key), policies, measures)


def _picked(block, policies, measure, pick):
    return pick([block.values(policy, measure) for policy in policies], axis=0)


def best(policies, others, measures, pick):
    """The best (least) of some predictors less the one picked of others: the best or the worst."""
    return _each(
        lambda b, m: _picked(b, policies, m, np.min) - _picked(b, others, m, pick), measures
    )


def alone(policy, measures, pick):
    """The same of one learned predictor and the rest."""
    return best([policy], [other for other in LEARNED if other != policy], measures, pick)


def less(policies, other, *measures):
    """Predictors' measures less another's."""
    return _each(
        lambda b, policy, m="r2": b.values(policy, m) - b.values(other, m), policies, *measures
    )


def shares(part, policies, other):
    """The share of jobs under a policy less that under another, points."""
    return _each(
        lambda b, policy: b.shares(policy, part) - b.shares(other, part), policies, scale=100
    )


def short(of, measures):
    """Measures of other runs, called short, over those that they are held to."""
    return _each(lambda block, measure: block.values("short", measure), measures, of=of)


def _doubled(e):
    """What doubled predictions change over halved ones."""
    for key, change in bias.doubled_less_halved(e.workloads, e.workers).items():
        yield " ".join(key), interval(change)


def _least_under(block):
    """The largest share of jobs that a Top Percent predicts too short, less the least of the others."""
    most, least = (
        pick([block.shares(policy, "under") for policy in policies], axis=0)
        for pick, policies in ((np.max, TOPS), (np.min, RELATED))
    )
    return most - least


def _under(e, log, policy="Reqtime"):
    return 100 * float(e.blocks[log].shares(policy, "under")[0])


def _overestimated(e, log):
    jobs = e.workloads[log]
    return float(np.median(jobs.estimate / np.maximum(jobs.run_time, 1)))


def _above_request(e, log, policy):
    schedule = e.schedules[log, policy]
    return int((schedule.first_prediction > schedule.workload.estimate).sum())


def _correlation(e, log, measure):
    pairs = [[e.blocks[log].values(p, m)[0] for p in POLICIES] for m in ("r2", measure)]
    return float(stats.spearmanr(*pairs)[0])


def _apart(e):
    """How far the schedulers are from each other, per cent of the least."""
    table = simulated(
        schedulers.tasks(e.workloads, schedulers.PAPER, POLICIES, e.reading), e.workers
    )
    # Reqtime's are 1 by definition.
    some = table[table["measure"].isin(SCHEDULE) & (table["policy"] != "Reqtime")]
    for (log, policy, measure), rows in some.groupby(["trace", "policy", "measure"], sort=False):
        value = rows["value"]
        yield f"{log} {policy} {TITLES[measure]}", 100 * (value.max() / value.min() - 1)


def between_classes(workload):
    """Share of the variance of run times between the classes of several jobs, corrected for their number.

    One less the variance within classes, on as many degrees of freedom as are left, over the variance of all.
    """
    code, count = class_of(workload)
    several = count[code] > 1
    run_time = workload.run_time[several].astype(float)
    _, code = np.unique(code[several], return_inverse=True)
    mean = np.bincount(code, weights=run_time) / np.bincount(code)
    within = ((run_time - mean[code]) ** 2).sum() / (len(run_time) - len(mean))
    return float(1 - within / run_time.var(ddof=1))


# ---- the rules

COMPETITIVE = below(1 + level("similar") / 100)
decides("overestimates", lambda r: 100 * (r - 1) >= level("far"), "{:.2f}")(
    each_log(_overestimated)
)
decides("common-attributes", lambda share: 100 * share > level("large_part"), "{:.3f}")(
    each_log(lambda e, log: between_classes(e.workloads[log]))
)
decides("multimodal", below(LEVEL), "p = {:.3f}")(
    lambda e: [(f"class {n}:", p) for n, p in enumerate(e.unimodal, 1)]
)
# Predictors' measures over Reqtime's, held to a level.
decides("better-predictions-help", below(1))(over(["Clairvoyant"], SCHEDULE))
decides("underprediction-worse-than-requests", above(1))(over(RELATED, SCHEDULE))
decides("complete-sometimes-superior", below(1))(over(["Complete"], USUAL))
decides("complete-poor-priority", above(1))(over(["Complete"], PRIORITY))
decides("top-beats-reqtime", below(1))(over(TOPS, PRIORITY))
decides("nobody-else-does", above(1))(over(RELATED, PRIORITY))
decides("complete-competitive", COMPETITIVE)(over(["Complete"], USUAL))
decides("top-tolerable", COMPETITIVE)(over(TOPS, USUAL))
decides("tsafrir-like-cvh", below(1))(over(["Tsafrir"], USUAL))
decides("tsafrir-like-cvh", above(1))(over(["Tsafrir"], PRIORITY))
# One learned predictor held to others.
decides("cvh-best-usual", below())(alone("CVH", USUAL, np.min))
decides("cvh-worst-priority", above())(alone("CVH", PRIORITY, np.max))
decides("tsafrir-underperforms", above())(alone("Tsafrir", SCHEDULE, np.max))
decides("tsafrir-never-best", above())(alone("Tsafrir", SCHEDULE, np.min))
decides("top-best-priority", below())(best(TOPS, RELATED, PRIORITY, np.min))
decides("clairvoyant-upper-bound", above())(less(LEARNED, "Clairvoyant", SCHEDULE))
# R2, and shares of jobs.
decides("complete-best-r2", above())(alone("Complete", {"r2": ""}, np.max))
decides("cvh-poor-r2", below(-0.1))(
    _each(lambda b: b.values("CVH", "r2") - b.values("Complete", "r2"))
)
decides("quality-uncorrelated", lambda rho: 100 * abs(rho) <= level("large_part"), "{:+.2f}")(
    each_log(_correlation, SCHEDULE)
)
decides("reqtime-lower-bound", above())(less(LEARNED, "Reqtime"))
decides("top-predicts-better-than-requests", above())(less(TOPS, "Reqtime"))
decides("fewer-backfilled", below(), POINTS)(shares("backfilled", ["Reqtime"], "Clairvoyant"))
decides("means-fall-short", below(), POINTS)(shares("under", ["Top03"], "Complete"))
decides("more-aggressive", above(), POINTS)(shares("backfilled", TOPS, "Reqtime"))
decides("reqtime-never-under", at_most(0), "{:.2f} %")(each_log(_under))
decides("others-under-predict", above(), "{:.2f} %")(each_log(_under, LEARNED))
decides("never-above-request", at_most(0), "{:,} jobs")(each_log(_above_request, TOPS))
decides("least-underprediction", below(), POINTS)(_each(_least_under, scale=100))
# Runs of their own.
decides("underprediction-hurts", above(1))(short("scaled", PRIORITY))
decides("short-jobs-first", below(1))(short("short_first", USUAL))
decides("schedulers-close", at_most(level("similar")), "{:.1f} %")(_apart)
decides("favouring-overprediction-helps", below(), PER_CENT)(_doubled)
