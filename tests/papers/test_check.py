"""What decides stands once: each kind of damage to a committed result is seen by ``make check`` or
by a re-run, and a changed verdict is named.
"""

import json
import re

import pandas as pd
import pytest
import small_project
from small_project import OURS

from replication.cli import main
from replication.report import page, record, rerun, results
from replication.simulator import paths
from replication.verdicts import evidence, rules
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import Case

NAME, CLAIMS = "heel_and_toe/fig02", "heel_and_toe/claims"
LOGS = ["CTC-SP2", "KTH-SP2-2"]
CASES = [Case("CTC-SP2", 1, 0.5, 2), Case("KTH-SP2-2", -1), Case("SDSC-SP2", 3)]


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    small_project.claims(tmp_path)
    for name in (NAME, CLAIMS):
        small_project.notebook(tmp_path, name, [], logs=json.dumps(LOGS))
    draw()
    decide()
    save()
    small_project.commit(tmp_path, "figures")
    return tmp_path


def draw(ours=OURS, name=NAME, **given):
    """Draw an item as its notebook would, and return the answer of the run."""
    made = page.Page(name, **{"logs": LOGS} | given)
    rows = [row for row in ours if row["trace"] in made.logs]
    made.table(pd.DataFrame(rows)[["trace", "policy", "value", "unit"]], "Waits")
    made.table(pd.DataFrame({"all": [7]}), "Of all logs", name="all")
    made.table(pd.DataFrame(), "Empty", name="empty")
    made.compare(rows, item="fig02")
    ends = rows[0]["value"], rows[-1]["value"]
    made.opening("We wait {ours} min.", {"ours": "min"}, ours=rows[-1]["value"], ends=ends)
    return publish(made)


def decide(cases=CASES, name=CLAIMS):
    """Decide the claim as the notebook of claims would, and return the answer of the run."""
    made = page.Page(name, logs=LOGS)
    made.claims({"doubling_helps": lambda: cases})
    return publish(made)


def publish(made):
    answer = rerun.answer(record._read(made.folder / f"{made.item}.json"), made.folder)
    small_project.publish(made)
    return answer


def save():
    for file, content in evidence.files(statements()).items():
        file.write_bytes(content)


def statements():
    return results.collect("paper").every("statements")


def check(capsys):
    """Return the exit code of ``check`` and all that it says."""
    capsys.readouterr()
    return main(["check"]), "".join(capsys.readouterr())


def edit(root, file, old, new):
    """Change a committed file by hand, once."""
    path = root / "figures/heel_and_toe" / file
    before = path.read_text()
    path.write_text(re.sub(old, new, before, count=1, flags=re.MULTILINE))
    assert path.read_text() != before


def test_what_is_as_committed_is_said_so(project, capsys):
    assert check(capsys) == (
        0,
        "5 verdicts, all as in the last commit\n"
        "1 claims and 4 numbers from 2 records; nothing was simulated\n",
    )
    assert draw() == decide() == (True, "equal to the committed record", ())


