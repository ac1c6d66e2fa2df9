"""Audits: what is impossible, by which rule each job starts, who delays a head, and which scheduler
it is.
"""

import csv
import itertools
import json
import random
from operator import itemgetter

import pytest
from command import run

from conformance import audit, formats
from conformance.easy import Job
from conformance.rules import Rules, simulate

HEADER = "job_id,submit,start,end,processors,estimate"


@pytest.fixture
def file(tmp_path):
    """Write rows under the header of this suite, or a text as it is; returns the path."""
    numbers = itertools.count()

    def write(rows, name=None):
        if not isinstance(rows, str):
            rows = "\n".join([HEADER, *(",".join(map(str, row)) for row in rows)]) + "\n"
        path = tmp_path / (name or f"{next(numbers)}.csv")
        path.write_text(rows)
        return str(path)

    return write


def draw(seed, count=60):
    """Return random jobs, their EASY schedule on 16 processors and the rows of its file."""
    numbers, now, jobs = random.Random(seed), 0, []
    for number in range(1, count + 1):
        now += numbers.randint(0, 20)
        estimate = numbers.randint(1, 100)
        run_time = max(min(numbers.randint(1, 100), estimate), 1)
        jobs.append(Job(number, now, numbers.randint(1, 12), estimate, run_time))
    starts = simulate(jobs, 16, Rules())
    rows = [
        [j.number, j.submit, starts[j.number], starts[j.number] + j.run_time, j.size, j.estimate]
        for j in jobs
    ]
    return jobs, rows


def swf(jobs):
    """Return jobs as a log."""
    lines = [f"{j.number} {j.submit} -1 {j.run_time} -1 -1 -1 {j.size} {j.estimate}" for j in jobs]
    return "\n".join(["; MaxProcs: 16", *(line + " -1" * 9 for line in lines)]) + "\n"


def add(row, k, by):
    row[k] += by


def shift(rows, k, by):
    add(rows[k], 2, by)
    add(rows[k], 3, by)


def crowded(rows):
    """Return the place of a job that starts while it does not fit a second earlier."""
    return max(range(len(rows)), key=lambda k: rows[k][2] - rows[k][1])


#: What is said of a damage, and the damage of the rows, in place.
DAMAGES = [
    ("start before their submission", lambda rows: shift(rows, 5, rows[5][1] - rows[5][2] - 1)),
    ("end before their start", lambda rows: rows[7].__setitem__(3, rows[7][2] - 1)),
    ("are larger than the machine", lambda rows: rows[3].__setitem__(4, 17)),
    ("have the number of another job", lambda rows: rows[8].__setitem__(0, rows[9][0])),
    ("more than 16 processors are in use", lambda rows: shift(rows, crowded(rows), -1)),
]
#: The same of damages that only the log shows.
AGAINST_LOG = [
    ("of the log are not in the schedule", lambda rows: rows.pop(12)),
    ("are not in the log", lambda rows: rows.append([99, 0, 100000, 100001, 1, 5])),
    ("run for another time than in the log", lambda rows: add(rows[15], 3, -1)),
    ("run for another time than in the log", lambda rows: add(max(rows, key=itemgetter(3)), 3, 5)),
    ("hold fewer processors than the log", lambda rows: add(max(rows, key=itemgetter(4)), 4, -1)),
    ("have another submission than in the log", lambda rows: add(rows[17], 1, -1)),
]


@pytest.mark.parametrize(
    ("message", "damage", "with_log"),
    [*((*damage, False) for damage in DAMAGES), *((*damage, True) for damage in AGAINST_LOG)],
)
def test_damaged_schedules_are_not_called_possible(capsys, file, message, damage, with_log):
    jobs, rows = draw(message)
    log = file(swf(jobs), "log.swf")
    right = file(rows)
    assert run(capsys, "audit", right, "--processors", 16, "--log", log)[0] == 0
    damage(rows)
    options = ["--log", log] if with_log else []
    code, out, err = run(capsys, "audit", file(rows), "--processors", 16, *options)
    assert code == 1 and out.startswith("IMPOSSIBLE") and err == ""
    assert message in out


