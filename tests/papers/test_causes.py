"""The interventions: what is changed is changed, and nothing else; and what is said of it is worked out rightly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.papers import placebo
from replication.papers.heel_and_toe import causes, claims
from replication.papers.pv_easy import slowdown
from replication.papers.rules import answers
from replication.papers.top_percent import bias
from replication.papers.top_percent.runs import POLICIES
from replication.simulator.schedules.schedule import Schedule
from tests.workloads import jobs, random_jobs


@pytest.fixture(scope="module")
def some():
    return random_jobs(400, 32, 30 * 24 * 3600, 4000, 9000, name="some")


def test_equal_run_times_keep_the_work(some):
    equal = causes.equal_run_times(some)
    assert len(set(equal.run_time)) == 1
    work = [(one.run_time * one.processors).sum() for one in (some, equal)]
    assert work[1] == pytest.approx(work[0], rel=0.001)
    assert np.array_equal(equal.submit, some.submit)


def test_estimates_are_permuted_within_size_classes_alike_at_every_f(some):
    exact, wide = (causes.Permuted(f).estimate(some, 1) for f in (0, 2))
    classes = np.frexp(some.processors)[1]
    for one in set(classes):
        assert sorted(exact[classes == one]) == sorted(some.run_time[classes == one])
    assert ((wide >= exact) & (wide <= 3 * exact + 1)).all()
    assert abs(np.corrcoef(exact, some.run_time)[0, 1]) < 0.2
    assert exact.tolist() != causes.Permuted(0).estimate(some, 2).tolist()


def curve(gain):
    """A sweep of four seeds in which every f gains so many per cent of f = 0."""
    rows = [
        {"log": "a", "load": "log", "scheduler": repr(rp.EASY()), "f": f, "seed": seed}
        | {"wild": f / 50, "backfilled": 0.4, "mean_wait": wait, "mean_bounded_slowdown": wait}
        for seed in range(4)
        for f, wait in ((0.0, 100.0), *((one, 100.0 - gain + seed - 1.5) for one in causes.CASES))
    ]
    return pd.DataFrame(rows)


def test_what_is_left_is_the_share_of_the_gain_without_the_cause():
    gain = causes.gains(curve(20)).query("f == 3 and measure == 'mean_wait'")
    assert gain[["gain", "wild", "backfilled"]].to_numpy().tolist() == [[20, 6, 40]]
    left, summary = causes.left(curve(20), curve(5))
    assert left["left"].to_numpy() == pytest.approx(25)
    assert left["lost"].to_numpy() == pytest.approx(15)
    assert (left["lost low"] <= left["lost"]).all() and (left["lost"] <= left["lost high"]).all()
    # The same seeds are drawn with and without the cause: fewer minutes on both sides.
    assert (left["left low"] < 25).all() and (left["left high"] > 25).all()
    assert (left["left high"] - left["left low"] < 15).all()
    assert summary[["range", "cases", "explained", "sure"]].to_numpy().tolist() == [
        ["small f", 8, 8, 8],
        ["large f", 4, 4, 4],
    ]
    assert summary["left"].to_numpy() == pytest.approx(25)
    assert causes.left(curve(20), curve(15))[1]["explained"].sum() == 0


def test_of_no_gain_nothing_is_left_to_explain():
    left, summary = causes.left(curve(0.5), curve(5))
    assert left["left"].isna().all() and summary["left"].isna().all()
    assert summary["cases"].sum() == 0


def test_order_contributes_to_a_case_only_under_both_interventions():
    changed = {causes.EQUAL: curve(5), causes.PERMUTED: curve(15)}
    left, _ = causes.left_without_order(curve(20), changed)
    cases = list(claims.gains_lost(left, causes.LARGE_F, ["a"]))
    assert {case.part for case in cases} == {causes.EQUAL, causes.PERMUTED}
    for threshold, held in ((5, True), (5.5, False)):
        given = answers([case.row() for case in cases], {"operator": ">=", "threshold": threshold})
        assert [one.holds for one in given.values()] == [held] * 4
    assert not list(claims.gains_lost(left, causes.LARGE_F, ["b"]))


def test_random_backfills_are_compared_where_as_many_are_wild():
    table = curve(20)
    rows = [
        {"log": "a", "scheduler": f"let past {share}", "seed": seed, "wild": wild}
        | {"mean_wait": 100 - 200 * wild, "mean_bounded_slowdown": 100.0}
        for share, wild in ((0, 0.0), (0.5, 0.05), (1, 0.1))
        for seed in range(3)
    ]
    found = causes.at_equal_wild(table, pd.DataFrame(rows)).set_index(["measure", "f"])
    assert found.loc[("mean_wait", 1), "random"] == pytest.approx(4)  # at 2 % wild
    gain = found.loc[("mean_wait", 1), ["gain low", "gain", "gain high"]]
    assert gain.iloc[1] == pytest.approx(20) and gain.is_monotonic_increasing
    assert found.loc[("mean_bounded_slowdown", 3), "random"] == pytest.approx(0)
    assert np.isnan(found.loc[("mean_wait", 10), "random"])  # 20 % wild: more than was tried


def test_gains_and_losses_sum_up_to_the_change_of_all_waits(some):
    before, after = rp.simulate(some, rp.EASY(), rp.Exact()), rp.simulate(some)
    third, nothing = rp.simulate(some, rp.FCFS()), [(after, [after])]
    changes = {("some", "to real"): causes.Change(before, [after], third, nothing)}
    balance = causes.balance(changes).iloc[0]
    change = (after.wait - before.wait).sum() / causes.DAY
    assert balance["lost"] - balance["gained"] == pytest.approx(change)
    assert balance["low"] < balance["lost of gained"] < balance["high"]
    assert balance["lost, placebo"] == balance["gained, placebo"] == 0
    table = causes.who_pays(changes).set_index("jobs")
    assert table.loc["all", "minutes"] * 60 * len(some) / causes.DAY == pytest.approx(change)
    assert table.loc["all", "low"] <= table.loc["all", "minutes"] <= table.loc["all", "high"]
    quarters = {"short", "long", "narrow", "wide"}
    assert set(table.index) == {"all", causes.HEADS, causes.OWN_HEADS} | quarters
    assert (table["placebo"] == 0).all()


def test_heads_are_those_of_a_third_schedule():
    # Each of three schedules blocks one job: 1, 2 or 3. A job of 10 s waits 10 s longer in the second than in the first, and so on.
    log = jobs(4, (0, 10, 4), (0, 10, 4), (0, 10, 4), (0, 10, 4))

    def schedule(*start):
        none = np.zeros(len(start), bool)
        return Schedule(log, None, None, None, np.array(start), log.estimate, none)

    before, after, third = schedule(0, 10, 10, 10), schedule(0, 15, 30, 40), schedule(0, 0, 10, 10)
    first, second = schedule(0, 10, 10, 20), schedule(0, 10, 20, 20)
    change = causes.Change(before, [after], third, [(first, [second]), (second, [first])])
    table = causes.who_pays({("a", "b"): change}).set_index("jobs")
    assert table.loc[causes.HEADS, ["share", "minutes", "per cent"]].tolist() == [25, 20 / 60, 200]
    assert table.loc[causes.OWN_HEADS, ["share", "per cent"]].tolist() == [25, 50]
    # Job 2 waits 10 s more and 10 s less than 10 and 20 s. The first blocks jobs 1 and 3, the second jobs 1 and 2: 0 s of 30, and
    # -10 s of 30.
    assert table.loc[causes.HEADS, "placebo"] == 0
    assert table.loc[causes.OWN_HEADS, "placebo"] == pytest.approx(-100 / 6)


def test_a_placebo_moves_each_submission_by_up_to_a_minute(some):
    moved = placebo.shifted(some, 1)
    by = moved.submit - some.submit
    assert by.min() >= 0 and by.max() <= placebo.MINUTE and by.std() > 10
    assert moved.run_time.tolist() == some.run_time.tolist()
    assert moved.submit.tolist() != placebo.shifted(some, 2).submit.tolist()
    own = rp.simulate(some, rp.EASY(), rp.FModel(3), 5)
    again = placebo.again(own, 2)
    assert [one.workload.submit[0] for one in again] != [some.submit[0]] * 2
    assert all(one.estimate.tolist() == own.estimate.tolist() for one in again)


def test_comparisons_have_placebos_without_an_effect(some):
    changes = causes.changes_of_estimates({"a": some}, [3], [1, 2, 3])
    doubled, to_real, by_f = changes.values()
    assert (
        doubled.third.estimates == to_real.before.estimates == by_f.before.estimates == rp.Exact()
    )
    assert doubled.before.estimates == by_f.third.estimates == rp.Users()
    assert to_real.third.estimates == doubled.after[0].estimates == rp.Users(2)
    pairs = [(one.seed, [other.seed for other in others]) for one, others in by_f.placebos]
    assert pairs == [(1, [2, 3]), (2, [1, 3]), (3, [1, 2])]
    for change in (doubled, to_real):
        [(nothing, moved)] = change.placebos
        assert nothing is change.before and len(moved) == placebo.DRAWS


@pytest.mark.parametrize("policy", ["Complete", "CVH", "Tsafrir", "Top03"])
def test_recorded_predictions_give_the_predictors_own_schedule(some, policy):
    own = rp.simulate(some, replace(bias.AT_SUBMISSION, predictor=POLICIES[policy]))
    made = bias.predictions_at_submission(some, [policy])[policy]
    again = rp.simulate(some, replace(bias.AT_SUBMISSION, predictor=bias.Recorded(tuple(made))))
    assert again.start.tolist() == own.start.tolist()
    half = bias.Recorded(tuple(made / 2))
    halved = rp.simulate(some, replace(bias.AT_SUBMISSION, predictor=half))
    least = np.minimum(1, some.estimate)  # P26: a prediction below 1 s counts as 1 s
    expected = np.clip(np.rint(made / 2), least, some.estimate)
    assert halved.first_prediction.tolist() == expected.tolist()


def test_values_are_dealt_out_in_the_order_of_others():
    assert bias.in_order_of([30, 10, 20], [1, 2, 3]).tolist() == [3, 1, 2]
    assert bias.in_order_of([5, 5, 1], [7, 8, 9]).tolist() == [8, 9, 7]


@pytest.mark.parametrize(("of", "expected"), [("values", (100, 0)), ("order", (0, 100))])
def test_differences_are_shared_out_between_values_and_order(of, expected):
    order, values = np.mgrid[:3, :4]
    grid = {"values": values, "order": order}[of][..., None] * np.array([1.0, 2.0])
    shares = bias.shares(grid)
    for draw in range(2):
        found = shares["values"][draw], shares["order"][draw]
        assert found == pytest.approx(expected, abs=1e-9)
    assert shares["together"] == pytest.approx(0, abs=1e-9)


def test_parts_are_compared_with_easy():
    log = jobs(4, *[(3600 * k, 5000 + 40 * k, 1 + k % 4) for k in range(40)])
    schedules = {"EASY": rp.simulate(log), "FCFS": rp.simulate(log, rp.FCFS())}
    table = slowdown.over_easy({"tiny": schedules})
    means = [slowdown.measures.mbs(one.wait, log.run_time) for one in schedules.values()]
    plain = table[table["measure"] == slowdown.MEASURES["mbs"]].set_index("log")
    assert plain.loc["tiny", "over"] == pytest.approx(means[1] / means[0])
    assert plain.loc[slowdown.ALL, "over"] == plain.loc["tiny", "over"]  # of one log
    assert set(table["part"]) == {"FCFS"}
