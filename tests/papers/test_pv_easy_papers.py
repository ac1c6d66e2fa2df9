"""What PV-EASY's tables and figures count, against hand-made schedules; and the rules
for claims.
"""

import numpy as np
import pandas as pd
import pytest

from notebooks.pv_easy import counts, runs, slowdown, virtual
from replication.simulator.predictors import Clairvoyant
from replication.simulator.schedulers import EASY, PVEasy
from replication.simulator.schedules import measures
from replication.simulator.simulation import simulate
from tests.workloads import jobs


@pytest.fixture
def preempted():
    """Job 2 passes job 1 and is killed for it at 10, after 8 s; it runs from 15 to 75."""
    return simulate(
        jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1)), PVEasy(predictor=Clairvoyant())
    ).validate()


def test_tables_5_and_6_count_lost_work(preempted):
    assert measures.wasted_time(preempted).tolist() == [0, 0, 8]
    capacity = 4 * 75
    assert counts.loads(preempted)["wasted_load"][0] == pytest.approx(100 * 8 / capacity)
    assert counts.loads(preempted)["total_load"][0] == pytest.approx(
        100 * (30 + 20 + 60 + 8) / capacity
    )
    numbers = counts.preemptions(preempted)
    assert numbers["preempted"] == (1, "jobs")
    assert numbers["preempted_share"][0] == pytest.approx(100 / 3)
    assert numbers["mkt"] == (1.0, "kills")
    assert numbers["rtw"][0] == pytest.approx(100 * 8 / 60)


def test_table_4_counts_jobs_starts_or_those_done_in_the_shadow(preempted):
    ways = {
        way: counts.kinds(preempted, way)["backfilled"][0]
        for way in ("last-run", "starts", "ever", "in-shadow")
    }
    assert ways == {"last-run": 0, "starts": 1, "ever": 1, "in-shadow": 0}
    assert counts.kinds(preempted)["blocked"] == (2, "jobs")
    done = simulate(jobs(4, (0, 10, 3), (1, 5, 4), (2, 3, 1)), PVEasy())
    assert counts.kinds(done, "in-shadow")["backfilled"] == (1, "jobs")


def test_tables_1_and_2_measure_delays():
    schedule = simulate(jobs(4, (0, 5, 3, 20), (1, 2, 4), (2, 10, 1)))
    assert counts.delays(schedule) == {
        "delayed": (1, "jobs"),
        "blocked": (1, "jobs"),
        "mean_delay": (7 / 60, "min"),
        "max_delay": (7 / 3600, "h"),
    }
    late = simulate(jobs(4, (0, 5, 3), (1, 2, 4), (2, 5, 1)), EASY(), estimates=np.array([5, 2, 3]))
    numbers = counts.violations(late)
    assert numbers["violated"] == (1, "jobs")
    assert numbers["violated_mean_size"] == (4.0, "processors")
    # Two seconds late, with a run time of 2 s that counts as 10.
    assert numbers["mean_si"][0] == pytest.approx(0.2)
    assert numbers["max_dtr"][0] == pytest.approx(2 / 3600)


def test_interpretations_concern_the_schedulers_with_their_options():
    concerned = {
        name: {variant.name for variant in runs.TRIED if runs.concerns(scheduler, variant)}
        for name, scheduler in runs.POLICIES.items()
    }
    assert concerned["EASY-Last"] == {variant.name for variant in runs.TRIED}
    assert runs.NOW.name in concerned["PV-EASY"] - concerned["EASY"]
    assert "extra: not-used-up" in concerned["EASY"] - concerned["PV-EASY"]


def test_weighted_slowdown_is_the_quotient_of_its_sums():
    schedule = simulate(jobs(4, (0, 20, 4), (0, 10, 1), (0, 40, 2)))
    both = {m: slowdown.sums(schedule, np.ones(3, bool), m).sum(axis=0) for m in slowdown.NAMES}
    numbers = counts.slowdowns(schedule)
    for measure, (top, bottom) in both.items():
        assert top / bottom == pytest.approx(numbers[measure][0])


def test_leads_are_by_more_than_the_intervals():
    policies = {"PV-EASY": (1, 1, 1), "FCFS-EASY": (0.8, 1.02, 1.8), "SJF-EASY": (1.2, 1.4, 1.6)}
    rows = [
        ("log", policy, error, "mbs", over, over - 0.04, over + 0.04)
        for policy, several in policies.items()
        for error, over in zip((0, 10, 20), several, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["trace", "policy", "error", "measure", *virtual.OVER])
    assert virtual.leads(table).to_dict("records") == [
        {"trace": "log", "measure": "mbs", "ahead": "20", "behind": "0", "level": 0}
    ]


@pytest.mark.parametrize(
    ("rows", "starts", "blocked"),
    [
        # Job 1 is passed by job 2, which ends in time; job 4 waits with no job behind it.
        (
            [(0, 10, 3), (1, 9, 4), (2, 3, 1), (30, 5, 4), (31, 1, 4)],
            [0, 10, 2, 30, 35],
            {"any": [1, 4], "others-wait": [1], "passed": [1]},
        ),
        # Job 2 waits behind job 1, and then alone; no job is passed.
        (
            [(0, 10, 4), (1, 5, 4), (2, 5, 4)],
            [0, 10, 15],
            {"any": [1, 2], "others-wait": [1], "passed": []},
        ),
    ],
)
def test_blocked_jobs_may_be_those_that_others_wait_behind_or_pass(rows, starts, blocked):
    schedule = simulate(jobs(4, *rows))
    assert schedule.start.tolist() == starts
    for which, expected in blocked.items():
        assert np.flatnonzero(counts.blocked_jobs(schedule, which)).tolist() == expected
