"""The report: complete or said not to be, traceable, safe to open, and the same from the same inputs."""

import itertools
import json
import re
from html.parser import HTMLParser

import bs4
import pandas as pd
import pytest
import small_project
from matplotlib.figure import Figure

from replication.papers import committed, compare, deciders
from replication.papers.published import EvidenceError
from replication.report import assemble as report
from replication.report import html, page, record, results, tree
from replication.report import pdf as report_pdf
from replication.report import texts as report_texts
from replication.report.results import ReportError
from replication.simulator import paths

NAME = "heel_and_toe/fig02"
OURS = [
    {"trace": "CTC-SP2", "policy": "real", "measure": "wait", "value": 21.4, "unit": "min"},
    {"trace": "CTC-SP2", "policy": "perfect", "measure": "wait", "value": 18.7, "unit": "min"},
    {"trace": "KTH-SP2-2", "policy": "real", "measure": "wait", "value": 160.0, "unit": "min"},
]


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    # The PDF has tests of its own.
    monkeypatch.setattr(report_pdf, "build", lambda *given: b"%PDF-")
    return tmp_path


def draw(root, name=NAME, scale="paper", ours=OURS, prose="", said=(), part=False):
    """Draw an item as its notebook does."""
    small_project.notebook(root, name, ["a = 1", "draw()"], prose, logs='["CTC-SP2", "KTH-SP2-2"]')
    made = page.Page(name, scale=scale, logs=["CTC-SP2", "KTH-SP2-2"])
    figure = Figure(figsize=(4, 3))
    figure.subplots().plot([1, 2, 4])
    made.figure(figure, "Wait against load")
    made.table(pd.DataFrame({"job": [small_project.HOSTILE], "wait": [1.5]}), "Waits")
    made.compare(ours, item="fig02", part=part)
    for words in said:
        made.say(words)
    return made


def decide(root, name, cases):
    """Decide a claim as the paper's notebook of claims does."""
    small_project.notebook(root, "heel_and_toe/claims", [])
    made = page.Page("heel_and_toe/claims", scale="paper", logs=["CTC-SP2"])
    register = deciders.Claims("heel_and_toe")
    register.decides(name)(lambda evidence: cases)
    made.claims(register.evaluate(None, [name]))


def test_a_complete_report_of_real_logs_goes_to_figures(project):
    draw(project)
    assert report.build() == project / "figures/report.html"


@pytest.mark.parametrize("scale", ["paper", "quick"])
def test_whatever_is_less_goes_to_build_and_says_so(project, monkeypatch, scale):
    small_project.enter(project, False, monkeypatch.setattr)
    draw(project, scale=scale)
    target = report.build()
    assert target == project / "build/report/stand-in/report.html"
    markup = target.read_text()
    assert "STAND-IN DATA" in markup and '<span class="badge">stand-in</span>' in markup
    assert not (project / "figures").exists()


def test_quick_scale_is_marked(project):
    draw(project, scale="quick")
    target = report.build()
    assert target == project / "build/report/quick/report.html"
    assert "QUICK SCALE" in target.read_text() and "5,000 of 6,000" in target.read_text()


def test_an_incomplete_report_leaves_the_complete_one_alone(project):
    draw(project)
    complete = report.build().read_bytes()
    small_project.notebook(project, "heel_and_toe/fig03", [])
    target = report.build()
    assert target == project / "build/report/paper/report.html"
    assert "INCOMPLETE: 1 of 2" in target.read_text() and "heel_and_toe/fig03" in target.read_text()
    assert (project / "figures/report.html").read_bytes() == complete


def test_nothing_drawn_is_an_error(project):
    small_project.notebook(project, NAME, [])
    with pytest.raises(ReportError, match="make figures"):
        report.build()


def test_the_same_inputs_give_the_same_bytes(project):
    draw(project)
    first = report.build().read_bytes()
    draw(project)  # its duration differs, its results do not
    assert report.build().read_bytes() == first


