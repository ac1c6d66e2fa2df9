"""The measures of the Top Percent paper against values computed by hand."""

import numpy as np
import pytest

from replication.simulator import measures

WAIT = np.array([0, 30, 100])
RUN = np.array([20, 10, 50])
SIZE = np.array([1, 2, 4])


def test_average_flow():
    assert measures.average_flow(WAIT, RUN) == (20 + 40 + 150) / 3


def test_weighted_flow_without_priority_weights_by_area():
    # Areas 20, 20 and 200; flow times 20, 40 and 150.
    assert measures.weighted_flow(WAIT, RUN, SIZE, 0) == pytest.approx(
        (20 * 20 + 20 * 40 + 200 * 150) / 240
    )


def test_weighted_flow_with_priority():
    # 1 (20^2 - 0), 2 (40^2 - 30^2) and 4 (150^2 - 100^2): 400, 1400 and 50000.
    expected = (400 * 20 + 1400 * 40 + 50000 * 150) / 51800
    assert measures.weighted_flow(WAIT, RUN, SIZE, 1) == pytest.approx(expected)
    # alpha = 2: 1 (20^3), 2 (40^3 - 30^3), 4 (150^3 - 100^3).
    weights = [8000, 2 * (64000 - 27000), 4 * (3375000 - 1000000)]
    expected = (weights[0] * 20 + weights[1] * 40 + weights[2] * 150) / sum(weights)
    assert measures.weighted_flow(WAIT, RUN, SIZE, 2) == pytest.approx(expected)


def test_a_mean_without_weight_is_nan():
    assert np.isnan(measures.weighted_flow(np.array([5]), np.array([0]), np.array([3]), 0))
    with pytest.raises(ValueError, match="alpha is -1, allowed: above -1"):
        measures.weighted_flow(WAIT, RUN, SIZE, -1)


def test_determination():
    run_time = np.array([10, 20, 60])
    assert measures.determination(run_time, run_time) == 1
    assert measures.determination(run_time, np.array([30, 30, 30])) == 0
    # The mean is 30, the spread 400 + 100 + 900 = 1400; missed by 5, 10 and 30: 1025.
    assert measures.determination(run_time, np.array([15, 10, 90])) == pytest.approx(
        1 - 1025 / 1400
    )
    assert np.isnan(measures.determination(np.array([3, 3]), np.array([3, 3])))
