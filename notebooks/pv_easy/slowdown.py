"""Figs. 2, 3, 5 and 6: slowdowns of blocked jobs by size, and of all jobs.

Schedules are given by log and policy: ``schedules[log][policy]``.
"""

from fractions import Fraction
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib.figure import Figure

import replication as rp
from notebooks import audits, panels, placebo
from notebooks.pv_easy import counts, tables
from replication.drawing import style
from replication.simulator.schedules import intervals, measures

CLASSES = 4  # Quarters of the machine.
NAMES = {"mbs": "mean bounded slowdown", "mwbs": "mean weighted bounded slowdown"}
SHORT = {"mbs": "MBS", "mwbs": "MWBS"}
#: Of an axis beyond the outermost values, see `panels.limits`.
ROOM = 10
COLUMNS = ["trace", "jobs", "policy", "number", "value", "low", "high"]
COLUMNS += ["quotient", "quotient_low", "quotient_high"]


def sums(schedule, mask, measure) -> np.ndarray:
    """Return weighted slowdowns and weights of the masked jobs, float64[n, 2]; the measure is their
    quotient.
    """
    w = schedule.workload
    weight = (w.processors if measure == "mwbs" else np.ones(len(w))) * mask
    return np.column_stack(
        [measures.pv_bounded_slowdown(schedule.wait, w.run_time) * weight, weight]
    )


def size_class(workload, classes=CLASSES) -> np.ndarray:
    """Return the size class of each job, int[n]: 0 up to the first of equal shares of the machine,
    and so on.
    """
    return (classes * workload.processors - 1) // workload.machine


def names(classes=CLASSES) -> list[str]:
    """Return the size classes in words, the smallest jobs first."""
    shares = [str(Fraction(k, classes)) for k in range(1, classes)]
    between = [f"{low} to {high}" for low, high in pairwise(shares)]
    return [f"up to {shares[0]}", *between, f"above {shares[-1]}"] if shares else ["all"]


def _comparison(schedules, measure, groups, base):
    """Return a measure of groups of jobs: ``groups(log, its schedules)`` yields names and masks by
    policy.
    """
    rows = []
    for log, by_policy in schedules.items():
        for jobs, masks in groups(log, by_policy):
            columns = [sums(schedule, masks[p], measure) for p, schedule in by_policy.items()]
            workload = by_policy[base].workload
            totals = intervals.sums_without(np.hstack(columns), workload.submit)
            means = {p: intervals.ratio(totals, 2 * k, 2 * k + 1) for k, p in enumerate(by_policy)}
            for policy, mean in means.items():
                both = [
                    intervals.interval(weekly, log=True) for weekly in (mean, mean / means[base])
                ]
                rows.append((log, jobs, policy, int(masks[policy].sum()), *both[0], *both[1]))
    return pd.DataFrame(rows, columns=COLUMNS)


def everyone(schedules, measure, base="EASY") -> pd.DataFrame:
    """Return a measure (mbs or mwbs) of all jobs, as in Figs. 5 and 6, and its quotient to the
    measure under the base policy: `COLUMNS`.

    The 95 % intervals are over the weeks of the log, paired for the quotient.
    """

    def groups(log, by_policy):
        yield "all", {p: np.ones(len(schedule.workload), bool) for p, schedule in by_policy.items()}

    return _comparison(schedules, measure, groups, base)


def blocked(schedules, measure, classes=CLASSES, same=None, base="EASY") -> pd.DataFrame:
    """Return a measure of blocked jobs by size, as in Figs. 2 and 3: `COLUMNS`, as from `everyone`.

    Classes are equal shares of the machine. The jobs are those that each policy blocks, or the
    `same` for all: by log the `selection` of the base. A column ``placebo`` follows then: the
    quotient of the base with shifted submissions.
    """

    def groups(log, by_policy):
        hit = {
            p: same[log][0] if same else audits.blocked(schedule)
            for p, schedule in by_policy.items()
        }
        sizes = size_class(by_policy[base].workload, classes)
        for k, jobs in enumerate(names(classes)):
            yield jobs, {p: hit[p] & (sizes == k) for p in by_policy}

    table = _comparison(schedules, measure, groups, base)
    if same:
        pairs = {
            log: _placebos(by_policy[base], *same[log], measure, classes)
            for log, by_policy in schedules.items()
        }
        table["placebo"] = [pairs[log][jobs] for log, jobs in zip(table["trace"], table["jobs"])]
    return table


def selection(schedule) -> tuple[np.ndarray, list[rp.Schedule]]:
    """Return the jobs that a third schedule blocks, and placebos of a schedule."""
    return blocked_in_third(schedule), placebo.again(schedule)


