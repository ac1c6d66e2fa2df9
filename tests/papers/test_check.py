"""What decides stands once: each kind of damage to a committed result is seen by ``make check`` or
by a re-run, and a changed verdict is named.
"""

import csv
import json
import re
import shutil

import pandas as pd
import pytest
import small_project
from small_project import CASES, CLAIMS, NAME, OURS, answer, decide, draw, publish, statements

from replication.cli import main
from replication.verdicts import evidence, git
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import Case


def check(capsys):
    """Return the exit code of ``check`` and all that it says."""
    capsys.readouterr()
    return main(["check"]), "".join(capsys.readouterr())


def edit(path, old, new):
    """Change a file by hand, once."""
    before = path.read_text()
    path.write_text(re.sub(old, new, before, count=1, flags=re.MULTILINE))
    assert path.read_text() != before
    small_project.forget()


def test_what_is_as_committed_is_said_so(project, capsys):
    assert check(capsys) == (
        0,
        "5 verdicts, all as in the last commit\n"
        "1 claims and 4 numbers from 3 records; nothing was simulated\n"
        "3 equal to the committed records\n",
    )
    for drawn in (draw(), decide(), small_project.plain(paper="heel_and_toe")):
        assert answer(drawn.name) == (True, "equal to the committed record", ())


#: By file: what is replaced, by what, and what a re-run says.
DAMAGE = {
    "number": ("fig02.evidence.csv", "21.4,", "50.0,", "21.4, committed 50.0 (-57.20 %)"),
    "row": ("claims.evidence.csv", r".*SDSC-SP2.*\n", "", "a row, committed none"),
    "unit": ("claims.evidence.csv", "%", "s", "unit %, committed s"),
    "exchanged rows": ("fig02.csv", "(.*21.4.*\n)(.*18.7.*\n)", r"\2\1", "(+14.44 %)"),
    "exchanged columns": ("fig02.csv", "policy,value", "value,policy", "columns trace, policy"),
    "no number": ("fig02.csv", "18.7", "nan", "value 18.7, committed nan"),
    "summary": ("fig02.json", "We wait", "We save", "summary"),
    "caption": ("fig02.json", '"Waits"', '"Gains"', "caption of fig02.csv: Waits, committed Gains"),
    "log": ("fig02.json", '"sha256": "..', '"sha256": "xx', "CTC-SP2 sha256"),
    "table": ("fig02.json", '"fig02-all.csv": {', '"x.csv": {', "fig02-all.csv: a table, commit"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_committed_value_that_the_code_does_not_give_is_named_by_a_rerun(project, damage):
    file, old, new, message = DAMAGE[damage]
    shutil.rmtree(project / ".git")  # the files on disk are the committed ones
    edit(project / "figures/heel_and_toe" / file, old, new)
    said = answer(f"heel_and_toe/{re.match('[a-z0-9]*', file)[0]}")
    assert said.equal is False and message in said.words


FIGURES, VALUES = "figures/heel_and_toe/", "published/heel_and_toe/"


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (f"{FIGURES}fig02.evidence.csv", "21.4,", "50.0,", "CTC-SP2 real wait: match -> differs"),
        (f"{FIGURES}fig02.evidence.csv", "value", "number", "line 2: .*expected statement, varia"),
        (f"{FIGURES}fig02.evidence.csv", ",min,", ",s,", "wait in s, published in min; run the"),
        (f"{FIGURES}claims.evidence.csv", "-1.0", "1.0", "doubling-helps: holds in part -> holds"),
        (f"{FIGURES}claims.evidence.csv", r"(?s).*", "", "helps: holds in part -> not drawn"),
        (f"{FIGURES}fig02.json", '"seed": 1', '"seed": 9', "fig02: with seed 9 .committed: 1"),
        (f"{FIGURES}fig02.json", '"sha256": "..', '"sha256": "xx', "with another file of CTC-SP2"),
        (f"{FIGURES}fig02.json", '"item": .*\n', "", "fig02.json: damaged record"),
        (f"{FIGURES}fig02.json", "(?s).*", "[", "fig02.json: damaged record"),
        (f"{FIGURES}fig02.json", '"fig02.png"', '"fig02-lost.png"', "fig02: without fig02-lost.p"),
        ("figures/verdicts.csv", "match", "near", "verdicts.csv: not what the evidence gives"),
        (f"{VALUES}fig02.csv", "real,wait,114,", "real,wait,159,", "real wait: differs -> match"),
        (f"{VALUES}fig02.csv", "KTH-SP2-2,perfect", "KTH-SP2-2,new", "new wait: None -> not drawn"),
        (f"{VALUES}fig02.csv", r"KTH-SP2-2,real.*\n", "", "real wait: differs -> None"),
        (f"{VALUES}claims.toml", "= 0", "= 2", "doubling-helps: holds in part -> fails"),
        (f"{VALUES}claims.toml", 'operator = ">"', 'word = "banana"', "word 'banana'; .*: always"),
        (f"{VALUES}claims.toml", "section.*", "", r"\[doubling-helps\]: no section"),
        (f"{VALUES}claims.toml", "= 0", "= 0,5", "expected TOML in UTF-8"),
    ],
)
def test_what_changes_a_verdict_or_is_none_of_the_notebook_fails_the_check(
    project, capsys, file, old, new, message
):
    edit(project / file, old, new)
    code, said = check(capsys)
    assert code and re.search(message, said) and "Traceback" not in said


