"""Figs. 2, 3, 5 and 6: slowdowns of blocked jobs by size, and of all jobs.

Schedules come by log and policy: ``schedules[log][policy]``.
"""

from fractions import Fraction

import numpy as np

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.evidence import resampling
from replication.papers.pv_easy import counts, runs
from replication.schedule import audits, measures

CLASSES = 4  # Quarters of the machine.
LOOKS = ("EASY", "PV-EASY", "EASY-Last")  # each looks the same in every figure
NAMES = {"mbs": "mean bounded slowdown", "mwbs": "mean weighted bounded slowdown"}
SHORT = {"mbs": "MBS", "mwbs": "MWBS"}


def sums(schedule, mask, measure):
    """Weighted slowdowns and weights of the masked jobs, float64[n, 2]; the measure is their quotient."""
    w = schedule.workload
    weight = (w.processors if measure == "mwbs" else np.ones(len(w))) * mask
    return np.column_stack(
        [measures.pv_bounded_slowdown(schedule.wait, w.run_time) * weight, weight]
    )


def size_class(workload, classes=CLASSES):
    """Size class of each job, int[n]: 0 for up to the first of equal shares of the machine, and so on."""
    return (classes * workload.processors - 1) // workload.machine


def names(classes=CLASSES):
    """The size classes in words, the smallest jobs first."""
    shares = [str(Fraction(k, classes)) for k in range(1, classes)]
    between = [f"{low} to {high}" for low, high in zip(shares, shares[1:], strict=False)]
    return [f"up to {shares[0]}", *between, f"above {shares[-1]}"] if shares else ["all"]


def _compared(schedules, measure, groups, base, seed, resamples):
    """A measure of groups of jobs: ``groups(schedules of a log)`` yields (name, masks by policy)."""
    rows = []
    for log, by_policy in schedules.items():
        for jobs, masks in groups(by_policy):
            columns = [sums(schedule, masks[p], measure) for p, schedule in by_policy.items()]
            workload = by_policy[base].workload
            drawn = resampling.blocks(np.hstack(columns), workload, seed, resamples)
            means = {p: resampling.ratio(drawn, 2 * k, 2 * k + 1) for k, p in enumerate(by_policy)}
            for policy, mean in means.items():
                rows.append(
                    {"trace": log, "jobs": jobs, "policy": policy}
                    | {"number": int(masks[policy].sum())}
                    | _with_interval(("value", "low", "high"), mean)
                    | _with_interval(
                        ("quotient", "quotient_low", "quotient_high"), mean / means[base]
                    )
                )
    return pd.DataFrame(rows)


def _with_interval(columns, values):
    return dict(zip(columns, resampling.interval(values), strict=True))


def everyone(schedules, measure, base="EASY", seed=1, resamples=resampling.DRAWS):
    """Figs. 5 and 6: a measure over all jobs, and its quotient to another policy's.

    Parameters
    ----------
    schedules : dict of str to dict of str to replication.schedule.schedule.Schedule
    measure : {"mbs", "mwbs"}
    base : str
        The policy whose value the quotients are taken to.
    seed : int
    resamples : int
        Moving blocks are drawn so often.

    Returns
    -------
    pandas.DataFrame
        trace, jobs (the group), policy, number, value, low, high, quotient, quotient_low, quotient_high: 95 %
        intervals from a moving-block bootstrap over jobs, paired for the quotient.
    """

    def groups(by_policy):
        yield "all", {p: np.ones(len(one.workload), bool) for p, one in by_policy.items()}

    return _compared(schedules, measure, groups, base, seed, resamples)


def blocked(
    schedules, measure, classes=CLASSES, same=False, base="EASY", seed=1, resamples=resampling.DRAWS
):
    """Figs. 2 and 3: the same of blocked jobs by size.

    Parameters
    ----------
    schedules, measure, base, seed, resamples
        As of `everyone`.
    classes : int
        Equal shares of the machine.
    same : bool
        Whether the jobs that `base` blocks are measured under all; by default each policy's own blocked jobs.
    """

    def groups(by_policy):
        hit = {p: audits.blocked(schedule) for p, schedule in by_policy.items()}
        sizes = size_class(by_policy[base].workload, classes)
        for k, jobs in enumerate(names(classes)):
            yield jobs, {p: hit[base if same else p] & (sizes == k) for p in by_policy}

    return _compared(schedules, measure, groups, base, seed, resamples)


