"""The documents: their code and commands run, and printed results are current."""

import ast
import doctest
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import replication as rp
from tests.pages import blocks

ROOT = Path(__file__).parents[1]
TRIED = ("getting-started", "guide")  # their Python is run


def code(language, page="README.md"):
    """Return the code of a language in a page, as one text."""
    return "\n".join(blocks(language, page))


@pytest.mark.parametrize("page", [f"docs/{name}.md" for name in TRIED])
def test_python_in_the_pages_runs(page, real_log, tmp_path, monkeypatch):
    real_log("KTH-SP2-2")
    monkeypatch.chdir(tmp_path)
    log = real_log("KTH-SP2").take(slice(0, 5001))
    rp.simulate(log).write_swf("my-cluster.swf.gz")
    exec(compile(code("python", page), page, "exec"), {})


@pytest.mark.parametrize("name", rp.__all__)
def test_examples_in_docstrings_run(name):
    for example in doctest.DocTestFinder().find(getattr(rp, name), name):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_page_prints_what_it_shows(page, real_log, tmp_path, monkeypatch, capsys):
    real_log("KTH-SP2-2")
    monkeypatch.chdir(tmp_path)
    names = {}
    for statement in ast.parse(code("python", page)).body:  # as typed at a prompt
        exec(compile(ast.Interactive([statement]), page, "single"), names)
    printed = capsys.readouterr().out
    assert printed == code("text", page).replace("\n\n", "\n")
    assert max(map(len, printed.splitlines())) <= 80


def test_without_packages_the_message_names_the_command():
    command = [sys.executable, "-S", "-m", "replication", "logs", "list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "run `make setup`, then `source .venv/bin/activate`" in done.stderr


# What is added to a command of the README, so that it takes less time.
QUICK = {
    "make figures ONLY": ("make", "make SCALE=quick"),
    "make test": ("make", "make TESTS=tests/simulator/test_writing.py"),
    "make studies": ("make", "make SCALE=quick ONLY=fairness"),
    "make lab": ("make", "timeout -s INT 40 make LAB='--no-browser --allow-root'"),
    "make figures ": ("make", "make SCALE=quick ONLY=heel_and_toe/table2"),
    "source": ("", ""),
    "export": ("=folder", f"={os.environ.get('REPLICATION_TRACES', '')}"),
    "replication simulate": ("", ""),
    "mkdir": ("", ""),
}


@pytest.mark.slow
def test_a_clone_runs_the_commands_of_the_readme(real_log, tmp_path):
    """From nothing: no packages, no compiled kernels, no stored results."""
    real_log("KTH-SP2-2")
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    script = ["set -ex", f"git clone -q {ROOT} replication && cd replication"]
    for line in filter(None, code("sh").splitlines()):
        change = next(QUICK[start] for start in QUICK if line.startswith(start))
        stopped = " || [ $? = 124 ]" if "make lab" in line else ""
        script.append(line.split(" #")[0].replace(*change, 1) + stopped)
    script.append(f"cat > snippet.py <<'END'\n{code('python')}END\npython snippet.py")
    kept = ("PATH", "HOME", "REPLICATION_TRACES", "PIP", "http", "HTTP", "SSL")
    environment = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    command = ["bash", "-c", "\n".join(script)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert (tmp_path / "replication/build/quick/heel_and_toe/fig02.png").is_file()
    assert (tmp_path / "replication/build/jobs.csv").is_file()
    status = ["git", "-C", str(tmp_path / "replication"), "status", "--porcelain"]
    files = subprocess.run(status, capture_output=True, text=True).stdout.split()
    assert sorted(files) == ["??", "snippet.py"]
