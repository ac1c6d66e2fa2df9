"""Schedules: tables, CSV files and Gantt charts."""

import io

import numpy as np
import pandas as pd
import pytest

from replication.simulator.schedules import gantt
from replication.simulator.schedules.schedule import TABLE
from replication.simulator.simulation import simulate
from tests.workloads import jobs

EXAMPLE = jobs(4, (0, 10, 3, 12), (1, 20, 4, 30), (2, 8, 1), (40, 10, 4))


def test_the_table():
    table = simulate(EXAMPLE).jobs
    assert tuple(table.columns[: len(TABLE)]) == TABLE
    assert table.start.tolist() == [0, 10, 2, 40]
    assert table.end.tolist() == [10, 30, 10, 50]
    assert table.estimate.tolist() == table.prediction.tolist() == [12, 30, 8, 10]
    assert table.backfilled.tolist() == [False, False, True, False]
    assert table.times_killed.sum() == 0


def test_the_table_as_csv(tmp_path):
    schedule = simulate(EXAMPLE)
    schedule.write_csv(tmp_path / "jobs.csv")
    read = pd.read_csv(tmp_path / "jobs.csv")
    assert (read.to_numpy() == schedule.jobs[list(TABLE)].to_numpy(dtype=int)).all()
    assert tuple(read.columns) == TABLE
    assert [p.name for p in tmp_path.iterdir()] == ["jobs.csv"]
    memory = io.BytesIO()
    schedule.write_csv(memory)
    assert memory.getvalue() == (tmp_path / "jobs.csv").read_bytes()


def test_a_gantt_picture_shows_every_job_of_its_window():
    axes = simulate(EXAMPLE).gantt()
    assert len(axes.patches) == 4
    assert len(simulate(EXAMPLE).gantt(since=35, until=60).patches) == 1
    with pytest.raises(ValueError, match="5 processors|more than 4"):
        gantt.place(np.array([0, 0]), np.array([5, 5]), np.array([3, 2]), 4)
