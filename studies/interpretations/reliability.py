"""How far the search for PV-EASY's baseline can be trusted: what each pair of simulators says, the
numbers that decide, a test with simulators as the truth, and PV-EASY's own numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

import replication as rp
from notebooks import audits
from notebooks.pv_easy import baseline, claims, counts, runs
from notebooks.pv_easy.baseline import (
    BOTH,
    DIMENSIONS,
    EASY,
    GROUPS,
    POLICIES,
    is_count_of_own,
    percent,
)
from notebooks.pv_easy.sparing import SparingPVEasy, taken
from replication.verdicts import published, rules, tables

#: The claims on the slowdowns of all jobs, which every simulator answers.
CLAIMS = {
    "better-than-easy-last": "PV-EASY beats EASY-Last",
    "estimates-beat-last": "EASY beats EASY-Last",
    "easy-last-worst": "EASY-Last is the worst of three",
    "smaller-on-blue": "PV-EASY beats EASY on SDSC-BLUE",
    "similar-elsewhere": "PV-EASY is as good as EASY elsewhere",
}
HEADLINE, ON_BLUE = "better-than-easy-last", "smaller-on-blue"
#: The policies on which each claim depends.
OF = {name: tuple(published.policies(published.claims_of(runs.PAPER)[name])) for name in CLAIMS}
TEXTBOOK = "textbook"
CORRECTIONS = tuple(DIMENSIONS["correction"]["choices"])
LIFETIMES = tuple(DIMENSIONS["lifetime"]["choices"])
#: Measures of Tables 1, 2 and 4 that are left out together, by name.
LEFT_OUT = {
    "nothing": (),
    "mean delays of Table 2": ("mean_dtr",),
    "mean delays and increases of slowdown of Table 2": ("mean_dtr", "mean_si"),
    "all that are no counts of jobs": ("mean_delay", "violated_mean_size", "mean_dtr", "mean_si"),
}
#: Limits of a distance, %.
LIMITS = 12, 14, 16, 18, 20, 22, 25, 28, 30, 32, 35
#: Dimensions in which the candidates of the self-test differ from the truth.
UNKNOWN = (("extra",), ("recount",), ("ageing", "correction"))
#: PV-EASY's numbers in Tables 4 and 6.
OWN = ("backfilled", "blocked", "preempted", "mkt", "rtw")
#: Ways of preemption, and corrections of an expired prediction.
PREEMPTIONS = (
    *product(["killed"], ("estimate", "now", "tsafrir", "doubling")),
    *product(["spared"], ("estimate", "now")),
)


def answers(search) -> pd.DataFrame:
    """Return the verdict and the count of cases of each claim of `CLAIMS` under each pair: a row
    for each pair, and columns by claim and ``verdict``, ``held`` or ``cases``.
    """
    rows, tables_of = [], claims.of_simulators(search)
    for name in search.simulators():
        row = {}
        for claim, decision in tables.decide(runs.PAPER, claims, tables_of[name], CLAIMS).items():
            cases = decision.answers.values()
            row[claim, "verdict"] = rules.claim_verdict(cases, decision.entry["word"])
            row[claim, "held"] = sum(answer.holds for answer in cases)
            row[claim, "cases"] = len(cases)
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.set_axis(pd.MultiIndex.from_tuples(table.columns), axis=1)


def pairs(search, said) -> pd.DataFrame:
    """Return all pairs, the nearest first: name, choices by dimension, distances from the numbers
    of each policy, and of the pair (%), whether the pair votes, the name of its scheduler for EASY
    if that stands for itself, whether this votes, and the cases of each claim.

    `said` is from `answers`.
    """
    table = pd.DataFrame(search.pairs, index=search.simulators()).rename_axis("pair").reset_index()
    for group, of in GROUPS.items():
        table[group] = [percent(distance) for distance in search.distances(of)]
    voters = search.voters().values()
    table["votes"] = np.where(table.index.isin([*voters]), "yes", "")
    alone, near = search.simulators((EASY,)), search.voters((EASY,))
    table["scheduler"] = ""
    table.loc[[*alone.values()], "scheduler"] = [*alone]
    table["EASY votes"] = np.where(table["scheduler"].isin([*near]), "yes", "")
    for name, title in CLAIMS.items():
        table[title] = [f"{held} of {n}" for held, n in said[name][["held", "cases"]].to_numpy()]
    return table.sort_values(BOTH, kind="stable", ignore_index=True)


def by_lifetime(search, said) -> pd.DataFrame:
    """Return what the pairs of each lifetime say of PV-EASY and EASY-Last, and the schedulers for
    EASY of PV-EASY and EASY on SDSC-BLUE.

    Returns
    -------
    DataFrame
        lifetime; pairs and schedulers, and those of them that vote; the distances of the nearest
        pair (%); for both claims the fewest and the most cases under all and under those that vote.
    """
    lifetimes, rows = np.array([pair["lifetime"] for pair in search.pairs]), []
    for lifetime in LIFETIMES:
        nearest, row = search.nearest({"lifetime": lifetime}), {"lifetime": lifetime}
        row |= {f"nearest, {g}": percent(search.distances(of)[nearest]) for g, of in GROUPS.items()}
        for name, kind in ((HEADLINE, "pairs"), (ON_BLUE, "schedulers")):
            groups = {"": search.simulators(OF[name]), "voting ": search.voters(OF[name])}
            for group, simulators in groups.items():
                pairs = [pair for pair in simulators.values() if lifetimes[pair] == lifetime]
                row[group + kind] = len(pairs)
                row |= _ends(said, name, pairs, f"{group}{name}")
        rows.append(row)
    return pd.DataFrame(rows)


def _ends(said, name, pairs, prefix):
    """Return the fewest and the most cases of a claim under some pairs; empty without any."""
    held = said[name]["held"].iloc[pairs]
    ends = (held.min(), held.max()) if len(held) else ("", "")
    return dict(zip((f"{prefix}: fewest", f"{prefix}: most"), ends, strict=True))


def conclusions(search, said) -> pd.DataFrame:
    """Return the cases of each claim of `CLAIMS` under the simulators that vote, and under all of
    the policies on which it depends: their numbers, the fewest and the most cases; of those that
    vote in words; and the textbook's.
    """
    rows = []
    for name, conclusion in CLAIMS.items():
        held, cases = said[name]["held"], said[name]["cases"].iloc[0]
        row = {"claim": name, "conclusion": conclusion, "of": ", ".join(OF[name]), "cases": cases}
        groups = {"vote": search.voters(OF[name]), "all": search.simulators(OF[name])}
        for group, simulators in groups.items():
            pairs = [*simulators.values()]
            row |= {group: len(pairs)} | _ends(said, name, pairs, group)
        times = held.iloc[[*groups["vote"].values()]].value_counts().sort_index(ascending=False)
        row["voters"] = ", ".join(f"{k} under {n}" for k, n in times.items())
        rows.append(row | {"textbook": held.iloc[0]})
    return pd.DataFrame(rows)


def by_limit(search, said) -> pd.DataFrame:
    """Return the simulators that would vote on each claim of `CLAIMS` by other limits of a distance
    (%), and the cases under them, fewest and most; on PV-EASY and EASY-Last also if EASY-Last alone
    or the mean of both policies had to be near.
    """
    distances = [search.distances((policy,)) for policy in POLICIES]
    judges = {"by EASY-Last alone": distances[1], "by the mean of both": np.mean(distances, axis=0)}
    limit, rows = 100 * float(rules.LIMITS[rules.NEAR]), []
    for per_cent in LIMITS:
        row = {"limit": per_cent}
        vote = {name: [*search.voters(OF[name], per_cent / limit).values()] for name in CLAIMS}
        for judge, away in judges.items():
            near = [rules.is_near(100 * distance, per_cent / limit) for distance in away]
            vote[f"{HEADLINE}, {judge}"] = np.flatnonzero(near)
        for name, pairs in vote.items():
            row |= {f"{name}: vote": len(pairs)}
            row |= _ends(said, name.partition(",")[0], pairs, name)
        rows.append(row)
    return pd.DataFrame(rows)


def _by_default(*names):
    """Return whether a way of counting has the default choice in some dimensions."""

    def may_count(way):
        default = {name: next(iter(DIMENSIONS[name]["choices"])) for name in names}
        return is_count_of_own(way) and all(
            way[name] == default[name] for name in names if name in way
        )

    return may_count


#: Ways of counting that a scheduler may choose from, by the words for them.
MAY_COUNT = {
    "reservations that it makes (the rule)": is_count_of_own,
    "also reservations by users' estimates": lambda way: True,
    "only reservations by users' estimates": lambda way: way.get("whose") != "predictions",
    "violations by the default": _by_default("blame"),
    "delays by the default": _by_default("delay"),
    "all by the default": _by_default("blame", "delay", "blocked", "backfilled"),
}


def by_count(search, said) -> pd.DataFrame:
    """Return the nearest pair (distances, %), the pairs that would vote, and the cases in which
    PV-EASY beats EASY-Last under them, by the ways of counting that a scheduler may choose from.
    """
    rows = []
    for label, may_count in MAY_COUNT.items():
        how = {"may_count": may_count}
        both = search.distances(**how)
        row = {"counts": label, "nearest": percent(both.min())}
        for policy in POLICIES:
            row[policy] = percent(search.distances((policy,), **how)[both.argmin()])
        pairs = [*search.voters(**how).values()]
        rows.append(row | {"vote": len(pairs)} | _ends(said, HEADLINE, pairs, HEADLINE))
    return pd.DataFrame(rows)


def left_out(search, said) -> pd.DataFrame:
    """Return the distance of the nearest pair of each lifetime without some numbers or a log (%),
    the number of pairs that would vote, and what they would say of PV-EASY and EASY-Last.
    """
    cases = {name: {"without": measures} for name, measures in LEFT_OUT.items()}
    cases |= {log: {"logs": [kept for kept in search.logs if kept != log]} for log in search.logs}
    lifetimes, rows = np.array([pair["lifetime"] for pair in search.pairs]), []
    for name, how in cases.items():
        away, pairs = search.distances(**how), [*search.voters(**how).values()]
        row = {"left out": name}
        row |= {lifetime: percent(away[lifetimes == lifetime].min()) for lifetime in LIFETIMES}
        rows.append(row | {"votes": len(pairs)} | _ends(said, HEADLINE, pairs, HEADLINE))
    return pd.DataFrame(rows)


def self_test(search, said) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how often the search finds a lifetime, and how often the rule finds a verdict, if each
    pair in turn is the truth.

    The truth's numbers are counted as they suit the paper's best. It is no candidate, nor is any
    pair with its choice in one of the dimensions `UNKNOWN`, which are tried in turn. A trial whose
    candidates lack the truth's lifetime is left out.

    Returns
    -------
    lifetimes : DataFrame
        truth, trials, a column for each lifetime (times that the nearest candidate had it),
        right (times that it was the truth's), nearest (the mean distance, %).
    verdicts : DataFrame
        claim (of those on both policies), right (times that the rule gives the side of the truth),
        open, wrong, always (times that *holds*, whatever the numbers, would be right).
    """
    trials, decided = [], []
    for truth, chosen in enumerate(search.pairs):
        away = _distances_from(search, truth)
        for unknown in UNKNOWN:
            differs = [any(pair[name] != chosen[name] for name in unknown) for pair in search.pairs]
            rest = np.flatnonzero(differs)
            lifetimes = {search.pairs[k]["lifetime"] for k in rest}
            if chosen["lifetime"] not in lifetimes:
                continue
            nearest = rest[away[rest].argmin()]
            trials.append((chosen["lifetime"], search.pairs[nearest]["lifetime"], away[nearest]))
            votes = [k for k in rest if rules.is_near(100 * away[k])]
            for name in (name for name, of in OF.items() if of == POLICIES):
                word = rules.weakest(said[name]["verdict"].iloc[votes])
                sides = [*map(rules.side, (word, said[name]["verdict"].iloc[truth]))]
                outcome = "right" if sides[0] == sides[1] else "wrong"
                outcome = "open" if word == rules.OPEN else outcome
                decided.append((name, outcome, sides[1] == rules.HOLDS))
    table = pd.DataFrame(trials, columns=["truth", "said", "away"])
    rows = []
    for truth, part in table.groupby("truth", sort=False):
        times = {lifetime: (part["said"] == lifetime).sum() for lifetime in LIFETIMES}
        row = {"truth": truth, "trials": len(part)} | times | {"right": times[truth]}
        rows.append(row | {"nearest": percent(part["away"].mean())})
    decided = pd.DataFrame(decided, columns=["claim", "word", "always"])
    verdicts = pd.crosstab(decided["claim"], decided["word"])
    verdicts = verdicts.reindex(columns=["right", "open", "wrong"], fill_value=0)
    verdicts["always"] = decided.groupby("claim")["always"].sum()
    return pd.DataFrame(rows), verdicts.rename_axis("claim").reset_index()


