"""Claims about backfilling, heel and toe, and SJFness (sections 4 to 6)."""

import math

from replication.evidence import published
from replication.evidence.claims import above, below, every, usually, within
from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.curves import BACKFILLED, WILD, Z95
from replication.papers.heel_and_toe.deciding import decides, difference, interval

UNIT_STEPS = range(11)
SAME = 5.0  # points within which growth at different loads is called the same


def _growing(e, log, measure, fs):
    """Whether a mean never steps down beyond chance and ends higher; the largest step down in words."""
    steps = [e.change(log, measure, a, b) for a, b in zip(fs, fs[1:], strict=False)]
    whole = e.change(log, measure, fs[0], fs[-1])
    worst = min(steps)
    return (
        interval(whole) + f", worst step {worst[0]:+.2f} %",
        all(s[2] >= 0 for s in steps) and whole[1] > 0,
    )


def _printed(measure):
    """The ends of a range that the text prints, per cent."""
    where = {"trace": "all", "policy": "f=10"}
    return [
        published.value(campaign.PAPER, "text", measure=f"{measure}_{end}", **where).value
        for end in ("min", "max")
    ]


@decides("more-backfilling")
def _(e):
    for log in e.logs():
        for measure in BACKFILLED:
            yield f"{log} {measure}", *_growing(e, log, measure, list(UNIT_STEPS))


@decides("backfilling-growth")
def _(e):
    for measure in BACKFILLED:
        low, high = _printed(f"{measure}_increase")
        for log in e.logs():
            change = e.change(log, measure, 0, 10)
            yield f"{log} {measure}", interval(change), low <= change[0] <= high


@decides("rates-follow-load")
def _(e):
    at = {log: e.at("backfilled", 10)[log] for log in sorted(e.logs(), key=campaign.utilization)}
    for (low, (a, sa)), (high, (b, sb)) in zip(
        list(at.items()), list(at.items())[1:], strict=False
    ):
        change = difference(b - a, math.hypot(sa, sb))
        yield f"{high} less {low}", interval(change, " points"), above(change)


@decides("growth-whatever-the-load")
def _(e):
    for log in e.logs():
        for measure in ("backfilled_run_time", "backfilled_size"):
            growth = {load: e.change(log, measure, 0, 10, load) for load in campaign.loads_of(log)}
            ends = sorted(growth.values())
            apart = ends[-1][0] - ends[0][0]
            half = math.hypot(*(end[2] - end[0] for end in (ends[0], ends[-1])))
            words = ", ".join(f"{load} {change[0]:+.1f} %" for load, change in growth.items())
            yield f"{log} {measure}", words, within((apart, apart - half, apart + half), SAME)


@decides("short-enjoy-more")
def _(e):
    for log in e.logs():
        (a, sa), (b, sb) = (e.at(f"{what}_run_time", 10)[log] for what in ("backfilled", "regular"))
        change = difference(a - b, math.hypot(sa, sb), b)
        yield log, interval(change), below(change)


@decides("equal-load-equal-rates")
def _(e):
    spread, own = {}, e.at("backfilled", 10)
    for load in campaign.LOADS:
        # The log that sets a load is not run at it a second time.
        at = {
            log: 100 * mean for log, (mean, _) in (own | e.at("backfilled", 10, load=load)).items()
        }
        spread[load] = max(at.values()) - min(at.values())
    for load in ("high", "low"):
        yield (
            f"{load} load",
            f"{spread[load]:.1f} points, {spread['log']:.1f} at the logs' own",
            spread[load] < spread["log"],
        )


@decides("no-wild-at-0")
def _(e):
    for log in e.logs():
        mean, _ = e.at("wild", 0)[log]
        yield log, f"{100 * mean:g} %", bool(mean == 0)


@decides("wild-share")
def _(e):
    low, high = _printed("wild_share")
    for log in e.logs():
        mean, error = (100 * x for x in e.at("wild", 10)[log])
        yield log, f"{mean:.2f} % (± {Z95 * error:.2f})", low <= round(mean) <= high


@decides("wild-longer-wider")
def _(e):
    for log in e.logs():
        ratios = [
            e.at(f"wild_{what}", 10)[log][0] / e.at(f"backfilled_{what}", 10)[log][0]
            for what in ("run_time", "size")
        ]
        yield log, f"run time × {ratios[0]:.2f}, size × {ratios[1]:.2f}", min(ratios) > 1


@decides("wild-grows")
def _(e):
    for log in e.logs():
        for measure in WILD:
            yield f"{log} {measure}", *_growing(e, log, measure, list(UNIT_STEPS)[1:])


@decides("delayed-share")
def _(e):
    for log in e.logs():
        mean, error = (100 * x for x in e.at("delayed", 10)[log])
        yield log, f"{mean:.2f} % (± {Z95 * error:.2f})", 0.5 <= mean <= 1.5


@decides("wild-is-delayed-times-events")
def _(e):
    some = e.vanilla[e.vanilla["wild"] > 0]
    off = float((abs(some["delayed"] * some["events"] - some["wild"]) / some["wild"]).max())
    yield "", f"{off:.1e} over {len(some):,} runs", off < 1e-9


@decides("delay-grows")
def _(e):
    for log in e.logs():
        yield log, *_growing(e, log, "delay", list(UNIT_STEPS)[1:])


@decides("events-grow")
def _(e):
    for log in e.logs():
        yield log, *_growing(e, log, "events", list(UNIT_STEPS)[1:])


@decides("sjfness-lambda")
def _(e):
    for log in e.logs():
        part = e.runs(log)
        # The shape of a V, upside down: its unit is negative, which turns its intervals round.
        found = trends.shape(part.assign(sjfness=-part["sjfness"]), "sjfness")
        rise, fall = (
            tuple(-found[f"{change}{end} [%]"] for end in ("", " low", " high"))
            for change in ("fall", "rise")
        )
        yield (
            log,
            f"rises {interval(rise)} to f = {found['minimum at f']:g}, then falls {interval(fall)}",
            every(above(change) for change in (rise, fall)),
        )


@decides("sjfness-falls-on")
def _(e):
    for log in e.logs():
        peak = e.curve(log, "sjfness").idxmax()
        fs = [peak, *(f for f in UNIT_STEPS if f > peak)]
        steps = [e.change(log, "sjfness", a, b) for a, b in zip(fs, fs[1:], strict=False)]
        whole = e.change(log, "sjfness", fs[0], fs[-1])
        falls = all(step[1] <= 0 for step in steps) and whole[2] < 0
        yield log, f"{interval(whole)} from f = {peak:g}, worst step {max(steps)[0]:+.2f} %", falls


@decides("sjfness-deterministic")
def _(e):
    for log in e.logs():
        better = (e.curve(log, "sjfness", "deterministic") > e.curve(log, "sjfness"))[
            lambda s: s.index > 0
        ]
        yield log, f"{100 * better.mean():.0f} %", better.mean() > 0.9


@decides("regular-shorter")
def _(e):
    changes = {log: e.change(log, "regular_run_time", 0, 10) for log in e.logs()}
    words = ", ".join(f"{log} {interval(change)}" for log, change in changes.items())
    yield "", words, usually(below(change) for change in changes.values())
