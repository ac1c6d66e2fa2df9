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
from tests.workloads import preempted_jobs

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
    if name == "easy" and options.keys() & PAPERS_ONLY:
        name = "paper-easy"
    return rp.Scheduler.members["ordered-easy" if "order" in options else name](**options)


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


def draw(random):
    """Return twelve random jobs on four processors, some past their estimates.

    Half of a run time is at most the estimate, as the suite's predictions are.
    """
    drawn, now = [], 0
    for number in range(1, 13):
        now += random.choice([0, 0, 1, 2])
        estimate = random.randint(0, 12)
        run_time = random.randint(0, estimate + (random.random() < 0.2) * min(3, max(estimate, 1)))
        drawn.append(Job(number, now, random.randint(1, 4), estimate, run_time, number % 2))
    return drawn


COMBINED = [
    "scheduler=fcfs",
    "events=by-plan ties=submissions-first predictor=half-run-time",
    "ties=submissions-first passes=if-fits predictor=tsafrir",
    "predictor=last refresh=submission",
    "predictor=quarter-run-time correction=tsafrir",
    "predictor=last correction=now candidates=shortest",
    "reservations=3 predictor=last candidates=shortest",
    "candidates-limit=1 candidates=shortest",
    "shadow=first predictor=half-run-time",
    "shadow=first-started correction=now",
    "strict=yes candidates=shortest",
    "extra=not-used-up",
    "extra=none lifetime=until-start",
    "lifetime=until-due overdue=nobody predictor=last",
    "lifetime=until-due recount=pass",
    "lifetime=until-start overdue=extra recount=pass predictor=quarter-run-time",
    "lifetime=until-start recount=pass shadow=first",
    "order=shortest waiting-limit=6",
    "order=shortest waiting-limit=0 predictor=last",
    "order=wfp3",
    "order=f1 predictor=last",
    "order=smallest-area candidates-limit=1",
    "scheduler=conservative compression=each predictor=tsafrir",
    "scheduler=conservative events=by-plan compression=each ties=submissions-first",
    "scheduler=conservative events=by-plan ties=submissions-first predictor=half-run-time",
    "scheduler=largest-area-first predictor=last",
]


PV_EASY = [
    "scheduler=pv-easy venture=no",
    "scheduler=pv-easy predictor=last lifetime=until-due venture=no",
    "scheduler=pv-easy predictor=half-run-time lifetime=until-start",
    "scheduler=pv-easy predictor=last venture=easy",
    "scheduler=pv-easy preemption=suspend cost=2",
    "scheduler=pv-easy predictor=last preemption=checkpoint interval=3 cost=1",
]


@pytest.mark.parametrize("text", [*COMBINED, *PV_EASY])
def test_combined_rules_give_one_schedule(text):
    """Those of kernels, reference implementations, and the suite's own schedulers but PV-EASY."""
    rules = Rules.parse(text.split())
    numbers = random.Random(text)
    for drawn in (draw(numbers) for _ in range(25)):
        fields = {"processors": "size"} | {n: n for n in ("submit", "estimate", "run_time", "user")}
        columns = {name: [getattr(job, field) for job in drawn] for name, field in fields.items()}
        workload = rp.Workload.from_columns("drawn", 4, **columns)
        start = agree(workload, scheduler(rules)).start.tolist()
        if text in COMBINED:
            assert list(simulate(drawn, 4, rules).values()) == start


MINE = """
import replication as rp

class Mine(rp.PythonScheduler):
    def schedule(self, now):
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
"""


def test_the_command_for_schedulers_of_this_package(tmp_path):
    (tmp_path / "my_scheduler.py").write_text(MINE)
    run = with_replication.runner("mine", [str(tmp_path / "my_scheduler.py")])
    assert all(result.passed for result in suite.test(run, suite.choose("fcfs")))
    assert not all(result.passed for result in suite.test(run, suite.choose("easy")))
    killing = Rules.parse(["kills=yes"])
    run = with_replication.runner("easy")
    assert all(result.passed for result in suite.test(run, suite.choose("easy", killing)))


@pytest.mark.parametrize("preemption", ["kill", "suspend", "checkpoint"])
@pytest.mark.parametrize("ending", ["swf", "csv"])
def test_a_preempted_schedule_of_this_package_passes_the_audit(tmp_path, preemption, ending):
    scheduler = rp.PVEasy(predictor=rp.Last(), preemption=preemption)
    schedule = rp.simulate(preempted_jobs(), scheduler)
    assert len(schedule.killed_runs) > 3
    path = tmp_path / f"schedule.{ending}"
    getattr(schedule, f"write_{ending}")(path)
    read = formats.read(str(path))
    assert [run.start for run in read.runs] == schedule.start.tolist()
    assert [run.end for run in read.runs] == schedule.end.tolist()
    assert audit.check(read, 4)["possible"]
    if ending == "swf":
        earlier = sorted((k, *part) for k, run in enumerate(read.runs) for part in run.earlier)
        assert earlier == sorted(map(tuple, schedule.killed_runs.tolist()))