def readings(schedules, measure, first=None):
    """The measure over all jobs under every reading: one row a policy and reading, one column a log.

    Parameters
    ----------
    schedules, measure
        As of `everyone`.
    first : int, optional
        How many jobs of each log were taken.
    """
    rows = []
    for log, by_policy in schedules.items():
        for policy, schedule in by_policy.items():
            for reading, one in [(runs.DEFAULT, schedule), *runs.otherwise(log, schedule, first)]:
                rows.append((policy, reading.name, log, counts.slowdowns(one)[measure][0]))
    table = pd.DataFrame(rows, columns=["policy", "reading", "log", "value"])
    table = table.set_index(["policy", "reading", "log"])["value"].unstack("log", sort=False)
    order = dict.fromkeys(p for by_policy in schedules.values() for p in by_policy)
    return pd.concat([table.loc[[policy]] for policy in order]).reset_index()


def bars(table, measure):
    """Bars with intervals, a panel a log; groups of jobs across, policies side by side.

    Parameters
    ----------
    table : pandas.DataFrame
        From `everyone` or `blocked`.
    measure : {"mbs", "mwbs"}

    Returns
    -------
    matplotlib.figure.Figure
    """
    logs, policies = list(dict.fromkeys(table["trace"])), list(dict.fromkeys(table["policy"]))
    figure, grid = plt.subplots(1, len(logs), figsize=style.size(1, len(logs)), squeeze=False)
    looks = style.bars(dict.fromkeys([*LOOKS, *policies]))
    several = table["jobs"].nunique() > 1
    across = "jobs" if several else "policy"
    how = {"x": across, "order": list(dict.fromkeys(table[across])), "hue_order": policies}
    for axes, log in zip(grid[0], logs, strict=True):
        part = table[table["trace"] == log]
        sns.barplot(part, y="value", hue="policy", errorbar=None, legend=False, ax=axes, **how)
        for policy, drawn in zip(policies, list(axes.containers), strict=True):
            own = part[(part["policy"] == policy) & part["value"].notna()]
            plt.setp(drawn, **looks[policy])
            axes.errorbar(
                [bar.get_x() + bar.get_width() / 2 for bar in drawn],
                own["value"],
                np.abs(own[["low", "high"]].to_numpy().T - own["value"].to_numpy()),
                fmt="none",
                ecolor="black",
                capsize=2,
                elinewidth=0.8,
            )
        axes.set(
            title=log,
            ylabel=NAMES[measure] if log == logs[0] else "",
            xlabel="size, share of the machine" if several else "",
        )
        axes.tick_params(axis="x", labelrotation=20 if several else 0)
        axes.grid(axis="x", visible=False)
    if several:
        handles = [drawn[0] for drawn in grid[0, 0].containers]
        figure.legend(handles, policies, loc="outside lower center", ncols=len(policies))
    return figure


def outcomes(table, policy="PV-EASY"):
    """Where a policy's value is below the base's by its interval, above it, and not to be told from it.

    Returns
    -------
    pandas.Series of str
        lower, higher or not to be told apart, of each row of the policy that has a value.
    """
    own = table[(table["policy"] == policy) & table["value"].notna()]
    said = np.select(
        [own["quotient_high"] < 1, own["quotient_low"] > 1], ["lower", "higher"], "unclear"
    )
    return own.assign(outcome=said).set_index(["jobs", "trace"])["outcome"]


def sentences(table):
    """How often PV-EASY's value is below EASY's, above it, and not to be told from it, by group of jobs."""
    lines, found = [], outcomes(table)
    for jobs, part in found.groupby("jobs", sort=False):
        words = [
            f"{said} on {', '.join(part[part == outcome].index.get_level_values('trace'))}"
            for outcome, said in (
                ("lower", "lower"),
                ("higher", "higher"),
                ("unclear", "not to be told apart"),
            )
            if (part == outcome).any()
        ]
        about = "All jobs" if jobs == "all" else f"Blocked jobs of size {jobs} of the machine"
        lines.append(f"- {about}: PV-EASY against EASY is {'; '.join(words)}.")
    return "\n".join(lines)
