"""Tables 1 to 6 and Figs. 2 to 6 under two simulators: textbook EASY, and the one reconstructed from the tables.

The reconstructed simulator holds a head's reservation until the head starts, does not use extra processors up, and
counts delays and violations as ``docs/decisions/pv_easy.md`` says. PV-EASY itself is the same in both. Nothing here
decides a verdict.
"""

from dataclasses import replace
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import replication as rp
from notebooks.pv_easy import counts, runs, slowdown, virtual
from replication.drawing import panels, style
from replication.simulator import audits
from replication.simulator.precompilation import warm
from replication.verdicts import published, variants

TEXTBOOK, RECONSTRUCTED = VARIANTS = variants.SIMULATORS
NEAR = 1.1  # in the figure
#: Errors of Fig. 4 and draws of each; the figure has 11 errors and ten draws.
ERRORS, DRAWS = (0, 5, 10, 20, 40, 100), 6
#: What each table counts, and the policies in it.
TABLES = {
    "table1": (counts.delays, ("EASY",)),
    "table2": (counts.violations, ("EASY-Last",)),
    "table4": (counts.kinds, ("EASY", "PV-EASY")),
    "table5": (counts.loads, ("PV-EASY",)),
    "table6": (counts.preemptions, ("PV-EASY",)),
}
#: Ways of counting the violations of Table 2, the default first, keywords of `counts.violations`; see the decisions.
VIOLATIONS = {
    "predictions, jobs started since the reservation": {},
    "predictions, all later jobs past their predictions": {"blame": "under-predicted"},
    "estimates, every late start": {"by": "estimates", "blame": "any-later"},
    "estimates, jobs started since the reservation": {"by": "estimates", "blame": "since-reserved"},
    "predictions, at the reservation": {"blame": "at-reservation"},
}
#: A column of `violations`: the reconstructed simulator, in which an expired prediction means an end now.
NOW = "reconstructed, expired predictions: now"
#: Columns of `numbers`.
NUMBERS = ["item", "trace", "policy", "jobs", "measure", "unit", "published", *VARIANTS]


def schedules(workloads, variant, names=tuple(runs.POLICIES)) -> dict[str, dict[str, rp.Schedule]]:
    """Return the validated schedules of a variant, ``schedules[log][policy]``."""
    known = runs.simulated_by(variant)
    return runs.schedules(workloads, {name: known[name] for name in names})


def tables(workloads) -> pd.DataFrame:
    """Return the numbers of `TABLES` under both variants with the published ones.

    Returns
    -------
    DataFrame
        item, trace, policy, measure, unit, published, and a column for each of `VARIANTS`.
    """
    warm()
    found = {variant: schedules(workloads, variant) for variant in VARIANTS}
    rows = []
    for item, (count, names) in TABLES.items():
        printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
        ways = {TEXTBOOK: {}, RECONSTRUCTED: runs.COUNTED.get(count.__name__, {})}
        for log, policy in product(workloads, names):
            ours = {one: count(found[one][log][policy], **way) for one, way in ways.items()}
            for measure, (_, unit) in ours[TEXTBOOK].items():
                values = [ours[variant][measure][0] for variant in VARIANTS]
                key = log, policy, measure
                rows.append((item, *key, unit, printed.get(key), *values))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *VARIANTS]
    return pd.DataFrame(rows, columns=columns)


def errors(workloads, errors, seeds, **how) -> pd.DataFrame:
    """Fig. 4 under both variants: a table of `virtual.results` with a column variant; PV-EASY is the same in both."""
    textbook = virtual.results(workloads, virtual.POLICIES, errors, seeds, **how)
    changed = runs.simulated_by(RECONSTRUCTED, virtual.POLICIES)
    own = {name: one for name, one in changed.items() if one != virtual.POLICIES[name]}
    same = textbook[~textbook["policy"].isin(own)]
    parts = {
        TEXTBOOK: textbook,
        RECONSTRUCTED: pd.concat([same, virtual.results(workloads, own, errors, seeds, **how)]),
    }
    tables = [part.assign(variant=variant) for variant, part in parts.items()]
    return pd.concat(tables, ignore_index=True)


def ahead(table) -> pd.DataFrame:
    """Return the cases of Fig. 4 (logs and measures) in which PV-EASY is below both versions of EASY, by error and variant."""
    rows = []
    for (variant, error), part in table.groupby(["variant", "error"], sort=False):
        by = part.pivot(index=["trace", "measure"], columns="policy", values="mean")
        below = by["PV-EASY"] < by.drop(columns="PV-EASY").min(axis=1)
        rows.append((error, variant, f"{below.sum()} of {len(below)}"))
    found = pd.DataFrame(rows, columns=["error", "variant", "ahead"])
    return found.pivot(index="error", columns="variant", values="ahead")[[*VARIANTS]].reset_index()


