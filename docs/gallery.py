"""Write one page for each table and figure: its executed notebook from ``figures/``, and its verdicts."""

import html
import json
import shutil
import tomllib
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
VERDICTS = ROOT / "replication" / "report" / "templates" / "verdicts.toml"
TITLES = {
    "pv_easy": "PV-EASY (HPDC 2010)",
    "heel_and_toe": "Heel and toe (IISWC 2006)",
    "top_percent": "Top Percent (CLUSTER 2021)",
    "together": "The papers together",
}


def write(folder):
    """Write the pages of all items and their index below `folder`, replacing what it held."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    index = [
        "# Gallery",
        "",
        "Every table and figure as an executed notebook, from `figures/`.",
        "",
    ]
    for paper, title in (TITLES | studies()).items():
        index += [f"## {title}", "", "| picture | item | verdicts |", "|---|---|---|"]
        names = []
        for path in sorted((ROOT / "figures" / paper).glob("*.ipynb")):
            record = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            name = f"{paper.replace('/', '-')}-{path.stem}"
            nbformat.write(page(paper, path.stem, record), folder / f"{name}.ipynb")
            picture = next((f for f in record["files"] if f.endswith(".png")), None)
            if picture:
                shutil.copy(ROOT / "figures" / paper / picture, folder / f"{name}.png")
            image = ""
            if picture:
                caption = html.escape(record["files"][picture]["caption"])
                image = f'<img src="{name}.png" alt="{caption}" width="220">'
            index.append(f"| {image} | [{record['title']}]({name}.ipynb) | {badges(record)} |")
            names.append(name)
        index += ["", "```{toctree}", ":hidden:", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")


def studies():
    """Return the title of each study by its folder in ``figures/``."""
    names = sorted(path.name for path in (ROOT / "figures" / "studies").iterdir() if path.is_dir())
    return {f"studies/{name}": f"Study: {name.replace('_', ' ')}" for name in names}


def badges(record):
    """Return the counts of an item's verdicts as text, best first, such as ``3 match, 1 near``."""
    decided = [*record["comparisons"], *record["claims"].values()]
    given = [row["verdict"] for row in decided]
    order = tomllib.loads(VERDICTS.read_text(encoding="utf-8"))
    counts = [f"{given.count(word)} {word}" for word in order if word in given]
    return ", ".join(counts) or "none"


def page(paper, item, record):
    """Return the executed notebook of an item with its verdicts under the heading."""
    notebook = nbformat.read(ROOT / f"figures/{paper}/{item}.ipynb", as_version=4)
    for one in notebook.cells:
        outputs = [out for out in one.get("outputs", []) if "image/png" in out.get("data", {})]
        captions = [out.metadata["image/png"]["alt"] for out in outputs]
        if captions:
            one.metadata["mystnb"] = {"image": {"alt": "; ".join(captions)}}
    folder = paper if paper.startswith("studies/") else f"notebooks/{paper}"
    source = f"`{folder}/{item}.ipynb`"
    words = f"Verdicts: {badges(record)}. Source: {source}. [All items](index.md)"
    cell = nbformat.v4.new_markdown_cell(words)
    del cell["id"]  # it is random
    notebook.cells.insert(1, cell)
    return notebook
