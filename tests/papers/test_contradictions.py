"""Contradictions in the papers as they were entered: complete, and their numbers are published
ones.
"""

import re

import pytest

from replication.verdicts import published

ENTRIES = published.entries("contradictions.toml")
FIELDS = {"paper", "kind", "what", "first", "second"}


@pytest.fixture(scope="module")
def numbers():
    """All published numbers by paper."""
    return {
        paper: [row for item in published.items(paper) for row in published.rows(paper, item)]
        for paper in published.registered()
    }


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_complete(name, numbers):
    entry = ENTRIES[name]
    assert FIELDS <= entry.keys() <= FIELDS | {"erratum"} and entry["paper"] in numbers
    assert all(entry[side].keys() == {"text", "where"} for side in ("first", "second"))


@pytest.mark.parametrize(
    "name", [name for name in ENTRIES if ENTRIES[name]["kind"] == "repeated numbers"]
)
def test_repeated_numbers_are_published_ones(name, numbers):
    values = {abs(row.value) for rows in numbers.values() for row in rows}
    texts = " ".join(ENTRIES[name][side]["text"] for side in ("first", "second")).replace(",", "")
    for number in re.findall(r"\d+\.\d+", texts):
        assert float(number) in values, number
