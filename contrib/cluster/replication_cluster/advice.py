"""Advice in sentences with the numbers that support them, by the rules of docs/rules.md."""

from replication_cluster import replay
from replication_cluster.study import BASE, CANDIDATES, NOTICEABLE

KEEP, NONE, NOTHING = f"Keep {BASE}.", "No advice.", "Change nothing."


def percent(value):
    """Format a relative change, such as ``−23 %``; ``×12`` from three times on, a dash for nan."""
    if value != value:
        return "–"
    if value >= 2:
        return f"×{value + 1:,.{1 if value < 9 else 0}f}"
    digits = 0 if abs(value) >= 0.00995 else 1
    text = f"{100 * value:+.{digits}f}".replace("-", "−")
    return "0 %" if set(text) <= set("+−0.") else f"{text} %"


def recommend(result, overview, gains):
    """Return the advice on a `replication_cluster.study.Study`: (heading, sentence) pairs, the
    recommendation first.

    `overview` and `gains` are the tables of `replication_cluster.study`.
    """
    case = result.case
    if replay.quiet(case):
        reason = f"The mean wait in the log is below {replay.NEGLIGIBLE} s: no queue to shorten."
        return [(NOTHING, reason)]
    if result.withheld:
        return [(NONE, " ".join(result.withheld)), *_causes(result)]
    rows = overview.set_index("scheduler")
    advice = [_scheduler(result, rows), *_causes(result)]
    if result.recommended:
        advice.append(("Longer waits.", _losers(gains, result.recommended)))
    return advice


def _causes(result):
    if result.similarity is None:
        return
    _, named = replay.causes(result.case, result.schedules[BASE])
    causes = "; ".join(named) or "nothing that can be counted"
    yield (
        "What the replay lacks.",
        f"These features of the log are not simulated and are significant: {causes}.",
    )


def _interval(row):
    if row["low"] != row["low"]:
        return f"{percent(row['change'])}, with too few users for an interval"
    return f"{percent(row['change'])}, interval {percent(row['low'])} to {percent(row['high'])}"


def _scheduler(result, rows):
    """Return the recommendation to stay or to switch."""
    base = rows.loc[BASE]
    best = result.recommended or rows.loc[[*CANDIDATES], "change"].idxmin()
    row = rows.loc[best]
    effect = (
        f"the mean bounded slowdown changes from {base['mean bounded slowdown']:,.1f} to "
        f"{row['mean bounded slowdown']:,.1f} ({_interval(row)}), the mean wait from "
        f"{base['mean wait, h']:.2f} h to {row['mean wait, h']:.2f} h"
    )
    if not result.recommended:
        return (
            KEEP,
            f"No other scheduler is significantly better. With the best of them, {best}, {effect}.",
        )
    return (
        f"Switch to {best}.",
        f"Its gain is at least {percent(row['high']).removeprefix('−')}, corrected for the choice "
        f"among {len(CANDIDATES)}: {effect}. {row['users better off']:,.0f} users wait noticeably "
        f"less on average and {row['worse off']:,.0f} more. It needs {CANDIDATES[best][1]}.",
    )


def _losers(gains, scheduler):
    """Return a sentence on the groups that wait longer."""
    named = [
        f"{one['by']} {one['group']} {percent(one[scheduler])} ({one['jobs']:,} jobs)"
        for one in gains.to_dict("records")
        if one[scheduler] > NOTICEABLE
    ]
    if not named:
        return f"No group waits more than {100 * NOTICEABLE:.0f} % longer on average."
    return f"These groups wait longer on average: {', '.join(named)}."
