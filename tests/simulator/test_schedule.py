"""The schedule as a table, as a picture, and from the shell."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from replication.simulator import gantt, paths, swf
from replication.simulator.schedule import TABLE
from replication.simulator.simulation import simulate
from replication.simulator.workload import usage
from tests.workloads import jobs

EXAMPLE = jobs(4, (0, 10, 3, 12), (1, 20, 4, 30), (2, 8, 1), (40, 10, 4))


def test_the_table():
    table = simulate(EXAMPLE).jobs
    assert tuple(table.columns) == TABLE
    assert table.start.tolist() == [0, 10, 2, 40]
    assert table.end.tolist() == [10, 30, 10, 50]
    assert table.estimate.tolist() == table.prediction.tolist() == [12, 30, 8, 10]
    assert table.backfilled.tolist() == [False, False, True, False]
    assert table.times_killed.sum() == 0


def test_the_table_as_csv(tmp_path):
    schedule = simulate(EXAMPLE)
    schedule.write_csv(tmp_path / "jobs.csv")
    read = pd.read_csv(tmp_path / "jobs.csv")
    assert (read.to_numpy() == schedule.jobs.to_numpy(dtype=int)).all()
    assert tuple(read.columns) == TABLE
    assert [p.name for p in tmp_path.iterdir()] == ["jobs.csv"]
    memory = io.BytesIO()
    schedule.write_csv(memory)
    assert memory.getvalue() == (tmp_path / "jobs.csv").read_bytes()


def test_a_table_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    (tmp_path / "jobs.csv").mkdir()
    with pytest.raises(OSError):
        simulate(EXAMPLE).write_csv(tmp_path / "jobs.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["jobs.csv"]


def test_usage():
    instant, used = usage(np.array([0, 2, 2]), np.array([5, 5, 2]), np.array([1, 3, 4]))
    assert instant.tolist() == [0, 2, 5]
    assert used.tolist() == [1, 4, 0]


def test_blocks_of_a_gantt_picture_do_not_overlap(real_log):
    part = simulate(real_log("KTH-SP2").take(slice(0, 400)))
    start, end, size = part.start, part.end, part.workload.processors
    blocks = gantt.place(start, end, size, part.workload.machine)
    width = np.bincount([job for job, _, _ in blocks], [w for *_, w in blocks])
    assert (width == size).all()
    for a, first, w in blocks:
        for b, other, v in blocks:
            if a < b and start[a] < end[b] and start[b] < end[a]:
                assert first + w <= other or other + v <= first


def test_a_gantt_picture_shows_every_job_of_its_window():
    axes = simulate(EXAMPLE).gantt()
    assert len(axes.patches) == 4
    assert len(simulate(EXAMPLE).gantt(since=35, until=60).patches) == 1
    with pytest.raises(ValueError, match="5 processors|more than 4"):
        gantt.place(np.array([0, 0]), np.array([5, 5]), np.array([3, 2]), 4)


def shell(*words):
    done = subprocess.run(
        [sys.executable, "-m", "replication", "simulate", *map(str, words)],
        capture_output=True,
        cwd=paths.ROOT,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "small.swf"
    path.write_text(
        "; MaxProcs: 4\n"
        "1  0 -1 10 3 -1 -1  3 12 -1 1 1 1 -1 -1 -1 -1 -1\n"
        "2  1 -1 20 4 -1 -1 -1 30 -1 1 1 1 -1 -1 -1 -1 -1\n"
        "3  2 -1  8 2 -1 -1  1  6 -1 1 2 1 -1 -1 -1 -1 -1\n"
        "4  3 -1  0 1 -1 -1  1  6 -1 0 2 1 -1 -1 -1 -1 -1\n"
    )
    assert swf.read(path) is not None
    return path


def test_from_the_shell(log, tmp_path):
    code, out, err = shell(log, "--out", tmp_path / "jobs.csv")
    assert code == 0, err
    table = pd.read_csv(tmp_path / "jobs.csv")
    assert table.start.tolist() == [0, 10, 2]
    assert table.estimate.tolist() == [12, 30, 8]  # raised to the run time
    assert "zero-run-time" in out
    assert "3 jobs on 4 processors" in out


def test_from_the_shell_to_standard_output(log):
    code, out, err = shell(log, "--out", "-", "--size", "allocated", "--overrun", "cut-run")
    assert code == 0, err
    table = pd.read_csv(io.StringIO(out))
    assert table.processors.tolist() == [3, 4, 2]
    assert table.run_time.tolist() == [10, 20, 6]
    assert "jobs measured" in err


def test_from_the_shell_as_json(log):
    code, out, err = shell(log, "--json", "--estimates", "f=2", "--seed", "3", "--processors", "8")
    assert code == 0, err
    found = json.loads(out)
    assert found["machine"] == 8
    assert found["measures"]["jobs"] <= 3


def test_from_the_shell_with_a_schedulers_own_options(log):
    code, out, err = shell(
        log,
        "--json",
        "--scheduler",
        "pv-easy",
        "--option",
        "predictor=perfect",
        "--option",
        "cost=60",
    )
    assert code == 0, err
    assert json.loads(out)["scheduler"] == "PVEasy(predictor=Clairvoyant(), cost=60)"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--option", "predictor"), "OPTION=VALUE"),
        (("--option", "oracle=last"), "has no option 'oracle'"),
        (("--scheduler", "pv-easy", "--option", "mode=pause"), "'suspend'"),
        (("--scheduler", "esy"), "did you mean easy"),
        (("--estimates", "g=2"), "log[*FACTOR (a number from 1)]"),
        (("--processors", "2"), "at most the machine's 2"),
        (("--processors", "0"), "0"),
        (("--size", "wished"), "requested"),
    ],
)
def test_wrong_words_are_refused_in_one_line(log, words, message):
    code, _, err = shell(log, *words)
    assert code in (1, 2)
    assert message in err
    assert "Traceback" not in err


def test_an_unknown_trace_is_refused_with_the_known_ones():
    code, _, err = shell("KTH-SP3")
    assert code != 0
    assert "KTH-SP2" in err and "CTC-SP2" in err
