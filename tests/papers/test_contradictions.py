"""Contradictions in the papers: what is listed is what the published numbers give, and nothing else."""

import re

import pytest

from replication.papers import contradictions as checks
from replication.papers.published import Published, entries

ENTRIES = entries("contradictions.toml")
COMPUTED = {name: entry for name, entry in ENTRIES.items() if "check" in entry}
# What each entry has, and what one may have that a rule confirms.
FIELDS, CHECK = {"paper", "kind", "what", "first", "second"}, {"check", "given", "cells", "erratum"}
ERRATUM = {"cell", "right"}
GENERAL = [*checks.RULES.keys() - {"order"}]
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
    return checks.rows()


def made(*cells, paper="made"):
    """Published rows of a made-up paper from (item, trace, policy, measure, value as printed, unit)."""
    return {
        paper: [
            Published(*names, float(text), unit, len(text.partition(".")[2]), "made up")
            for *names, text, unit in cells
        ]
    }


def grid(item, values, measure="m"):
    """Rows of one measure from values by policy, a log each."""
    return made(
        *[
            (item, f"log{n}", policy, measure, text, "1")
            for policy, column in values.items()
            for n, text in enumerate(column)
        ]
    )


# ---- the list and the numbers


@pytest.mark.parametrize("name", COMPUTED)
def test_an_entry_is_confirmed_by_its_rule(name, numbers):
    entry = ENTRIES[name]
    assert entry["cells"] and checks.confirmed(entry, numbers)
    if entry["check"] == "order":
        assert set(entry["cells"]) == set(checks.found(entry, numbers))


def test_the_general_rules_find_nothing_that_is_not_listed(numbers):
    listed = {
        (entry.get("check"), cell) for entry in ENTRIES.values() for cell in entry.get("cells", ())
    }
    found = {(name, cell) for name in GENERAL for cell in checks.RULES[name](numbers)}
    assert found <= listed


@pytest.mark.parametrize("name", COMPUTED)
def test_the_numbers_quoted_are_published_ones(name, numbers):
    values = {abs(row.value) for entered in numbers.values() for row in entered}
    quotes = " ".join(ENTRIES[name][side]["quote"] for side in ("first", "second")).replace(",", "")
    for number in re.findall(r"\d+\.\d+|\b\d{3,}\b", quotes.replace("Jan 2003", "")):
        assert float(number) in values, number


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_whole_and_short(name, numbers):
    entry = ENTRIES[name]
    assert FIELDS <= entry.keys() <= FIELDS | CHECK
    assert entry["kind"] in KINDS and entry["paper"] in numbers
    assert entry.get("check") in {None, *checks.RULES}
    assert set(entry.get("erratum", ERRATUM)) == ERRATUM
    assert entry["what"].endswith(".")
    for side in ("first", "second"):
        assert entry[side].keys() == {"quote", "where"}
        assert 0 < len(entry[side]["quote"]) <= 120 and entry[side]["where"].strip()


def test_a_sentence_that_holds_is_not_found_at_fault(numbers):
    rest = ["CVH", "Tsafrir", "Top02", "Top03", "Top04"]
    best = {"policies": ["Complete"], "measures": ["r2"], "relation": "above", "against": rest}
    assert not any(checks.order(numbers, "top_percent", "table1", **best))
    other = best | {"measures": ["af"], "relation": "below"}
    assert any(checks.order(numbers, "top_percent", "table1", **other))


# ---- each rule on made-up numbers: one set that agrees, one that does not

