"""A project of three notebooks in a folder of its own, with invented logs and published numbers.

Tests use it in their own process (`enter` with a monkeypatch); kernels enter it by their first
cell.
"""

import json
import shutil
import subprocess
from pathlib import Path

import nbformat
import pandas as pd
from matplotlib.figure import Figure

from replication.report import record, rerun, results
from replication.report.page import Page
from replication.report.render import Table
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.workload import Workload
from replication.verdicts import evidence
from replication.verdicts.rules import Case

NAME, CLAIMS, STUDY = "heel_and_toe/fig02", "heel_and_toe/claims", "studies/kept/kept"
PUBLISHED = """trace,policy,measure,value,unit,source
CTC-SP2,real,wait,21.37,min,Invented paper Table 9
CTC-SP2,perfect,wait,18.0,min,Invented paper Table 9
KTH-SP2-2,real,wait,114,min,Invented paper Table 9
KTH-SP2-2,perfect,wait,90,min,Invented paper Table 9
"""
CLAIM = """[doubling-helps]
section = "3, Figs. 2 and 4"
statement = "It helps."
statistic = "change"
operator = ">"
threshold = 0
unit = "%"
number = "3 %"
"""
COMMITTED = {"logs": ["CTC-SP2", "KTH-SP2-2"], "factors": [1, 2], "load": 0.84}
PARAMETERS = """scale = "paper"
seed = 1
workers = 1
logs = ["CTC-SP2", "KTH-SP2-2"]
factors = [1, 2]   # of the estimates
load = 0.84"""
OURS = [
    {"trace": "CTC-SP2", "policy": "real", "measure": "wait", "value": 21.4, "unit": "min"},
    {"trace": "CTC-SP2", "policy": "perfect", "measure": "wait", "value": 18.7, "unit": "min"},
    {"trace": "KTH-SP2-2", "policy": "real", "measure": "wait", "value": 160.0, "unit": "min"},
]
CASES = [Case("CTC-SP2", 1, 0.5, 2), Case("KTH-SP2-2", -1), Case("SDSC-SP2", 3)]
#: From a log, and of a notebook.
HOSTILE = "<script>alert('log')</script>\x1b[31mred\x9b0m"
PROSE = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) ![y](https://example.org/y.png)"
ALL = pd.DataFrame({"mean_wait": [7.0], "rule": [HOSTILE]})
PAPERS, LOGS = (paths.PUBLISHED / name for name in ("papers.toml", "heel_and_toe/logs.toml"))


def forget():
    """Forget the tables of data that were read, which a test may have changed."""
    paths.toml.cache_clear()


def enter(root, real=True, patch=setattr):
    """Point the package at the folder `root` and give it invented logs, real ones or stand-ins."""
    root = Path(root)
    forget()
    places = {"NOTEBOOKS": "notebooks", "FIGURES": "figures", "BUILD": "build"}
    for name, place in (places | {"PUBLISHED": "published"}).items():
        patch(paths, name, root / place)
    patch(record, "STUDIES", root / "studies")
    folder = root / "published" / "heel_and_toe"
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / "fig02.csv").write_text(PUBLISHED)
        (folder / "claims.toml").write_text(CLAIM)
        shutil.copy(PAPERS, root / "published")
        shutil.copy(LOGS, folder)
    patch(registry, "load", lambda name, paper=None, synthetic=False: workload(name, real, paper))
    patch(registry, "locate", lambda name: root / f"{name}.swf.gz" if real else None)
    patch(registry, "fetch", no_network)


def no_network(name):
    raise registry.DownloadError("no network in this test")


def workload(name, real=True, paper="heel_and_toe", jobs=6000):
    """Invented jobs under the name of a log."""
    each, info = range(jobs), registry.info(name)
    columns = [60 * k for k in each], [60 + k % 7 for k in each], [1 + k % 3 for k in each]
    file = {"file": f"/somewhere/{name}.swf.gz", "sha256": info.sha256}
    return Workload.from_columns(name, registry.cleaning_of(name, paper).machine, *columns).replace(
        stand_in=not real,
        cleaning=(("zero-run-time", info.jobs - jobs), (HOSTILE, 1)),
        provenance=file if real else {"generator": 1},
    )


