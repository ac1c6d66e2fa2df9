"""Verdicts that have changed since they were committed: found, named, and an exit code."""

import json

import pytest
import small_project
from small_project import OURS

from replication.cli import main
from replication.report import assemble, page, record, results
from replication.simulator import paths
from replication.verdicts import committed, rules, tables
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import Case

NAME, CLAIMS = "heel_and_toe/fig02", "heel_and_toe/claims"
CASES = [Case("CTC-SP2", 1, 0.5, 2), Case("KTH-SP2-2", -1), Case("SDSC-SP2", 3)]


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    small_project.claims(tmp_path)
    draw(tmp_path)
    decide(tmp_path)
    committed.save(results.recorded().papers)
    return tmp_path


def draw(root, ours=OURS, part=False, name=NAME):
    """Draw an item's comparison, as its notebook would."""
    small_project.notebook(root, name, [], logs='["CTC-SP2", "KTH-SP2-2"]')
    made = page.Page(name, scale="paper", logs=["CTC-SP2", "KTH-SP2-2"])
    made.compare(ours, item="fig02", part=part)
    small_project.publish(made)


def decide(root, cases=CASES, name=CLAIMS):
    """Decide the claim, as the notebook of claims would."""
    small_project.notebook(root, name, [])
    made = page.Page(name, scale="paper", logs=["CTC-SP2"])
    made.claims({"doubling_helps": lambda: cases})
    small_project.publish(made)


def now():
    return committed.by_name(results.recorded().papers)


def test_nothing_has_changed(project, capsys):
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "5 verdicts, all as in the file, which is not committed",
        "1 claims and 4 numbers from 2 records; nothing was simulated",
    ]


def test_the_list_has_every_number_and_claim_and_no_value(project):
    lines = committed.path().read_text().splitlines()
    assert lines[0] == "kind,paper,item,trace,policy,measure,about,verdict"
    assert lines[1] == "number,heel_and_toe,fig02,CTC-SP2,real,wait,simulated,match"
    assert lines[4] == "number,heel_and_toe,fig02,KTH-SP2-2,perfect,wait,simulated,not comparable"
    assert lines[5:] == ["claim,heel_and_toe,doubling-helps,,,,simulated,holds in part"]
    assert "21.4" not in committed.path().read_text()


def test_a_result_that_moved_is_named_from_what_to_what(project, capsys):
    draw(project, [OURS[0], OURS[1] | {"value": 18.1}, OURS[2]])
    assert main(["check"]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        "heel_and_toe fig02 CTC-SP2/perfect/wait: close -> match",
        "1 of 5 verdicts are not those of the file, which is not committed",
    ]
    assert main(["check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["changed"] == [
        {
            "kind": "number",
            "paper": "heel_and_toe",
            "item": "fig02",
            "trace": "CTC-SP2",
            "policy": "perfect",
            "measure": "wait",
            "before": "close",
            "after": "match",
        }
    ]


def test_a_change_of_the_rule_is_seen_without_drawing_anew(project, capsys, monkeypatch):
    monkeypatch.setattr(rules, "LIMITS", {"match": 0, "close": 0, "near": 1})
    assert main(["check"]) == 1
    said = capsys.readouterr().out
    changed = [line.partition("fig02 ")[2] for line in said.splitlines() if "->" in line]
    assert changed == [
        "CTC-SP2/real/wait: match -> near",
        "CTC-SP2/perfect/wait: close -> near",
        "KTH-SP2-2/real/wait: differs -> near",
    ]
    # What rests on a reason stays as it is.
    assert "KTH-SP2-2/perfect" not in said


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("fig02.csv", "real,wait,114,", "real,wait,159,", "KTH-SP2-2/real/wait: differs -> match"),
        ("fig02.csv", ",min,", ",s,", "wait in min, published in s; run the notebook again"),
        ("claims.toml", "threshold = 0", "threshold = 2", "doubling-helps: holds in part -> fails"),
    ],
)
def test_a_published_value_that_changed_is_seen(project, capsys, file, old, new, words):
    path = paths.PUBLISHED / "heel_and_toe" / file
    path.write_text(path.read_text().replace(old, new))
    small_project.forget()
    assert main(["check"]) == 1
    assert words in "".join(capsys.readouterr())


