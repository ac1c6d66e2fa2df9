"""Cases that other programs' test suites state, where they are at hand beside the checkout."""

import json
from pathlib import Path

import pytest

from conformance.easy import Job
from conformance.rules import Rules, simulate

CASES = Path(__file__).resolve().parents[3].parent / "shared/cases/peers/cases.jsonl"
#: Schedulers in words: the rules, and what the estimates are a multiple of.
WORDS = {
    "fcfs": ("scheduler=fcfs", "estimate", 1),
    "easy": ("", "estimate", 1),
    "conservative": ("scheduler=conservative", "estimate", 1),
    "easy, perfect": ("", "run_time", 1),
    "easy, estimates doubled": ("", "estimate", 2),
    "easy, estimates halved": ("predictor=half-run-time", "estimate", 1),
    "easy, run times doubled": ("", "run_time", 2),
    "conservative, estimates doubled": ("scheduler=conservative", "estimate", 2),
    "easy, candidates last come first": ("candidates=last-first", "estimate", 1),
    "easy, candidates smallest first": ("candidates=smallest", "estimate", 1),
    # The program counts the head as one of the jobs that it looks at.
    "easy, depth 5": ("candidates-limit=4", "estimate", 1),
    "easy:candidates=sjf": ("candidates=shortest", "estimate", 1),
    "easy:predictor=tsafrir,candidates=sjf": (
        "predictor=tsafrir candidates=shortest",
        "estimate",
        1,
    ),
    **{f"easy:reservations={n}": (f"reservations={n}", "estimate", 1) for n in range(2, 6)},
}


def fulfilled(expect, jobs, start):
    """Return whether starts have the properties that a case states."""
    end = {job.number: start[job.number] + job.run_time for job in jobs}
    checks = {
        "start": lambda stated: all(start[int(job)] == at for job, at in stated.items()),
        "end": lambda stated: all(end[int(job)] == at for job, at in stated.items()),
        "running_at": lambda stated: all(
            {job for job in start if start[job] <= at < end[job]} == set(running)
            for at, running in stated
        ),
        "before": lambda stated: all(start[a] < start[b] for a, b in stated),
        "not_after": lambda stated: all(start[a] <= start[b] for a, b in stated),
        "order": lambda stated: sorted(start, key=lambda job: (start[job], job)) == stated,
        "ends": lambda stated: sorted(end.values()) == stated,
        "last_end": lambda stated: max(end.values()) == stated,
        "all_end": lambda stated: len(end) == len(jobs),
    }
    return all(checks[name](stated) for name, stated in expect.items())


@pytest.mark.skipif(not CASES.exists(), reason=f"no {CASES}")
def test_schedules_that_other_programs_state():
    counts = {"agree": 0, "differ": 0}
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["scheduler"] not in WORDS:
            continue
        rules, base, factor = WORDS[case["scheduler"]]
        users = case.get("users", [-1] * len(case["jobs"]))
        jobs = [
            Job(n, submit, size, factor * (run if base == "run_time" else estimate), run, user)
            for (n, submit, size, estimate, run), user in zip(case["jobs"], users)
        ]
        start = simulate(jobs, case["processors"], Rules.parse(rules.split()))
        agree = fulfilled(case["expect"], jobs, start)
        assert agree == (case["result"] != "differ"), case["id"]
        counts["agree" if agree else "differ"] += 1
    assert counts["agree"] > 300 and counts["differ"] <= 2
    print(counts)