def _distances_from(search, truth):
    """Return the distance of each pair from the numbers of one of them."""
    ways, away = search.ways(truth), []
    for name, policy in search.policies.items():
        places = policy.places(search.logs)
        numbers = policy.values[policy.of_pair[truth], ways[name]][places]
        ours = policy.values[:, policy.may_count][:, :, places]
        means = baseline.logarithmic_distance(ours, numbers).mean(axis=2)
        away.append(means.min(axis=1)[policy.of_pair])
    return np.max(away, axis=0)


def own_numbers(workloads: Mapping) -> pd.DataFrame:
    """Return PV-EASY's numbers in Tables 4 and 6 by correction of an expired prediction, and by
    preemption: all victims killed, or those that the head does not need spared.

    Returns
    -------
    DataFrame
        trace, preemption, correction, a column for each of `OWN`, away (mean distance from the
        printed numbers, %), largest (difference of one of them, %). The first row of each log is
        the printed one, and the last rows are of all logs.
    """
    rows = []
    for log, jobs in workloads.items():
        printed = {
            row.measure: row.value
            for item in ("table4", "table6")
            for row in published.rows(runs.PAPER, item)
            if row.trace == log and row.policy == "PV-EASY" and row.measure in OWN
        }
        rows.append({"trace": log, "preemption": "printed", "correction": ""} | printed)
        for preemption, correction in PREEMPTIONS:
            ours = _own_numbers(jobs, preemption, correction)
            row = {"trace": log, "preemption": preemption, "correction": correction} | ours
            ratios = np.array([ours[name] / value for name, value in printed.items()])
            if printed:
                away = baseline.logarithmic_distance(ratios, 1).mean()
                row |= {"away": percent(away), "largest": percent(np.abs(ratios - 1).max())}
            rows.append(row)
    table = pd.DataFrame(rows)
    both = table.dropna(subset="away").groupby(["preemption", "correction"], sort=False)
    both = both.agg({"away": "mean", "largest": "max"}).reset_index().assign(trace="all")
    return pd.concat([table, both], ignore_index=True)


