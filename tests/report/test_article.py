"""The article: references into the records, and the same bytes from the same results."""

import pytest

from replication.report import article, results
from replication.report.article import ReferenceFault, References
from replication.simulator import paths


@pytest.fixture(scope="module")
def recorded():
    return results.recorded()


def test_the_article_agrees_with_the_records(recorded):
    text = article.fill_references(recorded)
    assert "{value" not in text and "{verdict" not in text


def test_the_pdf_is_the_same_twice(recorded):
    assert article.pdf(recorded) == article.pdf(recorded)


def test_the_page_holds_its_pictures_and_citations(recorded):
    markup = article.html(recorded)
    assert markup.count("<figure") == markup.count("data:image/png;base64,") > 5
    assert 'id="ref-lifka"' in markup and "<h2" in markup


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (
            "value pv_easy.numbers published item=table6 trace=CTC-SP2 policy=PV-EASY measure=preempted",
            "10,172",
        ),
        ("value heel_and_toe/table1 jobs trace=CTC-SP2; ,.0f", "77,222"),
        ("value studies/sensitivity/heel_and_toe cases headline=doubling-helps kind=default", "16"),
        ("value heel_and_toe/fig04.logs jobs_used log=CTC-SP2", "77,222"),
        ("value all.claims verdict; count", str(124)),
    ],
)
def test_values(recorded, reference, text):
    assert References(recorded).text(reference) == text


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("verdict pv_easy/no-violation", "the text says 'no verdict'"),
        ("verdict pv_easy/no-violation; holds", "the text says 'holds'; the verdict is 'check'"),
        ("verdict pv_easy/other; holds", "no row has claim=other"),
        ("value pv_easy/nothing a", "no table pv_easy/nothing"),
        ("value heel_and_toe/table1 height trace=CTC-SP2", "has no column 'height'"),
        ("value heel_and_toe/table1 jobs trace=X", "no row has trace=X"),
        ("value heel_and_toe/table1 jobs trace", "expected NAME=VALUE"),
        ("value heel_and_toe/table1 trace; .1f", "is no number"),
        ("value heel_and_toe/table1 jobs; much", "no format"),
        ("number 1", "expected verdict and a claim, or value"),
        ('value "x', "unreadable"),
    ],
)
def test_faults(recorded, reference, words):
    with pytest.raises(ReferenceFault, match=words):
        References(recorded).text(reference)


def test_all_faults_are_named_with_their_lines(recorded, tmp_path, monkeypatch):
    (tmp_path / "article.md").write_text(
        "---\ntitle: A\n---\n\n{verdict pv_easy/no-violation; fails} [@nobody]\n\n![x](no/picture.png)\n"
    )
    (tmp_path / "references.bib").write_text("")
    monkeypatch.setattr(paths, "ARTICLE", tmp_path)
    with pytest.raises(article.ArticleError, match="3 places") as fault:
        article.fill_references(recorded)
    assert [line.split(": ")[0] for line in fault.value.lines] == [
        "article/article.md:5",
        "article/article.md:5",
        "article/article.md:7",
    ]
