"""The command line: commands, one-line errors, exit codes and valid JSON."""

import json
import subprocess
import sys
from pathlib import Path

import click
import numba
import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication import __version__
from replication.cli import main, shell
from replication.simulator import paths, writing
from replication.simulator.logs import registry, swf
from tests.workloads import write_log

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


def run(capsys, *words):
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def test_simulate_prints_its_trim_and_its_output(log, tmp_path, capsys):
    target = tmp_path / "jobs.csv"
    code, out, _ = run(capsys, "simulate", log, "--predictor", "top=3,decay=0.5", "--json")
    assert json.loads(out)["scheduler"] == "EASY(predictor=TopPercent(percent=3.0, decay=0.5))"
    code, out, _ = run(capsys, "simulate", log, "--predictor", "last", "--out", target)
    assert code == 0 and f"schedule written to {target}" in out and "of 300 jobs" in out
    assert len(pd.read_csv(target)) == 300
    run(capsys, "simulate", log, "--out", tmp_path / "jobs.swf.gz")
    assert len(swf.read(tmp_path / "jobs.swf.gz")) == 300
    code, out, _ = run(capsys, "simulate", log, "--trim", "none", "--json")
    assert json.loads(out)["trim"] == "none"


def test_a_header_does_not_control_the_terminal(log, capsys):
    text = Path(log).read_text()
    Path(log).write_text("; Computer: a\x1b[31m\x07b\u202e\u00e9\n" + text)
    assert "a\\x1b[31m\\x07b\\u202e\u00e9" in run(capsys, "logs", "describe", log)[1]


def test_json_has_no_nan(tmp_path, capsys):
    code, out, _ = run(capsys, "simulate", write_log(tmp_path / "one.swf", submit=[0]), "--json")
    assert code == 0 and "NaN" not in out and None in json.loads(out)["measures"].values()


def test_sweep_writes_the_grid(log, tmp_path, capsys):
    grid = ["--estimates", "f=0:1:0.5", "--estimates", "log", "--load", "log", "--load", "0.5"]
    where = ["--seeds", 2, "--folder", tmp_path / "results", "--out", tmp_path / "table.csv"]
    code, out, _ = run(capsys, "sweep", log, *grid, *where, "--json")
    table = pd.read_csv(tmp_path / "table.csv")
    # The log's own estimates draw nothing.
    assert code == 0 and json.loads(out)["simulations"] == len(table) == 2 * (3 * 2 + 1)


def test_compare_prints_and_writes_what_python_returns(log, tmp_path, capsys):
    words = [log, "easy", "fcfs", "--predictor", "last", "--estimates", "f=0:1:1", "--seed", 2]
    words += ["--measure", "mean_wait", "--measure", "wait_p95", "--trim", "none"]
    where = ["--folder", tmp_path / "results", "--out", tmp_path / "table.csv"]
    code, out, _ = run(capsys, "compare", *words, *where)
    table = rp.compare(
        rp.load(log), ["easy-last", "fcfs"], ["f=0", "f=1"], 2, folder=None,
        measures=["mean_wait", "wait_p95"], trim=False,
    )  # fmt: skip
    assert code == 0 and out == f"{table!r}\ntable written to {tmp_path / 'table.csv'}\n"
    assert (tmp_path / "table.csv").read_bytes() == writing.frame_csv(table)
    rows = json.loads(run(capsys, "compare", *words, "--json")[1])
    assert rows == table.to_dict("records")


def test_compare_on_logs_that_are_drawn(log, capsys):
    words = ["--resampling", "weeks=2", "--draws", 3, "--measure", "mean_wait", "--json"]
    rows = json.loads(run(capsys, "compare", log, "easy", "fcfs", *words)[1])
    assert [row["seeds"] for row in rows] == [3, 3] and rows[0]["difference"] == 0
    assert rows[0]["resampling"] == "ResampledWeeks(weeks=2)"
    code, _, err = run(capsys, "compare", log, "easy", "--intervals", *words)
    assert code == 2 and "intervals and resampling; allowed: one of them" in err


def test_a_scheduler_of_ones_own(log, tmp_path, capsys):
    (tmp_path / "my_scheduler.py").write_text(SCHEDULERS)
    own = ["--import", tmp_path / "my_scheduler.py"]
    assert run(capsys, *own, "simulate", log, "--scheduler", "mine")[0] == 0
    (tmp_path / "broken.py").write_text(
        "import replication as rp\nclass Broken(rp.PythonScheduler):\n    def schedule(self, now): "
        "1 / 0\n"
    )
    words = "--import", tmp_path / "broken.py", "simulate", log, "--scheduler", "broken"
    code, _, err = run(capsys, *words)
    assert code == 1 and err.startswith("replication: in Broken().schedule at 58 s: ZeroDivision")
    assert err.count("\n") == 1


