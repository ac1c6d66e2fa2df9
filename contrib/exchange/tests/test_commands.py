"""Two schedules side by side, and one by itself: jobs matched, shifts by size, what is
impossible.
"""

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis.strategies import data, integers, lists

from notebooks import audits
from plans_of_schedules import as_plan
from replication import EASY, FCFS, simulate
from replication_exchange import cli, formats, plans
from tests.workloads import jobs, workloads

LOG = jobs(16, (0, 10, 12), (1, 10, 12), (2, 5, 4), (3, 100, 1))


def run(*words):
    """Return the exit code, standard output and standard error of a command."""
    done = CliRunner().invoke(cli.main, list(map(str, words)))
    return done.exit_code, done.stdout, done.stderr


def plan(path="a", machine=16, estimate=None, **columns):
    """A plan of hand-made columns."""
    n = len(columns["start"])
    given = {
        "job_id": np.arange(1, n + 1).astype(str),
        "submit": np.zeros(n),
        "processors": np.ones(n, np.int64),
        "estimate": np.full(n, -1.0) if estimate is None else np.array(estimate, float),
    }
    columns = {k: v if k == "resources" else np.asarray(v) for k, v in columns.items()}
    return formats.Plan(path, machine=machine, **given | columns)


@pytest.fixture
def written(tmp_path):
    """Write the log's schedule under a scheduler; returns the path."""

    def write(name, scheduler=EASY()):
        schedule = simulate(LOG, scheduler)
        (schedule.write_swf if name.endswith(".swf") else schedule.write_csv)(tmp_path / name)
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


def test_the_command_says_what_differs(written):
    words = ["compare", written("a.csv", FCFS()), written("b.csv", EASY())]
    code, out, _ = run(*words)
    assert code == 1 and "mean bounded slowdown" in out
    code, out, _ = run(*words, "--json")
    found = json.loads(out)
    # Under FCFS the third job waits for the second, the fourth for the third; under EASY neither
    # does.
    assert (found["classes"][-1]["earlier"], found["classes"][-1]["later"]) == (2, 0)
    assert run("compare", words[1], words[1])[0] == 0


@pytest.mark.parametrize("words", [["nowhere.csv"], ["{a}", "{a}"], ["{empty}"]])
def test_trouble_is_code_2_and_one_line(written, tmp_path, words):
    a = written("a.csv")
    (tmp_path / "empty").touch()
    filled = [word.format(a=a, empty=tmp_path / "empty") for word in words]
    code, _, error = run("compare", a, *filled)
    assert code == 2 and error.splitlines()[-1].startswith("Error: ")
    assert run("audit", filled[0], "--processors", "0")[0] == 2


def test_export_writes_batsims_table_of_the_same_schedule(written, tmp_path):
    for name, more in (("a.swf", []), ("a.csv", ["--processors", 16])):
        path = written(name)
        assert run("export", path, tmp_path / "jobs.csv", *more) == (0, "", "")
        assert run("compare", path, tmp_path / "jobs.csv")[0] == 0
    code, _, error = run("export", path, tmp_path / "b.csv")
    assert code == 2 and "the machine is unknown" in error and not (tmp_path / "b.csv").exists()
    code, _, error = run("export", path, path, "--processors", 16)
    assert code == 2 and "is the input" in error


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
    found = plans.fairness(as_plan(schedule))
    assert found["blocked"] == audits.blocked(schedule).sum()
    assert found["head_delayed"] == audits.head_violations(schedule).sum()


def test_the_audit_command(written):
    path = written("a.swf")
    code, out, _ = run("audit", path)
    assert code == 0 and out.startswith("possible: 4 jobs")
    code, out, _ = run("audit", path, "--processors", "12")
    assert code == 1 and out.startswith("IMPOSSIBLE: 4 jobs")
    code, out, _ = run("audit", path, "--processors", "12", "--json")
    found = json.loads(out)
    assert (code, found["possible"], found["over_from"]) == (1, False, 2.0)
    code, out, _ = run("audit", written("a.csv"))
    assert code == 0 and "undecided without --processors" in out


def test_fractions_of_a_second_are_counted_in_milliseconds(tmp_path):
    header = "job_id,submission_time,requested_number_of_resources,starting_time,finish_time,"
    header += "requested_time"
    rows = "1,1700000000.5,3,1700000001.5,1700000002.5,9\n"
    rows += "2,1700000000.75,2,1700000002.5,1700000004.001,9\n"
    (tmp_path / "b.csv").write_text(f"{header}\n{rows}")
    code, out, _ = run("audit", tmp_path / "b.csv", "--processors", "4", "--json")
    found = json.loads(out)
    assert (code, found["possible"], found["in_milliseconds"]) == (0, True, True)
    # Job 2 is blocked by the earlier one only.
    assert found["fairness"]["blocked"] == 2
    assert (found["fairness"]["idle_delayed"], found["fairness"]["idle_delay"]) == (1, 1.0)
    assert "they are counted in milliseconds" in run("audit", tmp_path / "b.csv")[1]
    log = "; MaxProcs: 4\n1 0.5 1 2.0005 3 -1 -1 3 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    (tmp_path / "a.swf").write_text(log)
    plan = formats.read(tmp_path / "a.swf")
    assert (plan.start.tolist(), plan.end.tolist()) == ([1.5], [3.501])
    assert run("export", tmp_path / "b.csv", tmp_path / "c.csv", "--processors", 4)[0] == 0
    assert run("compare", tmp_path / "b.csv", tmp_path / "c.csv")[0] == 0
    assert "1700000004.001" in (tmp_path / "c.csv").read_text()


