"""PV-EASY's search, and the forms of EASY's reservation, on short logs."""

import math

import numpy as np
import pandas as pd
import pytest

import reconstructed
import search_pv_easy as search
from notebooks.paper_easy import PaperEASY
from notebooks.pv_easy import runs
from replication.simulator import paths
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


def test_a_scheduler_has_the_choices_that_concern_its_policy():
    chosen = {"reservation": "until start", "plans": "unaged", "correction": "now"}
    own = {"reservation": "until-start", "plans": "unaged"}
    assert search.scheduler("EASY", chosen) == PaperEASY(**own)
    last = PaperEASY(predictor=Last(), correction="now", **own)
    assert search.scheduler("EASY-Last", chosen) == last
    assert search.scheduler("PV-EASY", chosen) == PVEasy(correction="now")
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
    some = found.some(("EASY",))
    assert {row.measure for row in map(found.numbers.__getitem__, some)} == {
        *("delayed", "blocked", "mean_delay", "backfilled")
    }
    forms = {form: found.nearest_of_form(form, some) for form in search.FORMS}
    assert min(distance for _, distance in forms.values()) == pytest.approx(found.nearest(some)[1])
    for form, (combination, distance) in forms.items():
        assert found.distance(some, combination) == pytest.approx(distance)
        assert ("plans: unaged" in search.words(combination)) == (form == "unaged")
    table = found.forms()
    assert len(table) == 2 * 3 * len(search.FORMS) and set(table["allowed"]) <= {"yes", ""}
    assert set(found.held_out()["tested_on"]) == set(workloads)
    best = found.best(nearest=nearest)
    assert len(best) == len(found.numbers)


def test_the_forms_shown_are_allowed_by_the_tables():
    table = pd.read_csv(paths.FIGURES / "studies/interpretations/pv_easy-forms.csv")
    for form in runs.LASTING:
        some = []
        for words in table.loc[(table["form"] == form) & (table["allowed"] == "yes"), "choices"]:
            chosen = dict(one.split(": ") for one in words.split("; "))
            some.append(search.scheduler("EASY", chosen))
        simplest = min(some, key=lambda scheduler: repr(scheduler).count("="))
        # Without too short estimates no reservation of EASY's is overdue.
        assert PaperEASY(**runs.FORMS[form] | {"overdue": simplest.overdue}) == simplest, form


def test_all_forms_stand_beside_each_other(workloads):
    table = reconstructed.tables(workloads)
    assert set(table["item"]) == set(reconstructed.TABLES)
    loads = table[table["item"] == "table5"]
    assert (loads[runs.TEXTBOOK] == loads["until start"]).all()
    held = runs.simulated_by("until start, now")
    fields = {"reservation": "until-start", "extra": "not-used-up", "correction": "now"}
    assert held["EASY-Last"] == PaperEASY(predictor=Last(), **fields)
    assert held["PV-EASY"] == PVEasy(correction="now")
    everywhere = reconstructed.other_logs(workloads)
    assert len(everywhere) == 2 * len(runs.SIMULATORS) * len(workloads)
    rows = reconstructed.numbers(workloads, everywhere)
    assert set(rows["item"]) == {*reconstructed.TABLES, "fig05", "fig06"}
    assert not rows.duplicated(["item", "trace", "policy", "jobs", "measure"]).any()
    cases = reconstructed.conclusions(everywhere, workloads).set_index("conclusion")
    assert [*cases] == [*runs.SIMULATORS]
    below = cases.loc["PV-EASY below EASY-Last"].str.split(" of ").str[1]
    assert (below == str(2 * len(workloads))).all()


def test_pv_easy_is_the_same_in_all_forms_of_fig_4(workloads):
    table = reconstructed.errors(workloads, [0, 50], [1])
    of = table[table["policy"] == "PV-EASY"].pivot(
        index=["trace", "error", "measure"], columns="form", values="mean"
    )
    assert (of[runs.TEXTBOOK] == of["until start"]).all()
    cases = reconstructed.ahead(table)
    assert [*cases["error"]] == [0, 50]
    assert (cases[runs.TEXTBOOK].str.split(" of ").str[1] == str(2 * len(workloads))).all()


def test_now_alone_backfills_on_extra_processors_of_a_head_that_is_due(workloads):
    table = reconstructed.corrections(workloads).set_index(["correction"])
    assert (table.loc[["request"], "on_extra"] == 0).all()
    assert table.loc[["now"], "postponed"].sum() >= table.loc[["request"], "postponed"].sum()
