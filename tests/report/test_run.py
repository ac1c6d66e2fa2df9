"""The runner of notebooks: choices, parameters, failures, and what becomes of the outputs."""

import base64
import json
import re

import pytest
import small_project
from small_project import NAME

from replication.report import record, results, run
from replication.simulator import paths

OTHER, LAST = "heel_and_toe/fig03", "together/numbers"
DRAW = "made = small_project.draw(name={!r})"
CHANGED = f"small_project.OURS[0]['value'] = 50.0\n{DRAW.format(NAME)}"
SHOWN = "made.figure(small_project.plot(), 'Wait against load')"
WARNING = "import sys; print('warn' + 'ing', file=sys.stderr)"


@pytest.fixture
def kernels(project, monkeypatch):
    """The small project, which kernels can import the package for."""
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    return project


def test_notebooks_in_natural_order_and_their_parameters(project):
    for name in ("heel_and_toe/fig10", "pv_easy/table3", "other/fig01"):
        small_project.notebook(project, name)
    ours = ["heel_and_toe/claims", NAME, "heel_and_toe/fig10"]
    assert list(results.notebooks()) == ["pv_easy/table3", *ours]
    assert list(run.choose(f"{NAME} pv_easy")) == [NAME, "pv_easy/table3"]
    assert list(run.choose("kept", of_studies=True)) == [small_project.STUDY]
    assert run.plan(run.choose(NAME), settings={"scale": "quick"})[NAME]["scale"] == "quick"


def test_a_run_says_what_differs_and_writes_pages_that_need_no_network(kernels, capsys):
    """Of three notebooks one gives the committed results, one another number, and one is new."""
    (kernels / "notebooks/heel_and_toe/claims.ipynb").unlink()
    small_project.notebook(kernels, LAST, f"small_project.plain({LAST!r})")
    small_project.notebook(kernels, OTHER, DRAW.format(OTHER))
    small_project.notebook(kernels, NAME, WARNING, CHANGED, SHOWN)
    small_project.commit(kernels)
    small_project.publish(small_project.plain(LAST))
    small_project.commit(kernels)

    assert run.figures(["heel_and_toe", "together"]) == run.DIFFERS
    out = capsys.readouterr().out
    total = f"1 equal to the committed record; 1 differs: {NAME}; 1 not compared: {OTHER}\n"
    assert f" min: {total}" in out and out.endswith(f"git checkout {kernels / 'figures'}\n")
    # A notebook of all papers reads the records of the others, so it is the last, quick as it is.
    assert re.search(rf"{LAST} \(paper\): .*/: equal to the committed record \[3 of 3", out)
    assert "committed 21.4 (+133.6 %)" in out
    assert "figures/heel_and_toe/fig03.png: no committed record to compare with [" in out

    folder = kernels / "figures/heel_and_toe"
    assert str(folder / "fig02.html") in out
    page = (folder / "fig02.html").read_text(encoding="utf-8")
    assert "data:image/png;base64" in page
    linked = r"<(?:script|link|img|iframe)[^>]* (?:src|href)=[\"'](?!data:)[^\"'#]"
    assert re.findall(linked, page) == []
    text = (folder / "fig02.ipynb").read_text()
    assert "warning" not in text and "papermill" not in text
    assert "No job of CTC-SP2, KTH-SP2-2 ever waits" in text
    outputs = [output for cell in json.loads(text)["cells"] for output in cell.get("outputs", ())]
    (figure,) = [output for output in outputs if "image/png" in output.get("data", ())]
    assert base64.b64decode(figure["data"]["image/png"]) == (folder / "fig02.png").read_bytes()
    assert figure["metadata"]["image/png"]["alt"] == "Wait against load"


#: By notebook: its last cells, and what is said of it.
FAILURES = {
    "fig02": (
        [CHANGED, "scale = 'paper'\nsed = 2", "small_project.page()"],
        f"cell 6 (small_project.page()): PageError: {NAME}: unknown parameter 'sed' (did you mean",
    ),
    "fig03": (["import os; os._exit(1)"], "the kernel died"),
    "fig04": (["a = 1"], "no Page of this name saved an output"),
    "fig05": (
        [
            "import os, pathlib",
            'text = \'{"provenance": {"kind": "paper"}}\'',
            f"(pathlib.Path(os.environ[{record.RUNNING!r}]) / 'fig05.json').write_text(text)",
        ],
        "its record is refused",
    ),
}


def test_a_notebook_that_fails_is_one_line_and_changes_no_result(kernels, capsys):
    before = {path: path.read_bytes() for path in (kernels / "figures").rglob("*.*")}
    killed, by_hand = (kernels / f"build/running/{name}" for name in ("fig02-4194305-ab", "mine"))
    for folder in (killed, by_hand):
        folder.mkdir(parents=True)
    for item, (code, _) in FAILURES.items():
        small_project.notebook(kernels, f"heel_and_toe/{item}", *code, entered=item == "fig02")
    assert run.figures([f"heel_and_toe/{item}" for item in FAILURES]) == 1
    lines = capsys.readouterr().out.splitlines()
    for item, (_, message) in FAILURES.items():
        (line,) = [line for line in lines if line.startswith(f"FAILED heel_and_toe/{item}: ")]
        assert message in line
    assert {path: path.read_bytes() for path in (kernels / "figures").rglob("*.*")} == before
    # A run that was killed has left its folder, which the next one deletes.
    assert by_hand.exists() and not killed.exists()
    assert not list((kernels / "build/running").glob("fig0*"))
    cells = json.loads(record.notebook("failed", NAME).read_text())["cells"]
    (error,) = [
        output for cell in cells for output in cell.get("outputs", []) if "traceback" in output
    ]
    (line,) = error["traceback"]  # wrong input needs no traceback
    assert line.startswith(f"PageError: {NAME}: unknown parameter 'sed'")


def test_papermill_alone_refuses_an_unknown_parameter(kernels):
    path = small_project.notebook(kernels, NAME, DRAW.format(NAME))
    with pytest.raises(run.NotebookError, match=r"unknown parameter 'sed' \(did you mean seed"):
        run.execute(path, {"sed": 2})
