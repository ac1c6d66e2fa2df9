"""``python -m replication sweep``: the grid it runs, what it keeps, what it refuses."""

import json

import pandas as pd
import pytest

from replication.__main__ import main
from replication.simulator import grid as sweep
from replication.simulator import swf, traces
from replication.simulator.estimates import FModel
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from tests.sweeps.test_sweep import some_jobs


@pytest.fixture
def log(tmp_path):
    """An SWF file of a few hundred jobs."""
    path = tmp_path / "some.swf"
    w = some_jobs()
    swf.write(
        path,
        swf.Trace.from_columns(
            w.submit,
            comments=[f" MaxProcs: {w.machine}"],
            run_time=w.run_time,
            requested_processors=w.processors,
            requested_time=w.estimate,
        ),
    )
    return path


@pytest.fixture
def run(log, tmp_path):
    """Runs the command on the log; its exit code."""

    def start(*words, out="table.csv"):
        return main(
            [
                "sweep",
                str(log),
                *words,
                "--folder",
                str(tmp_path / "kept"),
                "--out",
                str(tmp_path / out),
            ]
        )

    return start


def test_the_table_is_the_grid(run, tmp_path, capsys):
    assert run("--f", "0:1:0.5", "2", "--load", "log", "0.5", "--seeds", "3", "--json") == 0
    table = pd.read_csv(tmp_path / "table.csv")
    said = json.loads(capsys.readouterr().out)
    assert said["simulations"] == len(table) == 4 * 2 * 3
    assert said["points"] == 8
    assert sorted(table["f"].unique()) == [0, 0.5, 1, 2]
    assert set(table["load"]) == {"log", "0.5"}
    assert said["columns"] == list(table.columns)


def test_a_row_is_the_simulation_it_says(run, log, tmp_path):
    assert run("--f", "2.5", "--load", "0.5", "--seeds", "2", out="table.parquet") == 0
    row = pd.read_parquet(tmp_path / "table.parquet").iloc[1]
    whole = traces.load(str(log))
    found = simulate(whole.scaled(whole.load / 0.5), EASY(), FModel(2.5), 2).measures
    assert row["seed"] == 2
    assert row["mean_wait"] == pytest.approx(found["mean_wait"], rel=1e-12)


def test_what_was_done_is_not_done_again(run, monkeypatch):
    assert run("--f", "0", "1") == 0
    done = []
    monkeypatch.setattr(
        sweep, "compute", lambda task: done.append(task.estimates.f) or pytest.fail("twice")
    )
    assert run("--f", "0", "1") == 0
    monkeypatch.undo()
    real = sweep.compute
    monkeypatch.setattr(sweep, "compute", lambda task: done.append(task.estimates.f) or real(task))
    assert run("--f", "0:3:1") == 0
    assert sorted(done) == [2, 3]


def test_models_that_draw_nothing_run_once(run, tmp_path):
    assert run("--model", "deterministic", "--f", "1", "--seeds", "5", "--watch") == 0
    table = pd.read_csv(tmp_path / "table.csv")
    assert len(table) == 1
    assert table["sjfness"].notna().all()


def test_workloads_drawn_anew_and_loads_of_both_kinds(run, log, tmp_path):
    words = ["--scheduler", "easy", "fcfs", "--resampling", "weeks=1", "--load", "log", "0.5"]
    assert run(*words, "--seeds", "2", out="table.parquet") == 0
    table = pd.read_parquet(tmp_path / "table.parquet")
    assert set(table["load"]) == {"log", "0.5"}
    assert set(table["resampling"]) == {"ResampledWeeks(weeks=1)"}
    assert len(table) == 8


@pytest.mark.parametrize(
    "words, said",
    [
        (["--f", "1:0:1"], "'f=1:0:1': from 1.0 to 0.0 by 1.0, allowed: upwards"),
        (["--f", "0:999999999:0.1"], "allowed: upwards, up to 1,000,000 values"),
        (["--f", "many"], "--f many, allowed: a number from 0"),
        (["--f", "2,emax=60"], "--f 2,emax=60, allowed: a number from 0"),
        (["--f", "0:1"], "estimates 'f=0:1': '1', allowed"),
        (["--load", "3"], "--load 3, allowed: log, or a share"),
        (["--resampling", "week=1"], "resampling 'week' unknown"),
        (["--seeds", "0"], "--seeds 0, allowed: 1 or more"),
        (["--model", "modal"], "needs --e-max"),
        (["--model", "log"], "Users: factor=0; allowed: a number from 1"),
        (["--model", "log", "--f", "2", "0.5"], "factor=0.5; allowed: a number from 1"),
        (["--f", "0:999:1", "--seeds", "9999"], "simulations, allowed: up to 1,000,000"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run, capsys, words, said):
    assert run(*words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_table_needs_a_name_it_can_be_written_to(run, tmp_path):
    assert run(out="table.xlsx") == 2
    assert not list(tmp_path.glob("table*"))


def test_ranges_end_with_their_end_and_have_short_decimals(run, tmp_path):
    assert run("--f", "0:0.3:0.1", "4:10:4", "--e-max", "64800") == 0
    table = pd.read_csv(tmp_path / "table.csv")
    assert table["f"].tolist() == [0, 0.1, 0.2, 0.3, 4, 8]
    assert set(table["e_max"]) == {64800}
    assert run("--estimates", "deterministic=0:2:1") == 0
    assert pd.read_csv(tmp_path / "table.csv")["f"].tolist() == [0, 1, 2]


def test_any_scheduler_and_estimates_in_the_words_of_simulate(run, tmp_path):
    words = ["--scheduler", "easy", "fcfs", "--estimates", "log", "f=2", "--seeds", "2"]
    assert run(*words) == 0
    table = pd.read_csv(tmp_path / "table.csv")
    drawn = table["estimates"].str.contains("FModel")
    assert sorted(table["scheduler"].unique()) == ["EASY()", "FCFS()"]
    assert drawn.sum() == 3  # FCFS ignores estimates
    assert set(table["seed"][drawn]) == {1, 2}
