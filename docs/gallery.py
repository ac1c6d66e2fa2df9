"""Write one page for each table and figure: its executed notebook from ``figures/``, and its
verdict as in the report.
"""

import html
import re
import shutil
from functools import partial
from pathlib import Path

import nbformat

from replication.report import assemble, render, results

LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")


def write(folder, built):
    """Write the pages of all items and their index below `folder`, replacing what it held.

    The pictures of the cards go to `built`, the folder of the built index.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    built.mkdir(parents=True, exist_ok=True)
    index = [
        "# Gallery",
        "",
        "Every table and figure as an executed notebook, from `figures/`.",
        "",
    ]
    recorded = results.collect("paper")
    for paper in (*recorded.papers, *recorded.studies):
        index += [f"## {paper.title}", "", '<div class="cards">']
        items = paper.in_order
        for item in items:
            verdict, sentence = assemble.verdict_of(item, paper)
            nbformat.write(page(item, verdict, sentence), folder / f"{item.id}.ipynb")
            index.append(card(item, verdict, built))
        names = [item.id for item in items]
        index += ["</div>", "", "```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")


def card(item, verdict, built):
    """Return the link to an item with its first picture, which is copied to `built`, and its
    verdict.
    """
    files = item.facts["files"]
    pictures = [name for name, about in files.items() if about["role"] == "figure"]
    image = ""
    if pictures:
        shutil.copy(item.folder / pictures[0], built / f"{item.id}.png")
        caption = html.escape(files[pictures[0]]["caption"])
        image = f'<img src="{item.id}.png" alt="{caption}" loading="lazy">'
    badge = f'<span class="verdict {render.slug(verdict)}">{verdict}</span>'
    title = html.escape(item.title)
    return f'<a class="card" href="{item.id}.html">{image}<span>{title}</span>{badge}</a>'


def is_on_site(address, folder):
    """Return whether a link from a page in `folder` leads to the web, within the page or to the
    documentation.
    """
    path = address.partition("#")[0]
    is_page = Path(__file__).parent in (folder / path).resolve().parents
    return not path or "://" in path or is_page


def _link(match, folder):
    """Return a link of a notebook; the words of one to a file that the site does not have."""
    return match[0] if is_on_site(match[2], folder) else match[1]


def page(item, verdict, sentence):
    """Return the executed notebook of an item with its verdict under the heading."""
    notebook = nbformat.read(item.folder / item.source.name, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(partial(_link, folder=item.source.parent), cell.source)
        outputs = [out for out in cell.get("outputs", []) if "image/png" in out.get("data", {})]
        captions = [out.metadata["image/png"]["alt"] for out in outputs]
        if captions:
            cell.metadata["mystnb"] = {"image": {"alt": "; ".join(captions)}}
    text = f"**{verdict}**: {sentence}. Source: `{item.path}`. [All items](index.md)"
    cell = nbformat.v4.new_markdown_cell(text)
    del cell["id"]  # it is random
    notebook.cells.insert(1, cell)
    return notebook
