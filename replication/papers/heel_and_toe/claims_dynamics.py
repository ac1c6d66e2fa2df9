"""Claims about backfilling, heel and toe, and SJFness (sections 4 to 6)."""

from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.curves import Z95
from replication.papers.heel_and_toe.deciding import above, below, decides, interval

GROWING = ("backfilled", "backfilled_run_time", "backfilled_size")
UNIT_STEPS = range(11)


def _growing(e, log, measure, fs):
    """Whether a mean never steps down beyond chance and ends higher; the largest step down in words."""
    steps = [e.change(log, measure, a, b) for a, b in zip(fs, fs[1:], strict=False)]
    whole = e.change(log, measure, fs[0], fs[-1])
    worst = min(steps)
    return (
        interval(whole) + f", worst step {worst[0]:+.2f} %",
        all(s[2] >= 0 for s in steps) and whole[1] > 0,
    )


@decides("more-backfilling")
def _(e):
    for log in e.logs():
        for measure in GROWING:
            yield f"{log} {measure}", *_growing(e, log, measure, list(UNIT_STEPS))


@decides("backfilling-growth")
def _(e):
    for log in e.logs():
        for measure in GROWING:
            change = e.change(log, measure, 0, 10)
            yield f"{log} {measure}", interval(change), 10 <= change[0] <= 20


@decides("equal-load-equal-rates")
def _(e):
    spread, own = {}, e.at("backfilled", 10)
    for load in campaign.LOADS:
        # The log that sets a load is not run at it a second time.
        at = {log: 100 * mean for log, (mean, _) in (own | e.at("backfilled", 10, load=load)).items()}
        spread[load] = max(at.values()) - min(at.values())
    for load in ("high", "low"):
        yield f"{load} load", f"{spread[load]:.1f} points, {spread['log']:.1f} at the logs' own", spread[
            load
        ] < spread["log"]


@decides("no-wild-at-0")
def _(e):
    for log in e.logs():
        mean, _ = e.at("wild", 0)[log]
        yield log, f"{100 * mean:g} %", bool(mean == 0)


@decides("wild-share")
def _(e):
    for log in e.logs():
        mean, error = (100 * x for x in e.at("wild", 10)[log])
        yield log, f"{mean:.2f} % (± {Z95 * error:.2f})", 2 <= round(mean) <= 5


@decides("wild-longer-wider")
def _(e):
    for log in e.logs():
        ratios = [
            e.at(f"wild_{what}", 10)[log][0] / e.at(f"backfilled_{what}", 10)[log][0]
            for what in ("run_time", "size")
        ]
        yield log, f"run time × {ratios[0]:.2f}, size × {ratios[1]:.2f}", min(ratios) > 1


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


@decides("sjfness-lambda")
def _(e):
    for log in e.logs():
        part = e.runs(log)
        # The shape of a V, upside down: its unit is negative, which turns its intervals round.
        found = trends.shape(part.assign(sjfness=-part["sjfness"]), "sjfness")
        rise = tuple(-found[key] for key in ("fall [%]", "fall low [%]", "fall high [%]"))
        fall = tuple(-found[key] for key in ("rise [%]", "rise low [%]", "rise high [%]"))
        answers = [above(rise), above(fall)]
        yield (log, f"rises {interval(rise)} to f = {found['minimum at f']:g}, then falls {interval(fall)}",
               None if None in answers and False not in answers else all(answers))


@decides("sjfness-deterministic")
def _(e):
    for log in e.logs():
        better = (e.curve(log, "sjfness", "deterministic") > e.curve(log, "sjfness"))[lambda s: s.index > 0]
        yield log, f"{100 * better.mean():.0f} %", better.mean() > 0.9


@decides("regular-shorter")
def _(e):
    for log in e.logs():
        change = e.change(log, "regular_run_time", 0, 10)
        yield log, interval(change), below(change)
