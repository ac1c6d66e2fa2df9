"""Predictions with a factor, and values in the order of others: a small workload, and results by
hand.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bias
import replication as rp
from notebooks.top_percent.runs import POLICIES


@pytest.mark.parametrize("policy", ["CVH", "Top03"])
def test_recorded_predictions_give_the_predictors_own_schedule(random_log, policy):
    schedule = rp.simulate(random_log, replace(bias.AT_SUBMISSION, predictor=POLICIES[policy]))
    predictions = bias.predictions_at_submission(random_log, [policy])[policy]
    again = rp.simulate(
        random_log, replace(bias.AT_SUBMISSION, predictor=bias.Recorded(tuple(predictions)))
    )
    assert again.start.tolist() == schedule.start.tolist()


def test_values_are_dealt_out_in_the_order_of_others():
    assert bias.in_order_of([30, 10, 20], [1, 2, 3]).tolist() == [3, 1, 2]
    assert bias.in_order_of([5, 5, 1], [7, 8, 9]).tolist() == [8, 9, 7]


@pytest.mark.parametrize(("of", "expected"), [("values", (100, 0)), ("order", (0, 100))])
def test_differences_are_shared_out_between_values_and_order(of, expected):
    order, values = np.mgrid[:3, :4]
    grid = {"values": values, "order": order}[of][..., None] * np.array([1.0, 2.0])
    shares = bias.shares(grid)
    for draw in range(2):
        drawn = shares["values"][draw], shares["order"][draw]
        assert drawn == pytest.approx(expected, abs=1e-9)
    assert shares["together"] == pytest.approx(0, abs=1e-9)


def test_favouring_overprediction_helps():
    # 0.9 with doubled and 1.2 with halved predictions; the reference has no factor.
    complete = {
        ("a", "CVH", 2, "AP1WAF"): 0.9,
        ("a", "CVH", 0.5, "AP1WAF"): 1.2,
        ("a", "CVH", 2, "AF"): 9,
    }
    tsafrir = {("a", "Tsafrir", 0.5, "AP1WAF"): 1.1, ("a", "Tsafrir", 2, "AP1WAF"): 1.5}
    tsafrir |= {("a", "Reqtime", np.nan, "AP1WAF"): 1}
    rows = complete | tsafrir
    index = pd.MultiIndex.from_tuples(rows, names=("log", "policy", "factor", "measure"))
    table = pd.DataFrame(
        [(x, x - 0.2, x + 0.2, x - 0.2, x + 0.2) for x in rows.values()], index=index
    )
    expected = {"a CVH": 100 * (0.9 / 1.2 - 1), "a Tsafrir": 100 * (1.5 / 1.1 - 1)}
    cases = {case.case: case.value for case in bias.favouring_overprediction_helps(table)}
    assert cases == pytest.approx(expected)