AGREEING = {
    "same-number": made(
        ("t1", "A", "EASY", "mean_delay", "80.05", "min"),
        ("text", "A", "EASY", "mean_delay", "80", "min"),
    ),
    "range": made(
        ("t", "A", "P", "load", "2.48", "%"),
        ("t", "B", "P", "load", "5.66", "%"),
        ("text", "all", "P", "load_min", "2.48", "%"),
        ("text", "all", "P", "load_max", "5.66", "%"),
    ),
    "share": made(
        ("t", "A", "log", "jobs", "400", "jobs"),
        ("t", "A", "P", "preempted", "50", "jobs"),
        ("t", "A", "P", "preempted_share", "12.5", "%"),
    ),
    "mean": made(
        ("t", "A", "P", "violated", "2", "jobs"),
        ("t", "A", "P", "mean_dtr", "60", "min"),
        ("t", "A", "P", "max_dtr", "1.50", "h"),
    ),
    "part": made(("t", "A", "P", "delayed", "2", "jobs"), ("t", "A", "P", "blocked", "2", "jobs")),
    "granularity": made(
        ("t", "A", "P", "violated", "3", "jobs"), ("t", "A", "P", "violated_mean_size", "1.33", "1")
    ),
    "load": made(
        ("t", "A", "log", "load", "70", "%"),
        ("t", "A", "P", "total_load", "72", "%"),
        ("t", "A", "P", "wasted_load", "3", "%"),
    ),
    "repeats": grid("t", {"P": ("1.1", "1.2", "1.3"), "Q": ("1.1", "1.2", "1.4")}),
    "scaled-estimates": {
        "made": [
            *made(
                *[
                    ("table2", "x", f"F={factor}", f"estimate_j{job}", str(factor * run), "1")
                    for factor in (1, 2)
                    for job, run in ((1, 6), (4, 4), (5, 3), (6, 2))
                ]
            )["made"],
            *made(
                *[
                    ("table2", "x", policy, *cell, "1")
                    for policy, cell in (
                        ("F=1", ("hole_length", "2")),
                        ("F=2", ("hole_length", "8")),
                        ("F=1", ("first_fit", "6")),
                        ("F=2", ("first_fit", "4")),
                    )
                ]
            )["made"],
        ]
    },
}
CHANGES = {
    "same-number": ("80", "81"),
    "range": ("5.66", "5.65"),
    "share": ("12.5", "12.6"),
    "mean": ("1.50", "0.90"),
    "part": ("2", "3"),
    "granularity": ("1.33", "1.34"),
    "load": ("72", "74"),
    "repeats": ("1.4", "1.3"),
    "scaled-estimates": ("4", "5"),
}


def changed(numbers, old, new):
    """The numbers with the last (of a part: the first) value printed as `old` replaced."""
    entered = [
        (row.item, row.trace, row.policy, row.measure, f"{row.value:.{row.decimals}f}", row.unit)
        for row in numbers["made"]
    ]
    places = [n for n, cell in enumerate(entered) if cell[4] == old]
    at = places[0 if entered[0][3] == "delayed" else -1]
    entered[at] = (*entered[at][:4], new, entered[at][5])
    return made(*entered)


def test_every_general_rule_is_tried():
    assert AGREEING.keys() == CHANGES.keys() == {*GENERAL}


@pytest.mark.parametrize("name", AGREEING)
def test_a_rule_finds_a_changed_number_and_nothing_where_all_agree(name):
    for other in GENERAL:
        assert [*checks.RULES[other](AGREEING[name])] == []
    assert [*checks.RULES[name](changed(AGREEING[name], *CHANGES[name]))]


def test_work_is_the_same_over_any_machine_size():
    mine = made(
        ("t", "A", "log", "processors", "100", "1"), ("t", "A", "log", "utilization", "60", "%")
    )
    for load, odd in (("75.2", False), ("80.0", True)):
        theirs = made(
            ("t", "A", "log", "processors", "80", "1"),
            ("t", "A", "log", "load", load, "%"),
            paper="other",
        )
        assert any(checks.loads(mine | theirs)) is odd


def test_a_row_that_two_policies_share_is_found():
    first = {"P": "1.2", "Q": "1.3", "R": "1.3"}
    numbers = made(
        *[
            ("t", "A", policy, f"m{n}", "1.2" if n else first[policy], "1")
            for policy in first
            for n in range(3)
        ]
    )
    assert [*checks.repeats(numbers)] == ["made/t A Q=R"]


def test_the_order_of_cells_is_read_both_ways():
    numbers = grid("t", {"P": ("1.0", "3.0"), "Q": ("2.0", "2.0"), "R": ("4.0", "4.0")})
    asked = {"paper": "made", "item": "t", "policies": ["P"], "measures": ["m"]}
    for how, found in (
        ({"relation": "below", "against": ["Q", "R"]}, ["log1 P m"]),
        ({"relation": "at least", "against": ["Q", "R"], "of": "best"}, ["log0 P m"]),
        ({"relation": "at most", "limit": 3.0}, []),
    ):
        assert [*checks.order(numbers, **asked, **how)] == found


def test_a_range_in_round_figures_agrees_with_the_numbers_it_is_rounded_from():
    numbers = made(
        ("t", "A", "log", "share", "9.7", "%"),
        ("t", "B", "log", "share", "27.3", "%"),
        ("text", "all", "log", "share_min", "10", "%"),
        ("text", "all", "log", "share_max", "27", "%"),
    )
    assert [*checks.ranges(numbers)] == []
    assert [*checks.ranges(changed(numbers, "9.7", "9.4"))] == ["made/text all log share_min"]
