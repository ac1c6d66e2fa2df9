"""What the heads pay for a gain: values read off curves, and points chosen, by hand."""

import numpy as np
import pandas as pd
import pytest

import prices
from notebooks import over_seeds


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


def curves(random, relaxed=((0, 0, 100, 50), (9, 0, 80, 50))):
    f = [(0, 0, 100, 50), (1, 0.02, 90, 60), (3, 0.02, 80, 60), (10, 0.02, 120, 60)]
    rows = of_way(prices.F, *f) + of_way(prices.RANDOM, *random) + of_way(prices.RELAXED, *relaxed)
    return prices.curves(pd.DataFrame(rows))


def test_ways_are_compared_where_as_many_are_wild():
    # At 2 % wild backfills: half-way from 0.2 to 0.6.
    points = [(0, 0, 100, 50), (0.2, 0.01, 80, 55), (0.6, 0.03, 60, 75), (1, 0.04, 90, 100)]
    table = prices.equal_wild(curves(points)).set_index(["f", "way"])
    row = table.loc[(1, prices.RANDOM)]
    assert row[["level", "wild", "gain", "heads"]].tolist() == pytest.approx([0.4, 2, 30, 30])
    assert row["gain of f"] == pytest.approx(10) and row["gain, more"] == pytest.approx(20)
    assert row["heads, more"] == pytest.approx(30 - 20)
    # The seeds of both ways are drawn together.
    assert row["gain low"] < 29.5 and row["gain high"] > 30.5
    assert row[["gain, more low", "gain, more high"]].tolist() == pytest.approx([20, 20])
    part = table.xs(prices.RANDOM, level="way")
    assert prices.sides(part, "heads") == (3, 0)


def test_a_curve_that_never_has_as_many_has_no_value():
    table = prices.equal_wild(curves([(0, 0, 100, 50), (1, 0.01, 85, 55)])).set_index(["f", "way"])
    assert table.loc[(1, prices.RANDOM), ["level", "heads", "heads, more"]].isna().all()


def of_seeds(way, level, waits, heads):
    """Runs of a level: the mean wait of each seed, from 1 on, and the wait of the heads."""
    rows = enumerate(zip(waits, heads, strict=True), 1)
    key = {"log": "a", "way": way, "level": level}
    return [key | {"seed": seed, "mean_wait": wait, "heads": head} for seed, (wait, head) in rows]


START = [run for way in prices.WAYS for run in of_seeds(way, 0, [100] * 4, [50] * 4)]
OWN = [
    run
    for f, heads in ((1, 55), (3, 60), (10, 65))
    for run in of_seeds(prices.F, f, [90] * 4, [heads] * 4)
]


def test_the_largest_gain_at_the_price_of_f():
    random = of_seeds(prices.RANDOM, 0.1, [85] * 4, [52] * 4)
    random += of_seeds(prices.RANDOM, 0.5, [65] * 4, [62] * 4)
    relaxed = of_seeds(prices.RELAXED, 0.1, [95] * 4, [49] * 4)
    table = pd.DataFrame(START + OWN + random + relaxed)
    gains = prices.equal_price(table).set_index(["f", "way"])
    columns = ["price", "levels, odd", "levels, even", "gain", "heads", "gain, more"]
    rows = gains[columns].round(9).T.to_dict("list")
    assert rows[0, prices.F] == [0, "0", "0", 0, 0, 0]
    assert rows[0, prices.RANDOM] == [0, "0", "0", 0, 0, 0]
    assert rows[0, prices.RELAXED] == [0, "0.1", "0.1", 5, -2, 5]
    # Prices of 4 and 24 % and gains of 15 and 35 %, mixed to a price of 10 %.
    assert rows[1, prices.RANDOM] == [10, "0.1, 0.5 (30 %)", "0.1, 0.5 (30 %)", 21, 10, 11]
    assert rows[3, prices.F][3:] == [10, 10, 0]  # f = 1 gains as much, for less
    steps = prices.frontier(table, 4)  # prices 0, 10, 20 and 30
    assert steps.loc[steps["way"] == prices.RANDOM, "gain"].round(9).tolist() == [0, 21, 31, 35]


def test_a_mixture_skips_levels_that_are_worse():
    weights = prices.mixture(np.array([0, 1.0, 9, 30]), np.array([0, 1.0, 2, 30]), 1.0)
    assert weights.tolist() == [0.5, 0, 0.5, 0]
    assert prices.mixture(np.array([0, 4.0]), np.array([0, -1.0]), 0.0).tolist() == [0, 1]


def test_a_price_below_zero_is_none():
    cheap = [run for f in (1, 3, 10) for run in of_seeds(prices.F, f, [90] * 4, [45] * 4)]
    more = of_seeds(prices.RANDOM, 0.1, [85] * 4, [50] * 4)
    gains = prices.equal_price(pd.DataFrame(START + cheap + more)).set_index(["f", "way"])
    assert gains.loc[(1, prices.RANDOM), ["price", "gain"]].tolist() == pytest.approx([0, 15])


def test_the_seeds_that_choose_do_not_measure():
    # Odd seeds wait less at 0.1, even ones at 0.2: each choice is one of luck.
    lucky = of_seeds(prices.RANDOM, 0.1, [80, 110, 80, 110], [50] * 4)
    lucky += of_seeds(prices.RANDOM, 0.2, [110, 80, 110, 80], [50] * 4)
    gains = prices.equal_price(pd.DataFrame(START + OWN + lucky)).set_index(["f", "way"])
    row = gains.loc[(0, prices.RANDOM)]
    assert row[["levels, odd", "levels, even"]].tolist() == ["0.1", "0.2"]
    assert row["gain"] == pytest.approx(-10)


def test_intervals_over_seeds_are_students():
    # A standard deviation of 1; t with two degrees of freedom is 4.3027.
    assert prices.student([1.0, 2, 3]) == pytest.approx((2, 2 - 2.48414, 2 + 2.48414), rel=1e-5)


def test_the_smallest_level_counts_where_a_curve_returns():
    rows = of_way(prices.RANDOM, (0, 0, 100, 50), (1, 0, 80, 60), (2, 0, 100, 90), (3, 0, 80, 99))
    curve = prices.Curve(pd.DataFrame(rows))
    point = curve.where("gain", np.full(1 + over_seeds.DRAWS, 10.0))
    assert point["level"][0] == pytest.approx(0.5) and point["heads"][0] == pytest.approx(10)
