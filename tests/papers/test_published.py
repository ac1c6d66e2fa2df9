"""The published numbers: readable, named by one vocabulary, and consistent among themselves."""

import re
from dataclasses import replace

import pytest

from replication.simulator import paths
from replication.verdicts import evidence, published, rules
from replication.verdicts.published import EvidenceError

README = paths.PUBLISHED / "README.md"
EVERY_ITEM = [(paper, item) for paper in published.registered() for item in published.items(paper)]


def every_row():
    return [row for paper, item in EVERY_ITEM for row in published.rows(paper, item)]


def vocabulary(heading):
    """Rows of the README's table under a heading, as lists of cells."""
    section = README.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


def number(paper, item, trace, policy, measure):
    return published.value(paper, item, trace=trace, policy=policy, measure=measure).value


# ---- the vocabulary of the README and the files hold each other


@pytest.mark.parametrize(("heading", "field"), [("Traces", "trace"), ("Policies", "policy")])
def test_names_are_those_of_the_readme(heading, field):
    assert {getattr(row, field) for row in every_row()} == set(vocabulary(heading))


def test_measures_and_units_are_those_of_the_readme():
    units = {name: cells[0] for name, cells in vocabulary("Measures").items()}
    used = set()
    for row in every_row():
        name = row.measure if row.measure in units else re.sub("_(min|max)$", "", row.measure)
        assert units.get(name) == row.unit, row
        used.add(name)
    assert used == set(units)


@pytest.mark.parametrize("paper", published.registered())
def test_every_table_is_there_whole(paper):
    sizes = {item: len(published.rows(paper, item)) for item in published.items(paper)}
    assert sizes == published.entries(paper, "rows.toml")


# ---- arithmetic the numbers must obey among themselves

LOGS = ("CTC-SP2", "SDSC-BLUE", "SDSC-DS")


@pytest.mark.parametrize("log", LOGS)
def test_pv_easy_tables_agree_with_each_other(log):
    preempted = number("pv_easy", "table6", log, "PV-EASY", "preempted")
    share = preempted / number("pv_easy", "table6", log, "log", "jobs")
    assert round(100 * share, 2) == number("pv_easy", "table6", log, "PV-EASY", "preempted_share")
    jobs = {
        number("pv_easy", table, log, "log", "jobs") for table in ("table3", "table4", "table6")
    }
    blocked = {number("pv_easy", table, log, "EASY", "blocked") for table in ("table1", "table4")}
    processors = {
        number("pv_easy", table, log, "log", "processors") for table in ("table2", "table3")
    }
    assert len(jobs) == len(blocked) == len(processors) == 1
    # Table 5 divides by the longer span, up to the last end.
    load = number("pv_easy", "table3", log, "log", "load")
    total = number("pv_easy", "table5", log, "PV-EASY", "total_load")
    assert 0 < load + number("pv_easy", "table5", log, "PV-EASY", "wasted_load") - total < 0.5


def test_pv_easy_text_repeats_its_tables():
    tables, odd = {}, []
    for item in published.items("pv_easy"):
        if item != "text":
            for row in published.rows("pv_easy", item):
                tables.setdefault(row.measure, {})[row.trace] = row.value
    for row in published.rows("pv_easy", "text"):
        column = tables.get(re.sub("_(min|max)$", "", row.measure))
        if not column or row.value == 0:
            continue
        end = min if row.measure.endswith("_min") else max
        there = column[row.trace] if row.trace != "all" else end(column.values())
        if round(there, row.decimals) != row.value:
            odd.append((row.measure, row.value, there))
    # The text rounds the run time waste to tens.
    assert odd == [("rtw_min", 40, 38.95), ("rtw_max", 50, 48.27)]


# ---- reading


