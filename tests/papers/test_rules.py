"""The rule for numbers of `replication.verdicts.rules`: cases worked out by hand, and what must
hold for every number.
"""

import math

import numpy as np
import pandas as pd
import pytest

from replication.verdicts import rules, shown, tables
from replication.verdicts.published import EvidenceError, Published
from replication.verdicts.rules import NUMBER_VERDICTS, number_verdict


def paper_says(value, decimals=0, unit="jobs", measure="blocked"):
    return Published("table1", "CTC-SP2", "EASY", measure, value, unit, decimals, "Paper Table 1")


# ---- the rules, by hand


@pytest.mark.parametrize(
    ("held", "cases", "word"), [(1, 2, "fails"), (3, 6, "fails"), (4, 6, "holds in part")]
)
def test_a_claim_of_all_cases_holds_in_part_in_more_than_half(held, cases, word):
    answers = [rules.Answer(k < held, True) for k in range(cases)]
    assert rules.claim_verdict(answers) == word


@pytest.mark.parametrize(
    ("value", "decimals", "ours", "word"),
    [
        # 1000 has limits at 10, 50 and 200; a boundary belongs to the better verdict
        (1000, 0, 1010, "match"),
        (1000, 0, 1010.001, "close"),
        (1000, 0, 990, "match"),
        (1000, 0, 989.9, "close"),
        (1000, 0, 1050, "close"),
        (1000, 0, 1050.001, "near"),
        (1000, 0, 950, "close"),
        (1000, 0, 949.9, "near"),
        (1000, 0, 1200, "near"),
        (1000, 0, 1200.001, "differs"),
        (1000, 0, 800, "near"),
        (1000, 0, 799.9, "differs"),
        # printed 1.72: anything from 1.715 to 1.725 rounds to it; 1 % is 0.0172 and wider
        (1.72, 2, 1.725, "match"),
        (1.72, 2, 1.7372, "match"),
        (1.72, 2, 1.7373, "close"),
        # printed 0.19 or 2: the rounding is wider than 1 %
        (0.19, 2, 0.195, "match"),
        (0.19, 2, 0.185, "match"),
        (0.19, 2, 0.1951, "close"),
        (2, 0, 1.5, "match"),
        (2, 0, 2.5, "match"),
        (2, 0, 2.51, "differs"),
        (2, 0, 1.49, "differs"),
        # negative values
        (-0.234, 3, -0.2345, "match"),
        (-0.234, 3, -0.24, "close"),
        (-0.234, 3, 0.234, "differs"),
        # a published 0 has its rounding and no limits
        (0, 0, 0, "match"),
        (0, 0, 0.5, "match"),
        (0, 0, 1, "differs"),
        (0.0, 1, -0.05, "match"),
        (0.0, 1, 0.06, "differs"),
        (1000, 0, math.inf, "differs"),
        (0, 0, -math.inf, "differs"),
    ],
)
def test_by_hand(value, decimals, ours, word):
    assert number_verdict(ours, paper_says(value, decimals)).verdict == word


@pytest.mark.parametrize(("value", "decimals", "ours"), [(1.1, 1, 1.05), (2.2, 1, 2.15)])
def test_boundaries_are_decimal_not_binary(value, decimals, ours):
    assert value - ours > 0.05
    assert number_verdict(ours, paper_says(value, decimals)).verdict == "match"


def test_difference_is_relative_to_the_published_value():
    assert number_verdict(1100, paper_says(1000)).difference == pytest.approx(0.1)
    assert number_verdict(900, paper_says(1000)).difference == pytest.approx(-0.1)
    # Towards zero is up for a negative number.
    assert number_verdict(-1.0, paper_says(-2.0, 1)).difference == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("unit", "value", "ours", "expected"),
    [
        ("yyyymm", 200306, 200306, ("match", rules.ABSOLUTE, 0.0)),
        ("yyyymm", 200306, 200301, ("differs", rules.ABSOLUTE, -5.0)),
        ("yyyymm", 199712, 199801, ("differs", rules.ABSOLUTE, 1.0)),
        ("yyyymm", 199712, math.inf, ("differs", rules.ABSOLUTE, math.inf)),
        ("x Reqtime", 1, 2, ("differs", rules.ABSOLUTE, 1.0)),
        ("rank", 3, 3, ("match", rules.ABSOLUTE, 0.0)),
        ("jobs", 0, 3, ("differs", rules.ABSOLUTE, 3.0)),
        ("job number", 5, 5.4, ("differs", rules.ABSOLUTE, pytest.approx(0.4))),
    ],
)
def test_a_difference_is_absolute_where_nothing_can_be_divided(unit, value, ours, expected):
    assert number_verdict(ours, paper_says(value, unit=unit)) == expected


@pytest.mark.parametrize(
    ("value", "ours", "word", "difference"),
    [
        # 0.9 is 0.1 from 1, so the limits are 0.001, 0.005 and 0.02
        (0.9, 0.901, "match", 0.01),
        (0.9, 0.895, "close", -0.05),
        (0.9, 0.92, "near", 0.2),
        (0.9, 0.921, "differs", 0.21),
        # the rounding still counts; the other side of 1 differs
        (0.998, 0.9985, "match", 0.25),
        (0.998, 1.0, "differs", 1.0),
        (1.002, 0.999, "differs", -1.5),
        (0.5, 1.1, "differs", 1.2),
    ],
)
def test_a_ratio_to_a_baseline_is_judged_by_its_distance_from_1(value, ours, word, difference):
    found = number_verdict(ours, paper_says(value, 3, "x Reqtime"))
    assert found == (word, rules.FROM_ONE, pytest.approx(difference))


