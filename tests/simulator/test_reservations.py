"""Queue orders and k reservations: one test for each sentence."""

import numpy as np
import pandas as pd
import pytest

from replication.simulator.schedulers import EASY, OrderedEASY, SchedulerError
from replication.simulator.simulation import simulate
from tests.workloads import jobs


def by_size(workload):
    return workload.processors


def widest_first(workload):
    return -workload.processors


def starts(workload, **options):
    return simulate(workload, EASY(**options)).validate().start.tolist()


def ordered_starts(workload, order):
    return simulate(workload, OrderedEASY(order)).validate().start.tolist()


def test_R1_the_queue_is_in_the_order_of_the_function_and_of_arrival():
    w = jobs(4, (0, 10, 4), (1, 5, 4), (2, 5, 3), (3, 5, 3))
    assert ordered_starts(w, by_size) == [0, 20, 10, 15]
    assert starts(w) == [0, 10, 15, 20]


def test_R2_a_later_job_becomes_the_head():
    w = jobs(4, (0, 10, 4), (1, 5, 3), (9, 5, 4))
    assert ordered_starts(w, widest_first) == [0, 15, 10]


# Two blocked jobs, and one that fits beside the first but would delay the second.
TWO = jobs(4, (0, 10, 3), (1, 10, 2), (2, 5, 4), (3, 18, 1))


def test_R3_the_first_k_blocked_jobs_have_reservations():
    # Job 1 is reserved 10 and job 2 20. Job 3 fits beside job 1 from 3 to 21, and delays job 2.
    assert starts(TWO, reservations=1) == [0, 10, 21, 3]
    assert starts(TWO, reservations=2) == [0, 10, 20, 25]


def test_R4_candidates_are_tried_in_queue_order_or_shortest_first():
    # Two jobs are blocked. Either of jobs 3 and 4 fits until the first of them starts.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (1, 5, 4), (1, 9, 1), (1, 8, 1))
    assert starts(w, reservations=2)[3:] == [1, 20]
    assert starts(w, reservations=2, candidates="shortest")[3:] == [20, 1]


def test_R5_reservations_are_made_again_at_every_pass():
    # Job 0 ends at 4 instead of 10; job 2 has a new reservation and starts before its first
    # reservation.
    w = jobs(4, (0, 4, 3, 10), (1, 10, 2), (2, 5, 4))
    assert starts(w, reservations=2) == [0, 4, 14]


def test_R6_a_job_past_its_plan_counts_as_ending_now():
    # At 7 job 0 is past its plan, so jobs 1 and 2 could start now but for it. Job 3 would delay job
    # 2.
    w = jobs(4, (0, 20, 3, 5), (6, 10, 2), (7, 30, 2), (7, 30, 1))
    assert starts(w) == [0, 20, 30, 7]
    assert starts(w, reservations=2) == [0, 20, 20, 30]


def test_R7_one_reservation_is_easy():
    assert EASY(reservations=1) == EASY()


def test_R8_jobs_past_a_blocked_one_are_backfilled():
    assert simulate(TWO, EASY(reservations=2)).backfilled.tolist() == [False] * 4
    assert simulate(TWO, EASY()).backfilled.tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reservations": 0}, "reservations=0; allowed: a whole number from 1"),
        ({"reservations": 2, "candidates_limit": 3}, "with several reservations: no limit"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(SchedulerError, match=message):
        EASY(**options)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (lambda w: w.submit[:1], r"order: int64\[1\]; expected numbers \[4\]"),
        (lambda w: w.submit * np.nan, "job 1: nan; expected finite numbers"),
        (lambda w: np.ma.masked_less(w.submit, 1), "order: a masked array"),
        (
            lambda w: pd.Series(w.run_time).sort_values(),
            "order: a Series whose index is not 0 to 3; expected",
        ),
    ],
)
def test_values_that_are_no_order_are_refused(order, message):
    with pytest.raises(SchedulerError, match=message):
        simulate(TWO, OrderedEASY(order))


@pytest.mark.parametrize("options", [{"waiting_limit": 5}, {"order": "wfp3"}])
def test_names_of_orders_and_limits_are_refused_with_several_reservations(options):
    with pytest.raises(SchedulerError, match="by a function, and no limit"):
        OrderedEASY(**{"order": by_size, "reservations": 2} | options)
