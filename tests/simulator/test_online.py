"""Online predictors in Python, and the checks of all predictions where they enter a kernel."""

from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pandas as pd
import pytest

from notebooks.audits import alone
from replication.simulator.predictors import (
    Biased,
    Estimate,
    Last,
    Predictor,
    PredictorError,
    compiled,
)
from replication.simulator.schedulers import (
    EASY,
    Conservative,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
)
from replication.simulator.simulation import simulate
from tests.workloads import jobs

SCHEDULERS = [
    EASY(candidates="shortest"),
    EASY(reservations=2),
    Conservative(),
    LargestAreaFirst(),
    OrderedEASY("wfp3"),
    PVEasy(),
]
THREE = jobs(4, (0, 9, 4, 50), (1, 9, 4, 30), (2, 9, 4, 20))


class OnlineLast(Predictor, name="online-last"):
    """`Last` in Python."""

    def start(self, workload):
        self.accuracy, self.begun = {}, []

    def predict(self, job, now):
        accuracy = self.accuracy.get(job.user)
        return job.estimate if accuracy is None else accuracy * job.estimate

    def begin(self, job, now):
        self.begun.append(job.id)

    def learn(self, job, now):
        self.accuracy[job.user] = job.run_time / job.estimate if job.estimate else None


class Constant(Predictor, name="constant"):
    """A share of the estimate."""

    share: float = 0.5

    def predict(self, job, now):
        return self.share * job.estimate


class OnlineLastWithoutStarts(OnlineLast, name="online-last-2"):
    draws_at_random = False
    begin = Predictor.begin


def test_a_predictor_is_a_value_and_its_state_lasts_one_simulation():
    own = OnlineLast()
    assert repr(own) == "OnlineLast()" and own == OnlineLast() and hash(own) == hash(OnlineLast())
    first, second = (simulate(THREE, EASY(own, refresh="submission")) for _ in range(2))
    assert first.prediction.tolist() == second.prediction.tolist()
    assert not hasattr(own, "accuracy")
    with pytest.raises(FrozenInstanceError, match="cannot assign to the option 'share'"):
        Constant().share = 1


def test_a_predictor_can_be_called_outside_of_simulations(real_log):
    workload, own = THREE.replace(user=np.array([1, 2, 1])), OnlineLast()
    own.start(workload)
    first, _, third = workload.jobs()
    assert own.predict(third, now=2) == 20
    own.learn(workload.jobs(ended=True)[0], now=9)
    assert own.predict(third, now=9) == 9 / 50 * 20
    assert (first.index, first.id, first.size, first.estimate) == (0, 1, 4, 50)
    assert own == OnlineLast() and hash(own) == hash(OnlineLast())
    # A simulation begins without that state.
    inside, fresh = (simulate(workload, EASY(one)) for one in (own, OnlineLast()))
    assert inside.prediction.tolist() == fresh.prediction.tolist()


@pytest.mark.parametrize("scheduler", [*SCHEDULERS, EASY(refresh="submission")], ids=repr)
def test_predictors_in_python_equal_the_compiled_one(real_log, scheduler):
    workload = real_log("KTH-SP2").take(slice(0, 2000))
    one = OnlineLastWithoutStarts()
    equal = [(Last(), one), (Biased(Last(), 1.5), Biased(one, 1.5))]
    if not isinstance(scheduler, PVEasy):
        equal.append((Last(), OnlineLast()))
    for predictors in equal:
        first, other = (
            simulate(workload, replace(scheduler, predictor=predictor)) for predictor in predictors
        )
        assert other.start.tolist() == first.start.tolist()
        assert other.prediction.tolist() == first.prediction.tolist()


METHODS = {
    "start": lambda self, workload: None,
    "predict": lambda self, job, now: job.estimate,
    "begin": lambda self, job, now: None,
    "learn": lambda self, job, now: None,
    "tables": lambda self, workload, estimate, seed: {},
    "predictions": lambda self, workload, estimate, seed: estimate,
}


