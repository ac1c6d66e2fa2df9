"""Claims: from the tables of a notebook to cases and a verdict; and the entries of the papers."""

import importlib.util
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
import small_project

from replication.simulator import paths
from replication.verdicts import evidence, published, rules, tables
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import Case, level
from replication.verdicts.tables import changed, decide, totals

PAPERS = [folder.parent.name for folder in sorted(paths.PUBLISHED.glob("*/claims.toml"))]
FIELDS = set(
    "section statement statistic rule number word kind operator threshold word_of_size origin unit "
    "select cases baseline study notebook decided_by headline".split()
)


@pytest.fixture
def paper(tmp_path, monkeypatch):
    """The name of a paper with one claim."""
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    return "heel_and_toe"


def enter_claims(paper, *more):
    """Give the claim of the paper more fields; and enter it again as another one with others."""
    path = paths.PUBLISHED / paper / "claims.toml"
    entries = small_project.CLAIM, small_project.CLAIM.replace("doubling", "halving")
    path.write_text("".join(f"{entry}{field}\n" for entry, field in zip(entries, more)))


def test_a_claim_is_decided_case_by_case_and_a_case_by_all_its_parts(paper):
    def doubling_helps(change):
        yield Case("log A", change)
        yield Case("log B", 2, -1, 3)
        yield Case("log C", 1, part="rise")
        yield Case("log C", 7, part="fall", operator="<", threshold=5)

    claim = decide(paper, {"doubling_helps": doubling_helps}, {"change": 1})["doubling-helps"]
    assert (claim.verdict, claim.otherwise, claim.count) == ("holds in part", "fails", "2 of 3")
    assert tables.case_table({"x": claim})["answer"].tolist() == [
        "for",
        "for, not sure",
        "against",
        "against",
    ]
    numbers = "log A 1 %; log B 2 % (-1 to 3); log C rise 1 %, fall 7 %, not below 5 %"
    assert (claim.numbers, claim.rule) == (numbers, "above 0 %, in every case")
    assert totals([claim.verdict]) == "Of 1 claims: **1** holds in part."


@pytest.mark.parametrize(
    ("value", "verdict"), [(3, "holds"), (8, "undecided"), (15, "undecided"), (25, "fails")]
)
def test_a_size_that_the_sentence_does_not_name_must_not_decide(value, verdict):
    """A tenth, halved or doubled."""
    entry = {"operator": "<=", "threshold": 10, "word_of_size": "small", "decided_by": "words"}
    assert decided(entry, Case("a", value)).verdict == verdict


@pytest.mark.parametrize(
    ("ends", "unsure"), [((), evidence.NO_INTERVALS), ((0.5, 3), "0"), ((-1, 3), "1")]
)
def test_only_cases_with_an_interval_are_counted_as_sure_or_not(paper, ends, unsure):
    def doubling_helps(change):
        return [Case("log A", change, *ends), Case("log B", change)]

    claim = decide(paper, {"doubling_helps": doubling_helps}, {"change": 2})["doubling-helps"]
    assert claim.unsure == unsure


def test_the_cases_of_a_claim_may_be_rows_of_a_table(paper):
    enter_claims(paper, 'select = { table = "changes", kind = ["a", "c"] }')
    table = pd.DataFrame(
        {"log": ["x"] * 3, "kind": [*"abc"], "value": [1, -1, 3], "low": 0.5, "high": [2, 0, 4]}
    )
    claim = decide(paper, {}, {"changes": table})["doubling-helps"]
    assert [case for case, _ in claim.cases] == ["x a 1 % (0.5000 to 2)", "x c 3 % (0.5000 to 4)"]


def test_claims_may_share_a_function_and_name_its_table(paper):
    entry = 'cases = { function = "change", table = "changes", kind = "a" }'
    enter_claims(paper, entry, 'cases = { function = "change", kind = "b" }')

    def change(runs, kind, scale=100):
        yield Case("log", scale * runs[kind])

    tables = {"changes": {"a": 1}, "runs": {"b": -1}}
    decided = decide(paper, {"change": change}, tables)
    assert [claim.rows[0]["value"] for claim in decided.values()] == [100, -100]


