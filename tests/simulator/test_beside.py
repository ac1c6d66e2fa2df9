"""Choices beside the package: found from messages and text, and one file under two names."""

import os
import subprocess
import sys

import pytest

import replication as rp
from notebooks.paper_easy import PaperEASY
from replication.simulator import paths

MINE = """
from collections import namedtuple
from dataclasses import dataclass

import numba
import numpy as np

import replication as rp

Rules = namedtuple("Rules", "late")


@numba.njit(cache=True)
def starts(submit, rules):
    return submit + rules.late


@dataclass(frozen=True)
class Mine(rp.Scheduler):
    def run(self, workload, estimate, seed):
        start = starts(workload.submit, Rules(7))
        return {"start": start, "backfilled": np.zeros(len(start), bool)}
"""
SHELL = """
from pathlib import Path
from replication.simulator.text import import_module
import_module(Path("own/mine.py"))
print(rp.simulate(jobs, "mine").start.tolist())
"""
PYTHON = """
from own.mine import Mine
print(rp.simulate(jobs, Mine()).start.tolist())
"""
USE = (
    "import replication as rp\njobs = rp.Workload.from_columns('two', 4, [0, 1], [9, 5], [3, 1])\n"
)


@pytest.mark.parametrize(
    ("is_package", "uses"),
    [(True, [SHELL, PYTHON]), (False, [SHELL, PYTHON, SHELL]), (False, [SHELL + PYTHON])],
)
def test_a_file_imported_in_two_ways_loads_or_compiles_its_code(is_package, uses, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.py").write_text(MINE)
    if is_package:
        (folder / "__init__.py").touch()
    variables = {"NUMBA_CACHE_DIR": str(tmp_path / "compiled"), "PYTHONPATH": str(paths.ROOT)}
    for use in uses:
        words = [sys.executable, "-c", USE + use]
        settings = {"cwd": tmp_path, "env": os.environ | variables}
        done = subprocess.run(words, capture_output=True, text=True, **settings)
        assert done.returncode == 0, done.stderr
        assert set(done.stdout.splitlines()) == {"[7, 8]"}


OPTIONS = sorted(set(PaperEASY.options()) - set(rp.EASY.options()))


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_that_the_papers_easy_has_leads_to_its_class(option):
    with pytest.raises(rp.EASY.error, match="PaperEASY has it") as caught:
        rp.EASY(**{option: "x"})
    found = {}
    exec(str(caught.value).partition("has it: ")[2].partition(")")[0], found)
    assert found["PaperEASY"] is PaperEASY
    with pytest.raises(rp.EASY.error, match=rf"PaperEASY\({option}=\.\.\.\)"):
        rp.Scheduler.check(f"EASY({option}='x')")


def test_the_shell_reads_a_choice_beside_the_package():
    code = (
        "import replication as rp; print(rp.Scheduler.check(\"PaperEASY(lifetime='until-due')\"))"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "PaperEASY(lifetime='until-due')\n"
