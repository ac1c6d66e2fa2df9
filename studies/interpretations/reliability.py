"""How far the search for PV-EASY's baseline can be trusted: what each pair of simulators says, the
numbers that decide, a test with simulators as the truth, and PV-EASY's own numbers.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

import replication as rp
from notebooks import audits
from notebooks.pv_easy import baseline, claims, counts, runs
from notebooks.pv_easy.baseline import BOTH, DIMENSIONS, GROUPS, POLICIES, percent
from notebooks.pv_easy.sparing import SparingPVEasy, taken
from replication.verdicts import published, rules, tables

#: The claims on the slowdowns of all jobs, which every pair answers.
CLAIMS = {
    "better-than-easy-last": "PV-EASY beats EASY-Last",
    "smaller-on-blue": "PV-EASY beats EASY on SDSC-BLUE",
    "similar-elsewhere": "PV-EASY is as good as EASY elsewhere",
    "estimates-beat-last": "EASY beats EASY-Last",
    "easy-last-worst": "EASY-Last is the worst of three",
}
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
#: Factors of the limit of *near*.
LIMITS = 0.75, 1, 1.25, 1.5
#: Dimensions in which the candidates of the self-test differ from the truth.
UNKNOWN = (("extra",), ("recount",), ("ageing", "correction"))
#: PV-EASY's numbers in Tables 4 and 6.
OWN = ("backfilled", "blocked", "preempted", "mkt", "rtw")
#: Ways of preemption, and corrections of an expired prediction.
PREEMPTIONS = (
    *product(["killed"], ("estimate", "now", "tsafrir", "doubling")),
    *product(["spared"], ("estimate", "now")),
)


def answers(found) -> pd.DataFrame:
    """Return the verdict and the count of cases of each claim of `CLAIMS` under each pair: a row
    for each pair, and columns by claim and ``verdict``, ``held`` or ``cases``.
    """
    rows = []
    for own in claims.of_pairs(found).values():
        row = {}
        for name, claim in tables.decide(runs.PAPER, claims, own, CLAIMS).items():
            cases = claim.answers.values()
            row[name, "verdict"] = rules.claim_verdict(cases, claim.entry["word"])
            row[name, "held"] = sum(answer.holds for answer in cases)
            row[name, "cases"] = len(cases)
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.set_axis(pd.MultiIndex.from_tuples(table.columns), axis=1)


def pairs(found, said) -> pd.DataFrame:
    """Return all pairs, the nearest first: name, choices by dimension, distances from the numbers
    of each policy and of both (%), whether the pair votes, and the cases of each claim.

    `said` is from `answers`.
    """
    table = pd.DataFrame(found.pairs, index=found.names).rename_axis("pair").reset_index()
    for group, of in GROUPS.items():
        table[group] = [percent(one) for one in found.distances(of)]
    table["votes"] = np.where(found.votes(), "yes", "")
    for name, words in CLAIMS.items():
        table[words] = [f"{held} of {n}" for held, n in said[name][["held", "cases"]].to_numpy()]
    return table.sort_values(BOTH, kind="stable", ignore_index=True)


def by_factor(found, said) -> pd.DataFrame:
    """Return the cases in which PV-EASY beats EASY-Last, and EASY on SDSC-BLUE, by lifetime and
    correction: number of pairs and of those that vote, the fewest and the most cases, and the
    nearest pair's distances and cases.
    """
    kinds = np.array([(one["lifetime"], baseline.correction(one)) for one in found.pairs])
    both, votes = found.distances(), found.votes()
    corrections, rows = (*CORRECTIONS, "unaged"), []
    for kind in [*product(LIFETIMES, corrections), *product(LIFETIMES, ["any"])]:
        own = (kinds == kind).all(axis=1) if kind[1] != "any" else kinds[:, 0] == kind[0]
        nearest = int(np.where(own, both, np.inf).argmin())
        row = {"lifetime": kind[0], "correction": kind[1]}
        row |= {"pairs": own.sum(), "votes": votes[own].sum()}
        row |= {f"nearest, {g}": percent(found.distances(of)[nearest]) for g, of in GROUPS.items()}
        for name in ("better-than-easy-last", "smaller-on-blue"):
            held = said[name]["held"][own]
            row |= {f"{name}: fewest": held.min(), f"{name}: most": held.max()}
            row[f"{name}: nearest"] = said[name]["held"][nearest]
        rows.append(row)
    return pd.DataFrame(rows)


def conclusions(found, said) -> pd.DataFrame:
    """Return the cases of each claim of `CLAIMS` over the pairs that vote and over all, fewest and
    most, and the number of pairs with the most.
    """
    votes, rows = found.votes(), []
    for name, words in CLAIMS.items():
        held, cases = said[name]["held"], said[name]["cases"].iloc[0]
        row = {"claim": name, "conclusion": words, "cases": cases}
        for group, own in (("vote", votes), ("all", np.full(len(votes), True))):
            row |= {f"{group}, fewest": held[own].min(), f"{group}, most": held[own].max()}
            row[f"{group}, most in"] = (held[own] == held[own].max()).sum()
        rows.append(row | {"textbook": held.iloc[0]})
    return pd.DataFrame(rows)


def by_limit(found, said) -> pd.DataFrame:
    """Return the number of pairs that would vote by other limits of their distance (%), and the
    cases of each claim of `CLAIMS` under them, fewest and most.
    """
    both, rows = found.distances(), []
    for factor in LIMITS:
        votes = np.array([rules.is_near(100 * one, factor) for one in both])
        row = {"limit": 100 * factor * float(rules.LIMITS[rules.NEAR]), "votes": votes.sum()}
        for name in CLAIMS:
            held = said[name]["held"][votes]
            ends = (held.min(), held.max()) if votes.any() else ("", "")
            row |= {f"{name}: fewest": ends[0], f"{name}: most": ends[1]}
        rows.append(row)
    return pd.DataFrame(rows)


def left_out(found, said) -> pd.DataFrame:
    """Return the distance of the nearest pair of each lifetime without some numbers or a log (%),
    the number of pairs that would vote, and what they would say of PV-EASY and EASY-Last.
    """
    logs = {log: [one for one in found.logs if one != log] for log in found.logs}
    cases = {name: {"without": measures} for name, measures in LEFT_OUT.items()}
    cases |= {log: {"logs": others} for log, others in logs.items()}
    lifetime = np.array([one["lifetime"] for one in found.pairs])
    held, rows = said["better-than-easy-last"]["held"], []
    for name, how in cases.items():
        away = found.distances(**how)
        votes = np.array([rules.is_near(100 * one) for one in away])
        row = {"left out": name} | {one: percent(away[lifetime == one].min()) for one in LIFETIMES}
        row |= {"votes": votes.sum(), "fewest cases": held[votes].min() if votes.any() else ""}
        rows.append(row | {"most cases": held[votes].max() if votes.any() else ""})
    return pd.DataFrame(rows)


def self_test(found, said) -> tuple[pd.DataFrame, pd.DataFrame]:
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
        claim, right (times that the rule gives the side of the truth), open, wrong, always (times
        that *holds*, whatever the numbers, would be right).
    """
    trials, decided = [], []
    for truth, chosen in enumerate(found.pairs):
        away = _distances_from(found, truth)
        for unknown in UNKNOWN:
            other = [any(pair[name] != chosen[name] for name in unknown) for pair in found.pairs]
            rest = np.flatnonzero(other)
            lifetimes = {found.pairs[k]["lifetime"] for k in rest}
            if chosen["lifetime"] not in lifetimes:
                continue
            nearest = rest[away[rest].argmin()]
            trials.append((chosen["lifetime"], found.pairs[nearest]["lifetime"], away[nearest]))
            votes = [k for k in rest if rules.is_near(100 * away[k])]
            for name in CLAIMS:
                word = rules.weakest(said[name]["verdict"].iloc[votes])
                sides = [rules.side(one) for one in (word, said[name]["verdict"].iloc[truth])]
                known = "right" if sides[0] == sides[1] else "wrong"
                known = "open" if word == rules.OPEN else known
                decided.append((name, known, sides[1] == rules.HOLDS))
    table = pd.DataFrame(trials, columns=["truth", "said", "away"])
    rows = []
    for truth, part in table.groupby("truth", sort=False):
        times = {one: (part["said"] == one).sum() for one in LIFETIMES}
        row = {"truth": truth, "trials": len(part)} | times | {"right": times[truth]}
        rows.append(row | {"nearest": percent(part["away"].mean())})
    decided = pd.DataFrame(decided, columns=["claim", "word", "always"])
    words = pd.crosstab(decided["claim"], decided["word"])
    words = words.reindex(index=[*CLAIMS], columns=["right", "open", "wrong"], fill_value=0)
    words["always"] = decided.groupby("claim")["always"].sum()
    return pd.DataFrame(rows), words.rename_axis("claim").reset_index()