@pytest.mark.parametrize(
    ("functions", "only", "message"),
    [
        ({}, ["tripling"], "claim 'tripling'; expected one of doubling-helps"),
        ({}, None, "neither select nor a function doubling_helps"),
        ({"doubling_helps": lambda runs: []}, None, "needs the table 'runs'; given: none"),
        ({"doubling_helps": lambda: []}, None, "has no case"),
    ],
)
def test_a_claim_that_cannot_be_decided_is_named(paper, functions, only, message):
    with pytest.raises(EvidenceError, match=message):
        decide(paper, functions, {}, only)


def decided(entry, *rows, unit="%"):
    """The claim of an entry, with these cases."""
    cases = tuple({"unit": unit} | row.row() for row in rows)
    entry = {"word": "always"} | entry
    return evidence.Claim("heel_and_toe", "a", rules.SIMULATED, cases, entry=entry)


def test_a_claim_decided_by_its_band_is_undecided_if_the_band_leaves_it_open():
    entry = {"operator": ">", "threshold": 0, "word": "usually"}
    sure, open_ = Case("a", 1, 0.5, 2), Case("b", 1, -1, 2)
    for rows, verdict in (([sure, open_], "undecided"), ([sure], "holds")):
        assert decided(entry, *rows).verdict == "holds"
        assert decided(entry | {"decided_by": "band"}, *rows).verdict == verdict


def on_a_baseline(*simulators, always=True):
    """The claim of two cases whose default holds, under some simulators of its baseline: each has
    its distance and the values of both cases.
    """
    entry = {"operator": ">", "threshold": 0, "word": "always" if always else "usually"}
    claim = decided(entry | {"baseline": "EASY"}, Case("a", 1), Case("b", 1))
    others = [
        {"variant": str(k), "unit": "%"} | Case(case, value).row()
        for k, (_, *values) in enumerate(simulators)
        for case, value in zip("ab", values, strict=True)
    ]
    distances = {str(k): {"EASY": distance} for k, (distance, *_) in enumerate(simulators)}
    return replace(claim, rows=(*claim.rows, *others), distances=distances)


@pytest.mark.parametrize(
    ("simulators", "verdict", "count"),
    [
        ([(13, 1, 2), (20, 3, 4)], "holds", "2 of 2"),
        ([(13, -1, -2), (20, -3, -4)], "fails", "0 of 2"),
        ([(13, 1, 2), (20, -1, -2)], "open", "0 to 2 of 2"),
        # one that is farther does not vote
        ([(13, 1, 2), (20.1, -1, -2)], "holds", "2 of 2"),
        # if none is near, the default's cases are shown and do not decide
        ([(21, 1, 2)], "open", "2 of 2"),
        ([], "open", "2 of 2"),
    ],
)
def test_all_simulators_near_the_tables_decide_a_claim_on_a_baseline(simulators, verdict, count):
    claim = on_a_baseline(*simulators)
    assert (claim.verdict, claim.count, claim.otherwise) == (verdict, count, "")
    # whatever the default has
    default = decided({}, Case("a", -1), Case("b", -1)).rows
    assert replace(claim, rows=(*default, *claim.rows[2:])).verdict == verdict


def test_the_cases_that_decide_are_shown_and_a_limit_says_which():
    claim = on_a_baseline((9, 1, 2), (13, -1, -2), always=False)
    assert [claim.under({"near": factor}) for factor in (0.5, 1, 2)] == ["holds", "open", "open"]
    claim = on_a_baseline((13, 1, 2), (15, -3, 4), (30, 9, 9))
    assert claim.cases == [("a -3 to 1 %", "for in 1 of 2"), ("b 2 to 4 %", "for in 2 of 2")]
    expected = "near the tables: 2 of 2 cases under 1 simulator, 1 under 1; default: 2 of 2"
    assert claim.counts == expected


