"""The command line: commands, one-line errors, exit codes and valid JSON."""

import json
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication import __version__
from replication.cli import main
from replication.simulator import paths
from replication.simulator.logs import registry, swf
from tests.workloads import write_log

OWN_DECAY = "EASY(predictor=TopPercent(percent=3.0, decay=0.5))"
SCHEDULERS = """
from dataclasses import dataclass
from replication import FCFS, Scheduler

@dataclass(frozen=True)
class Mine(Scheduler, name="mine"):
    '''First come, first served.'''
    def run(self, workload, estimate, seed):
        return FCFS().run(workload, estimate, seed)
"""


@pytest.fixture
def log(tmp_path):
    """An SWF file of 300 jobs."""
    draws = np.random.default_rng(1)
    columns = {
        "submit": np.sort(draws.integers(0, 10_000, 300)),
        "run_time": draws.integers(1, 2000, 300),
        "requested_processors": draws.integers(1, 9, 300),
    }
    return str(write_log(tmp_path / "some.swf", requested_time=np.full(300, 4000), **columns))


def run(capsys, *arguments):
    code = main([str(word) for word in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_simulate_prints_its_trim_and_its_output(log, tmp_path, capsys):
    target = tmp_path / "jobs.csv"
    code, out, _ = run(capsys, "simulate", log, "--scheduler", OWN_DECAY, "--json")
    assert json.loads(out)["scheduler"] == OWN_DECAY
    code, out, _ = run(capsys, "simulate", log, "--scheduler", "EASY(Last())", "--out", target)
    assert code == 0 and f"schedule written to {target}" in out and "of 300 jobs" in out
    assert len(pd.read_csv(target)) == 300
    run(capsys, "simulate", log, "--out", tmp_path / "jobs.swf.gz")
    assert len(swf.read(tmp_path / "jobs.swf.gz")) == 300


def test_every_option_of_a_simulation_has_its_effect(tmp_path, capsys):
    draws, estimate = np.random.default_rng(1), np.full(200, 4000)
    estimate[::9] = -1
    log = write_log(
        tmp_path / "odd.swf",
        submit=np.sort(draws.integers(0, 10_000, 200)),
        run_time=np.maximum(draws.integers(-200, 2000, 200), 0),
        requested_processors=draws.integers(1, 9, 200),
        requested_time=estimate,
    )
    options = {
        "scheduler": "EASY(Last())",
        "estimates": "f-model=2",
        "load": "0.9",
        "seed": "3",
        "trim": "none",
        "processors": "12",
        "drop": "no-estimate",
        "keep": "zero-run-time",
    }

    def measured(options):
        arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
        return json.loads(run(capsys, "simulate", log, *arguments, "--json")[1])["measures"]

    workload = rp.load(log, machine=12, drop="no-estimate", keep="zero-run-time").at_load(0.9)
    expected = rp.simulate(workload, "EASY(Last())", "f-model=2", 3, trim=False).measures
    assert measured(options) == pytest.approx(expected)
    for name in options:
        assert measured({key: options[key] for key in options if key != name}) != expected


def test_json_has_no_nan(tmp_path, capsys):
    code, out, _ = run(capsys, "simulate", write_log(tmp_path / "one.swf", submit=[0]), "--json")
    assert code == 0 and "NaN" not in out and None in json.loads(out)["measures"].values()


def test_a_warning_is_one_line_in_the_words_of_the_shell(tmp_path, capsys):
    fields = {"submit": [0, 0, 500, 900], "wait": [0] * 4, "run_time": [100] * 4}
    fields |= {"requested_processors": [7] * 4, "requested_time": [-1, 200, 200, 200]}
    code, _, err = run(capsys, "simulate", write_log(tmp_path / "few.swf", **fields))
    (line,) = err.splitlines()
    assert code == 0 and line.startswith("replication: warning: ")
    assert "25 % of the jobs have no estimate" in line and "--estimates" in line


def test_a_scheduler_of_ones_own(log, tmp_path, capsys):
    (tmp_path / "my_scheduler.py").write_text(SCHEDULERS)
    import_option = ["--import", tmp_path / "my_scheduler.py"]
    for name in ("mine", "Mine()"):
        assert run(capsys, *import_option, "simulate", log, "--scheduler", name)[0] == 0
    (tmp_path / "broken.py").write_text(
        "import replication as rp\nclass Broken(rp.PythonScheduler):\n    def schedule(self, now): "
        "1 / 0\n"
    )
    arguments = "--import", tmp_path / "broken.py", "simulate", log, "--scheduler", "broken"
    code, _, err = run(capsys, *arguments)
    assert code == 1 and err.startswith("replication: in Broken().schedule at 58 s: ZeroDivision")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["simulat"], 2, "No such command 'simulat'. Did you mean 'simulate'?"),
        (["simulate", "nothing.swf"], 2, "nothing.swf"),
        (["simulate", "KTH-SP"], 2, "did you mean KTH-SP2?"),
        (["simulate", "{log}", "--scheduler", "EASY(Lst())"], 2, "did you mean Last?"),
        (["simulate", "{log}", "--estimates", "f-model=-1"], 2, "f=-1"),
        (["simulate", "{log}", "--out", "nowhere/a.csv"], 2, "the folder does not exist"),
        (["simulate", "{log}", "--out", "."], 2, "is a folder"),
        (["figures", "--only", "heel_and_toe/fig02", "--set", "f_may=2"], 2, "f_may"),
        (["figures", "--only", "heel_and_toe/fig02", "--set", "logs=[a"], 2, "expected NAME=YAML"),
        (["--import", "nothing.py", "logs", "list"], 2, "nothing.py does not exist"),
        (["--import", "{log}", "logs", "list"], 2, "a Python file, whose name ends in .py"),
        (["simulate", "x.swf", "--seed", "-1"], 2, "Invalid value for '--seed': -1"),
        (["figures", "--only", "fig02"], 2, "did you mean pv_easy/fig02 or heel_and_toe/fig02"),
    ],
)
def test_an_error_is_one_line(log, capsys, monkeypatch, tmp_path, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *(word.replace("{log}", log) for word in arguments))
    assert (status, out, err.count("\n")) == (code, "", 1) and message in err


