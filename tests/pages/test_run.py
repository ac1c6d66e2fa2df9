"""The runner: strict about parameters, plain about failures, and never mixing up what outputs are worth."""

import json
import os
import subprocess
import sys
import threading
import time

import nbformat
import pytest
import small_project

from replication.report import notebook, record, run
from replication.report.assemble import build
from replication.report.notebook import NotebookError
from replication.report.parameters import PageError
from replication.simulator import paths, traces
from tests.in_process import in_process

NAME = "heel_and_toe/fig02"
LOADED = 'scale = "paper"\nlogs = ["CTC-SP2"]\nseed = 1\nworkers = 1\nload = None'
GOOD = [small_project.page_cell(NAME), small_project.TABLE]


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    return tmp_path


def make(root, name=NAME, code=None, **others):
    return small_project.notebook(root, name, GOOD if code is None else code, **others)


def test_notebooks_are_found_in_order(project):
    for name in ("heel_and_toe/fig10", NAME, "pv_easy/table3", "other/fig01"):
        make(project, name)
    make(project, "heel_and_toe/.ipynb_checkpoints/fig02-checkpoint")
    assert list(notebook.found()) == ["pv_easy/table3", NAME, "heel_and_toe/fig10"]


def test_a_choice_is_a_notebook_or_a_paper(project):
    for name in (NAME, "heel_and_toe/fig03", "pv_easy/table3"):
        make(project, name)
    assert list(run.choose()) == ["pv_easy/table3", NAME, "heel_and_toe/fig03"]
    assert list(run.choose("heel_and_toe/fig03 pv_easy")) == [
        "pv_easy/table3",
        "heel_and_toe/fig03",
    ]
    assert list(run.choose([NAME])) == [NAME]


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("heel_and_toe/fig2", "did you mean heel_and_toe/fig02"),
        ("pv_easy", "there are: heel_and_toe/fig02"),
        ("fig02", "there are: heel_and_toe/fig02"),
    ],
)
def test_an_unknown_choice_is_refused(project, word, words):
    make(project)
    with pytest.raises(PageError, match=words):
        run.choose([word])
    with pytest.raises(PageError, match=words):
        run.figures([word], report=build)


def test_no_notebooks_at_all_is_an_error(project):
    with pytest.raises(PageError, match="no notebooks"):
        run.figures(report=build)


def test_an_unknown_parameter_is_refused_before_anything_runs(project):
    path = make(project)
    for attempt in (notebook.check, notebook.execute):
        with pytest.raises(
            PageError,
            match=r"^heel_and_toe/fig02: unknown parameter 'sed' "
            r"\(did you mean seed\?\); valid: scale, logs, seed, workers$",
        ):
            attempt(path, {"sed": 2})
    with pytest.raises(PageError, match="unknown parameter 'sed'"):
        in_process(path, sed=2)
    assert not (project / "build").exists()


@pytest.mark.parametrize(
    "item", ['"><img src=x>', "fig02\x1b[31m", "fig02\nx", "..", "=HYPERLINK(1)"]
)
def test_a_hostile_name_is_refused_in_a_line_before_anything_runs(project, item):
    make(project, "heel_and_toe/fig03")
    make(project, f"heel_and_toe/{item}")
    with pytest.raises(PageError, match="allowed: paper/item with lower-case letters") as refused:
        run.figures(["heel_and_toe"], report=build)
    assert str(refused.value).isprintable()
    assert not (project / "build").exists()


def test_a_notebook_without_the_common_parameters_is_refused(project):
    make(project, parameters='scale = "paper"')
    with pytest.raises(PageError, match="unknown parameter 'workers'"):
        run.figures(report=build)


@pytest.mark.parametrize("value", ["seeds()", "1 +"])
def test_parameters_are_written_out(project, value):
    path = make(project, parameters=f"scale = {value}\nworkers = 1")
    with pytest.raises(PageError, match="parameter"):
        notebook.check(path, {})


@pytest.mark.parametrize(
    ("wrong", "words"), [({"scale": "big"}, "paper, quick"), ({"workers": 0}, "1 or more")]
)
def test_wrong_options_are_refused(project, wrong, words):
    make(project)
    with pytest.raises(PageError, match=words):
        run.figures(**wrong, report=build)