def test_what_is_new_or_gone_or_no_longer_drawn_is_a_change(project, capsys):
    path = paths.PUBLISHED / "heel_and_toe/fig02.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[4].replace("perfect", "doubled")]) + "\n")
    (project / "figures/heel_and_toe/claims.json").unlink()
    assert main(["check"]) == 1
    assert capsys.readouterr().out.splitlines()[:4] == [
        "heel_and_toe fig02 KTH-SP2-2/doubled/wait: not in the list -> not drawn",
        "heel_and_toe claim doubling-helps: holds in part -> not drawn",
        "heel_and_toe fig02 KTH-SP2-2/real/wait: differs -> not in the list",
        "heel_and_toe fig02 KTH-SP2-2/perfect/wait: not comparable -> not in the list",
    ]


def test_thresholds_are_halved_and_doubled_one_by_one(project):
    table = tables.sensitivity(results.recorded().papers).set_index("threshold")
    moved = table.drop(columns="per cent").astype(int)
    # Of the claim 2 of 3 cases hold; of the numbers one is 3.3 % away, one 40.4 %.
    assert moved.loc["always"].tolist() == [1, 0, 0, 0]
    assert moved.loc["close"].tolist() == [0, 1, 0, 0]
    assert moved.loc["near"].tolist() == [0, 0, 0, 0]
    assert moved.loc["any of these"].tolist() == [1, 1, 0, 0]


def test_the_commit_counts_and_not_the_file(project, capsys):
    small_project.commit(project, "figures")
    draw(project, [OURS[0], OURS[1] | {"value": 18.1}, OURS[2]])
    committed.save(results.recorded().papers)
    assert main(["check"]) == 1
    assert (
        "close -> match\n1 of 5 verdicts are not those of the last commit"
        in capsys.readouterr().out
    )
    small_project.commit(project, "figures")
    assert main(["check"]) == 0


def test_no_list_is_an_error(project, capsys):
    committed.path().unlink()
    assert main(["check"]) == 1
    assert "make figures" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["verdicts.csv", "sensitivity.csv"])
def test_a_file_that_is_not_what_the_records_give_is_named(project, capsys, name):
    small_project.commit(project, "figures")
    path = project / "figures" / name
    path.write_text(path.read_text() + "x\n")
    assert main(["check"]) == 1
    assert f"{path}: not what the records give" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('operator = ">"', 'word = "banana"', "[doubling-helps]: word 'banana'; allowed: always"),
        ('operator = ">"', 'operator = "="', "[doubling-helps]: operator '='"),
        ('section = "3, Figs. 2 and 4"', "", "[doubling-helps]: no section"),
        ("threshold = 0", "threshold = 0,5", "expected TOML in UTF-8"),
    ],
)
def test_a_slip_in_a_table_is_one_line_with_the_file(project, capsys, old, new, words):
    path = paths.PUBLISHED / "heel_and_toe/claims.toml"
    path.write_text(path.read_text().replace(old, new))
    small_project.forget()
    assert main(["check"]) in (1, 2)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"{path}: " in said and words in said


HEADER = ",".join(committed.COLUMNS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "columns .*; expected kind,paper,item"),
        ("claim,heel_and_toe,x,,,,log,holds", "columns .*; expected kind,paper,item"),
        (f"{HEADER}\nnumber,heel_and_toe,fig02,a,b,c,log,good", "line 2: .*; expected a new name"),
        (f"{HEADER}\nnumber,heel_and_toe,fig02", "line 2: .*; expected a new name"),
        (
            f"{HEADER}\nclaim,heel_and_toe,x,,,,log,holds\nclaim,heel_and_toe,y,,,,log,holds,more",
            "line 3: 'claim,heel_and_toe,y.*more'; expected a new name",
        ),
        (HEADER + 2 * "\nclaim,heel_and_toe,x,,,,log,holds", "line 3: .*; expected a new name"),
    ],
)
def test_an_invalid_list_is_refused(text, message):
    with pytest.raises(EvidenceError, match=f"verdicts.csv:? {message}"):
        committed.parse(text, "verdicts.csv")


