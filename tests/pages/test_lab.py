"""JupyterLab leaves the checkout clean: the server saves a notebook that was run as it is committed."""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest

from replication.report import lab
from replication.simulator import paths

NAME = "heel_and_toe/fig02"
PLACE = f"notebooks/{NAME}.ipynb"
GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]


def as_run(text):
    """A notebook as JupyterLab hands it over after Run All."""
    content = nbformat.reads(text, as_version=4)
    content.metadata.kernelspec.display_name = "Python 3 (ipykernel)"
    content.metadata.language_info.version = "3.11.7"
    content.metadata["widgets"] = {"state": {}}
    for number, cell in enumerate(content.cells):
        if cell.cell_type == "code":
            cell.execution_count = number
            cell.metadata["execution"] = {"iopub.status.busy": "2026-01-01T00:00:00Z"}
            cell.outputs = [nbformat.v4.new_output("stream", text="Done")]
    return content


def _await(address):
    """Wait until a server answers: its address may be told before that."""
    host, port = address.removeprefix("http://").split(":")
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 1):
            return
        time.sleep(0.1)


@pytest.fixture
def server(tmp_path):
    """A checkout of one notebook and the address of a server that was started in it."""
    (tmp_path / PLACE).parent.mkdir(parents=True)
    shutil.copy(paths.ROOT / PLACE, tmp_path / PLACE)
    shutil.copytree(
        paths.ROOT / "replication",
        tmp_path / "replication",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (tmp_path / ".gitignore").write_text("__pycache__\n.ipynb_checkpoints\nbuild\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)
    option = re.search(r"-m jupyterlab (--\S+)", (paths.ROOT / "Makefile").read_text())[1]
    command = [sys.executable, "-m", "jupyter_server", option, "--no-browser", "--allow-root"]
    started = subprocess.Popen(
        [*command, "--port=0", "--ServerApp.token=secret", f"--ServerApp.root_dir={tmp_path}"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "build"), "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = next(
            found[0]
            for line in started.stderr
            if (found := re.search(r"http://(localhost|127\.0\.0\.1):\d+", line))
        )
        _await(address)
        yield tmp_path, address
    finally:
        started.terminate()
        started.communicate(timeout=20)


def test_a_notebook_that_was_run_and_saved_leaves_nothing_to_commit(server):
    root, address = server

    def save(place, content):
        body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
        request = urllib.request.Request(
            f"{address}/api/contents/{place}",
            data=body,
            method="PUT",
            headers={"Authorization": "token secret", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert answer.status in (200, 201)

    content = as_run((root / PLACE).read_text())
    save(PLACE, content)
    changed = subprocess.run([*GIT, "diff"], cwd=root, check=True, capture_output=True, text=True)
    assert changed.stdout == ""
    # A copy of one's own elsewhere keeps what was run.
    save("mine.ipynb", content)
    assert "Done" in (root / "mine.ipynb").read_text()


def test_notebooks_are_committed_as_they_are_saved():
    for path in sorted(paths.NOTEBOOKS.glob("**/[a-z]*.ipynb")):
        text = path.read_text(encoding="utf-8")
        model = {"type": "notebook", "content": as_run(text)}
        lab.clean(model, str(path.relative_to(paths.ROOT)), Root)
        assert nbformat.writes(model["content"]) + "\n" == text, path.name


class Root:
    """As far as `lab.clean` asks a server."""

    root_dir = paths.ROOT