def _distances_from(found, truth):
    """Return the distance of each pair from the numbers of one of them."""
    ways, total, count = found.ways(truth), 0.0, 0
    for name, one in found.policies.items():
        places = one.places(found.logs)
        numbers = one.values[one.of_pair[truth], ways[name]][places]
        away = baseline.logarithmic_distance(one.values[:, :, places], numbers)
        total = total + away.sum(axis=2)[one.of_pair].min(axis=1)
        count += len(places)
    return total / count


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
            own = _own_numbers(jobs, preemption, correction)
            row = {"trace": log, "preemption": preemption, "correction": correction} | own
            ratios = np.array([own[name] / value for name, value in printed.items()])
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
    own = {name: numbers[name][0] for name in OWN}
    return own | ({"preempted": int(taken(schedule).sum())} if preemption == "spared" else {})


def numbers(found) -> pd.DataFrame:
    """Return each printed number of EASY and EASY-Last beside those of the textbook, counted by
    default, of the nearest pair, and of that of each lifetime, counted in the ways that suit best.
    """
    shown = {TEXTBOOK: (0, dict.fromkeys(POLICIES, 0))}
    nearest = {"nearest": {}} | {lifetime: {"lifetime": lifetime} for lifetime in LIFETIMES}
    for name, chosen in nearest.items():
        pair = found.nearest(chosen)
        shown[name] = pair, found.ways(pair)
    rows = []
    for name, one in found.policies.items():
        for k, row in enumerate(one.numbers):
            ours = [one.values[one.of_pair[pair], ways[name], k] for pair, ways in shown.values()]
            rows.append((row.item, *row.key, row.unit, row.value, *ours))
    columns = ["item", "trace", "policy", "measure", "unit", "published", *shown]
    return pd.DataFrame(rows, columns=columns)