def test_a_claim_is_read_as_it_was_recorded(project):
    paper = results.recorded().papers[1]
    (claim,) = paper.claims
    assert claim.verdict == "holds in part" and claim.count == "2 of 3"
    assert claim.entry["number"] == "3 %"
    assert claim.cases == [
        ("CTC-SP2 1 % (0.5000 to 2)", "for"),
        ("KTH-SP2-2 -1 %", "against"),
        ("SDSC-SP2 3 %", "for"),
    ]
    assert [item.name for item in paper.items if claim in assemble.claims_of(item, paper)] == [
        "heel_and_toe/claims",
        "heel_and_toe/fig02",
    ]
    assert tables.count(paper.claims, tables.CLAIM_WORDS)["holds in part"] == 1


def edit(root, change, name=NAME):
    """Change a record by hand, its checksum too."""
    path = root / f"figures/{name}.json"
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts | {"sha256": record.checksum(facts)}))


def log(facts):
    return facts["provenance"]["logs"]["CTC-SP2"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda facts: facts["parameters"].update(seed=99), "seed 99 (committed: 1)"),
        (lambda facts: facts["parameters"].update(scale="quick"), "scale quick (expected: paper)"),
        (lambda facts: facts["provenance"].update(kind="quick"), "kind quick (expected: paper)"),
        (lambda facts: facts.update(item="x/y"), "item x/y (expected: heel_and_toe/fig02)"),
        (lambda facts: log(facts).update(sha256="0" * 64), f"SHA-256 of CTC-SP2 {'0' * 64}"),
        (lambda facts: log(facts).update(jobs_used=10), "jobs of CTC-SP2 10 (expected: 6000)"),
        (
            lambda facts: log(facts).update(jobs=10, jobs_used=10),
            "jobs and dropped jobs of CTC-SP2 71232 (expected: 77222)",
        ),
        (lambda facts: log(facts).update(processors=1), "processors of CTC-SP2 1 (expected: 512)"),
        (lambda facts: log(facts).update(stand_in=True), "stand_in of CTC-SP2 True"),
        (lambda facts: facts["provenance"]["logs"].pop("CTC-SP2"), "logs KTH-SP2-2 (expected:"),
        (lambda facts: facts["provenance"]["logs"].clear(), "logs none (expected: CTC-SP2, KTH"),
        (
            lambda facts: facts["provenance"]["logs"].update({"other": log(facts)}),
            "logs CTC-SP2, KTH-SP2-2, other (expected: CTC-SP2, KTH-SP2-2), log other (expected",
        ),
        (
            lambda facts: facts["claims"].update(foo={"verdict": "holds", "cases": []}),
            "claim foo (expected: a claim of heel_and_toe)",
        ),
    ],
)
def test_a_record_that_is_not_what_it_says_is_refused(project, capsys, change, reason):
    edit(project, change)
    assert main(["check"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"draw them again: {NAME}: {reason}" in said
    with pytest.raises(results.ReportError, match="draw them again"):
        assemble.build()


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(summary="Other words."),
        lambda facts: facts["comparisons"][0].update(ours=21.41),
        lambda facts: facts["comparisons"][0].update(ours=float("nan")),
        lambda facts: facts["files"]["fig02.verdicts.csv"].update(caption="Other words."),
        lambda facts: facts.update(sha256="0" * 64),
    ],
    ids=["summary", "a value", "no number", "caption", "checksum"],
)
def test_a_record_that_was_edited_differs_from_its_checksum(project, capsys, change):
    path = project / f"figures/{NAME}.json"
    facts = json.loads(path.read_text())
    facts["run"]["seconds"] += 1
    path.write_text(json.dumps(facts))
    assert main(["check"]) == 0
    change(facts)
    path.write_text(json.dumps(facts))
    assert main(["check"]) == 1
    assert f"draw them again: {NAME}: checksum" in capsys.readouterr().err


def test_a_record_of_other_parameters_than_the_committed_ones_is_refused(project, capsys):
    small_project.notebook(project, NAME, [], logs='["CTC-SP2"]')
    assert main(["check"]) == 1
    words = f"{NAME}: logs CTC-SP2, KTH-SP2-2 (committed: CTC-SP2)"
    assert words in capsys.readouterr().err


def test_an_edited_word_is_an_error_and_reaches_no_report(project, capsys):
    edit(project, lambda facts: facts["comparisons"][0].update(verdict="differs"))
    edit(project, lambda facts: facts["claims"]["doubling-helps"].update(verdict="fails"), CLAIMS)
    assert main(["check"]) == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        f"{CLAIMS}: doubling-helps: the record says 'fails', its numbers 'holds in part'; draw it "
        f"again",
        f"{NAME}: fig02 / CTC-SP2 / real / wait: the record says 'differs', its numbers 'match'; "
        f"draw it again",
    ]
    before = committed.path().read_text()
    committed.save(results.recorded().papers)
    assert committed.path().read_text() == before