@pytest.mark.parametrize(
    ("ours", "word"),
    [(104, "close"), (316, "near"), (32, "near"), (317, "differs"), (31, "differs")],
)
def test_a_maximum_is_near_within_half_an_order_of_magnitude(ours, word):
    assert number_verdict(ours, paper_says(100, measure="max_delay")).verdict == word


@pytest.mark.parametrize("nothing", [None, math.nan, np.float32("nan")])
def test_what_was_not_computed_is_not_comparable(nothing):
    result = number_verdict(nothing, paper_says(1000))
    assert result[:2] == ("not comparable", "not computed") and math.isnan(result.difference)
    assert (
        number_verdict(nothing, paper_says(1000), reason="trace not public").reason
        == "trace not public"
    )


def test_a_reason_keeps_the_numbers_but_gives_no_verdict():
    assert number_verdict(1100, paper_says(1000), reason="other version of the log") == (
        "not comparable",
        "other version of the log",
        0.1,
    )


@pytest.mark.parametrize("ours", ["1,000", True, np.True_, 1j, pd.NA, [1000]])
def test_what_is_no_number_is_refused(ours):
    with pytest.raises(EvidenceError, match="allowed: a number, None or NaN"):
        number_verdict(ours, paper_says(1000))


# ---- tables

TABLE5 = [
    (log, "PV-EASY", measure, value, "%")
    for log, measure, value in (
        ("CTC-SP2", "total_load", 68.6),
        ("CTC-SP2", "wasted_load", 2.6),
        ("SDSC-BLUE", "total_load", 75.0),
        ("SDSC-BLUE", "wasted_load", 9.0),
        ("SDSC-DS", "total_load", 66.4917),
        ("SDSC-DS", "wasted_load", 3.0),
    )
]


def frame(rows=TABLE5):
    return pd.DataFrame(rows, columns=list(tables.OURS))


def compared(ours, reasons=None):
    return tables.comparison("pv_easy", "table5", ours, reasons)


def test_table_lays_each_published_number_beside_ours():
    result = compared(frame())
    assert tuple(result.columns) == tables.COLUMNS
    assert list(result["verdict"]) == ["match", "close", "near", "differs", "match", "near"]
    assert list(result["published"]) == [68.6166, 2.48, 81.7564, 5.66, 66.4917, 3.67]
    assert list(result["ours"]) == [row[3] for row in TABLE5]
    assert result["difference"].iloc[3] == pytest.approx((9.0 - 5.66) / 5.66)
    counts = shown.counts(result["verdict"], NUMBER_VERDICTS)
    assert counts == {"match": 2, "close": 1, "near": 2, "differs": 1}


def test_nothing_published_vanishes():
    result = compared(frame(TABLE5[:1]))
    assert len(result) == 6
    assert list(result["reason"]) == [""] + ["not computed"] * 5
    assert result["ours"].isna().sum() == 5
    assert list(compared([])["verdict"]) == ["not comparable"] * 6


def test_reasons_go_by_trace_or_by_number():
    reasons = {"CTC-SP2": "whole log", ("CTC-SP2", "PV-EASY", "wasted_load"): "one number"}
    result = compared(frame(), reasons)
    assert list(result["reason"]) == ["whole log", "one number", "", "", "", ""]
    assert list(result["verdict"][:3]) == ["not comparable", "not comparable", "near"]
    assert result["ours"].iloc[0] == 68.6


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [*TABLE5, ("CTC-SP2", "PV-EASY", "waste", 1.0, "%")],
            "measure 'waste' among those left; they have: total_load, wasted_load",
        ),
        (
            [("CTC", "PV-EASY", "total_load", 1.0, "%")],
            "trace 'CTC' among those left; they have: CTC-SP2, SDSC-BLUE, SDSC-DS",
        ),
        ([*TABLE5, TABLE5[0]], "CTC-SP2 / PV-EASY / total_load is repeated"),
        ([("CTC-SP2", "PV-EASY", "total_load", 0.686, "1")], "our unit '1', published unit '%'"),
    ],
)
def test_rows_that_fit_nothing_are_refused(rows, words):
    with pytest.raises(EvidenceError, match=words) as error:
        compared(frame(rows))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"reasons": {"BW": "not public"}}, "a reason for 'BW'"),
        ({"reasons": {("CTC-SP2", "EASY", "total_load"): "x"}}, "a reason for .'CTC-SP2', 'EASY'"),
    ],
)
def test_reasons_name_what_is_there(more, words):
    with pytest.raises(EvidenceError, match=words):
        compared(frame(), **more)


def test_a_column_that_is_missing_is_named():
    with pytest.raises(EvidenceError, match="our row lacks unit"):
        compared(frame().drop(columns="unit"))


@pytest.mark.parametrize(
    ("numbers", "claims", "word"),
    [
        (["near", "close", "match"], ["holds"], "reproduced"),
        (["near", "differs"], [], "partly reproduced"),  # exactly one half
        (["match", "differs", "differs"], ["holds"], "not reproduced"),
        (["match"], ["holds", "fails", "fails"], "not reproduced"),
        (["match"], ["holds in part"], "partly reproduced"),
        (["match", "not comparable", "erratum"], ["open", "undecided"], "reproduced"),
        ([], ["open"], "open"),
        (["not comparable"], ["undecided"], "drawing"),
    ],
)
def test_an_item_is_as_good_as_the_worse_of_its_numbers_and_claims(numbers, claims, word):
    assert rules.item_verdict(numbers, claims) == word
