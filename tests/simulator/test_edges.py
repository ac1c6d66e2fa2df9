"""Numbers and choices at the edges: large loads, random choices, code of users that changes what it gets."""

import sqlite3
from dataclasses import dataclass

import numpy as np
import pytest

import replication as rp
from replication.simulator import audits
from replication.simulator.schedules import measures
from replication.simulator.sweeps.store import FILE, Store


def test_offered_loads_do_not_overflow():
    sizes = [10**12, 10**12, 5 * 10**11]
    jobs = rp.Workload.from_columns("b", 10**12, [0, 10, 20], [10**8] * 3, sizes)
    assert jobs.load == pytest.approx(12_500_000)
    assert measures.load(jobs.run_time, jobs.processors, jobs.machine, 20) == pytest.approx(1.25e7)


def some():
    return rp.Workload.from_columns("some", 4, [0, 1, 2, 3], [9, 5, 3, 4], [3, 4, 1, 2])


@pytest.mark.parametrize(
    "scheduler",
    [rp.EASY(rp.Virtual(0.9)), rp.EASY(rp.Biased(rp.Virtual(0.9))), rp.EASY(let_past=0.5)],
    ids=repr,
)
def test_a_replay_of_random_choices_is_refused(scheduler):
    with pytest.raises(audits.AuditError, match="random choices cannot be repeated"):
        audits.alone(rp.simulate(some(), scheduler))


@dataclass(frozen=True)
class Halving(rp.Predictor, name="halving-of-a-test"):
    """Change the estimates in place."""

    def predictions(self, workload, request, seed):
        request //= 2
        return request


def test_code_of_users_cannot_change_estimates():
    given = np.array([9, 5, 3, 4])
    with pytest.raises(ValueError, match="read-only"):
        rp.simulate(some(), rp.EASY(Halving()), given)
    assert given.tolist() == [9, 5, 3, 4]


def mean_wait(schedule):
    return 1.0


def test_two_measures_of_one_name_are_refused():
    for wrong in (["mean_wait", mean_wait], [mean_wait], ["mean_wait", "mean_wait"]):
        with pytest.raises(measures.MeasureError, match="two measures are called 'mean_wait'"):
            rp.simulate(some(), measures=wrong)


@pytest.mark.parametrize("odd", ["null", "4000000000", "1.5"])
def test_a_stored_value_of_another_type_counts_as_damaged(tmp_path, odd):
    with Store(tmp_path) as store:
        store.put("key", {"seed": [1]})
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute(f"update results set rows = {odd}")
    database.close()
    with Store(tmp_path) as store:
        assert store.get("key") is None and store.damaged == 1