def test_the_scale_follows_the_logs(project, monkeypatch, capsys):
    make(project)
    for name, logs in (("fig03", '["CTC-SP2", "KTH-SP2-2"]'), ("table2", "[]")):
        make(
            project,
            f"heel_and_toe/{name}",
            parameters=f'scale = "quick"\nlogs = {logs}\nworkers = 1',
        )
    monkeypatch.setattr(traces, "locate", lambda name: "here" if name == "CTC-SP2" else None)
    monkeypatch.setenv("REPLICATION_OFFLINE", "0")
    planned = run.plan(run.choose(), workers=3)
    assert [own["scale"] for own in planned.values()] == ["paper", "quick", "paper"]
    assert {own["workers"] for own in planned.values()} == {3}
    assert os.environ["REPLICATION_OFFLINE"] == "1"  # no kernel waits for the network again
    assert capsys.readouterr().out == (
        "generated stand-ins take the place of KTH-SP2-2: no network in this test\n"
    )
    assert {own["scale"] for own in run.plan(run.choose(), scale="paper").values()} == {"paper"}


def test_logs_that_can_be_fetched_are_fetched_first(project, monkeypatch):
    fetched = []
    make(project)
    monkeypatch.setattr(traces, "locate", lambda name: None)
    monkeypatch.setattr(traces, "fetch", fetched.append)
    assert run.plan(run.choose())[NAME]["scale"] == "paper"
    assert fetched == ["CTC-SP2"]


def test_in_process_runs_the_code_with_the_parameters(project):
    path = make(project, enter_cell=False)
    variables = in_process(path, seed=7)
    assert variables["page"].seed == 7
    assert (project / "build/other/heel_and_toe/fig02.csv").exists()  # the seed is another


def papermill(project, path, *options):
    """Papermill as a reader runs it, from another folder; what it drew before stands in figures/."""
    command = [sys.executable, "-m", "papermill", str(path), "out.ipynb", "--no-progress-bar"]
    return subprocess.run(
        [*command, *options], cwd=project, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-y", 'logs: ["KTH-SP2-2"]'], "logs KTH-SP2-2 (committed: CTC-SP2)"),
        (["-p", "seed", "2"], "seed 2 (committed: 1)"),
        (
            ["-p", "logs", '["KTH-SP2-2"]', "-p", "load", "0.9"],
            "logs KTH-SP2-2 (committed: CTC-SP2); load 0.9 (committed: None)",
        ),
    ],
    ids=["logs", "seed", "logs as text and load"],
)
def test_papermill_with_other_parameters_leaves_figures_alone(project, options, words):
    cell = small_project.page_cell(NAME).replace("workers)", "workers, load=load)")
    path = make(project, code=[cell, small_project.TABLE], parameters=LOADED)
    figures = project / "figures" / "heel_and_toe"
    outputs_of_older_runs(figures)
    before = {file: file.read_bytes() for file in figures.iterdir()}
    done = papermill(project, path, *options)
    assert done.returncode == 0, done.stderr
    assert {file: file.read_bytes() for file in figures.iterdir()} == before
    assert (project / "build/other/heel_and_toe/fig02.csv").exists()
    page = (project / "out.ipynb").read_text()
    assert words in page and "proves nothing about the paper" in page


def test_papermill_with_a_wrong_name_ends_before_anything_is_drawn(project):
    done = papermill(project, make(project), "-p", "sed", "2")
    assert done.returncode != 0
    assert "unknown parameter 'sed' (did you mean seed?); valid: scale, logs, seed" in done.stderr
    drawn = [path for folder in ("figures", "build") for path in (project / folder).rglob("fig02*")]
    assert [path for path in drawn if path.suffix == ".csv"] == []


def test_a_cell_that_was_edited_by_hand_leaves_figures_alone(project):
    path = make(project)
    for words in (["init"], ["add", "notebooks"], ["commit", "-m", "Before"]):
        git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", *words]
        subprocess.run(git, cwd=project, check=True, capture_output=True)
    assert notebook.execute(path, {}) == "paper"
    drawn = (project / "figures/heel_and_toe/fig02.csv").read_bytes()
    make(project, parameters=LOADED.replace("seed = 1", "seed = 3"))
    assert notebook.execute(path, {}) == "other"
    assert (project / "build/other/heel_and_toe/fig02.csv").exists()
    assert (project / "figures/heel_and_toe/fig02.csv").read_bytes() == drawn


