"""Predictors of users, in Python and compiled, and the checks of their predictions."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from replication.simulator.choices import Number, option
from replication.simulator.predictors import (
    Biased,
    Estimate,
    Last,
    Predictor,
    PredictorError,
    compiled,
)
from replication.simulator.schedulers import EASY, Conservative, PVEasy, SchedulerError
from replication.simulator.simulation import simulate
from tests.workloads import jobs, random_jobs

CROWD = random_jobs(300, 8, 4000, 200, 400)
THREE = jobs(4, (0, 9, 4, 50), (1, 9, 4, 30), (2, 9, 4, 20))


class OnlineLast(Predictor, name="online-last"):
    """`Last` in Python."""

    def start(self, workload):
        self.accuracy = {}

    def predict(self, job, now):
        accuracy = self.accuracy.get(job.user)
        return job.estimate if accuracy is None else accuracy * job.estimate

    def learn(self, job, now):
        self.accuracy[job.user] = job.run_time / job.estimate if job.estimate else None


@dataclass(frozen=True)
class Longest(Predictor):
    """A share of the longest run of the same user that has ended; 0 without any."""

    share: float = option(allowed=Number(0, 1), about="of the longest run")

    def tables(self, workload, estimate, seed):
        users, user = np.unique(workload.user, return_inverse=True)
        return {"user": user, "longest": np.zeros(len(users), np.int32), "share": self.share}

    @compiled
    def predict(memory, job, now):
        longest = memory.longest[memory.user[job]]
        return min(np.int64(longest * memory.share), memory.estimate[job])

    @compiled
    def learn(memory, job, now):
        user = memory.user[job]
        memory.longest[user] = max(memory.longest[user], memory.run_time[job])


class OnlineLongest(Predictor):
    """`Longest` in Python."""

    share: float = 1.0

    def start(self, workload):
        self.longest = {}

    def predict(self, job, now):
        return int(self.longest.get(job.user, 0) * self.share)

    def learn(self, job, now):
        self.longest[job.user] = max(self.longest.get(job.user, 0), job.run_time)


@pytest.mark.parametrize(
    ("one", "other"),
    [(Biased(Last(), 1.5), Biased(OnlineLast(), 1.5)), (Longest(0.5), OnlineLongest(0.5))],
    ids=repr,
)
@pytest.mark.parametrize(
    "scheduler",
    [EASY(candidates="shortest"), EASY(reservations=2), Conservative(), PVEasy()],
    ids=repr,
)
def test_predictors_in_python_equal_compiled_ones(scheduler, one, other):
    first, second = (simulate(CROWD, replace(scheduler, predictor=own)) for own in (one, other))
    assert second.start.tolist() == first.start.tolist()
    assert second.prediction.tolist() == first.prediction.tolist()


def test_a_predictor_can_be_called_outside_of_simulations():
    workload, own = THREE.replace(user=np.array([1, 2, 1])), OnlineLast()
    own.start(workload)
    first, _, third = workload.jobs()
    assert own.predict(third, now=2) == 20
    own.learn(workload.jobs(ended=True)[0], now=9)
    assert own.predict(third, now=9) == 9 / 50 * 20
    assert (first.index, first.id, first.size, first.estimate) == (0, 1, 4, 50)
    # A simulation begins without that state.
    assert own == OnlineLast() and hash(own) == hash(OnlineLast())
    inside, fresh = (simulate(workload, EASY(one)) for one in (own, OnlineLast()))
    assert inside.prediction.tolist() == fresh.prediction.tolist()


def test_options_with_a_state_are_copied_for_each_simulation():
    class Box:
        seen = 0

    class Boxed(Predictor, name=""):
        of: Predictor = OnlineLast()
        box: object = Box()

        def start(self, workload):
            self.of.start(workload)

        def predict(self, job, now):
            return min(self.of.predict(job, now), job.estimate - self.box.seen)

        def learn(self, job, now):
            self.of.learn(job, now)
            self.box.seen += 1

    boxed = Boxed()
    first, again = (simulate(THREE, EASY(boxed)).prediction.tolist() for _ in range(2))
    assert first == again and not boxed.box.seen and not hasattr(boxed.of, "accuracy")


METHODS = {
    "start": lambda self, workload: None,
    "predict": lambda self, job, now: job.estimate,
    "learn": lambda self, job, now: None,
    "tables": lambda self, workload, estimate, seed: {},
    "predictions": lambda self, workload, estimate, seed: estimate,
}


@pytest.mark.parametrize(
    ("base", "own", "name"),
    [
        (Last, ["learn"], "learn"),
        (Last, ["start"], "start"),
        (Last, ["predictions"], "predictions"),
        (Last, ["predict"], "learn"),  # that of Last is compiled
        (Estimate, ["start"], "start"),
        (OnlineLast, ["predictions"], "predictions"),
        (Predictor, ["predict", "predictions"], "predictions"),
        (Predictor, ["predict", "tables"], "tables"),
    ],
)
def test_a_method_that_would_not_be_called_is_refused(base, own, name):
    own = {name: METHODS[name] for name in own}
    for bases, body in (((base,), own), ((type("Mixin", (), own), base), {})):
        with pytest.raises(PredictorError, match=f"^Own: method {name} does not suit .*; allowed"):
            type("Own", bases, body)
    assert "own" not in Predictor.members


def test_methods_may_be_replaced_together():
    own = {name: METHODS[name] for name in ("predict", "learn")}
    unlearned = type("Unlearned", (Last,), {"learn": Predictor.learn}, name="")
    kinds = [type("Own", (base,), own, name="") for base in (Last, Estimate)]
    for kind in (*kinds, dataclass(frozen=True)(unlearned)):
        assert simulate(THREE, EASY(kind())).prediction.tolist() == [50, 30, 20]


def test_a_statement_is_used_and_counts_for_the_class_that_makes_it():
    """Job 3 is predicted short at 60 only, when a job comes and none ends."""

    class Late(Predictor, name="late"):
        def predict(self, job, now):
            return job.estimate if now < 50 else 10

    class Stated(Late, name="stated"):
        changes_only_at_ends = True

    class Below(Stated, name="below"):
        pass

    w = jobs(5, (0, 100, 4), (1, 10, 5), (2, 10, 1, 200), (60, 5, 1, 500))
    starts = [simulate(w, EASY(kind())).start[2] for kind in (Late, Stated, Below)]
    assert starts == [60, 65, 60]
    assert Biased(Last(), 2).changes_only_at_ends and not Biased(Late(), 2).changes_only_at_ends


def test_statements_of_the_package_do_not_count_for_subclasses():
    class Halving:
        @compiled
        def predict(memory, job, now):
            return memory.estimate[job] // (1 + job % 5)

    @dataclass(frozen=True)
    class Halved(Halving, Last, name="halved-last"):
        pass

    assert Last.changes_only_at_ends and not Last.draws_at_random
    assert Halved().draws_at_random and not Halved().changes_only_at_ends
    assert Halved().classes(THREE, None) is None


def test_the_run_time_is_unknown_before_the_end():
    class Peeking(Predictor, name=""):
        def predict(self, job, now):
            return job.run_time

    with pytest.raises(AttributeError, match="run_time"):
        simulate(THREE, EASY(Peeking()))


@pytest.mark.parametrize("value", [-5, float("nan"), float("inf"), None, "x", pd.Series([5.0])])
def test_wrong_predictions_in_python_are_refused(value):
    class Wrong(Predictor, name=""):
        def predict(self, job, now):
            return value if job.id == 2 else 3

    message = r"Wrong\(\): job 2: predicted .*; expected seconds >= 0"
    with pytest.raises(PredictorError, match=message):
        simulate(THREE, EASY(Wrong()))


@pytest.mark.parametrize(
    ("method", "where"),
    [("start", ""), ("predict", ", job 2"), ("begin", ", job 1"), ("learn", ", job 1")],
)
def test_an_exception_in_a_predictor_names_it_and_the_job(method, where):
    def fail(self, job, now=0):
        if (method, getattr(job, "id", 2)) != ("predict", 1):
            raise KeyError("unknown user")
        return 1

    failing = type("Failing", (OnlineLast,), {method: fail}, name="")
    with pytest.raises(KeyError, match="unknown user") as error:
        simulate(THREE, EASY(failing()))
    assert error.value.__notes__ == [f"in Failing().{method}{where}"]


def test_predictions_above_the_estimate_count_as_the_estimate():
    class Long(Predictor, name=""):
        def predict(self, job, now):
            return 10**15

    assert simulate(THREE, Conservative(Long())).prediction.tolist() == [50, 30, 20]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2], r"int64\[2\]; expected numbers \[3\]"),
        (["a"] * 3, "expected numbers"),
        ([1, np.nan, 3], "job 2: predicted nan s; expected 0 to 30 s"),
        ([1, 2, -1], "job 3: predicted -1 s"),
        ([2**41, 2, 1], "job 1: predicted 2199023255552 s; expected 0 to 50 s"),
    ],
)
def test_wrong_predictions_known_from_the_start_are_refused(given, message):
    @dataclass(frozen=True)
    class Known(Predictor, name=""):
        def predictions(self, workload, estimate, seed):
            return np.array(given)

    with pytest.raises(PredictorError, match=message):
        simulate(THREE, EASY(Known()))


def test_code_of_users_cannot_change_estimates():
    @dataclass(frozen=True)
    class Halving(Predictor, name=""):
        def predictions(self, workload, estimate, seed):
            estimate //= 2
            return estimate

    given = np.array([50, 30, 20])
    with pytest.raises(ValueError, match="read-only"):
        simulate(THREE, EASY(Halving()), given)
    assert given.tolist() == [50, 30, 20]


def define(function, method="predict", **tables):
    """A compiled predictor with a table of three numbers."""
    tables = {"table": np.array([30, 20, 10])} | tables
    methods = {"predict": compiled(lambda memory, job, now: 5), method: compiled(function)}
    body = {"tables": lambda self, *given: tables} | methods
    return dataclass(frozen=True)(type("Own", (Predictor,), body, name=""))()


def beyond(memory, job, now):
    """Use a number that the table does not have for job 2."""
    memory.table[job + 2] += 1


@pytest.mark.parametrize(
    ("predictor", "message"),
    [
        (define(lambda memory, job, now: 5 - 6 * job), "job 2: predicted -1 s; expected 0 to 30"),
        (define(lambda memory, job, now: memory.table[job + 2]), "job 2: index is out of bounds"),
        (define(beyond, "begin"), "job 2: index is out of bounds"),
        (define(beyond, "learn"), "job 2: index is out of bounds"),
        (define(lambda memory, job, now: 0.5), "returns float64; expected int64"),
        (define(lambda memory, job, now: memory.nothing[job]), "does not compile"),
        (define(lambda memory, job, now: 1, estimate=7), "'estimate' has the name of a field"),
    ],
)
def test_wrong_compiled_predictors_are_refused(predictor, message):
    with pytest.raises(PredictorError, match=message) as error:
        simulate(THREE, Conservative(predictor))  # which has asked about job 3 before
    assert "\n" not in str(error.value)


def test_classes_of_a_predictor_have_a_number_for_each_job():
    @dataclass(frozen=True)
    class Short(Last, name=""):
        def classes(self, workload, estimate):
            return np.zeros(1, np.int64)

    with pytest.raises(SchedulerError, match=r"Short\(\): classes: int64\[1\]; expected"):
        simulate(THREE, PVEasy(Short()))
