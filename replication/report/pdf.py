"""The report as a PDF: title page with the scoreboard, contents, every item, and the lists behind the counts.

Everything goes to the template as data in a file; it sets text as text, so nothing in a log, a notebook or a
document can become markup. Code is left to the page. The same results give the same bytes. The PDF is tagged
(PDF/UA-1).
"""

import io
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pikepdf
import typst
from pikepdf import Array, Name, String

from replication.report import nodes, record, render, texts
from replication.report.results import ReportError
from replication.simulator import paths

TEMPLATES = Path(__file__).parent / "templates"
LIBRARY = paths.ARTICLE / "references.bib"
PARTS = ("article.typ", "report.typ", "page.typ", "nodes.typ")


def build(data, pictures):
    """Make the PDF, as bytes, of what `replication.report.tree.tree` gives. The first words of its
    notices, up to a colon, stand on every page; ReportError if the template cannot draw it.
    """
    return _drawn("report.typ", contents(data), pictures)


def article(made):
    """Make the article's PDF, as bytes, of what `replication.report.article.build` gives."""
    # A citation leads to its entry; what stands in the supplement is no link here.
    link = lambda address: address if address.startswith(("#cited-", "http")) else None  # noqa: E731
    abstract, body = (nodes.markdown(made[name], 0, link, True)[1] for name in ("abstract", "text"))
    pictures = {}
    for node in body:
        if node["type"] == "figure":
            path = record.folder("paper") / node["file"]
            node["file"] = node["file"].replace("/", "-")
            pictures[node["file"]] = path
    return _drawn("article.typ", made | {"abstract": abstract, "body": body}, pictures)


def page(title, notices, parts, pictures):
    """A document of its own, as bytes; see `replication.report.html.page`."""
    data = {"title": title, "notices": notices, "body": _body(parts, 0, str)}
    return _drawn("page.typ", data, pictures)


def _body(parts, level, link):
    """Parts of the tree with their prose as nodes, and no code."""
    body = []
    for part in parts:
        if part["type"] == "prose":
            body += nodes.markdown(part["source"], level, link)[1]
        elif part["type"] != "code":
            body.append(part)
    return body


def _drawn(template, data, pictures):
    """A template with its data, as PDF."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in PARTS:
            shutil.copyfile(TEMPLATES / name, folder / name)
        shutil.copyfile(LIBRARY, folder / LIBRARY.name)
        for name, picture in pictures.items():
            shutil.copyfile(picture, folder / name)
        made = nodes.safe(data | {"signs": render.SIGNS})
        (folder / "data.json").write_text(json.dumps(made), encoding="utf-8")
        # Fonts of this machine and the date are left out, for the same bytes everywhere.
        try:
            pdf = typst.compile(
                folder / template,
                root=folder,
                ignore_system_fonts=True,
                timestamp=0,
                pdf_standards=["ua-1"],
            )
        except typst.TypstError as error:
            name = template.replace("typ", "pdf")
            raise ReportError(f"{name}: {error.message}") from error
    return lean(pdf)


def lean(pdf):
    """The same PDF smaller: typst writes pictures in full colour, and each small object by itself."""
    buffer = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for thing in document.objects:
            if isinstance(thing, pikepdf.Stream) and thing.get("/Subtype") == "/Image":
                _in_palette(thing)
        document.save(
            buffer, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True
        )
    return buffer.getvalue()


def _in_palette(image):
    """Keep a picture of up to 256 colours as their numbers; others stay as they are."""
    data = image.read_bytes()
    if len(data) != 3 * image.Width * image.Height:
        return
    colour = np.frombuffer(data, np.uint8).reshape(-1, 3) @ np.array([1 << 16, 1 << 8, 1])
    number, palette = pd.factorize(colour, sort=True)
    if len(palette) > 256:
        return
    image.write(number.astype(np.uint8).tobytes())
    shades = (palette[:, None] >> np.array([16, 8, 0])).astype(np.uint8)
    image.ColorSpace = Array(
        [Name.Indexed, image.ColorSpace, len(palette) - 1, String(shades.tobytes())]
    )


def contents(data):
    """The tree as the template takes it: Markdown as nodes, text as it is, and no code."""
    names = [item["name"] for paper in data["papers"] for item in paper["items"]]
    papers = [
        paper | {"items": [_item(item, names) for item in paper["items"]]}
        for paper in data["papers"]
    ]
    decisions = []
    for number, text in enumerate(data["decisions"]):
        level, link = 2 if number else 1, texts.links(Path(text["folder"]), names)
        title, body = nodes.markdown(text["source"], level, link)
        decisions.append({"id": text["id"], "level": level, "title": title, "nodes": body})
    return data | {
        "papers": papers,
        "decisions": decisions,
        "names": nodes.markdown(data["names"], 1, lambda _: None)[1],
        "mark": " · ".join(words.split(":")[0] for words in data["notices"]),
    }


def _item(item, names):
    link = texts.links((paths.NOTEBOOKS / item["name"]).parent, names)
    parts = [{"type": "prose", "source": item["opening"]}, *item["parts"]]
    return {key: value for key, value in item.items() if key != "parts"} | {
        "body": _body(parts, 2, link)
    }
