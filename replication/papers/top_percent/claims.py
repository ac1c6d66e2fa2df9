"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/top_percent``."""

from itertools import product

import numpy as np

from replication.basics.lazy import lazily
from replication.evidence.claims import Claims, above, below, level, totals
from replication.evidence.resampling import interval
from replication.papers.top_percent.modes import LEVEL
from replication.papers.top_percent.runs import POLICIES, TITLES

stats = lazily("scipy.stats")

USUAL, PRIORITY = ("avebsld", "af"), ("ap0waf", "ap1waf")
SCHEDULE = USUAL + PRIORITY
TOPS, RELATED = ("Top02", "Top03", "Top04"), ("Complete", "CVH", "Tsafrir")
LEARNED = RELATED + TOPS
POINTS = " points"
__all__ = ["CLAIMS", "evaluate", "totals"]
CLAIMS = Claims("top_percent")
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate


def _case(what, values, rule, scale=1, unit=""):
    """A case from a value with its draws."""
    change = [scale * number for number in interval(values)]
    return what, "{:.3f}{} ({:.3f} to {:.3f})".format(change[0], unit, *change[1:]), rule(change)


def _under(most):
    return lambda change: below(change, most)


def _over(least):
    return lambda change: above(change, least)


def _competitive(change):
    return below(change, 1 + level("similar") / 100)


def _each(e, policies, measures, rule):
    """A case for each log, policy and measure."""
    for log, policy, measure in product(e.logs, policies, measures):
        values = e.blocks[log].values(policy, measure)
        yield _case(f"{log} {policy} {TITLES[measure]}", values, rule)


def _best(block, policies, measure, pick=np.min):
    return pick([block.values(policy, measure) for policy in policies], axis=0)


def _without(policies, policy):
    return [other for other in policies if other != policy]


def _beside(e, policy, measures, pick, rule):
    """A case for each log and measure: a learned predictor less the one picked of the others."""
    others = _without(LEARNED, policy)
    for log, measure in product(e.logs, measures):
        block = e.blocks[log]
        less = block.values(policy, measure) - _best(block, others, measure, pick)
        yield _case(f"{log} {TITLES[measure]}", less, rule)


def _better_r2(e, policies):
    """A case for each log and policy: its R2 less that of the requests."""
    for log, policy in product(e.logs, policies):
        block = e.blocks[log]
        more = block.values(policy, "r2") - block.values("Reqtime", "r2")
        yield _case(f"{log} {policy}", more, _over(0))


def _shares(e, part, pairs, rule):
    """A case for each log and pair: the share of jobs under one policy less that under another, points."""
    for log, (policy, other) in product(e.logs, pairs):
        block = e.blocks[log]
        more = block.shares(policy, part) - block.shares(other, part)
        yield _case(f"{log} {policy}", more, rule, 100, POINTS)


CLAIMS.decide_by(
    # Predictors' measures over Reqtime's, held to a level.
    ("better-predictions-help", _each, ["Clairvoyant"], SCHEDULE, _under(1)),
    ("underprediction-worse-than-requests", _each, RELATED, SCHEDULE, _over(1)),
    ("complete-sometimes-superior", _each, ["Complete"], USUAL, _under(1)),
    ("complete-poor-priority", _each, ["Complete"], PRIORITY, _over(1)),
    ("top-beats-reqtime", _each, TOPS, PRIORITY, _under(1)),
    ("nobody-else-does", _each, RELATED, PRIORITY, _over(1)),
    ("complete-competitive", _each, ["Complete"], USUAL, _competitive),
    ("top-tolerable", _each, TOPS, USUAL, _competitive),
    # One learned predictor held to the best (least) or worst of the others.
    ("cvh-best-usual", _beside, "CVH", USUAL, np.min, _under(0)),
    ("cvh-worst-priority", _beside, "CVH", PRIORITY, np.max, _over(0)),
    ("tsafrir-underperforms", _beside, "Tsafrir", SCHEDULE, np.max, _over(0)),
    ("tsafrir-never-best", _beside, "Tsafrir", SCHEDULE, np.min, _over(0)),
    ("reqtime-lower-bound", _better_r2, LEARNED),
    ("top-predicts-better-than-requests", _better_r2, TOPS),
    ("fewer-backfilled", _shares, "backfilled", [("Reqtime", "Clairvoyant")], _under(0)),
    ("means-fall-short", _shares, "under", [("Top03", "Complete")], _under(0)),
    ("more-aggressive", _shares, "backfilled", [(top, "Reqtime") for top in TOPS], _over(0)),
)


@decides("overestimates")
def _(e):
    for log, workload in e.workloads.items():
        ratio = float(np.median(workload.estimate / np.maximum(workload.run_time, 1)))
        yield log, f"{ratio:.2f}", 100 * (ratio - 1) >= level("far")


