"""The articles: references into the records, and the same bytes from the same results."""

import re

import pandas as pd
import pytest

from docs.articles import build_articles as article
from docs.articles.build_articles import References
from docs.articles.cells import MISSING, PLACE, Cells, NoResult, Records
from replication.verdicts import evidence


@pytest.mark.parametrize("name", ["replication", "studies"])
def test_a_pdf_is_the_same_twice(name, recorded):
    content = article.pdf(name, recorded)
    assert content == article.pdf(name, recorded)
    assert content.startswith(b"%PDF")


@pytest.mark.parametrize("name", ["replication", "studies"])
def test_a_page_holds_its_pictures_and_citations(name, recorded):
    markup = article.html(name, recorded)
    assert not re.search(r"\{(verdict|table|ref|include) ", markup)
    assert markup.count("<figure") == markup.count('src="file:figures/') >= 1
    assert f'id="article-{name}-ref-pv_easy"' in markup and "<h2" in markup
    anchors = set(re.findall(r' id="([^"]+)"', markup))
    links = set(re.findall(r'href="#([^"]+)"', markup))
    statements = recorded.every("claims") + recorded.every("numbers")
    of_report = {evidence.place(*statement.name) for statement in statements}
    of_report |= {item.id for item in recorded.every("items")}
    assert links <= anchors | of_report and links & of_report


@pytest.fixture
def records(recorded):
    return Records(recorded, is_linked=False)


def test_a_cell_is_text(records):
    jobs = records.table("heel_and_toe/table1")
    assert jobs.text("jobs", ",.0f", trace="CTC-SP2") == "77,222"
    assert jobs.count() == "4" and jobs.count(trace=("CTC-SP2", "SDSC-SP2")) == "2"
    ratios = records.table("top_percent/table1-baseline")
    assert ratios.total("ratios", ours="words") == "36"
    assert ratios.text("match", ".0%", ours="words", trace="KTH-SP2") == "600 %"
    assert (
        records.table("studies/sensitivity/heel_and_toe").text(
            "cases", headline="doubling-helps", kind="default"
        )
        == "16"
    )


def test_numbers_and_claims_are_tables(records):
    killed = records.table("pv_easy.numbers").where(item="table6", trace="CTC-SP2")
    assert killed.text("published", policy="PV-EASY", measure="preempted") == "10,172"
    fall = records.table("heel_and_toe.cases").where(claim="sjfness-lambda", part="fall")
    assert fall.text("value", ".1f", case="CTC-SP2") == "0.1"
    assert records.table("pv_easy.claims").count(verdict="holds", claim="no-violation") == "0"


def test_a_range_and_an_interval():
    frame = pd.DataFrame({"a": [2.0, -1, ""], "a low": [1.0, -3, ""], "a high": [3.0, 0, ""]})
    cells = Cells("of test", frame.assign(name=["x", "y", "z"], **{PLACE: "here"}), is_linked=True)
    assert cells.range("a", "+.0f") == "[-1 to +2](#record:here){.value}"
    assert cells.interval("a", name="y") == "[-1.0 [-3.0, 0.0]](#record:here){.value}"
    assert cells.interval("a", name="z") == cells.text("a", ".1f", name="z") == MISSING
    assert cells.size("a", ".1f", name="y") == "[1.0](#record:here){.value}"


@pytest.mark.parametrize(
    ("table", "case", "place"),
    [
        (
            "pv_easy.numbers",
            {"item": "table6", "trace": "CTC-SP2", "policy": "PV-EASY", "measure": "preempted"},
            "number:pv_easy:table6:CTC-SP2:PV-EASY:preempted",
        ),
        ("pv_easy.claims", {"claim": "venture-helps"}, "claim:pv_easy:venture-helps"),
        ("heel_and_toe/table1", {"trace": "CTC-SP2"}, "heel_and_toe-table1"),
        ("heel_and_toe/fig04-shapes", {}, "heel_and_toe-fig04"),
        ("all.claims", {}, ""),
    ],
)
def test_a_value_leads_to_its_record(recorded, table, case, place):
    text = Records(recorded).table(table).count(**case)
    assert text.partition("]")[2] == (f"(#record:{place}){{.value}}" if place else "")


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (lambda rows: rows.text("height", trace="CTC-SP2"), "has no column 'height'"),
        (lambda rows: rows.count(trace="X"), "no row has trace=X"),
    ],
)
def test_cells_that_are_not_there(records, look_up, message):
    with pytest.raises(NoResult, match=message):
        look_up(records.table("heel_and_toe/table1"))


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("verdict pv_easy/no-violation", "the text says 'no verdict'"),
        ("verdict pv_easy/no-violation; holds", "the text says 'holds'; the verdict is 'check'"),
        ("table nothing", "table 'nothing'.*main-table"),
        ("checkss", "no value 'checkss'.*checks"),
        ("number 1", "allowed: verdict"),
    ],
)
def test_faults(recorded, reference, message):
    with pytest.raises(NoResult, match=message):
        References(recorded).text(reference)


def test_a_table_of_an_article_has_linked_numbers(recorded):
    text = References(recorded).text("table matches")
    ours = Records(recorded).table("top_percent/table1-baseline")
    assert ours.text("match", ".0f", ours="coded", trace="KTH-SP2") in text
    assert "#record:top_percent-table1" in text
    assert "| KTH | CTC | SDSC |" in text.splitlines()[0]


def test_tables_and_pictures_of_an_article_are_numbered_in_their_order(recorded):
    text = article.fill_references("replication", recorded, link=False)
    tables_of = re.findall(r"^: \*\*Table\xa0(\d+)\.\*\* \w", text, re.MULTILINE)
    assert [*map(int, tables_of)] == [*range(1, len(tables_of) + 1)] and tables_of
    assert "![**Fig.\xa01.** " in text and "(Fig.\xa01)" in text
    with pytest.raises(NoResult, match="nothing.*main-table"):
        References(recorded, numbered={"main-table": "Table 1"}).text("ref nothing")


def test_all_faults_are_named_with_their_lines(recorded, tmp_path, monkeypatch):
    (tmp_path / "studies.md").write_text(
        "---\ntitle: A\n---\n\n{verdict pv_easy/no-violation; fails} "
        "[@nobody]\n\n![x](no/picture.png)\n"
    )
    (tmp_path / "references.bib").write_text("")
    monkeypatch.setattr(article, "HERE", tmp_path)
    with pytest.raises(article.ArticleError, match="3 places") as fault:
        article.fill_references("studies", recorded)
    assert [line.split(": ")[0] for line in fault.value.lines] == [
        "docs/articles/studies.md:5",
        "docs/articles/studies.md:5",
        "docs/articles/studies.md:7",
    ]