def other_logs(workloads, simulators=VARIANTS) -> pd.DataFrame:
    """Return slowdowns of the three policies on any logs, under some simulators, and PV-EASY's over the others'.

    Returns
    -------
    DataFrame
        variant, trace, measure, a column for each policy, over_easy, over_easy_last.
    """
    rows = []
    for variant in simulators:
        for log, by_policy in schedules(workloads, variant).items():
            found = {policy: counts.slowdowns(one) for policy, one in by_policy.items()}
            for measure in slowdown.NAMES:
                value = {policy: numbers[measure][0] for policy, numbers in found.items()}
                over = [value["PV-EASY"] / value[name] for name in ("EASY", "EASY-Last")]
                rows.append((variant, log, measure, *value.values(), *over))
    columns = ["variant", "trace", "measure", *runs.POLICIES, "over_easy", "over_easy_last"]
    return pd.DataFrame(rows, columns=columns)


def large_blocked(workloads) -> pd.DataFrame:
    """Return Figs. 2 and 3 under EASY and PV-EASY, for the jobs of `slowdown.blocked_in_third` above a quarter of the machine.

    Columns: variant, trace, policy, measure, value.
    """
    rows = []
    for variant in VARIANTS:
        for log, by_policy in schedules(workloads, variant, ("EASY", "PV-EASY")).items():
            easy = by_policy["EASY"]
            large = slowdown.blocked_in_third(easy) & (slowdown.size_class(easy.workload) > 0)
            for policy, measure in product(by_policy, slowdown.NAMES):
                total, weight = slowdown.sums(by_policy[policy], large, measure).sum(axis=0)
                value = total / weight if weight else np.nan
                rows.append((variant, log, policy, measure, value))
    return pd.DataFrame(rows, columns=["variant", "trace", "policy", "measure", "value"])


def numbers(workloads, everywhere, large) -> pd.DataFrame:
    """Return all numbers under both variants in one table.

    Parameters
    ----------
    workloads : dict of str to Workload
        The paper's logs.
    everywhere : DataFrame
        From `other_logs`, of the paper's logs and of others.
    large : DataFrame
        From `large_blocked`.

    Returns
    -------
    DataFrame
        Columns `NUMBERS`, and ``textbook`` and ``reconstructed``: by how much these differ from the published number, %.
    """
    figures = {"mbs": ("fig05", "fig02"), "mwbs": ("fig06", "fig03")}
    long = everywhere.melt(["variant", "trace", "measure"], list(runs.POLICIES), "policy")
    of_paper = long["trace"].isin(workloads)
    figure = long["measure"].map(lambda measure: figures[measure][0])
    long = long.assign(item=figure.where(of_paper, "other logs"), jobs="all")
    figure = large["measure"].map(lambda measure: figures[measure][1])
    large = large.assign(item=figure, jobs="blocked with perfect estimates, above 1/4")
    keys = ["item", "trace", "policy", "jobs", "measure"]
    both = pd.concat([large, long[long["variant"].isin(VARIANTS)]])
    both = both.set_index([*keys, "variant"])["value"].unstack("variant").reset_index()
    both = both.sort_values(["item", "trace", "policy", "measure"])
    first = tables(workloads).assign(jobs="all")
    table = pd.concat([first, both.assign(unit="1", published=np.nan)], ignore_index=True)[NUMBERS]
    for column, variant in zip(("textbook", "reconstructed"), VARIANTS, strict=True):
        table[column] = 100 * (table[variant] / table["published"] - 1)
    return table.rename_axis(columns=None)


def conclusions(everywhere, large, logs) -> pd.DataFrame:
    """Return the number of cases (logs and measures) that agree with the paper's conclusions, under each simulator.

    Parameters
    ----------
    everywhere, large : DataFrame
        From `other_logs` of all `runs.SIMULATORS`, and from `large_blocked`.
    logs : collection of str
        The paper's.

    Returns
    -------
    DataFrame
        conclusion, and a column for each simulator with ``held of cases``; empty where it was not computed.
    """
    rows = {}
    for variant, part in everywhere.groupby("variant", sort=False):
        own = part[part["trace"].isin(logs)]
        blue = own[own["trace"] == "SDSC-BLUE"]
        rest = own[own["trace"] != "SDSC-BLUE"]
        wide = large[large["variant"] == variant].pivot(
            index=["trace", "measure"], columns="policy", values="value"
        )
        cases = {
            "PV-EASY below EASY on SDSC-BLUE": blue["over_easy"] < 1,
            "PV-EASY at most 10 % above EASY elsewhere": rest["over_easy"] <= 1.1,
            "PV-EASY below EASY-Last": own["over_easy_last"] < 1,
            "EASY below EASY-Last": own["EASY"] < own["EASY-Last"],
            "large blocked jobs: PV-EASY below EASY": wide["PV-EASY"] < wide["EASY"]
            if len(wide)
            else [],
            "all logs: PV-EASY below EASY": part["over_easy"] < 1,
            "all logs: PV-EASY below EASY-Last": part["over_easy_last"] < 1,
        }
        rows[variant] = {
            name: f"{sum(held)} of {len(held)}" if len(held) else "" for name, held in cases.items()
        }
    return pd.DataFrame(rows).rename_axis("conclusion").reset_index()


