"""The rules that turn cases into a verdict, what words mean, and claims that are entered but not decided."""

import importlib
import re
from types import SimpleNamespace

import numpy as np
import pytest

from replication.papers import claims
from replication.papers.claims import (
    Answer,
    Claims,
    above,
    around,
    at_least,
    at_most,
    below,
    between,
    contrary,
    each_log,
    enough,
    every,
    otherwise,
    totals,
    verdict,
    within,
)
from replication.papers.published import EvidenceError
from replication.simulator import paths

PAPERS = [folder.parent.name for folder in sorted(paths.PUBLISHED.glob("*/claims.toml"))]
FIELDS = {"section", "statement", "statistic", "rule", "number", "word", "kind"}
YES, NO, LIKELY, UNLIKELY = Answer(True), Answer(False), Answer(True, False), Answer(False, False)


@pytest.mark.parametrize(
    ("answers", "word", "given"),
    [
        ([YES, YES], "always", "holds"),
        ([YES, YES, NO], "always", "holds in part"),
        ([YES, NO], "always", "fails"),
        ([], "always", "undecided"),
        ([YES, YES, NO], "usually", "holds"),
        ([YES, NO], "usually", "fails"),
        ([YES, NO, NO, NO], "often", "holds"),
        ([YES, NO, NO, NO, NO], "often", "fails"),
        ([YES, NO, NO, NO, NO], "sometimes", "holds"),
        ([NO, NO], "sometimes", "fails"),
    ],
)
def test_a_verdict_counts_the_values_as_the_word_asks(answers, word, given):
    assert verdict(answers, word) == given


def test_what_cannot_fail_is_a_check_and_fails_if_it_does():
    assert verdict([YES, YES], kind="check") == "check"
    assert verdict([YES, YES, NO], kind="check") == "fails"


@pytest.mark.parametrize(
    ("answers", "word", "given", "besides"),
    [
        ([YES, YES], "always", "holds", ""),
        ([YES, LIKELY], "always", "holds", "fails"),
        ([YES, YES, LIKELY], "always", "holds", "holds in part"),
        ([YES, YES, UNLIKELY], "always", "holds in part", "holds"),
        ([YES, UNLIKELY, UNLIKELY], "always", "fails", "holds"),
        ([YES, YES, UNLIKELY], "usually", "holds", ""),
        ([NO, NO, LIKELY], "usually", "fails", ""),
        ([], "always", "undecided", ""),
    ],
)
def test_intervals_stand_beside_the_verdict_and_do_not_make_it(answers, word, given, besides):
    assert verdict(answers, word) == given
    assert otherwise(answers, word) == besides


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ((3, 1, 5), YES),
        ((3, -1, 5), LIKELY),
        ((-3, -5, -1), NO),
        ((-3, -5, 1), UNLIKELY),
        ((0, 0, 0), NO),
    ],
)
def test_above_a_level(change, answer):
    assert above()(change) == answer
    assert below()([-change[0], -change[2], -change[1]]) == answer
    assert contrary(at_most(0))(change) == answer


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ((3, 1, 5), YES),
        ((3, 1, 5.1), LIKELY),
        ((-7, -9, -5.5), NO),
        ((6, 4, 8), UNLIKELY),
        ((6, -6, 18), UNLIKELY),
        ((0, -5, 5), YES),
    ],
)
def test_within_a_bound(change, answer):
    assert within(5)(change) == answer
    assert between(5, 15)([10 + x for x in change]) == answer


@pytest.mark.parametrize(
    ("answers", "answer"),
    [
        ([YES, True], YES),
        ([YES, LIKELY], LIKELY),
        ([YES, UNLIKELY], UNLIKELY),
        ([UNLIKELY, NO], NO),
    ],
)
def test_all_of_several(answers, answer):
    assert every(answers) == answer


def test_the_contrary_is_as_sure():
    assert contrary(above())((3, -1, 5)) == UNLIKELY


def test_a_number_alone_is_sure_and_levels_are_above_and_below_themselves_for_none():
    rules = above(3), below(3), at_least(3), at_most(3)
    assert [rule(3) for rule in rules] == [NO, NO, YES, YES]


@pytest.mark.parametrize(
    ("number", "ends"),
    [(20, (15, 25)), (1, (0.5, 1.5)), (90, (85, 95)), (18, (17.5, 18.5)), (10_000, (5000, 15000))],
)
def test_around_a_number_is_what_rounds_to_it(number, ends):
    assert around(number) == ends


