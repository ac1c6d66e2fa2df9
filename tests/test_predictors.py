"""Predictors against values worked out by hand, and against their readable twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication import predictors, reference_predictors
from replication.core import predictors as compiled
from replication.core.classes import number
from replication.workload import Workload

LEARNING = ["last", "tsafrir"]
ALL = ["request", "perfect", "virtual=0.5", *LEARNING]


def people(*rows):
    """A workload from (run time, request, user) rows, with one processor a job."""
    run_time, request, user = zip(*rows, strict=True)
    count = np.arange(len(rows))
    return Workload.from_columns("people", 4, count, run_time, np.ones(len(rows), int), request, user=np.array(user))


def after(workload, predictor, ended, job):
    """The prediction for `job` once the jobs `ended` have ended, in that order."""
    memory = predictors.make(workload, workload.estimate, predictor)
    for k in ended:
        compiled.learn(memory, k, 0, workload.run_time[k])
    return compiled.predict(memory, job, 99)


def test_the_request_and_the_run_time():
    w = people((5, 9, 1), (6, 9, 1), (7, 9, 1))
    assert after(w, "request", [0, 1], 2) == 9
    assert after(w, "perfect", [], 2) == 7


def test_last_carries_the_accuracy_of_the_users_last_job_over():
    w = people((30, 60, 1), (90, 100, 1), (5, 50, 2), (1, 1000, 1), (9, 0, 1))
    assert after(w, "last", [], 3) == 1000
    assert after(w, "last", [2], 3) == 1000, "another user's job says nothing"
    assert after(w, "last", [0], 3) == 500
    assert after(w, "last", [0, 1], 3) == 900
    assert after(w, "last", [1, 0, 2], 3) == 500, "the order of ends counts"
    assert after(w, "last", [1, 4], 3) == 1000, "a request of 0 has no accuracy"


def test_last_rounds_and_stays_at_the_request():
    w = people((1, 3, 1), (80, 60, 1), (1, 10, 1))
    assert after(w, "last", [0], 2) == 3
    assert after(w, "last", [1], 2) == 10


def test_tsafrir_needs_two_ended_jobs_of_the_user():
    w = people((30, 60, 1), (91, 100, 1), (5, 50, 2), (1, 1000, 1), (1, 40, 1))
    assert after(w, "tsafrir", [0], 3) == 1000
    assert after(w, "tsafrir", [0, 2], 3) == 1000
    assert after(w, "tsafrir", [0, 2, 1], 3) == 60, "whole seconds: 60.5 becomes 60"
    assert after(w, "tsafrir", [0, 1], 4) == 40, "at most the request"


def test_virtual_errors_are_uniform_seeded_and_bounded():
    w = Workload.from_columns("virtual", 4, np.zeros(20_000, int), np.full(20_000, 10_000), np.ones(20_000, int))
    error = predictors.virtual(w, 0.2, 3) / 10_000 - 1
    assert np.quantile(error, [0.25, 0.5, 0.75]) == pytest.approx([-0.1, 0, 0.1], abs=5 * 0.2 / 20_000**0.5)
    assert abs(error).max() <= 0.2
    assert (predictors.virtual(w, 0.2, 3) == predictors.virtual(w, 0.2, 3)).all()
    assert (predictors.virtual(w, 0.2, 3) != predictors.virtual(w, 0.2, 4)).any()
    assert (predictors.virtual(w, 0, 3) == w.run_time).all()


@st.composite
def histories(draw):
    """A small population of similar jobs, and an order of ends and questions."""
    few = st.integers(0, 2)
    row = st.tuples(st.integers(0, 60), st.sampled_from([10, 30, 60]), few, few, st.integers(1, 2))
    rows = draw(st.lists(row, min_size=1, max_size=40))
    run_time, request, user, executable, size = map(np.array, zip(*rows, strict=True))
    workload = Workload.from_columns("history", 4, np.arange(len(rows)), run_time, size, request,
                                     user=user, executable=executable)
    asked = draw(st.lists(st.tuples(st.booleans(), st.integers(0, len(rows) - 1)), max_size=80))
    return workload, asked


@pytest.mark.parametrize("predictor", ALL)
@settings(max_examples=300, deadline=None)
@given(history=histories())
def test_kernel_and_twin_predict_the_same(predictor, history):
    workload, asked = history
    memory = predictors.make(workload, workload.estimate, predictor)
    twin = reference_predictors.make(workload, workload.estimate, predictor)
    for now, (ends, job) in enumerate(asked):
        if ends:
            compiled.learn(memory, job, now, now + workload.run_time[job])
            twin.learn(job, now, now + int(workload.run_time[job]))
        else:
            assert compiled.predict(memory, job, now) == twin.predict(job, now)


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-(2**62), 2**62), st.integers(0, 1)), min_size=1))
def test_equal_rows_get_equal_numbers(rows):
    code = np.empty(len(rows), np.int64)
    count = number(np.array(rows), code)
    first = list(dict.fromkeys(rows))
    assert code.tolist() == [first.index(row) for row in rows]
    assert count == len(first)


@pytest.mark.parametrize(("text", "message"), [
    ("lasst", "predictor 'lasst' unknown; allowed: request"),
    ("virtual", "unknown; allowed"),
    ("last=3", "unknown; allowed"),
    ("virtual=x", "virtual takes a number from 0 to 1"),
    ("virtual=2", "virtual takes a number from 0 to 1"),
    ("virtual=nan", "virtual takes a number from 0 to 1"),
])
def test_an_unknown_predictor_is_refused_in_one_line(text, message):
    with pytest.raises(predictors.PredictorError, match=message) as error:
        predictors.check(text)
    assert "\n" not in str(error.value)