def test_the_largest_differences_come_first_and_a_lost_table_is_named(project):
    ours = [row | {"value": row["value"] * by} for row, by in zip(OURS, (1.01, 3, 1.5))]
    draw(ours)
    said = answer().words
    assert said.startswith("10 values differ from the committed record: fig02.csv, CTC-SP2 perf")
    assert re.findall(r"\((.*?)\)", said) == ["+200.0 %", "+200.0 %", "+50 %"]
    small_project.page().compare(OURS)
    assert "fig02-all.csv: none, committed a row" in answer().words


def test_of_one_log_its_rows_are_compared_and_nothing_is_equal_in_no_row(project):
    one_log = {"logs": ["KTH-SP2-2"]}
    # One row of the table, and those of two printed numbers but one of them without ours.
    draw(**one_log)
    assert answer() == (
        True,
        "equal to the committed record in its 2 rows of KTH-SP2-2",
        ("fig02-all.csv", "1 row of fig02.evidence.csv"),
    )
    drawn = small_project.page(**one_log)
    drawn.table(pd.DataFrame({"jobs": [5]}), "A table that has no column of the committed one")
    assert answer()[:2] == (None, "nothing to compare: no row of KTH-SP2-2")
    worse = [row | {"value": row["value"] * 1.1} for row in OURS]
    draw(worse, **one_log)
    assert "(+10 %)" in answer().words
    small_project.page(**one_log).opening("We wait {ours} min.", ours=12345)
    assert answer()[:2] == (None, "nothing to compare: no row of KTH-SP2-2")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"seed": 2}, "not compared: seed 2 (committed: 1)"),
        ({"scale": "quick"}, "not compared: quick scale"),
    ],
)
def test_what_has_other_parameters_is_not_compared(project, parameters, message):
    draw(**parameters)
    assert answer() == (None, message, ())


def test_without_git_the_files_on_disk_serve_and_stay(project, capsys):
    shutil.rmtree(project / ".git")
    assert check(capsys)[0] == 0
    before = {path: path.read_bytes() for path in (project / "figures").rglob("*.*")}
    worse = [row | {"value": row["value"] * 1.1} for row in OURS]
    for ours, equal in ((worse, False), (OURS, True)):
        publish(draw(ours))
        assert answer().equal is equal
    assert {path: path.read_bytes() for path in before} == before
    assert (project / "build/other/heel_and_toe/fig02.csv").exists()


def test_a_committed_table_is_read_where_its_folder_is_gone(project):
    folder = project / "figures/heel_and_toe"
    before = (folder / "fig02.csv").read_text()
    shutil.rmtree(project / "figures")
    assert git.committed(folder / "fig02.csv") == before.rstrip()


def test_thresholds_are_halved_and_doubled_one_by_one(project):
    table = evidence.sensitivity(statements()).set_index("threshold")
    moved = table.drop(columns="per cent").astype(int)
    # Of the claim 2 of 3 cases hold; of the numbers one is 3.3 % away, one 40.4 %.
    assert moved.loc["always"].tolist() == [1, 0, 0, 0]
    assert moved.loc["close"].tolist() == [0, 1, 0, 0]
    assert moved.loc["near"].tolist() == [0, 0, 0, 0]
    assert moved.loc["any of these"].tolist() == [1, 1, 0, 0]


def test_the_commit_counts_and_not_the_file(project, capsys):
    publish(draw([OURS[0], OURS[1] | {"value": 18.1}, OURS[2]]))
    small_project.save_verdicts()
    code, said = check(capsys)
    assert code == 1
    assert "close -> match\n1 of 5 verdicts are not those of the last commit" in said
    assert main(["check", "--json"]) == 1
    (changed,) = json.loads(capsys.readouterr().out)["changed"]
    assert changed[1:] == ["close", "match"]
    assert main(["report"]) == 3
    total, differing = capsys.readouterr().out.splitlines()[-2:]
    assert [total, differing] == said.splitlines()[-2:]
    assert total == f"2 equal to the committed records; 1 differs: {NAME}"
    assert differing.startswith(f"{NAME}: 2 values differ from the committed record: fig02.csv")
    small_project.commit(project)
    assert check(capsys)[0] == 0


