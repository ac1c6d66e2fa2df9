"""The report: complete or marked as incomplete, safe to open, and the same from the
same results.
"""

import json
import re
from html.parser import HTMLParser

import nbformat
import pandas as pd
import pytest
import small_project
from matplotlib.figure import Figure
from small_project import OURS

from replication.report import assemble, page, record, render, results
from replication.report.results import ReportError
from replication.simulator import paths
from replication.verdicts import evidence, rules

NAME = "heel_and_toe/fig02"


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    return tmp_path


def draw(root, name=NAME, scale="paper", ours=OURS, prose=""):
    """Draw an item as its notebook does."""
    small_project.notebook(root, name, ["a = 1", "draw()"], prose, logs='["CTC-SP2", "KTH-SP2-2"]')
    made = page.Page(name, scale=scale, logs=["CTC-SP2", "KTH-SP2-2"])
    figure = Figure(figsize=(4, 3))
    figure.subplots().plot([1, 2, 4])
    made.figure(figure, "Wait against load")
    table = {"mean_wait": [1.5], "log": [small_project.HOSTILE]}
    table = made.table(pd.DataFrame(table), "Waits")
    made.compare(ours, item="fig02")
    cell = nbformat.v4.new_code_cell("draw()")
    data = {"text/html": table._repr_html_()}
    cell.outputs = [nbformat.v4.new_output("display_data", data)]
    text = nbformat.v4.new_markdown_cell(f"# Title\n\n{prose}")
    notebook = nbformat.v4.new_notebook(cells=[text, cell])
    nbformat.write(notebook, made.folder / f"{made.item}.ipynb")
    small_project.publish(made)
    return made


def test_complete_report_of_real_logs_goes_to_figures(project):
    draw(project)
    target = assemble.build()
    assert target == project / "figures/report.html"
    assert (project / "figures/verdicts.csv").exists()
    assert (project / "figures/sensitivity.csv").exists()
    first = target.read_bytes()
    draw(project)
    assert assemble.build().read_bytes() == first


@pytest.mark.parametrize(("scale", "real"), [("paper", False), ("quick", True)])
def test_other_reports_go_to_build_with_a_notice(project, monkeypatch, scale, real):
    small_project.enter(project, real, monkeypatch.setattr)
    draw(project, scale=scale)
    target = assemble.build()
    kind = "quick" if real else "stand-in"
    assert target == project / f"build/report/{kind}/report.html"
    assert {"quick": "No verdict: quick scale", "stand-in": "No verdict where jobs are synthetic"}[
        kind
    ] in target.read_text()
    assert not (project / "figures").exists()


def test_incomplete_report_leaves_the_complete_one_unchanged(project):
    draw(project)
    complete = assemble.build().read_bytes()
    small_project.notebook(project, "heel_and_toe/fig03", [])
    target = assemble.build()
    assert "INCOMPLETE: 1 of 2 notebooks. not drawn yet: heel_and_toe/fig03" in target.read_text()
    assert (project / "figures/report.html").read_bytes() == complete


def test_no_output_is_an_error(project):
    with pytest.raises(ReportError, match="make figures"):
        assemble.build()


def test_an_item_that_has_lost_a_file_counts_as_missing(project):
    draw(project)
    (project / "figures/heel_and_toe/fig02.png").unlink()
    assert results.collect("paper").missing == {NAME: "without fig02.png"}


def test_an_item_shows_its_table_and_its_largest_differences(project):
    draw(project)
    markup = assemble.build(standalone=True).read_text()
    assert "2 of 3 numbers near or better, median difference 3.9 %" in markup
    assert "Largest: Wait, KTH-SP2-2 real: 114 → 160 min (+40.4 %)" in markup
    assert "partly reproduced" in markup
    assert ">Mean wait [s]<" in markup  # the table of the notebook
    assert ">Ours<" in markup and ">Ours, " not in markup


def test_a_compact_table_has_logs_as_columns_and_a_place_for_each_number(project):
    draw(project)
    markup = assemble.build().read_text()
    table = markup.partition('<table class="compact">')[2].partition("</table>")[0]
    assert re.findall("colspan.*?>(.*?)<", table) == ["CTC-SP2", "KTH-SP2-2"]
    rows = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in table.split("<tr>")[3:]]
    cells = [[re.sub("<[^>]*>", "", cell) for cell in row] for row in rows]
    assert cells == [
        ["real: Wait [min]", "21.37", "21.40 ✓", "114", "160 ✗"],
        ["perfect: Wait [min]", "18.0", "18.70 ≈", "90", "– –"],
    ]
    places = re.findall(' id="(number:.*?)"', table)
    assert len(places) == 4
    assert "numbers of the paper and ours" not in markup  # all are in this table


