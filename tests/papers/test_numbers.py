"""The tables of all published numbers read the committed tables."""

import pandas as pd
import pytest

from notebooks.together import all_numbers as numbers


def test_every_paper_has_its_numbers_and_ours(recorded):
    table = numbers.read(recorded.every("numbers"))
    assert set(table["paper"]) == set(numbers.NAMES)
    assert (table["published"] > 0).all() and (table["ours"] >= 0).all()
    assert not table.duplicated(["row", "log", "published", "simulator"]).any()
    for paper, rows in table.groupby("paper"):
        shown = numbers.medians(rows)
        assert shown["number"].tolist() == [*rows["row"].unique(), "all"], paper
        assert shown.columns[2:].tolist() == rows["simulator"].unique().tolist(), paper


def test_a_difference_is_the_median_in_per_cent_of_the_published_number():
    row = {"paper": "pv_easy", "row": "a", "published": 200.0}
    ours = {"textbook EASY": (150.0, 220.0, 200.0), "until due": (200.0, 200.0, 500.0)}
    table = pd.DataFrame(
        row | {"log": log, "simulator": name, "ours": value}
        for name, several in ours.items()
        for log, value in zip("xyz", several, strict=True)
    )
    shown = numbers.medians(table)
    assert shown["numbers"].tolist() == [3, 3]
    assert shown["textbook EASY"].tolist() == pytest.approx([10, 10])
    assert shown["until due"].tolist() == pytest.approx([0, 0])
