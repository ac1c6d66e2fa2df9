"""The articles: references into the records, and the same bytes from the same results."""

import re

import pytest

from docs.articles import build_articles as article
from docs.articles import queries
from docs.articles.build_articles import ReferenceFault, References
from replication.verdicts import evidence


@pytest.mark.parametrize("name", ["replication", "studies"])
def test_a_pdf_is_the_same_twice(name, recorded):
    made = article.pdf(name, recorded)
    assert made == article.pdf(name, recorded)
    assert made.startswith(b"%PDF")


@pytest.mark.parametrize("name", ["replication", "studies"])
def test_a_page_holds_its_pictures_and_citations(name, recorded):
    markup = article.html(name, recorded)
    assert not re.search(r"\{(value|verdict|table|include) ", markup)
    assert markup.count("<figure") == markup.count('src="file:figures/') >= 1
    assert f'id="article-{name}-ref-pv_easy"' in markup and "<h2" in markup
    anchors = set(re.findall(r' id="([^"]+)"', markup))
    links = set(re.findall(r'href="#([^"]+)"', markup))
    found = recorded.every("claims") + recorded.every("numbers")
    of_report = {evidence.place(*one.name) for one in found}
    of_report |= {item.id for item in recorded.every("items")}
    assert links <= anchors | of_report and links & of_report


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (
            "value pv_easy.numbers published item=table6 trace=CTC-SP2 policy=PV-EASY "
            "measure=preempted",
            "10,172",
        ),
        ("value heel_and_toe/table1 jobs trace=CTC-SP2; ,.0f", "77,222"),
        ("value studies/sensitivity/heel_and_toe cases headline=doubling-helps kind=default", "16"),
        ("value heel_and_toe/table1 jobs; count", "4"),
        ("value heel_and_toe.cases value claim=sjfness-lambda case=CTC-SP2 part=fall; .1f", "0.1"),
        ("value heel_and_toe/table1 jobs trace!=CTC-SP2; count", "3"),
        ("value pv_easy.claims claim verdict=holds claim=no-violation; count", "0"),
        ("value top_percent/table1-baseline ratios ours=words; sum; .0f", "36"),
        ("value top_percent/table1-baseline match ours=words trace=KTH-SP2; .0%", "600 %"),
    ],
)
def test_values(recorded, reference, text):
    assert References(recorded, link=False).text(reference) == text


@pytest.mark.parametrize(
    ("reference", "place"),
    [
        (
            "value pv_easy.numbers ours item=table6 trace=CTC-SP2 policy=PV-EASY measure=preempted",
            "number:pv_easy:table6:CTC-SP2:PV-EASY:preempted",
        ),
        ("value pv_easy.claims held claim=venture-helps", "claim:pv_easy:venture-helps"),
        ("value pv_easy.cases value claim=venture-helps; range", "claim:pv_easy:venture-helps"),
        ("value heel_and_toe/table1 jobs trace=CTC-SP2", "heel_and_toe-table1"),
        ("value heel_and_toe/fig04-shapes log; count", "heel_and_toe-fig04"),
        ("value all.claims verdict; count", ""),
    ],
)
def test_a_value_leads_to_its_record(recorded, reference, place):
    plain = References(recorded, link=False).text(reference)
    linked = References(recorded).text(reference)
    assert linked == (f"[{plain}](#record:{place}){{.value}}" if place else plain)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("verdict pv_easy/no-violation", "the text says 'no verdict'"),
        ("verdict pv_easy/no-violation; holds", "the text says 'holds'; the verdict is 'check'"),
        ("verdict pv_easy/other; holds", "no row has claim=other"),
        ("value heel_and_toe/table1 height trace=CTC-SP2", "has no column 'height'"),
        ("value heel_and_toe/table1 jobs trace=X; count", "no row has trace=X"),
        ("value heel_and_toe/table1 jobs trace", "expected NAME=VALUE"),
        (
            "value studies/interpretations/pv_easy-own_numbers away preemption=printed; range",
            "all cells are empty",
        ),
        ("value heel_and_toe/table1 trace; .1f", "is no number"),
        ("value heel_and_toe/table1 jobs; much", "no format"),
        ("table nothing", "no table 'nothing', but .*main-table"),
        ("number 1", "expected verdict and a claim, value"),
        ('value "x', "unreadable"),
    ],
)
def test_faults(recorded, reference, words):
    with pytest.raises(ReferenceFault, match=words):
        References(recorded).text(reference)


def test_a_table_of_an_article_is_its_query(recorded):
    text = References(recorded).text("table matches")
    ours = References(recorded).value(
        "top_percent/table1-baseline", "match", ".0f", ours="coded", trace="KTH-SP2"
    )
    assert ours in text and "#record:top_percent-table1" in ours
    assert "| KTH | CTC | SDSC |" in text.splitlines()[0]


def test_the_best_level_is_the_largest_gain_at_the_price_of_f():
    ways = [("f-model", 0, 0), ("f-model", 1, 4), ("f-model", 3, 9)]
    ways += [("relaxed", 0.1, -1), ("relaxed", 0.2, 4), ("relaxed", 0.3, 5)]
    gains = [0, 5, 4, 2, 1, 8]
    points = [
        {"log": "A", "way": way, "level": level, "heads": price, "gain": gain}
        for (way, level, price), gain in zip(ways, gains, strict=True)
    ]
    best = {
        (way, f): queries.best_level(points, "A", f, way, "gain")
        for way in ("f-model", "relaxed")
        for f in (0, 1, 3)
    }
    assert best == {
        ("f-model", 0): 0,
        ("f-model", 1): 1,
        ("f-model", 3): 1,  # a smaller f gains more
        ("relaxed", 0): 0.1,
        ("relaxed", 1): 0.1,  # at the price of f = 1, 0.2 gains less
        ("relaxed", 3): 0.3,
    }


def test_tables_and_pictures_of_an_article_are_numbered_in_their_order(recorded):
    text = article.fill_references("replication", recorded, link=False)
    tables_of = re.findall(r"^: \*\*Table\xa0(\d+)\.\*\* \w", text, re.MULTILINE)
    assert [*map(int, tables_of)] == [*range(1, len(tables_of) + 1)] and tables_of
    assert "![**Fig.\xa01.** " in text and "(Fig.\xa01)" in text
    with pytest.raises(ReferenceFault, match="nothing.*main-table"):
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
