"""The README's scoreboard counts the verdicts, its table lists every notebook, its links lead somewhere."""

import re
import tomllib

from replication.papers import claims, committed, published, verdicts
from replication.report import headlines, notebook, readme, results
from replication.simulator import paths


def test_every_notebook_is_listed_and_every_link_leads_somewhere():
    text = readme.README.read_text(encoding="utf-8")
    listed = re.findall(r"\| \[(\S+)\]\(notebooks/\1\.ipynb\)", text)
    assert listed == list(notebook.found())
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith("http")]
    assert links
    missing = [link for link in links if not (paths.ROOT / link).exists()]
    assert not missing


def test_the_verdicts_in_figures_are_those_that_the_rules_give():
    listed = committed.parse(committed.path().read_text(encoding="utf-8"), "verdicts.csv")
    found = committed.found(results.recorded().papers, again=True)
    assert [str(change) for change in committed.changes(listed, found)] == []
    assert len(found) > 400


def test_findings_scoreboard_and_items_are_those_of_the_records():
    text = readme.README.read_text(encoding="utf-8")
    assert text == readme.filled(text), "python -m replication.report.readme writes it anew"
    assert text.index(readme.findings()) < text.index("![") < text.index("<!-- scoreboard")
    assert "](#" not in readme.findings()


def number(trace, policy, measure, verdict, about):
    row = published.Published("table1", trace, policy, measure, 1.0, "jobs", 0, "Table 1")
    return verdicts.Number("pv_easy", row, verdict=verdict, about=about)


def claim(name, verdict, about, cases=()):
    entered = {"section": "x", "word": "always", "kind": about}
    return verdicts.Claim("pv_easy", name, entered, verdict, cases)


def test_the_scoreboard_keeps_apart_what_is_of_the_logs_and_counts_each_fact_once(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(paths, "FIGURES", tmp_path)
    monkeypatch.setattr(headlines, "entered", lambda paper: {})
    numbers = [
        number("CTC-SP2", "log", "jobs", "match", "log"),
        number("CTC-SP2", "EASY", "delayed", "near", "simulated"),
        number("CTC-SP2", "EASY", "blocked", "near", "simulated"),
        number("CTC-SP2", "log", "processors", "match", "repeat"),
        number("fig1a", "EASY", "start", "match", "example"),
    ]
    decided = [claim("a", "fails", "simulated"), claim("b", "check", "check")]
    (tmp_path / "report.pdf").touch()
    lines = readme.scoreboard([results.Paper("pv_easy", "P", [], numbers, decided)]).splitlines()
    assert lines == [
        "",
        "| | facts of the logs | worked examples | simulated results |",
        "|---|---|---|---|",
        "| **PV-EASY**, numbers | of 1: 1 match | of 1: 1 match | of 2: 2 near |",
        "| **PV-EASY**, claims | – | – | of 1: 1 fails |",
        "",
        "To read: [the supplement as PDF](figures/report.pdf).",
    ]


ABSTRACT = """
[fair]
says = "It is fair."
section = "abstract"
claims = ["a"]
numbers = [["table1", "delayed"]]
tables = { "now" = "claims-now" }
definitions = { "other delay" = "table1-other" }
robust = ["fair"]
"""


def test_a_headline_has_its_verdict_and_the_readings_that_change_it(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "FIGURES", tmp_path)
    monkeypatch.setattr(paths, "PUBLISHED", tmp_path)
    (tmp_path / "pv_easy").mkdir()
    files = {
        "abstract.toml": ABSTRACT,
        "claims-now.csv": "claim,statement,default,now,numbers\na,x,fails,holds,1\nb,x,fails,holds,1\n",
        "table1-other.csv": "measure,verdict\ndelayed,match\nblocked,differs\n",
        "robustness.csv": "headline,kind,change,verdict\nfair,default,default,fails\n"
        "fair,reading,kept,holds in part\nfair,reading,first,fails\nfair,load,70 %,holds\n",
    }
    for name, text in files.items():
        (tmp_path / "pv_easy" / name).write_text(text)
    unsure = ("log", claims.Answer(False, False))
    (found,) = headlines.of(
        "pv_easy",
        [claim("a", "fails", "simulated", (unsure,))],
        [number("CTC-SP2", "EASY", "delayed", "differs", "simulated")],
    )
    assert found["default"] == [("a", "fails", "holds"), ("table1, delayed", "1 differs", "")]
    assert found["under"] == [
        ("now", "a", "holds"),
        ("kept", "fair", "holds in part"),
        ("other delay", "table1, delayed", "1 match"),
    ]


def test_every_finding_of_an_abstract_rests_on_what_was_entered():
    for paper in results.recorded().papers:
        if paper.key not in published.registered():
            continue
        assert 3 <= len(headlines.entered(paper.key)) <= 6
        robust = tomllib.loads(
            (paths.PUBLISHED / paper.key / "headlines.toml").read_text(encoding="utf-8")
        )
        measures = {(one.published.item, one.published.measure) for one in paper.numbers}
        for name, entry in headlines.entered(paper.key).items():
            assert set(entry["claims"]) <= {one.id_in_paper for one in paper.claims}, name
            assert set(entry.get("robust", ())) <= robust.keys(), name
            assert {tuple(one) for one in entry.get("numbers", ())} <= measures, name