@pytest.mark.parametrize(
    ("base", "own", "name"),
    [
        (Last, ["learn"], "learn"),
        (Last, ["begin"], "begin"),
        (Last, ["start"], "start"),
        (Last, ["predictions"], "predictions"),
        (Last, ["predict"], "learn"),  # that of Last is compiled
        (Estimate, ["start"], "start"),
        (Estimate, ["learn"], "learn"),
        (Estimate, ["tables"], "tables"),
        (OnlineLast, ["predictions"], "predictions"),
        (OnlineLast, ["tables"], "tables"),
        (Predictor, ["predict", "predictions"], "predictions"),
        (Predictor, ["predict", "tables"], "tables"),
    ],
)
@pytest.mark.parametrize("by_mixin", [False, True])
def test_a_method_that_would_not_be_called_is_refused(base, own, name, by_mixin):
    own = {name: METHODS[name] for name in own}
    bases, own = ((type("Mixin", (), own), base), {}) if by_mixin else ((base,), own)
    with pytest.raises(PredictorError, match=f"^Own: method {name} does not suit .*; allowed"):
        type("Own", bases, own)
    assert "own" not in Predictor.members


def test_methods_may_be_compiled_or_replaced_together():
    class Base(Predictor, name=""):
        """A base without predictions."""

        start, learn = OnlineLast.start, OnlineLast.learn

    class Online(Base, name=""):
        predict = OnlineLast.predict

    class Replaced(Last, name=""):
        predict, learn = METHODS["predict"], METHODS["learn"]

    class OnRequest(Estimate, name=""):
        predict, learn = METHODS["predict"], METHODS["learn"]

    @dataclass(frozen=True)
    class Unlearned(Last, name=""):
        learn = Predictor.learn

    expected = simulate(THREE, EASY(Estimate())).start.tolist()
    for kind in (Replaced, OnRequest, Unlearned):
        assert simulate(THREE, EASY(kind())).start.tolist() == expected
    same = simulate(THREE, EASY(Online())).start, simulate(THREE, EASY(Last())).start
    assert same[0].tolist() == same[1].tolist()


class Box:
    """An object with a state."""

    def __init__(self):
        self.seen = []


class Boxed(Predictor, name=""):
    """A predictor whose state is in its options."""

    of: Predictor = OnlineLast()
    box: object = Box()

    def start(self, workload):
        self.of.start(workload)

    def predict(self, job, now):
        return min(self.of.predict(job, now), job.estimate - len(self.box.seen))

    def learn(self, job, now):
        self.of.learn(job, now)
        self.box.seen.append(job.id)


def test_options_with_a_state_are_copied_for_each_simulation():
    boxed = Boxed()
    first, again = (simulate(THREE, EASY(boxed)).prediction.tolist() for _ in range(2))
    assert first == again and not boxed.box.seen and not hasattr(boxed.of, "accuracy")
    assert boxed == Boxed()
    with boxed.memory(THREE, THREE.estimate) as one, boxed.memory(THREE, THREE.estimate) as other:
        one.online.learn(0, 9)
        assert one.online.predictor.box.seen == [1] and not other.online.predictor.box.seen
        assert one.online.predictor.of.accuracy and not other.online.predictor.of.accuracy


def test_the_run_time_is_unknown_before_the_end():
    class Peeking(Predictor):
        def predict(self, job, now):
            return job.run_time

    with pytest.raises(AttributeError, match="run_time"):
        simulate(THREE, EASY(Peeking()))


