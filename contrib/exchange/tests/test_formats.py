"""Schedules in the formats of other programs: round trips, Batsim's intervals, error messages."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings

from plans_of_schedules import as_plan
from replication import Last, PVEasy, simulate
from replication.simulator.logs import swf
from replication_exchange import formats, plans
from tests.workloads import jobs, workloads

WRITERS = {
    "native": lambda schedule, target: schedule.write_csv(target),
    "swf": lambda schedule, target: schedule.write_swf(target),
    "batsim": formats.write_batsim,
}

PAST_A_HEAD = jobs(4, (0, 10, 3), (1, 10, 3), (2, 5, 1), (3, 0, 1))
BATSIM = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata"
)
OLD_BATSIM = """job_id,hacky_job_id,workload_name,submission_time,requested_number_of_processors,\
requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
consumed_energy,allocated_processors
7,70,w0,1.5,2,100.000000,1,3.250000,10.5,13.75,1.75,12.25,1.17,0,0-1
w0!8,80,w0,2.0,1,-1,1,2.000000,4,6,0,4,1,0,2
"""


def same(plan, schedule):
    """Return whether a plan has the columns of a schedule."""
    own = as_plan(schedule)
    return all(
        np.array_equal(getattr(plan, name), getattr(own, name))
        for name in ("job_id", "submit", "start", "end", "processors", "estimate")
    )


@pytest.mark.parametrize("form", WRITERS)
@given(workload=workloads())
@settings(max_examples=25, deadline=None)
def test_write_and_read_are_inverse(tmp_path_factory, form, workload):
    schedule = simulate(workload)
    path = tmp_path_factory.mktemp("forms") / "schedule"
    WRITERS[form](schedule, path)
    plan = formats.read(path)
    assert same(plan, schedule)
    assert plan.machine == (workload.machine if form == "swf" else None)


def test_batsims_table_by_hand():
    out = io.BytesIO()
    formats.write_batsim(simulate(PAST_A_HEAD), out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue().decode())))
    assert ",".join(rows[0]) == BATSIM
    second = rows[1]
    assert (second["starting_time"], second["execution_time"], second["finish_time"]) == (
        "10",
        "10",
        "20",
    )
    assert (second["waiting_time"], second["turnaround_time"], float(second["stretch"])) == (
        "9",
        "19",
        1.9,
    )
    assert (second["success"], second["final_state"]) == ("1", "COMPLETED_SUCCESSFULLY")
    assert [row["allocated_resources"] for row in rows] == ["0-2", "0-2", "3", "3"]
    assert rows[3]["stretch"] == ""  # it ran for no time


@given(workload=workloads())
@settings(deadline=None)
def test_places_suffice_and_never_overlap(workload):
    schedule = simulate(workload)
    taken = {}
    for job, text in enumerate(formats.intervals(schedule)):
        spans = [[int(end) for end in part.split("-")] for part in text.split()]
        places = [k for span in spans for k in range(span[0], span[-1] + 1)]
        assert len(set(places)) == workload.processors[job]
        assert max(places) < workload.machine
        assert all(b[0] > a[-1] + 1 for a, b in zip(spans, spans[1:]))  # the canonical form
        for place in places:
            taken.setdefault(place, []).append((schedule.start[job], schedule.end[job]))
    for runs in taken.values():
        runs.sort()  # of one instant, those of no time first
        assert all(before[1] <= after[0] for before, after in zip(runs, runs[1:]))


def test_an_old_batsims_table_with_fractions_and_names(tmp_path):
    (tmp_path / "old.csv").write_text(OLD_BATSIM)
    plan = formats.read(tmp_path / "old.csv")
    assert plan.job_id.tolist() == ["7", "w0!8"]
    assert plan.start.tolist() == [3.25, 2.0]
    assert plan.wait.tolist() == [1.75, 0]
    assert plan.estimate.tolist() == [100, -1]


def test_jobs_that_never_ran_are_left_out_and_counted(tmp_path):
    row = "1,w,d,0,1,10,1,COMPLETED_SUCCESSFULLY,0,5,5,0,5,1,0,,"
    (tmp_path / "a.csv").write_text(f"{BATSIM}\n{row}\n2,w,d,1,9,10,0,REJECTED,,,,,,,,,\n")
    plan = formats.read(tmp_path / "a.csv")
    assert (len(plan), plan.left_out) == (1, 1)
    waiting = swf.Trace.from_columns(
        [0, 1], wait=[0, -1], run_time=[5, 0], allocated_processors=[1, 1]
    )
    swf.write(tmp_path / "b.swf", waiting)
    assert formats.read(tmp_path / "b.swf").left_out == 1


@pytest.mark.parametrize(
    "content, words",
    [
        ("a,b\n1,2\n", "line 1: 'a,b'; expected SWF, or CSV with a column job_id"),
        ("", "line 1: ''"),
        ("job_id,starting_time\n1,2\n", "or CSV with a column submit or submission_time"),
        ("job_id,submit,start,end,processors\n1,0,soon,3,1\n", "soon"),
        (
            "job_id,submit,start,end,processors\n1,0,2,3,1.5\n",
            "column processors: 1.5; allowed: whole numbers from 1",
        ),
        (
            "job_id,submit,start,end,processors\n1,0,,,1\n",
            "none of its 1 jobs has a start and an end",
        ),
    ],
)
def test_another_file_is_refused(tmp_path, content, words):
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(formats.FormatError) as refused:
        formats.read(tmp_path / "x.csv")
    assert words in str(refused.value)
    assert str(tmp_path / "x.csv") in str(refused.value)


BUSY = jobs(4, *((3 * k, 40 + 7 * (k % 5), 1 + k % 4, 30 + 90 * (k % 3)) for k in range(60)))


@pytest.mark.parametrize("mode", ["kill", "suspend", "checkpoint"])
@pytest.mark.parametrize("ending", [".swf", ".csv"])
def test_a_preempted_schedule_passes_its_own_audit(tmp_path, mode, ending):
    schedule = simulate(BUSY, PVEasy(predictor=Last(), mode=mode))
    assert len(schedule.killed_runs) > 3
    path = tmp_path / f"schedule{ending}"
    WRITERS["swf" if ending == ".swf" else "native"](schedule, path)
    plan = formats.read(path)
    assert np.array_equal(plan.start, schedule.start) and np.array_equal(plan.end, schedule.end)
    assert plans.check(plan, BUSY.machine)["possible"]
    if ending == ".swf":
        runs = plan.earlier_runs.astype(int)
        assert sorted(map(tuple, runs)) == sorted(map(tuple, schedule.killed_runs))
        assert plans.as_schedule(plan).validate()
        # The jobs' own lines are a log: nothing is read twice.
        assert len(swf.read(path)) == len(BUSY)


def test_a_table_contains_no_formula():
    out = io.BytesIO()
    formats.write_batsim(simulate(PAST_A_HEAD.replace(name="=HYPERLINK(1)")), out)
    rows = csv.DictReader(io.StringIO(out.getvalue().decode()))
    assert {row["workload_name"] for row in rows} == {"'=HYPERLINK(1)"}


def test_swf_with_fractions_of_seconds(tmp_path):
    rows = ["1 0.0 0.005 88.51 1", "2 4.709164 0.0 265.8 2"]
    lines = ["; MaxProcs: 4", *(f"{row} -1 -1 {row[-1]} 149.5 -1 1" + " -1" * 7 for row in rows)]
    (tmp_path / "a.swf").write_text("\n".join(lines))
    plan = formats.read(tmp_path / "a.swf")
    assert (plan.submit.tolist(), plan.start.tolist()) == ([0, 4.709], [0.005, 4.709])
    assert (plan.end.tolist(), plan.estimate.tolist()) == ([88.515, 270.509], [149.5, 149.5])
    assert plans.check(plan)["possible"]
