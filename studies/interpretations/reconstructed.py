"""Tables 1, 2, 4, 5 and 6 and Figs. 4 to 6 under the variants of EASY and EASY-Last: the textbook,
and the nearest pair of each lifetime of a reservation.

The variants are in ``data/published/pv_easy/variants.toml``, each lifetime with two corrections of
an expired prediction: the estimate, and now. For all of them delays and violations are counted
alike. docs/decisions/pv_easy.md has the argument.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import replication as rp
import search_pv_easy as search
from notebooks import audits, panels
from notebooks.pv_easy import counts, runs, slowdown, virtual
from replication.drawing import style
from replication.simulator.precompilation import warm
from replication.verdicts import published
from replication.verdicts.rules import level

NEAR = 1.1  # in the figure
#: The textbook's numbers by the default counts, which decide the verdicts on numbers; the other
#: columns are counted as `notebooks.pv_easy.runs.ALIKE` says.
DEFAULT = "textbook EASY, default counts"
#: Errors of Fig. 4 and draws of each; the figure has 11 errors and ten draws.
ERRORS, DRAWS = (0, 10, 40, 100), 4
#: What each table counts, and the policies in it.
TABLES = {
    "table1": (counts.delays, ("EASY",)),
    "table2": (counts.violations, ("EASY-Last",)),
    "table4": (counts.kinds, ("EASY", "PV-EASY")),
    "table5": (counts.loads, ("PV-EASY",)),
    "table6": (counts.preemptions, ("PV-EASY",)),
}
#: Ways of counting the violations of Table 2, the default first, keywords of `counts.violations`;
#: see the decisions.
VIOLATIONS = {
    "predictions, jobs started since the reservation": {},
    "predictions, all later jobs past their predictions": {"blame": "under-predicted"},
    "estimates, every late start": {"by": "estimates", "blame": "any-later"},
    "estimates, jobs started since the reservation": {"by": "estimates", "blame": "since-reserved"},
    "predictions, at the reservation": {"blame": "at-reservation"},
}
#: Columns of `numbers`, and those of them with values of ours.
OURS = [DEFAULT, *runs.VARIANTS]
#: The conclusion of the rows of `conclusions` that have a variant's distance, by group of numbers.
DISTANCES = {group: f"distance from the numbers of {group}, %" for group in search.GROUPS}
NUMBERS = ["item", "trace", "policy", "jobs", "measure", "unit", "published", *OURS]


def tables(workloads) -> pd.DataFrame:
    """Return the numbers of `TABLES` under all variants with the published ones.

    Returns
    -------
    DataFrame
        item, trace, policy, measure, unit, published, and a column for each of `OURS`.
    """
    warm()
    found = {
        name: runs.schedules(workloads, runs.POLICIES, variant)
        for name, variant in runs.VARIANTS.items()
    }
    rows = []
    for item, (count, names) in TABLES.items():
        printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
        alike = runs.ALIKE.get(count.__name__, {})
        for log, policy in product(workloads, names):
            ours = {DEFAULT: count(found[runs.TEXTBOOK][log][policy])}
            ours |= {name: count(found[name][log][policy], **alike) for name in runs.VARIANTS}
            for measure, (_, unit) in ours[DEFAULT].items():
                values = [ours[name][measure][0] for name in OURS]
                key = log, policy, measure
                rows.append((item, *key, unit, printed.get(key), *values))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *OURS]
    return pd.DataFrame(rows, columns=columns)


def errors(workloads, errors, seeds, **how) -> pd.DataFrame:
    """Fig. 4 under the variants with the estimate as correction: a table of `virtual.results` with
    a column variant; PV-EASY is the same in all.
    """
    easys = {
        (variant, name): runs.VARIANTS[variant].of(own)
        for variant in runs.LIFETIMES
        for name, own in virtual.POLICIES.items()
        if name != virtual.BASE
    }
    pv_easy = {virtual.BASE: virtual.POLICIES[virtual.BASE]}
    table = virtual.results(workloads, pv_easy | easys, errors, seeds, **how)
    is_base = table["policy"] == virtual.BASE
    parts = []
    for variant in runs.LIFETIMES:
        own = table[table["policy"].map(lambda key: key[0] == variant)]  # noqa: B023
        own = own.assign(policy=own["policy"].str[1])
        parts.append(pd.concat([table[is_base], own]).assign(variant=variant))
    return pd.concat(parts, ignore_index=True)


def ahead(table) -> pd.DataFrame:
    """Return the cases of Fig. 4 (logs and measures) in which PV-EASY is below both versions of
    EASY, by error and variant.
    """
    rows = []
    for (variant, error), part in table.groupby(["variant", "error"], sort=False):
        over = part[part["policy"] != virtual.BASE].groupby(["trace", "measure"])["over"].min()
        rows.append((error, variant, f"{(over > 1).sum()} of {len(over)}"))
    found = pd.DataFrame(rows, columns=["error", "variant", "ahead"])
    found = found.pivot(index="error", columns="variant", values="ahead")
    return found[runs.LIFETIMES].reset_index()


def other_logs(workloads) -> pd.DataFrame:
    """Return slowdowns of the three policies on any logs, under all variants, and PV-EASY's over
    the others'.

    Returns
    -------
    DataFrame
        variant, trace, measure, a column for each policy, over_easy, over_easy_last.
    """
    rows = []
    for name, variant in runs.VARIANTS.items():
        for log, by_policy in runs.schedules(workloads, runs.POLICIES, variant).items():
            found = {policy: counts.slowdowns(one) for policy, one in by_policy.items()}
            for measure in slowdown.NAMES:
                value = {policy: numbers[measure][0] for policy, numbers in found.items()}
                over = [value["PV-EASY"] / value[one] for one in ("EASY", "EASY-Last")]
                rows.append((name, log, measure, *value.values(), *over))
    columns = ["variant", "trace", "measure", *runs.POLICIES, "over_easy", "over_easy_last"]
    return pd.DataFrame(rows, columns=columns)


def numbers(workloads, everywhere) -> pd.DataFrame:
    """Return all numbers under all variants in one table.

    Parameters
    ----------
    workloads : dict of str to Workload
        The paper's logs.
    everywhere : DataFrame
        From `other_logs`, of the paper's logs and of others.

    Returns
    -------
    DataFrame
        Columns `NUMBERS`, and ``difference``: by how much the textbook differs from the published
        number, %.
    """
    figures = {"mbs": "fig05", "mwbs": "fig06"}
    long = everywhere.melt(["variant", "trace", "measure"], list(runs.POLICIES), "policy")
    of_paper = long["trace"].isin(workloads)
    long = long.assign(item=long["measure"].map(figures).where(of_paper, "other logs"))
    keys = ["item", "trace", "policy", "measure"]
    both = long.set_index([*keys, "variant"])["value"].unstack("variant").reset_index()
    both = both.sort_values(keys).assign(unit="1", published=np.nan)
    both[DEFAULT] = both[runs.TEXTBOOK]
    table = pd.concat([tables(workloads), both], ignore_index=True).assign(jobs="all")[NUMBERS]
    table["difference"] = 100 * (table[DEFAULT] / table["published"] - 1)
    return table.rename_axis(columns=None)


def distances(table) -> dict[str, dict[str, float]]:
    """Return the distance of each variant, as it is counted here, from the published numbers of
    each group of `DISTANCES`, %, maxima left out: ``distances(...)[variant][group]``. A group
    without published numbers is left out.

    Parameters
    ----------
    table : DataFrame
        From `numbers`.
    """
    some = table[table["item"].isin(search.ITEMS) & ~table["measure"].str.startswith("max_")]
    some = some.dropna(subset="published").drop_duplicates(["trace", "policy", "measure"])
    of = {group: some[some["policy"].isin(names)] for group, names in search.GROUPS.items()}
    return {
        name: {
            group: search.percent(search.logarithmic_distance(own[name], own["published"]).mean())
            for group, own in of.items()
            if len(own)
        }
        for name in runs.VARIANTS
    }


def conclusions(everywhere, table, logs) -> pd.DataFrame:
    """Return the number of cases (logs and measures) that agree with the paper's conclusions under
    each variant, by the thresholds of the claims: faster is faster by more than 1 %.

    Parameters
    ----------
    everywhere : DataFrame
        From `other_logs`.
    table : DataFrame
        From `numbers`.
    logs : collection of str
        The paper's.

    Returns
    -------
    DataFrame
        conclusion, and a column for each of `notebooks.pv_easy.runs.VARIANTS`, such as
        ``"4 of 6"``. The first rows have the variant's `distances`, then whether the tables allow
        it.
    """
    away = distances(table)
    below, similar = 1 - level("none") / 100, 1 + level("similar") / 100
    rows = {}
    for variant, part in everywhere.groupby("variant", sort=False):
        own = part[part["trace"].isin(logs)]
        blue, rest = own["trace"] == "SDSC-BLUE", own["trace"] != "SDSC-BLUE"
        weighted = own[own["measure"] == "mwbs"]
        worst = weighted[["EASY", "PV-EASY"]].max(axis=1) < below * weighted["EASY-Last"]
        cases = {
            "PV-EASY below EASY on SDSC-BLUE": own.loc[blue, "over_easy"] < below,
            "PV-EASY at most 10 % above EASY elsewhere": own.loc[rest, "over_easy"] <= similar,
            "PV-EASY below EASY-Last": own["over_easy_last"] < below,
            "EASY below EASY-Last": own["EASY"] < below * own["EASY-Last"],
            "EASY-Last worst of three, weighted": worst,
            "all logs: PV-EASY below EASY": part["over_easy"] < below,
            "all logs: PV-EASY below EASY-Last": part["over_easy_last"] < below,
        }
        rows[variant] = {
            words: str(away[variant].get(group, "")) for group, words in DISTANCES.items()
        }
        rows[variant]["allowed by the tables"] = "yes" if variant in runs.ALLOWED else "no"
        rows[variant] |= {
            name: f"{sum(held)} of {len(held)}" if len(held) else "" for name, held in cases.items()
        }
    return pd.DataFrame(rows).rename_axis("conclusion").reset_index()


def violations(workloads) -> pd.DataFrame:
    """Return the violations of Table 2 by several ways of counting: the jobs, and by the last way
    their sizes and delays.

    Returns
    -------
    DataFrame
        trace; counting; measure; published; a column for each variant.
    """
    printed = {row.key: row.value for row in published.rows(runs.PAPER, "table2")}
    policy = {"EASY-Last": runs.POLICIES["EASY-Last"]}
    found = [runs.schedules(workloads, policy, variant) for variant in runs.VARIANTS.values()]
    rows = []
    for log, (words, how) in product(workloads, VIOLATIONS.items()):
        late = [counts.violations(by_log[log]["EASY-Last"], **how) for by_log in found]
        for measure in late[0] if how == runs.ALIKE["violations"] else ("violated",):
            theirs = printed.get((log, "EASY-Last", measure))
            rows.append((log, words, measure, theirs, *(one[measure][0] for one in late)))
    return pd.DataFrame(rows, columns=["trace", "counting", "measure", "published", *runs.VARIANTS])


def corrections(workloads) -> pd.DataFrame:
    """Return the backfills and the postponed heads of EASY-Last, if an expired prediction becomes
    the estimate or now.

    Returns
    -------
    DataFrame
        trace; correction; backfilled (share of all jobs, %); on_extra (those of all jobs that took
        extra processors of a head expected at that very instant, %); postponed (times for each
        blocked job); by_passing (share of these that would not have been without the jobs that
        passed the head, %).
    """
    rows = []
    for log, jobs in workloads.items():
        for correction in ("estimate", "now"):
            one = rp.simulate(jobs, rp.EASY(predictor=rp.Last(), correction=correction)).validate()
            moved, passing = audits.postponements(one)
            times, passed = moved[:, 1].sum(), moved[:, 2].sum()
            blocked = max(audits.blocked(one).sum(), 1)
            shares = 100 * one.backfilled.mean(), 100 * (passing == 3).mean(), times / blocked
            rows.append((log, correction, *shares, 100 * passed / max(times, 1)))
    columns = ["trace", "correction", "backfilled", "on_extra", "postponed", "by_passing"]
    return pd.DataFrame(rows, columns=columns)


def dots(table) -> Figure:
    """Draw our numbers of `numbers` over the published ones on a logarithmic axis: a row for each
    number, the farthest first.

    A marker is the mean over the logs, in logarithms, and a line goes from the least to the
    largest. The variants are the textbook and those that the tables allow. Numbers that differ by
    at most `NEAR` on every log under these have no row; a sentence counts them.
    """
    table = table[table["published"].notna()].drop_duplicates(["trace", "policy", "measure"])
    shown = [runs.TEXTBOOK, *runs.ALLOWED]
    ratios = np.log(table[shown].div(table["published"], axis=0).astype(float))
    ratios = ratios.replace(-np.inf, np.nan).set_index([table["policy"], table["measure"]])
    far = ratios.abs().max(axis=1).groupby(level=[0, 1], sort=False).max()
    names = list(far[far > np.log(NEAR)].sort_values(ascending=False, kind="stable").index)
    looks = style.series(shown)
    figure, axes = plt.subplots(figsize=(8.4, 0.34 * len(names) + 1.7))
    for (variant, look), beside in zip(
        looks.items(), np.linspace(-0.24, 0.24, len(looks)), strict=True
    ):
        for y, name in enumerate(names):
            own = np.exp(ratios.loc[[name], variant].to_numpy())
            axes.plot([own.min(), own.max()], [y + beside] * 2, "-", color=look["color"], lw=1.2)
            middle = np.exp(np.log(own).mean())
            axes.plot(middle, y + beside, **look | {"linestyle": "", "label": None})
        axes.plot([], [], **look | {"linestyle": "", "label": variant})
    axes.set_yticks(
        range(len(names)), [f"{policy}: {runs.WORDS[measure]}" for policy, measure in names]
    )
    axes.set(xscale="log", ylim=(len(names) - 0.4, -0.6))
    axes.axvline(1, color="black", lw=0.8)
    rest = f"{len(far) - len(names)} other numbers are within {100 * (NEAR - 1):.0f} % on every log"
    axes.set_xlabel(f"ours over the published number: mean and range over the logs\n({rest})")
    panels.log_ticks(axes.xaxis)
    panels.below_all(figure, axes)
    return figure
