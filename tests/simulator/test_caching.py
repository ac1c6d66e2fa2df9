"""Compiled kernels are kept in a folder named by their sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replication.simulator import paths

CODE = "import os, replication.simulator.kernels; print(os.environ['NUMBA_CACHE_DIR'])"
SHARE = """
from replication.simulator.kernels.measures import share
print(share(1, 2), sum(share.stats.cache_hits.values()))
"""
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
    assert folder(NUMBA_CACHE_DIR=str(tmp_path / "own")) == tmp_path / "own" / first.name
    source.write_text(f"# A comment.\n{source.read_text()}")
    assert folder() == first
    source.write_text(source.read_text() + "ANOTHER = 1\n")
    second = folder()
    assert second != first
    # Inherited from a process that ran on older sources.
    assert folder(NUMBA_CACHE_DIR=str(first)) == second


def test_a_copied_checkout_finds_its_kernels(copy, tmp_path):
    """A function compiled in one place is read from the folder that was copied with the sources,
    also with other docstrings.
    """
    assert printed(copy, SHARE) == ["0.5", "0"]
    source = copy / "replication/simulator/kernels/measures.py"
    source.write_text(f'"""One line more\n\n{source.read_text().removeprefix(chr(34) * 3)}')
    assert printed(copy, SHARE) == ["0.5", "1"]
    other = tmp_path / "moved"
    for name in ("replication", "data", "build"):
        shutil.copytree(copy / name, other / name)
    shutil.copy(copy / "pyproject.toml", other)
    assert printed(other, SHARE) == ["0.5", "1"]


@pytest.mark.slow
def test_a_damaged_file_counts_as_absent(copy, tmp_path):
    assert printed(copy, SHARE) == ["0.5", "0"]
    damages = {"nbc": lambda old: old[:-9] + b"x" + old[-8:], "nbi": lambda old: old[:20]}
    for ending, damage in damages.items():
        for file in (tmp_path / "build").rglob(f"*.{ending}"):
            file.write_bytes(damage(file.read_bytes()))
        assert printed(copy, SHARE) == ["0.5", "0"]
    assert printed(copy, SHARE) == ["0.5", "1"]