def test_a_log_is_never_overwritten_however_it_is_named(log, tmp_path, capsys, monkeypatch):
    registered = tmp_path / registry.info("KTH-SP2").file
    registered.write_bytes(Path(log).read_bytes())
    monkeypatch.setenv("REPLICATION_TRACES", str(tmp_path))
    (tmp_path / "a.csv").symlink_to(log)
    (tmp_path / "b.csv").symlink_to(registered)
    for arguments in (
        ["simulate", log, "--out", log],
        ["simulate", "KTH-SP2", "--out", registered],
        ["simulate", log, "--out", tmp_path / "a.csv"],
        ["simulate", "KTH-SP2", "--out", tmp_path / "b.csv"],
    ):
        code, _, err = run(capsys, *arguments)
        assert code == 2 and "is the input" in err and err.count("\n") == 1
    assert registered.read_bytes() == Path(log).read_bytes()


def test_nothing_runs_without_compilation(monkeypatch, capsys):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    code, _, err = run(capsys, "logs", "list")
    assert (code, err.count("\n")) == (2, 1) and "NUMBA_DISABLE_JIT is set" in err


def test_what_is_there_is_listed(capsys):
    rows = [row["name"] for row in json.loads(run(capsys, "logs", "list", "--json")[1])]
    _, *lines = run(capsys, "logs", "list")[1].splitlines()
    assert [line.split()[0] for line in lines] == rows and {*rows} == {*registry.names()}
    assert "heel_and_toe/fig02" in run(capsys, "figures", "--list")[1]
    assert "interpretations/pv_easy" in run(capsys, "studies", "--list")[1]


def test_version_and_start():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "replication", "--version"],
        capture_output=True, text=True, cwd=paths.ROOT, check=True,
    )  # fmt: skip
    assert done.stdout == f"replication {__version__}\n"
    assert not {"matplotlib", "papermill", "jinja2"} & {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines()
    }
