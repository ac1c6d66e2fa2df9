"""The conformance suite against this package: compiled kernels, reference implementations and the
suite's own schedulers give every schedule.
"""

import csv
import random

import pytest

import replication as rp
from conformance import audit, formats, suite, with_replication
from conformance.easy import Job
from conformance.rules import Rules, simulate
from replication.simulator import paths
from replication.simulator.logs import registry
from tests.agreement import agree
from tests.workloads import jobs

FOLDER = paths.ROOT / "contrib/conformance"
#: Predictors of the suite that the package builds from others.
VIRTUAL = {"half-run-time": rp.Virtual(0, bias=-0.5), "quarter-run-time": rp.Virtual(0, bias=-0.75)}
#: Options that only the papers' EASY has.
PAPERS_ONLY = set("lifetime recount overdue extra shadow passes strict events ties".split())


def scheduler(rules):
    """Return the scheduler of this package that follows rules."""
    options = {rule.replace("-", "_"): value for rule, value in rules.chosen}
    name = options.pop("scheduler", "easy")
    options.pop("kills", None)
    if "strict" in options:
        options["strict"] = options["strict"] == "yes"
    if "predictor" in options or name == "pv-easy":
        predictor = rules["predictor"]
        options["predictor"] = VIRTUAL.get(predictor) or getattr(rp, predictor.capitalize())()
    kinds = {
        "fcfs": rp.FCFS,
        "conservative": rp.Conservative,
        "largest-area-first": rp.LargestAreaFirst,
        "pv-easy": rp.PVEasy,
    }
    kind = kinds.get(name, rp.EASY)
    if "order" in options:
        kind = rp.OrderedEASY
    elif kind is rp.EASY and options.keys() & PAPERS_ONLY:
        kind = rp.PaperEASY
    return kind(**options)


def test_the_manifest_lists_every_file():
    names = {log.name for log in suite.logs()}
    assert len(names) == len(suite.logs())
    for folder in ("logs", "schedules"):
        assert {path.stem for path in (FOLDER / folder).iterdir()} == names


@pytest.mark.parametrize("log", suite.logs(), ids=lambda log: log.name)
def test_kernel_and_reference_give_the_schedule(log):
    workload = registry.load(FOLDER / f"logs/{log.name}.swf", drop=(), overrun="as-is")
    with (FOLDER / f"schedules/{log.name}.csv").open() as file:
        rows = [(int(row["start"]), int(row["end"])) for row in csv.DictReader(file)]
    schedule = agree(workload, scheduler(log.rules))
    assert list(zip(schedule.start.tolist(), schedule.end.tolist(), strict=True)) == rows


def draw(random, count, longest=12):
    """Return random jobs on four processors, some past their estimates.

    Half of a run time is at most the estimate, as the suite's predictions are.
    """
    drawn, now = [], 0
    for number in range(1, count + 1):
        now += random.choice([0, 0, 1, 2])
        estimate = random.randint(0, longest)
        run_time = random.randint(0, estimate + (random.random() < 0.2) * min(3, max(estimate, 1)))
        drawn.append(Job(number, now, random.randint(1, 4), estimate, run_time, number % 2))
    return drawn


COMBINED = [
    "scheduler=fcfs",
    "scheduler=easy",
    "events=one-by-one",
    "events=by-plan",
    "events=by-plan ties=submissions-first predictor=half-run-time",
    "ties=submissions-first passes=if-fits predictor=tsafrir",
    "predictor=last refresh=submission",
    "predictor=half-run-time correction=doubling",
    "predictor=quarter-run-time correction=tsafrir",
    "predictor=last correction=now candidates=shortest",
    "reservations=2",
    "reservations=3 predictor=last candidates=shortest",
    "candidates-limit=2",
    "candidates-limit=1 candidates=shortest",
    "shadow=first predictor=half-run-time",
    "shadow=first-started correction=now",
    "strict=yes candidates=shortest",
    "extra=not-used-up",
    "extra=none lifetime=until-start",
    "lifetime=until-due",
    "lifetime=until-due overdue=nobody predictor=last",
    "lifetime=until-due recount=pass",
    "lifetime=until-start",
    "lifetime=until-start overdue=extra recount=pass predictor=quarter-run-time",
    "lifetime=until-start recount=pass shadow=first",
    "order=shortest waiting-limit=6",
    "order=shortest waiting-limit=0 predictor=last",
    "order=wfp3",
    "order=f1 predictor=last",
    "order=smallest-area candidates-limit=1",
    "scheduler=conservative",
    "scheduler=conservative compression=each predictor=tsafrir",
    "scheduler=conservative events=by-plan compression=each ties=submissions-first",
    "scheduler=conservative events=by-plan ties=submissions-first predictor=half-run-time",
    "scheduler=conservative predictor=last",
    "scheduler=largest-area-first predictor=last",
]