def test_results_of_less_worth_are_shown_only_where_asked_for(project):
    draw(project)
    draw(project, scale="quick")
    assert [item.kind for item in results.collect("paper").every("items")] == ["paper"]
    assert [item.kind for item in results.collect("quick").every("items")] == ["quick"]
    assert [item.kind for item in results.collect("stand-in").every("items")] == ["quick"]


def test_counts_are_those_of_the_verdicts(project):
    draw(project)
    paper = tree.tree(results.collect("paper"))[0]["papers"][1]
    assert (paper["key"], paper["published"]) == ("heel_and_toe", 4)
    found = {"match": 1, "close": 1, "differs": 1, "not comparable": 1}
    assert dict(paper["counts"]) == found
    markup = report.build().read_text()
    assert "Of 4 published numbers: 1 match, 1 close, 1 differs, 1 not comparable." in markup
    assert 'aria-label="numbers, simulated results: 1 match, 1 close, 1 differs, 1 not' in markup


def test_numbers_that_no_notebook_draws_are_counted(project):
    draw(project, part=True)
    assert dict(tree.tree(results.collect("paper"))[0]["counts"])["not drawn"] == 1
    assert "no notebook in this report computes it" in report.build().read_text()


def test_a_count_leads_to_its_numbers_and_these_to_their_page(project):
    draw(project)
    soup = bs4.BeautifulSoup(report.build().read_text(), "html.parser")
    count = soup.select_one("#scoreboard a.verdict.close")
    assert count.text.split() == ["≈", "1", "close"]
    place = soup.find(id=count["href"][1:])
    rows = [
        row for row in place.find_parent("section").select("tr.row") if "is-close" in row["class"]
    ]
    cells = [
        rows[0].select_one(f".{part}").text for part in ("trace", "published", "ours", "difference")
    ]
    assert len(rows) == 1 and cells == ["CTC-SP2", "18.0", "18.70", "+3.9 %"]
    assert "Invented paper Table 9" in rows[0].select_one(".remark").text
    assert rows[0].select_one(".remark a")["href"] == "#heel_and_toe-fig02"
    assert rows[0]["id"] == "number:heel_and_toe:fig02:CTC-SP2:perfect:wait"


def test_a_listing_narrows_by_verdict_and_by_notebook_without_a_script(project):
    draw(project)
    markup = report.build().read_text()
    for place, mark in (
        (".filter .close", "is-close"),
        (".filter .holds-in-part", "is-holds-in-part"),
        ("#numbers-of-heel_and_toe-fig02", "of-heel_and_toe-fig02"),
    ):
        rule = f".listing:has({place}:target) :is(.row:not(.{mark}), tbody:not(:has(.{mark})))"
        assert f"{rule} {{ display: none; }}" in markup


def test_every_claim_is_listed_with_what_decides_it(project):
    draw(project)
    folder = paths.PUBLISHED / "heel_and_toe"
    (folder / "claims.toml").write_text(
        "".join(
            f'[{name}]\nsection = "3, Fig. 2"\nstatement = "{name} <helps>."\nstatistic = "change"\n'
            f'rule = "above 0"\n'
            for name in ("doubling", "truth")
        )
    )
    decide(project, "doubling", [("CTC-SP2", "+1 (0 to 2)", True), ("KTH-SP2-2", "-1", False)])
    markup = report.build().read_text()
    assert "Of 2 claims: 1 fails, 1 not drawn." in markup
    soup = bs4.BeautifulSoup(markup, "html.parser")
    row = soup.find(id="claim:heel_and_toe:doubling")
    said = row.select_one(".says").text
    assert said.startswith("doubling <helps>.") and "section 3, Fig. 2" in said
    assert "Rule: above 0." in row.select_one(".by").text
    assert [(case["class"], case.text) for case in row.select("li")] == [
        (["for"], "CTC-SP2 +1 (0 to 2)"),
        (["against"], "KTH-SP2-2 -1"),
    ]
    assert "of-heel_and_toe-fig02" in row["class"]  # its section names that figure
    card = soup.select_one('.card a[href="#heel_and_toe-fig02"]').parent
    assert [chip["href"] for chip in card.select(".verdict")][-1] == "#claims-of-heel_and_toe-fig02"
    assert "no notebook in this report decides it" in soup.find(id="claim:heel_and_toe:truth").text


