"""Compiled kernels are kept in a folder named by their sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replication.simulator import paths

CODE = "import os, replication.simulator.kernels as k; print(os.environ['NUMBA_CACHE_DIR'], k.kernel_hash())"


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, and a function that returns where a new process keeps its kernels."""
    shutil.copytree(paths.ROOT / "replication", tmp_path / "replication")
    shutil.copytree(paths.ROOT / "data", tmp_path / "data")
    shutil.copy(paths.ROOT / "pyproject.toml", tmp_path)

    def folder(**environment):
        clean = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("NUMBA_", "PYTHONPATH", "REPLICATION_OUTPUT"))
        }
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            cwd=tmp_path,
            env=clean | environment,
            text=True,
            capture_output=True,
            check=True,
        )
        where, digest = done.stdout.strip().rsplit(None, 1)
        assert len(digest) == 64
        return Path(where)

    return folder, tmp_path / "replication" / "simulator" / "kernels" / "list_scheduler.py"


def test_the_folder_is_named_by_sources_and_settings(copy, tmp_path):
    folder, source = copy
    first = folder()
    assert first == folder()
    assert first.parent == tmp_path / "build"
    assert folder(NUMBA_BOUNDSCHECK="1") != first
    assert folder(NUMBA_CACHE_DIR=str(tmp_path / "own")) == tmp_path / "own" / first.name
    source.write_text(source.read_text() + "\n")
    second = folder()
    assert second != first
    # Inherited from a process that ran on older sources.
    assert folder(NUMBA_CACHE_DIR=str(first)) == second


def test_a_copied_checkout_finds_its_kernels(copy, tmp_path):
    """A function compiled in one place is read from the folder that was copied with the sources."""
    code = (
        "from replication.simulator.kernels.measures import share; "
        "print(share(1, 2), sum(share.stats.cache_hits.values()))"
    )

    def run(folder):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHONPATH"))}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=folder, env=clean, text=True, capture_output=True)
        return done.stdout.split()

    assert run(tmp_path) == ["0.5", "0"]
    other = tmp_path / "moved"
    for name in ("replication", "data", "build"):
        shutil.copytree(tmp_path / name, other / name)
    shutil.copy(tmp_path / "pyproject.toml", other)
    assert run(other) == ["0.5", "1"]
