"""Pictures: the looks of series, labels of axes, and intervals."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from notebooks import panels
from notebooks.pv_easy import slowdown
from replication.drawing import style


def test_a_scheduler_looks_the_same_in_every_picture_and_others_take_the_rest():
    alone = style.series(["PV-EASY"])["PV-EASY"]
    assert style.series(["SJF-EASY", "another", "PV-EASY", "EASY"])["PV-EASY"] == alone
    assert style.bars(["EASY-Last", "PV-EASY"])["PV-EASY"]["facecolor"] == alone["color"]
    looks = style.series(["new", "EASY", "newer"])
    assert len({look["color"] for look in looks.values()}) == 3


def test_a_style_of_the_users_own_does_not_change_figures():
    pictures = []
    for settings in ({}, {"font.size": 30, "lines.linewidth": 9}):
        with matplotlib.rc_context(settings):
            style.apply()
            figure = plt.figure(figsize=(2, 2))
            figure.subplots().plot([1, 2])
            pictures.append(style.png(figure))
    assert pictures[0] == pictures[1]


@pytest.fixture(autouse=True)
def own_style():
    style.apply()
    yield
    plt.close("all")


def test_an_interval_that_goes_on_beyond_the_panel_is_marked():
    axes = plt.figure().subplots()
    axes.set_ylim(0, 10)
    panels.mark_cuts(axes, [1, 2, 3], [1, -1, -1], [2, 9, 11], "black")
    marks = [(*line.get_xydata()[0], line.get_marker()) for line in axes.lines]
    assert sorted(marks) == [(2, 0, "v"), (3, 0, "v"), (3, 10, "^")]


def test_an_axis_holds_all_values_and_no_interval_makes_it_endless():
    low, high = panels.limits([1.0, 4.0], [0.5, 1e-9], [2.0, 8.0], room=10)
    assert 0.05 < low < 0.1 and 8 < high < 16
    low, high = panels.limits([1.0, 4.0], [np.nan, np.nan], [np.nan, np.nan], room=10)
    assert low < 1 and high > 4


def test_rows_of_panels_name_what_is_across():
    def draw_panel(axes, log, row):
        axes.plot([0, 1], [0, 1], label=log)

    figure = panels.draw(["A", "B"], {"wait": "", "load": ""}, draw_panel, legend=False)
    panels.label_below(figure, ["wait [min]", "load [%]"])
    labels = [axes.get_xlabel() for axes in figure.axes]
    assert labels == ["wait [min]", "wait [min]", "load [%]", "load [%]"]


def test_values_and_quotients_of_groups_are_points_with_intervals():
    row = {"trace": "A", "value": 100.0, "low": 3.0, "high": 3000.0}
    row |= {"quotient": 0.5, "quotient_low": 0.4, "quotient_high": 0.7}
    groups = [(policy, name) for policy in ("EASY", "PV-EASY") for name in ("up to 1/2", "above")]
    table = pd.DataFrame(row | {"policy": policy, "jobs": name} for policy, name in groups)
    values, quotients = slowdown.points(table, "mwbs").axes
    assert {axes.get_yscale() for axes in (values, quotients)} == {"log"}
    for axes, point, ends in ((values, 100, [3, 3000]), (quotients, 0.5, [0.4, 0.7])):
        for bars in axes.containers:
            line, _, (intervals,) = bars.lines
            assert line.get_ydata().tolist() == [point, point]
            for interval in intervals.get_segments():
                assert interval[:, 1].tolist() == pytest.approx(ends)
