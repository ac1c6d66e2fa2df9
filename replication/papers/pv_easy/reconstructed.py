"""Tables 1 to 6 and Figs. 2 to 6 under two simulators: textbook EASY, and the one reconstructed from the tables.

The reconstructed simulator holds a head's reservation until the head starts, does not use extra processors up, and
counts delays and violations as ``docs/decisions/pv_easy.md`` says. PV-EASY itself is the same in both. Nothing here
decides a verdict.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from replication.papers import panels, published, style
from replication.papers.pv_easy import counts, runs, slowdown, virtual
from replication.simulator import audits, traces
from replication.simulator.predictors import Last
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate, warm

TEXTBOOK, RECONSTRUCTED = VARIANTS = ("textbook EASY", "reconstructed simulator")
#: Between the two, one of the changes alone.
HELD = "held, extra processors used up"
NOT_USED_UP = "recomputed, extra processors not used up"
_ENTRY = published.entries(runs.PAPER, "readings.toml")["reconstructed"]
#: Fields of EASY in the reconstructed simulator, and how it counts: keywords of a function of `counts`, by its name.
FIELDS, COUNTED = _ENTRY["scheduler"], _ENTRY["count"]
#: Fields of EASY by simulator.
SIMULATORS = {
    TEXTBOOK: {},
    NOT_USED_UP: {"extra": FIELDS["extra"]},
    HELD: {"reservation": FIELDS["reservation"]},
    RECONSTRUCTED: FIELDS,
}
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
}
#: Columns of `numbers`.
NUMBERS = ["item", "trace", "policy", "jobs", "measure", "unit", "published", *VARIANTS]
#: Measures of the tables in the words of the picture.
WORDS = {
    "delayed": "delayed jobs",
    "blocked": "blocked jobs",
    "mean_delay": "mean delay (min)",
    "max_delay": "longest delay (h)",
    "violated": "violations (jobs)",
    "violated_mean_size": "mean size (processors)",
    "mean_dtr": "mean delay (min)",
    "max_dtr": "longest delay (h)",
    "mean_si": "mean slowdown increase",
    "max_si": "largest slowdown increase",
    "backfilled": "backfilled jobs",
    "total_load": "total load (%)",
    "wasted_load": "wasted load (%)",
    "preempted": "killed jobs",
    "preempted_share": "killed jobs (%)",
    "mkt": "kills of a killed job",
    "rtw": "wasted run time (%)",
}


def policies(variant, base=None):
    """Return the schedulers of a variant by policy; `base` may have policies of its own."""
    base = runs.POLICIES if base is None else base
    fields = SIMULATORS[variant]
    return {
        name: replace(own, **fields) if isinstance(own, EASY) else own for name, own in base.items()
    }


def schedules(workloads, variant, names=tuple(runs.POLICIES)):
    """Return the validated schedules of a variant, ``schedules[log][policy]``."""
    known = policies(variant)
    return {
        log: {name: simulate(jobs, known[name]).validate() for name in names}
        for log, jobs in workloads.items()
    }


def tables(workloads, items=tuple(TABLES)):
    """Return the numbers of some tables under both variants with the published ones.

    Returns
    -------
    DataFrame
        item, trace, policy, measure, unit, published, and a column for each of `VARIANTS`.
    """
    warm()
    found = {variant: schedules(workloads, variant) for variant in VARIANTS}
    rows = []
    for item in items:
        count, names = TABLES[item]
        printed = {row.key: row.value for row in published.rows(runs.PAPER, item)}
        for log in workloads:
            for policy in names:
                ours = {
                    TEXTBOOK: count(found[TEXTBOOK][log][policy]),
                    RECONSTRUCTED: count(
                        found[RECONSTRUCTED][log][policy], **COUNTED.get(count.__name__, {})
                    ),
                }
                for measure, (_, unit) in ours[TEXTBOOK].items():
                    values = [ours[variant][measure][0] for variant in VARIANTS]
                    key = log, policy, measure
                    rows.append((item, *key, unit, printed.get(key), *values))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *VARIANTS]
    return pd.DataFrame(rows, columns=columns)


def errors(workloads, errors, seeds, **how):
    """Fig. 4 under both variants: a table of `virtual.results` with a column variant; PV-EASY is the same in both."""
    textbook = virtual.results(workloads, virtual.POLICIES, errors, seeds, **how)
    changed = policies(RECONSTRUCTED, virtual.POLICIES)
    own = {name: one for name, one in changed.items() if one != virtual.POLICIES[name]}
    same = textbook[~textbook["policy"].isin(own)]
    parts = {
        TEXTBOOK: textbook,
        RECONSTRUCTED: pd.concat([same, virtual.results(workloads, own, errors, seeds, **how)]),
    }
    tables = [part.assign(variant=variant) for variant, part in parts.items()]
    return pd.concat(tables, ignore_index=True)


def ahead(table):
    """Of Fig. 4, by error and variant of `errors`: cases (logs and measures) where PV-EASY's mean is below both EASYs'."""
    rows = []
    for (variant, error), part in table.groupby(["variant", "error"], sort=False):
        by = part.pivot(index=["trace", "measure"], columns="policy", values="mean")
        below = by["PV-EASY"] < by.drop(columns="PV-EASY").min(axis=1)
        rows.append((error, variant, f"{below.sum()} of {len(below)}"))
    found = pd.DataFrame(rows, columns=["error", "variant", "ahead"])
    return found.pivot(index="error", columns="variant", values="ahead")[[*VARIANTS]].reset_index()


def other_logs(workloads, simulators=VARIANTS):
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


def large_blocked(workloads):
    """Return Figs. 2 and 3 for the jobs above a quarter of the machine that EASY blocks, under EASY and PV-EASY.

    Returns
    -------
    DataFrame
        variant, trace, policy, measure, number (of jobs), value.
    """
    rows = []
    for variant in VARIANTS:
        for log, by_policy in schedules(workloads, variant, ("EASY", "PV-EASY")).items():
            easy = by_policy["EASY"]
            large = audits.blocked(easy) & (slowdown.size_class(easy.workload) > 0)
            for policy, one in by_policy.items():
                for measure in slowdown.NAMES:
                    total, weight = slowdown.sums(one, large, measure).sum(axis=0)
                    value = total / weight if weight else np.nan
                    rows.append((variant, log, policy, measure, int(large.sum()), value))
    return pd.DataFrame(rows, columns=["variant", "trace", "policy", "measure", "number", "value"])


def numbers(workloads, everywhere, large):
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
    long = long.assign(
        item=[
            figures[m][0] if log in workloads else "other logs"
            for m, log in zip(long["measure"], long["trace"], strict=True)
        ],
        jobs="all",
    )
    large = large.drop(columns="number").assign(
        item=[figures[m][1] for m in large["measure"]], jobs="blocked in EASY, above 1/4"
    )
    keys = ["item", "trace", "policy", "jobs", "measure"]
    both = pd.concat([large, long[long["variant"].isin(VARIANTS)]])
    both = both.set_index([*keys, "variant"])["value"].unstack("variant").reset_index()
    both = both.sort_values(["item", "trace", "policy", "measure"])
    first = tables(workloads).assign(jobs="all")
    table = pd.concat([first, both.assign(unit="1", published=np.nan)], ignore_index=True)[NUMBERS]
    for column, variant in zip(("textbook", "reconstructed"), VARIANTS, strict=True):
        table[column] = 100 * (table[variant] / table["published"] - 1)
    return table.rename_axis(columns=None)


def conclusions(everywhere, large, logs):
    """Return the number of cases (logs and measures) that agree with the paper's conclusions, under each simulator.

    Parameters
    ----------
    everywhere, large : DataFrame
        From `other_logs` of all `SIMULATORS`, and from `large_blocked`.
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
            "PV-EASY within 10 % of EASY elsewhere": rest["over_easy"].between(0.9, 1.1),
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