#: By file: what is replaced, by what, and what a re-run says.
DAMAGE = {
    "number": ("fig02.evidence.csv", "21.4,", "50.0,", "21.4, committed 50.0 (-57.20 %)"),
    "sign of a case": ("claims.evidence.csv", "-1.0", "1.0", "-1.0, committed 1.0 (-200 %)"),
    "end of an interval": ("claims.evidence.csv", ",0.5,", ",-0.5,", "low 0.5, committed -0.5"),
    "case": ("claims.evidence.csv", "KTH-SP2-2", "RICC", "case KTH-SP2-2, committed RICC"),
    "row": ("claims.evidence.csv", r".*SDSC-SP2.*\n", "", "a row, committed none"),
    "second row": ("claims.evidence.csv", r"(.*CTC-SP2.*\n)", r"\1\1", "none, committed a row"),
    "unit": ("claims.evidence.csv", "%", "s", "unit %, committed s"),
    "word of size": ("claims.evidence.csv", "%,,,", "%,,,far", "none, committed far"),
    "reason": ("fig02.evidence.csv", "min,,,,$", "min,,,,why", "reason none, committed why"),
    "opening": ("fig02.evidence.csv", "ours,,160.0", "ours,,16.0", "160.0, committed 16.0"),
    "end of a range": ("fig02.evidence.csv", "21.4,160.0", "21.4,16.0", "high 160.0, committed"),
    "unit of the opening": ("fig02.evidence.csv", "160.0,,,min", "160.0,,,h", "unit min, commit"),
    "digit": ("fig02.csv", "18.7", "18.8", "value 18.7, committed 18.8 (-0.5319 %)"),
    "exchanged rows": ("fig02.csv", "(.*21.4.*\n)(.*18.7.*\n)", r"\2\1", "(+14.44 %)"),
    "exchanged columns": ("fig02.csv", "policy,value", "value,policy", "columns trace, policy"),
    "no number": ("fig02.csv", "18.7", "nan", "value 18.7, committed nan"),
    "summary": ("fig02.json", "We wait", "We save", "summary"),
    "caption": (
        "fig02.json",
        '"Waits"',
        '"Gains"',
        "record, caption of fig02.csv: Waits, committed Gains",
    ),
    "jobs": ("fig02.json", '"jobs": 6000', '"jobs": 6001', "6000, committed 6001 (-0.01666 %)"),
    "log": ("fig02.json", '"sha256": "..', '"sha256": "xx', "CTC-SP2 sha256"),
    "table": (
        "fig02.json",
        '"fig02-all.csv": {',
        '"x.csv": {',
        "fig02-all.csv: a table, committed",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_committed_value_that_the_code_does_not_give_is_named_by_a_rerun(project, damage):
    file, old, new, words = DAMAGE[damage]
    edit(project, file, old, new)
    small_project.commit(project, "figures")
    said = draw() if file.startswith("fig02") else decide()
    assert said.equal is False and words in said.words
    assert "differ" in said.words


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("fig02.evidence.csv", "21.4,", "50.0,", "CTC-SP2 real wait: match -> differs"),
        ("fig02.evidence.csv", "21.4,.*", "x,,,min,,,,", "line 2: .*numbers as value"),
        ("fig02.evidence.csv", "value", "number", "line 2: .*expected statement, variant"),
        ("fig02.evidence.csv", ",min,", ",s,", "real wait in s, published in min; run the"),
        ("claims.evidence.csv", "-1.0", "1.0", "doubling-helps: holds in part -> holds"),
        ("claims.evidence.csv", r"(?s).*", "", "doubling-helps: holds in part -> not drawn"),
        ("fig02.json", '"seed": 1', '"seed": 9', "fig02: with seed 9 .committed: 1"),
        ("fig02.json", '"sha256": "..', '"sha256": "xx', "fig02: with another file of CTC-SP2"),
        ("fig02.json", '"item": .*\n', "", "fig02.json: damaged record"),
        ("../verdicts.csv", "match", "near", "verdicts.csv: not what the evidence gives"),
        ("../sensitivity.csv", "0", "1", "sensitivity.csv: not what the evidence gives"),
    ],
)
def test_damage_that_changes_a_verdict_or_is_none_of_the_notebook_fails_the_check(
    project, capsys, file, old, new, words
):
    edit(project, file, old, new)
    code, said = check(capsys)
    assert code == 1 and re.search(words, said)


def test_the_largest_differences_come_first_and_a_lost_table_is_named(project):
    ours = [row | {"value": row["value"] * by} for row, by in zip(OURS, (1.01, 3, 1.5))]
    said = draw(ours).words
    assert said.startswith("10 values differ from the committed record: fig02.csv, CTC-SP2 perf")
    assert re.findall(r"\((.*?)\)", said) == ["+200.0 %", "+200.0 %", "+50 %"]
    made = page.Page(NAME, logs=LOGS)
    made.compare(OURS)
    assert "fig02-all.csv: none, committed a row" in publish(made).words


