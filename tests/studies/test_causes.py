"""The interventions: what is changed is changed, and nothing else; and what is said of it is worked
out rightly.
"""

import math

import numpy as np
import pandas as pd
import pytest

import causes
import replication as rp
from notebooks import placebo
from tests.cases import values_by_case as cases_of
from tests.workloads import jobs, schedule_of


def test_equal_run_times_keep_the_work(random_log):
    equal = causes.equal_run_times(random_log)
    assert len(set(equal.run_time)) == 1
    work = [(workload.run_time * workload.processors).sum() for workload in (random_log, equal)]
    assert work[1] == pytest.approx(work[0], rel=0.001)
    assert np.array_equal(equal.submit, random_log.submit)


def test_estimates_are_permuted_within_size_classes_alike_at_every_f(random_log):
    exact, wide = (causes.Permuted(f).estimate(random_log, 1) for f in (0, 2))
    classes = np.frexp(random_log.processors)[1]
    for size_class in set(classes):
        assert sorted(exact[classes == size_class]) == sorted(
            random_log.run_time[classes == size_class]
        )
    assert ((wide >= exact) & (wide <= 3 * exact + 1)).all()
    assert abs(np.corrcoef(exact, random_log.run_time)[0, 1]) < 0.2
    assert exact.tolist() != causes.Permuted(0).estimate(random_log, 2).tolist()


def curve(gain):
    """A sweep of four seeds in which every f gains so many per cent of f = 0."""
    rows = [
        {"log": "a", "load": "log", "scheduler": repr(rp.EASY()), "f": f, "seed": seed}
        | {"wild": f / 50, "backfilled": 0.4, "mean_wait": wait, "mean_bounded_slowdown": wait}
        for seed in range(4)
        for f, wait in ((0.0, 100.0), *((f, 100.0 - gain + seed - 1.5) for f in causes.CASES))
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
    # Of no gain nothing is left to explain.
    left, summary = causes.left(curve(0.5), curve(5))
    assert left["left"].isna().all() and summary["left"].isna().all()
    assert summary["cases"].sum() == 0


def test_heads_are_those_of_a_third_schedule():
    # Each of three schedules blocks one job: 1, 2 or 3. A job of 10 s waits 10 s longer in the
    # second than in the first, and so on.
    log = jobs(4, (0, 10, 4), (0, 10, 4), (0, 10, 4), (0, 10, 4))

    starts = (0, 10, 10, 10), (0, 15, 30, 40), (0, 0, 10, 10), (0, 10, 10, 20), (0, 10, 20, 20)
    before, after, third, first, second = (schedule_of(log, *start) for start in starts)
    change = causes.Change(before, [after], third, [(first, [second]), (second, [first])])
    table = causes.who_pays({("a", "b"): change}).set_index("jobs")
    assert table.loc[causes.HEADS, ["share", "minutes", "per cent"]].tolist() == [25, 20 / 60, 200]
    assert table.loc[causes.OWN_HEADS, ["share", "per cent"]].tolist() == [25, 50]
    # Job 2 waits 10 s more and 10 s less than 10 and 20 s. The first blocks jobs 1 and 3, the
    # second jobs 1 and 2: 0 s of 30, and -10 s of 30.
    assert table.loc[causes.HEADS, "placebo"] == 0
    assert table.loc[causes.OWN_HEADS, "placebo"] == pytest.approx(-100 / 6)
    # Jobs 1 to 3 wait 5, 20 and 30 s more.
    lost = causes.balance({("a", "b"): change}).iloc[0][["lost", "gained"]]
    assert lost.tolist() == pytest.approx([55 / causes.DAY, 0])


def test_a_placebo_moves_each_submission_by_up_to_a_minute(random_log):
    moved = placebo.shifted(random_log, 1)
    by = moved.submit - random_log.submit
    assert by.min() >= 0 and by.max() <= placebo.MINUTE and by.std() > 10
    assert moved.run_time.tolist() == random_log.run_time.tolist()
    assert moved.submit.tolist() != placebo.shifted(random_log, 2).submit.tolist()
    schedule = rp.simulate(random_log, rp.EASY(), rp.FModel(3), 5)
    again = placebo.again(schedule, 2)
    assert [shifted.workload.submit[0] for shifted in again] != [random_log.submit[0]] * 2
    assert all(shifted.estimate.tolist() == schedule.estimate.tolist() for shifted in again)


def test_cases_of_the_claims_on_what_is_left_and_what_is_gained():
    rows = [("log", 1, 40, 30, 55), ("high", 1, *[math.nan] * 3), ("log", 3, 9, 8, 10)]
    left = pd.DataFrame(rows, columns=["load", "f", "left", "left low", "left high"])
    left = left.assign(log="CTC-SP2", measure="mean_wait")
    assert cases_of(causes.gains_left(left, [1, 2])) == {"CTC-SP2 wait, f = 1": (40, 30, 55)}
    cases = causes.gains_left(left.assign(without="order"), [3])
    assert cases_of(cases) == {"CTC-SP2 wait, f = 3": {"order": (9, 8, 10)}}
    rows = [(1, 5, 4, 6), (3, 3, 2, 4)]
    more = pd.DataFrame(rows, columns=["f", "difference", "difference low", "difference high"])
    more = more.assign(log="CTC-SP2", measure="mean_wait")
    assert cases_of(causes.more_gained(more, [3, 10], ["CTC-SP2"])) == {
        "CTC-SP2 wait, f = 3": (3, 2, 4)
    }
    assert not cases_of(causes.more_gained(more, [3, 10], ["KTH-SP2-2"]))


def test_heads_pay():
    # 50 % are 10 min, so 8 and 14 min are 40 and 70 %.
    rows = [
        ("heads", "f = 1"),
        ("others", "f = 1"),
        ("heads", "perfect to real"),
        ("heads", "f = 3"),
        ("heads", "real, doubled"),
    ]
    payers = pd.DataFrame(rows, columns=["jobs", "change"])
    payers[["log", "per cent", "minutes", "low", "high"]] = "CTC-SP2", 50, 10, 8, 14
    payers["placebo"] = [0.5, 60, 60, 60, 0.5]
    cases = list(causes.heads_pay(payers, doubled=False))
    assert cases_of(cases) == {"CTC-SP2, f = 1": (50, 40, 70), "CTC-SP2, f = 3": (50, 40, 70)}
    # A change below the placebo's is no effect.
    assert [case.threshold for case in cases] == [None, 60]
    assert cases_of(causes.heads_pay(payers, doubled=True)) == {
        "CTC-SP2, real, doubled": (50, 40, 70)
    }


def test_the_difference_of_two_arms_is_paired_by_seed():
    arms = {causes.SHORTER: 30, causes.LONGER: 20}
    curves = pd.concat([curve(gain).assign(scheduler=arm) for arm, gain in arms.items()])
    more = causes.more_gain(curves, causes.SHORTER, causes.LONGER)
    assert more[["difference", "difference low", "difference high"]].to_numpy() == pytest.approx(10)
    assert len(more) == len(causes.CASES) * 2