def test_every_word_has_its_reason_and_the_document_has_every_word():
    said = (paths.ROOT / "docs/verdicts.md").read_text(encoding="utf-8")
    for kind in ("how_often", "how_much"):
        for name, entry in claims.words()[kind].items():
            assert entry["why"] and entry["says"] and entry["rule"], name
            assert f"| {name.replace('_', ' ')} |" in said, name
    how_often = claims.words()["how_often"]
    assert [enough(1, 4, word) for word in how_often] == [False, False, True, True]


@pytest.mark.parametrize("paper", PAPERS)
def test_a_rule_that_names_a_word_has_its_number(paper):
    """Of "similar (10 %)" in a rule, 10 is what words.toml has."""
    for name, claim in claims.entered(paper).items():
        for word, number in re.findall(
            r"\b(none|same|similar|small) \((?:\w+ )*(\d+)(?: %| points)", claim["rule"]
        ):
            assert float(number) == claims.level(word), name


def claims_about(tmp_path, monkeypatch, *cases, more=""):
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "claims.toml").write_text(
        '[one]\nsection = "2"\nstatement = "It grows."\nstatistic = "growth"\n'
        f'rule = "above 0"\nnumber = "3 %"\n{more}'
    )
    found = Claims("small")
    found.decides("one")(lambda evidence: cases)
    return found


def test_a_claim_is_decided_case_by_case(tmp_path, monkeypatch):
    found = claims_about(
        tmp_path,
        monkeypatch,
        ("log A", "+1", np.True_),
        ("log B", "+2", LIKELY),
        ("log C", "-1", np.False_),
    ).evaluate(None)
    assert found.iloc[0].to_dict() == {
        "claim": "one",
        "section": "2",
        "statement": "It grows.",
        "verdict": "holds in part",
        "otherwise": "fails",
        "count": "2 of 3",
        "numbers": "log A +1; log B +2; log C -1",
        "published": "3 %",
        "statistic": "growth",
        "rule": "above 0",
        "answers": "for; for, not sure; against",
    }
    assert totals(found) == "Of 1 claims: **1** holds in part."


def test_a_claim_has_the_word_and_the_kind_that_were_entered(tmp_path, monkeypatch):
    cases = ("log A", "+1", True), ("log B", "-1", False), ("log C", "-2", False)
    found = claims_about(tmp_path, monkeypatch, *cases, more='word = "often"\n')
    assert found.evaluate(None)["verdict"].tolist() == ["holds"]


def test_what_is_measured_is_judged_and_told_by_the_paper_s_form(tmp_path, monkeypatch):
    found = claims_about(tmp_path, monkeypatch)
    found.form, found.deciders = "{:.1f} ({:.0f} to {:.0f})", {}
    measured = each_log(lambda e, log, f: (e.workloads[log] * f, 0, 9), {2: "twice"}, of="ab".count)
    found.decides("one", above(1))(measured)
    found.decides("one", below(), "{:g} h")(lambda e: [("", 7)])
    row = found.evaluate(SimpleNamespace(workloads={"a": 1, "b": 0, "c": 5})).iloc[0]
    assert row["numbers"] == "a twice 2.0 (0 to 9); b twice 0.0 (0 to 9); 7 h"
    assert row["answers"] == "for, not sure; against, not sure; against"


def test_two_evaluations_are_laid_side_by_side_where_they_differ(tmp_path, monkeypatch):
    found = claims_about(tmp_path, monkeypatch, ("log A", "+1", True))
    default = found.evaluate(None)
    assert claims.beside(default, default, "now").empty
    other = default.assign(verdict="fails", numbers="log A -1")
    assert claims.beside(default, other, "now").to_dict("records") == [
        {
            "claim": "one",
            "statement": "It grows.",
            "default": "holds",
            "now": "fails",
            "numbers": "log A -1",
        }
    ]


def test_the_words_of_a_case_may_not_run_into_the_next(tmp_path, monkeypatch):
    found = claims_about(tmp_path, monkeypatch, ("log A", "1; 2", True))
    with pytest.raises(EvidenceError, match="'one': numbers"):
        found.evaluate(None)


def test_an_unknown_claim_is_refused(tmp_path, monkeypatch):
    found = claims_about(tmp_path, monkeypatch)
    with pytest.raises(EvidenceError, match="claim 'two', allowed: one"):
        found.evaluate(None, only=["two"])


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_is_decided(paper):
    register = importlib.import_module(f"replication.papers.{paper}.claims").CLAIMS
    published = register.published()
    assert published.keys() == register.deciders.keys()
    for name, claim in published.items():
        assert claim.keys() == FIELDS, name
        assert claim["kind"] in claims.KINDS, name
        assert claim["word"] in claims.words()["how_often"], name
