"""The interventions: what is changed is changed, and nothing else; and what is said of it is worked out rightly."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.papers.heel_and_toe import causes
from replication.papers.pv_easy import slowdown
from replication.papers.top_percent import bias
from replication.papers.top_percent.runs import POLICIES
from tests.workloads import jobs


@pytest.fixture(scope="module")
def some():
    rng = np.random.default_rng(5)
    run_time = rng.integers(1, 4000, 400)
    return rp.Workload.from_columns(
        "some",
        32,
        submit=np.sort(rng.integers(0, 30 * 24 * 3600, 400)),
        run_time=run_time,
        processors=rng.integers(1, 33, 400),
        estimate=run_time + rng.integers(0, 9000, 400),
        user=rng.integers(0, 9, 400),
    )


def test_where_run_times_are_alike_the_work_stays(some):
    alike = causes.runs_alike(some)
    assert len(set(alike.run_time)) == 1
    work = [(one.run_time * one.processors).sum() for one in (some, alike)]
    assert work[1] == pytest.approx(work[0], rel=0.001)
    assert np.array_equal(alike.submit, some.submit)


def curves(gains):
    """A sweep of four seeds at f = 0 and 1 in which f = 1 gains so many per cent under each scheduler."""
    rows = [
        {"log": "a", "load": "log", "scheduler": name, "f": f, "seed": seed, "wild": f / 50}
        | {"mean_wait": wait, "mean_bounded_slowdown": wait}
        for name, gain in gains.items()
        for seed in range(4)
        for f, wait in ((0.0, 100.0), *((one, 100.0 - gain + seed - 1.5) for one in (1, 3, 10)))
    ]
    return pd.DataFrame(rows)


def test_what_is_left_is_the_share_of_the_gain_without_the_cause():
    table = curves({repr(rp.EASY()): 20, causes.FORBIDDEN: 5})
    gain = causes.gains(table).query("f == 3 and measure == 'mean_wait'").set_index("scheduler")
    assert gain["gain"].to_dict() == {repr(rp.EASY()): 20, causes.FORBIDDEN: 5}
    left, median = causes.left(table)
    assert left["left"].to_numpy() == pytest.approx(25)
    assert median[0] == pytest.approx(25) and 20 < median[1] < 25 < median[2] < 30
    assert causes.median_gain(table[table["scheduler"] == causes.FORBIDDEN])[0] == pytest.approx(5)
    # The same seeds are drawn with and without the cause: fewer minutes on both sides.
    assert (left["left low"] < 25).all() and (left["left high"] > 25).all()
    assert (left["left high"] - left["left low"] < 15).all()


def test_of_no_gain_nothing_is_left_to_explain():
    left, median = causes.left(curves({repr(rp.EASY()): 0.5, causes.FORBIDDEN: 5}))
    assert left["left"].isna().all() and np.isnan(median).all()


def test_random_backfills_are_compared_where_as_many_are_wild():
    table = curves({repr(rp.EASY()): 20})
    rows = [
        {"log": "a", "scheduler": f"let past {share}", "seed": seed, "wild": wild}
        | {"mean_wait": 100 - 200 * wild, "mean_bounded_slowdown": 100.0}
        for share, wild in ((0, 0.0), (0.5, 0.05), (1, 0.1))
        for seed in range(3)
    ]
    found = causes.at_equal_wild(table, pd.DataFrame(rows)).set_index(["measure", "f"])
    assert found.loc[("mean_wait", 1), "random"] == pytest.approx(4)  # at 2 % wild
    assert found.loc[("mean_bounded_slowdown", 3), "random"] == pytest.approx(0)
    assert np.isnan(found.loc[("mean_wait", 10), "random"])  # 20 % wild: more than was tried


def test_gains_and_losses_sum_up_to_the_change_of_all_waits(some):
    before, after = rp.simulate(some, rp.EASY(), rp.Exact()), rp.simulate(some)
    changes = {("some", "to real"): (before, [after])}
    balance = causes.balance(changes).iloc[0]
    change = (after.wait - before.wait).sum() / causes.DAY
    assert balance["lost"] - balance["gained"] == pytest.approx(change)
    assert balance["low"] < balance["lost of gained"] < balance["high"]
    table = causes.who_pays(changes).set_index("jobs")
    assert table.loc["all", "minutes"] * 60 * len(some) / causes.DAY == pytest.approx(change)
    assert table.loc["all", "low"] <= table.loc["all", "minutes"] <= table.loc["all", "high"]
    assert set(table.index) == {"all", "heads", "short", "long", "narrow", "wide"}


@pytest.mark.parametrize("policy", ["Complete", "CVH", "Tsafrir", "Top03"])
def test_recorded_predictions_give_the_predictors_own_schedule(some, policy):
    own = rp.simulate(some, replace(bias.AT_SUBMISSION, predictor=POLICIES[policy]))
    made = bias.made_at_submission(some, [policy])[policy]
    again = rp.simulate(some, replace(bias.AT_SUBMISSION, predictor=bias.Recorded(tuple(made))))
    assert again.start.tolist() == own.start.tolist()
    halved = rp.simulate(
        some, replace(bias.AT_SUBMISSION, predictor=bias.Recorded(tuple(made / 2)))
    )
    assert halved.first_prediction.tolist() == np.clip(np.rint(made / 2), 0, some.estimate).tolist()


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
