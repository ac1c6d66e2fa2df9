"""The search for PV-EASY's baseline, on short logs."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from notebooks.pv_easy import baseline, runs
from replication import PaperEASY
from replication.simulator import paths
from replication.simulator.simulation import simulate
from tests.workloads import jobs


def draw(log, seed):
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 400, 60))
    run_time, size, more = (rng.integers(*ends, 60) for ends in ((1, 60), (1, 9), (0, 5)))
    rows = zip(submit, run_time, size, run_time * (1 + more), strict=True)
    return jobs(8, *rows).replace(name=log, stand_in=True, user=rng.integers(0, 4, 60))


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


def test_a_pair_is_as_far_as_the_best_way_of_counting_its_numbers():
    """Counted by hand: one pair, one policy at a time, over all ways."""
    workloads = {"CTC-SP2": draw("CTC-SP2", 7), "SDSC-BLUE": draw("SDSC-BLUE", 8)}
    found = baseline.Search(workloads)
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


def test_logs_without_printed_numbers_leave_no_vote():
    found = baseline.Search({"KTH-SP2": draw("KTH-SP2", 7)})
    assert np.isnan(found.distances()).all() and not found.votes().any()


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