def test_one_number_may_not_have_two_values(project):
    def double(facts):
        facts["comparisons"].append(facts["comparisons"][0] | {"ours": 21.5})

    edit(project, double)
    with pytest.raises(EvidenceError, match="CTC-SP2 / real / wait: ours 21.5; 21.4 in"):
        results.recorded()


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(comparisons=None),
        lambda facts: facts.pop("claims"),
        lambda facts: facts["comparisons"].append([]),
        lambda facts: facts["comparisons"][0].update(ours="1"),
        lambda facts: facts["provenance"].update(logs={"CTC-SP2": {}}),
        lambda facts: facts["files"].update(x=1),
        lambda facts: log(facts).update(processors="x"),
        lambda facts: log(facts).update(cleaning={"x": "y"}),
        lambda facts: log(facts).pop("file"),
        lambda facts: facts["parameters"].pop("seed"),
        lambda facts: facts["parameters"].update(logs="CTC-SP2"),
        lambda facts: facts["run"].pop("seconds"),
        lambda facts: facts["values"].update(x=1),
    ],
    ids=(
        "null,no claims,a list,text,a log,a file,processors,cleaning,no file,no "
        "seed,logs,seconds,a value"
    ).split(","),
)
def test_a_record_of_a_wrong_shape_is_one_line(project, capsys, change):
    edit(project, change)
    assert main(["check"]) == 1
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and "fig02.json: damaged record (" in said.err
    assert "wait: match -> not drawn" in said.out


def test_a_record_without_a_checksum_is_damaged(project, capsys):
    path = project / f"figures/{NAME}.json"
    facts = json.loads(path.read_text())
    del facts["sha256"]
    path.write_text(json.dumps(facts))
    assert main(["check"]) == 1
    assert "fig02.json: damaged record (" in capsys.readouterr().err


OUTSIDE = {"role": "table", "caption": "x", "sha256": record.sha256(b"a")}


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["files"].update({"../../other.csv": OUTSIDE}),
        lambda facts: facts.update(files={}, claims={}, comparisons=[], values={}),
    ],
    ids=["one outside the folder", "none"],
)
def test_a_record_that_names_other_files_than_were_drawn_is_refused(project, capsys, change):
    (project / "other.csv").write_text("a")
    edit(project, change)
    assert main(["check"]) == 1
    assert f"{NAME}: its files differ from its record" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["claims.csv", "fig02.verdicts.csv"])
def test_a_table_that_is_not_the_one_drawn_is_refused(project, capsys, file):
    path = project / "figures/heel_and_toe" / file
    path.write_text(path.read_text().replace("holds in part", "holds").replace("18.7", "18.1"))
    assert main(["check"]) == 1
    assert "its files differ from its record" in capsys.readouterr().err
    path.unlink()
    assert main(["check"]) == 1


def test_two_records_of_a_claim_have_the_same_cases(project):
    decide(project, name="heel_and_toe/other")
    assert now()
    decide(project, [CASES[0], Case("KTH-SP2-2", -1.1), CASES[2]], name="heel_and_toe/other")
    with pytest.raises(EvidenceError, match="-1.0} .* by .*/claims, .*-1.1} .* by .*/other"):
        results.recorded()
    decide(project, CASES[:1], name="heel_and_toe/other")
    with pytest.raises(
        EvidenceError, match="holds in part'. by .*/claims, no such case .'holds'. by"
    ):
        results.recorded()


@pytest.mark.parametrize(
    ("words", "place"),
    [(("number", "F=4/3"), "number:F=4.2f.3"), (("a:b",), "a.3a.b"), (("f.1", "ü"), "f.2e.1:.fc.")],
)
def test_places_are_named_in_plain_characters(words, place):
    assert tables.place(*words) == place


@pytest.mark.parametrize(
    ("one", "other"), [(("a:b",), ("a", "b")), (("a:b",), ("a\u03ab",)), ((" 1",), ("\u0201",))]
)
def test_places_are_told_apart(one, other):
    assert tables.place(*one) != tables.place(*other)
