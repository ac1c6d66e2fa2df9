"""The article: every number looked up, every verdict held to, all that disagrees named at once with its line."""

import io
import json

import pikepdf
import pytest
import yaml
from bs4 import BeautifulSoup

from replication.report import article, crate, facts, html, metadata, pdf, record, results, tree
from replication.simulator import paths

LIBRARY = paths.ARTICLE / "references.bib"
CLAIM = "{claim pv_easy fewer-backfilled; holds}"


@pytest.fixture(scope="module")
def recorded():
    return results.recorded()


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes another source in the place of the article."""

    def write(text):
        (tmp_path / "article.md").write_text(text)
        (tmp_path / "references.bib").write_text(LIBRARY.read_text())
        monkeypatch.setattr(paths, "ARTICLE", tmp_path)

    return write


def test_the_article_agrees_with_what_is_committed_and_has_at_most_twelve_pages(recorded):
    made = article.build(recorded)
    with pikepdf.open(io.BytesIO(pdf.article(made))) as document:
        assert len(document.pages) <= 12
    assert made["filled"] > 100 and 6 <= len(made["figures"]) <= 8
    assert {"pv_easy", "heel_and_toe", "top_percent", "archive"} <= {
        entry["key"] for entry in made["references"]
    }


def test_all_that_disagrees_is_named_at_once_with_its_line(recorded, written):
    written(
        "# Title\n\nIt {claim pv_easy fewer-backfilled; fails}.\n"
        "{ours pv_easy table9 CTC-SP2 EASY delayed}\n\n## 1 Then\n\nAs 12 % said [@nobody].\n\n"
        "![Caption](pv_easy/nothing.png)\n{held pv_easy no-violation} {claim pv_easy fewer-backfilled}\n"
        "{cell pv_easy/claims verdict claim=fewer-backfilled; >1}\n"
    )
    with pytest.raises(article.ArticleError) as error:
        article.build(recorded)
    assert [line.split(": ")[0] for line in error.value.lines] == [
        f"article/article.md:{line}" for line in (3, 4, 8, 8, 10, 11, 12)
    ]
    said = "\n".join(error.value.lines)
    for words in (
        "the text says 'fails'; it is 'holds' now",
        "no published number pv_easy table9",
        "12 is typed",
        "no entry 'nobody'",
        "no picture pv_easy/nothing.png",
        "the text has to say so",
        "'holds' is no number",
    ):
        assert words in said


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("paper pv_easy table1 CTC-SP2 EASY delayed", "736"),
        ("claim pv_easy fewer-backfilled; holds", "[✓ holds](#claim:"),
        ("held pv_easy no-violation", "3 of 3"),
        ("case pv_easy no-violation CTC-SP2", "0"),
        ("values pv_easy no-violation", "0, 0, 0"),
        ("cell heel_and_toe/table1 jobs trace=CTC-SP2; ,.0f; >70000", "77,222"),
        ("cell heel_and_toe/table1 jobs trace=CTC-SP2; /1000 .1f", "77.2"),
        ("most heel_and_toe/table1 processors; ,.0f", "1,152"),
        ("fact heel_and_toe/fig02 logs CTC-SP2 jobs; ,.0f", "77,222"),
        ("total all claims; >100", ""),
    ],
)
def test_a_reference_gives_what_was_recorded(recorded, reference, text):
    assert facts.Facts(recorded).text(reference).startswith(text)


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (["holds", "holds in part", "fails"], "Re"),
        (["holds", "fails"], "¬Re"),
        (["check", "check", "fails"], "¬Re"),
        (["holds", "undecided", "not drawn"], "?Re"),
    ],
)
def test_the_title_says_what_the_claims_of_the_abstract_got(given, label):
    assert facts.label(given) == label


@pytest.mark.parametrize(
    "reference",
    [
        "nothing",
        "title pv_easy",
        'paper "pv_easy',
        "paper pv_easy",
        "cell pv_easy/claims verdict",
        "cell pv_easy/claims nothing claim=no-violation",
        "cell ../pyproject x",
        "least pv_easy/claims count claim=nothing",
        "fact heel_and_toe/fig02 logs nobody",
        "count pv_easy numbers holds",
        "total pv_easy words",
        "values pv_easy no-violation nothing",
        "held pv_easy no-violation; ???",
    ],
)
def test_a_reference_that_leads_nowhere_is_refused(recorded, reference):
    with pytest.raises(facts.FactError):
        facts.Facts(recorded).text(reference)


@pytest.mark.parametrize(
    "words",
    [
        "## 2 Logs",
        "1. first\n2. second",
        "Fig. 4, Figs. 4 and 5, Tables 1 to 3, section 5.2.1",
        "in 2006, HPDC'10",
        "SDSC-SP2 and AP0WAF and R2",
        "at f = 10, f > 0",
        "a 95 % interval",
        "`f = 3`",
        "[there](https://a.example/1)",
        "{cell x y; .1f}",
    ],
)
def test_names_and_places_may_hold_digits(words):
    assert article.typed(words) == []


@pytest.mark.parametrize("words", ["12", "by 3.5 %", "1,234 jobs", "half of 8 logs"])
def test_any_other_number_is_typed(words):
    assert len(article.typed(f"one\n{words}")) == 1
    assert article.typed(f"one\n{words}")[0][0] == 2


def test_a_comment_is_not_part_of_the_article_and_lines_keep_their_numbers(recorded, written):
    written("# T\n\n<!-- 12\n{nothing} -->\nWell.\n\n## Then\n\n12\n")
    with pytest.raises(article.ArticleError) as error:
        article.build(recorded)
    assert len(error.value.lines) == 1 and error.value.lines[0].startswith("article/article.md:9:")


def test_on_the_page_citations_and_verdicts_lead_somewhere_and_pictures_are_in_it(
    recorded, written
):
    written(
        f"# T\n\nIt does {CLAIM}, as [@lifka; @mualem] say.\n\n## 1 A\n\n"
        "![What *it* says](pv_easy/fig05.png)\n\n### B\n\nEnd [@mualem].\n\n## 2 C\n\nMore.\n"
    )
    made = html._article(article.build(recorded))
    page = BeautifulSoup(made["body"] + made["abstract"], "html.parser")
    assert [link["href"] for link in page.find_all("a")] == [
        "#cited-mualem",
        "#claim:pv_easy:fewer-backfilled",
        "#cited-lifka",
        "#cited-mualem",
    ]
    assert page.img["src"].startswith("data:image/png") and page.img["alt"] == "What it says"
    assert "Figure 1." in page.figcaption.text and [
        heading.name for heading in page.find_all(["h2", "h3"])
    ] == ["h2", "h3", "h2"]


def test_the_page_begins_with_the_article_and_the_rest_is_its_supplement(recorded):
    data, pictures = tree.tree(results.Results("paper", []))
    page = BeautifulSoup(html.build(data, pictures, article.build(recorded)), "html.parser")
    findings, beside = page.header.find("div", "opening").find_all("div", recursive=False)
    assert "PV-EASY" in findings.text and "Figure" in beside.figcaption.text
    assert "published numbers:" in beside.text
    assert page.h1.text.startswith("[") and page.find(id="article").find("figure")
    order = [page.find(id=name).sourceline for name in ("article", "supplement", "scoreboard")]
    assert order == sorted(order)
    places = {tag["id"] for tag in page.find_all(id=True)}
    cited = {link["href"][1:] for link in page.select('a[href^="#cited-"]')}
    assert cited and cited <= places


def test_the_references_are_those_of_the_citation_file():
    listed = article.bibliography(LIBRARY.read_text())
    assert set(record.PAPERS) <= set(listed)
    for paper in metadata.citation()["references"]:
        (own,) = [
            entry["text"] for entry in listed.values() if f"{paper['title']}." in entry["text"]
        ]
        names = [f"{who['given-names']} {who['family-names']}" for who in paper["authors"]]
        assert own.startswith(f"{', '.join(names)}. ") and f"{paper['year']}." in own


@pytest.mark.parametrize("name", metadata.FILES)
def test_what_archives_read_is_made_from_the_citation_file(name):
    text = (paths.ROOT / name).read_text(encoding="utf-8")
    assert text == metadata.made(name), "python -m replication.report.metadata writes it anew"
    assert (
        json.loads(text)["version"]
        == yaml.safe_load((paths.ROOT / "CITATION.cff").read_text())["version"]
    )


def test_the_research_object_is_that_of_the_records(recorded):
    assert (paths.ROOT / crate.NAME).read_text(encoding="utf-8") == crate.text(
        recorded.every("items")
    ), "make report writes it anew"


def test_the_research_object_keeps_what_its_profiles_demand(recorded):
    graph = crate.crate(recorded.every("items"))["@graph"]
    by = {entity["@id"]: entity for entity in graph}
    assert len(by) == len(graph)
    root, main = by["./"], by["Makefile"]
    assert by[crate.NAME]["about"] == {"@id": "./"} and root["datePublished"] and root["license"]
    profiles = [by[one["@id"]] for one in root["conformsTo"]]
    assert len(profiles) == 3 and all(one["name"] and one["version"] for one in profiles)
    assert root["mainEntity"] == {"@id": "Makefile"} and main["programmingLanguage"]
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} <= set(main["@type"])
    actions = [entity for entity in graph if entity["@type"] == "CreateAction"]
    assert {action["@id"] for action in actions} == {one["@id"] for one in root["mentions"]}
    assert {"@id": "Makefile"} in [action["instrument"] for action in actions]
    assert len(actions) == len(recorded.every("items")) + 1
    for action in actions:
        for one in [action["instrument"], action["agent"], *action["object"], *action["result"]]:
            assert one["@id"] in by
    for one in root["hasPart"]:
        assert (paths.ROOT / one["@id"]).is_file()
