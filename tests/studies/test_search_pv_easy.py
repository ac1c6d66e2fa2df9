"""PV-EASY's search, and the variants of its baseline, on short logs."""

import math
from dataclasses import replace

import numpy as np
import pytest

import reconstructed
import search_pv_easy as search
from notebooks.paper_easy import PaperEASY
from notebooks.pv_easy import runs
from replication.simulator.predictors import Last
from replication.simulator.schedulers import PVEasy
from tests.workloads import jobs


@pytest.fixture(scope="module")
def workloads():
    rng = np.random.default_rng(7)

    def draw(log):
        submit = np.sort(rng.integers(0, 400, 60))
        run_time, size, more = (rng.integers(*ends, 60) for ends in ((1, 60), (1, 9), (0, 5)))
        rows = zip(submit, run_time, size, run_time * (1 + more), strict=True)
        return jobs(8, *rows).replace(name=log, stand_in=True, user=rng.integers(0, 4, 60))

    return {log: draw(log) for log in ("CTC-SP2", "SDSC-DS")}


@pytest.fixture(scope="module")
def found(workloads):
    return search.Search(workloads)


def test_a_scheduler_has_the_choices_that_concern_its_policy():
    chosen = {"lifetime": "until start", "ageing": "aged", "correction": "now", "blocked": "any"}
    assert search.scheduler("EASY", chosen) == PaperEASY(lifetime="until-start")
    last = PaperEASY(predictor=Last(), correction="now", lifetime="until-start")
    assert search.scheduler("EASY-Last", chosen) == last


def test_choices_without_an_effect_are_no_other_scheduler(found):
    """Plans that do not age never expire; without extra processors none are counted again."""
    last = found.policies["EASY-Last"]

    def place(**chosen):
        textbook = dict(found.pairs[0])
        return last.of_pair[found.pairs.index(textbook | chosen)]

    assert place(ageing="unaged") == place(ageing="unaged", correction="now")
    assert place() != place(correction="now") and place() != place(ageing="unaged")
    none = {"lifetime": "until due", "extra": "none"}
    assert (
        place(**none) == place(**none, recount="at every pass") == place(**none, overdue="closed")
    )
    assert place(recount="at every pass") == place()  # it lasts no longer than a pass
    assert len(set(last.of_pair)) == len(last.schedulers) < len(found.pairs)


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
                schedule = search.simulate(work, one)
                ours = policy.count(schedule, way, [row.measure for row in own])
                pairs = zip(ours, own, strict=True)
                away += [search.logarithmic_distance(value, row.value) for value, row in pairs]
            best = min(best, sum(away))
        sums[name], count = best, count + len(away)
        assert found.distances((name,))[pair] == pytest.approx(best / len(away))
    assert found.distances()[pair] == pytest.approx(sum(sums.values()) / count)
    assert count == 8 * len(workloads)


def test_the_tables_agree_with_each_other(found, workloads):
    tables = found.tables()
    assert [*tables] == [*search.CAPTIONS]
    pairs, lifetimes, choices = tables["pairs"], tables["lifetimes"], tables["choices"]
    least = pairs[search.BOTH].min()
    assert pairs[search.BOTH].is_monotonic_increasing and lifetimes[search.BOTH].min() == least
    assert len(pairs) == tables["tried"]["schedulers"].iloc[-1]
    of_both = choices[choices["numbers"] == search.BOTH]
    assert (of_both.groupby("dimension")["with_it"].min() == least).all()
    for row in of_both[of_both["dimension"].isin(["lifetime", "ageing", "extra"])].itertuples():
        assert row.with_it == pairs.loc[pairs[row.dimension] == row.choice, search.BOTH].min()
    allowed = lifetimes.groupby("lifetime")[search.BOTH].min() < 1.1 * least
    assert set(lifetimes.loc[lifetimes["allowed"] == "yes", "lifetime"]) == {
        *allowed[allowed].index
    }
    assert (lifetimes.loc[lifetimes["shown"] == "yes", "ageing"] == "aged").all()
    assert set(choices["left_out"]) <= {*range(len(workloads) + 1)}