def test_a_random_schedule_is_possible_if_it_fits_second_by_second(file):
    numbers = random.Random("second by second")
    for _ in range(200):
        rows = [
            [k, 0, start, start + numbers.randint(0, 6), numbers.randint(1, 3), 9]
            for k, start in enumerate(numbers.choices(range(8), k=5))
        ]
        used = [sum(r[4] for r in rows if r[2] <= t < r[3]) for t in range(16)]
        facts = audit.check(formats.read(file(rows)), 5)
        assert facts["possible"] == (max(used) <= 5) and facts["peak"] == max(used)


def test_the_rule_of_each_start_by_hand(capsys, file, tmp_path):
    # Job 2 is blocked until 10; at 1 job 3 ends by then, job 4 fits the extra processors, job 5
    # neither. Job 6 passes job 7, which fits.
    rows = [
        [1, 0, 0, 10, 8, 10], [2, 0, 16, 20, 12, 4], [3, 1, 1, 6, 2, 9], [4, 1, 1, 16, 4, 20],
        [5, 1, 1, 16, 2, 20], [6, 21, 22, 30, 1, 8], [7, 21, 25, 30, 1, 8],
    ]  # fmt: skip
    rows[5][0], rows[6][0] = 7, 6
    path = file(rows)
    code, out, _ = run(
        capsys, "audit", path, "--processors", 16, "--jobs", tmp_path / "jobs.csv", "--json"
    )
    assert code == 0
    with open(tmp_path / "jobs.csv") as table:
        rules = {row["job_id"]: row["rule"] for row in csv.DictReader(table)}
    assert rules == {
        "1": "head", "2": "head", "3": "in-time", "4": "extra", "5": "against-reservation",
        "7": "past-fitting-head", "6": "head",
    }  # fmt: skip
    facts = json.loads(out)
    assert facts["starts"]["against-reservation"] == 1
    assert facts["compared"]["first"]["job"] == "5"


@pytest.mark.parametrize("seed", range(5))
def test_every_start_of_easy_has_a_rule_and_every_start_is_easys(file, seed):
    _, rows = draw(seed)
    schedule = formats.read(file(rows))
    rules = set(audit.rules_of_starts(schedule, 16).values())
    assert rules <= {"head", "in-time", "extra"}
    assert audit.compare_with(schedule, Rules(), 16)["first"] is None


@pytest.mark.parametrize(
    "rule",
    ["scheduler=fcfs", "scheduler=conservative", "extra=none", "strict=yes", "processors=named"],
)
def test_the_scheduler_of_a_schedule_is_found(file, rule):
    rules = Rules.parse(rule.split())
    jobs, rows = draw(rule, 120)
    starts = simulate(jobs, 16, rules)
    for job, row in zip(jobs, rows):
        row[2], row[3] = starts[job.number], starts[job.number] + job.run_time
    matches = audit.schedulers_of(formats.read(file(rows)), 16)
    assert (rules, 120) in matches


def delayed(file, rows, latency=0):
    """Return the numbers of jobs delayed by later ones, by nobody, and within the latency."""
    facts = audit.delays(formats.read(file(rows)), 16, latency)
    return facts["head_delayed"], facts["idle_delayed"], facts["within_latency"]


def test_a_delay_needs_a_later_job_that_holds_what_the_head_lacks(file):
    alone = [[1, 0, 3, 9, 1, 9]]
    assert (delayed(file, alone), delayed(file, alone, 3)) == ((0, 1, 0), (0, 0, 1))
    # Job 2 could start at 10, when job 1 ends; job 3 holds what it lacks until 14.
    rows = [[1, 0, 0, 10, 8, 9], [2, 1, 15, 20, 16, 9], [3, 2, 2, 14, 8, 9]]
    assert [delayed(file, rows, s) for s in (0, 3, 4)] == [(1, 0, 0), (1, 0, 0), (0, 0, 1)]
    rows[1][2:4] = 30, 35
    assert [delayed(file, rows, s) for s in (3, 4, 16)] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


SETS = """job_id,workload_name,submission_time,requested_number_of_resources,starting_time,\
finish_time,allocated_resources
1,a,0,3,0,10,0-1 5
1,b,1,2,10,20,5 6
2,b,2,2,12,15,{}
"""