@decides("common-attributes")
def _(e):
    for log, workload in e.workloads.items():
        share = between_classes(workload)
        yield log, f"{share:.3f}", 100 * share > level("large_part")


def between_classes(workload):
    """Share of the variance of run times between the classes of several jobs, corrected for their number.

    One less the variance within classes, on as many degrees of freedom as are left, over the variance of all.
    """
    rows = np.column_stack(
        [workload.executable, workload.user, workload.estimate, workload.processors]
    )
    _, code, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    several = count[code] > 1
    run_time, code = (
        workload.run_time[several].astype(float),
        np.unique(code[several], return_inverse=True)[1],
    )
    mean = np.bincount(code, weights=run_time) / np.bincount(code)
    within = ((run_time - mean[code]) ** 2).sum() / (len(run_time) - len(mean))
    return float(1 - within / run_time.var(ddof=1))


@decides("multimodal")
def _(e):
    for number, p in enumerate(e.unimodal, 1):
        yield f"class {number}:", f"p = {p:.3f}", p < LEVEL


@decides("underprediction-hurts")
def _(e):
    for log, block in e.scaled.items():
        for measure in PRIORITY:
            yield _case(f"{log} {TITLES[measure]}", block.values("short", measure), _over(1))


@decides("short-jobs-first")
def _(e):
    for log, block in e.short_first.items():
        for measure in USUAL:
            yield _case(f"{log} {TITLES[measure]}", block.values("short", measure), _under(1))


@decides("schedulers-close")
def _(e):
    some = e.by_scheduler[e.by_scheduler["measure"].isin(SCHEDULE)]
    some = some[some["policy"] != "Reqtime"]  # 1 by definition
    for (log, policy, measure), value in some.groupby(["trace", "policy", "measure"], sort=False):
        more = 100 * (value["value"].max() / value["value"].min() - 1)
        yield f"{log} {policy} {TITLES[measure]}", f"{more:.1f} %", more <= level("similar")


@decides("clairvoyant-upper-bound")
def _(e):
    for log, block in e.blocks.items():
        for policy in LEARNED:
            for measure in SCHEDULE:
                more = block.values(policy, measure) - block.values("Clairvoyant", measure)
                yield _case(f"{log} {policy} {TITLES[measure]}", more, _over(0))


@decides("complete-best-r2")
def _(e):
    for log, block in e.blocks.items():
        others = _best(block, _without(LEARNED, "Complete"), "r2", np.max)
        yield _case(log, block.values("Complete", "r2") - others, _over(0))


@decides("cvh-poor-r2")
def _(e):
    for log, block in e.blocks.items():
        less = block.values("CVH", "r2") - block.values("Complete", "r2")
        yield _case(log, less, _under(-0.1))


@decides("quality-uncorrelated")
def _(e):
    for log, block in e.blocks.items():
        for measure in SCHEDULE:
            pairs = [[block.values(p, m)[0] for p in POLICIES] for m in ("r2", measure)]
            rho = float(stats.spearmanr(*pairs)[0])
            answer = 100 * abs(rho) <= level("large_part")
            yield f"{log} {TITLES[measure]}", f"{rho:+.2f}", answer


@decides("tsafrir-like-cvh")
def _(e):
    yield from _each(e, ["Tsafrir"], USUAL, _under(1))
    yield from _each(e, ["Tsafrir"], PRIORITY, _over(1))


@decides("top-best-priority")
def _(e):
    for log, block in e.blocks.items():
        for measure in PRIORITY:
            less = _best(block, TOPS, measure) - _best(block, RELATED, measure)
            yield _case(f"{log} {TITLES[measure]}", less, _under(0))


@decides("reqtime-never-under")
def _(e):
    for log, block in e.blocks.items():
        share = 100 * float(block.shares("Reqtime", "under")[0])
        yield log, f"{share:.2f} %", share == 0


@decides("others-under-predict")
def _(e):
    for log, block in e.blocks.items():
        for policy in LEARNED:
            share = 100 * float(block.shares(policy, "under")[0])
            yield f"{log} {policy}", f"{share:.2f} %", share > 0


@decides("never-above-request")
def _(e):
    for log in e.logs:
        for policy in TOPS:
            schedule = e.schedules[log, policy]
            above_it = int((schedule.first_prediction > schedule.workload.estimate).sum())
            yield f"{log} {policy}", f"{above_it:,} jobs", above_it == 0


@decides("least-underprediction")
def _(e):
    for log, block in e.blocks.items():
        most = np.max([block.shares(policy, "under") for policy in TOPS], axis=0)
        least = np.min([block.shares(policy, "under") for policy in RELATED], axis=0)
        yield _case(log, most - least, _under(0), 100, POINTS)


@decides("favouring-overprediction-helps")
def _(e):
    for (log, policy), change in e.overprediction.items():
        yield _case(f"{log} {policy}", change, _under(0), unit=" %")
