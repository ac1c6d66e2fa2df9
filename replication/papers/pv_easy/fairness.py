"""Strict fairness by the paper's words: is any job delayed by any job of lower priority? (section 3.1)"""

import numpy as np
import pandas as pd

from replication.basics import style
from replication.basics.seeding import generator
from replication.predictors import Last
from replication.schedule import audits
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, FCFS, PVEasy

SCHEDULERS = {
    "FCFS": FCFS(),
    "EASY": EASY(),
    "EASY-Last": EASY(predictor=Last()),
    "SJF-EASY": EASY(candidates="sjf"),
    "PV-EASY": PVEasy(),
}
# A job of these takes a simulation from the beginning, so a sample of those that waited must do.
SAMPLED = ("EASY-Last", "SJF-EASY")
DRAWN = ("EASY", "PV-EASY")


def delays(page, policy, log, sample):
    """Delays of jobs by jobs of lower priority, and of how many jobs that waited they are a sample.

    Parameters
    ----------
    page : replication.pages.page.Page
    policy, log : str
    sample : int
        Jobs to look at where all would take too long.

    Returns
    -------
    schedule : replication.schedule.schedule.Schedule
    delay : int64[k], s
        Start less the start without the later jobs, of the jobs looked at; negative where later jobs helped.
    share : float
        Jobs looked at over jobs that waited. A job that did not wait cannot have been delayed.
    """
    schedule = simulate(page.workloads[log], SCHEDULERS[policy], seed=page.seed)
    waited = np.flatnonzero(schedule.start > schedule.workload.submit)
    jobs = waited
    if policy in SAMPLED and len(waited) > sample:
        rng = generator(log, policy, "delayed", page.seed)
        jobs = np.sort(rng.choice(waited, sample, replace=False))
    found = audits.alone(schedule, jobs)
    return schedule, (schedule.start - found)[jobs], len(jobs) / max(len(waited), 1)


def results(page, sample=150):
    """How many jobs are delayed by jobs of lower priority, and by how much.

    Returns
    -------
    table : pandas.DataFrame
        trace, policy, waited, looked_at, delayed (estimated from the sample where it is one), delayed_low and
        delayed_high (95 % interval), delayed_share (%, of all jobs), mean_delay (min), max_delay (h), helped,
        unfair_heads (heads that wait while idle and shadow processors would do).
    found : dict
        By (trace, policy), the delays.
    """
    rows, found = [], {}
    for log in page.logs:
        for policy in SCHEDULERS:
            schedule, delay, share = delays(page, policy, log, sample)
            found[log, policy] = delay
            hit, jobs = delay[delay > 0], len(schedule.start)
            waited = int((schedule.start > schedule.workload.submit).sum())
            low, high = (
                _interval(len(hit), len(delay))
                if share < 1
                else (len(hit) / max(len(delay), 1),) * 2
            )
            rows.append(
                {
                    "trace": log,
                    "policy": policy,
                    "waited": waited,
                    "looked_at": len(delay),
                    "delayed": round(len(hit) / share),
                    "delayed_low": round(low * waited),
                    "delayed_high": round(high * waited),
                    "delayed_share": 100 * len(hit) / share / jobs,
                    "mean_delay": float(hit.mean()) / 60 if len(hit) else 0.0,
                    "max_delay": float(hit.max()) / 3600 if len(hit) else 0.0,
                    "helped": round(int((delay < 0).sum()) / share),
                    "unfair_heads": int(audits.head_violations(schedule).sum()),
                }
            )
    return pd.DataFrame(rows), found


def _interval(hits, n):
    """95 % interval of a share (Wilson)."""
    from scipy.stats import binomtest

    found = binomtest(hits, n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)


def draw(found):
    """Jobs delayed by more than a time, over that time, a panel a log."""
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(log for log, _ in found))
    figure, grid = plt.subplots(1, len(logs), figsize=style.size(1, len(logs)), squeeze=False)
    looks = style.series(DRAWN, marker=False)
    for axes, log in zip(grid[0], logs, strict=True):
        for policy in DRAWN:
            delay = np.sort(found[log, policy][found[log, policy] > 0]) / 3600
            axes.plot(delay, np.arange(len(delay), 0, -1), drawstyle="steps-post", **looks[policy])
        axes.set(
            xscale="log",
            yscale="log",
            title=log,
            xlabel="delay by later jobs [h]",
            ylabel="jobs delayed by more" if axes is grid[0, 0] else "",
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
            for policy in ("EASY", "PV-EASY")
        ]
        lines.append(f"- {log}: {'; '.join(words)}.")
    return "\n".join(lines)