def test_the_variants_are_the_nearest_pairs_of_the_search():
    """Of each lifetime but the textbook's, with either correction; allowed as the search says."""
    table = search.read()["lifetimes"]
    table = table[(table["ageing"] == "aged") & (table["lifetime"] != "computed at every pass")]
    expected = {}
    for row in table.itertuples():
        name = row.lifetime + ("" if row.correction == "estimate" else f", {row.correction}")
        expected[name] = dict(one.split(": ") for one in row.choices.split("; "))
        assert (name in runs.ALLOWED) == (row.allowed == "yes") == (row.shown == "yes")
    own = {name: one for name, one in runs.VARIANTS.items() if one.easy}
    assert own.keys() == expected.keys()
    for name, variant in own.items():
        for policy in search.POLICIES:
            ours = variant.of(runs.POLICIES[policy])
            if policy == "EASY":  # whose plans, the estimates, never expire
                ours = replace(ours, correction="estimate")
            assert ours.kernel() == search.scheduler(policy, expected[name]).kernel(), name


def test_all_variants_stand_beside_each_other(workloads):
    table = reconstructed.tables(workloads)
    assert set(table["item"]) == set(reconstructed.TABLES)
    loads = table[table["item"] == "table5"]
    assert (loads[runs.TEXTBOOK] == loads["until start"]).all()
    now = runs.VARIANTS["until start, now"]
    fields = runs.VARIANTS["until start"].easy | {"correction": "now"}
    assert now.of(runs.POLICIES["EASY-Last"]) == PaperEASY(predictor=Last(), **fields)
    assert now.of(runs.POLICIES["PV-EASY"]) == PVEasy(correction="now")
    everywhere = reconstructed.other_logs(workloads)
    assert len(everywhere) == 2 * len(runs.VARIANTS) * len(workloads)
    rows = reconstructed.numbers(workloads, everywhere)
    assert set(rows["item"]) == {*reconstructed.TABLES, "fig05", "fig06"}
    assert not rows.duplicated(["item", "trace", "policy", "jobs", "measure"]).any()
    cases = reconstructed.conclusions(everywhere, rows, workloads).set_index("conclusion")
    assert [*cases] == [*runs.VARIANTS]
    below = cases.loc["PV-EASY below EASY-Last"].str.split(" of ").str[1]
    assert (below == str(2 * len(workloads))).all()
    assert {*cases.columns[cases.loc["allowed by the tables"] == "yes"]} == {*runs.ALLOWED}


def test_a_distance_counts_each_number_without_maxima_once(workloads):
    """Numbers equal to the published ones, but for one that differs by a factor of 1.1."""
    table = reconstructed.numbers(workloads, reconstructed.other_logs(workloads))
    for name in runs.VARIANTS:
        table[name] = table["published"]
    is_mean = (table["trace"] == "SDSC-DS") & (table["measure"] == "mean_delay")
    table.loc[is_mean, "until due"] *= 1.1
    table.loc[table["measure"] == "max_delay", "until due"] *= 3
    away = reconstructed.distances(table)
    expected = {"EASY": 100 * math.log(1.1) / 8, "EASY-Last": 0}
    expected[search.BOTH] = expected["EASY"] / 2
    assert away["until due"] == pytest.approx(expected, rel=0.01)
    assert set(away["until start"].values()) == {0}


def test_pv_easy_is_the_same_in_all_variants_of_fig_4(workloads):
    table = reconstructed.errors(workloads, [0, 50], [1])
    of = table[table["policy"] == "PV-EASY"].pivot(
        index=["trace", "error", "measure"], columns="variant", values="mean"
    )
    assert (of[runs.TEXTBOOK] == of["until start"]).all()
    cases = reconstructed.ahead(table)
    assert [*cases["error"]] == [0, 50]
    assert (cases[runs.TEXTBOOK].str.split(" of ").str[1] == str(2 * len(workloads))).all()


def test_now_alone_backfills_on_extra_processors_of_a_head_that_is_due(workloads):
    table = reconstructed.corrections(workloads).set_index(["correction"])
    assert (table.loc[["estimate"], "on_extra"] == 0).all()
    assert table.loc[["now"], "postponed"].sum() >= table.loc[["estimate"], "postponed"].sum()
