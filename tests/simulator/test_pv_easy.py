"""PV-EASY: real logs, progress of preempted jobs, and wrong options."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebooks.pv_easy import sparing
from notebooks.pv_easy.sparing import SparingPVEasy
from replication.simulator.predictors import (
    Clairvoyant,
    Complete,
    Last,
    Predictor,
    TopPercent,
    Tsafrir,
)
from replication.simulator.schedulers import PVEasy
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.workloads import jobs, peopled

VARIANTS = st.fixed_dictionaries(
    {},
    optional={
        "refresh": st.sampled_from(["pass", "submission"]),
        "correction": st.sampled_from(["estimate", "tsafrir", "doubling", "now"]),
        "lifetime": st.sampled_from(["recomputed", "until-due", "until-start"]),
        "events": st.sampled_from(["together", "one-by-one"]),
        "venture": st.sampled_from(["yes", "no"]),
        "restart": st.sampled_from(["same-pass", "next-event"]),
    },
)
MODES = st.one_of(
    st.just({}),
    st.builds(lambda cost: {"preemption": "suspend", "cost": cost}, st.integers(0, 3)),
    st.builds(
        lambda cost, interval: {"preemption": "checkpoint", "cost": cost, "interval": interval},
        st.integers(0, 3),
        st.integers(1, 9),
    ),
)


def test_kernel_and_reference_agree_on_a_whole_log(real_log):
    schedule = agree(real_log("KTH-SP2"), PVEasy())
    # The kernel allocates space for preempted runs several times.
    assert schedule.times_killed.sum() > 1000


@pytest.mark.parametrize("name", ["CTC-SP2", "SDSC-BLUE", "SDSC-DS"])
def test_kernel_and_reference_agree_on_the_start_of_each_log(real_log, name):
    workload = real_log(name, paper="pv_easy").take(slice(0, 4000))
    agree(workload, PVEasy())
    agree(workload, PVEasy(preemption="checkpoint", interval=1800, cost=60, correction="tsafrir"))


@settings(max_examples=300, deadline=None)
@given(peopled(most=30), VARIANTS, MODES)
def test_progress_is_conserved(workload, variants, mode):
    """Killed work is lost whole, suspended work never, and a checkpoint loses less
    than interval and cost.
    """
    schedule = simulate(workload, PVEasy(**variants, **mode)).validate()
    job, start, end = schedule.killed_runs.T
    ran = np.bincount(job, end - start, len(workload)).astype(int) + schedule.end - schedule.start
    surplus = ran - workload.run_time
    lost = np.bincount(job, end - start, len(workload)).astype(int)
    kills = schedule.times_killed
    if not mode:
        assert surplus.tolist() == lost.tolist()
    elif mode["preemption"] == "suspend":
        assert (surplus <= kills * mode["cost"]).all()
        if mode["cost"] == 0:
            assert not surplus.any()
    else:
        written = ran // mode["interval"]
        assert (surplus <= kills * (mode["interval"] + mode["cost"]) + written * mode["cost"]).all()


@settings(max_examples=300, deadline=None)
@given(peopled(most=30), VARIANTS)
def test_kernel_and_reference_agree_on_spared_victims(workload, variants):
    agree(workload, SparingPVEasy(**variants))


def test_victims_that_the_head_does_not_need_are_spared_lowest_priority_first():
    """At 10 the head, job 1, lacks 3 processors: job 3 is taken, then the wide job 2, which alone
    would have done.
    """
    schedule = simulate(
        jobs(6, (0, 10, 2), (1, 5, 5), (2, 50, 3), (3, 50, 1)), SparingPVEasy(Clairvoyant())
    )
    assert schedule.killed_runs.tolist() == [[2, 2, 10]]
    assert schedule.start.tolist() == [0, 10, 15, 3]
    assert sparing.taken(schedule).tolist() == [False, False, True, True]


def test_a_reservation_is_lost_with_the_place_at_the_head():
    """The head of second 70 is second behind a preempted job at 72, and the head again at 100."""
    rows = [(38, 30, 1, 0), (38, 5, 40, 0), (39, 30, 7, 23), (39, 0, 34, 0), (69, 24, 6, 0)]
    rows += [(87, 10, 6, 0), (87, 10, 5, 0), (87, 10, 8, 0), (87, 10, 1, 0), (96, 0, 6, 1)]
    agree(jobs(40, *rows, (96, 1, 2, 0)), PVEasy(lifetime="until-due", restart="next-event"))


@pytest.mark.parametrize("predictor", [Last(), Tsafrir(), Complete(), TopPercent(3)], ids=repr)
def test_classes_of_equal_predictions_change_no_start(real_log, predictor, monkeypatch):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(0, 2000))
    assert predictor.classes(workload, workload.estimate) is not None
    by_class = simulate(workload, PVEasy(predictor)).start
    monkeypatch.setattr(type(predictor), "classes", Predictor.classes)
    assert simulate(workload, PVEasy(predictor)).start.tolist() == by_class.tolist()


def test_a_predictor_with_another_prediction_does_not_inherit_classes():
    workload = jobs(1, (0, 5, 1))

    class Half(Last, name="half of the last"):
        def predict(self, job, now):
            return 1

        def learn(self, job, now):
            pass

    assert Half().classes(workload, workload.estimate) is None