def test_options_are_fields():
    class Share(Predictor):
        share: float = 0.5

        def predict(self, job, now):
            return self.share * job.estimate

    assert simulate(THREE, EASY(Share())).prediction.tolist() == [25, 15, 10]
    assert repr(Share(share=0.1)) == "Share(share=0.1)"

    class WithInit(Predictor, name="with-init"):
        def __init__(self):
            self.x = 1

        def predict(self, job, now):
            return 1

    with pytest.raises(PredictorError, match="expected its options as annotated fields"):
        WithInit()


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
    class Failing(OnlineLast, name=f"failing-{method}"):
        pass

    def fail(self, job, now=0):
        if (method, getattr(job, "id", 2)) != ("predict", 1):
            raise KeyError("unknown user")
        return 1

    setattr(Failing, method, fail)
    with pytest.raises(KeyError, match="unknown user") as error:
        simulate(THREE, EASY(Failing()))
    assert error.value.__notes__ == [f"in Failing().{method}{where}"]
    assert error.traceback[-1].frame.code.name == "fail"


def test_predictions_above_the_estimate_count_as_the_estimate():
    class Long(Predictor):
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
    class Known(Predictor):
        def predictions(self, workload, estimate, seed):
            return np.array(given)

    with pytest.raises(PredictorError, match=message):
        simulate(THREE, EASY(Known()))


@dataclass(frozen=True)
class Halving(Predictor, name="halving-of-a-test"):
    """Change the estimates in place."""

    def predictions(self, workload, estimate, seed):
        estimate //= 2
        return estimate


def test_code_of_users_cannot_change_estimates():
    given = np.array([50, 30, 20])
    with pytest.raises(ValueError, match="read-only"):
        simulate(THREE, EASY(Halving()), given)
    assert given.tolist() == [50, 30, 20]


def define(function, name):
    """A compiled predictor with a table of three numbers."""

    def tables(self, workload, estimate, seed):
        return {"table": np.array([30, 20, 10])}

    body = {"tables": tables, "predict": compiled(function), "__module__": __name__}
    return dataclass(frozen=True)(type(name, (Predictor,), body))()


def test_wrong_compiled_predictions_are_refused():
    negative = define(lambda memory, job, now: 5 - 6 * job, "Negative")
    with pytest.raises(PredictorError, match="job 2: predicted -1 s; expected 0 to 30 s"):
        simulate(THREE, EASY(negative))
    outside = define(lambda memory, job, now: memory.table[job + 2], "Outside")
    with pytest.raises(PredictorError, match="job 2: index is out of bounds"):
        simulate(THREE, EASY(outside))
    fraction = define(lambda memory, job, now: 0.5, "Fraction")
    with pytest.raises(PredictorError, match="returns float64; expected int64") as error:
        simulate(THREE, EASY(fraction))
    assert "\n" not in str(error.value)
    unknown = define(lambda memory, job, now: memory.nothing[job], "Unknown")
    with pytest.raises(PredictorError, match="does not compile") as error:
        simulate(THREE, EASY(unknown))
    assert "\n" not in str(error.value)


def test_sort_and_slice_assignment_work_compiled():
    def predict(memory, job, now):
        table = np.sort(memory.table)
        memory.table[:] = table[::-1]
        return table[1]

    assert simulate(THREE, EASY(define(predict, "Sorted"))).prediction.tolist() == [20, 20, 20]


def test_delays_of_pv_easy_can_be_asked_for():
    run = simulate(THREE, PVEasy(OnlineLastWithoutStarts()))
    assert alone(run).tolist() == run.start.tolist()


CELL = """
import replication as rp

class OfACell(rp.Predictor, name="of-a-cell"):
    def start(self, workload):
        self.last = {}

    def predict(self, job, now):
        return self.last.get(job.user, job.estimate)

    def learn(self, job, now):
        self.last[job.user] = job.run_time

jobs = rp.Workload.from_columns(
    "two users", 4, submit=[0, 20, 21, 22], run_time=[9, 9, 8, 5], estimate=[90, 90, 90, 90],
    processors=[4, 3, 4, 1], user=[1, 1, 2, 1],
)
run = rp.simulate(jobs, rp.EASY(predictor=OfACell()))
"""


def test_a_predictor_may_be_defined_in_a_notebook_cell():
    names = {"__name__": "__main__"}
    exec(CELL, names)
    assert names["run"].prediction.tolist() == [90, 9, 90, 9]
    assert names["run"].start.tolist() == [0, 20, 29, 37]
