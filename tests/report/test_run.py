"""The runner of notebooks: choices, parameters, failures, and the kind of the outputs."""

import base64
import json
import re
import shutil
import tempfile
from pathlib import Path

import pandas as pd
import pytest
import small_project
from matplotlib.figure import Figure

from replication.report import page, record, results, run
from replication.report.parameters import PageError
from replication.simulator import paths

NAME = "heel_and_toe/fig02"
GOOD = [small_project.page_cell(NAME), small_project.TABLE]
REFUSED = """(page.folder / "fig02.json").write_text('{"provenance": {"kind": "paper"}}')"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    return tmp_path


def make(root, name=NAME, code=None, **others):
    return small_project.notebook(root, name, GOOD if code is None else code, **others)


def drawn(root, *figures, name=NAME):
    """Make a notebook, and publish a table and figures as if it had run."""
    make(root, name, [small_project.page_cell(name), small_project.TABLE])
    made = page.Page(name, logs=["CTC-SP2"])
    made.table(pd.DataFrame({"log": ["CTC-SP2"], "wait": [1 / 3]}), "Mean wait")
    for figure in figures:
        made.figure(figure, "Wait against load")
    small_project.publish(made)
    shutil.rmtree(made.folder.parent)


def test_notebooks_in_natural_order(project):
    for name in ("heel_and_toe/fig10", NAME, "pv_easy/table3", "other/fig01"):
        make(project, name)
    assert list(results.notebooks()) == ["pv_easy/table3", NAME, "heel_and_toe/fig10"]
    assert list(run.choose("heel_and_toe/fig10 pv_easy")) == [
        "heel_and_toe/fig10",
        "pv_easy/table3",
    ]


def test_the_fastest_notebook_runs_first_and_those_of_all_papers_last(project, monkeypatch):
    seconds = {NAME: 9, "pv_easy/table3": 5, "together/numbers": 1}
    for name in seconds:
        make(project, name)
    ran = []

    def fail(path, _):
        ran.append(record.name_of(path))
        raise run.NotebookError(ran[-1])

    monkeypatch.setattr(run, "_seconds", lambda name, scale: seconds[name])
    monkeypatch.setattr(run, "execute", fail)
    assert run.figures() == 1
    assert ran == ["pv_easy/table3", NAME, "together/numbers"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sed": 2}, r"unknown parameter 'sed' \(did you mean seed\?\).*scale"),
        ({"logs": 7}, r'logs 7; expected a value such as \["CTC-SP2"\]'),
        ({"logs": "KTH-SP2"}, r'such as \["CTC-SP2"\]'),
        ({"seed": -1}, "seed -1; expected a value such as 1"),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_runs(project, settings, words):
    make(project)
    with pytest.raises(PageError, match=words):
        run.figures(settings=settings)
    assert not (project / "build").exists()


@pytest.mark.parametrize("where", ["papermill", "cell"])
def test_an_unknown_parameter_is_refused_where_the_notebook_runs_alone(project, where):
    more = {} if where == "papermill" else {"parameters": 'scale = "paper"\nlogs = []\nsed = 2'}
    code = ["seed = workers = 1", *GOOD] if more else GOOD
    path = make(project, code=code, **more)
    with pytest.raises(run.NotebookError, match=r"unknown parameter 'sed' \(did you mean seed"):
        run.execute(path, {} if more else {"sed": 2})


def test_the_scale_can_be_a_setting(project):
    make(project)
    assert run.plan(run.choose(NAME), settings={"scale": "quick"})[NAME]["scale"] == "quick"


@pytest.mark.parametrize("value", ["seeds()", "1 +"])
def test_parameters_are_literals(project, value):
    make(project, parameters=f"scale = {value}\nworkers = 1")
    with pytest.raises(PageError, match="each value a literal"):
        run.figures()


def test_outputs_and_their_paths_and_a_page_that_is_complete_without_a_network(project, capsys):
    warning = "import sys; print('warn' + 'ing', file=sys.stderr)"
    make(project, code=[warning, *GOOD, small_project.FIGURE])
    assert run.figures(NAME) == 0
    out = capsys.readouterr().out
    assert f"{NAME} (paper): " in out
    assert "figures/heel_and_toe/fig02.png: no committed record to compare with [" in out
    folder = project / "figures/heel_and_toe"
    assert Path(out.splitlines()[-1]) == folder / "fig02.html"
    text = (folder / "fig02.html").read_text(encoding="utf-8")
    assert "data:image/png;base64" in text
    linked = r"<(?:script|link|img|iframe)[^>]* (?:src|href)=[\"'](?!data:)[^\"'#]"
    assert re.findall(linked, text) == []
    first = {path: path.read_bytes() for path in folder.iterdir()}
    assert run.figures(NAME, workers=2) == 0
    assert {path: path.read_bytes() for path in folder.iterdir()} == first
    text = (folder / "fig02.ipynb").read_text()
    assert "warning" not in text and "papermill" not in text
    outputs = [one for cell in json.loads(text)["cells"] for one in cell.get("outputs", ())]
    (figure,) = [one for one in outputs if "image/png" in one.get("data", ())]
    assert base64.b64decode(figure["data"]["image/png"]) == (folder / "fig02.png").read_bytes()
    assert figure["metadata"]["image/png"]["alt"] == "Wait against load"


def test_files_that_are_no_longer_drawn_are_deleted_and_no_others(project):
    victim = project / "victim.csv"
    victim.write_text("a")
    drawn(project, Figure())
    path = project / "figures/heel_and_toe/fig02.json"
    facts = json.loads(path.read_text())
    facts["files"]["../../victim.csv"] = facts["files"]["fig02.csv"]
    path.write_text(json.dumps(facts))
    make(project)
    run.figures(NAME)
    assert victim.exists() and not (project / "figures/heel_and_toe/fig02.png").exists()


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "import os; os._exit(1)"])
def test_a_notebook_that_fails_or_dies_changes_no_result(project, end):
    drawn(project)
    folder = project / "figures/heel_and_toe"
    first = {path: path.read_bytes() for path in folder.iterdir()}
    make(project, code=[GOOD[0], GOOD[1].replace("1 / 3", "9"), end])
    assert run.figures(NAME) == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == first
    assert list((project / "build/running").iterdir()) == []


def test_the_folder_of_a_killed_run_is_deleted_by_the_next_one(project):
    killed, by_hand = (project / f"build/running/{name}" for name in ("fig02-4194305-ab", "mine"))
    for folder in (killed, by_hand):
        folder.mkdir(parents=True)
    make(project, code=["a = 1"])
    run.figures(NAME)
    assert by_hand.exists() and not killed.exists()


def test_outputs_move_to_another_disk(project):
    disk = Path("/dev/shm")
    if not disk.is_dir() or disk.stat().st_dev == project.stat().st_dev:
        pytest.skip("there is no second disk")
    make(project)
    made = page.Page(NAME, logs=["CTC-SP2"])
    made.table(pd.DataFrame({"wait": [1 / 3]}), "Mean wait")
    with tempfile.TemporaryDirectory(dir=disk) as place:
        shutil.copytree(made.folder, place, dirs_exist_ok=True)
        assert record.publish(NAME, Path(place)) == "paper"
    assert (project / "figures/heel_and_toe/fig02.csv").exists()


def test_a_page_without_a_runner_changes_no_result(project):
    make(project)
    made = page.Page(NAME, logs=["CTC-SP2"])
    made.table(pd.DataFrame({"wait": [1 / 3]}), "Mean wait")
    assert made.folder == project / f"build/running/{NAME}"
    assert not (project / "figures").exists()


def test_an_unpacked_archive_gives_the_results_that_it_holds(project, capsys):
    make(project)
    assert run.figures(NAME) == 0
    shutil.rmtree(project / ".git")
    assert run.figures(NAME) == 0
    assert f"{NAME} (other): " in (said := capsys.readouterr().out)
    assert ": equal to the committed record [1 of 1" in said


def test_results_that_differ_are_counted_at_the_end_with_an_exit_code(project, capsys):
    other, third = "heel_and_toe/fig03", "heel_and_toe/fig04"
    drawn(project)
    drawn(project, name=other)
    small_project.commit(project, "figures")
    make(project, third, [small_project.page_cell(third), small_project.TABLE])
    make(project, code=[GOOD[0], GOOD[1].replace("1 / 3", "1 / 2")])
    capsys.readouterr()
    assert run.figures() == run.DIFFERS
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .endswith(
            f" min: 1 equal to the committed record; 1 differs: {NAME}; 1 not compared: {third}"
        )
    )
    assert run.figures(NAME, settings={"seed": 2}) == 0


def test_wrong_input_is_shown_without_a_traceback(project):
    make(project, code=["import replication as rp", "rp.FModel(-3)"])
    assert run.figures(NAME) == 1
    cells = json.loads(record.notebook("failed", NAME).read_text())["cells"]
    (error,) = [one for cell in cells for one in cell.get("outputs", []) if "traceback" in one]
    (line,) = error["traceback"]
    assert line.startswith("EstimateError: FModel: f=-3") and "a number from 0" in line


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (["a = 1", "1 / 0"], "cell 5 (1 / 0): ZeroDivisionError: division by zero"),
        (["import os; os._exit(1)"], "the kernel died"),
        (["a = 1"], "no Page of this name saved an output"),
        ([*GOOD, REFUSED], "its record is refused"),
    ],
)
def test_a_failure_is_one_line(project, capsys, code, words):
    make(project, code=code)
    assert run.figures(NAME) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"FAILED {NAME}: {words}")
