"""The search for PV-EASY's baseline, on short logs."""

import copy
import math

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


@pytest.fixture(scope="module")
def search():
    return baseline.Search({"CTC-SP2": draw("CTC-SP2", 7), "SDSC-BLUE": draw("SDSC-BLUE", 8)})


def test_a_scheduler_is_as_far_as_the_best_count_of_the_reservations_it_makes(search):
    """Counted by hand: one pair, one policy at a time, over all ways."""
    pair = search.nearest({"lifetime": "until start", "ageing": "aged", "correction": "now"})
    means = {}
    for name, policy in search.policies.items():
        choices, best = policy.schedulers[policy.of_pair[pair]], math.inf
        for way in policy.ways:
            away = []
            for log in search.logs:
                rows = [
                    row
                    for row in policy.numbers
                    if row.trace == log and not row.measure.startswith("max_")
                ]
                schedule = simulate(draw(log, {"CTC-SP2": 7, "SDSC-BLUE": 8}[log]), choices)
                ours = policy.count(schedule, way, [row.measure for row in rows])
                pairs = zip(ours, rows, strict=True)
                away += [baseline.logarithmic_distance(value, row.value) for value, row in pairs]
            if way.get("whose") != "users' estimates":
                best = min(best, np.mean(away))
        means[name] = best
        assert search.distances((name,))[pair] == pytest.approx(best)
        assert len(away) == 4 * len(search.logs)
    assert search.distances()[pair] == pytest.approx(max(means.values()))


def test_each_policy_of_a_simulator_that_votes_is_near(search):
    """With distances drawn at random, as such short logs are far from the printed numbers."""
    drawn, random = copy.copy(search), np.random.default_rng(1)
    drawn.policies = {name: copy.copy(policy) for name, policy in search.policies.items()}
    for policy in drawn.policies.values():
        means = random.uniform(0.1, 0.3, len(policy.schedulers))
        policy.distances = np.broadcast_to(means[:, None, None], policy.values.shape)
    easy, both = drawn.simulators(("EASY",)), drawn.simulators()
    assert (len(easy), len(both)) == (68, 136)
    assert {drawn.pairs[pair]["correction"] for pair in easy.values()} == {"estimate"}
    away = drawn.away()
    for of, simulators in ((("EASY",), easy), (baseline.POLICIES, both)):
        near = {name for name in simulators if max(away[name].values()) <= 20}
        assert {*drawn.voters(of)} == near and 0 < len(near) < len(simulators)
        assert {frozenset(away[name]) for name in simulators} == {frozenset(of)}
    assert {*drawn.voters()} < {*drawn.voters(limit=1.2)}


def test_logs_without_printed_numbers_leave_no_vote():
    search = baseline.Search({"KTH-SP2": draw("KTH-SP2", 7)})
    assert np.isnan(search.distances()).all() and not search.voters()


def test_the_variants_vote_in_the_search():
    """Of each lifetime but the textbook's: the nearest to EASY's numbers, and a pair with now."""
    table = pd.read_csv(paths.FIGURES / "studies/interpretations/pv_easy-pairs.csv")
    table = table.fillna({"extra": "none"})
    dimensions = [*baseline.distinct_pairs()[0]]
    for name, variant in runs.VARIANTS.items():
        if not variant.easy:
            continue
        pairs = [
            pair
            for pair in table.to_dict("records")
            if all(
                variant.of(runs.POLICIES[policy]).kernel()[2]
                == baseline.scheduler(policy, {key: pair[key] for key in dimensions}).kernel()[2]
                for policy in baseline.POLICIES
            )
        ]
        if name.endswith(", now"):
            assert [pair["votes"] for pair in pairs if pair["correction"] == "now"] == ["yes"]
        else:
            aged = table[(table["lifetime"] == name) & (table["ageing"] == "aged")]
            assert {pair["EASY"] for pair in pairs} == {aged["EASY"].min()}