def test_value_has_number_unit_rounding_and_place():
    row = published.value(
        "pv_easy", "table1", trace="SDSC-BLUE", policy="EASY", measure="max_delay"
    )
    assert (row.value, row.unit, row.decimals) == (90.7, "h", 2)
    assert "Table 1" in row.source
    assert published.value("pv_easy", "text", measure="max_dtr").trace == "all"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: published.items("easy"), "'easy'.*pv_easy, heel_and_toe, top_percent"),
        (lambda: published.rows("pv_easy", "table7"), "'table7'.*table1"),
        (
            lambda: published.value("pv_easy", "table1", trace="CTC"),
            "trace 'CTC'.*CTC-SP2, SDSC-BLUE",
        ),
        (lambda: published.value("pv_easy", "table1", trace="CTC-SP2"), "4 published values; give"),
    ],
)
def test_unknown_names_are_refused_with_the_known_ones(call, message):
    with pytest.raises(EvidenceError, match=message):
        call()


GOOD = "CTC-SP2,EASY,blocked,38.50,%,Paper Table 1"


@pytest.fixture
def read_rows(tmp_path, monkeypatch):
    """A function that reads a file with the lines given to it."""
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "paper").mkdir()
    (tmp_path / "papers.toml").write_text("[paper]")

    def read(*lines, header=",".join(published.COLUMNS)):
        (tmp_path / "paper" / "t.csv").write_text("\n".join([header, *lines]), encoding="utf-8")
        return published.rows("paper", "t")

    return read


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("38.50", "nan", "value 'nan'"),
        ("38.50", "3-8.50", "value '3-8.50'"),
        ("EASY", "", "expected 6 fields"),
        ("EASY", " EASY", "expected 6 fields without blanks around"),
        (",Paper Table 1", "", "expected 6 fields"),
    ],
)
def test_an_invalid_line_is_named(read_rows, old, new, message):
    assert read_rows(GOOD)[0].value == 38.5
    with pytest.raises(EvidenceError) as error:
        read_rows(GOOD.replace(old, new))
    assert "paper/t.csv line 2: " in str(error.value) and message in str(error.value)


def test_repeated_keys_and_a_wrong_header_are_refused(read_rows):
    with pytest.raises(EvidenceError, match="line 3: CTC-SP2 / EASY / blocked is repeated"):
        read_rows(GOOD, GOOD)
    with pytest.raises(EvidenceError, match="columns item,trace; expected trace,policy"):
        read_rows(header="item,trace")


def row(measure, value, trace="all", source="x"):
    return published.Published("text", trace, "P", measure, value, "%", 0, source)


def test_around_a_number_is_matched_at_its_last_digit_but_zeros():
    said = row("a", 20.0, source="section 3: 'around'")
    verdicts = [rules.number_verdict(ours, said).verdict for ours in (15.0, 24.9, 26.0)]
    assert verdicts == ["match", "match", "differs"]
    assert rules.number_verdict(24.9, row("a", 20.0)).verdict == "differs"


def test_a_known_misprint_counts_for_nobody_if_ours_is_what_should_stand_there():
    said = replace(row("a", 2.333333), decimals=6, right=2.666667)
    verdicts = [rules.number_verdict(ours, said).verdict for ours in (8 / 3, 2.333333, 2.5)]
    assert verdicts == ["erratum", "match", "near"]


def test_each_fact_counts_once():
    """Another table of the same paper, the range of a column and derived numbers repeat; an example
    is no simulation.
    """
    numbers = [
        replace(row("jobs", 5.0, "CTC-SP2"), item="table1", policy="log"),
        replace(row("jobs", 5.0, "CTC-SP2"), item="table2", policy="log"),
        replace(row("wait", 5.0, "CTC-SP2"), item="table2"),
        row("wait_min", 5.0),
        row("share", 5.0, "CTC-SP2", "derived: wait over jobs"),
        replace(row("start", 5.0, "fig1"), item="fig1"),
    ]
    assert evidence.abouts(numbers) == [
        "log",
        *["repeat", "simulated", "repeat", "repeat"],
        "example",
    ]
