"""The README's scoreboard counts the verdicts, its table lists every notebook, its links lead somewhere."""

import re

from replication.basics import paths
from replication.evidence import committed
from replication.pages import notebook
from replication.report import readme, results


def test_every_notebook_is_listed_and_every_link_leads_somewhere():
    text = readme.README.read_text(encoding="utf-8")
    listed = re.findall(r"\]\(notebooks/(\S+?)\.ipynb\)", readme.BLOCK.search(text).group())
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


def test_the_findings_are_those_of_the_article():
    text = readme.README.read_text(encoding="utf-8")
    block = readme.FINDINGS.search(text).group()
    assert block == readme.findings(), "python -m replication.report.readme writes it anew"
    assert "](#" not in block and text.index(block) < text.index("![") < text.index("scoreboard")


def test_the_scoreboard_is_that_of_the_verdicts():
    block = readme.SCOREBOARD.search(readme.README.read_text(encoding="utf-8")).group()
    assert block == readme.scoreboard(), "python -m replication.report.readme writes it anew"


def test_the_scoreboard_counts_by_paper_and_kind(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "FIGURES", tmp_path)
    committed.save(
        {
            ("number", "pv_easy", "table1", "a", "b", "c"): "near",
            ("number", "pv_easy", "table1", "a", "b", "d"): "not drawn",
            ("claim", "pv_easy", "x", "", "", ""): "holds in part",
            ("claim", "top_percent", "x", "", "", ""): "fails",
        }
    )
    (tmp_path / "report.pdf").touch()
    head, _, *rows = readme.scoreboard().splitlines()
    assert head.endswith(
        "| not comparable | not drawn | claims | holds | holds in part | fails | undecided |"
    )
    assert rows == [
        "| **PV-EASY** | **2** | 0 | 0 | 1 | 0 | 0 | 1 | **1** | 0 | 1 | 0 | 0 |",
        "| **Heel and toe** | **0** | 0 | 0 | 0 | 0 | 0 | 0 | **0** | 0 | 0 | 0 | 0 |",
        "| **Top Percent** | **0** | 0 | 0 | 0 | 0 | 0 | 0 | **1** | 0 | 0 | 1 | 0 |",
        "",
        "To read: [the supplement as PDF](figures/report.pdf).",
    ]


def test_times_that_are_not_known_here_are_kept(monkeypatch):
    monkeypatch.setattr(readme, "seconds", lambda name: None)
    block = readme.BLOCK.search(readme.README.read_text(encoding="utf-8")).group()
    assert readme.table(block) == block