def _own_numbers(jobs, preemption, correction):
    kind = {"killed": rp.PVEasy, "spared": SparingPVEasy}[preemption]
    schedule = rp.simulate(jobs, kind(correction=correction))
    numbers = counts.kinds(schedule) | counts.preemptions(schedule)
    values = {name: numbers[name][0] for name in OWN}
    return values | ({"preempted": int(taken(schedule).sum())} if preemption == "spared" else {})


def simulators(search) -> dict[str, tuple[int, dict[str, int]]]:
    """Return the pairs whose numbers are shown, each with the place of the way of counting of each
    policy, by name: the textbook and the nearest pair, by the default counts and by those that suit
    them best, and the nearest pair of each lifetime.
    """
    default, nearest = dict.fromkeys(POLICIES, 0), search.nearest({})
    shown = {TEXTBOOK: 0, "nearest": nearest}
    shown |= {lifetime: search.nearest({"lifetime": lifetime}) for lifetime in LIFETIMES}
    by_default = {f"{name}, default": (shown[name], default) for name in (TEXTBOOK, "nearest")}
    return by_default | {name: (pair, search.ways(pair)) for name, pair in shown.items()}


def numbers(search) -> pd.DataFrame:
    """Return each printed number of EASY and EASY-Last beside those of `simulators`, and the lowest
    and highest under those that vote on the policy, in the counts that suit each best.
    """
    shown, rows = simulators(search), []
    for name, policy in search.policies.items():
        of = (EASY,) if name == EASY else POLICIES
        vote = [(pair, search.ways(pair)) for pair in search.voters(of).values()]
        for k, row in enumerate(policy.numbers):
            ours, voting = (
                [policy.values[policy.of_pair[pair], ways[name], k] for pair, ways in several]
                for several in (shown.values(), vote)
            )
            ends = (min(voting), max(voting)) if voting else (math.nan, math.nan)
            rows.append((row.item, *row.key, row.unit, row.value, *ours, *ends))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *shown]
    return pd.DataFrame(rows, columns=[*columns, "lowest", "highest"])


