"""FCFS and EASY on real logs, by hand and with wrong arguments."""

from dataclasses import replace

import numpy as np
import pytest

from replication.simulator.estimates import FModel, Perfect, Users
from replication.simulator.schedulers import EASY
from replication.simulator.schedules.schedule import ScheduleError
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload
from tests.agreement import agree
from tests.workloads import jobs


@pytest.mark.parametrize("model", [Users(), Perfect(), FModel(3), Users(2)], ids=repr)
def test_kernel_and_reference_agree_on_a_whole_log(real_log, model):
    agree(real_log("KTH-SP2"), EASY(), model)


@pytest.mark.parametrize("name", ["CTC-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS"])
def test_kernel_and_reference_agree_on_the_start_of_each_log(real_log, name):
    agree(real_log(name).take(slice(0, 4000)), EASY())


def test_many_jobs_run_at_once():
    n = 3000
    rng = np.random.default_rng(5)
    workload = Workload.from_columns(
        "wide", n, np.zeros(n, int), rng.integers(1, 50, n), np.ones(n, int)
    )
    assert (simulate(workload).validate().start == 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: simulate(w, "EASi"), "scheduler 'EASi' unknown .did you mean easy.*fcfs"),
        (lambda w: simulate(w, estimates=2), "estimates is 2; allowed: .*Users, Perfect"),
        (lambda w: simulate(w, estimates=FModel(-1)), "f=-1; allowed: a number from 0"),
        (lambda w: simulate(w, estimates=Users(0.5)), "factor=0.5; allowed: a number from 1"),
        (lambda w: simulate(w, estimates=FModel(1e300)), "estimates reach .* s, allowed: below"),
        (lambda w: simulate(w, estimates=np.array([1])), "shape"),
        (lambda w: simulate(w, estimates=np.array([1, -2, 3])), "job 2: estimate -2"),
        (lambda w: simulate(w, estimates=np.array([1, np.nan, 3])), "no numbers"),
        (lambda w: simulate(w, estimates=np.array([1, 2**61, 3])), "times reach"),
        (lambda w: simulate("KTH-SP2"), "allowed: a Workload"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1)))
    assert "\n" not in str(error.value)


def test_the_validator_finds_errors():
    good = simulate(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))).validate()

    def changed(**columns):
        return replace(good, **{k: np.array(v) for k, v in columns.items()})

    for bad, message in [
        (changed(start=[0, 0, 2]), "processors in use at second 1|started before"),
        (changed(start=[0, 5, 2]), "7 processors in use at second 5|8 processors"),
        (changed(start=[0, -1, 2]), "never started"),
        (changed(start=[0, 9, 1]), "started before its submission"),
        (changed(start=[0, 9]), "2 starts for 3 jobs"),
        (changed(times_killed=[0, 1, 0]), "killed"),
    ]:
        with pytest.raises(ScheduleError, match=message):
            bad.validate()


def test_estimate_models_depend_on_their_key_alone():
    workload = jobs(4, *[(k, 100 + k, 1) for k in range(50)])
    (_, same), (_, again), (_, other) = (FModel(2).make(workload, seed) for seed in (7, 7, 8))
    assert same.tolist() == again.tolist() != other.tolist()


def test_random_estimates_are_uniform():
    workload = jobs(4, *[(k, 10_000, 1) for k in range(20_000)])
    share = (FModel(2).make(workload, 3)[1] - 10_000) / 20_000
    # The mean and the quartiles of 20,000 uniform numbers, within five standard errors.
    assert np.quantile(share, [0.25, 0.5, 0.75]) == pytest.approx(
        [0.25, 0.5, 0.75], abs=5 * 0.5 / 20_000**0.5
    )
