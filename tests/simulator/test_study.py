"""Studies: tasks, parts and shards of a study file, and errors that name key and value."""

import pandas as pd
import pytest

import replication as rp
from replication import __main__
from replication.simulator.estimates import FModel, Users
from replication.simulator.predictors import Clairvoyant, Last
from replication.simulator.schedulers import EASY, FCFS, PVEasy
from replication.simulator.sweeps import grid, study

SWF = """; MaxProcs: 8
; Note: a log for tests
"""


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a study and a small log."""
    lines = (
        f"{k} {60 * k} -1 {100 + 7 * k % 50} {1 + k % 8} -1 -1 {1 + k % 8} {300} -1 1 {k % 3} 1 1 1 1 -1 -1"
        for k in range(1, 41)
    )
    (tmp_path / "small.swf").write_text(SWF + "\n".join(lines) + "\n")

    def write(more=""):
        path = tmp_path / "study.toml"
        path.write_text(f'logs = ["small.swf"]\n{more}')
        return path

    return write


WHOLE = """
schedulers = ["easy", "easy:candidates=sjf", "pv-easy", "fcfs"]
predictors = ["last", "perfect"]
estimates = ["log", "f=0:2:1"]
loads = ["log", 0.9]
seeds = 2
"""


def test_a_study_is_a_sweep(written):
    tasks = study.read(written(WHOLE))
    schedulers = [
        *(EASY(predictor=one) for one in (Last(), Clairvoyant())),
        *(EASY(predictor=one, candidates="sjf") for one in (Last(), Clairvoyant())),
        *(PVEasy(predictor=one) for one in (Last(), Clairvoyant())),
        FCFS(),
    ]
    log = rp.load(str(written().parent / "small.swf"))
    models = [Users(), *FModel.grid(0, 2, 1)]
    asked = rp.sweep(log, schedulers, models, seeds=2, loads=["log", 0.9], folder=None)
    columns = ["load", "scheduler", "estimates", "seed", "mean_wait"]
    found = grid.run(tasks, folder=None)
    pd.testing.assert_frame_equal(found[columns], asked[columns])


def test_the_defaults_are_easy_with_user_estimates(written):
    (task,) = study.read(written())
    assert (task.scheduler, task.estimates, task.seeds, task.load) == (EASY(), Users(), (1,), "log")


def test_parts_of_a_grid_and_resampled_workloads(written):
    tasks = study.read(
        written(
            'resampling = ["weeks=1"]\nseeds = 2\n[[part]]\nschedulers = ["fcfs"]\n'
            '[[part]]\nestimates = ["f=0:1:1"]\nseeds = 1\n'
        )
    )
    asked = [(task.scheduler, task.estimates, task.seeds) for task in tasks]
    assert asked == [
        (FCFS(), Users(), (1,)),
        (FCFS(), Users(), (2,)),
        (EASY(), FModel(0), (1,)),
        (EASY(), FModel(1), (1,)),
    ]
    assert tasks[0].facts["resampling"] == "ResampledWeeks(weeks=1)"
    with pytest.raises(study.StudyError, match="part = 3; allowed: tables"):
        study.read(written("part = 3"))
    with pytest.raises(study.StudyError, match="key 'lods'"):
        study.read(written("[[part]]\nlods = [1]"))


def test_shards_are_a_partition(written, tmp_path):
    tasks = study.read(written(WHOLE))
    parts = [study.shard(tasks, k, 3) for k in range(3)]
    assert sorted(task.key for part in parts for task in part) == sorted(task.key for task in tasks)
    assert all(parts)
    fewer = study.shard(tasks[::2], 1, 3)  # which part a task is in does not depend on the others
    assert {task.key for task in fewer} <= {task.key for task in parts[1]}
    with pytest.raises(study.StudyError, match="shard 3 of 3; allowed: 0 to 2"):
        study.shard(tasks, 3, 3)


def test_the_command_runs_parts_and_then_the_table_computes_nothing(
    written, tmp_path, capsys, monkeypatch
):
    path, folder, out = written(WHOLE), tmp_path / "kept", tmp_path / "table.parquet"
    words = ["sweep", str(path), "--folder", str(folder), "--workers", "1"]
    for k in range(3):
        assert __main__.main([*words, "--shard", f"{k}/3"]) == 0
    assert "part 2/3, stored in" in capsys.readouterr().out
    monkeypatch.setattr(grid, "compute", lambda task: pytest.fail("computed again"))
    assert __main__.main([*words, "--out", str(out)]) == 0
    assert len(pd.read_parquet(out)) == len(grid.run(study.read(path), folder=folder))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("sheduler = []", "key 'sheduler' (did you mean schedulers?); allowed: logs, schedulers,"),
        ("seeds = 0", "seeds 0; allowed: a number from 1, or different seeds"),
        (f"estimates = {'[' * 5000}", "recursion depth exceeded"),
        ("loads = [-1]", "load -1, allowed: a share above 0"),
        ("loads = [true]", "load True, allowed: a share above 0"),
        ("watched = 1", "watched = 1; expected true or false"),
        ("estimates = []", "estimates = []; expected one or more"),
        ("[[part]]\nlogs = []", "logs = []; expected one or more"),
        ("seeds = [1, 1]", "seeds [1, 1]; allowed: a number from 1, or different seeds"),
        ("seeds = 9999999999", "seeds = 9999999999; expected a whole number from 1 to 1,000,000"),
        ("schedulers = [3]", "schedulers = [3]; expected a list of text, such as ['easy']"),
        ('schedulers = ["esay"]', "scheduler 'esay' unknown (did you mean easy?)"),
        ('estimates = ["f=0:10:0"]', "from 0.0 to 10.0 by 0.0, allowed: upwards"),
        ("schedulers = 3", "schedulers = 3; expected a list of text, such as ['easy']"),
        ("= 3", "study.toml: "),
    ],
)
def test_a_wrong_study_is_refused_by_file_and_key(written, more, said, capsys):
    path = written(more)
    assert __main__.main(["sweep", str(path), "--out", "x.csv"]) != 0
    line = capsys.readouterr().err
    assert str(path) in line and said in line
    assert line.count("\n") == 1


def test_a_choice_that_cannot_be_stored_has_no_shard(written):
    class Task:
        key = None

    with pytest.raises(study.StudyError, match="shards need stored results"):
        study.shard([Task()], 0, 2)


OWN = """
from dataclasses import dataclass
from replication.simulator.schedulers import FCFS, Scheduler

@dataclass(frozen=True)
class OfStudy(Scheduler, name="of-study"):
    def run(self, workload, estimate, seed):
        return FCFS().run(workload, estimate, seed)

def longest_wait(schedule):
    return schedule.wait.max()
"""


def test_a_study_names_modules_and_measures(written, monkeypatch):
    path = written(
        'schedulers = ["of-study"]\nimports = ["of_study.py"]\n'
        'measures = ["wait_p90", "of_study.longest_wait"]'
    )
    monkeypatch.syspath_prepend(path.parent)
    with pytest.raises(study.StudyError, match="of_study.py does not exist"):
        study.read(path)
    (path.parent / "of_study.py").write_text(OWN)
    (task,) = study.read(path)
    assert repr(task.scheduler) == "OfStudy()" and task.measures[0] == "wait_p90"
    assert task.measures[1].__name__ == "longest_wait"
    assert task.key is None, "the module changed after this session began"