def test_of_one_log_its_rows_are_compared_and_nothing_is_equal_in_no_row(project):
    said = draw(logs=["KTH-SP2-2"])
    # One row of the table, and those of two printed numbers but one of them without ours.
    assert said == (
        True,
        "equal to the committed record in its 2 rows of KTH-SP2-2",
        ("fig02-all.csv", "1 row of fig02.evidence.csv"),
    )
    worse = [row | {"value": row["value"] * 1.1} for row in OURS]
    assert "(+10 %)" in draw(worse, logs=["KTH-SP2-2"]).words
    made = page.Page(NAME, logs=["KTH-SP2-2"])
    made.table(pd.DataFrame({"all": [12345]}), "Of all logs", name="all")
    said = publish(made)
    assert said[:2] == (None, "nothing to compare: no row of KTH-SP2-2")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 2}, "not compared: seed 2 (committed: 1)"),
        ({"scale": "quick"}, "not compared: quick scale"),
    ],
)
def test_what_has_other_parameters_is_not_compared(project, given, words):
    assert draw(**given) == (None, words, ())


def test_without_git_the_files_on_disk_serve_and_stay(project, capsys):
    (project / ".git").rename(project / "git")
    assert check(capsys)[0] == 0
    before = {path: path.read_bytes() for path in (project / "figures").rglob("*.*")}
    worse = [row | {"value": row["value"] * 1.1} for row in OURS]
    for _ in range(2):
        assert draw() == (True, "equal to the committed record", ())
        assert draw(worse).equal is False
    assert {path: path.read_bytes() for path in before} == before
    assert (project / "build/other/heel_and_toe/fig02.csv").exists()


def test_the_list_has_every_number_and_claim_and_no_value(project):
    lines = (project / "figures/verdicts.csv").read_text().splitlines()
    assert lines[0] == "kind,paper,item,trace,policy,measure,about,verdict"
    assert lines[1] == "number,heel_and_toe,fig02,CTC-SP2,real,wait,simulated,match"
    assert lines[4] == "number,heel_and_toe,fig02,KTH-SP2-2,perfect,wait,simulated,not comparable"
    assert lines[5:] == ["claim,heel_and_toe,doubling-helps,,,,simulated,holds in part"]
    assert not any("21.4" in line for line in lines)


def test_a_change_of_the_rule_is_seen_without_drawing_anew(project, capsys, monkeypatch):
    monkeypatch.setattr(rules, "LIMITS", {"match": 0, "close": 0, "near": 1})
    code, said = check(capsys)
    assert code == 1
    assert re.findall("fig02 (.*)", said) == [
        "CTC-SP2 real wait: match -> near",
        "CTC-SP2 perfect wait: close -> near",
        "KTH-SP2-2 real wait: differs -> near",
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("fig02.csv", "real,wait,114,", "real,wait,159,", "KTH-SP2-2 real wait: differs -> match"),
        ("fig02.csv", ",min,", ",s,", "wait in min, published in s; run the notebook again"),
        ("claims.toml", "threshold = 0", "threshold = 2", "doubling-helps: holds in part -> fails"),
        ("claims.toml", 'operator = ">"', 'word = "banana"', "word 'banana'; allowed: always"),
        ("claims.toml", 'operator = ">"', 'operator = "="', "[doubling-helps]: operator '='"),
        ("claims.toml", 'section = "3, Figs. 2 and 4"', "", "[doubling-helps]: no section"),
        ("claims.toml", "threshold = 0", "threshold = 0,5", "expected TOML in UTF-8"),
    ],
)
def test_a_published_value_or_rule_that_changed_is_seen(project, capsys, file, old, new, words):
    path = paths.PUBLISHED / "heel_and_toe" / file
    path.write_text(path.read_text().replace(old, new))
    small_project.forget()
    code, said = check(capsys)
    assert code and words in said and "Traceback" not in said


def test_what_is_new_or_gone_or_no_longer_drawn_is_a_change(project, capsys):
    path = paths.PUBLISHED / "heel_and_toe/fig02.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[4].replace("perfect", "doubled")]) + "\n")
    (project / "figures/heel_and_toe/claims.json").unlink()
    code, said = check(capsys)
    assert code == 1 and sorted(said.splitlines()[:4]) == [
        "heel_and_toe doubling-helps: holds in part -> not drawn",
        "heel_and_toe fig02 KTH-SP2-2 doubled wait: None -> not drawn",
        "heel_and_toe fig02 KTH-SP2-2 perfect wait: not comparable -> None",
        "heel_and_toe fig02 KTH-SP2-2 real wait: differs -> None",
    ]


