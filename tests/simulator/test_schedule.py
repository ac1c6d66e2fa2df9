"""Schedules: tables, CSV files and Gantt charts."""

import io

import numpy as np
import pandas as pd
import pytest

from replication.simulator.predictors import Last
from replication.simulator.schedulers import FCFS, PVEasy
from replication.simulator.schedules import export, gantt
from replication.simulator.schedules.schedule import TABLE, Schedule, ScheduleError
from replication.simulator.simulation import simulate
from tests.workloads import jobs, preempted_jobs

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


def test_the_waits_of_a_log_are_filled_in():
    schedule = simulate(jobs(4, (0, 10, 3), (1, 10, 3), (2, 5, 1), (3, 0, 1)), FCFS())
    trace = export.as_trace(schedule)
    assert trace.wait.tolist() == [0, 9, 8, 12]
    assert trace.run_time.tolist() == [10, 10, 5, 0]
    assert trace.max_procs == 4
    assert any("scheduler FCFS(), estimates Users(), seed 1" in line for line in trace.comments)


def test_partial_executions_are_lines_of_status_2_to_4(tmp_path):
    schedule = simulate(preempted_jobs(), PVEasy(predictor=Last(), preemption="suspend"))
    schedule.write_swf(tmp_path / "a.swf")
    table = np.loadtxt(tmp_path / "a.swf", comments=";")
    job_id, submit, wait, run_time, status = table[:, [0, 1, 2, 3, 10]].T.astype(int)
    whole, *parts = np.flatnonzero(job_id == schedule.workload.job_id[schedule.killed_runs[0, 0]])
    later = [-1] * (len(parts) - 1)
    assert status[whole] == 1 and status[parts].tolist() == [2 for _ in later] + [3]
    assert submit[parts].tolist() == [submit[whole], *later]
    assert run_time[whole] == run_time[parts].sum() and wait[whole] == wait[parts[0]]


def test_a_gantt_picture_shows_every_job_of_its_window():
    run = simulate(EXAMPLE.replace(name=r"$\foo$"))
    axes = run.gantt()
    axes.figure.canvas.draw()  # a name with dollar signs is no formula
    assert len(axes.patches) == 4
    assert len(run.gantt(since=35, until=60).patches) == 1
    with pytest.raises(ValueError, match="expected since < until"):
        run.gantt(since=5, until=1)
    with pytest.raises(ValueError, match="5 processors|more than 4"):
        gantt.place(np.array([0, 0]), np.array([5, 5]), np.array([3, 2]), 4)


def test_the_schedule_of_a_log_has_its_waits():
    w = jobs(4, (0, 5, 3), (1, 5, 4), (2, 3, 1)).replace(more={"wait": [0, 4, 1]})
    schedule = Schedule.of_log(w, trim=False)
    assert schedule.start.tolist() == [0, 5, 3] and schedule.wait.tolist() == [0, 4, 1]
    assert schedule.backfilled.tolist() == [False, False, True]
    with pytest.raises(ScheduleError, match="5 processors in use at second 5, the machine has 4"):
        schedule.validate()
    with pytest.raises(ScheduleError, match="no waits; load the log with more='wait'"):
        Schedule.of_log(w.replace(more={}))
    with pytest.raises(ScheduleError, match=r"job 2: wait -1, which is unknown \(2 such jobs\)"):
        Schedule.of_log(w.replace(more={"wait": [0, -1, -1]}))