def test_a_claim_names_its_failing_cases_and_an_item_its_claims_and_studies(project):
    small_project.claims(project)
    draw(project)
    study = "studies/kept/kept"
    path = small_project.notebook(project, study, [], "Figs. 1 to 3 are repeated. See Table II.")
    record.source(study).parent.mkdir(parents=True)
    path.rename(record.source(study))
    small_project.commit(project, "studies")
    small_project.notebook(project, "heel_and_toe/claims", ["page.claims(claims)"])
    made = page.Page("heel_and_toe/claims", logs=["CTC-SP2"])
    cases = [rules.Case("CTC-SP2 wait", 1), rules.Case("SDSC-SP2 wait", -1)]
    made.claims({"doubling_helps": lambda: cases})
    own = page.Page(study, logs=["CTC-SP2"], paper="heel_and_toe")
    own.table(pd.DataFrame({"a": [1]}), "One number")
    for one in (made, own):
        small_project.publish(one)
    markup = assemble.build().read_text()
    card = markup.partition('id="heel_and_toe-fig02"')[2].partition('id="heel_and_toe-claims"')[0]
    assert ">1 of 2</span>" in card and 'href="#claim:heel_and_toe:doubling-helps"' in card
    (claim,) = re.findall('<li class="row" id="claim:.*?</details>', markup, re.DOTALL)
    assert "Change: expected above 0\N{NO-BREAK SPACE}%, in every case." in claim
    assert "<li>SDSC-SP2 wait -1\N{NO-BREAK SPACE}%: against</li>" in claim
    assert 'See also: <a href="#studies-kept-kept">' in card
    for text in (markup, assemble.build(standalone=True).read_text()):
        assert 'Decided by <a href="#heel_and_toe-claims:doubling-helps">' in text
        _, cell = text.split('id="heel_and_toe-claims:doubling-helps"')
        assert "SDSC-SP2 wait -1\N{NO-BREAK SPACE}%: against" in cell.partition("</div>")[0]
    assert 'claims.toml" title="line 1">its rule</a>' in markup
    assert 'heel_and_toe/claims.evidence.csv" title="rows 2 to 3">its cases</a>' in markup


def test_texts_name_tables_and_figures():
    text = "Figs. 3 to 5 and 11, Table I; Fig. 2, Tables 1, 2 and 4. Figure, Fig. x"
    assert assemble.named(text) == {
        "fig2",
        "fig3",
        "fig4",
        "fig5",
        "fig11",
        "table1",
        "table2",
        "table4",
    }


def test_wide_tables_of_articles_have_labels_in_their_cells():
    def table(columns):
        row = "<td>1</td>" * columns
        head = "".join(f"<th>h<em>{k}</em></th>" for k in range(columns))
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody><tr>{row}</tr></tbody></table>"

    made = assemble._article("a", f"Summary<h2>b</h2>{table(4)}{table(5)}")["rest"]
    narrow, wide = re.findall("<table.*?</table>", made, re.DOTALL)
    assert narrow == table(4)
    assert wide.startswith('<table class="stacked">')
    assert re.findall("<td.*?>", wide) == [
        "<td>",
        *(f'<td data-label="h{k}">' for k in (1, 2, 3, 4)),
    ]


CLAIM = """
[{}]
section = "5.2"
statement = "It is said of {}."
statistic = "number"
operator = ">"
threshold = 0
unit = "jobs"
baseline = "EASY"
"""


