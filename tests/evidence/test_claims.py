"""The rule that turns cases into a verdict, and claims that are entered but not decided."""

import importlib

import numpy as np
import pytest

from replication.basics import paths
from replication.evidence.claims import ClaimError, Claims, every, totals, usually, verdict, within

PAPERS = [folder.parent.name for folder in sorted(paths.PUBLISHED.glob("*/claims.toml"))]


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        ([True, True], "holds"),
        ([True, True, False], "holds in part"),
        ([True, True, None], "holds in part"),
        ([True, False], "fails"),
        ([True, None], "undecided"),
        ([False, None], "fails"),
        ([None, None], "undecided"),
        ([], "undecided"),
    ],
)
def test_the_rule(answers, word):
    assert verdict(answers) == word


def claims_about(tmp_path, monkeypatch, *cases):
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "claims.toml").write_text(
        '[one]\nsection = "2"\nstatement = "It grows."\nstatistic = "growth"\n'
        'rule = "above 0"\nnumber = "3 %"\n'
    )
    claims = Claims("small")
    claims.decides("one")(lambda evidence: cases)
    return claims


def test_a_claim_is_decided_case_by_case(tmp_path, monkeypatch):
    claims = claims_about(
        tmp_path,
        monkeypatch,
        ("log A", "+1", np.True_),
        ("log B", "+2", np.True_),
        ("log C", "-1", np.False_),
    )
    found = claims.evaluate(None)
    assert found.iloc[0].to_dict() == {
        "claim": "one",
        "section": "2",
        "statement": "It grows.",
        "verdict": "holds in part",
        "count": "2 of 3",
        "numbers": "log A +1; log B +2; log C -1",
        "published": "3 %",
        "statistic": "growth",
        "rule": "above 0",
        "answers": "for; for; against",
    }
    assert totals(found) == "Of 1 claims: **1** holds in part."


def test_the_words_of_a_case_may_not_run_into_the_next(tmp_path, monkeypatch):
    claims = claims_about(tmp_path, monkeypatch, ("log A", "1; 2", True))
    with pytest.raises(ClaimError, match="'one': numbers"):
        claims.evaluate(None)


def test_an_unknown_claim_is_refused(tmp_path, monkeypatch):
    claims = claims_about(tmp_path, monkeypatch)
    with pytest.raises(ClaimError, match="claim 'two', allowed: one"):
        claims.evaluate(None, only=["two"])


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_is_decided(paper):
    claims = importlib.import_module(f"replication.papers.{paper}.claims").CLAIMS
    published = claims.published()
    assert published.keys() == claims.deciders.keys()
    for name, claim in published.items():
        assert claim.keys() - {"number"} == {"section", "statement", "statistic", "rule"}, name


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ((3, 1, 5), True),
        ((3, 1, 5.1), None),
        ((-7, -9, -5.5), False),
        ((6, 4, 8), None),
        ((0, -5, 5), True),
    ],
)
def test_within_a_bound(change, answer):
    assert within(change, 5) is answer


@pytest.mark.parametrize(
    ("answers", "all_of_them", "most"),
    [
        ([True, True], True, True),
        ([True, False, True], False, True),
        ([True, None], None, None),
        ([True, False], False, False),
        ([None, False, False], False, False),
        ([True, True, None], None, True),
    ],
)
def test_answers_of_several_cases(answers, all_of_them, most):
    assert every(answers) is all_of_them
    assert usually(answers) is most