def test_a_simulator_votes_if_it_is_near_the_numbers_of_each_policy():
    """A mean of both would let one policy pay for the other."""
    claim = on_a_baseline((13, 1, 2), (13, -1, -2))
    entry = claim.entry | {"baseline": "EASY, EASY-Last"}
    for last, verdict in ((20, "open"), (20.1, "holds")):
        distances = {"0": {"EASY": 13, "EASY-Last": 19}, "1": {"EASY": 13, "EASY-Last": last}}
        assert replace(claim, entry=entry, distances=distances).verdict == verdict


def test_tables_under_variants_decide_claims_on_a_baseline_alone(paper):
    enter_claims(paper, 'baseline = "EASY"', 'cases = { function = "doubling_helps" }')
    functions = {"doubling_helps": lambda change: [Case("a", change)]}
    default, variants = {"change": 1}, {"now": {"change": -1}}
    near = {"now": {"EASY": 13}}
    claims = decide(paper, functions, default, variants=variants, distances=near)
    assert [claim.verdict for claim in claims.values()] == ["fails", "holds"]
    # A simulator of another policy too, or without the table, has no cases.
    both = {"now": {"EASY": 13, "EASY-Last": 13}}
    claims = decide(paper, functions, default, variants=variants, distances=both)
    assert [claim.verdict for claim in claims.values()] == ["open", "holds"]
    claims = decide(paper, functions, default, variants={"now": {}}, distances=near)
    assert [claim.verdict for claim in claims.values()] == ["open", "holds"]


def test_a_claim_that_names_its_notebook_is_decided_by_it_alone(paper):
    enter_claims(paper, 'notebook = "studies/causes/wild"')
    assert not decide(paper, {}, {})

    def item(name, value):
        rows = {"doubling-helps": ({"case": "a", "unit": "%", "value": value},)}
        return SimpleNamespace(name=name, kind="paper", evidence=rows)

    elsewhere, study = item("heel_and_toe/claims", -1), item("studies/causes/wild", 1)
    claim = evidence.statements(paper, [elsewhere, study])[-1]
    assert (claim.verdict, claim.drawn_by) == ("holds", study.name)
    assert evidence.statements(paper, [elsewhere])[-1].verdict == evidence.NOT_DRAWN


def test_claims_that_get_another_verdict_are_listed(paper):
    default, coded = (
        decide(paper, {"doubling_helps": lambda value=value: [Case("a", value)]}, {"value": value})
        for value in (1, -1)
    )
    assert changed(default, default, "coded").empty
    (row,) = changed(default, coded, "coded").to_numpy().tolist()
    assert row == ["doubling-helps", "It helps.", "holds", "fails", "a -1 %"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_has_a_rule_and_a_function_or_rows(paper):
    package = f"notebooks.{paper}"
    # A paper whose claims select rows of tables has no package.
    has_functions = importlib.util.find_spec(package) is not None
    own_functions = importlib.import_module(f"{package}.claims") if has_functions else {}
    for name, claim in published.claims_of(paper).items():
        assert claim["kind"] in rules.KINDS and rules.in_words(claim), name
        assert claim["word"] in rules.words()["how_often"], name
        assert claim.keys() <= FIELDS, name
        # A study's functions are in its module.
        study = claim["notebook"].split("/")[1] if claim["notebook"] else ""
        functions = importlib.import_module(study) if study else own_functions
        assert "select" in claim or tables.function_of(name, claim, functions), name
        assert claim.get("operator", "<") in rules.IN_WORDS, name
        if "word_of_size" in claim:
            assert {*sizes(claim)} == {level(claim["word_of_size"])}, name


def sizes(entry):
    """Return the distance of each end of a threshold from its origin, per cent."""
    ends, origin = entry["threshold"], entry.get("origin", 0)
    ends = ends if isinstance(ends, list) else [ends]
    whole = entry.get("unit") in ("%", "points") and origin == 0
    return [round(abs(end - origin) * (1 if whole else 100 / (origin or 1)), 6) for end in ends]