def violations(workloads):
    """Return the violations of Table 2 by several ways of counting: trace, counting, published, and a column for each of `SIMULATORS`, jobs."""
    printed = {row.key: row.value for row in published.rows(runs.PAPER, "table2")}
    found = {variant: schedules(workloads, variant, ("EASY-Last",)) for variant in SIMULATORS}
    rows = [
        (
            log,
            words,
            printed.get((log, "EASY-Last", "violated")),
            *(
                counts.violations(found[variant][log]["EASY-Last"], **how)["violated"][0]
                for variant in SIMULATORS
            ),
        )
        for log in workloads
        for words, how in VIOLATIONS.items()
    ]
    return pd.DataFrame(rows, columns=["trace", "counting", "published", *SIMULATORS])


def corrections(workloads):
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
            one = simulate(jobs, EASY(predictor=Last(), correction=correction)).validate()
            moved, passing = audits.postponements(one)
            times, passed = moved[:, 1].sum(), moved[:, 2].sum()
            blocked = max(audits.blocked(one).sum(), 1)
            shares = 100 * one.backfilled.mean(), 100 * (passing == 3).mean(), times / blocked
            rows.append((log, correction, *shares, 100 * passed / max(times, 1)))
    columns = ["trace", "correction", "backfilled", "on_extra", "postponed", "by_passing"]
    return pd.DataFrame(rows, columns=columns)