def test_thresholds_are_halved_and_doubled_one_by_one(project):
    table = evidence.sensitivity(statements()).set_index("threshold")
    moved = table.drop(columns="per cent").astype(int)
    # Of the claim 2 of 3 cases hold; of the numbers one is 3.3 % away, one 40.4 %.
    assert moved.loc["always"].tolist() == [1, 0, 0, 0]
    assert moved.loc["close"].tolist() == [0, 1, 0, 0]
    assert moved.loc["near"].tolist() == [0, 0, 0, 0]
    assert moved.loc["any of these"].tolist() == [1, 1, 0, 0]


def test_the_commit_counts_and_not_the_file(project, capsys):
    draw([OURS[0], OURS[1] | {"value": 18.1}, OURS[2]])
    save()
    code, said = check(capsys)
    assert code == 1
    assert "close -> match\n1 of 5 verdicts are not those of the last commit" in said
    assert main(["check", "--json"]) == 1
    (changed,) = json.loads(capsys.readouterr().out)["changed"]
    assert changed[1:] == ["close", "match"]
    small_project.commit(project, "figures")
    assert check(capsys)[0] == 0


def test_no_list_is_an_error(project, capsys):
    (project / "figures/verdicts.csv").unlink()
    (project / ".git").rename(project / "git")
    code, said = check(capsys)
    assert code == 1 and "make figures" in said


def test_a_claim_is_read_as_it_was_recorded(project):
    paper = results.collect("paper").papers[1]
    (claim,) = paper.claims
    assert claim.verdict == "holds in part" and claim.count == "2 of 3"
    assert claim.entry["number"] == "3 %"
    assert claim.cases == [
        ("CTC-SP2 1 % (0.5000 to 2)", "for"),
        ("KTH-SP2-2 -1 %", "against"),
        ("SDSC-SP2 3 %", "for"),
    ]
    assert [item.name for item in paper.items if claim in paper.claims_of(item)] == [
        "heel_and_toe/claims",
        "heel_and_toe/fig02",
    ]
    assert evidence.count(paper.claims, evidence.CLAIM_WORDS)["holds in part"] == 1


def test_two_notebooks_of_a_statement_have_the_same_rows(project):
    other = "heel_and_toe/other"
    small_project.notebook(project, other, [], logs=json.dumps(LOGS))
    draw(name=other)
    assert statements()
    draw([OURS[0] | {"value": 21.5}, *OURS[1:]], other)
    with pytest.raises(EvidenceError, match="CTC-SP2 real wait.*21.4.*21.5.*fig02 and .*other"):
        statements()
    decide(name=other)
    assert statements()
    for cases, words in (
        ([CASES[0], Case("KTH-SP2-2", -1.1), CASES[2]], "-1.0.* and .*-1.1.* by .*claims and .*ot"),
        (CASES[:1], "-1.0.* and no such row by .*/claims and .*/other"),
    ):
        decide(cases, other)
        with pytest.raises(EvidenceError, match=words):
            statements()


def test_evidence_is_read_as_it_was_written(tmp_path):
    rows = [
        Case("a, b", float("nan"), None, float("inf"), "part", "between", (1, 2.5), "far").row(),
        {"case": "c", "value": 0.1, "unit": "x %", "reason": 'say "no"', "variant": "v"},
    ]
    path = tmp_path / "a.evidence.csv"
    path.write_bytes(evidence.table([{"statement": "s"} | row for row in rows]))
    first, second = evidence.read(path)["s"]
    assert first == rows[0] | {"threshold": [1.0, 2.5]} and second == rows[1]
    assert first["value"] is None


@pytest.mark.parametrize(
    ("words", "place"),
    [(("number", "F=4/3"), "number:F=4.2f.3"), (("a:b",), "a.3a.b"), (("f.1", "ü"), "f.2e.1:.fc.")],
)
def test_places_are_named_in_plain_characters(words, place):
    assert evidence.place(*words) == place


@pytest.mark.parametrize(
    ("one", "other"), [(("a:b",), ("a", "b")), (("a:b",), ("a\u03ab",)), ((" 1",), ("\u0201",))]
)
def test_places_are_told_apart(one, other):
    assert evidence.place(*one) != evidence.place(*other)
