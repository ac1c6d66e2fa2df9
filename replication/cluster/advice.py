"""A recommendation in words, each sentence with the numbers it rests on. One fixed rule, whoever gains by it.

1. Where hardly anyone waits under `BASE`, no scheduler is worth a change.
2. Of the schedulers that backfill and kill no job, the one with the smallest mean bounded slowdown is
   recommended, if its gain is at least `WORTH_IT` and its 95 % interval leaves out 0; otherwise the base.
3. Better estimates are worth asking for under the same two conditions.
4. Preemption is reported with its price and never recommended: it needs jobs that can be killed.
"""

from replication.cluster import study as cluster_study
from replication.cluster.study import BASE, POLICIES, percent

WORTH_IT = 0.02
NO_QUEUE = 60  # s of mean wait


def recommend(found, overview, worth, by_size, by_run_time):
    """The recommendation.

    Parameters
    ----------
    found : replication.cluster.study.Study
    overview, worth, by_size, by_run_time : pandas.DataFrame
        Of `cluster_study.overview`, `worth` and `gains`.

    Returns
    -------
    list of (str, str)
        Headings and sentences; the first is the recommendation itself.
    """
    rows = overview.set_index("scheduler")
    base = rows.loc[BASE]
    if base["mean wait, h"] * 3600 < NO_QUEUE:
        return [
            (
                "Change nothing.",
                f"Under {BASE} the mean wait is {base['mean wait, h'] * 3600:.0f} s: "
                f"there "
                "is no queue that a scheduler could shorten.",
            )
        ]
    said = [_scheduler(found, rows, base)]
    chosen = switched_to(said)
    if chosen:
        said.append(
            (
                "Who pays for it.",
                f"{_losers(chosen, by_size, by_run_time)} {_fairness(rows, chosen)}",
            )
        )
    said.append(_estimates(found, worth))
    if "PV-EASY" in rows.index:
        said.append(_preemption(rows, base, len(found.case.workload)))
    return said


def switched_to(said):
    """The scheduler that a recommendation is for; None where it is to stay."""
    heading = said[0][0]
    return (
        heading.removeprefix("Switch to ").removesuffix(".")
        if heading.startswith("Switch to ")
        else None
    )


def _interval(row):
    if row["change, low"] != row["change, low"]:
        return f"{percent(row['change'])}, in a log too short to say how sure that is"
    low, high = percent(row["change, low"]), percent(row["change, high"])
    return f"{percent(row['change'])}, 95 % interval {low} to {high}"


def _clear(row):
    return row["change"] <= -WORTH_IT and row["change, high"] < 0


def _scheduler(found, rows, base):
    """The first sentence: stay or switch."""
    tried = rows.drop(index=[name for name in (BASE, "FCFS", "PV-EASY") if name in rows.index])
    if not len(tried):
        return f"Keep {BASE}.", "No other scheduler that backfills was tried."
    best = tried["mean bounded slowdown"].idxmin()
    row = tried.loc[best]
    told = (
        f"the mean bounded slowdown goes from {base['mean bounded slowdown']:,.1f} to "
        f"{row['mean bounded slowdown']:,.1f} ({_interval(row)}), the mean wait from "
        f"{base['mean wait, h']:.2f} h to {row['mean wait, h']:.2f} h"
    )
    if not _clear(row):
        return (f"Keep {BASE}.", f"The best of the others, {best}, is not clearly better: {told}.")
    moved = cluster_study.users(found).set_index("scheduler").loc[best]
    users = moved["gain"] + moved["lose"] + moved["neither"]
    return (
        f"Switch to {best}.",
        f"Against {BASE}, {told}. Of {users:.0f} users {moved['gain']:.0f} wait "
        f"noticeably less on average and {moved['lose']:.0f} more. What it needs: {POLICIES[best][1]}.",
    )


def _losers(chosen, by_size, by_run_time):
    """Which sizes and run times wait longer under the chosen scheduler."""
    named = [
        f"{row[by]}{' processors' if by == 'size' else ''} {percent(row[chosen])} ({row['jobs']:,} jobs)"
        for by, table in (("size", by_size), ("run time", by_run_time))
        for row in table.to_dict("records")
        if row[chosen] > cluster_study.NOTICEABLE
    ]
    if not named:
        most = f"{100 * cluster_study.NOTICEABLE:.0f} %"
        return f"No class of sizes or run times waits more than {most} longer."
    return f"These classes wait longer on average: {', '.join(named)}."


def _fairness(rows, chosen):
    base, row = rows.loc[BASE], rows.loc[chosen]
    return (
        f"Jobs at the head of the queue that those behind delay: {row['delayed at the head']:,.0f} by "
        f"{row['head delay, h']:.1f} h on average, against {base['delayed at the head']:,.0f} by "
        f"{base['head delay, h']:.1f} h under {BASE}. Reservations broken: "
        f"{row['reservations broken']:,.0f}."
    )


def _estimates(found, worth):
    """What better estimates would be worth."""
    rows = worth.set_index("estimates")
    perfect, doubled = rows.loc["perfect"], rows.loc["own, doubled"]
    own = {
        "all": "the log's own",
        "some": "the log's own, some of them assumed",
        "none": "the one limit assumed for all",
    }[found.case.estimates]
    before, after = (row["mean bounded slowdown"] for row in (rows.loc["own"], perfect))
    told = (
        f"With perfect estimates {BASE} has a mean bounded slowdown of {after:,.1f} in place of "
        f"{before:,.1f} "
        f"with {own} ({_interval(perfect)}); simply doubling them changes it by "
        f"{percent(doubled['change'])}"
    )
    predicted = "predicted (last job)"
    if predicted in rows.index:
        told += (
            f", predicting from each user's last job by {percent(rows.loc[predicted, 'change'])}"
        )
    unsure = "would not clearly help" if perfect["change"] <= -WORTH_IT else "would gain little"
    return f"Better estimates {'are worth asking for' if _clear(perfect) else unsure}.", told + "."


def _preemption(rows, base, jobs):
    row = rows.loc["PV-EASY"]
    better = "lower" if row["mean bounded slowdown"] < base["mean bounded slowdown"] else "higher"
    return (
        "If jobs may be killed and run again,",
        "PV-EASY lets no job behind delay the head of the "
        "queue, at "
        f"the price of {row['runs killed']:,.0f} killed runs for {jobs:,} jobs; the mean bounded "
        f"slowdown is "
        f"{better} than under {BASE}, {row['mean bounded slowdown']:,.1f} ({_interval(row)}), and the "
        f"mean wait "
        f"{row['mean wait, h']:.2f} h.",
    )
