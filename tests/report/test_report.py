"""The report: complete or marked as incomplete, safe to open, and the same from the same
results.
"""

import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest
import small_project

from replication.report import assemble
from replication.report.results import ReportError
from replication.simulator import paths
from replication.verdicts import evidence


def table_of(columns):
    """Return a table of an article."""
    head = "".join(f"<th>h<em>{k}</em></th>" for k in range(columns))
    return f"<table><thead><tr>{head}</tr></thead><tbody><tr>{'<td>1</td>' * columns}</tr></table>"


@pytest.fixture(scope="module")
def built(drawn, tmp_path_factory):
    """The report of the small project, and the same as one file."""
    root = tmp_path_factory.mktemp("report")
    shutil.copytree(drawn, root, dirs_exist_ok=True)
    (root / "figures/verdicts.csv").unlink()
    (root / "build/articles").mkdir()
    (root / "build/articles/results.html").write_text("<p>Of README</p><table><td>12</td></table>")
    rest = f'<h2 id="h">More</h2>{table_of(4)}<h2 id="i">Last</h2>{table_of(5)}'
    article = f'<p id="article-studies">First words</p>{rest}'
    (root / "build/articles/studies.html").write_text(article)
    with pytest.MonkeyPatch.context() as patch:
        small_project.enter(root, patch=patch.setattr)
        both = assemble.build(), assemble.build(standalone=True)
        content = both[0].read_bytes()
        assert assemble.build().read_bytes() == content
    assert both == (root / "figures/report.html", root / "build/report/standalone/report.html")
    assert {"verdicts.csv", "sensitivity.csv"} <= {path.name for path in both[0].parent.iterdir()}
    return both


@pytest.fixture(scope="module")
def beside(built):
    return built[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def alone(built):
    return built[1].read_text(encoding="utf-8")


def test_an_incomplete_report_leaves_the_complete_one_unchanged(project):
    (project / "figures/report.html").write_text("complete")
    small_project.notebook(project, "heel_and_toe/fig03")
    target = assemble.build()
    assert "INCOMPLETE: 1 of 4 notebooks. not drawn yet: heel_and_toe/fig03" in target.read_text()
    assert (project / "figures/report.html").read_text() == "complete"
    shutil.rmtree(project / "figures")
    with pytest.raises(ReportError, match="make figures"):
        assemble.build()


def test_the_scoreboard_counts_numbers_and_claims_by_what_they_are_about(beside):
    table = beside.partition('<table class="score">')[2].partition("</table>")[0]
    rows = re.findall("<tr><th>(.+?)</th><td.*?>(.*?)</td><td.*?>(.*?)</td>", table)
    texts = [[" ".join(re.sub("<.*?>", " ", cell).split()) for cell in row] for row in rows]
    numbers = "✓ 1 match ≈ 1 close ✗ 1 differs – 1 not comparable"
    assert texts == [["simulated results", numbers, "◐ 1 holds in part"]]


def test_an_item_shows_its_table_and_its_largest_differences(alone):
    assert "2 of 3 numbers near or better, median difference 3.9 %" in alone
    assert "Largest: Wait, KTH-SP2-2 real: 114 → 160 min (+40.4 %)" in alone
    assert "partly reproduced" in alone
    assert ">Mean wait [s]<" in alone  # the table of the notebook


def test_a_compact_table_has_logs_as_columns_and_a_place_for_each_number(beside):
    table = beside.partition('<table class="compact">')[2].partition("</table>")[0]
    assert re.findall("colspan.*?>(.*?)<", table) == ["CTC-SP2", "KTH-SP2-2"]
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("<tr>")[3:]]
    cells = [[re.sub("<[^>]*>", "", cell) for cell in row] for row in rows]
    assert cells == [
        ["real: Wait [min]", "21.37", "21.40 ✓", "114", "160 ✗"],
        ["perfect: Wait [min]", "18.0", "18.70 ≈", "90", "– –"],
    ]
    assert len(re.findall(' id="(number:.*?)"', table)) == 4