def violations(workloads) -> pd.DataFrame:
    """Return the violations of Table 2 by several ways of counting, jobs.

    Returns
    -------
    DataFrame
        trace; counting; published; a column for each of `runs.SIMULATORS`, and `NOW`.
    """
    printed = {row.key: row.value for row in published.rows(runs.PAPER, "table2")}
    names, rows = ("EASY-Last",), []
    found = [schedules(workloads, variant, names) for variant in runs.SIMULATORS]
    now = replace(runs.simulated_by(RECONSTRUCTED)["EASY-Last"], correction="now")
    found.append(runs.schedules(workloads, {"EASY-Last": now}))
    for log, (words, how) in product(workloads, VIOLATIONS.items()):
        late = [counts.violations(by_log[log]["EASY-Last"], **how)["violated"] for by_log in found]
        theirs = printed.get((log, "EASY-Last", "violated"))
        rows.append((log, words, theirs, *(number for number, _ in late)))
    return pd.DataFrame(rows, columns=["trace", "counting", "published", *runs.SIMULATORS, NOW])


def corrections(workloads) -> pd.DataFrame:
    """Return the backfills and the postponed heads of EASY-Last, if an expired prediction becomes the request or now.

    Returns
    -------
    DataFrame
        trace; correction; backfilled (share of all jobs, %); on_extra (those of all jobs that took extra processors of
        a head expected at that very instant, %); postponed (times for each blocked job); by_passing (share of these
        that would not have been without the jobs that passed the head, %).
    """
    rows = []
    for log, jobs in workloads.items():
        for correction in ("request", "now"):
            one = rp.simulate(jobs, rp.EASY(predictor=rp.Last(), correction=correction)).validate()
            moved, passing = audits.postponements(one)
            times, passed = moved[:, 1].sum(), moved[:, 2].sum()
            blocked = max(audits.blocked(one).sum(), 1)
            shares = 100 * one.backfilled.mean(), 100 * (passing == 3).mean(), times / blocked
            rows.append((log, correction, *shares, 100 * passed / max(times, 1)))
    columns = ["trace", "correction", "backfilled", "on_extra", "postponed", "by_passing"]
    return pd.DataFrame(rows, columns=columns)


def dots(table) -> Figure:
    """Draw our numbers of `numbers` over the published ones on a logarithmic axis: a row for each number, the farthest first.

    Numbers that differ by at most `NEAR` on every log under both variants have no row; a sentence counts them.
    """
    table = table[table["published"].notna()].drop_duplicates(["trace", "policy", "measure"])
    ratios = table[[*VARIANTS]].div(table["published"], axis=0).astype(float)
    table = table.assign(far=np.log(ratios.where(ratios > 0)).abs().max(axis=1))
    far = table.groupby(["policy", "measure"], sort=False)["far"].max()
    names = list(far[far > np.log(NEAR)].sort_values(ascending=False, kind="stable").index)
    marks = dict(zip(dict.fromkeys(table["trace"]), "os^DvX" * 2, strict=False))
    looks = style.series(VARIANTS, marker=False)
    figure, axes = plt.subplots(figsize=(8.4, 0.34 * len(names) + 1.7))
    besides = np.linspace(-0.18, 0.18, len(looks))
    for (name, look), beside in zip(looks.items(), besides, strict=True):
        for row, ratio in zip(table.to_dict("records"), ratios[name], strict=True):
            if (key := (row["policy"], row["measure"])) in names:
                ink = {"color": look["color"], "linestyle": "", "alpha": 0.85}
                axes.plot(ratio, names.index(key) + beside, marks[row["trace"]], **ink)
        axes.plot([], [], "s", color=look["color"], label=name, linestyle="", markersize=7)
    for log, mark in marks.items():
        hollow = {"color": "grey", "markerfacecolor": "none", "linestyle": ""}
        axes.plot([], [], mark, label=log, **hollow)
    axes.set_yticks(
        range(len(names)), [f"{policy}: {runs.WORDS[measure]}" for policy, measure in names]
    )
    axes.set(xscale="log", ylim=(len(names) - 0.4, -0.6))
    axes.axvline(1, color="black", lw=0.8)
    rest = f"{len(far) - len(names)} other numbers are within {100 * (NEAR - 1):.0f} % on every log"
    axes.set_xlabel(f"ours over the published number ({rest})")
    panels.log_ticks(axes.xaxis)
    panels.below_all(figure, axes)
    return figure