@pytest.mark.parametrize(
    "resources, code, message",
    [
        ("0 7", 0, "possible: 3 jobs, at most 4 processors\n  by number of processors; by the"),
        ("7 0-3", 0, "1 jobs hold more resources than they asked for"),
        ("6-7", 1, "jobs b!1 and b!2 hold resource 6 from 12 s to 15 s"),
        ("7 7", 1, "1 jobs hold fewer resources than they asked for"),
        ("10-15", 1, "the machine has 8 processors only"),
        ("", 0, "sets of 4 different resources, which 1 jobs lack"),
        ("7-6", 2, "line 4, column allocated_resources: '7-6'; allowed: resources such as '0-3 7'"),
        ("x", 2, "line 4, column allocated_resources: 'x'; allowed"),
    ],
)
def test_sets_of_resources_are_checked(capsys, file, resources, code, message):
    done = run(capsys, "audit", file(SETS.format(resources)), "--processors", 8)
    assert done[0] == code and message in done[1] + done[2]


def test_a_preempted_run_holds_processors_too(capsys, file):
    jobs = [("1", 0, 0, 10, 4), ("2", 0, 5, 10, 4)]
    lines = [f"{n} {s} {w} {r} {p} -1 -1 {p} 20 -1 1" + " -1" * 7 for n, s, w, r, p in jobs]
    parts = ["1 0 0 4 4 -1 -1 4 20 -1 2" + " -1" * 7, "1 0 11 10 4 -1 -1 4 20 -1 3" + " -1" * 7]
    text = "\n".join(["; MaxProcs: 4", lines[0], *parts, lines[1]]) + "\n"
    schedule = formats.read(file(text, "a.swf"))
    assert (schedule.runs[0].earlier, schedule.runs[0].start) == ([(0, 4)], 15)
    assert audit.check(schedule)["possible"]
    assert not audit.check(formats.read(file(text.replace("1 0 0 4 4", "1 0 0 6 4"), "b.swf")))[
        "possible"
    ]


def test_fractions_of_a_second_are_counted_in_milliseconds(capsys, file):
    text = "job_id,submission_time,requested_number_of_resources,starting_time,finish_time,"
    text += "requested_time\n1,1700000000.5,3,1700000001.5,1700000002.5,9\n"
    text += "2,1700000000.75,2,1700000002.5,1700000004.001,9\n"
    code, out, _ = run(capsys, "audit", file(text), "--processors", 4, "--json")
    facts = json.loads(out)
    assert (code, facts["possible"], facts["in_milliseconds"]) == (0, True, True)
    assert (facts["delays"]["idle_delayed"], facts["delays"]["idle_delay"]) == (1, 1.0)


def test_jobs_without_a_start_are_left_out_and_counted(capsys, file):
    rows = [[1, 0, 2, 4, 1, 9], [2, 0, "", "", 1, 9]]
    out = run(capsys, "audit", file(rows), "--processors", 4)[1]
    assert out.startswith("possible: 1 jobs") and "1 jobs never ran" in out


@pytest.mark.parametrize(
    "content, message",
    [
        ("a,b\n1,2\n", "line 1: 'a,b'; expected SWF, or CSV with a column job_id"),
        ("", "line 1: ''"),
        ("job_id,submit,start,end,processors\n1,0,soon,3,1\n", "line 2, column start: 'soon'"),
        ("job_id,submit,start,end,processors\n1,0,2,3,1.5\n", "1.5 processors; allowed: whole"),
        ("job_id,submit,start,end,processors\n1,0,2,3,0\n", "0 processors; allowed: whole"),
        ("job_id,submit,start,end,processors\n1,0,,,1\n", "none of its 1 jobs has a start"),
        ("; MaxProcs: 4\n1 2 3\n", "line 2: 3 fields; expected 18"),
    ],
)
def test_another_file_is_refused(capsys, file, content, message):
    code, out, err = run(capsys, "audit", file(content))
    assert code == 2 and out == "" and message in err and err.count("\n") == 1


def test_comparison_of_two_schedules(capsys, file):
    _, rows = draw("two")
    path = file(rows)
    assert run(capsys, "compare", path, path)[0] == 0
    shift(rows, 30, 7)
    code, out, _ = run(capsys, "compare", path, file(rows[:-1]))
    assert code == 1 and "59 jobs in both\n  1 jobs: only first\n  58 wait equally long" in out
    assert "the first other one is job 31" in out
    assert run(capsys, "compare", path, file([[*rows[0]], [*rows[0]]]))[0] == 2
