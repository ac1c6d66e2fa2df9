"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/top_percent``."""

import numpy as np

from replication.basics.lazy import stats
from replication.evidence.claims import Claims, above, at_most, below, each_log, level, totals
from replication.evidence.resampling import interval
from replication.papers.top_percent.modes import LEVEL
from replication.papers.top_percent.runs import POLICIES, TITLES, class_of

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
evaluate = CLAIMS.evaluate


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
    for (log, policy), change in e.overprediction.items():
        yield f"{log} {policy}", interval(change)


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
    some = e.by_scheduler[e.by_scheduler["measure"].isin(SCHEDULE)]
    some = some[some["policy"] != "Reqtime"]  # 1 by definition
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
CLAIMS.decide_by(
    ("overestimates", each_log(_overestimated), lambda r: 100 * (r - 1) >= level("far"), "{:.2f}"),
    (
        "common-attributes",
        each_log(lambda e, log: between_classes(e.workloads[log])),
        lambda share: 100 * share > level("large_part"),
        "{:.3f}",
    ),
    (
        "multimodal",
        lambda e: [(f"class {n}:", p) for n, p in enumerate(e.unimodal, 1)],
        below(LEVEL),
        "p = {:.3f}",
    ),
    # Predictors' measures over Reqtime's, held to a level.
    ("better-predictions-help", over(["Clairvoyant"], SCHEDULE), below(1)),
    ("underprediction-worse-than-requests", over(RELATED, SCHEDULE), above(1)),
    ("complete-sometimes-superior", over(["Complete"], USUAL), below(1)),
    ("complete-poor-priority", over(["Complete"], PRIORITY), above(1)),
    ("top-beats-reqtime", over(TOPS, PRIORITY), below(1)),
    ("nobody-else-does", over(RELATED, PRIORITY), above(1)),
    ("complete-competitive", over(["Complete"], USUAL), COMPETITIVE),
    ("top-tolerable", over(TOPS, USUAL), COMPETITIVE),
    ("tsafrir-like-cvh", over(["Tsafrir"], USUAL), below(1)),
    ("tsafrir-like-cvh", over(["Tsafrir"], PRIORITY), above(1)),
    # One learned predictor held to others.
    ("cvh-best-usual", alone("CVH", USUAL, np.min), below()),
    ("cvh-worst-priority", alone("CVH", PRIORITY, np.max), above()),
    ("tsafrir-underperforms", alone("Tsafrir", SCHEDULE, np.max), above()),
    ("tsafrir-never-best", alone("Tsafrir", SCHEDULE, np.min), above()),
    ("top-best-priority", best(TOPS, RELATED, PRIORITY, np.min), below()),
    ("clairvoyant-upper-bound", less(LEARNED, "Clairvoyant", SCHEDULE), above()),
    # R2, and shares of jobs.
    ("complete-best-r2", alone("Complete", {"r2": ""}, np.max), above()),
    (
        "cvh-poor-r2",
        _each(lambda b: b.values("CVH", "r2") - b.values("Complete", "r2")),
        below(-0.1),
    ),
    (
        "quality-uncorrelated",
        each_log(_correlation, SCHEDULE),
        lambda rho: 100 * abs(rho) <= level("large_part"),
        "{:+.2f}",
    ),
    ("reqtime-lower-bound", less(LEARNED, "Reqtime"), above()),
    ("top-predicts-better-than-requests", less(TOPS, "Reqtime"), above()),
    ("fewer-backfilled", shares("backfilled", ["Reqtime"], "Clairvoyant"), below(), POINTS),
    ("means-fall-short", shares("under", ["Top03"], "Complete"), below(), POINTS),
    ("more-aggressive", shares("backfilled", TOPS, "Reqtime"), above(), POINTS),
    ("reqtime-never-under", each_log(_under), at_most(0), "{:.2f} %"),
    ("others-under-predict", each_log(_under, LEARNED), above(), "{:.2f} %"),
    ("never-above-request", each_log(_above_request, TOPS), at_most(0), "{:,} jobs"),
    ("least-underprediction", _each(_least_under, scale=100), below(), POINTS),
    # Runs of their own.
    ("underprediction-hurts", short("scaled", PRIORITY), above(1)),
    ("short-jobs-first", short("short_first", USUAL), below(1)),
    ("schedulers-close", _apart, at_most(level("similar")), "{:.1f} %"),
    ("favouring-overprediction-helps", _doubled, below(), PER_CENT),
)
