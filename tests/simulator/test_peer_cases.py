"""Cases of other programs' test suites, where they are at hand beside the checkout."""

import json

import pandas as pd
import pytest

import replication as rp
from replication.simulator import paths


class CandidatesInOrder(rp.PythonScheduler):
    """EASY that tries its candidates in another order than the queue's."""

    last_first: bool = False

    def schedule(self, now):
        waiting = list(self.queue)
        while waiting and waiting[0].size <= self.free:
            self.begin(waiting.pop(0))
        if not waiting:
            return
        time, extra = self.reservation(waiting.pop(0))
        for job in sorted(waiting, key=lambda job: -job.submit if self.last_first else job.size):
            in_time = now + self.planned(job) <= time
            if job.size <= self.free and (in_time or job.size <= extra):
                self.begin(job)
                extra -= 0 if in_time else job.size


CASES = paths.ROOT.parent / "shared" / "cases" / "peers" / "cases.jsonl"
#: Schedulers in words: the scheduler, and what its estimates are a multiple of.
IN_WORDS = {
    "easy, perfect": (rp.EASY(), "run_time", 1),
    "easy, estimates doubled": (rp.EASY(), "estimate", 2),
    "easy, estimates halved": (rp.EASY(predictor=rp.Virtual(0, -0.5)), "estimate", 1),
    "easy, run times doubled": (rp.EASY(), "run_time", 2),
    "conservative, estimates doubled": (rp.Conservative(), "estimate", 2),
    "easy, candidates last come first": (CandidatesInOrder(last_first=True), "estimate", 1),
    # The program counts the head as one of the jobs that it looks at.
    "easy, depth 5": (rp.EASY(candidates_limit=4), "estimate", 1),
    "easy, candidates smallest first": (CandidatesInOrder(), "estimate", 1),
    "easy:candidates=sjf": (rp.EASY(candidates="shortest"), "estimate", 1),
    "easy:predictor=tsafrir,candidates=sjf": (rp.EASY("tsafrir", "shortest"), "estimate", 1),
    **{f"easy:reservations={n}": (rp.EASY(reservations=n), "estimate", 1) for n in range(2, 6)},
}


def simulated(case):
    """Return the schedule of a case."""
    names = ["job_id", "submit", "processors", "estimate", "run_time"]
    jobs = pd.DataFrame(case["jobs"], columns=names)
    for name in ("users", "priority"):
        jobs[name] = case.get(name, -1)
    jobs = jobs.sort_values(["submit", "job_id"])
    named = case["scheduler"]
    if named == "easy, by priority":
        own = rp.OrderedEASY(order=lambda w: jobs["priority"].to_numpy()), "estimate", 1
    else:
        own = IN_WORDS.get(named) or (rp.Scheduler.check(named), "estimate", 1)
    scheduler, base, factor = own
    columns = {name: jobs[name] for name in ("submit", "run_time", "processors", "job_id")}
    columns |= {"user": jobs["users"], "estimate": factor * jobs[base]}
    workload = rp.Workload.from_columns(case["id"], case["processors"], **columns)
    return rp.simulate(workload, scheduler, trim=False)


def fulfilled(case, schedule):
    """Return whether a schedule has the properties that a case states, by their names."""
    job = schedule.workload.job_id.tolist()
    start = dict(zip(job, schedule.start.tolist(), strict=True))
    end = dict(zip(job, schedule.end.tolist(), strict=True))
    checks = {
        "start": lambda stated: all(start[int(one)] == at for one, at in stated.items()),
        "end": lambda stated: all(end[int(one)] == at for one, at in stated.items()),
        "running_at": lambda stated: all(
            {one for one in job if start[one] <= at < end[one]} == set(some) for at, some in stated
        ),
        "before": lambda stated: all(start[a] < start[b] for a, b in stated),
        "not_after": lambda stated: all(start[a] <= start[b] for a, b in stated),
        "order": lambda stated: sorted(job, key=lambda one: (start[one], one)) == stated,
        "ends": lambda stated: sorted(end.values()) == stated,
        "last_end": lambda stated: max(end.values()) == stated,
        "all_end": lambda stated: len(end) == len(case["jobs"]),
    }
    return {name: checks[name](stated) for name, stated in case["expect"].items()}


@pytest.mark.slow
@pytest.mark.skipif(not CASES.exists(), reason=f"no {CASES}")
def test_schedules_that_other_programs_state():
    found = {"agree": 0, "differ": 0, "not expressible": 0}
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        result = case["result"]
        if result == "not expressible" and case["scheduler"] in IN_WORDS:
            result = "agree"  # expressible since the package has the option
        if result != "not expressible":
            agree = all(fulfilled(case, simulated(case)).values())
            assert agree == (result == "agree"), case["id"]
        found[result] += 1
    assert found["agree"] > 100 and found["differ"] <= 2
