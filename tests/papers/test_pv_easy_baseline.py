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
    unaged = [choices for choices in pairs if choices["ageing"] == "unaged"]
    assert {choices["correction"] for choices in unaged} == {"estimate"}
    assert {baseline.correction(choices) for choices in unaged} == {"unaged"}
    none = [choices for choices in pairs if choices["extra"] == "none"]
    assert {(choices["recount"], choices["overdue"]) for choices in none} == {
        ("with the reservation", "by lifetime")
    }
    every = [choices for choices in pairs if choices["lifetime"] == "computed at every pass"]
    assert {choices["recount"] for choices in every} == {"with the reservation"}


def test_a_pair_is_as_far_as_the_best_way_of_counting_its_numbers():
    """Counted by hand: one pair, one policy at a time, over all ways."""
    workloads = {"CTC-SP2": draw("CTC-SP2", 7), "SDSC-BLUE": draw("SDSC-BLUE", 8)}
    search = baseline.Search(workloads)
    pair = search.nearest({"lifetime": "until start", "ageing": "aged", "correction": "now"})
    sums, count = {}, 0
    for name, policy in search.policies.items():
        choices = policy.schedulers[policy.of_pair[pair]]
        best = math.inf
        for way in policy.ways:
            away = []
            for log, work in workloads.items():
                rows = [
                    row
                    for row in policy.numbers
                    if row.trace == log and not row.measure.startswith("max_")
                ]
                ours = policy.count(simulate(work, choices), way, [row.measure for row in rows])
                pairs = zip(ours, rows, strict=True)
                away += [baseline.logarithmic_distance(value, row.value) for value, row in pairs]
            best = min(best, sum(away))
        sums[name], count = best, count + len(away)
        assert search.distances((name,))[pair] == pytest.approx(best / len(away))
    assert search.distances()[pair] == pytest.approx(sum(sums.values()) / count)
    assert count == 8 * len(workloads)


def test_logs_without_printed_numbers_leave_no_vote():
    search = baseline.Search({"KTH-SP2": draw("KTH-SP2", 7)})
    assert np.isnan(search.distances()).all() and not search.votes().any()


def test_the_variants_are_the_nearest_pairs_of_the_search():
    """Of each lifetime but the textbook's, with two of the corrections."""
    pairs = pd.read_csv(paths.FIGURES / "studies/interpretations/pv_easy-pairs.csv").fillna("none")
    pairs = pairs[(pairs["ageing"] == "aged") & (pairs["lifetime"] != "computed at every pass")]
    pairs = pairs[pairs["correction"].isin(["estimate", "now"])]
    nearest = pairs.groupby(["lifetime", "correction"], sort=False).first().reset_index()
    variants = {name: choices for name, choices in runs.VARIANTS.items() if choices.easy}
    assert len(variants) == len(nearest)
    for row in nearest.to_dict("records"):
        name = row["lifetime"] + ("" if row["correction"] == "estimate" else ", now")
        for policy in baseline.POLICIES:
            ours = variants[name].of(runs.POLICIES[policy])
            if policy == "EASY":  # whose plans, the estimates, never expire
                ours = replace(ours, correction="estimate")
            chosen = {dimension: row[dimension] for dimension in baseline.distinct_pairs()[0]}
            assert ours.kernel() == baseline.scheduler(policy, chosen).kernel(), name
