"""Tables and numbers as a reader of a notebook or of the report sees them."""

import io
import re

import numpy as np
import pandas as pd
import pytest
import small_project

from replication.report import render
from replication.report.render import Table
from replication.verdicts.shown import text


def test_a_file_has_nine_digits_whole_numbers_a_named_index_and_joined_levels():
    waits = [1 / 3, 1e-17, 123_456_789_012.0, -123_456_789_012.3, np.nan]
    frame = pd.DataFrame({"log": ["a", "b,c", "d", "e", "f"], "wait": waits, "jobs": 2**60 + 1})
    data = Table(frame, "A table").csv()
    assert b"\r" not in data
    written = [0.333333333, 0, 123_456_789_012, -123_456_789_000, np.nan]
    assert pd.read_csv(io.BytesIO(data)).equals(frame.assign(wait=written))
    levels = pd.MultiIndex.from_product([["wait"], ["real", "perfect"]])
    frame = pd.DataFrame([[1.0, 2.0]], pd.Index(["CTC"], name="log"), levels)
    assert Table(frame, "A table").csv() == b"log,wait real,wait perfect\nCTC,1.0,2.0\n"


def test_a_table_escapes_what_comes_from_a_log():
    markup = Table(pd.DataFrame({"<i>": [small_project.HOSTILE]}), "<b>")._repr_html_()
    assert "<script>" not in markup and "<i>" not in markup and "<b>" not in markup
    assert "&lt;script&gt;" in markup and "&lt;i&gt;" in markup and "&lt;b&gt;" in markup


def test_cells_have_formats_and_headings_have_names_and_units():
    columns = {"measure": ["delay", "mean_wait"], "mean_wait": [90.0, -1e-12], "share": [0.251, 0]}
    columns |= {"jobs": [10412.0, 7], "gain": [2.5, 3.5], "rank": [1, 2]}
    units = {"gain": "%", "jobs": "jobs", "rank": "rank", "delay": "min"}
    table = Table(pd.DataFrame(columns), "", {"jobs": "{:,.4g}"}, units)
    headings, *rows = re.findall("<tr.*?</tr>", table._repr_html_(), re.DOTALL)
    cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in (headings, *rows)]
    assert cells == [
        ["Measure", "Mean wait [s]", "Share", "Jobs", "Gain [%]", "Rank"],
        ["Delay [min]", "90", "25.1%", "10,412", "2.500", "1"],
        ["Mean wait", "0", "0.0%", "7", "3.500", "2"],
    ]
    in_per_cent = Table(pd.DataFrame({"share": [25.1]}), "")._repr_html_()
    assert "25.10" in in_per_cent and "%" not in in_per_cent


def test_a_long_table_shows_its_first_rows():
    table = Table(pd.DataFrame({"a": range(100)}), "Numbers", file="a.csv")
    assert "Numbers (the first 10 of 100 rows of a.csv)" in table._repr_html_()
    assert table._repr_html_().count("<td") == 10 and table.csv().count(b"\n") == 101


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12345, "12,345"),
        (0.0, "0"),
        (21.3712, "21.37"),
        (0.012345, "0.01235"),
        (None, "–"),
        (float("-inf"), "-∞"),
        (np.bool_(True), "yes"),
    ],
)
def test_numbers_as_a_reader_wants_them(value, shown):
    assert text(value) == shown


def test_names_of_columns_for_readers():
    names = {
        "backfilled_increase_max": "Backfilled increase max",
        "e_max_share_max": "E_max share max",
        "mean_si": "Mean SI",
        "f=0.5": "f=0.5",  # F is another quantity
    }
    assert {name: render.name_of(name) for name in names} == names
