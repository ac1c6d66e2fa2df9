"""What the heads pay for a gain: values that are read off curves, by hand."""

import numpy as np
import pandas as pd
import pytest

import prices
import replication as rp
from notebooks import audits, over_seeds, placebo


def of_way(way, *points):
    """Runs of a way: level, wild backfills, mean wait, wait of the heads; with two seeds, of which
    one waits a second longer.
    """
    return [
        {"log": "a", "way": way, "level": level, "seed": seed, "wild": wild, "mean_wait": wait}
        | {"mean_bounded_slowdown": 10, "heads": heads, "longest": 2 * heads}
        for level, wild, wait, heads in points
        for seed, wait in enumerate((wait - 1, wait + 1) if level else (wait, wait))
    ]


def made(random, relaxed=((0, 0, 100, 50), (9, 0, 80, 50))):
    f = [(0, 0, 100, 50), (1, 0.02, 90, 60), (3, 0.02, 80, 60), (10, 0.02, 120, 60)]
    rows = of_way(prices.F, *f) + of_way(prices.RANDOM, *random) + of_way(prices.RELAXED, *relaxed)
    return prices.curves(pd.DataFrame(rows))


def test_ways_are_compared_where_as_many_are_wild_and_where_as_much_is_gained():
    # At 2 % wild backfills: half-way from 0.2 to 0.6. A gain of 10 %: half-way from 0 to 0.2.
    curves = made([(0, 0, 100, 50), (0.2, 0.01, 80, 55), (0.6, 0.03, 60, 75), (1, 0.04, 90, 100)])
    found = prices.prices(curves).set_index(["f", "at", "way"])
    wild, gain = prices.EQUAL
    row = found.loc[(1, wild, prices.RANDOM)]
    assert row[["level", "wild", "gain", "heads"]].tolist() == pytest.approx([0.4, 2, 30, 30])
    assert row["gain of f"] == pytest.approx(10) and row["gain, more"] == pytest.approx(20)
    assert row["heads, more"] == pytest.approx(30 - 20) and row["most gain"] == pytest.approx(40)
    # The seeds of both ways are drawn together.
    assert row["gain low"] < 29.5 and row["gain high"] > 30.5
    assert row[["gain, more low", "gain, more high"]].tolist() == pytest.approx([20, 20])
    row = found.loc[(1, gain, prices.RANDOM)]
    assert row[["level", "gain", "heads", "longest"]].tolist() == pytest.approx([0.1, 10, 5, 5])
    assert row["heads, more"] == pytest.approx(5 - 20) and np.isnan(row["gain, more"])
    assert prices.count(found.reset_index(), gain, prices.RANDOM, "heads") == (0, 2, 2)


def test_a_curve_that_never_has_a_value_has_no_price():
    curves = made([(0, 0, 100, 50), (1, 0.01, 85, 55)])
    found = prices.prices(curves).set_index(["f", "at", "way"])
    wild, gain = prices.EQUAL
    for missing in ((1, wild, prices.RANDOM), (3, gain, prices.RANDOM), (10, gain, prices.RELAXED)):
        assert found.loc[missing, ["level", "heads", "heads, more"]].isna().all()
    assert found.loc[(3, gain, prices.RANDOM), "most gain"] == pytest.approx(15)
    assert found.loc[(3, gain, prices.RELAXED), "level"] == pytest.approx(9)


def test_the_smallest_level_counts_where_a_curve_returns():
    rows = of_way(prices.RANDOM, (0, 0, 100, 50), (1, 0, 80, 60), (2, 0, 100, 90), (3, 0, 80, 99))
    curve = prices.Curve(pd.DataFrame(rows))
    found = curve.where("gain", np.full(1 + over_seeds.DRAWS, 10.0))
    assert found["level"][0] == pytest.approx(0.5) and found["heads"][0] == pytest.approx(10)


def test_three_ways_begin_at_perfect_estimates_and_two_end_without_a_reservation(some):
    table = prices.runs({"some": some}, [0, 1], [0, 1], [0, 1e6], [1, 2, 3])
    assert len(table) == 6 * 3
    by_seed = table.groupby("seed")[[*prices.MEASURED]]
    start, last = table["level"] == 0, (table["level"] > 0) & (table["way"] != prices.F)
    for same in (start, last):
        assert (table[same].groupby("seed")[[*prices.MEASURED]].nunique() == 1).all(axis=None)
    assert (by_seed.nunique() > 1).any(axis=None)
    moved = placebo.shifted(some, 2)
    perfect = rp.simulate(moved, rp.EASY(), rp.Perfect())
    is_head = audits.blocked(rp.simulate(some))
    assert table.loc[start & (table["seed"] == 2), [*prices.MEASURED]].iloc[0].tolist() == [
        0,
        perfect.measures["mean_wait"],
        perfect.measures["mean_bounded_slowdown"],
        perfect.wait[is_head].mean(),
        perfect.wait.max(),
    ]
    shown = prices.points(prices.curves(table))
    assert (shown.loc[shown["level"] == 0, [*prices.CHANGES]] == 0).all(axis=None)