def near_numbers(found) -> pd.DataFrame:
    """Return how many of the numbers that a distance is the mean of are near under the textbook and
    the nearest pair, counted in the ways that suit best: simulator, numbers, near, away (%).
    """
    rows, both = [], found.distances()
    for simulator, pair in ((TEXTBOOK, 0), ("nearest", found.nearest({}))):
        ways, near = found.ways(pair), []
        for name, one in found.policies.items():
            for k in one.places(found.logs):
                low, high = rules.near(one.numbers[k])
                near.append(low <= one.values[one.of_pair[pair], ways[name], k] <= high)
        rows.append((simulator, len(near), sum(near), percent(both[pair])))
    return pd.DataFrame(rows, columns=["simulator", "numbers", "near", "away"])


def violations(found) -> pd.DataFrame:
    """Return the violations of Table 2 in all ways of counting, under the textbook and the nearest
    pair.
    """
    one, nearest = found.policies["EASY-Last"], found.nearest({})
    rows = []
    for k, row in enumerate(one.numbers):
        for number, way in enumerate(one.ways):
            if row.measure == "violated":
                ours = [one.values[one.of_pair[pair], number, k] for pair in (0, nearest)]
                rows.append((row.trace, *way.values(), row.value, *ours))
    names = [*one.ways[0]]
    return pd.DataFrame(rows, columns=["trace", *names, "published", TEXTBOOK, "nearest"])


def tried(found) -> pd.DataFrame:
    """Return the extent of the search: policy, schedulers, products (with the ways of counting),
    numbers, with_maxima.
    """
    rows = []
    for name, one in found.policies.items():
        numbers = len(one.places(found.logs)), len(one.numbers)
        rows.append((name, len(one.schedulers), len(one.schedulers) * len(one.ways), *numbers))
    ways = np.prod([len(one.ways) for one in found.policies.values()])
    sums = [sum(row[k] for row in rows) for k in (3, 4)]
    rows.append((f"pairs of {BOTH}", len(found.pairs), len(found.pairs) * ways, *sums))
    columns = ["policy", "schedulers", "products", "numbers", "with_maxima"]
    return pd.DataFrame(rows, columns=columns)


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
            one = rp.simulate(jobs, scheduler).validate()
            moved, passing = audits.postponements(one)
            times, passed = moved[:, 1].sum(), moved[:, 2].sum()
            blocked = max(audits.blocked(one).sum(), 1)
            shares = 100 * one.backfilled.mean(), 100 * (passing == 3).mean(), times / blocked
            rows.append((log, correction, *shares, 100 * passed / max(times, 1)))
    columns = ["trace", "correction", "backfilled", "on_extra", "postponed", "by_passing"]
    return pd.DataFrame(rows, columns=columns)