def test_figures_lists_its_items(capsys):
    assert "heel_and_toe/fig02" in run(capsys, "figures", "--list")[1]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["simulat"], 2, "No such command 'simulat'. Did you mean 'simulate'?"),
        (["simulate"], 2, "Missing argument 'LOG'"),
        (["simulate", "nothing.swf"], 2, "nothing.swf"),
        (["simulate", "KTH-SP"], 2, "did you mean KTH-SP2?"),
        (["simulate", "KTH-SP2", "--paper", "hpdc"], 2, "hpdc"),
        (["simulate", "{log}", "--predictor", "lst"], 2, "did you mean last?"),
        (["simulate", "{log}", "--estimates", "f=-1"], 2, "f=-1"),
        (["simulate", "{log}", "--out", "nowhere/a.csv"], 2, "the folder does not exist"),
        (["simulate", "{log}", "--out", "."], 2, "is a folder"),
        (["simulate", "."], 2, "a folder; expected a file"),
        (["sweep", "{log}", "--engine", "thread", "--out", "a.csv"], 2, "engine 'thread'"),
        (["figures", "--only", "heel_and_toe/fig02", "--set", "f_may=2"], 2, "f_may"),
        (["--import", "nothing.py", "logs", "list"], 2, "nothing.py does not exist"),
        (["--import", "{log}", "logs", "list"], 2, "a Python file, whose name ends in .py"),
        (["simulate", "x.swf", "--scheduler", "esay"], 2, "did you mean easy?"),
        (["compare", "{log}"], 2, "Missing argument 'SCHEDULER...'"),
        (
            ["compare", "{log}", "easy", "--measure", "wait"],
            2,
            "mean_wait, median_wait, max_wait or",
        ),
        (["compare", "{log}", "easy", "--out", "x"], 2, "a name that ends in .csv or .parquet"),
        (["simulate", "x.swf", "--seed", "-1"], 2, "Invalid value for '--seed': -1"),
        (["sweep", "x.swf"], 2, "Missing option '--out'"),
        (["sweep", "x.swf", "--out", "x"], 2, "expected a name that ends in .csv or .parquet"),
        (["sweep", "{log}", "--load", "3", "--out", "a.csv"], 2, "load 3; allowed: a share"),
        (["figures", "--only", "heel_and_toe/fig2"], 2, "did you mean heel_and_toe/fig02"),
        (["figures", "--only", "fig02"], 2, "did you mean pv_easy/fig02 or heel_and_toe/fig02"),
    ],
)
def test_an_error_is_one_line(log, capsys, monkeypatch, tmp_path, words, code, message):
    monkeypatch.chdir(tmp_path)
    given, out, err = run(capsys, *(word.replace("{log}", log) for word in words))
    assert (given, out, err.count("\n")) == (code, "", 1) and message in err


def test_a_log_is_never_overwritten_however_it_is_named(log, tmp_path, capsys, monkeypatch):
    registered = tmp_path / registry.info("KTH-SP2").file
    registered.write_bytes(Path(log).read_bytes())
    monkeypatch.setenv("REPLICATION_TRACES", str(tmp_path))
    for target, source in (("a.csv", log), ("b.csv", registered)):
        (tmp_path / target).symlink_to(source)
    for words in (
        ["simulate", log, "--out", log],
        ["simulate", "KTH-SP2", "--out", registered],
        ["sweep", log, "--out", tmp_path / "a.csv"],
        ["compare", log, "easy", "--out", tmp_path / "a.csv"],
        ["sweep", "KTH-SP2", "--out", tmp_path / "b.csv"],
    ):
        code, _, err = run(capsys, *words)
        assert code == 2 and "is the input" in err and err.count("\n") == 1
    assert registered.read_bytes() == Path(log).read_bytes()


def test_nothing_runs_without_compilation(monkeypatch, capsys):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    code, _, err = run(capsys, "logs", "list")
    assert (code, err.count("\n")) == (2, 1) and "NUMBA_DISABLE_JIT is set" in err


@pytest.mark.parametrize("name", list(shell.commands))
def test_help(capsys, name):
    code, out, _ = run(capsys, name, "--help")
    assert code == 0 and out.startswith(f"Usage: replication {name}")


@pytest.mark.parametrize("group", [shell, shell.commands["logs"]], ids=lambda group: group.name)
def test_summaries_fit_into_80_columns(group):
    context = click.Context(group, info_name=f"replication {group.name}", terminal_width=80)
    listed = group.get_help(context)
    for name, command in group.commands.items():
        if not command.hidden:
            summary = command.help.partition("\n\n")[0]
            assert f"{name} " in listed and summary in listed, f"{name} is cut: {summary}"
    assert max(map(len, listed.splitlines())) <= 80


def test_version_and_start():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "replication", "--version"],
        capture_output=True, text=True, cwd=paths.ROOT, check=True,
    )  # fmt: skip
    assert done.stdout == f"replication {__version__}\n"
    assert not {"matplotlib", "papermill", "jinja2"} & {
        line.rpartition("|")[2].strip() for line in done.stderr.splitlines()
    }
