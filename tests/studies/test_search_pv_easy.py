"""PV-EASY's search and its two simulators, on short logs."""

import math

import numpy as np
import pytest

import reconstructed
import search_pv_easy as search
from notebooks.pv_easy import runs
from replication.simulator.predictors import Last, LastSubmitted
from replication.simulator.schedulers import EASY, PVEasy
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


def test_a_scheduler_has_the_choices_that_concern_its_policy():
    chosen = {"reservation": "held", "last": "last submitted job", "killed": "next-event"}
    assert search.scheduler("EASY", chosen) == EASY(reservation="held")
    assert search.scheduler("EASY-Last", chosen) == EASY(
        predictor=LastSubmitted(), reservation="held"
    )
    assert search.scheduler("PV-EASY", chosen) == PVEasy(
        predictor=LastSubmitted(), killed="next-event"
    )
    for policy, default in runs.POLICIES.items():
        assert search.scheduler(policy, {}) == default


@pytest.mark.slow
def test_the_search_finds_the_combination_of_the_least_mean_distance(workloads):
    found = search.Search(workloads)
    every = list(range(len(found.numbers)))
    assert {row.policy for row in found.numbers} == set(search.POLICIES)
    nearest, least = found.nearest(every)
    assert found.distance(every, nearest) == pytest.approx(least)
    default = found.distance(every, search.DEFAULT)
    assert default == pytest.approx(found.total(every)[search.DEFAULT])
    assert found.total(every).min() <= default <= math.log(2)
    assert not found.choices()["with_it"].isna().any()
    assert set(found.held_out()["tested_on"]) == set(workloads)
    best = found.best(nearest=nearest)
    assert len(best) == len(found.numbers)


def test_both_simulators_stand_side_by_side(workloads):
    table = reconstructed.tables(workloads)
    assert set(table["item"]) == set(reconstructed.TABLES)
    loads = table[table["item"] == "table5"]
    assert (loads[reconstructed.TEXTBOOK] == loads[reconstructed.RECONSTRUCTED]).all()
    held = runs.simulated_by(reconstructed.RECONSTRUCTED)
    assert held["EASY-Last"] == EASY(predictor=Last(), reservation="held", extra="not-used-up")
    assert held["PV-EASY"] == PVEasy()
    others = reconstructed.other_logs(workloads)
    assert len(others) == 2 * 2 * len(workloads)
    everywhere = reconstructed.other_logs(workloads, runs.SIMULATORS)
    large = reconstructed.large_blocked(workloads)
    rows = reconstructed.numbers(workloads, everywhere, large)
    assert set(rows["item"]) == {*reconstructed.TABLES, "fig02", "fig03", "fig05", "fig06"}
    assert not rows.duplicated(["item", "trace", "policy", "jobs", "measure"]).any()
    cases = reconstructed.conclusions(everywhere, large, workloads).set_index("conclusion")
    assert (
        cases.loc["PV-EASY below EASY-Last"].str.split(" of ").str[1] == str(2 * len(workloads))
    ).all()


def test_pv_easy_is_the_same_in_both_simulators_of_fig_4(workloads):
    table = reconstructed.errors(workloads, [0, 50], [1])
    of = table[table["policy"] == "PV-EASY"].pivot(
        index=["trace", "error", "measure"], columns="variant", values="mean"
    )
    assert (of[reconstructed.TEXTBOOK] == of[reconstructed.RECONSTRUCTED]).all()
    cases = reconstructed.ahead(table)
    assert [*cases["error"]] == [0, 50]
    assert (cases[reconstructed.TEXTBOOK].str.split(" of ").str[1] == str(2 * len(workloads))).all()


def test_now_alone_backfills_on_extra_processors_of_a_head_that_is_due(workloads):
    table = reconstructed.corrections(workloads).set_index(["correction"])
    assert (table.loc[["request"], "on_extra"] == 0).all()
    assert table.loc[["now"], "postponed"].sum() >= table.loc[["request"], "postponed"].sum()
