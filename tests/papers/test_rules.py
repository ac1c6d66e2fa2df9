"""The rules of verdicts on numbers, claims and items, worked out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from replication.simulator import paths
from replication.verdicts import rules, shown, tables
from replication.verdicts.published import EvidenceError, Published
from replication.verdicts.rules import NUMBER_VERDICTS, Answer, number_verdict


def paper_says(value, decimals=0, unit="jobs", measure="blocked"):
    return Published("table1", "CTC-SP2", "EASY", measure, value, unit, decimals, "Paper Table 1")


# ---- the rules, by hand


@pytest.mark.parametrize(
    ("value", "decimals", "unit", "measure", "ours"),
    [
        # the limits are 10, 50 and 200; a boundary belongs to the better verdict
        (1000, 0, "jobs", "blocked", {"match": [1010, 990], "close": [1010.001, 989.9, 1050, 950]}),
        (1000, 0, "jobs", "blocked", {"near": [1050.001, 949.9, 1200, 800]}),
        (1000, 0, "jobs", "blocked", {"differs": [1200.001, 799.9, math.inf]}),
        # anything from 1.715 to 1.725 rounds to it; 1 % is 0.0172 and wider
        (1.72, 2, "jobs", "blocked", {"match": [1.725, 1.7372], "close": [1.7373]}),
        # the rounding is wider than 1 %
        (0.19, 2, "jobs", "blocked", {"match": [0.195, 0.185], "close": [0.1951]}),
        (2, 0, "jobs", "blocked", {"match": [1.5, 2.5], "differs": [2.51, 1.49]}),
        (-0.234, 3, "jobs", "blocked", {"match": [-0.2345], "close": [-0.24], "differs": [0.234]}),
        # 0 has its rounding and no limits
        (0, 0, "jobs", "blocked", {"match": [0, 0.5], "differs": [1, -math.inf]}),
        # boundaries are decimal: in binary 1.1 - 1.05 is above 0.05
        (1.1, 1, "jobs", "blocked", {"match": [1.05]}),
        # within half an order of magnitude
        (100, 0, "jobs", "max_delay", {"close": [104], "near": [316, 32], "differs": [317, 31]}),
        # a ratio: 0.9 is 0.1 from 1, so the limits are 0.001, 0.005 and 0.02
        (0.9, 3, "x Reqtime", "af", {"match": [0.901], "close": [0.895], "near": [0.92]}),
        (0.9, 3, "x Reqtime", "af", {"differs": [0.921]}),
        # the rounding still counts; the other side of 1 differs
        (0.998, 3, "x Reqtime", "af", {"match": [0.9985], "differs": [1.0]}),
    ],
)
def test_the_verdict_on_a_number(value, decimals, unit, measure, ours):
    said = paper_says(value, decimals, unit, measure)
    for word, numbers in ours.items():
        assert [number_verdict(number, said).verdict for number in numbers] == [word] * len(numbers)


@pytest.mark.parametrize(
    ("unit", "value", "ours", "expected"),
    [
        ("jobs", 1000, 1100, ("near", "", 0.1)),
        ("jobs", -2, -1, ("differs", "", 0.5)),  # towards zero is up for a negative number
        ("x Reqtime", 0.9, 0.92, ("match", rules.FROM_ONE, 0.2)),
        # nothing can be divided
        ("yyyymm", 200306, 200306, ("match", rules.ABSOLUTE, 0)),
        ("yyyymm", 199712, 199801, ("differs", rules.ABSOLUTE, 1)),
        ("yyyymm", 199712, math.inf, ("differs", rules.ABSOLUTE, math.inf)),
        ("x Reqtime", 1, 2, ("differs", rules.ABSOLUTE, 1)),
        ("jobs", 0, 3, ("differs", rules.ABSOLUTE, 3)),
        ("job number", 5, 5.4, ("differs", rules.ABSOLUTE, 0.4)),
    ],
)
def test_a_difference_is_relative_unless_nothing_can_be_divided(unit, value, ours, expected):
    verdict = number_verdict(ours, paper_says(value, unit=unit))
    assert verdict == (*expected[:2], pytest.approx(expected[2]))


@pytest.mark.parametrize("nothing", [None, math.nan, np.float32("nan")])
def test_what_was_not_computed_is_not_comparable(nothing):
    result = number_verdict(nothing, paper_says(1000))
    assert result[:2] == ("not comparable", "not computed") and math.isnan(result.difference)
    assert number_verdict(nothing, paper_says(1000), reason="secret").reason == "secret"


def test_a_reason_keeps_the_numbers_but_gives_no_verdict():
    verdict = number_verdict(1100, paper_says(1000), reason="other version")
    assert verdict == ("not comparable", "other version", 0.1)


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


def test_a_table_has_each_published_number_beside_ours():
    result = compared(frame())
    assert tuple(result.columns) == tables.COLUMNS
    assert list(result["verdict"]) == ["match", "close", "near", "differs", "match", "near"]
    assert list(result["published"]) == [68.6166, 2.48, 81.7564, 5.66, 66.4917, 3.67]
    assert list(result["ours"]) == [row[3] for row in TABLE5]
    assert result["difference"].iloc[3] == pytest.approx((9.0 - 5.66) / 5.66)
    counts = shown.counts(result["verdict"], NUMBER_VERDICTS)
    assert counts == {"match": 2, "close": 1, "near": 2, "differs": 1}
    assert list(compared([])["verdict"]) == ["not comparable"] * 6


def test_reasons_go_by_trace_or_by_number_and_nothing_published_vanishes():
    reasons = {"CTC-SP2": "whole log", ("CTC-SP2", "PV-EASY", "wasted_load"): "one number"}
    result = compared(frame(TABLE5[:3]), reasons)
    assert list(result["reason"]) == ["whole log", "one number", "", *["not computed"] * 3]
    assert list(result["verdict"][:3]) == ["not comparable", "not comparable", "near"]
    assert result["ours"].iloc[0] == 68.6 and result["ours"].isna().sum() == 3


@pytest.mark.parametrize(
    ("rows", "reasons", "message"),
    [
        ([("CTC-SP2", "PV-EASY", "waste", 1, "%")], {}, "measure 'waste' .*: total_load, wasted_l"),
        ([*TABLE5, TABLE5[0]], {}, "CTC-SP2 / PV-EASY / total_load is repeated"),
        ([("CTC-SP2", "PV-EASY", "total_load", 0.7, "1")], {}, "our unit '1', published unit '%'"),
        ([], {"BW": "not public"}, "a reason for 'BW'"),
    ],
)
def test_rows_and_reasons_that_fit_nothing_are_refused(rows, reasons, message):
    with pytest.raises(EvidenceError, match=message):
        compared(frame(rows), reasons)


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


# ---- claims

YES, NO, LIKELY, UNLIKELY = Answer(True), Answer(False), Answer(True, False), Answer(False, False)


@pytest.mark.parametrize(
    ("answers", "word", "verdict", "besides"),
    [
        ([YES, YES], "always", "holds", ""),
        ([YES, YES, NO], "always", "holds in part", ""),
        ([YES, YES, NO, NO], "always", "fails", ""),
        ([], "always", "undecided", ""),
        ([YES, YES, NO], "usually", "holds", ""),
        ([YES, NO], "usually", "fails", ""),
        ([YES, NO, NO, NO], "often", "holds", ""),
        ([YES, NO, NO, NO, NO], "often", "fails", ""),
        ([YES, NO, NO, NO, NO], "sometimes", "holds", ""),
        # intervals stand beside the verdict and do not make it
        ([YES, LIKELY], "always", "holds", "fails"),
        ([YES, YES, UNLIKELY], "always", "holds in part", "holds"),
        ([YES, UNLIKELY, UNLIKELY], "always", "fails", "holds"),
        ([YES, YES, UNLIKELY], "usually", "holds", ""),
    ],
)
def test_a_verdict_counts_the_cases_as_the_word_asks(answers, word, verdict, besides):
    assert rules.claim_verdict(answers, word) == verdict
    assert rules.other_verdicts(answers, word) == besides


def test_what_cannot_fail_is_a_check_and_fails_if_it_does():
    assert rules.claim_verdict([YES, YES], kind="check") == "check"
    assert rules.claim_verdict([YES, YES, NO], kind="check") == "fails"


def test_the_weakest_verdict_on_one_side_counts():
    assert rules.weakest(["holds", "holds in part"]) == "holds in part"
    assert rules.weakest(["holds in part", "fails"]) == rules.weakest(["undecided"]) == "open"


def row(change, operator, threshold):
    low, high = change[1:] or (None, None)
    return rules.Case("a", change[0], low, high, operator=operator, threshold=threshold).row()


@pytest.mark.parametrize(
    ("change", "operator", "threshold", "answer"),
    [
        ((3, 1, 5), ">", 0, YES),
        ((3, -1, 5), ">", 0, LIKELY),
        ((-3, -5, -1), ">", 0, NO),
        ((-3, -5, 1), ">", 0, UNLIKELY),
        ((0,), ">", 0, NO),
        ((0,), ">=", 0, YES),
        ((0,), "<", 0, NO),
        ((0,), "<=", 0, YES),
        ((3, 1, 5), "between", (-5, 5), YES),
        ((3, 1, 5.1), "between", (-5, 5), LIKELY),
        ((-7, -9, -5.5), "between", (-5, 5), NO),
        ((6, -6, 18), "between", (-5, 5), UNLIKELY),
        ((math.nan,), "<", 0, NO),
        ((3, math.nan, math.nan), ">", 0, LIKELY),
    ],
)
def test_a_case_is_decided_by_its_value_and_is_sure_by_its_interval(
    change, operator, threshold, answer
):
    entry = {"operator": operator, "threshold": threshold}
    assert rules.answer(row(change, "", None), entry) == answer


@pytest.mark.parametrize(
    ("entry", "word", "factor", "held"),
    [
        ({"threshold": -1.0, "word_of_size": "none"}, "none", 0.5, "-0.5"),
        ({"threshold": -1.0, "word_of_size": "none"}, "same", 0.5, "-1.0"),
        ({"threshold": 0.99, "word_of_size": "none", "origin": 1}, "none", 2, "0.98"),
        ({"threshold": 50, "word_of_size": "usually"}, "usually", 2, "100"),
    ],
)
def test_a_threshold_follows_the_word_that_it_depends_on(entry, word, factor, held):
    """A number at the threshold is not below it, a lower one is."""
    at, below = float(held), float(held) - 1e-6
    answers = [
        rules.answer({"value": x}, entry | {"operator": "<"}, {word: factor}) for x in (at, below)
    ]
    assert [answer.holds for answer in answers] == [False, True]


def test_a_word_or_an_operator_that_is_none_is_refused():
    with pytest.raises(EvidenceError, match="word 'nearly'; expected one of words.toml"):
        rules.level("nearly")
    with pytest.raises(EvidenceError, match="operator '=>'; expected <, <=, >, >=, between"):
        rules.answer(row((1,), "=>", 0), {})


@pytest.mark.parametrize(
    ("answers", "answer"),
    [([YES, YES], YES), ([YES, LIKELY], LIKELY), ([YES, UNLIKELY], UNLIKELY), ([UNLIKELY, NO], NO)],
)
def test_all_of_several(answers, answer):
    assert rules.every(answers) == answer


@pytest.mark.parametrize(
    ("number", "ends"),
    [(20, (15, 25)), (1, (0.5, 1.5)), (90, (85, 95)), (18, (17.5, 18.5)), (10_000, (5000, 15000))],
)
def test_around_a_number_is_what_rounds_to_it(number, ends):
    assert rules.around(number) == ends


def test_every_word_has_its_reason_and_the_document_has_every_word():
    said = (paths.ROOT / "docs/verdicts.md").read_text(encoding="utf-8")
    for kind in ("how_often", "how_much"):
        for name, entry in rules.words()[kind].items():
            assert entry["why"] and entry["says"] and entry["rule"], name
            assert f"| {name.replace('_', ' ')} |" in said, name
    how_often = rules.words()["how_often"]
    assert [rules.enough(1, 4, word) for word in how_often] == [False, False, True, True]