def test_the_best_reading_is_a_second_line_and_in_no_count(project):
    draw(project)
    small_project.notebook(project, "heel_and_toe/readings", [])
    made = page.Page("heel_and_toe/readings", scale="paper", logs=["CTC-SP2"])
    best = compare.table("heel_and_toe", "fig02", [OURS[0], OURS[1] | {"value": 90.0}])[:2]
    made.table(best, "The best", name="best")
    markup = " ".join(report.build().read_text().split())
    assert "Of 4 published numbers: 1 match, 1 close, 1 differs, 1 not comparable." in markup
    assert (
        "by search, 1 match, 1 differs; of the same 2 numbers under the default, 1 match, 1 close."
        in markup
    )


def test_decisions_and_contradictions_have_chapters(project):
    draw(project)
    (paths.PUBLISHED / "contradictions.toml").write_text(
        '[a-b]\npaper = "heel_and_toe"\nkind = "text against table"\nwhat = "One <b> says 3, the other 4."\n'
        'first = { quote = "three", where = "section 1" }\nsecond = { quote = "4", where = "Table 1" }\n'
    )
    markup = report.build().read_text()
    entry = bs4.BeautifulSoup(markup, "html.parser").find(id="contradiction-a-b")
    assert [part.text for part in entry.select("dt, dd")] == ["section 1", "three", "Table 1", "4"]
    assert "One &lt;b&gt; says 3" in markup
    assert 'id="decisions-pv_easy"' in markup and 'href="#decisions-pv_easy"' in markup


def test_a_complete_report_writes_the_list_of_verdicts(project):
    draw(project)
    report.build()
    assert (
        committed.path().read_text().splitlines()[1]
        == "number,heel_and_toe,fig02,CTC-SP2,real,wait,simulated,match"
    )
    committed.path().unlink()
    small_project.notebook(project, "heel_and_toe/fig03", [])
    report.build()
    assert not committed.path().exists()


def test_two_notebooks_may_not_disagree_on_one_number(project):
    draw(project)
    draw(project, "heel_and_toe/fig03", ours=[OURS[0] | {"value": 90.0}], part=True)
    with pytest.raises(EvidenceError, match="CTC-SP2 / real / wait"):
        report.build()


def test_outputs_of_another_run_are_not_shown(project):
    draw(project)
    (project / "figures/heel_and_toe/fig02.csv").write_text("job,wait\nx,9\n")
    found = results.collect("paper")
    assert found.every("items") == [] and "draw it again" in found.missing[NAME]


def test_a_notebook_that_failed_is_left_out(project):
    draw(project)
    target = report.build("paper", failed={NAME})
    assert target == project / "build/report/paper/report.html"
    assert "it failed" in target.read_text()


def test_a_report_that_is_too_large_is_refused(project, monkeypatch):
    draw(project)
    monkeypatch.setattr(report, "LARGEST", 10_000)
    with pytest.raises(ReportError, match="allowed: 10,000"):
        report.build()
    assert not (project / "figures/report.html").exists()