def near_numbers(search) -> pd.DataFrame:
    """Return how many of the numbers that a distance is the mean of are near under `simulators`:
    simulator, numbers, near, and the distance from the numbers of each policy (%).
    """
    rows = []
    for simulator, (pair, ways) in simulators(search).items():
        near, away = [], []
        for name, policy in search.policies.items():
            index = policy.of_pair[pair], ways[name], policy.places(search.logs)
            for k, value in zip(index[2], policy.values[index], strict=True):
                low, high = rules.near(policy.numbers[k])
                near.append(low <= value <= high)
            away.append(percent(policy.distances[index].mean()))
        rows.append((simulator, len(near), sum(near), *away))
    return pd.DataFrame(rows, columns=["simulator", "numbers", "near", *POLICIES])


def violations(search) -> pd.DataFrame:
    """Return the violations of Table 2 in all ways of counting, under the textbook and the nearest
    pair.
    """
    policy, nearest = search.policies["EASY-Last"], search.nearest({})
    rows = []
    for k, row in enumerate(policy.numbers):
        for number, way in enumerate(policy.ways):
            if row.measure == "violated":
                ours = [policy.values[policy.of_pair[pair], number, k] for pair in (0, nearest)]
                rows.append((row.trace, *way.values(), row.value, *ours))
    names = [*policy.ways[0]]
    return pd.DataFrame(rows, columns=["trace", *names, "published", TEXTBOOK, "nearest"])