PV_EASY = [
    "scheduler=pv-easy",
    "scheduler=pv-easy venture=no",
    "scheduler=pv-easy predictor=last lifetime=until-due venture=no",
    "scheduler=pv-easy predictor=half-run-time lifetime=until-start",
    "scheduler=pv-easy predictor=last venture=easy",
    "scheduler=pv-easy preemption=suspend cost=2",
    "scheduler=pv-easy predictor=last preemption=checkpoint interval=3 cost=1",
]


@pytest.mark.parametrize("words", [*COMBINED, *PV_EASY])
def test_combined_rules_give_one_schedule(words):
    """Those of kernels, reference implementations, and the suite's own schedulers but PV-EASY."""
    rules = Rules.parse(words.split())
    numbers = random.Random(words)
    for drawn in (draw(numbers, 12) for _ in range(25)):
        columns = {name: [getattr(job, name) for job in drawn] for name in ("submit", "estimate")}
        columns |= {"run_time": [job.run_time for job in drawn]}
        columns |= {"processors": [job.size for job in drawn], "user": [job.user for job in drawn]}
        workload = rp.Workload.from_columns("drawn", 4, **columns)
        start = agree(workload, scheduler(rules)).start.tolist()
        if words in COMBINED:
            assert list(simulate(drawn, 4, rules).values()) == start


def test_the_command_for_schedulers_of_this_package(tmp_path):
    code = "import replication as rp\n\n\nclass Mine(rp.PythonScheduler):\n"
    code += "    def schedule(self, now):\n        while self.queue and "
    code += "self.queue[0].size <= self.free:\n            self.begin(self.queue[0])\n"
    (tmp_path / "my_scheduler.py").write_text(code)
    run = with_replication.runner("mine", [str(tmp_path / "my_scheduler.py")])
    assert all(result.passed for result in suite.test(run, suite.choose("fcfs")))
    assert not all(result.passed for result in suite.test(run, suite.choose("easy")))
    killing = Rules.parse(["kills=yes"])
    run = with_replication.runner("easy")
    assert all(result.passed for result in suite.test(run, suite.choose("easy", killing)))


@pytest.mark.parametrize("preemption", ["kill", "suspend", "checkpoint"])
@pytest.mark.parametrize("ending", ["swf", "csv"])
def test_a_preempted_schedule_of_this_package_passes_the_audit(tmp_path, preemption, ending):
    rows = ((3 * k, 40 + 7 * (k % 5), 1 + k % 4, 30 + 90 * (k % 3)) for k in range(60))
    schedule = rp.simulate(jobs(4, *rows), rp.PVEasy(predictor=rp.Last(), preemption=preemption))
    assert len(schedule.killed_runs) > 3
    path = tmp_path / f"schedule.{ending}"
    getattr(schedule, f"write_{ending}")(path)
    read = formats.read(str(path))
    assert [run.start for run in read.runs] == schedule.start.tolist()
    assert [run.end for run in read.runs] == schedule.end.tolist()
    assert audit.check(read, 4)["possible"]
    if ending == "swf":
        earlier = sorted((k, *run) for k, one in enumerate(read.runs) for run in one.earlier)
        assert earlier == sorted(map(tuple, schedule.killed_runs.tolist()))