def blocked_in_third(schedule) -> np.ndarray:
    """Return the jobs that a third schedule blocks, bool[n]: that of the same scheduler with
    perfect estimates.

    The jobs that a policy blocks do better under nearly every other one, so no compared policy may
    select them.
    """
    return audits.blocked(rp.simulate(schedule.workload, schedule.scheduler, rp.Perfect()))


def _placebos(base, jobs_of_third, again, measure, classes):
    """Return the mean quotient of a measure with shifted submissions over that without, by size
    class, of some jobs.
    """
    sizes = size_class(base.workload, classes)
    quotients = {}
    for k, jobs in enumerate(names(classes)):
        chosen = jobs_of_third & (sizes == k)
        before, *after = (sums(run, chosen, measure)[:, 0].sum() for run in (base, *again))
        quotients[jobs] = float(np.mean(after)) / before if before else np.nan
    return quotients


def under_variants(schedules, measure, first=None) -> pd.DataFrame:
    """Return the measure of all jobs under every variant: a row for each policy and variant, a
    column for each log.
    """
    table = tables.under_variants(schedules, counts.slowdowns, first)
    table = table[table["measure"] == measure].rename(columns={"trace": "log"})
    table = table.set_index(["policy", "variant", "log"])["value"].unstack("log", sort=False)
    order = dict.fromkeys(p for by_policy in schedules.values() for p in by_policy)
    return pd.concat([table.loc[[policy]] for policy in order]).reset_index()


def bars(table, measure) -> Figure:
    """Draw a table of `everyone` as bars with intervals: a panel for each log."""
    looks = style.bars(dict.fromkeys(table["policy"]))
    # It keeps intervals visible on dark bars.
    outline = [patheffects.withStroke(linewidth=2.4, foreground="white")]

    def draw_panel(axes, log, _):
        for policy, look in looks.items():
            part = table[(table["trace"] == log) & (table["policy"] == policy)]
            ends = panels.bars(part, "value")
            ink = {"capsize": 2, "error_kw": {"elinewidth": 0.8}}
            drawn = axes.bar(part["policy"], part["value"], yerr=ends, **ink, **look)
            _, caps, lines = drawn.errorbar.lines
            plt.setp([*caps, *lines], path_effects=outline)
        axes.grid(axis="x", visible=False)

    return panels.draw(table["trace"], {"": NAMES[measure]}, draw_panel, legend=False)


def points(table, measure) -> Figure:
    """Draw a table of `blocked`: a panel for each log, sizes across.

    Above are the values of both policies, below the quotients of PV-EASY to EASY, with intervals; a
    triangle marks one that goes on beyond the panel.
    """
    jobs = list(dict.fromkeys(table["jobs"]))
    policies = style.series(dict.fromkeys(table["policy"]))

    def draw_panel(axes, log, row):
        axes.set_yscale("log")
        ends, shown = ["low", "high"], policies
        if row == "quotient":
            ends, shown = [f"{row}_{end}" for end in ends], {"PV-EASY": policies["PV-EASY"]}
            axes.axhline(1, color="black", lw=0.8)
        axes.set_ylim(panels.limits(table[row], *(table[end] for end in ends), ROOM))
        for k, (policy, look) in enumerate(shown.items()):
            part = table[(table["trace"] == log) & (table["policy"] == policy)]
            bars = [(part[row] - part[end]).abs() for end in ends]
            x = np.arange(len(jobs)) + 0.2 * (k - (len(shown) - 1) / 2)
            axes.errorbar(x, part[row], bars, capsize=2, **look | {"linestyle": ""})
            panels.mark_cuts(axes, x, *(part[end] for end in ends), look["color"])
        axes.plot([], [], **panels.CUT)
        panels.log_ticks(axes.yaxis)
        axes.set_xticks(range(len(jobs)), jobs, rotation=20 if len(jobs) > 4 else 0)
        axes.set_xlim(-0.5, len(jobs) - 0.5)
        axes.grid(axis="x", visible=False)

    rows = {"value": NAMES[measure], "quotient": "PV-EASY over EASY"}
    how = {"sharex": True, "sharey": "row"}
    return panels.draw(table["trace"], rows, draw_panel, "size, share of the machine", **how)


def outcomes(table, policy="PV-EASY") -> pd.Series:
    """Return ``lower`` or ``higher`` for each group of jobs and log where the interval excludes 1,
    else ``unclear``.
    """
    rows = table[(table["policy"] == policy) & table["value"].notna()]
    low, high = rows["quotient_low"], rows["quotient_high"]
    said = np.select([high < 1, low > 1], ["lower", "higher"], "unclear")
    return rows.assign(outcome=said).set_index(["jobs", "trace"])["outcome"]
