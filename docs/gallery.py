"""Write one page for each table and figure: the notebook with its committed outputs, and its verdicts."""

import base64
import html
import json
import shutil
from collections import Counter
from pathlib import Path

import nbformat
import pandas as pd

ROOT = Path(__file__).parents[1]
TITLES = {
    "pv_easy": "PV-EASY (HPDC 2010)",
    "heel_and_toe": "Heel and toe (IISWC 2006)",
    "top_percent": "Top Percent (HPEC 2020)",
    "beyond": "Beyond the papers",
}
ROWS = 12  # of a table that are shown


def write(folder):
    """Write the pages of all items and their index below `folder`, replacing what it held."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    index = [
        "# Gallery",
        "",
        "Every table and figure, from the committed outputs in `figures/`.",
        "",
    ]
    for paper, title in TITLES.items():
        index += [f"## {title}", "", "| | item | verdicts |", "|---|---|---|"]
        names = []
        for path in sorted((ROOT / "figures" / paper).glob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            name = f"{paper}-{path.stem}"
            nbformat.write(page(paper, path.stem, record), folder / f"{name}.ipynb")
            picture = next((f for f in record["files"] if f.endswith(".png")), None)
            if picture:
                shutil.copy(ROOT / "figures" / paper / picture, folder / f"{name}.png")
            image = f'<img src="{name}.png" alt="" width="220">' if picture else ""
            index.append(f"| {image} | [{record['title']}]({name}.ipynb) | {badges(record)} |")
            names.append(name)
        index += ["", "```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")


def badges(record):
    """Return the counts of an item's verdicts as text, such as ``3 match, 1 near``."""
    decided = [*record["comparisons"], *record["claims"].values()]
    counts = Counter(row["verdict"] for row in decided)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "none"


def page(paper, item, record):
    """Return an item's notebook with the committed pictures and tables as outputs of its cells."""
    notebook = nbformat.read(ROOT / f"notebooks/{paper}/{item}.ipynb", as_version=4)
    folder = ROOT / "figures" / paper
    for name, facts in record["files"].items():
        if "cell" in facts:
            notebook.cells[facts["cell"]].outputs.append(output(folder / name, facts["caption"]))
    source = f"`notebooks/{paper}/{item}.ipynb`"
    summary = f"{record['summary']}\n\nVerdicts: {badges(record)}. Source: {source}."
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(summary))
    for cell in notebook.cells:
        cell.pop("id", None)  # ids of new cells are random
    return notebook


def number(value):
    """Return a number as text with about four significant digits, without an exponent."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def output(path, caption):
    """Return a committed PNG or CSV file as the output of a notebook cell."""
    if path.suffix == ".png":
        data = {"image/png": base64.b64encode(path.read_bytes()).decode(), "text/plain": caption}
    else:
        table = pd.read_csv(path).drop(columns=["item", "source", "answers"], errors="ignore")
        shown = table.head(ROWS).to_html(index=False, na_rep="", border=0, float_format=number)
        rest = f" First {ROWS} of {len(table)} rows." if len(table) > ROWS else ""
        data = {"text/html": f"<p>{html.escape(caption)}.{rest}</p>{shown}", "text/plain": caption}
    return nbformat.v4.new_output("display_data", data)
