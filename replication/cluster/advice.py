"""Advice in words, each sentence with the numbers it rests on, by the rules of ``docs/cluster.md``, whoever gains by it."""

from replication.cluster import replay
from replication.cluster.study import BASE, CANDIDATES, NOTICEABLE

KEEP, NONE, NOTHING = f"Keep {BASE}.", "No advice.", "Change nothing."
#: What a recommendation means in the files that operators edit. Neither system orders the candidates for backfilling alone.
MEANING = {
    "SJF-EASY": (
        "slurm.conf: `PriorityFlags=SMALL_RELATIVE_TO_TIME` with `PriorityWeightJobSize` is the nearest, which ranks the whole queue, "
        "its head too, by size over time limit ([slurm.conf](https://slurm.schedmd.com/slurm.conf.html)).",
        'PBS, sched_config: `job_sort_key: "walltime LOW" ALL` sorts the whole queue, its head too, by the requested time '
        "([Sort Jobs](https://2021.help.altair.com/2021.1/control/Chunk913741608.htm)).",
    ),
    "Conservative": (
        "slurm.conf: `SchedulerParameters=bf_max_job_test=…,bf_window=…` says for how many jobs, and how far ahead in minutes, "
        "`sched/backfill` plans a start ([guide](https://slurm.schedmd.com/sched_config.html)).",
        "PBS, qmgr: `set server backfill_depth=…` says for how many jobs a start is planned "
        "([Implement Backfilling](https://2021.help.altair.com/2021.1/control/Chunk1368223881.htm)).",
    ),
    "EASY, predictions": (
        "Neither predicts run times; it takes a submission filter or a plug-in.",
    ),
}


def percent(value):
    """A relative change in words, such as ``−23 %``; ``×12`` from three times on, a dash for nan."""
    if value != value:
        return "–"
    if value >= 2:
        return f"×{value + 1:,.{1 if value < 9 else 0}f}"
    digits = 0 if abs(value) >= 0.00995 else 1
    text = f"{100 * value:+.{digits}f}".replace("-", "−")
    return "0 %" if set(text) <= set("+−0.") else f"{text} %"


def recommend(found, overview, gains):
    """What is advised of a `replication.cluster.study.Study`, from its `overview` and `gains`: headings with sentences.

    The first is the advice itself.
    """
    case = found.case
    if replay.quiet(case):
        none = f"In the log the mean wait is below {replay.QUIET} s: there is no queue to shorten."
        return [(NOTHING, none)]
    if found.withheld:
        return [(NONE, " ".join(found.withheld)), *_causes(found)]
    rows = overview.set_index("scheduler")
    said = [_scheduler(found, rows), *_causes(found)]
    if found.chosen:
        said += [
            ("For whom it is worse.", _losers(rows.loc[found.chosen], gains, found.chosen)),
            *(("In the files.", line) for line in MEANING[found.chosen]),
        ]
    return said


def _causes(found):
    if found.near is None:
        return
    _, named = replay.causes(found.case, found.schedules[BASE])
    stands_out = "; ".join(named) or "nothing that can be counted"
    yield (
        "What the replay misses.",
        f"Of what the log shows and no replay here does, this stands out: {stands_out}.",
    )


def _interval(row):
    if row["low"] != row["low"]:
        return f"{percent(row['change'])}, from too few users to say how sure that is"
    return f"{percent(row['change'])}, interval {percent(row['low'])} to {percent(row['high'])}"


def _scheduler(found, rows):
    """Stay or switch."""
    base = rows.loc[BASE]
    best = found.chosen or rows.loc[[*CANDIDATES], "change"].idxmin()
    row = rows.loc[best]
    told = (
        f"the mean bounded slowdown goes from {base['mean bounded slowdown']:,.1f} to "
        f"{row['mean bounded slowdown']:,.1f} ({_interval(row)}), the mean wait from "
        f"{base['mean wait, h']:.2f} h to {row['mean wait, h']:.2f} h"
    )
    if not found.chosen:
        at = ", ".join(f"{size:,}" for size in found.at)
        sizes = f" on all of {at} processors" if at else ""
        return (
            KEEP,
            f"None of the others is clearly better{sizes}. With the best of them, {best}, {told}.",
        )
    return (
        f"Switch to {best}.",
        f"Its gain is at least {percent(row['high']).removeprefix('−')}, corrected for being the best of {len(CANDIDATES)}: "
        f"{told}. {row['users better off']:,.0f} users wait noticeably less on average and {row['worse off']:,.0f} more. "
        f"What it needs: {CANDIDATES[best][1]}.",
    )


def _losers(row, gains, chosen):
    """Which groups wait longer, and what becomes of the head of the queue."""
    named = [
        f"{one['by']} {one['group']} {percent(one[chosen])} ({one['jobs']:,} jobs)"
        for one in gains.to_dict("records")
        if one[chosen] > NOTICEABLE
    ]
    most = f"No group waits more than {100 * NOTICEABLE:.0f} % longer"
    return (
        f"{'These wait longer on average: ' + ', '.join(named) if named else most}. At the head of the queue "
        f"{row['delayed at the head']:,.0f} jobs are delayed by later ones, by {row['delay, h']:.1f} h on average."
    )
