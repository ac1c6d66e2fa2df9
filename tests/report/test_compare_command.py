"""Two schedules side by side, and one by itself: jobs matched, shifts by size, what is impossible."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

from replication.cli import main
from replication.simulator import audits, formats, plans
from replication.simulator.schedulers import EASY, FCFS
from replication.simulator.simulation import simulate
from tests.workloads import as_plan, jobs, workloads

LOG = jobs(16, (0, 10, 12), (1, 10, 12), (2, 5, 4), (3, 100, 1))


def plan(path="a", machine=16, estimate=None, **columns):
    """A plan of hand-made columns."""
    n = len(columns["start"])
    given = {
        "job_id": np.arange(1, n + 1).astype(str),
        "submit": np.zeros(n),
        "processors": np.ones(n, np.int64),
        "estimate": np.full(n, -1.0) if estimate is None else np.array(estimate, float),
    }
    given |= {name: np.asarray(values) for name, values in columns.items()}
    return formats.Plan(path, machine=machine, **given)


@pytest.fixture
def written(tmp_path):
    """Write the log's schedule under a scheduler in some form; returns the path."""

    def write(name, scheduler=EASY(), form=None, workload=LOG):
        formats.write(simulate(workload, scheduler), tmp_path / name, form)
        return str(tmp_path / name)

    return write


def test_shifts_by_hand():
    first = plan(start=[5.0, 6.0, 7.0, 0.0], end=[9.0, 9.0, 9.0, 9.0], processors=[1, 1, 9, 600])
    second = plan(
        start=[1.0, 6.0, 17.0, 2.0], end=[5.0, 9.0, 19.0, 11.0], processors=[1, 1, 9, 600]
    )
    found = plans.compare(first, second)
    assert not found["same"]
    assert [row["class"] for row in found["classes"]] == ["1", "9 to 64", "513 or more", "all"]
    assert found["classes"][0] == {
        "class": "1",
        "jobs": 2,
        "earlier": 1,
        "same": 1,
        "later": 0,
        "mean": -2.0,
    }
    whole = found["classes"][-1]
    assert (whole["earlier"], whole["same"], whole["later"]) == (1, 1, 2)
    assert (found["first"]["mean_wait"], found["second"]["mean_wait"]) == (4.5, 6.5)


def test_jobs_are_matched_by_number_and_differences_of_the_jobs_counted():
    first = plan(start=[0.0, 1.0, 2.0], end=[1.0, 2.0, 3.0])
    second = plan(
        start=[2.0, 1.0, 9.0],
        end=[4.0, 2.0, 10.0],
        job_id=np.array(["3", "2", "9"]),
        processors=[1, 2, 1],
    )
    found = plans.compare(first, second)
    assert (found["matched"], found["only_first"], found["only_second"]) == (2, 1, 1)
    assert (found["other_size"], found["other_run_time"]) == (1, 1)
    assert found["classes"][-1]["same"] == 2
    assert not found["same"]


def test_fractions_of_a_millisecond_count_as_the_same():
    first, second = plan(start=[0.0], end=[1.0]), plan(start=[0.0009], end=[1.0009])
    assert plans.compare(first, second)["same"]
    assert not plans.compare(first, plan(start=[0.4], end=[1.4]))["same"]


@pytest.mark.parametrize(
    "ids, words", [(["1", "1"], "2 jobs have number 1"), (["7", "8"], "have no job in common")]
)
def test_files_that_cannot_be_matched(ids, words):
    with pytest.raises(plans.PlanError, match=words):
        plans.compare(
            plan(start=[0.0, 1.0], end=[1.0, 2.0]),
            plan(start=[0.0, 1.0], end=[1.0, 2.0], job_id=np.array(ids)),
        )


def test_the_command_says_what_differs(written, capsys):
    words = ["compare", written("a.csv", FCFS()), written("b.csv", EASY())]
    assert main(words) == 1
    assert "mean bounded slowdown" in capsys.readouterr().out
    assert main([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    # Under FCFS the third job waits for the second, the fourth for the third; under EASY neither does.
    assert (found["classes"][-1]["earlier"], found["classes"][-1]["later"]) == (2, 0)


@pytest.mark.parametrize("words", [["nowhere.csv"], ["{a}", "{a}"], ["{empty}"]])
def test_trouble_is_code_2_and_one_line(written, tmp_path, capsys, words):
    a = written("a.csv")
    (tmp_path / "empty").touch()
    filled = [word.format(a=a, empty=tmp_path / "empty") for word in words]
    assert main(["compare", a, *filled]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert main(["audit", filled[0], "--processors", "0"]) == 2


@pytest.mark.parametrize(
    "columns, key, count",
    [
        ({"start": [0.0], "end": [1.0], "submit": [0.5]}, "before_submission", 1),
        ({"start": [2.0], "end": [1.0]}, "backwards", 1),
        ({"start": [0.0], "end": [1.0], "processors": [17]}, "larger", 1),
        ({"start": [0.0, 1.0], "end": [1.0, 2.0], "job_id": np.array(["1", "1"])}, "repeated", 1),
    ],
)
def test_what_is_impossible_is_counted(columns, key, count):
    found = plans.check(plan(**columns))
    assert found[key] == count
    assert found["possible"] is False


def test_too_many_processors_at_once():
    over = plan(start=[0.0, 5.0, 9.0], end=[9.0, 9.0, 12.0], processors=[10, 7, 16])
    found = plans.check(over)
    assert (found["possible"], found["peak"], found["over_from"]) == (False, 17, 5.0)
    assert plans.check(over, machine=17)["possible"] is True
    assert plans.check(plan(start=[0.0], end=[1.0], machine=None))["possible"] is None


def test_a_run_past_its_estimate_is_told_but_possible():
    found = plans.check(plan(start=[0.0, 0.0], end=[5.0, 5.0], estimate=[4, -1]))
    assert (found["past_estimate"], found["possible"]) == (1, True)


@given(workload=workloads())
@settings(deadline=None, max_examples=40)
def test_the_audits_of_a_file_are_those_of_the_schedule(workload):
    schedule = simulate(workload)
    found = plans.fairness(plans.as_schedule(as_plan(schedule)))
    assert found["blocked"] == audits.blocked(schedule).sum()
    assert found["head_delayed"] == audits.head_violations(schedule).sum()


def test_the_audit_command(written, capsys):
    path = written("a.swf")
    assert main(["audit", path]) == 0
    assert capsys.readouterr().out.startswith("possible: 4 jobs")
    assert main(["audit", path, "--processors", "12"]) == 1
    assert capsys.readouterr().out.startswith("IMPOSSIBLE: 4 jobs")
    assert main(["audit", path, "--processors", "12", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["possible"], found["over_from"]) == (False, 2.0)
    assert main(["audit", written("a.csv")]) == 0
    assert "undecided without --processors" in capsys.readouterr().out


def test_a_schedule_in_fractions_of_a_second_has_no_fairness(written, tmp_path, capsys):
    header = "job_id,submission_time,requested_number_of_resources,starting_time,finish_time"
    (tmp_path / "b.csv").write_text(f"{header}\n1,0.5,1,1.5,2.5\n")
    assert main(["audit", str(tmp_path / "b.csv"), "--processors", "4"]) == 0
    assert "submit 0.5; allowed: whole seconds" in capsys.readouterr().out
