"""Predictors of users, in Python and compiled, and the checks of their predictions."""

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator.predictors import PredictorError, compiled
from replication.simulator.schedulers import SchedulerError
from tests.extending import Halved
from tests.workloads import jobs, random_jobs

CROWD = random_jobs(300, 8, 4000, 200, 400)
THREE = jobs(4, (0, 9, 4, 50), (1, 9, 4, 30), (2, 9, 4, 20))


class OnlineHalved(rp.Predictor):
    """`Halved` in Python."""

    def start(self, workload):
        self.newest = {}

    def predict(self, job, now):
        return min((job.estimate + self.newest.get(job.user, 0)) // 2, job.estimate)

    def learn(self, job, now):
        self.newest[job.user] = job.run_time


@pytest.mark.parametrize(
    "scheduler",
    [rp.EASY(candidates="shortest"), rp.EASY(reservations=2), rp.Conservative(), rp.PVEasy()],
    ids=repr,
)
def test_predictors_in_python_equal_compiled_ones(scheduler):
    in_python, in_kernels = (
        rp.simulate(CROWD, replace(scheduler, predictor=rp.Biased(predictor, 1.5)))
        for predictor in (OnlineHalved(), Halved())
    )
    assert in_python.start.tolist() == in_kernels.start.tolist()
    assert in_python.prediction.tolist() == in_kernels.prediction.tolist()


def test_a_predictor_can_be_called_outside_of_simulations():
    workload, predictor = THREE.replace(user=np.array([1, 2, 1])), OnlineHalved()
    predictor.start(workload)
    job = workload.jobs()[2]
    assert (job.index, job.id, job.size, job.estimate) == (2, 3, 4, 20)
    assert predictor.predict(job, now=2) == 10
    predictor.learn(workload.jobs(ended=True)[0], now=9)
    assert predictor.predict(job, now=9) == 14
    # A simulation begins without that state.
    assert predictor == OnlineHalved()
    after, fresh = (rp.simulate(workload, rp.EASY(p)) for p in (predictor, OnlineHalved()))
    assert after.prediction.tolist() == fresh.prediction.tolist()


def test_options_with_a_state_are_copied_for_each_simulation():
    class Counting(rp.Predictor, name=""):
        calls: object = itertools.count()

        def predict(self, job, now):
            return next(self.calls)

    counting = Counting()
    first, again = (rp.simulate(CROWD, rp.EASY(counting)).prediction.tolist() for _ in range(2))
    assert first == again and next(counting.calls) == 0


METHODS = {
    "start": lambda self, workload: None,
    "predict": lambda self, job, now: job.estimate,
    "learn": lambda self, job, now: None,
    "tables": lambda self, workload, estimate, seed: {},
    "predictions": lambda self, workload, estimate, seed: estimate,
}


@pytest.mark.parametrize(
    ("base", "methods", "name"),
    [
        (rp.Last, ["predictions"], "predictions"),
        (rp.Last, ["predict"], "learn"),  # that of Last is compiled
        (rp.Estimate, ["start"], "start"),
        (OnlineHalved, ["predictions"], "predictions"),
        (rp.Predictor, ["predict", "tables"], "tables"),
    ],
)
def test_a_method_that_would_not_be_called_is_refused(base, methods, name):
    body = {method: METHODS[method] for method in methods}
    message = f"^Added: method {name} does not suit .*; allowed"
    for bases, body in (((base,), body), ((type("Mixin", (), body), base), {})):
        with pytest.raises(PredictorError, match=message):
            type("Added", bases, body)
    assert "added" not in rp.Predictor.members


def test_methods_may_be_replaced_together():
    methods = {name: METHODS[name] for name in ("predict", "learn")}
    unlearned = type("Unlearned", (rp.Last,), {"learn": rp.Predictor.learn}, name="")
    kinds = [type("Replaced", (base,), methods, name="") for base in (rp.Last, rp.Estimate)]
    for kind in (*kinds, dataclass(frozen=True)(unlearned)):
        assert rp.simulate(THREE, rp.EASY(kind())).prediction.tolist() == [50, 30, 20]


def test_a_statement_is_used_and_counts_for_the_class_that_makes_it():
    """Job 3 is predicted short at 60 only, when a job comes and none ends."""

    class Late(rp.Predictor, name="late"):
        def predict(self, job, now):
            return job.estimate if now < 50 else 10

    class Stated(Late, name="stated"):
        changes_only_at_ends = True

    class Below(Stated, name="below"):
        pass

    w = jobs(5, (0, 100, 4), (1, 10, 5), (2, 10, 1, 200), (60, 5, 1, 500))
    starts = [rp.simulate(w, rp.EASY(kind())).start[2] for kind in (Late, Stated, Below)]
    assert starts == [60, 65, 60]
    assert (
        rp.Biased(rp.Last(), 2).changes_only_at_ends
        and not rp.Biased(Late(), 2).changes_only_at_ends
    )


def test_statements_of_the_package_do_not_count_for_subclasses():
    class Halving:
        @compiled
        def predict(memory, job, now):
            return memory.estimate[job] // (1 + job % 5)

    @dataclass(frozen=True)
    class Halved(Halving, rp.Last, name="halved-last"):
        pass

    assert rp.Last.changes_only_at_ends and not rp.Last.draws_at_random
    assert Halved().draws_at_random and not Halved().changes_only_at_ends
    assert Halved().classes(THREE, None) is None


def test_the_run_time_is_unknown_before_the_end():
    class Peeking(rp.Predictor, name=""):
        def predict(self, job, now):
            return job.run_time

    with pytest.raises(AttributeError, match="run_time"):
        rp.simulate(THREE, rp.EASY(Peeking()))


@pytest.mark.parametrize("value", [-5, float("nan"), None, pd.Series([5.0])])
def test_wrong_predictions_in_python_are_refused(value):
    class Wrong(rp.Predictor, name=""):
        def predict(self, job, now):
            return value if job.id == 2 else 3

    message = r"Wrong\(\): job 2: predicted .*; expected seconds >= 0"
    with pytest.raises(PredictorError, match=message):
        rp.simulate(THREE, rp.EASY(Wrong()))


@pytest.mark.parametrize(
    ("method", "where"),
    [("start", ""), ("predict", ", job 2"), ("begin", ", job 1"), ("learn", ", job 1")],
)
def test_an_exception_in_a_predictor_names_it_and_the_job(method, where):
    def fail(self, job, now=0):
        if (method, getattr(job, "id", 2)) != ("predict", 1):
            raise KeyError("unknown user")
        return 1

    failing = type("Failing", (OnlineHalved,), {method: fail}, name="")
    with pytest.raises(KeyError, match="unknown user") as error:
        rp.simulate(THREE, rp.EASY(failing()))
    assert error.value.__notes__ == [f"in Failing().{method}{where}"]


def test_predictions_above_the_estimate_count_as_the_estimate():
    class Long(rp.Predictor, name=""):
        def predict(self, job, now):
            return 10**15

    assert rp.simulate(THREE, rp.Conservative(Long())).prediction.tolist() == [50, 30, 20]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([1, 2], r"int64\[2\]; expected numbers \[3\]"),
        ([1, np.nan, 3], "job 2: predicted nan s; expected 0 to 30 s"),
        ([2**41, 2, 1], "job 1: predicted 2199023255552 s; expected 0 to 50 s"),
    ],
)
def test_wrong_predictions_known_from_the_start_are_refused(predictions, message):
    @dataclass(frozen=True)
    class Wrong(rp.Predictor, name=""):
        def predictions(self, workload, estimate, seed):
            return np.array(predictions)

    with pytest.raises(PredictorError, match=message):
        rp.simulate(THREE, rp.EASY(Wrong()))


