"""Strict fairness by the paper's words: is any job delayed by any job of lower priority? (section 3.1)"""

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.basics.lazy import stats
from replication.basics.seeding import generator
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
    rows, each = [], []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():
            delay, share = delays(schedule, (log, policy), sample, seed)
            each.append(pd.DataFrame({"trace": log, "policy": policy, "delay": delay}))
            hit = delay[delay > 0]
            waited = int((schedule.start > schedule.workload.submit).sum())
            low, high = _share(len(hit), len(delay), share < 1)
            rows.append(
                {
                    "trace": log,
                    "policy": policy,
                    "waited": waited,
                    "looked_at": len(delay),
                    "delayed": round(len(hit) / share) if share else 0,
                    "delayed_low": round(low * waited),
                    "delayed_high": round(high * waited),
                    "delayed_share": 100 * len(hit) / share / len(schedule.start) if share else 0.0,
                    "mean_delay": float(hit.mean()) / 60 if len(hit) else 0.0,
                    "max_delay": float(hit.max()) / 3600 if len(hit) else 0.0,
                    "helped": round(int((delay < 0).sum()) / share) if share else 0,
                    "unfair_heads": int(audits.head_violations(schedule).sum()),
                }
            )
    return pd.DataFrame(rows), pd.concat(each, ignore_index=True)


def _share(hits, n, sampled):
    """Bounds of a share: its 95 % interval (Wilson) where it is that of a sample."""
    if not sampled or not n:
        return (hits / max(n, 1),) * 2
    found = stats.binomtest(hits, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def draw(each):
    """Jobs delayed by more than a time, over that time, a panel a log."""
    logs = list(dict.fromkeys(each["trace"]))
    figure, grid = plt.subplots(1, len(logs), figsize=style.size(1, len(logs)), squeeze=False)
    looks = style.series(DRAWN, marker=False)
    late = each[each["delay"] > 0].assign(hours=lambda table: table["delay"] / 3600)
    for axes, log in zip(grid[0], logs, strict=True):
        for policy in DRAWN:
            part = late[(late["trace"] == log) & (late["policy"] == policy)]
            sns.ecdfplot(
                part, x="hours", stat="count", complementary=True, ax=axes, **looks[policy]
            )
        axes.set(
            xscale="log",
            yscale="log",
            title=log,
            xlabel="delay by later jobs [h]",
            ylabel="jobs delayed by more" if log == logs[0] else "",
            xlim=(1 / 60, None),
        )
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(DRAWN)
    )
    return figure


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
