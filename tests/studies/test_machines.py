"""Gains at equal prices on several machines, against single simulations and by hand."""

import numpy as np
import pandas as pd
import pytest

import machines
import prices
import replication as rp
from notebooks import placebo


@pytest.fixture(scope="module")
def jobs():
    return rp.load("KTH-SP2", synthetic=True).take(slice(0, 400))


def test_machines_of_another_size_and_load(jobs):
    by_name = machines.machines({"a": jobs, "b": jobs}, {"a": [120]}, {"b": 0.9})
    assert [*by_name] == ["a", "a, 120 processors", "b, load 0.9"]
    assert by_name["a, 120 processors"].machine == 120
    assert by_name["b, load 0.9"].load == pytest.approx(0.9, rel=1e-4)


def test_runs_are_those_of_shifted_submissions(jobs):
    points = prices.levels([1], [0.5], [2])
    runs = machines.Runs(jobs, points, [3, 4, 5, 6])
    run = rp.simulate(placebo.shifted(jobs, 4), rp.EASY(), rp.FModel(1), 4)
    row = runs.table[(runs.table["way"] == prices.F) & (runs.table["seed"] == 4)].set_index("level")
    assert row.loc[1, "mean_wait"] == pytest.approx(run.wait.mean())
    assert row.loc[1, "heads"] == pytest.approx(run.wait[prices.heads(jobs)].mean())
    # Half of the runs with each of two levels.
    weights = pd.DataFrame(np.full((2, 4), 0.5), index=[0.0, 1.0])
    gains = runs.gain_without(prices.F, weights)
    waits = runs.table[runs.table["way"] == prices.F].groupby("level")["mean_wait"].mean()
    assert gains[0] == pytest.approx(50 * (1 - waits[1] / waits[0]))


def test_the_mean_over_machines_and_one_more():
    # Differences of 1, 2 and 3 points: a standard deviation of 1, and a t of 4.3027.
    ends = [(0.5, 1.5), (-1, 5), (2, 4)]
    rows = [
        {"machine": name, "f": 1, "way": way, "gain, more": more, "gain, more low": low}
        | {"gain, more high": high, "weeks low": -9, "weeks high": -1}
        for name, more, (low, high) in zip("abc", (1.0, 2, 3), ends, strict=True)
        for way in (prices.F, prices.RELAXED)
    ]
    rows.append(rows[-1] | {"machine": "not counted", "gain, more": 99})
    table = machines.over_machines(pd.DataFrame(rows), [*"abc"])
    [row] = table.to_dict("records")
    assert (row["way"], row["machines"], row["ahead by seeds"]) == (prices.RELAXED, 3, 2)
    assert (row["behind by seeds"], row["ahead by weeks"], row["behind by weeks"]) == (0, 0, 3)
    assert [row["mean"], row["low"]] == pytest.approx([2, 2 - 2.48414], rel=1e-5)
    assert row["one more high"] == pytest.approx(2 + 2 * 2.48414, rel=1e-5)