def heads(latency=0, **columns):
    """Return the numbers of jobs delayed by later ones, by nobody, and within the latency."""
    found = plans.fairness(plan(**columns), latency=latency)
    return found["head_delayed"], found["idle_delayed"], found["within_latency"]


def test_a_delay_needs_a_later_job_that_holds_what_the_head_lacks():
    alone = {"start": [3.0], "end": [9.0]}
    assert (heads(**alone), heads(3, **alone)) == ((0, 1, 0), (0, 0, 1))
    # Job 2 could start at 10, when job 1 ends; job 3 holds what it lacks until 14; it starts a
    # second later.
    columns = {"submit": [0.0, 1, 2], "start": [0.0, 15, 2], "end": [10.0, 20, 14]}
    columns |= {"processors": [8, 16, 8]}
    assert plans.fairness(plan(**columns))["head_delay"] == 4
    assert [heads(seconds, **columns) for seconds in (0, 3, 4)] == [(1, 0, 0), (1, 0, 0), (0, 0, 1)]
    columns["start"] = [0.0, 30, 2]
    columns["end"] = [10.0, 35, 14]
    assert [heads(seconds, **columns) for seconds in (3, 4, 16)] == [
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
    ]


def test_missed_reservations_need_estimates():
    columns = {"submit": [0.0, 1, 2], "start": [0.0, 14, 2], "end": [10.0, 20, 14]}
    columns |= {"processors": [8, 16, 8]}
    assert plans.fairness(plan(**columns))["reservations_broken"] is None
    found = plans.fairness(plan(**columns, estimate=[10, 6, 8]))
    assert (found["reservations_broken"], found["reservation_delay"]) == (1, 4)
    assert (
        plans.fairness(plan(**columns, estimate=[10, 6, 8]), latency=4)["reservations_broken"] == 0
    )


SETS = """job_id,workload_name,submission_time,requested_number_of_resources,starting_time,\
finish_time,allocated_resources
1,a,0,3,0,10,0-1 5
1,b,1,2,10,20,5 6
2,b,2,2,12,15,{}
"""


@pytest.mark.parametrize(
    "resources, code, words",
    [
        (
            "0 7",
            0,
            "possible: 3 jobs, at most 4 processors\n  by number of processors; by the jobs' sets "
            "of 5",
        ),
        ("7 0-3", 0, "1 jobs hold more resources than they asked for"),
        ("6-7", 1, "jobs b!1 and b!2 hold resource 6 from 12 s to 15 s"),
        ("7", 1, "IMPOSSIBLE: 3 jobs, at most 4 processors"),
        ("7 7", 1, "1 jobs hold fewer resources than they asked for"),
        ("10-15", 1, "the machine has 8 processors only"),
        ("", 0, "sets of 4 different resources, which 1 jobs lack"),
        ("7-6", 2, "line 4, column allocated_resources: '7-6'; allowed: resources such as '0-3 7'"),
        ("x", 2, "line 4, column allocated_resources: 'x'; allowed"),
    ],
)
def test_sets_of_resources_are_checked(tmp_path, resources, code, words):
    (tmp_path / "s.csv").write_text(SETS.format(resources))
    done = run("audit", tmp_path / "s.csv", "--processors", 8)
    assert done[0] == code and words in done[1] + done[2]


def test_the_output_says_that_sets_are_not_given(written):
    assert "by number of processors; resources not given" in run("audit", written("a.swf"))[1]


@given(data())
@settings(deadline=None, max_examples=60)
def test_shared_resources_by_brute_force(draw):
    n = draw.draw(integers(1, 6))
    some = lists(integers(0, 7), min_size=n, max_size=n)
    start, length = np.array(draw.draw(some)), np.array(draw.draw(some))
    sets = [draw.draw(lists(integers(0, 6), max_size=4)) for _ in range(n)]
    parts = [formats.merge((one, one) for one in own) for own in sets]
    found = plans.shared(plan(start=start * 1.0, end=start + length * 1.0, resources=parts))
    together = {
        job
        for job, other in itertools.permutations(range(n), 2)
        if max(start[job], start[other]) < min((start + length)[[job, other]])
        and set(sets[job]) & set(sets[other])
    }
    assert bool(found) == bool(together)
    assert {int(one) - 1 for pair in found for one in pair["jobs"]} <= together


def test_numbers_are_unique_in_their_workload_only(tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    a.write_text(SETS.format("0 7"))
    assert run("compare", a, a)[0] == 0 and run("audit", a, "--processors", 8)[0] == 0
    b.write_text("\n".join(line for line in SETS.format("0 7").split("\n") if ",a," not in line))
    code, out, _ = run("compare", a, b)
    assert code == 1 and out.startswith("2 jobs in both\n  1 jobs: only first\n")
    b.write_text(SETS.format("0 7").replace("workload_name", "other_name"))
    assert "2 jobs have number 1" in run("compare", a, b)[2]
