"""The picture of all published numbers reads the committed tables."""

from replication.papers import all_numbers as numbers
from replication.report import results


def test_every_paper_has_its_numbers_and_ours():
    table = numbers.read(results.recorded().every("numbers"))
    assert set(table["paper"]) == set(numbers.NAMES)
    assert (table["published"] > 0).all() and (table[numbers.DEFAULT] > 0).all()
    assert not table.duplicated(["row", "log", "published"]).any()
    axes = numbers.draw(table).axes
    assert [one.get_title() for one in axes] == list(numbers.NAMES.values())
