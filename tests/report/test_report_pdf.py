"""The report as a PDF: the same bytes, text as text, marked where it proves nothing, counts that lead on."""

import io
import json
import re
import shutil
import subprocess
import sys

import pandas as pd
import pikepdf
import pytest
import small_project
import typst

from replication.report import assemble as report
from replication.report import nodes, render, results, texts, tree
from replication.report import pdf as report_pdf
from tests.report.test_report import draw

HOSTILE = (
    '#read("/etc/passwd")',
    "*bold*",
    "$ x^2 $",
    "@pv_easy",
    "]",
    "[",
    "#[",
    "= Heading",
    "<label>",
    "\\",
    "`raw`",
    "_em_",
    "//comment",
    "/* open",
    "#panic()",
    '"',
    "- item",
    "\u202egnp",
    "\u4e2d",
    "\x07",
    "~",
    "--",
    "...",
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    monkeypatch.setattr(texts, "DOCS", tmp_path / "docs")
    return tmp_path


def build(kind="paper", **changes):
    data, pictures = tree.tree(results.collect(kind))
    return report_pdf.build(data | changes, pictures)


def contents(kind="paper"):
    data, pictures = tree.tree(results.collect(kind))
    return report_pdf.contents(data), pictures


def every(node, name):
    """All values under a name, however deep."""
    if isinstance(node, dict):
        yield from ([node[name]] if name in node else [])
        node = list(node.values())
    for part in node if isinstance(node, list) else []:
        yield from every(part, name)


def said(folder, selector):
    """All text within the elements of a kind, as typst understood it."""
    found = json.loads(
        typst.query(folder / "report.typ", selector, root=folder, ignore_system_fonts=True)
    )
    return "\n".join(every(found, "text"))


def laid_out(folder, data, pictures=None):
    """What `build` compiles, in a folder of the test's own."""
    for name in report_pdf.PARTS:
        shutil.copyfile(report_pdf.TEMPLATES / name, folder / name)
    shutil.copyfile(report_pdf.LIBRARY, folder / report_pdf.LIBRARY.name)
    for name, picture in (pictures or {}).items():
        shutil.copyfile(picture, folder / name)
    (folder / "data.json").write_text(json.dumps(nodes.safe(data | {"signs": render.SIGNS})))
    return folder


@pytest.mark.parametrize(
    "scale, folder, mark",
    [("paper", "figures", b""), ("quick", "build/report/quick", b"QUICK SCALE")],
)
def test_it_is_written_beside_the_page(project, monkeypatch, scale, folder, mark):
    asked = {}
    compiled = report_pdf.contents
    monkeypatch.setattr(
        report_pdf, "contents", lambda *given: asked.setdefault("made", compiled(*given))
    )
    draw(project, scale=scale)
    page = report.build()
    assert page.parent == project / folder and (page.parent / "report.pdf").read_bytes().startswith(
        b"%PDF-"
    )
    assert asked["made"]["mark"].encode() == mark and asked["made"]["logs"][0]["name"] == "CTC-SP2"


def test_it_is_a_tagged_pdf_of_its_title_with_words_for_its_pictures(project):
    draw(project)
    pdf = build()
    assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        root = opened.Root
        assert root.MarkInfo.Marked and root.Lang == "en"
        assert any(
            "/Alt" in thing for thing in opened.objects if isinstance(thing, pikepdf.Dictionary)
        )
        assert "/StructTreeRoot" in root
        with opened.open_metadata() as facts:
            assert facts["dc:title"] == texts.TITLE and facts["pdfuaid:part"] == "1"


def test_the_same_results_give_the_same_bytes(project):
    draw(project)
    first = build()
    draw(project)  # its duration differs, its results do not
    assert build() == first


def test_whatever_is_said_is_set_as_text(project, tmp_path):
    words = " ".join(HOSTILE)
    draw(project, prose=f"say: `{words}`", said=[f"`{words}`"])
    data, pictures = contents()
    data["rules"] = [["match", words]]
    data["notices"] = [words]
    data["logs"][0] |= dict.fromkeys(("name", "papers", "cleaning"), words)
    for paper in data["papers"]:
        paper["title"] = words
        for item in paper["items"]:
            item["title"] = item["settings"] = words
        for group in paper["numbers"]["groups"]:
            group["rows"][0]["where"] = words
    folder = laid_out(tmp_path, data, pictures)
    literal = nodes.safe(words)
    assert literal in said(folder, "heading") and literal in said(folder, "outline") + said(
        folder, "figure"
    )
    assert typst.compile(
        folder / "report.typ", root=folder, ignore_system_fonts=True, pdf_standards=["ua-1"]
    )


def test_a_table_of_a_log_is_set_as_text(project, tmp_path):
    rows = [[word, word] for word in HOSTILE]
    data, _ = contents_of_one_table(project, rows)
    text = said(laid_out(tmp_path, data), "figure.where(kind: table)")
    for word in HOSTILE:
        assert nodes.safe(word) in text


def contents_of_one_table(project, rows):
    draw(project)
    data, _ = contents()
    item = data["papers"][1]["items"][0]
    item["body"] = [tree.table("words", ["a", "verdict"], rows)]
    return data, {}


def test_what_the_fonts_lack_or_turns_lines_is_spelt(project):
    text = "a\u202eb\x07\u4e2d\u00e9\u2265 \U0001f600"
    assert nodes.safe(text) == r"a\u{202e}b\u{7}\u{4e2d}é≥ \u{1f600}"
    assert nodes.safe([{"x\0": ("y", 1, None)}]) == [{"x\\u{0}": ["y", 1, None]}]


def test_every_character_that_is_let_through_can_be_drawn(tmp_path):
    known = [c for c in map(chr, range(sys.maxunicode)) if nodes.drawn(c)]
    (tmp_path / "known.json").write_text(json.dumps([*known, *render.SIGNS.values()]))
    setting = re.search(r"#set text\(font: .*", (report_pdf.TEMPLATES / "report.typ").read_text())[
        0
    ]
    (tmp_path / "known.typ").write_text(
        f'#set document(title: "known")\n{setting}\n#for c in json("known.json") [#c ]'
    )
    # A character without a glyph is an error of this standard.
    assert typst.compile(tmp_path / "known.typ", ignore_system_fonts=True, pdf_standards=["ua-1"])


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler's pdftotext")
def test_a_stand_in_is_marked_on_every_page(project, monkeypatch, tmp_path):
    small_project.enter(project, False, monkeypatch.setattr)
    draw(project)
    (tmp_path / "r.pdf").write_bytes(
        build("stand-in", notices=["STAND-IN DATA: generated.", "INCOMPLETE: 1 of 2."])
    )
    done = subprocess.run(
        ["pdftotext", tmp_path / "r.pdf", "-"], capture_output=True, text=True, check=True
    )
    pages = done.stdout.split("\f")
    assert len(pages) > 4 and all("STAND-IN DATA · INCOMPLETE" in page for page in pages if page)


def test_an_unmarked_report_has_no_mark(project):
    draw(project)
    assert contents()[0]["mark"] == ""


def test_counts_lead_to_their_numbers_and_those_to_their_notebook(project, tmp_path):
    draw(project)
    data, pictures = contents()
    paper = data["papers"][1]
    assert dict(paper["counts"])["match"] == 1 and paper["published"] == 4
    rows = [row for group in paper["numbers"]["groups"] for row in group["rows"]]
    assert [row["verdict"] for row in rows] == ["match", "close", "differs", "not comparable"]
    assert {row["to"] for row in rows} == {"heel_and_toe-fig02"} and rows[0]["published"] == "21.37"
    folder = laid_out(tmp_path, data, pictures)
    links = json.loads(
        typst.query(folder / "report.typ", "link", root=folder, ignore_system_fonts=True)
    )
    assert {"<numbers-heel_and_toe>", "<heel_and_toe-fig02>"} <= {
        str(link["dest"]) for link in links
    }


def test_a_comparison_says_why_and_leaves_its_places_to_the_list(project):
    draw(project)
    body = contents()[0]["papers"][1]["items"][0]["body"]
    compared = [node for node in body if "numbers" in node]
    assert len(compared) == 1 and compared[0]["head"][-1] == "verdict" and compared[0]["reasons"]
    assert [node["type"] for node in body] == ["picture", "table", "table"]


def test_markdown_becomes_nodes_and_links_only_where_they_lead():
    title, made = nodes.markdown(
        "# T\n\n#### deep\n\na *b* [c](x.md) [d](y.md) ![e](f.png) <b>g</b> h&amp;i\n\n"
        "1. one\n\n| j | k |\n|---|--:|\n| `l` | 2 |\n\n<div>m</div>\n\n> n",
        1,
        lambda address: "#there" if address == "x.md" else None,
    )
    assert [node["type"] for node in made] == [
        "heading",
        "paragraph",
        "list",
        "table",
        "block_code",
        "block_quote",
    ]
    assert made[0]["level"] == 2 and title == [{"type": "text", "text": "T"}]
    assert [node["to"] for node in made[1]["nodes"] if node["type"] == "link"] == ["there"]
    words = "".join(every(made[1], "text"))
    assert words == "a b c d [e] <b>g</b> h&i"
    assert made[3]["right"] == [False, True] and made[3]["rows"] == [
        [[{"type": "codespan", "text": "l"}], [{"type": "text", "text": "2"}]]
    ]
    assert made[4]["text"] == "<div>m</div>"


def test_what_cannot_be_drawn_is_refused_in_a_line(project, monkeypatch):
    draw(project)
    data, _ = contents()
    data["papers"][1]["items"][0]["body"].append({"type": "film"})
    monkeypatch.setattr(report_pdf, "contents", lambda _: data)
    with pytest.raises(results.ReportError, match="report.pdf: .*no such node: film"):
        build()


def test_a_table_without_rows_or_columns_does_no_harm(project):
    made = draw(project)
    for number, frame in enumerate((pd.DataFrame(columns=["a", "b"]), pd.DataFrame())):
        made.table(frame, "empty", name=f"empty_{number}")
    assert build()


def test_decisions_stand_in_the_pdf_with_links_among_themselves(project, monkeypatch):
    monkeypatch.undo()
    (_, common), *_ = texts.decision_files().items()
    data = report_pdf.contents(tree.tree(results.Results("paper", []))[0])["decisions"]
    assert [text["level"] for text in data] == [1, 2, 2, 2, 2]
    leads = set(every(data[0]["nodes"], "to"))
    assert leads == {text["id"] for text in data[1:]} and common.name == "decisions.md"
