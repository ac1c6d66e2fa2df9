"""A project of a few notebooks in a folder of its own, with invented logs and published numbers.

Tests use it in their own process (`enter` with a monkeypatch); kernels enter it by their first
cell.
"""

import shutil
import subprocess
from pathlib import Path

from replication.report import record
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.workload import Workload

PUBLISHED = """trace,policy,measure,value,unit,source
CTC-SP2,real,wait,21.37,min,Invented paper Table 9
CTC-SP2,perfect,wait,18.0,min,Invented paper Table 9
KTH-SP2-2,real,wait,114,min,Invented paper Table 9
KTH-SP2-2,perfect,wait,90,min,Invented paper Table 9
"""
OURS = [
    {"trace": "CTC-SP2", "policy": "real", "measure": "wait", "value": 21.4, "unit": "min"},
    {"trace": "CTC-SP2", "policy": "perfect", "measure": "wait", "value": 18.7, "unit": "min"},
    {"trace": "KTH-SP2-2", "policy": "real", "measure": "wait", "value": 160.0, "unit": "min"},
]
PAPERS, LOGS = (paths.PUBLISHED / name for name in ("papers.toml", "heel_and_toe/logs.toml"))
HOSTILE = "<script>alert('log')</script>"


def forget():
    """Forget the tables of data that were read, which a test may have changed."""
    paths.toml.cache_clear()


def enter(root, real=True, patch=setattr):
    """Point the package at the folder `root` and give it invented logs, real ones or stand-ins."""
    root = Path(root)
    forget()
    places = {
        "NOTEBOOKS": "notebooks",
        "FIGURES": "figures",
        "BUILD": "build",
        "PUBLISHED": "published",
    }
    for name, place in places.items():
        patch(paths, name, root / place)
    patch(record, "STUDIES", root / "studies")
    published = root / "published" / "heel_and_toe" / "fig02.csv"
    if not published.exists():
        published.parent.mkdir(parents=True)
        published.write_text(PUBLISHED)
        shutil.copy(PAPERS, root / "published")
        shutil.copy(LOGS, published.parent)
    patch(registry, "load", lambda name, paper=None, synthetic=False: workload(name, real, paper))
    patch(registry, "locate", lambda name: root / f"{name}.swf.gz" if real else None)
    patch(registry, "fetch", no_network)


CLAIM = """[doubling-helps]
section = "3, Figs. 2 and 4"
statement = "It helps."
statistic = "change"
operator = ">"
threshold = 0
unit = "%"
number = "3 %"
"""


def claims(root):
    """Write the one claim of the invented paper."""
    (Path(root) / "published/heel_and_toe/claims.toml").write_text(CLAIM)


def no_network(name):
    raise registry.DownloadError("no network in this test")


def workload(name, real=True, paper="heel_and_toe", jobs=6000):
    """Invented jobs under the name of a log."""
    each, known = range(jobs), registry.info(name)
    columns = [60 * k for k in each], [60 + k % 7 for k in each], [1 + k % 3 for k in each]
    return Workload.from_columns(name, registry.cleaning_of(name, paper).machine, *columns).replace(
        stand_in=not real,
        cleaning=(("zero-run-time", known.jobs - jobs), (HOSTILE, 1)),
        provenance={"file": f"/somewhere/{name}.swf.gz", "sha256": registry.info(name).sha256}
        if real
        else {"generator": 1},
    )


def notebook(
    root,
    name,
    code,
    prose="",
    enter_cell=True,
    parameters=None,
    real=True,
    logs='["CTC-SP2"]',
    committed=True,
):
    """Write a notebook: title, parameters, `code` (a list of cells)."""
    import nbformat  # takes two seconds, which kernels can do without

    cell = nbformat.v4.new_code_cell
    tagged = cell(parameters or f'scale = "paper"\nlogs = {logs}\nseed = 1\nworkers = 1')
    tagged.metadata.tags = ["parameters"]
    first = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import small_project; small_project.enter({str(root)!r}, {real})"
    )
    cells = [
        nbformat.v4.new_markdown_cell(f"# Fig. 2: {name} of a test\n\n{prose}"),
        *([cell(first)] if enter_cell else []),
        tagged,
        *map(cell, code),
    ]
    made = nbformat.v4.new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
        },
    )
    path = Path(root) / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(made, path)
    if committed:
        commit(root)
    return path


def commit(root, folder="notebooks"):
    """Commit a folder of the project: the parameters of its notebooks, or its verdicts, count as
    committed then.
    """
    own = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    if not (Path(root) / ".git").exists():
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    for words in (["add", folder], [*own, "commit", "-q", "--allow-empty", "-m", "Add"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)


def publish(page):
    """Move the outputs of a page as the runner of its notebook does, and return their record."""
    return record.read(record.publish(page.name, page.folder), page.name)


def page_cell(name):
    """The cell that makes the page."""
    return (
        "from replication import Page\n"
        f"page = Page({name!r}, scale=scale, logs=logs, seed=seed, workers=workers)"
    )


FIGURE = """from matplotlib.figure import Figure
figure = Figure()
figure.subplots().plot([1, 2, 4])
page.figure(figure, caption="Wait against load")"""
TABLE = """import pandas
page.table(pandas.DataFrame({"log": list(page.workloads), "wait": [1 / 3]}), caption="Mean wait")"""
