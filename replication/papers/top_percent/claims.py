"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/top_percent``."""

import numpy as np

from replication.basics.lazy import lazily
from replication.evidence.claims import Claims, totals
from replication.evidence.resampling import interval
from replication.papers.top_percent.modes import LEVEL
from replication.papers.top_percent.runs import POLICIES, TITLES
from replication.papers.top_percent.schedulers import spread

stats = lazily("scipy.stats")

USUAL, PRIORITY = ("avebsld", "af"), ("ap0waf", "ap1waf")
SCHEDULE = USUAL + PRIORITY
TOPS, RELATED = ("Top02", "Top03", "Top04"), ("Complete", "CVH", "Tsafrir")
LEARNED = RELATED + TOPS
COMPETITIVE = 1.05
__all__ = ["CLAIMS", "evaluate", "totals"]
CLAIMS = Claims("top_percent")
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate


def _case(what, values, holds_below=None, holds_above=None, scale=1, unit=""):
    """A case from a value with its draws: whether the whole interval lies on one side of a level.

    A value that is the level, without an interval, lies on neither.
    """
    value, low, high = (scale * number for number in interval(values))
    if holds_below is not None:
        answer = True if high < holds_below else False if low > holds_below else None
    else:
        answer = True if low > holds_above else False if high < holds_above else None
    return what, f"{value:.3f}{unit} ({low:.3f} to {high:.3f})", answer


def _each(e, policies, measures, **level):
    """A case for each log, policy and measure."""
    return [
        _case(f"{log} {policy} {TITLES[measure]}", e.blocks[log].values(policy, measure), **level)
        for log in e.logs
        for policy in policies
        for measure in measures
    ]


def _best(block, policies, measure, pick=np.min):
    return pick([block.values(policy, measure) for policy in policies], axis=0)


def _without(policies, policy):
    return [other for other in policies if other != policy]


def _beside(e, policy, measures, pick, **level):
    """A case for each log and measure: a learned predictor less the one picked of the others."""
    others = _without(LEARNED, policy)
    return [
        _case(
            f"{log} {TITLES[measure]}",
            block.values(policy, measure) - _best(block, others, measure, pick),
            **level,
        )
        for log, block in e.blocks.items()
        for measure in measures
    ]


def _better_r2(e, policies):
    """A case for each log and policy: its R2 less that of the requests."""
    return [
        _case(
            f"{log} {policy}",
            block.values(policy, "r2") - block.values("Reqtime", "r2"),
            holds_above=0,
        )
        for log, block in e.blocks.items()
        for policy in policies
    ]


@decides("overestimates")
def _(e):
    for log, workload in e.workloads.items():
        ratio = float(np.median(workload.estimate / np.maximum(workload.run_time, 1)))
        yield log, f"{ratio:.2f}", ratio >= 2


@decides("better-predictions-help")
def _(e):
    return _each(e, ["Clairvoyant"], SCHEDULE, holds_below=1)


@decides("fewer-backfilled")
def _(e):
    for log, block in e.blocks.items():
        less = block.shares("Reqtime", "backfilled") - block.shares("Clairvoyant", "backfilled")
        yield _case(log, less, holds_below=0, scale=100, unit=" points")


@decides("common-attributes")
def _(e):
    for log, workload in e.workloads.items():
        share = between_classes(workload)
        yield log, f"{share:.3f}", share > 0.5


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
    p = np.array(e.unimodal)
    share = float((p < LEVEL).mean()) if len(p) else 0.0
    yield "all logs", f"{share:.3f} of {len(p)} classes", share > 0.5


@decides("underprediction-hurts")
def _(e):
    for log, block in e.scaled.items():
        for measure in PRIORITY:
            yield _case(f"{log} {TITLES[measure]}", block.values("short", measure), holds_above=1)


@decides("underprediction-worse-than-requests")
def _(e):
    return _each(e, RELATED, SCHEDULE, holds_above=1)


@decides("means-fall-short")
def _(e):
    for log, block in e.blocks.items():
        less = block.shares("Top03", "under") - block.shares("Complete", "under")
        yield _case(log, less, holds_below=0, scale=100, unit=" points")


@decides("short-jobs-first")
def _(e):
    for log, block in e.short_first.items():
        for measure in USUAL:
            yield _case(f"{log} {TITLES[measure]}", block.values("short", measure), holds_below=1)


@decides("schedulers-close")
def _(e):
    for _, row in spread(e.by_scheduler).iterrows():
        largest = max(row[TITLES[measure]] for measure in SCHEDULE)
        yield row["trace"], f"{largest:.3f}", largest <= 0.1


@decides("reqtime-lower-bound")
def _(e):
    return _better_r2(e, LEARNED)