class Seen(HTMLParser):
    """Tags, addresses and ids of a page."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.loads, self.links, self.ids, self.handlers = set(), [], [], [], []
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name in ("src", "srcset", "data", "poster", "background", "action"):
                self.loads.append(value)
            self.handlers += [name] if name.startswith("on") else []
            self.links += [value] if name == "href" else []
            self.ids += [value] if name == "id" else []


def test_the_page_needs_no_network_and_runs_nothing(project):
    active = "<script src='https://x.org/a.js'></script><img src=x onerror=alert(1)>"
    prose = "![far](https://x.org/a.png) <img src=https://x.org/b.png> [away](https://x.org/c)"
    draw(project, prose=prose, said=[active])
    markup = report.build().read_text()
    seen = Seen(markup)
    assert seen.tags.isdisjoint({"script", "link", "iframe", "object", "embed", "base", "form"})
    assert seen.loads and all(address.startswith("data:image/") for address in seen.loads)
    assert seen.handlers == []
    styles = re.search(r"<style>(.*?)</style>", markup, re.DOTALL)[1]
    assert "url(" not in styles and "@import" not in styles
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in markup


def test_every_link_within_the_page_has_its_place(project):
    draw(project)
    seen = Seen(report.build().read_text())
    assert len(seen.ids) == len(set(seen.ids))
    within = [address[1:] for address in seen.links if address.startswith("#")]
    assert "heel_and_toe-fig02" in within and set(within) <= set(seen.ids)
    assert all(address.startswith(("#", "https://")) for address in seen.links)


def test_the_committed_results_make_a_page_for_everybody(monkeypatch):
    """Headings in order, what scrolls can be reached by keys, and no link leads out of the file."""
    monkeypatch.setattr(html, "_face", lambda *_: {"picture": None, "rows": []})
    monkeypatch.setattr(html.render, "uri", lambda png: "data:image/png;base64,")
    data, pictures = tree.tree(results.collect("paper"))
    soup = bs4.BeautifulSoup(html.build(data, pictures), "html.parser")
    levels = [int(heading.name[1]) for heading in soup(re.compile("^h[1-6]$"))]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(
        region["tabindex"] == "0" and region["role"] == "region" and region["aria-label"]
        for region in soup.select(".wide")
    )
    assert all(
        one.find_parent(class_="wide") for one in soup("table") if "aria-hidden" not in one.attrs
    )
    places = {one["id"] for one in soup.select("[id]")}
    addresses = [one["href"] for one in soup("a")]
    assert [a for a in addresses if not a.startswith("https://") and a[1:] not in places] == []
    assert [image for image in soup("img") if "alt" not in image.attrs] == []
    assert len(soup(["p", "td", "li"])) < 25_000


def test_what_comes_from_a_log_is_escaped(project):
    formula = r"$\text{<i onclick=x>}$"
    draw(project, prose=small_project.HOSTILE, said=[f"{small_project.HOSTILE} {formula}"])
    markup = report.build().read_text()
    assert "<script" not in markup and "<i " not in markup
    assert markup.count("&lt;script&gt;") >= 4  # cleaning rule, table, prose, sentence


def test_provenance_is_in_the_page(project):
    draw(project)
    markup = report.build().read_text()
    facts = record.read(project / "figures/heel_and_toe/fig02.json")
    for fact in (
        "ab" * 32,
        facts["kernels"],
        f"Python {facts['run']['python']}",
        "numpy",
        "CTC-SP2.swf.gz",
        "fig02.verdicts.csv",
        "6,000",
        "zero run time: 3",
    ):
        assert fact in markup


def test_formulas_are_drawn_by_the_browser():
    markup = html.markdown(
        "A badness of $f<2$,\n\n$$\\frac{1}{r_1}$$\n\nbut $\\foo{$ is not known.", str
    )
    assert markup.count("<math") == 2 and "<mo>&lt;</mo>" in markup and 'display="block"' in markup
    assert '<code class="latex">\\foo{</code>' in markup and "$" not in markup


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{aligned}a &= b\end{aligned}",
        r"\begin{align*}a &= b\end{align*}",
        r"\begin{equation}a = b\end{equation}",
    ],
)
def test_environments_of_formulas(source):
    markup = html.markdown(source, str)
    assert "<math" in markup and "&amp;" not in markup and "begin" not in markup


def test_headings_links_and_pictures_fit_into_the_page(project):
    link = report_texts.links(paths.NOTEBOOKS / "heel_and_toe", ["heel_and_toe/fig03"])
    markup = html.markdown(
        "# One\n\n#### Two\n\n[next](fig03.ipynb) [why](../../docs/none.md#f) [log](https://x.org/) "
        "[bad](javascript:alert(1)) ![a picture](b.png) <b>raw</b>",
        link,
    )
    assert "<h3>One</h3>" in markup and "<h4>Two</h4>" in markup
    assert 'href="#heel_and_toe-fig03"' in markup and "none.md" not in markup and "why" in markup
    assert 'href="https://x.org/"' in markup and "javascript" not in markup
    assert "<img" not in markup and "[a picture]" in markup and "&lt;b&gt;" in markup


def test_outputs_stand_behind_the_cell_that_drew_them(project):
    made = draw(project, prose="first words", said=["a sentence"])
    path = made.folder / "fig02.json"
    facts = record.read(path)
    small_project.notebook(project, NAME, ["a = 1", "draw()", "b = 2"], "first words")
    order = {"fig02.png": 3, "fig02.csv": 4}
    for file, cell in order.items():
        facts["files"][file]["cell"] = cell
    facts["summary"] = "We find **2**."
    path.write_text(json.dumps(facts))
    data, _ = tree.tree(results.collect("paper"))
    item = data["papers"][1]["items"][0]
    assert [part["type"] for part in item["parts"]] == [
        *("prose", "table", "prose"),  # where no cell is known, behind the first words
        *("code", "picture", "code", "table", "code"),
    ]
    assert [part.get("caption") for part in item["parts"] if "caption" in part][1:] == [
        "Wait against load",
        "Waits",
    ]
    markup = report.build().read_text()
    assert markup.count('<details class="code"') == 3
    assert "<summary>Code: <code>draw()</code></summary>" in markup
    assert "We find <strong>2</strong>." in markup


def test_a_long_table_shows_its_first_rows_and_where_it_is(project):
    made = draw(project)
    made.table(
        pd.DataFrame(
            {"n": range(100), "f": [0.123456] * 100, "ok": [True] * 100, "t": ["x"] * 100}
        ),
        "Many",
        name="many",
        formats={"f": "{:.1f}"},
    )
    data, _ = tree.tree(results.collect("paper"))
    (part,) = [p for p in data["papers"][1]["items"][0]["parts"] if p.get("caption") == "Many"]
    assert (len(part["rows"]), part["total"]) == (tree.CORNER, 100)
    assert part["rows"][3] == ["3", "0.1", "yes", "x"] and part["right"] == [
        True,
        True,
        False,
        False,
    ]
    markup = report.build().read_text()
    assert "The first 8 of 100 rows" in markup
    assert "<code>figures/heel_and_toe/fig02-many.csv</code>" in markup


def test_a_table_with_too_many_columns_is_turned(project):
    made = draw(project)
    wide = pd.DataFrame([range(14), range(14)], columns=[f"c{k}" for k in range(14)])
    made.table(wide, "wide", name="wide")
    made.table(pd.DataFrame(columns=["a", "b"]), "empty", name="empty")
    data, _ = tree.tree(results.collect("paper"))
    parts = {part.get("caption"): part for part in data["papers"][1]["items"][0]["parts"]}
    assert len(parts["wide"]["head"]) == 3 and parts["wide"]["rows"][12] == ["c13", "13", "13"]
    assert parts["empty"]["head"] == ["a", "b"] and parts["empty"]["rows"] == []


def test_the_page_of_a_notebook_shows_its_pictures_and_tables(project):
    draw(project)
    markup = report.build().read_text()
    assert (
        "<figcaption>Wait against load</figcaption>" in markup
        and 'alt="Wait against load"' in markup
    )
    assert (
        markup.count('<img src="data:image/png') == 2
    )  # the overview's small one, and the figure itself
    assert '<span class="verdict match">✓ match</span>' in markup
    assert "not computed; Invented paper Table 9" in markup
    assert "Not comparable: not computed." in markup
