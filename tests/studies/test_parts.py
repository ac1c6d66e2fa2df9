"""The parts of PV-EASY, compared with EASY."""

import pytest

import parts
import replication as rp
from replication.simulator.schedules import measures
from tests.workloads import jobs


def test_parts_are_compared_with_easy():
    log = jobs(4, *[(3600 * k, 5000 + 40 * k, 1 + k % 4) for k in range(40)])
    schedules = {"EASY": rp.simulate(log), "FCFS": rp.simulate(log, rp.FCFS())}
    table = parts.over_easy({"tiny": schedules})
    means = [measures.mbs(one.wait, log.run_time) for one in schedules.values()]
    plain = table[table["measure"] == parts.MEASURES["mbs"]].set_index("log")
    assert plain.loc["tiny", "over"] == pytest.approx(means[1] / means[0])
    assert plain.loc[parts.ALL, "over"] == plain.loc["tiny", "over"]  # of one log
    assert set(table["part"]) == {"FCFS"}
