"""Figs. 2, 3, 5 and 6: slowdowns of blocked jobs by size, and of all jobs."""

import numpy as np
import pandas as pd

from replication.basics import style
from replication.evidence import resampling
from replication.papers.pv_easy import runs
from replication.schedule import audits, measures

QUARTERS = ("up to 1/4", "1/4 to 1/2", "1/2 to 3/4", "above 3/4")
LOOKS = ("EASY", "PV-EASY", "EASY-Last")  # each looks the same in every figure
NAMES = {"mbs": "mean bounded slowdown", "mwbs": "mean weighted bounded slowdown"}


def sums(schedule, mask, measure):
    """Weighted slowdowns and weights of the masked jobs, float64[n, 2]; the measure is their quotient."""
    w = schedule.workload
    weight = (w.processors if measure == "mwbs" else np.ones(len(w))) * mask
    return np.column_stack(
        [measures.pv_bounded_slowdown(schedule.wait, w.run_time) * weight, weight]
    )


def quarter(workload):
    """Size class of each job, int[n]: 0 for up to a quarter of the machine, to 3."""
    return (4 * workload.processors - 1) // workload.machine


def compared(page, measure, policies, groups, base="EASY", reading=runs.DEFAULT):
    """A measure for each log, group of jobs and policy, with intervals, and its quotient to another policy's.

    Parameters
    ----------
    page : replication.pages.page.Page
    measure : {"mbs", "mwbs"}
    policies : sequence of str
    groups : Callable
        ``groups(schedules)`` yields (name, masks by policy).
    base : str
        The policy whose value the quotients are taken to.
    reading : replication.evidence.variants.Variant

    Returns
    -------
    pandas.DataFrame
        trace, jobs (the group), policy, number, value, low, high, quotient, quotient_low, quotient_high: 95 %
        intervals from a moving-block bootstrap over jobs, paired for the quotient.
    """
    rows = []
    for log in page.logs:
        schedules = {policy: runs.schedule(page, log, policy, reading) for policy in policies}
        for name, masks in groups(schedules):
            columns = [sums(schedules[policy], masks[policy], measure) for policy in policies]
            drawn = resampling.blocks(np.hstack(columns), page.workloads[log], page.seed)
            means = {p: resampling.ratio(drawn, 2 * k, 2 * k + 1) for k, p in enumerate(policies)}
            for policy, mean in means.items():
                rows.append(
                    {"trace": log, "jobs": name, "policy": policy}
                    | {"number": int(masks[policy].sum())}
                    | _with_interval("", mean)
                    | _with_interval("quotient", mean / means[base])
                )
    return pd.DataFrame(rows)


def _with_interval(name, values):
    columns = [f"{name}_low", f"{name}_high"] if name else ["low", "high"]
    return dict(zip([name or "value", *columns], resampling.interval(values), strict=True))


def blocked(page, measure, same=False, reading=runs.DEFAULT):
    """Figs. 2 and 3: blocked jobs by size, under EASY and PV-EASY.

    Parameters
    ----------
    page : replication.pages.page.Page
    measure : {"mbs", "mwbs"}
    same : bool
        Whether the jobs that EASY blocks are measured under both; by default each policy's own blocked jobs.
    reading : replication.evidence.variants.Variant
    """

    def groups(schedules):
        hit = {policy: audits.blocked(schedule) for policy, schedule in schedules.items()}
        for k, name in enumerate(QUARTERS):
            yield (
                name,
                {
                    policy: hit["EASY" if same else policy] & (quarter(schedule.workload) == k)
                    for policy, schedule in schedules.items()
                },
            )

    return compared(page, measure, ("EASY", "PV-EASY"), groups, reading=reading)


def everyone(page, measure, base="EASY", reading=runs.DEFAULT):
    """Figs. 5 and 6: all jobs under PV-EASY, EASY and EASY-Last; see `compared`."""

    def groups(schedules):
        yield (
            "all",
            {
                policy: np.ones(len(schedule.workload), bool)
                for policy, schedule in schedules.items()
            },
        )

    return compared(page, measure, ("PV-EASY", "EASY", "EASY-Last"), groups, base, reading)


def readings(page, measure):
    """The measure over all jobs under every reading: one row a reading and policy, one column a log."""
    from replication.papers.pv_easy import counts

    rows = {}
    for policy in ("PV-EASY", "EASY", "EASY-Last"):
        for reading in runs.READINGS:
            if runs.concerns(policy, reading):
                found = {log: runs.schedule(page, log, policy, reading) for log in page.logs}
                rows[policy, reading.name] = {
                    log: np.nan if s is None else counts.slowdowns(s)[measure][0]
                    for log, s in found.items()
                }
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.rename_axis(["policy", "reading"]).reset_index()


def bars(table, measure):
    """Grouped bars with intervals, a panel a log; groups of jobs across, policies side by side."""
    import matplotlib.pyplot as plt

    logs, policies = list(dict.fromkeys(table["trace"])), list(dict.fromkeys(table["policy"]))
    figure, grid = plt.subplots(1, len(logs), figsize=style.size(1, len(logs)), squeeze=False)
    looks, width = style.bars(LOOKS), 0.8 / len(policies)
    for axes, log in zip(grid[0], logs, strict=True):
        part = table[table["trace"] == log]
        groups = list(dict.fromkeys(part["jobs"]))
        for k, policy in enumerate(policies):
            one = part[part["policy"] == policy]
            place = np.arange(len(groups)) + (k - (len(policies) - 1) / 2) * width
            spread = np.abs(one[["low", "high"]].to_numpy().T - one["value"].to_numpy())
            axes.bar(
                place,
                one["value"],
                width * 0.94,
                yerr=spread,
                capsize=2,
                error_kw={"elinewidth": 0.8},
                **looks[policy],
            )
        several = len(groups) > 1
        axes.set_xticks(
            np.arange(len(groups)) if several else [], groups if several else [], rotation=20
        )
        axes.set(
            title=log,
            ylabel=NAMES[measure] if axes is grid[0, 0] else "",
            xlabel="size, share of the machine" if several else "",
        )
        axes.grid(axis="x", visible=False)
    figure.legend(
        *grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(policies)
    )
    return figure


def sentences(table):
    """How often PV-EASY's value is below EASY's, above it, and not to be told from it, by group of jobs."""
    ours = table[(table["policy"] == "PV-EASY") & table["value"].notna()]
    lines = []
    for name in dict.fromkeys(ours["jobs"]):
        part = ours[ours["jobs"] == name]
        below = part[part["quotient_high"] < 1]["trace"].tolist()
        above = part[part["quotient_low"] > 1]["trace"].tolist()
        unclear = [log for log in part["trace"] if log not in below + above]
        words = [
            f"{what} on {', '.join(logs)}"
            for what, logs in (
                ("lower", below),
                ("higher", above),
                ("not to be told apart", unclear),
            )
            if logs
        ]
        about = "All jobs" if name == "all" else f"Blocked jobs of size {name} of the machine"
        lines.append(f"- {about}: PV-EASY against EASY is {'; '.join(words)}.")
    return "\n".join(lines)