def test_a_claim_on_a_baseline_is_listed_with_the_cases_that_decide(project):
    (folder := project / "published/pv_easy").mkdir()
    names = ("differs", "agrees")
    (folder / "claims.toml").write_text("".join(CLAIM.format(name, name) for name in names))
    small_project.notebook(project, "pv_easy/claims", [])
    made = page.Page("pv_easy/claims", logs=["CTC-SP2"])
    functions = {name: lambda value: [rules.Case("CTC-SP2", value)] for name in names}
    variants = {"until start": {"value": 2}, "until due": {"value": 3}}
    away = {"until start": 13.2, "until due": 15.5}
    made.claims(functions, ["agrees"], variants, away, value=-1)
    made.claims(functions, ["differs"], variants | {"until due": {"value": -3}}, away, value=1)
    small_project.publish(made)
    assert [one.verdict for one in results.collect("paper").every("claims")] == ["open", "holds"]

    markup = assemble.build().read_text()
    listed = markup.partition('id="claims-pv_easy"')[2].partition("</section>")[0]
    rows = re.findall('<li class="row".*?</details>', listed, re.DOTALL)
    verdicts = [re.findall('class="verdict ([a-z-]+)"', row) for row in rows]
    assert verdicts == [["open"], ["holds"]]
    assert "0 to 1 of 1 under 2 simulators near the tables" in rows[0]
    assert "CTC-SP2 -3 to 2 jobs" in rows[0]


def test_names_of_columns_for_readers():
    assert render.name_of("backfilled_increase_max") == "Backfilled increase max"
    assert render.name_of("e_max_share_max") == "E_max share max"
    assert render.name_of("mean_si") == "Mean SI"
    assert render.name_of("f=0.5") == "f=0.5"  # F is another quantity


class Page(HTMLParser):
    """Collects what a browser would load or run."""

    def __init__(self):
        super().__init__()
        self.found, self.ids, self.links = [], [], []

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


def test_nothing_active_or_remote_gets_into_the_page(project):
    draw(
        project,
        prose="<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://example.org/y.png)",
    )
    facts = record.read("paper", NAME)
    assert small_project.HOSTILE in json.dumps(facts["provenance"]["logs"])
    facts["summary"] = "\x1b[31mred\x9b0m"
    record.save((project / f"figures/{NAME}").parent, NAME, facts)
    markup = assemble.build(standalone=True).read_text()
    assert "[31mred0m" in markup and not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", markup)
    parsed = Page()
    parsed.feed(markup)
    assert parsed.found == ["script"]
    assert "javascript:" not in markup
    assert "default-src 'none'; img-src data:;" in markup
    assert len(parsed.ids) == len(set(parsed.ids))
    places = {f"#{place}" for place in parsed.ids}
    assert {link for link in parsed.links if link.startswith("#")} <= places


def test_the_report_shows_the_files_beside_it_and_alone_holds_them(project):
    draw(project)
    target = assemble.build()
    folder, markup = target.parent, target.read_text()
    beside = re.findall(r'(?:src|href)="([^"#:]+)"', markup)
    assert {"heel_and_toe/fig02.png", "heel_and_toe/fig02.ipynb"} <= set(beside)
    assert all((folder / name).is_file() for name in beside)
    alone = assemble.build(standalone=True)
    assert alone == project / "build/report/standalone/report.html"
    text = alone.read_text()
    assert text.count("data:image/png;base64,") == 2 and "img-src data:;" in text
    assert not re.findall(r'(?:src|href)="([^"#:]+)"', text)
    assert "draw()" in re.sub("<.*?>", "", text)
    assert "file:" not in text and target.read_text() == markup


def test_every_claim_leads_to_the_cell_that_decides_it_its_rule_and_its_cases():
    recorded = results.collect("paper")
    markup = assemble.page(
        recorded, pd.DataFrame({"threshold": ["always"]}), {}, paths.FIGURES
    ).decode()
    parsed = Page()
    parsed.feed(markup)
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {link[1:] for link in parsed.links if link.startswith("#")} <= {*parsed.ids}
    decided = re.findall(
        'Decided by <a href="#(.*?)">.*?<a href="(.*?)" title=".*?<a href="(.*?)" title="', markup
    )
    assert len(decided) == len(recorded.every("claims")) and {one[0] for one in decided} <= {
        *parsed.ids
    }
    files = {link for link in parsed.links if not link.startswith(("#", "https:", "http:"))}
    assert {*[file for one in decided for file in one[1:]]} <= files
    assert all((paths.FIGURES / file).exists() for file in files)
    places = {evidence.place(*one.name) for one in recorded.every("numbers")}
    assert places <= {*parsed.ids}


def test_the_committed_report_is_small_and_names_no_commit_and_no_place(project):
    text = (paths.ROOT / "figures/report.html").read_text(encoding="utf-8")
    assert len(text.encode()) < 1_000_000 and "data:image/png" not in text
    assert "swh:1:" not in text and "/tmp/" not in text and str(paths.ROOT) not in text