def test_a_claim_names_its_failing_cases_and_an_item_its_claims_and_studies(beside, alone):
    _, card = beside.split('id="heel_and_toe-fig02"')
    card = card.partition('id="heel_and_toe-claims"')[0]
    assert ">2 of 3</span>" in card and 'href="#claim:heel_and_toe:doubling-helps"' in card
    assert 'See also: <a href="#studies-kept-kept">' in card
    (claim,) = re.findall('<li class="row" id="claim:.*?</details>', beside, re.DOTALL)
    assert "Change: expected above 0\N{NO-BREAK SPACE}%, in every case." in claim
    against = "KTH-SP2-2 -1\N{NO-BREAK SPACE}%: against"
    assert f"<li>{against}</li>" in claim
    for text in (beside, alone):
        assert 'Decided by <a href="#heel_and_toe-claims:doubling-helps">' in text
        _, cell = text.split('id="heel_and_toe-claims:doubling-helps"')
        assert against in cell.partition("</div>")[0]
    assert 'claims.toml" title="line 1">its rule</a>' in beside
    assert 'heel_and_toe/claims.evidence.csv" title="rows 2 to 4">its cases</a>' in beside


def test_articles_follow_the_table_of_readme_and_wide_tables_have_labels(beside):
    figures, article = beside.split('<article class="text">')
    assert "<td>12</td>" in figures and "Of README" not in beside
    summary, rest = article.partition("</article>")[0].split("<details")
    assert summary.strip().endswith("First words</p>") and "More" in rest
    narrow, wide = re.findall("<table.*?</table>", rest, re.DOTALL)
    assert narrow == table_of(4) and wide.startswith('<table class="stacked">')
    labels = [f'<td data-label="h{k}">' for k in (1, 2, 3, 4)]
    assert re.findall("<td.*?>", wide) == ["<td>", *labels]


def test_texts_name_tables_and_figures():
    text = "Figs. 3 to 5 and 11, Table I; Fig. 2, Tables 1, 2 and 4. Figure, Fig. x"
    named = {"fig2", "fig3", "fig4", "fig5", "fig11", "table1", "table2", "table4"}
    assert assemble.named(text) == named


class Page(HTMLParser):
    """Collects what a browser would load or run, places, and links."""

    def __init__(self, markup):
        super().__init__()
        self.found, self.ids, self.links = [], [], []
        self.feed(markup)
        assert len(self.ids) == len(set(self.ids))
        assert {link[1:] for link in self.links if link.startswith("#")} <= {*self.ids}

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        if tag in ("script", "iframe", "object", "link", "form", "base") or any(
            name.startswith("on") for name in values
        ):
            self.found.append(tag)
        if values.get("src", "data:").partition(":")[0] != "data":
            self.found.append(values["src"])


def test_nothing_active_or_remote_gets_into_the_page(alone):
    assert "[31mred0m" in alone and not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", alone)
    assert Page(alone).found == ["script"]
    assert "javascript:" not in alone
    assert "default-src 'none'; img-src data:;" in alone


def test_the_report_shows_the_files_beside_it_and_alone_holds_them(built, beside, alone):
    files = re.findall(r'(?:src|href)="([^"#:]+)"', beside)
    assert "heel_and_toe/fig02.png" in files
    assert all((built[0].parent / name).is_file() for name in files)
    assert alone.count("data:image/png;base64,") == 2 and "img-src data:;" in alone
    assert not re.findall(r'(?:src|href)="([^"#:]+)"', alone) and "file:" not in alone


def test_every_claim_leads_to_the_cell_that_decides_it_its_rule_and_its_cases(recorded):
    table = pd.DataFrame({"threshold": ["always"]})
    markup = assemble.page(recorded, table, {}, paths.FIGURES).decode()
    parsed = Page(markup)
    decided = re.findall(
        'Decided by <a href="#(.*?)">.*?<a href="(.*?)" title=".*?<a href="(.*?)" title="', markup
    )
    assert len(decided) == len(recorded.every("claims"))
    files = {link for link in parsed.links if not link.startswith(("#", "https:", "http:"))}
    assert {file for statement in decided for file in statement[1:]} <= files
    assert all((paths.FIGURES / file).exists() for file in files)
    assert {evidence.place(*statement.name) for statement in recorded.every("numbers")} <= {
        *parsed.ids
    }
    assert {statement[0] for statement in decided} <= {*parsed.ids}
