"""EASY over an ordered queue: one test for each sentence, and real logs."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.predictors import CVH, Biased, Estimate, Tsafrir, Virtual
from replication.simulator.schedulers import EASY, OrderedEASY, SchedulerError
from replication.simulator.schedulers.queue_orders import ORDERS
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.workloads import jobs, peopled

PREDICTORS = (Estimate(), Virtual(0.5), Tsafrir(), Biased(Tsafrir(), 1.5), CVH())


def done(workload, order="shortest", **options):
    return simulate(workload, OrderedEASY(order, **options)).validate()


def starts(workload, order="shortest", **options):
    return done(workload, order, **options).start.tolist()


# One job holds the machine until 10; who comes meanwhile waits, and one of them at a time has room.
def queue(*waiting):
    return jobs(4, (0, 10, 4), *waiting)


def test_Q1_the_queue_is_ordered_at_every_event():
    # By WFP3 job 1 (100 s) leads at 10: (9/100)^3 against (1/30)^3. At 110 both others have waited:
    # it is (104/30)^3 of job 2 against (60/5)^3 of job 3, which came after it.
    w = queue((1, 100, 4), (9, 30, 4), (50, 5, 4))
    assert starts(w, "wfp3") == [0, 10, 115, 110]


def test_Q2_one_order_for_head_and_candidates():
    # At 10 the shortest, job 3, starts; then job 2 is the head, reserved 13. Job 1 (30 s) would
    # outlive that.
    w = queue((1, 30, 2), (2, 20, 4), (3, 3, 2))
    assert starts(w) == [0, 33, 13, 10]
    # EASY starts job 1 at once, and job 3 passes the head.
    assert starts(w, waiting_limit=0) == [0, 10, 40, 10]
    # Two processors are free behind the head, until 15; the shorter of two candidates gets them.
    w = jobs(4, (0, 15, 1), (0, 15, 1), (1, 11, 4), (2, 13, 2), (2, 12, 2))
    assert starts(w)[2:] == [15, 26, 2]
    assert starts(w, waiting_limit=0)[2:] == [15, 2, 26]


def test_Q3_equal_values_go_by_arrival():
    assert starts(queue((1, 5, 4), (2, 5, 4), (3, 5, 4))) == [0, 10, 15, 20]
    assert starts(queue((1, 6, 2), (2, 3, 4), (3, 12, 1)), "smallest-area")[1:3] == [10, 16]


def test_Q4_the_prediction_enters_not_the_run_time():
    w = queue((1, 5, 4, 50), (2, 9, 4, 40))
    assert starts(w) == [0, 19, 10]
    assert starts(w, predictor=Virtual(0)) == [0, 10, 15]


def test_Q5_shortest_and_smallest_area():
    w = queue((1, 6, 4), (2, 7, 3))
    assert starts(w) == [0, 10, 16]
    assert starts(w, "smallest-area") == [0, 17, 10]


def test_Q6_wfp3():
    # At 10: (9/9)^3 x 3 = 3 against (5/4)^3 x 4 = 7.8; with half the processors 3.9, with a quarter
    # 1.95.
    assert starts(queue((1, 9, 3), (5, 4, 4)), "wfp3") == [0, 14, 10]
    assert starts(queue((1, 9, 3), (5, 4, 2)), "wfp3")[1] == 14
    # An estimate of 0 counts as a second: (1/1)^3 x 4 = 4 against (9/5)^3 x 3 = 17.5.
    assert starts(queue((1, 5, 3), (9, 0, 4)), "wfp3") == [0, 10, 15]


def test_Q7_f1():
    def first(*waiting):
        start = starts(queue(*waiting), "f1")
        return min(range(1, len(start)), key=start.__getitem__)

    def value(length, size, arrival):
        return math.log10(max(length, 1)) * size + 870 * math.log10(max(arrival, 1))

    # Early arrival outweighs all but much work; of one arrival the least work goes first.
    for one, other in (
        ((1, 900, 4), (2, 1, 3)),
        ((8, 900, 4), (8, 800, 4)),
        ((1, 9, 4), (1, 1, 4)),
    ):
        expected = 1 if value(one[1], one[2], one[0]) <= value(other[1], other[2], other[0]) else 2
        assert first(one, other) == expected
    # Arrival counts from the first submission, so a workload may begin at any time.
    w = queue((1, 900, 4), (2, 1, 3), (2, 9, 2))
    later = w.replace(submit=w.submit + 5000)
    assert (
        simulate(later, OrderedEASY("f1")).start - 5000 == simulate(w, OrderedEASY("f1")).start
    ).all()


def test_Q8_past_the_limit_order_is_by_arrival():
    w = queue((1, 9, 4), (2, 8, 4), (6, 1, 4))
    assert starts(w) == [0, 19, 11, 10]
    assert starts(w, waiting_limit=9) == [0, 10, 19, 27]
    assert starts(w, waiting_limit=10) == [0, 11, 20, 10]


def test_Q9_time_alone_leads_to_no_pass():
    # Job 2 (of 4 processors) is first and blocked until 20, reserved then; job 1 outlives 20 and
    # needs more than is extra. At 9 job 1 reaches the limit and would start at once, but nothing
    # happens before 12.
    w = jobs(4, (0, 20, 2), (1, 30, 2), (1, 20, 4), (12, 5, 4))
    assert starts(w, waiting_limit=8)[1] == 12


@settings(max_examples=150, deadline=None)
@given(
    workload=peopled(),
    order=st.sampled_from(ORDERS),
    predictor=st.sampled_from(PREDICTORS),
    correction=st.sampled_from(("estimate", "tsafrir", "doubling", "now")),
)
def test_Q10_a_limit_of_0_is_easy(workload, order, predictor, correction):
    options = {"predictor": predictor, "correction": correction}
    own = simulate(workload, OrderedEASY(order, waiting_limit=0, **options))
    easy = simulate(workload, EASY(**options))
    assert own.start.tolist() == easy.start.tolist()
    assert own.backfilled.tolist() == easy.backfilled.tolist()
    assert own.prediction.tolist() == easy.prediction.tolist()


def test_Q11_the_head_may_lose_its_reservation():
    # Each end brings a shorter job than the widest one, which waits for all of them.
    w = jobs(4, (0, 10, 2), (1, 9, 4), (2, 20, 2), (5, 8, 2), (17, 8, 2))
    assert starts(w)[1] > starts(w, waiting_limit=0)[1]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("predictor", [Estimate(), Tsafrir()], ids=repr)
def test_kernel_and_reference_agree_on_a_real_log(real_log, order, predictor):
    workload = real_log("KTH-SP2").take(slice(2000, 3000))
    for limit in (None, 4 * 3600):
        agree(workload, OrderedEASY(order, limit, predictor))


def test_wrong_orders_and_limits_are_refused():
    with pytest.raises(SchedulerError, match="did you mean shortest"):
        OrderedEASY("shorter")
    with pytest.raises(SchedulerError, match="waiting_limit=-1.*a whole number from 0"):
        OrderedEASY(waiting_limit=-1)