@decides("clairvoyant-upper-bound")
def _(e):
    for log, block in e.blocks.items():
        for policy in LEARNED:
            for measure in SCHEDULE:
                more = block.values(policy, measure) - block.values("Clairvoyant", measure)
                yield _case(f"{log} {policy} {TITLES[measure]}", more, holds_above=0)


@decides("complete-best-r2")
def _(e):
    for log, block in e.blocks.items():
        others = _best(block, _without(LEARNED, "Complete"), "r2", np.max)
        yield _case(log, block.values("Complete", "r2") - others, holds_above=0)


@decides("complete-competitive")
def _(e):
    return _each(e, ["Complete"], USUAL, holds_below=COMPETITIVE)


@decides("complete-sometimes-superior")
def _(e):
    cases = _each(e, ["Complete"], USUAL, holds_below=1)
    better = [what for what, _, answer in cases if answer]
    open_ = any(answer is None for *_, answer in cases)
    yield "below 1 in", ", ".join(better) or "none", True if better else None if open_ else False


@decides("complete-poor-priority")
def _(e):
    return _each(e, ["Complete"], PRIORITY, holds_above=1)


@decides("cvh-best-usual")
def _(e):
    return _beside(e, "CVH", USUAL, np.min, holds_below=0)


@decides("cvh-worst-priority")
def _(e):
    return _beside(e, "CVH", PRIORITY, np.max, holds_above=0)


@decides("cvh-poor-r2")
def _(e):
    for log, block in e.blocks.items():
        yield _case(
            log, block.values("CVH", "r2") - block.values("Complete", "r2"), holds_below=-0.1
        )


@decides("quality-uncorrelated")
def _(e):
    for log, block in e.blocks.items():
        quality = [block.values(policy, "r2")[0] for policy in POLICIES]
        for measure in SCHEDULE:
            rho = float(
                stats.spearmanr(quality, [block.values(policy, measure)[0] for policy in POLICIES])[
                    0
                ]
            )
            yield f"{log} {TITLES[measure]}", f"{rho:+.2f}", abs(rho) < 0.5


@decides("tsafrir-like-cvh")
def _(e):
    return _each(e, ["Tsafrir"], USUAL, holds_below=1) + _each(
        e, ["Tsafrir"], PRIORITY, holds_above=1
    )


@decides("tsafrir-underperforms")
def _(e):
    return _beside(e, "Tsafrir", SCHEDULE, np.max, holds_above=0)


@decides("tsafrir-never-best")
def _(e):
    return _beside(e, "Tsafrir", SCHEDULE, np.min, holds_above=0)


@decides("top-tolerable")
def _(e):
    return _each(e, TOPS, USUAL, holds_below=COMPETITIVE)


@decides("top-beats-reqtime")
def _(e):
    return _each(e, TOPS, PRIORITY, holds_below=1)


@decides("nobody-else-does")
def _(e):
    return _each(e, RELATED, PRIORITY, holds_above=1)


@decides("top-best-priority")
def _(e):
    for log, block in e.blocks.items():
        for measure in PRIORITY:
            less = _best(block, TOPS, measure) - _best(block, RELATED, measure)
            yield _case(f"{log} {TITLES[measure]}", less, holds_below=0)


@decides("reqtime-never-under")
def _(e):
    for log, block in e.blocks.items():
        for policy in ("Reqtime", *LEARNED):
            share = float(block.shares(policy, "under")[0])
            yield f"{log} {policy}", f"{100 * share:.2f} %", (share == 0) == (policy == "Reqtime")


@decides("top-under-at-most-its-share")
def _(e):
    for log, block in e.blocks.items():
        for policy in TOPS:
            more = block.shares(policy, "under") - int(policy.removeprefix("Top")) / 100
            yield _case(f"{log} {policy}", more, holds_below=0, scale=100, unit=" points")


@decides("top-predicts-better-than-requests")
def _(e):
    return _better_r2(e, TOPS)


@decides("more-aggressive")
def _(e):
    for log, block in e.blocks.items():
        for policy in TOPS:
            more = block.shares(policy, "backfilled") - block.shares("Reqtime", "backfilled")
            yield _case(f"{log} {policy}", more, holds_above=0, scale=100, unit=" points")


@decides("least-underprediction")
def _(e):
    for log, block in e.blocks.items():
        most = np.max([block.shares(policy, "under") for policy in TOPS], axis=0)
        least = np.min([block.shares(policy, "under") for policy in RELATED], axis=0)
        yield _case(log, most - least, holds_below=0, scale=100, unit=" points")


@decides("favouring-overprediction-helps")
def _(e):
    for (log, policy), change in e.overprediction.items():
        yield _case(f"{log} {policy}", change, holds_below=0, unit=" %")
