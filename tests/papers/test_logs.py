"""The tables of logs and Fig. 2 of heel-and-toe, on made-up numbers and on the real
logs' headers.
"""

import pandas as pd
import pytest

from notebooks.heel_and_toe import fig02, table1
from notebooks.logs import left_out, month
from notebooks.pv_easy import table3
from replication.simulator.logs import registry
from tests.workloads import jobs

SMALL = jobs(4, (10, 10, 2), (20, 20, 4), (50, 5, 1))


def test_months_of_a_header():
    header = {
        "StartTime": ["Wed Jun 26 17:06:00 EDT 1996"],
        "EndTime": ["Fri Aug 29 10:55:01 CEST 1997"],
        "Odd": ["soon"],
    }
    assert month(header, "StartTime") == 199606
    assert month(header, "EndTime") == 199708
    assert month(header, "Odd") is None
    assert month(header, "Missing") is None


def test_a_load_has_three_interpretations():
    # 20 + 80 + 5 processor seconds; submissions from 10 to 50, earliest last end 55.
    assert SMALL.load == 105 / (4 * 40)
    assert [*table3.loads(SMALL).values()] == [100 * 105 / (4 * span) for span in (40, 50, 45)]


def test_table_3_counts_the_simulated_jobs():
    facts = table3.facts({"small": SMALL}).set_index("measure")["value"]
    assert facts.to_dict() == {
        "processors": 4,
        "jobs": 3,
        "load": 100 * 105 / 160,
        "mean_size": 7 / 3,
        "mean_run_time": 35 / 3,
    }
    assert table3.under_variants({"small": SMALL})["small"].tolist() == [
        100 * 105 / 160,
        100 * 105 / 200,
        100 * 105 / 180,
    ]


def test_jobs_left_out_are_counted_by_rule():
    cleaned = SMALL.replace(cleaning=(("zero-run-time", 2),))
    assert left_out({"a": cleaned, "b": SMALL}).to_dict("list") == {
        "rule": ["zero-run-time", "jobs simulated"],
        "a": [2, 3],
        "b": [0, 3],
    }


def test_the_change_of_doubling():
    results = pd.DataFrame(
        {
            "trace": "log",
            "estimates": ["real", "real x2", "perfect", "perfect x2"],
            "backfilled": 0.5,
            "mean_wait": [200.0, 150.0, 100.0, 120.0],
            "mean_bounded_slowdown": [10.0, 5.0, 4.0, 2.0],
        }
    )
    change = fig02.change(results)
    assert change["doubling real [%]"].tolist() == pytest.approx([-25, -50])
    assert change["doubling perfect [%]"].tolist() == pytest.approx([20, -50])
    assert change["real to perfect [%]"].tolist() == pytest.approx([-50, -60])


@pytest.mark.parametrize("name", registry.names("heel_and_toe"))
def test_table_1_counts_the_lines_of_each_log(real_log, name):
    workload = real_log(name, paper="heel_and_toe")
    facts = table1.facts({name: workload}).set_index("measure")["value"]
    assert facts["jobs"] == registry.info(name).jobs
    assert facts["processors"] == registry.cleaning_of(name, "heel_and_toe").machine
    assert facts["log_start"] < facts["log_end"]
