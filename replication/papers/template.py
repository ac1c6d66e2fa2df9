"""The files of a new paper: a table of one number, its row count, a claim and a notebook, all to be replaced."""

import re
from pathlib import Path

import nbformat

from replication.papers.published import EvidenceError
from replication.simulator import paths

VALUES = """trace,policy,measure,value,unit,source
CTC-SP2,EASY,backfilled,1,jobs,Table 1
"""
ROWS = """# How many numbers each table of the paper prints, counted in the paper; a test compares the CSV files with it.
table1 = 1
"""
CLAIMS = """# A rule is committed before its result is known; docs/verdicts.md describes the fields.
[some-are-backfilled]
section = "Table 1"
statement = "Some jobs are backfilled."
statistic = "backfilled jobs"
operator = ">"
threshold = 0
unit = "jobs"
select = { table = "ours", measure = "backfilled" }
"""
CELLS = (
    """import replication as rp

page = rp.Page("{name}/table1", scale=scale, logs=logs, seed=seed, workers=workers)
schedules = {{log: rp.simulate(jobs, seed=seed) for log, jobs in page.workloads.items()}}""",
    """ours = [
    {{"trace": log, "policy": "EASY", "measure": "backfilled", "unit": "jobs", "value": int(one.backfilled.sum())}}
    for log, one in schedules.items()
]
page.compare(ours)""",
    """import pandas as pd

page.claims(ours=pd.DataFrame(ours))""",
    """page.opening("EASY backfills **{{jobs:,}}** jobs.", jobs=ours[0]["value"])""",
)
PARAMETERS = """scale = "paper"   # or "quick": the first jobs of each log
logs = ["CTC-SP2"]   # names, or paths of SWF files of your own
seed = 1
workers = 1"""


def write(name, title) -> list[Path]:
    """Write the files of a new paper.

    Parameters
    ----------
    name : str
        Of its folders: lower-case letters, digits and _.
    title : str

    Returns
    -------
    list of pathlib.Path
        The files, the registry of the papers included.

    Raises
    ------
    EvidenceError
        For a name or a title that cannot be used, and for a paper that exists.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise EvidenceError(f"paper {name!r}; expected lower-case letters, digits and _")
    if not title.strip() or not title.isprintable() or '"' in title or "\\" in title:
        raise EvidenceError(f"title {title!r}; expected words on one line, without quotation marks")
    folders = paths.PUBLISHED / name, paths.NOTEBOOKS / name
    if any(folder.exists() for folder in folders):
        raise EvidenceError(f"paper {name!r} exists already; expected a new name")
    texts = {
        folders[0] / "table1.csv": VALUES,
        folders[0] / "rows.toml": ROWS,
        folders[0] / "claims.toml": CLAIMS,
        folders[1] / "table1.ipynb": nbformat.writes(_notebook(name, title)) + "\n",
    }
    for folder in folders:
        folder.mkdir()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    registry = paths.PUBLISHED / "papers.toml"
    with registry.open("a", encoding="utf-8") as file:
        file.write(f'\n[{name}]\nname = "{title.split(":")[0]}"\ntitle = "{title}"\n')
    return [*texts, registry]


def _notebook(name, title):
    cell = nbformat.v4.new_code_cell
    tagged = cell(PARAMETERS, metadata={"tags": ["parameters"]})
    about = f"# {title.split(':')[0]}, Table 1: backfilled jobs\n\nThe number of jobs that EASY backfills."
    cells = [nbformat.v4.new_markdown_cell(about), tagged]
    cells += [cell(code.format(name=name)) for code in CELLS]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
