"""Keys of stored rows: code that can change a row changes its key, and words do not."""

import importlib
import linecache
import os
import shutil
import subprocess
import sys
import types

import pytest

import replication as rp
from replication.simulator import paths
from replication.simulator.sweeps import grid

THREE = rp.Workload.from_columns("three", 4, [0, 1, 2], [9, 5, 7], [4, 4, 4])
PROGRAM = """
import replication as rp
import mine_below as below

LIMIT = 3


def job_order(jobs):
    return sorted(jobs, key=below.size)


class Mine(rp.PythonScheduler, name="mine-of-a-file"):
    \"\"\"Start small jobs first.\"\"\"

    step = 1

    def schedule(self, now):
        if now < 0:
            raise ValueError("before the first event")
        for job in job_order(self.queue):  # a copy
            if job.size <= min(self.free, LIMIT + 1):
                self.begin(job)


def mean_size(schedule):
    return schedule.workload.processors.mean()
"""
BELOW = """
import json

def size(job):
    return 2 * job.size
"""


def key(scheduler, measures=("mean_wait",)):
    return grid.Task(THREE, rp.Users(), scheduler, measures=measures).key


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that writes and imports a module, and the module that it imports."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which may look as old as its source

    def load(old="", new="", where="mine_above"):
        for name, text in (("mine_above", PROGRAM), ("mine_below", BELOW)):
            assert name != where or old in text
            text = text.replace(old, new) if name == where else text
            (tmp_path / f"{name}.py").write_text(text)
            monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return importlib.import_module("mine_above")

    yield load
    for name in ("mine_above", "mine_below"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("edit", "is_rule"),
    [
        (("LIMIT = 3", "LIMIT = 2", "mine_above"), True),
        (("key=below.size", "key=below.size, reverse=True", "mine_above"), True),
        (("step = 1", "step = 2", "mine_above"), True),
        (("2 *", "3 *", "mine_below"), True),
        (("Start small jobs first.", "Start the small ones.", "mine_above"), False),
        (("LIMIT = 3", "LIMIT = (\n    3\n)  # at most", "mine_above"), False),
        (("before the first event", "too early", "mine_above"), False),
        (("import json", '"""Sizes."""\nimport json', "mine_below"), False),
    ],
)
def test_a_changed_rule_of_a_module_gives_new_rows_and_a_changed_word_does_not(
    edit, is_rule, program
):
    module = program()
    before = key(module.Mine()), key(rp.EASY(), [module.mean_size])
    module = program(*edit)
    now = key(module.Mine()), key(rp.EASY(), [module.mean_size])
    assert None not in (*before, *now)
    assert [a != b for a, b in zip(before, now, strict=True)] == [is_rule] * 2


def test_what_may_not_be_the_code_that_runs_is_simulated_again(program, tmp_path):
    old = program()
    (tmp_path / "mine_below.py").write_text(BELOW.replace("2 *", "3 *"))
    assert key(old.Mine()) is None  # the file has changed since its import
    new = program()
    assert key(new.Mine()) is not None and key(old.Mine()) is None

    class Inside(rp.PythonScheduler, name="mine-in-a-function"):
        def schedule(self, now):
            old.job_order(self.queue)

    assert key(Inside()) is None
    assert key(rp.OrderedEASY(lambda job: job.size)) is None
    new.Mine.step = 5
    assert key(new.Mine()) != key(program().Mine())


CELLS = [
    """
import replication as rp
import numpy as np
FACTOR = 2
def weight(job):
    return FACTOR * job.size
""",
    """
class Mine(rp.PythonScheduler, name="mine-in-a-cell"):
    def schedule(self, now):
        for job in sorted(self.queue, key=weight):
            if job.size <= self.free:
                self.begin(job)
mine = Mine()
""",
]


def in_cells(edit=("", ""), before=""):
    """Return the scheduler that a notebook of two cells defines."""
    notebook = types.ModuleType("notebook_of_cells")
    sys.modules["notebook_of_cells"] = notebook
    for k, cell in enumerate(CELLS):
        text = before + cell.replace(*edit)
        name = f"<cell {hash(text)} {k}>"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        exec(compile(text, name, "exec"), vars(notebook))
    return notebook.mine


@pytest.mark.parametrize(
    ("edit", "is_rule"),
    [
        (("FACTOR = 2", "FACTOR = -1"), True),
        (("FACTOR * job.size", "FACTOR + job.size"), True),
        (("FACTOR = 2", "FACTOR = 2  # as before\nOTHER = 1"), False),
    ],
)
def test_the_cells_that_a_class_depends_on_are_in_its_key(edit, is_rule):
    before = key(in_cells())
    assert before is not None and key(in_cells(before="# again\n")) == before
    assert (key(in_cells(edit)) != before) == is_rule
    mine = in_cells()
    sys.modules["notebook_of_cells"].FACTOR = object()  # a value that is not known
    assert key(mine) is None


def test_rows_come_from_the_store_until_a_rule_changes(program, tmp_path):
    jobs, waits = rp.Workload.from_columns("three", 4, [0, 1, 2], [9, 5, 7], [4, 2, 4]), []
    for edit in (("", ""), ("# a copy", "# copied"), ("key=below.size)", "key=below.size)[::-1]")):
        mine = program(*edit).Mine()
        table = rp.sweep(jobs, mine, measures="mean_wait", trim=False, folder=tmp_path / "rows")
        waits.append(table["mean_wait"].item())
        assert waits[-1] == rp.simulate(jobs, mine, trim=False).measures["mean_wait"]
    assert waits[0] == waits[1] != waits[2]


def test_a_changed_rule_of_the_simulator_changes_all_keys(tmp_path):
    """A copy of the package says its hash in a process of its own."""
    copy = tmp_path / "replication"
    shutil.copytree(paths.ROOT / "replication", copy, ignore=shutil.ignore_patterns("__pycache__"))
    program = "from replication.simulator.sweeps import keys; print(keys.simulator())"
    command = [sys.executable, "-c", program]
    where = {**os.environ, "PYTHONPATH": str(tmp_path), "REPLICATION_OUTPUT": str(tmp_path)}

    def now():
        return subprocess.check_output(command, env=where, cwd=tmp_path)

    def edit(name, old, new):
        text = (copy / "simulator" / name).read_text()
        assert old in text
        (copy / "simulator" / name).write_text(text.replace(old, new, 1))

    before = now()
    edit("kernels/easy.py", '"""', '"""In words: ')
    assert now() == before
    edit("kernels/easy.py", "now + estimate[job] <= shadow", "now + estimate[job] < shadow")
    assert now() != before
