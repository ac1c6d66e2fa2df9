"""The same bytes on another processor: what BLAS and numpy choose by the processor
moves no result.
"""

import os
import subprocess
import sys

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__

from replication.simulator import paths

PROGRAM = """
import numpy as np

from notebooks.pv_easy import claims as pv_easy
from notebooks.pv_easy.runs import POLICIES
from notebooks.top_percent import weeks, runs
from tests.workloads import jobs

rng, n = np.random.default_rng(1), 3000
drawn = (rng.integers(1, most, n) for most in (40000, 100, 90000))
columns = (600 * np.arange(n), *drawn)
made = jobs(128, *zip(*(column.tolist() for column in columns)))
schedules = {policy: runs.run(made, policy) for policy in runs.POLICIES}
rows = [
    {"trace": "made", "policy": policy} | runs.measure(made_one)
    for policy, made_one in schedules.items()
]
print(runs.over_requested(rows).to_csv(float_format="%.9g"))
print(weeks.table(weeks.replicates({"made": schedules})).to_csv(float_format="%.9g"))
for schedule in schedules.values():
    print({name: f"{value:.9g}" for name, value in schedule.measures.items()})
over = pv_easy.over(pv_easy.schedules({"made": made}, policies=POLICIES))
print(over.to_csv(float_format="%.9g"))
"""
SETTINGS = {
    "BLAS of an old processor": {"OPENBLAS_CORETYPE": "Nehalem"},
    "numpy without wide vectors": {"NPY_DISABLE_CPU_FEATURES": " ".join(__cpu_dispatch__)},
}


def printed(program, settings):
    """What a program prints in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=paths.ROOT,
        env=os.environ | {"PYTHONPATH": str(paths.ROOT)} | settings,
        capture_output=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def here():
    """What the program prints under this processor's own settings."""
    return printed(PROGRAM, {})


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_result_has_the_same_bytes_on_another_processor(here, settings):
    assert here.count(b"\n") > 50
    assert printed(PROGRAM, settings) == here
