"""The line that says for how long kernels have been compiled."""

import re

import pytest
from numba import njit

import replication as rp
from replication.report import run
from replication.simulator import compile_clock


@pytest.fixture
def quick(monkeypatch):
    """A clock that ticks every millisecond."""
    monkeypatch.setattr(compile_clock, "PERIOD", 0.001)


def compile_something():
    """Simulate a scheduler, and compile a function of its own."""
    jobs = rp.Workload.from_columns("three", 4, [0, 1, 2], [9, 5, 3], [3, 4, 1])
    rp.simulate(jobs, rp.FCFS())
    njit(lambda n: [k * k for k in range(n)])(2)


def test_the_line_names_the_scheduler_and_goes(quick):
    lines = []
    with compile_clock.showing(lines.append):
        compile_something()
    assert re.fullmatch(r"0:\d\d, compiling FCFS\(\), first run only", lines[0])
    assert lines[-1] == ""


def test_a_figure_run_shows_what_its_kernel_compiles(quick, monkeypatch, tmp_path):
    shown, file = [], tmp_path / "compiling"
    monkeypatch.setenv(compile_clock.FILE, str(file))
    monkeypatch.setattr(run, "_compiling", lambda: file)
    bar = type("Bar", (), {"set_description_str": lambda self, line: shown.append(line)})()
    with compile_clock.every_second(lambda: run._say(bar, "1 of 1", "a/b", 0.0, 10)):
        compile_something()
    expected = r"1 of 1, \d:\d\d, compiling FCFS\(\), first run only: a/b"
    assert any(re.fullmatch(expected, line) for line in shown)
    assert not file.exists()
    run._say(bar, "1 of 1", "a/b", run.time.perf_counter() - 42, 100)
    assert shown[-1] == "1 of 1, 0:42, < 1 min left: a/b"


def test_lines_are_cut_at_a_space():
    line = "0:42, compiling EASY(predictor=Last(), correction='now'), first run only"
    assert compile_clock.fitted(line, 45) == "0:42, compiling EASY(predictor=Last() …"
    assert compile_clock.fitted(line, 80) == line
