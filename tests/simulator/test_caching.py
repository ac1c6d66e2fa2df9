"""Compiled kernels are kept in a folder named by their sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replication.simulator import paths

CODE = "import os, replication.simulator.kernels; print(os.environ['NUMBA_CACHE_DIR'])"
OTHERS = ("NUMBA_", "PYTHONPATH", "REPLICATION_OUTPUT")


def printed(folder, code, **environment):
    """Return the words that a new process prints in a folder, without settings of this process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(
        words, cwd=folder, env=clean | environment, text=True, capture_output=True, check=True
    )
    return done.stdout.split()


@pytest.fixture
def copy(tmp_path):
    """A copy of the package."""
    for name in ("replication", "data"):
        shutil.copytree(paths.ROOT / name, tmp_path / name)
    shutil.copy(paths.ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_folder_is_named_by_sources_and_settings(copy, tmp_path):
    def folder(**environment):
        return Path(*printed(copy, CODE, **environment))

    source = copy / "replication/simulator/kernels/list_scheduler.py"
    first = folder()
    assert first == folder()
    assert first.parent == tmp_path / "build"
    assert folder(NUMBA_BOUNDSCHECK="1") != first
    assert folder(NUMBA_NUM_THREADS="1") == first  # as joblib sets it in its processes
    assert folder(NUMBA_CACHE_DIR=str(tmp_path / "own")) == tmp_path / "own" / first.name
    source.write_text(source.read_text() + "ANOTHER = 1\n")
    second = folder()
    assert second != first
    # Inherited from a process that ran on older sources.
    assert folder(NUMBA_CACHE_DIR=str(first)) == second
