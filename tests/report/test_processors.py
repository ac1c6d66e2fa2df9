"""The same bytes on another processor: what BLAS, numpy and numba choose by the processor moves no
result and no picture.
"""

import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__

from replication.simulator import paths

#: Items with intervals, logarithms and fits, and figures of them.
ITEMS = ("pv_easy/fig05", "top_percent/table1", "heel_and_toe/fig15", "heel_and_toe/fig16")
SETTINGS = {
    "BLAS of an old processor": {"OPENBLAS_CORETYPE": "Nehalem"},
    "numpy without wide vectors": {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)},
    "kernels for any processor": {"NUMBA_CPU_NAME": "generic"},
}
PROGRAM = f"""
import os, sys
from pathlib import Path
from replication.simulator import paths
for place in ("FIGURES", "BUILD"):
    setattr(paths, place, Path(sys.argv[1]) / place.lower())
from replication.report import results
from tests import pins
pins.without_logs()
for name in {ITEMS}:
    path = results.notebooks()[name]
    os.chdir(path.parent)
    pins.run(name, path)
"""


def drawn(folder, settings):
    """Return the files that the items give at quick scale, by name, but for their durations."""
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=os.environ | {"PYTHONPATH": str(paths.ROOT)} | settings,
        capture_output=True,
        check=True,
    )
    files = {path.name: path.read_bytes() for path in folder.glob("build/stand-in/*/*")}
    return {name: data.partition(b'"run": {')[0] for name, data in files.items()}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The files under this processor's own settings."""
    return drawn(tmp_path_factory.mktemp("here"), {})


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_result_has_the_same_bytes_on_another_processor(here, settings, tmp_path):
    assert {name.rpartition(".")[2] for name in here} == {"csv", "json", "png"}
    there = drawn(tmp_path, settings)
    assert [
        name for name in here if there[name] != here[name]
    ] == [] and there.keys() == here.keys()
