"""What PV-EASY's tables and figures count, against hand-made schedules; and the rules for claims."""

from dataclasses import replace

import numpy as np
import pytest

from replication.evidence import published
from replication.papers.pv_easy import counts, examples, runs, slowdown, tables, virtual
from replication.predictors import Clairvoyant
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, PVEasy, SchedulerError
from tests.workloads import jobs


@pytest.fixture
def preempted():
    """Job 2 passes job 1 and is killed for it at 10, after 8 s; it runs from 15 to 75."""
    return simulate(
        jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1)), PVEasy(predictor=Clairvoyant())
    ).validate()


def test_tables_5_and_6_count_what_is_lost(preempted):
    assert counts.wasted_seconds(preempted).tolist() == [0, 0, 8]
    capacity = 4 * 75
    assert counts.loads(preempted)["wasted_load"][0] == pytest.approx(100 * 8 / capacity)
    assert counts.loads(preempted)["total_load"][0] == pytest.approx(
        100 * (30 + 20 + 60 + 8) / capacity
    )
    found = counts.preemptions(preempted)
    assert found["preempted"] == (1, "jobs")
    assert found["preempted_share"][0] == pytest.approx(100 / 3)
    assert found["mkt"] == (1.0, "kills")
    assert found["rtw"][0] == pytest.approx(100 * 8 / 60)


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
    found = counts.violations(late)
    assert found["violated"] == (1, "jobs")
    assert found["violated_mean_size"] == (4.0, "processors")
    # Two seconds late, with a run time of 2 s that counts as 10.
    assert found["mean_si"][0] == pytest.approx(0.2)
    assert found["max_dtr"][0] == pytest.approx(2 / 3600)


def test_a_schedule_of_nobody_late_has_no_mean():
    found = counts.delays(simulate(jobs(4, (0, 5, 3))))
    assert found["delayed"] == (0, "jobs")
    assert np.isnan(found["mean_delay"][0])


def test_every_count_has_its_default_way_first():
    for ways in counts.WAYS.values():
        assert next(iter(ways.values())) == {}


def test_every_published_number_of_a_table_has_a_count():
    for item, (count, policies) in tables.TABLES.items():
        schedule = simulate(jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1)), PVEasy())
        measured = set(count(schedule)) | {"jobs", "processors"}
        rows = published.rows("pv_easy", item)
        assert {row.measure for row in rows} <= measured
        assert {row.policy for row in rows} <= set(policies) | {"log"}
        units = {name: unit for name, (_, unit) in count(schedule).items()}
        assert {
            row.measure: row.unit for row in rows if row.measure in units
        }.items() <= units.items()


def test_the_readings_are_options_that_exist():
    for reading in runs.READINGS:
        takers = 0
        for scheduler in runs.POLICIES.values():
            known = {
                option: value
                for option, value in reading.scheduler.items()
                if option in scheduler.options()
            }
            replace(scheduler, **known)
            takers += known == reading.scheduler
        assert takers
    with pytest.raises(SchedulerError):
        PVEasy(reservation="never")


def test_the_examples_give_the_numbers_in_the_text():
    ours = examples.published_part(examples.results())
    mine = {(r["trace"], r["measure"]): r["value"] for r in ours.to_dict("records")}
    assert mine == {
        (row.trace, row.measure): row.value for row in published.rows("pv_easy", "fig1")
    }


def test_quarters_of_the_machine():
    workload = jobs(8, *[(0, 1, size) for size in (1, 2, 3, 4, 5, 6, 7, 8)])
    assert slowdown.quarter(workload).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_weighted_slowdown_is_the_quotient_of_its_sums():
    schedule = simulate(jobs(4, (0, 20, 4), (0, 10, 1), (0, 40, 2)))
    both = {m: slowdown.sums(schedule, np.ones(3, bool), m).sum(axis=0) for m in slowdown.NAMES}
    found = counts.slowdowns(schedule)
    for measure, (top, bottom) in both.items():
        assert top / bottom == pytest.approx(found[measure][0])


def test_leads_are_by_more_than_the_intervals():
    import pandas as pd

    policies = {"PV-EASY": (5, 5, 5), "FCFS-EASY": (4, 5.1, 9), "SJF-EASY": (6, 7, 8)}
    rows = [
        ("log", policy, error, "mbs", mean, mean - 0.2, mean + 0.2)
        for policy, means in policies.items()
        for error, mean in zip((0, 10, 20), means, strict=True)
    ]
    table = pd.DataFrame(
        rows, columns=["trace", "policy", "error", "measure", "mean", "low", "high"]
    )
    assert virtual.leads(table).to_dict("records") == [
        {"trace": "log", "measure": "mbs", "ahead": "20", "behind": "0", "level": 0}
    ]


def test_a_mean_of_one_draw_has_no_interval():
    mean, low, high = virtual._mean([3.0])
    assert (mean, np.isnan(low), np.isnan(high)) == (3.0, True, True)