def notebook(root, name, *code, prose="", parameters=PARAMETERS, entered=True):
    """Write a notebook: a title, the cell that enters the project, parameters, cells of code."""
    cell = nbformat.v4.new_code_cell
    tagged = cell(parameters)
    tagged.metadata.tags = ["parameters"]
    first = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import small_project; small_project.enter({str(root)!r})"
    )
    title = nbformat.v4.new_markdown_cell(f"# Fig. 2: {name} of a test\n\n{prose}")
    content = nbformat.v4.new_notebook(
        cells=[title, *([cell(first)] if entered else []), tagged, *map(cell, code)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    path = record.source(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(content, path)
    return path


def commit(root):
    """Commit the notebooks and results of the project."""
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "gc.auto=0"]
    if not (Path(root) / ".git").exists():
        subprocess.run(["git", "init", "-q", "--template=", str(root)], check=True)
    folders = [
        folder for folder in ("notebooks", "studies", "figures") if (Path(root) / folder).exists()
    ]
    for arguments in (["add", *folders], [*identity, "commit", "-q", "--allow-empty", "-m", "Add"]):
        subprocess.run(["git", "-C", str(root), *arguments], check=True)


def page(name=NAME, **changes):
    """A page under the committed parameters but for some changes."""
    return Page(name, **COMMITTED | changes)


def draw(ours=OURS, name=NAME, **changes):
    """Return the page of an item after its notebook has run."""
    drawn = page(name, **changes)
    rows = [row for row in ours if row["trace"] in drawn.logs]
    drawn.figure(plot(), "Wait against load")
    drawn.table(pd.DataFrame(rows)[["trace", "policy", "value", "unit"]], "Waits")
    drawn.table(ALL, "Of all logs", name="all")
    drawn.table(pd.DataFrame(), "Empty", name="empty")
    drawn.compare(rows, item="fig02")
    ends = rows[0]["value"], rows[-1]["value"]
    drawn.opening("We wait {ours} min.", {"ours": "min"}, ours=rows[-1]["value"], ends=ends)
    return drawn


def decide(cases=CASES, name=CLAIMS):
    """Return the page of claims after its notebook has run."""
    drawn = page(name)
    drawn.claims({"doubling_helps": lambda: cases})
    return drawn


def plain(name=STUDY, **more):
    """Return the page of one table after its notebook has run."""
    drawn = page(name, **more)
    drawn.table(ALL, "Of all logs")
    return drawn


def plot():
    """A figure."""
    figure = Figure(figsize=(4, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot([1, 2, 3], [1, 4, 2])
    axes.set_title("Wait $f$")
    return figure


def publish(drawn):
    """Copy the outputs of a page as the runner of its notebook does, and return their record."""
    shown = nbformat.v4.new_output("display_data", {"text/html": Table(ALL, "")._repr_html_()})
    cells = [nbformat.v4.new_markdown_cell(PROSE), nbformat.v4.new_code_cell("1", outputs=[shown])]
    executed = nbformat.v4.new_notebook(cells=cells)
    executed.nbformat_minor = 4
    for cell in executed.cells:
        del cell["id"]  # which is random
    nbformat.write(executed, drawn.folder / f"{drawn.item}.ipynb")
    return record.read(record.publish(drawn.name, drawn.folder), drawn.name)


def answer(name=NAME):
    """Return the answer of the last run of an item."""
    folder = record.running(name)
    facts = json.loads((folder / name.rpartition("/")[2]).with_suffix(".json").read_text())
    return rerun.answer(facts, folder)


def statements():
    """Return all statements with the recorded evidence."""
    return results.collect("paper").every("statements")


def save_verdicts():
    """Write the verdicts that follow from the records, as a complete report does."""
    for file, content in evidence.files(statements()).items():
        file.write_bytes(content)


def build(root):
    """Write the notebooks, draw their results, and commit both."""
    notebook(root, NAME, "1")
    notebook(root, CLAIMS, "page.claims(claims)")
    notebook(root, STUDY, "1", prose="Figs. 1 to 3 are repeated.")
    commit(root)
    for drawn in (draw(), decide(), plain(paper="heel_and_toe")):
        publish(drawn)
    save_verdicts()
    commit(root)
