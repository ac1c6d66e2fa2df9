"""Intervals over random seeds, by drawing the runs."""

import numpy as np
import pytest

from notebooks import over_seeds

DRAWS = np.array([5.0, *np.arange(1.0, 11)])


def test_the_ends_of_an_interval_are_quantiles_of_the_draws():
    assert over_seeds.interval(DRAWS, 0.8) == pytest.approx((5, 1.9, 9.1))
    assert over_seeds.interval(DRAWS)[1] < 1.9


def test_an_interval_of_mostly_missing_values_is_missing():
    value, low, high = over_seeds.interval(np.array([3.0, 1.0, np.nan, np.nan]))
    assert value == 3 and np.isnan([low, high]).all()


def test_a_table_and_a_median():
    table = over_seeds.table({("a", 1): DRAWS}, ["log", "f", "gain", "low", "high"])
    assert table.iloc[0, :3].tolist() == ["a", 1, 5]
    assert over_seeds.median([DRAWS, DRAWS, 100 + DRAWS]) == over_seeds.interval(DRAWS)