def tried(search) -> pd.DataFrame:
    """Return the extent of the search.

    Returns
    -------
    DataFrame
        policy; schedulers, and those that vote; different and different_voters (of both those that
        differ in any number or slowdown); products (with the ways of counting that may be chosen);
        numbers, with_maxima.
    """
    results = {
        name: [
            (values.tobytes(), *facts.values())
            for values, facts in zip(policy.values, policy.facts, strict=True)
        ]
        for name, policy in search.policies.items()
    }
    ways = {name: int(policy.may_count.sum()) for name, policy in search.policies.items()}
    rows = []
    for group, of in GROUPS.items():
        several = [search.policies[name] for name in of]
        results_of = [
            tuple(results[policy.name][policy.of_pair[pair]] for policy in several)
            for pair in range(len(search.pairs))
        ]
        schedulers = [*zip(*(policy.of_pair for policy in several), strict=True)]
        near = [100 * away for away in search.distances(of)]
        vote = [pair for pair, away in enumerate(near) if rules.is_near(away)]
        row = {"policy": group, "schedulers": len({*schedulers})}
        row["vote"] = len({schedulers[pair] for pair in vote})
        row["different"] = len({*results_of})
        row["different_voters"] = len({results_of[pair] for pair in vote})
        row["products"] = row["schedulers"] * math.prod(ways[name] for name in of)
        row["numbers"] = sum(len(policy.places(search.logs)) for policy in several)
        row["with_maxima"] = sum(len(policy.numbers) for policy in several)
        rows.append(row)
    return pd.DataFrame(rows)


def corrections(workloads) -> pd.DataFrame:
    """Return the backfills and the postponed heads of EASY-Last by the correction of an expired
    prediction.

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
        for correction in CORRECTIONS:
            scheduler = replace(runs.POLICIES["EASY-Last"], correction=correction)
            schedule = rp.simulate(jobs, scheduler).validate()
            moved, passing = audits.postponements(schedule)
            times, passed = moved[:, 1].sum(), moved[:, 2].sum()
            blocked = max(audits.blocked(schedule).sum(), 1)
            shares = 100 * schedule.backfilled.mean(), 100 * (passing == 3).mean(), times / blocked
            rows.append((log, correction, *shares, 100 * passed / max(times, 1)))
    columns = ["trace", "correction", "backfilled", "on_extra", "postponed", "by_passing"]
    return pd.DataFrame(rows, columns=columns)
