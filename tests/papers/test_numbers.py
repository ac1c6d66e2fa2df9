"""The picture of all published numbers reads the committed tables."""

import pandas as pd
import pytest

from notebooks.together import all_numbers as numbers
from replication.report import results


def test_every_paper_has_its_numbers_and_ours():
    table = numbers.read(results.recorded().every("numbers"))
    assert set(table["paper"]) == set(numbers.NAMES)
    assert (table["published"] > 0).all() and (table["ours"] >= 0).all()
    assert not table.duplicated(["row", "log", "published", "simulator"]).any()
    for paper, rows in table.groupby("paper"):
        axes = numbers.draw(rows).axes[0]
        assert len(axes.get_yticks()) == rows["row"].nunique(), paper


def test_a_difference_is_drawn_in_per_cent_of_the_published_number():
    row = {"paper": "pv_easy", "row": "a", "log": "b", "published": 200.0}
    ours = {"textbook EASY": 150.0, "until due": 200.0}
    table = pd.DataFrame([row | {"simulator": name, "ours": own} for name, own in ours.items()])
    drawn = [line.get_xdata()[0] for line in numbers.draw(table).axes[0].lines[:2]]
    assert drawn == [-25, 0]
    ratio = table.assign(paper="top_percent", published=1.2, simulator=numbers.WORDS, ours=1.1)
    assert numbers.draw(ratio).axes[0].lines[0].get_xdata()[0] == pytest.approx(-10)