def dots(table):
    """Our numbers of `numbers` over the published ones on logarithmic axes: a panel a table, a row a number."""
    figure, grid = plt.subplots(3, 2, figsize=(8.4, 8.6), sharex=True)
    lightness = {TEXTBOOK: style.COLOURS[1], RECONSTRUCTED: style.COLOURS[0]}
    logs = dict(
        zip(dict.fromkeys(table["trace"]), ("o", "s", "^", "D", "v", "X") * 2, strict=False)
    )
    spread = 1.0
    for axes, item in zip(grid.ravel(), TABLES, strict=False):
        part = table[(table["item"] == item) & table["published"].notna()]
        several = part["policy"].nunique() > 1
        kinds = list(dict.fromkeys(zip(part["policy"], part["measure"], strict=True)))
        for place, kind in enumerate(kinds):
            for row in part[
                (part["policy"] == kind[0]) & (part["measure"] == kind[1])
            ].itertuples():
                for k, variant in enumerate(VARIANTS):
                    ratio = getattr(row, ("textbook", "reconstructed")[k]) / 100 + 1
                    if not ratio > 0:
                        continue
                    spread = max(spread, ratio, 1 / ratio)
                    axes.plot(
                        ratio,
                        place + (k - 0.5) * 0.36,
                        logs[row.trace],
                        color=lightness[variant],
                        markersize=5,
                        linestyle="",
                    )
        words = [f"{policy}: {WORDS[m]}" if several else WORDS[m] for policy, m in kinds]
        axes.set_yticks(range(len(kinds)), words)
        axes.set_ylim(len(kinds) - 0.4, -0.6)
        axes.axvline(1, color="black", lw=0.8)
        axes.set(title=f"Table {item[-1]}", xscale="log")
    for variant, colour in lightness.items():
        grid[0, 0].plot([], [], "o", color=colour, label=variant, linestyle="")
    for log in dict.fromkeys(table.loc[table["published"].notna(), "trace"]):
        label = traces.label(log, runs.PAPER)
        look = {"color": "grey", "markerfacecolor": "none", "linestyle": ""}
        grid[0, 0].plot([], [], logs[log], label=label, **look)
    grid[0, 0].set_xlim(1 / spread / 1.2, spread * 1.2)
    panels.log_ticks(grid[0, 0].xaxis)
    empty = grid.ravel()[len(TABLES) :]
    for axes in empty:
        axes.set_axis_off()
    for axes in (grid[-1, 0], grid[-2, 1]):
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("ours over the published number")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    empty[0].legend(handles, labels, loc="center")
    return figure
