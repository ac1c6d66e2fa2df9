"""The search for PV-EASY's baseline, and how far it can be trusted, on short logs."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import reliability
from notebooks.paper_easy import PaperEASY
from notebooks.pv_easy import baseline, runs
from replication.simulator import paths
from replication.simulator.predictors import Last
from replication.simulator.schedulers import PVEasy
from replication.simulator.simulation import simulate
from tests.workloads import jobs


@pytest.fixture(scope="module")
def workloads():
    rng = np.random.default_rng(7)

    def draw(log):
        submit = np.sort(rng.integers(0, 400, 60))
        run_time, size, more = (rng.integers(*ends, 60) for ends in ((1, 60), (1, 9), (0, 5)))
        rows = zip(submit, run_time, size, run_time * (1 + more), strict=True)
        return jobs(8, *rows).replace(name=log, stand_in=True, user=rng.integers(0, 4, 60))

    return {log: draw(log) for log in ("CTC-SP2", "SDSC-BLUE")}


@pytest.fixture(scope="module")
def found(workloads):
    return baseline.Search(workloads)


@pytest.fixture(scope="module")
def said(found):
    return reliability.answers(found)


def test_a_scheduler_has_the_choices_that_concern_its_policy():
    chosen = {"lifetime": "until start", "ageing": "aged", "correction": "now", "blocked": "any"}
    assert baseline.scheduler("EASY", chosen) == PaperEASY(lifetime="until-start")
    last = PaperEASY(predictor=Last(), correction="now", lifetime="until-start")
    assert baseline.scheduler("EASY-Last", chosen) == last
    assert baseline.pv_easy(chosen) == PVEasy(correction="now")


def test_choices_without_an_effect_are_no_other_pair():
    """Plans that do not age never expire; without extra processors none are counted again; a
    reservation of one pass is not counted again either.
    """
    pairs = baseline.distinct_pairs()
    assert baseline.scheduler("EASY", pairs[0]) == PaperEASY()
    unaged = [one for one in pairs if one["ageing"] == "unaged"]
    assert {one["correction"] for one in unaged} == {"estimate"}
    assert {baseline.correction(one) for one in unaged} == {"unaged"}
    none = [one for one in pairs if one["extra"] == "none"]
    assert {(one["recount"], one["overdue"]) for one in none} == {
        ("with the reservation", "by lifetime")
    }
    every = [one for one in pairs if one["lifetime"] == "computed at every pass"]
    assert {one["recount"] for one in every} == {"with the reservation"}


@pytest.mark.slow
def test_a_pair_is_as_far_as_the_best_way_of_counting_its_numbers(found, workloads):
    """Counted by hand: one pair, one policy at a time, over all ways."""
    pair = found.nearest({"lifetime": "until start", "ageing": "aged", "correction": "now"})
    sums, count = {}, 0
    for name, policy in found.policies.items():
        one = policy.schedulers[policy.of_pair[pair]]
        best = math.inf
        for way in policy.ways:
            away = []
            for log, work in workloads.items():
                own = [
                    row
                    for row in policy.numbers
                    if row.trace == log and not row.measure.startswith("max_")
                ]
                ours = policy.count(simulate(work, one), way, [row.measure for row in own])
                pairs = zip(ours, own, strict=True)
                away += [baseline.logarithmic_distance(value, row.value) for value, row in pairs]
            best = min(best, sum(away))
        sums[name], count = best, count + len(away)
        assert found.distances((name,))[pair] == pytest.approx(best / len(away))
    assert found.distances()[pair] == pytest.approx(sum(sums.values()) / count)
    assert count == 8 * len(workloads)


def test_logs_without_printed_numbers_leave_no_vote(workloads):
    (jobs,) = [one for log, one in workloads.items() if log == "CTC-SP2"]
    found = baseline.Search({"KTH-SP2": jobs})
    assert np.isnan(found.distances()).all() and not found.votes().any()


def test_the_tables_agree_with_each_other(found, said):
    pairs, by_factor = reliability.pairs(found, said), reliability.by_factor(found, said)
    least = pairs[baseline.BOTH].min()
    nearest = f"nearest, {baseline.BOTH}"
    assert pairs[baseline.BOTH].is_monotonic_increasing and by_factor[nearest].min() == least
    kinds = by_factor[by_factor["correction"] != "any"]
    assert kinds["pairs"].sum() == len(pairs) == len(baseline.distinct_pairs())
    words = reliability.CLAIMS["better-than-easy-last"]
    held = pairs[words].str.split(" of ").str[0].astype(int)
    for lifetime, part in by_factor.groupby("lifetime"):
        own = held[pairs["lifetime"] == lifetime]
        assert part["better-than-easy-last: fewest"].min() == own.min()
        assert part["better-than-easy-last: most"].max() == own.max()
    limits = reliability.by_limit(found, said).set_index("limit")
    voting = [(pairs[baseline.BOTH] <= limit).sum() for limit in limits.index]
    assert [*limits["votes"]] == voting and limits["votes"].is_monotonic_increasing
    assert limits.loc[20, "votes"] == (pairs["votes"] == "yes").sum()
    whole = reliability.left_out(found, said).set_index("left out").loc["nothing"]
    assert min(whole[lifetime] for lifetime in reliability.LIFETIMES) == least
    numbers = reliability.numbers(found)
    for lifetime in reliability.LIFETIMES:
        if baseline.percent(found.distances()[found.nearest({"lifetime": lifetime})]) == least:
            assert numbers["nearest"].equals(numbers[lifetime])


def test_the_rule_takes_the_pairs_that_vote(found, said, monkeypatch):
    monkeypatch.setattr(found, "votes", lambda: np.arange(len(found.pairs)) < 3)
    table = reliability.conclusions(found, said).set_index("claim")
    for name, row in table.iterrows():
        held = said[name]["held"][:3]
        assert (row["vote, fewest"], row["vote, most"]) == (held.min(), held.max())
        assert row["textbook"] == held[0]


def test_a_pair_is_nearest_to_its_own_numbers(found):
    for truth in range(len(found.pairs)):
        away = reliability._distances_from(found, truth)
        assert away[truth] == 0 == away.min()


def test_a_known_simulator_is_found_or_not(found, said):
    lifetimes, rule = reliability.self_test(found, said)
    of = lifetimes.set_index("truth")
    assert (of[[*reliability.LIFETIMES]].sum(axis=1) == of["trials"]).all()
    trials = of["trials"].sum()
    assert (rule[["right", "open", "wrong"]].sum(axis=1) == trials).all()
    assert [*rule["claim"]] == [*reliability.CLAIMS] and (rule["always"] <= trials).all()


def test_own_numbers_are_compared_with_the_printed_ones(workloads):
    table = reliability.own_numbers(workloads).set_index(["trace", "preemption", "correction"])
    printed, ours = (table.loc[("CTC-SP2", *key)] for key in (("printed", ""), ("killed", "now")))
    ratios = [ours[name] / printed[name] for name in reliability.OWN]
    assert ours["largest"] == pytest.approx(100 * max(abs(one - 1) for one in ratios), rel=0.01)
    away = np.mean([min(abs(math.log(one)), math.log(2)) if one else math.log(2) for one in ratios])
    assert ours["away"] == pytest.approx(100 * away, rel=0.01)
    both = table.xs(("killed", "now"), level=["preemption", "correction"])
    assert both.loc["all", "largest"] == both["largest"].drop("all").max()


def test_the_variants_are_the_nearest_pairs_of_the_search():
    """Of each lifetime but the textbook's, with two of the corrections."""
    pairs = pd.read_csv(paths.FIGURES / "studies/interpretations/pv_easy-pairs.csv").fillna("none")
    pairs = pairs[(pairs["ageing"] == "aged") & (pairs["lifetime"] != "computed at every pass")]
    pairs = pairs[pairs["correction"].isin(["estimate", "now"])]
    nearest = pairs.groupby(["lifetime", "correction"], sort=False).first().reset_index()
    own = {name: one for name, one in runs.VARIANTS.items() if one.easy}
    assert len(own) == len(nearest)
    for row in nearest.to_dict("records"):
        name = row["lifetime"] + ("" if row["correction"] == "estimate" else ", now")
        for policy in baseline.POLICIES:
            ours = own[name].of(runs.POLICIES[policy])
            if policy == "EASY":  # whose plans, the estimates, never expire
                ours = replace(ours, correction="estimate")
            chosen = {dimension: row[dimension] for dimension in baseline.distinct_pairs()[0]}
            assert ours.kernel() == baseline.scheduler(policy, chosen).kernel(), name


def test_now_alone_backfills_on_extra_processors_of_a_head_that_is_due(workloads):
    table = reliability.corrections(workloads).set_index(["correction"])
    assert (table.loc[["estimate"], "on_extra"] == 0).all()
    assert table.loc[["now"], "postponed"].sum() >= table.loc[["estimate"], "postponed"].sum()
