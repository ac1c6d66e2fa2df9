"""Strict fairness by the paper's words: is any job delayed by any job of lower priority? (section 3.1)"""

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import seaborn as sns
from replication.basics.lazy import stats
from replication.basics.seeding import generator
from replication.papers import panels
from replication.schedule import audits

DRAWN = ("EASY", "PV-EASY")


def delays(schedule, names, sample, seed=1):
    """Delays of jobs by jobs of lower priority, and of how many jobs that waited they are a sample.

    Parameters
    ----------
    schedule : replication.schedule.schedule.Schedule
    names : tuple of str
        Of log and policy, for the random numbers.
    sample : int
        Jobs to look at where each takes a simulation from the beginning.
    seed : int

    Returns
    -------
    delay : int64[k], s
        Start less the start without the later jobs, of the jobs looked at; negative where later jobs helped.
    share : float
        Jobs looked at over jobs that waited. A job that did not wait cannot have been delayed.
    """
    jobs = waited = np.flatnonzero(schedule.start > schedule.workload.submit)
    if not audits.is_replayed(schedule.scheduler) and len(waited) > sample:
        jobs = np.sort(generator(*names, "delayed", seed).choice(waited, sample, replace=False))
    return (schedule.start - audits.alone(schedule, jobs))[jobs], len(jobs) / max(len(waited), 1)


def results(schedules, sample=150, seed=1):
    """How many jobs are delayed by jobs of lower priority, and by how much.

    Parameters
    ----------
    schedules : dict of str to dict of str to replication.schedule.schedule.Schedule
        ``schedules[log][policy]``.
    sample, seed
        As of `delays`.

    Returns
    -------
    table : pandas.DataFrame
        trace, policy, waited, looked_at, delayed (estimated from the sample where it is one), delayed_low and
        delayed_high (95 % interval), delayed_share (%, of all jobs), mean_delay (min), max_delay (h), helped,
        unfair_heads (heads that wait while idle and shadow processors would do).
    each : pandas.DataFrame
        trace, policy, delay (s): one row a job looked at.
    """
    pairs = [(log, *one) for log, by_policy in schedules.items() for one in by_policy.items()]
    found = {
        (log, policy): delays(schedule, (log, policy), sample, seed)
        for log, policy, schedule in pairs
    }
    rows = [
        {"trace": log, "policy": policy} | _row(schedule, *found[log, policy])
        for log, policy, schedule in pairs
    ]
    each = {key: pd.Series(delay, name="delay") for key, (delay, _) in found.items()}
    each = pd.concat(each, names=["trace", "policy", "job"]).reset_index().drop(columns="job")
    return pd.DataFrame(rows), each


def _row(schedule, delay, share):
    """The delays of the jobs looked at, a share of those that waited, as a row of the table."""
    hit = delay[delay > 0]
    waited = int((schedule.start > schedule.workload.submit).sum())
    low = high = len(hit) / max(len(delay), 1)
    if share < 1 and len(delay):
        low, high = stats.binomtest(len(hit), len(delay)).proportion_ci(method="wilson")
    all_hit = len(hit) / share if share else 0.0
    return {
        "waited": waited,
        "looked_at": len(delay),
        "delayed": round(all_hit),
        "delayed_low": round(low * waited),
        "delayed_high": round(high * waited),
        "delayed_share": 100 * all_hit / len(schedule.start),
        "mean_delay": float(hit.mean()) / 60 if len(hit) else 0.0,
        "max_delay": float(hit.max()) / 3600 if len(hit) else 0.0,
        "helped": round(int((delay < 0).sum()) / share) if share else 0,
        "unfair_heads": int(audits.head_violations(schedule).sum()),
    }


def draw(each):
    """Jobs delayed by more than a time, over that time, a panel a log."""
    looks = style.series(DRAWN, marker=False)
    late = each[each["delay"] > 0].assign(hours=lambda table: table["delay"] / 3600)

    def one(axes, log, _):
        for policy, look in looks.items():
            part = late[(late["trace"] == log) & (late["policy"] == policy)]
            sns.ecdfplot(part, x="hours", stat="count", complementary=True, ax=axes, **look)
        axes.set(xscale="log", yscale="log", xlim=(1 / 60, None))
        axes.xaxis.set_major_formatter("{x:g}")

    rows = {"": "jobs delayed by more"}
    return panels.draw("pv_easy", each["trace"], rows, one, "delay by later jobs [h]")


def sentences(table):
    """What the two ways of asking find for PV-EASY and for EASY."""
    lines = []
    for log, part in table.groupby("trace", sort=False):
        by = part.set_index("policy")
        words = [
            f"{policy} delays {by['delayed'][policy]:,} jobs ({by['delayed_share'][policy]:.1f} %), by "
            f"{by['mean_delay'][policy]:.0f} min on average, {by['max_delay'][policy]:.1f} h at most, "
            f"and keeps {by['unfair_heads'][policy]:,} heads waiting"
            for policy in DRAWN
        ]
        lines.append(f"- {log}: {'; '.join(words)}.")
    return "\n".join(lines)