def test_two_notebooks_of_a_statement_have_the_same_rows(project):
    second_item = "heel_and_toe/other"
    small_project.notebook(project, second_item)
    small_project.commit(project)
    for drawn in (draw(name=second_item), decide(name=second_item)):
        publish(drawn)
        assert statements()
    for cases, message in (
        (
            [CASES[0], Case("KTH-SP2-2", -1.1), CASES[2]],
            f"-1.0.* and .*-1.1.* by {CLAIMS} .*/other",
        ),
        (CASES[:1], f"-1.0.* and no such row by {CLAIMS} and {second_item}"),
    ):
        publish(decide(cases, second_item))
        with pytest.raises(EvidenceError, match=message):
            statements()
    # Only a study that the claim names decides it.
    study = small_project.plain(paper="heel_and_toe")
    study.claims({"doubling_helps": lambda: [Case("CTC-SP2", -1)]})
    publish(study)
    publish(decide(name=second_item))
    assert [claim.drawn_by for claim in statements() if claim.id == "doubling-helps"] == [CLAIMS]
    publish(draw([OURS[0] | {"value": 21.5}, *OURS[1:]], second_item))
    with pytest.raises(
        EvidenceError, match=f"CTC-SP2 real wait.*21.4.*21.5.*{NAME} and {second_item}"
    ):
        statements()


def test_evidence_is_read_as_it_was_written(tmp_path):
    rows = [
        Case("a, b", float("nan"), 0.5, float("inf"), "part", "between", (1, 2.5), "far").row(),
        {"case": "c", "value": 0.1, "unit": "x %", "reason": 'say "no"', "variant": "v"},
    ]
    path = tmp_path / "a.evidence.csv"
    path.write_bytes(evidence.table([{"statement": "s"} | row for row in rows]))
    with_interval, with_reason = evidence.read(path)["s"]
    assert with_interval == rows[0] | {"threshold": [1.0, 2.5]} and with_reason == rows[1]
    assert with_interval["value"] is with_interval["high"] is None


ROW = "doubling-helps,,CTC-SP2,,-1.5,-2,-1,%,,,,"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (f"{ROW},x", "13 fields, expected 12"),
        (ROW[:-2], "10 fields, expected 12"),
        (ROW.replace("CTC-SP2", ""), "no case"),
        (ROW.replace("-1.5", ""), "no value"),
        (ROW.replace("-1.5", "many"), "many"),
        (ROW.replace("-2,", ","), "both ends"),
        (ROW.replace("-2,-1,", "-1,-2,"), "low <= high"),
        ("distance,pair 1,,,-5,,,%,,,,", "-5"),
    ],
)
def test_a_row_that_is_no_evidence_is_refused_with_its_place(row, reason, tmp_path):
    path = tmp_path / "a.evidence.csv"
    path.write_text("\n".join([",".join(evidence.COLUMNS), ROW, row, ""]))
    with pytest.raises(evidence.EvidenceError, match=re.escape(reason)) as refusal:
        evidence.read(path)
    assert f"{path} line 3:" in str(refusal.value)


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        ("statement", "no-such-claim", "no-such-claim"),
        ("unit", "furlongs", "furlongs, expected %"),
        ("operator", "banana", "banana"),
        ("threshold", "1 to 2", "expected 1"),
        ("word_of_size", "banana", "banana"),
        ("variant", "pair 1", "pair 1"),
    ],
)
def test_check_and_report_go_on_where_the_rows_of_an_item_are_refused(
    field, text, reason, project, capsys
):
    """Whatever one item does, the others are compared, and the totals are there."""
    path = project / "figures/heel_and_toe/claims.evidence.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0][field] = text
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, evidence.COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    code, said = check(capsys)
    assert code == 1
    assert any(line.startswith(f"{CLAIMS}: ") and reason in line for line in said.splitlines())
    assert "2 equal to the committed records; 1 differs" in said
    assert main(["report"]) == 3
    assert f"1 differs: {CLAIMS}" in capsys.readouterr().out


def test_places_have_plain_characters_and_differ():
    names = [("number", "F=4/3"), ("a:b",), ("a", "", "b"), ("f.1", "ü"), ("a\u03ab",)]
    places = [evidence.place(*name) for name in names]
    assert places == ["number:F=4.2f.3", "a.3a.b", "a:b", "f.2e.1:.fc.", "a.3ab."]
