"""Contradictions in the papers as they were entered: complete, and their numbers are published ones."""

import re

import pytest

from replication.papers import published

ENTRIES = published.entries("contradictions.toml")
FIELDS = {"paper", "kind", "what", "first", "second"}
KINDS = {
    "text against text",
    "text against table",
    "caption against text",
    "table against its rule",
    "repeated numbers",
    "rounding",
    "label",
    "citation",
    "paper against paper",
    "paper against log",
    "different choices",
    "left open",
}


@pytest.fixture(scope="module")
def numbers():
    """All published numbers by paper."""
    return {
        paper: [row for item in published.items(paper) for row in published.rows(paper, item)]
        for paper in published.papers()
    }


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_complete_and_short(name, numbers):
    entry = ENTRIES[name]
    assert FIELDS <= entry.keys() <= FIELDS | {"erratum"}
    assert entry["kind"] in KINDS and entry["paper"] in numbers
    assert entry["what"].endswith(".")
    for side in ("first", "second"):
        assert entry[side].keys() == {"text", "where"}
        assert 0 < len(entry[side]["text"]) <= 120 and entry[side]["where"].strip()


@pytest.mark.parametrize(
    "name", [name for name in ENTRIES if ENTRIES[name]["kind"] == "repeated numbers"]
)
def test_repeated_numbers_are_published_ones(name, numbers):
    values = {abs(row.value) for rows in numbers.values() for row in rows}
    texts = " ".join(ENTRIES[name][side]["text"] for side in ("first", "second")).replace(",", "")
    for number in re.findall(r"\d+\.\d+", texts):
        assert float(number) in values, number
