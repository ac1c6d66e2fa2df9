"""The repository: packages, notebooks, and the Makefile."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import replication
from replication.simulator import paths

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (paths.ROOT / "requirements/main.lock").read_text(encoding="utf-8")
NOTEBOOKS = sorted(
    path
    for folder in (paths.NOTEBOOKS, paths.ROOT / "studies")
    for path in folder.rglob("*.ipynb")
    if ".ipynb_checkpoints" not in path.parts
)


def run(*words):
    """Run a program in the repository; return exit code and output."""
    done = subprocess.run(words, cwd=paths.ROOT, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_direct_dependencies_are_locked_within_their_bounds():
    locked = dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", LOCK, re.MULTILINE))
    locked = {canonicalize_name(name): version for name, version in locked.items()}
    extras = PROJECT["project"]["optional-dependencies"]
    direct = [*PROJECT["project"]["dependencies"], *extras["figures"], *extras["test"]]
    for requirement in map(Requirement, direct):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])


def test_the_citation_names_this_version():
    citation = (paths.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {replication.__version__}\n" in citation


def test_papers_are_imported_from_any_folder(tmp_path):
    """As by papermill with its output elsewhere."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [sys.executable, "-c", "import replication, notebooks.pv_easy as paper; print(paper)"]
    done = subprocess.run(words, cwd=tmp_path, env=clean, capture_output=True, text=True)
    if "named 'replication'" in done.stderr:
        pytest.skip("the package is not installed")
    assert "notebooks/pv_easy" in done.stdout, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_notebook_has_no_outputs(path):
    code, stored = run("git", "show", f":{path.relative_to(paths.ROOT)}")
    cells = json.loads(path.read_text(encoding="utf-8") if code else stored)["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None]


def with_outputs(path):
    """Return a notebook as an editor saves it after a run."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"] |= {"kernelspec": {"display_name": ".venv", "name": "python3"}}
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.12.1"}
    for cell in notebook["cells"]:
        cell["metadata"]["collapsed"] = True
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]
            cell["execution_count"] = 7
    return notebook


def test_git_stores_notebooks_without_outputs(tmp_path):
    """Whichever editor saved them. The filter is that of the Makefile."""
    notebooks = "notebooks/explore.ipynb", "notebooks/pv_easy/table1.ipynb"
    for name in (".gitattributes", ".ci/strip_outputs.py", *notebooks):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.ROOT / name, tmp_path / name)
    makefile = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
    (setting,) = re.findall(r'git config filter\.notebook\.clean "[^"]+"', makefile)

    def git(command):
        done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    git(f"git init -q && git add . && {setting}")
    for path in (tmp_path / name for name in notebooks):
        path.write_text(json.dumps(with_outputs(path)), encoding="utf-8")
    assert git("git diff --stat") == ""


@pytest.mark.parametrize("folder, stripped", [("notebooks", True), ("build", False)])
def test_jupyterlab_saves_committed_notebooks_as_git_stores_them(folder, stripped):
    settings = {"c": SimpleNamespace(FileContentsManager=SimpleNamespace())}
    source = paths.ROOT / ".ci/lab_config.py"
    settings["__file__"] = str(source)
    exec(compile(source.read_text(encoding="utf-8"), source, "exec"), settings)
    committed = paths.NOTEBOOKS / "explore.ipynb"
    notebook = nbformat.from_dict(with_outputs(committed))
    model = {"type": "notebook", "content": notebook}
    settings["c"].FileContentsManager.pre_save_hook(
        model=model, path=f"{folder}/explore.ipynb", contents_manager=None
    )
    saved = nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"
    assert (saved == committed.read_text(encoding="utf-8")) is stripped