def test_code_of_users_cannot_change_estimates():
    @dataclass(frozen=True)
    class Halving(rp.Predictor, name=""):
        def predictions(self, workload, estimate, seed):
            estimate //= 2
            return estimate

    with pytest.raises(ValueError, match="read-only"):
        rp.simulate(THREE, rp.EASY(Halving()), np.array([50, 30, 20]))


def define(function, method="predict", **tables):
    """A compiled predictor with a table of three numbers."""
    tables = {"table": np.array([30, 20, 10])} | tables
    methods = {"predict": compiled(lambda memory, job, now: 5), method: compiled(function)}
    body = {"tables": lambda self, *arguments: tables} | methods
    return dataclass(frozen=True)(type("Compiled", (rp.Predictor,), body, name=""))()


def beyond(memory, job, now):
    """Use a number that the table does not have for job 2."""
    memory.table[job + 2] += 1


@pytest.mark.parametrize(
    ("predictor", "message"),
    [
        (define(lambda memory, job, now: 5 - 6 * job), "job 2: predicted -1 s; expected 0 to 30"),
        (define(beyond, "begin"), "job 2: index is out of bounds"),
        (define(beyond, "learn"), "job 2: index is out of bounds"),
        (define(lambda memory, job, now: 0.5), "returns float64; expected int64"),
        (define(lambda memory, job, now: memory.nothing[job]), "does not compile"),
        (define(lambda memory, job, now: 1, estimate=7), "'estimate' has the name of a field"),
    ],
)
def test_wrong_compiled_predictors_are_refused(predictor, message):
    with pytest.raises(PredictorError, match=message) as error:
        rp.simulate(THREE, rp.Conservative(predictor))  # which has asked about job 3 before
    assert "\n" not in str(error.value)


def test_classes_of_a_predictor_have_a_number_for_each_job():
    @dataclass(frozen=True)
    class Short(rp.Last, name=""):
        def classes(self, workload, estimate):
            return np.zeros(1, np.int64)

    with pytest.raises(SchedulerError, match=r"Short\(\): classes: int64\[1\]; expected"):
        rp.simulate(THREE, rp.PVEasy(Short()))