def test_in_process_names_the_cell_that_fails(project):
    path = make(project, code=["x = 1\n", "\ny = x / 0\nz = 1"], enter_cell=False)
    with pytest.raises(
        NotebookError, match=r"^heel_and_toe/fig02: cell 4 \(y = x / 0\): ZeroDivisionError"
    ):
        in_process(path)


def test_a_run_end_to_end_with_one_failure(project, capsys):
    make(project, code=[*GOOD, small_project.FIGURE, "print('seed', seed, 'workers', workers)"])
    other = "heel_and_toe/fig03"
    failing = "def f():\n    raise ValueError('first\\nlog has no jobs')\nf()"
    make(project, other, code=[small_project.page_cell(other), "x = 1", failing])
    outputs_of_older_runs(project / "figures/heel_and_toe")
    assert run.figures(scale="paper", workers=2, report=build) == 1
    out = capsys.readouterr().out
    assert "running 2 notebooks (2 at paper scale)" in out
    assert "heel_and_toe/fig02: paper, paper scale [" in out
    assert "FAILED heel_and_toe/fig03: cell 6 (def f():): ValueError: log has no jobs" in out
    assert "build/notebooks/failed/heel_and_toe/fig03.ipynb" in out
    assert {path.name for path in (project / "figures/heel_and_toe").iterdir()} == {
        "fig02.csv",
        "fig02.png",
        "fig02.json",
        "fig02-mine.csv",
    }
    assert "seed 1 workers 2" in record.executed("paper", NAME).read_text()
    assert (project / "build/report/paper/report.html").exists()
    assert not (project / "figures/report.html").exists()  # one item is missing
    assert not list((project / "build").rglob("*.part"))


def outputs_of_older_runs(folder):
    """A file that the notebook made once, and one that it did not make."""
    folder.mkdir(parents=True)
    (folder / "fig02-once.csv").write_text("a")
    (folder / "fig02-mine.csv").write_text("a")
    files = {"fig02-once.csv": {"role": "table", "caption": "Once", "sha256": ""}}
    facts = dict.fromkeys(record.FIELDS) | {"format": record.FORMAT, "files": files, "run": {}}
    facts["parameters"] = {"scale": "paper", "seed": 1}
    facts["provenance"] = {"kind": "paper", "simulator": "", "logs": {}}
    (folder / "fig02.json").write_text(json.dumps(facts))


def test_stand_ins_are_told_apart_by_what_was_loaded(project, capsys, monkeypatch):
    small_project.enter(project, False, monkeypatch.setattr)
    monkeypatch.setenv("REPLICATION_OFFLINE", "0")
    make(project, real=False)
    assert run.figures(report=build) == 0
    out = capsys.readouterr().out
    assert "heel_and_toe/fig02: stand-in, quick scale [" in out
    assert "report: " in out and "build/report/stand-in/report.html" in out
    assert not (project / "figures").exists()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([], "makes no Page"),
        (
            [{"item": "heel_and_toe/fig03", "kind": "paper", "files": {"fig03.csv": ""}}],
            "its Page is named",
        ),
        ([{"item": NAME, "kind": "paper", "files": {}}], "saved no figure and no table"),
    ],
)
def test_a_notebook_that_saves_nothing_under_its_name_is_a_failure(said, words):
    outputs = [nbformat.v4.new_output("display_data", {record.MIME: facts}) for facts in said]
    cell = nbformat.v4.new_code_cell("", outputs=outputs)
    with pytest.raises(NotebookError, match=words):
        notebook.worth(NAME, nbformat.v4.new_notebook(cells=[cell]))


def test_stopping_ends_the_kernels(project):
    path = make(
        project, code=[f"open({str(project / 'busy')!r}, 'w').close()\nimport time\ntime.sleep(60)"]
    )
    failure = []

    def attempt():
        try:
            notebook.execute(path, {})
        except NotebookError as error:
            failure.append(str(error))

    thread = threading.Thread(target=attempt)
    thread.start()
    started = time.monotonic()
    while not (project / "busy").exists() and time.monotonic() - started < 50:
        time.sleep(0.1)
    notebook.stop_all()
    thread.join(20)
    assert failure == ["heel_and_toe/fig02: its kernel died; it may need more memory"]
