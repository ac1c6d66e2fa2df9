"""Strict fairness by the paper's definition (section 3.1): delays of jobs by jobs of lower
priority.
"""

import numpy as np
import pandas as pd
import seaborn as sns
from scipy import stats

from notebooks import audits, panels
from replication.drawing import style
from replication.simulator.workload import generator

DRAWN = ("EASY", "PV-EASY")


def delays(schedule, names, sample, seed=1):
    """Return start less start without the later jobs, s (negative where later jobs helped), and the
    share of jobs examined.

    The share is of the jobs that waited, since others cannot have been delayed. Where each needs a
    simulation of its own, `sample` jobs are drawn; `names` (log and policy) and the seed decide
    which.
    """
    jobs = waited = np.flatnonzero(schedule.start > schedule.workload.submit)
    if not audits.is_replayed(schedule.scheduler) and len(waited) > sample:
        jobs = np.sort(generator(*names, "delayed", seed).choice(waited, sample, replace=False))
    return (schedule.start - audits.alone(schedule, jobs))[jobs], len(jobs) / max(len(waited), 1)


def results(schedules, sample=150, seed=1):
    """Return how many jobs are delayed by jobs of lower priority, and by how much, under
    ``schedules[log][policy]``.

    The first table has a row for each log and policy: counts, estimated where a sample was drawn,
    with 95 % intervals (Wilson); mean_delay (min), max_delay (h), and unfair_heads (heads that wait
    while idle processors and those of later jobs would suffice). The second table has the delay (s)
    of each job examined.
    """
    rows, each = [], []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():
            names = {"trace": log, "policy": policy}
            delay, share = delays(schedule, (log, policy), sample, seed)
            rows.append(names | _row(schedule, delay, share))
            each.append(pd.DataFrame({"delay": delay}).assign(**names))
    each = pd.concat(each, ignore_index=True)[["trace", "policy", "delay"]]
    each["trace"] = pd.Categorical(each["trace"], [*schedules])  # also logs in which nobody waits
    return pd.DataFrame(rows), each


def _row(schedule, delay, share):
    """Return the delays of the jobs examined, a share of those that waited, as a row of
    the table.
    """
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
    """Draw the number of jobs delayed by more than a time, over that time, a panel for each log."""
    looks = style.series(DRAWN, marker=False)
    late = each[each["delay"] > 0].assign(hours=lambda table: table["delay"] / 3600)

    def draw_panel(axes, log, _):
        for policy, look in looks.items():
            part = late[(late["trace"] == log) & (late["policy"] == policy)]
            sns.ecdfplot(part, x="hours", stat="count", complementary=True, ax=axes, **look)
        axes.set(xscale="log", yscale="log", xlim=(1 / 60, None))
        axes.xaxis.set_major_formatter("{x:g}")

    rows = {"": "jobs delayed by more"}
    return panels.draw(each["trace"].cat.categories, rows, draw_panel, "delay by later jobs [h]")
