"""One test for each numbered sentence of docs/semantics/predicted.md."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from notebooks.paper_easy import PaperEASY
from replication.simulator.predictors import Last, Predictor, Tsafrir, Virtual
from replication.simulator.schedulers import (
    EASY,
    Conservative,
    LargestAreaFirst,
    OrderedEASY,
    PVEasy,
    options,
)
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.workloads import jobs, workloads

#: Job 0 is to end at 2 and ends at 7.
LATE = jobs(4, (0, 7, 3, 2), (0, 8, 2), (4, 5, 1))


def done(workload, scheduler=PaperEASY, **options):
    """Return the schedule; by EASY too, if it has the options, every start is the same."""
    schedule = simulate(workload, scheduler(**options)).validate()
    allowed = {name: own.metadata["allowed"] for name, own in EASY.options().items()}
    if scheduler is PaperEASY and all(
        name == "predictor" or value in allowed.get(name, ()) for name, value in options.items()
    ):
        assert simulate(workload, EASY(**options)).start.tolist() == schedule.start.tolist()
    return schedule


def starts(workload, scheduler=PaperEASY, **options):
    return done(workload, scheduler, **options).start.tolist()


def test_P1_a_waiting_job_is_planned_with_the_prediction_of_the_pass():
    # All have one user. When two jobs have ended, with 4 and 5 s, the third is predicted again, to
    # run 4 s.
    w = jobs(4, (0, 4, 2, 20), (0, 5, 2, 20), (1, 9, 4, 30))
    assert done(w, predictor=Tsafrir()).prediction[2] == 4
    assert done(w, predictor=Tsafrir(), refresh="submission").prediction[2] == 30


def test_P2_predictors_learn_before_the_pass_in_queue_order():
    # Both end at 5; at that instant's pass job 3 is predicted with the accuracy of the later in the
    # queue.
    w = jobs(4, (0, 5, 2, 10), (0, 5, 2, 20), (1, 30, 4, 100))
    assert done(w, predictor=Last()).prediction[2] == 25
    w = jobs(4, (0, 5, 2, 20), (0, 5, 2, 10), (1, 30, 4, 100))
    assert done(w, predictor=Last()).prediction[2] == 50


def test_P3_a_prediction_ends_no_job():
    w = jobs(4, (0, 50, 4, 60), (1, 5, 4))
    assert starts(w, predictor=Virtual(0, -0.9)) == [0, 50]


def test_P4_a_running_job_is_planned_with_the_prediction_of_its_start():
    # At 2 the user's two short jobs have ended. Job 3 began before with its estimate of 40: the
    # head's shadow time stays 40, and a job of 30 s may pass.
    w = jobs(4, (0, 1, 1, 40), (0, 2, 1, 40), (0, 40, 2, 40), (3, 5, 4, 5), (4, 2, 1, 30))
    assert starts(w, predictor=Tsafrir())[3:] == [40, 4]


def test_P5_a_correction_is_at_the_next_event_and_leads_to_no_pass():
    # Job 1 is predicted to end at 5 and is corrected then to its estimate of 20. Job 3 (8 s) could
    # start at once, but the next pass is that of the submission at 9.
    w = jobs(4, (0, 20, 3, 20), (1, 5, 4, 5), (2, 16, 1, 16), (9, 1, 4, 1))
    found = starts(w, predictor=Virtual(0, -0.75))
    assert found[2] == 9
    # Job 0 is predicted to end at 2 and runs till 3. Corrected at an event at 2, it ends as
    # planned at 3, and job 1 takes its processors (P22). Without an event at 2 it ends before it
    # is corrected, and job 1 waits.
    options = {"ties": "submissions-first", "events": "by-plan", "predictor": Virtual(0, -0.5)}
    few = (0, 3, 3, 3), (1, 1, 4, 6)
    assert starts(jobs(4, *few, (3, 1, 1)), Conservative, **options) == [0, 4, 3]
    at_2 = jobs(4, *few, (2, 0, 1, 0), (3, 1, 1))
    assert starts(at_2, Conservative, **options) == [0, 3, 2, 4]


def test_P6_ways_of_correction():
    # Predicted 100 s, requested 5000 s, runs 4000 s. The head needs all; at 101 a job of 65 s asks
    # to run.
    def shadow_allows(way, spare):
        w = jobs(4, (0, 4000, 3, 5000), (1, 9, 4, 9), (101, spare, 1, spare))
        return (
            starts(
                w.replace(user=np.array([1, 2, 3])), predictor=Virtual(0, -0.975), correction=way
            )[2]
            == 101
        )

    # The spare job itself is predicted at 0.025 of its length.
    assert shadow_allows("estimate", 190_000) and not shadow_allows("estimate", 200_000)
    assert shadow_allows("tsafrir", 2_300) and not shadow_allows("tsafrir", 2_500)
    assert shadow_allows("doubling", 3_900) and not shadow_allows("doubling", 4_100)
    assert not shadow_allows("now", 100)


def test_P7_past_the_last_correction_a_job_ends_now():
    late = (0, 20, 3, 5)
    assert starts(jobs(4, late, (1, 5, 4), (6, 3, 1)))[1:] == [20, 25]
    assert starts(jobs(4, late, (1, 5, 3), (6, 3, 1)))[1:] == [20, 6]


@settings(max_examples=150, deadline=None)
@given(workloads(overrun=True))
def test_P8_the_estimate_gives_plain_easy(workload):
    plain = simulate(workload).validate()
    planned = options.columns(EASY().simulated(workload, workload.estimate, 1))
    for column in ("start", "backfilled", "prediction", "first_prediction"):
        assert planned[column].tolist() == getattr(plain, column).tolist()


def test_P9_shortest_prediction_first_then_queue_order():
    # One processor is free until 10. In queue order job 3 gets it; by length job 4, the earlier of
    # equals.
    w = jobs(4, (0, 10, 4), (0, 10, 3), (1, 6, 4), (1, 7, 1), (1, 3, 1), (1, 3, 1))
    assert [k for k in (3, 4, 5) if starts(w)[k] == 10] == [3]
    assert [k for k in (3, 4, 5) if starts(w, candidates="shortest")[k] == 10] == [4]


def test_P10_a_reservation_until_it_is_due():
    # Job 1 is to end at 40 and ends at 5. The head still lacks processors until 30; by the
    # reservation of 1, at 40, job 4 (32 s at 6) is in time, by the new one, at 30, it is not.
    w = jobs(4, (0, 5, 1, 40), (0, 30, 2, 30), (1, 5, 4, 5), (6, 32, 1, 32))
    assert starts(w)[2:] == [30, 35]
    # One processor is extra; job 2 uses it up, and its end at 6 does not give it back to job 3.
    used = jobs(4, (0, 20, 2), (1, 5, 3), (2, 4, 1, 30), (7, 30, 1))
    for form in ("until-due", "until-start"):  # the latter is P23
        assert starts(w, lifetime=form)[2:] == [38, 6]
        assert starts(used, lifetime=form)[2:] == [2, 20]
    assert starts(used)[2:] == [2, 7]


def test_P11_extra_processors_not_used_up():
    # One processor is extra; two long jobs of one processor ask for it in one pass.
    w = jobs(4, (0, 1, 2), (0, 10, 2), (0, 5, 3), (0, 50, 1), (0, 50, 1))
    assert starts(w)[3:] == [1, 15]
    assert starts(w, extra="not-used-up")[3:] == [1, 1]


def test_P12_only_the_first_that_suffices_counts():
    # Both running jobs end at 8. The head needs 3: with the first one's end nothing is left over.
    w = jobs(4, (0, 8, 2), (0, 8, 1), (1, 5, 3), (1, 20, 1))
    assert starts(w)[2:] == [8, 1]
    assert starts(w, shadow="first")[2:] == [8, 8]


def test_of_equal_planned_ends_the_first_started_counts_first():
    # Jobs 1 and 2 are planned to end at 20. The wide job 1 is earlier in the queue, the narrow job
    # 2 started earlier.
    w = jobs(4, (0, 5, 3), (1, 15, 2), (1, 19, 1), (6, 5, 2), (7, 30, 1))
    assert starts(w, shadow="first") == [0, 5, 1, 20, 7]
    assert starts(w, shadow="first-started") == [0, 5, 1, 20, 20]


def test_P13_one_pass_for_each_event():
    # Both end at 5. After the first end job 3 is still blocked and job 4 passes it; together, job 3
    # starts.
    w = jobs(4, (0, 5, 2), (0, 5, 2), (1, 9, 4), (1, 4, 2, 4))
    assert starts(w)[2:] == [5, 14]
    w = jobs(4, (0, 5, 2), (0, 5, 2, 9), (1, 9, 4), (1, 4, 2, 4))
    assert starts(w, events="one-by-one")[2:] == [9, 5]


def test_P14_submissions_before_ends():
    # Job 3 comes when the user's second job ends: predicted with it, or before it.
    w = jobs(4, (0, 4, 1, 20), (0, 5, 1, 20), (5, 9, 4, 20))
    assert done(w, predictor=Tsafrir()).first_prediction[2] == 4
    assert done(w, predictor=Tsafrir(), ties="submissions-first").first_prediction[2] == 20


def test_P15_a_submission_that_does_not_fit_leads_to_no_pass():
    # As in P5: the submission at 9 needs all processors, so job 3 waits for the end at 20.
    w = jobs(4, (0, 20, 3, 20), (1, 5, 4, 5), (2, 16, 1, 16), (9, 1, 4, 1))
    assert starts(w, predictor=Virtual(0, -0.75))[2] == 9
    assert starts(w, predictor=Virtual(0, -0.75), passes="if-fits")[2] == 25


def test_P16_a_reservation_is_the_earliest_hole():
    # Job 2 is reserved 10 to 15; job 3 (8 s) fits in front of it, job 4 (9 s) goes behind it.
    assert starts(jobs(4, (0, 10, 2), (1, 5, 4), (2, 8, 2), (3, 9, 2)), Conservative) == [
        0,
        10,
        2,
        15,
    ]


def test_P17_compression_in_the_order_of_the_reserved_starts():
    # Reserved are 100 and 110; the end at 5 moves both forward.
    assert starts(jobs(4, (0, 5, 4, 100), (1, 10, 3), (2, 10, 2)), Conservative) == [0, 5, 15]


def test_P18_largest_area_first():
    w = jobs(4, (0, 5, 4), (1, 4, 2), (1, 4, 3), (1, 12, 1), (1, 1, 1))
    assert starts(w, LargestAreaFirst) == [0, 9, 5, 5, 9]


def test_P19_who_passes_a_waiting_job_is_backfilled():
    w = jobs(4, (0, 5, 3), (1, 5, 4), (2, 3, 1), (20, 1, 4))
    for scheduler in (LargestAreaFirst, Conservative):
        assert done(w, scheduler).backfilled.tolist() == [False, False, True, False]


def test_P20_each_reservation_in_turn():
    # At 2 job 3 is reserved 6, job 2 behind it 8. After the end at 3 job 2, earlier in the queue,
    # is moved first and starts; in the order of the reserved starts job 3 would have.
    w = jobs(4, (1, 5, 1), (2, 1, 3, 6), (2, 4, 3), (2, 6, 1, 8))
    assert starts(w, Conservative) == [1, 2, 6, 3]
    assert starts(w, Conservative, compression="each") == [1, 2, 3, 6]
    # At 8 the last running job ends. The two waiting jobs, reserved 8 to 9 and 9 to 10, are now
    # predicted to run 3 s. Job 3 does not fit before the reservation of job 4, and moves behind it.
    # So the machine is idle until job 3 starts at 10.
    w = jobs(1, (1, 1, 1, 2), (2, 2, 1, 6), (3, 4, 1), (5, 2, 1, 3), (5, 5, 1, 7))
    assert starts(w, Conservative, predictor=Tsafrir(), compression="each") == [1, 2, 4, 10, 12]
    agree(w, Conservative(Tsafrir(), compression="each"))


def test_P21_one_pass_for_each_event_ends_in_the_order_of_starts():
    # The submission at 3 is seen before the end of job 0, and job 2 takes the processors that job 1
    # could not.
    w = jobs(4, (0, 3, 1, 8), (0, 5, 4), (3, 1, 2))
    first = {"ties": "submissions-first"}
    assert starts(w, Conservative, **first) == [0, 3, 8]
    assert starts(w, Conservative, events="by-plan", **first) == [0, 4, 3]
    assert starts(w, **first) == [0, 3, 8]
    assert starts(w, events="by-plan", **first) == [0, 4, 3]
    # Jobs 1 and 3 end at 8. Job 3 started first; in its pass job 4 fits beside job 1, and job 2
    # goes behind it.
    w = jobs(4, (1, 3, 3, 4), (1, 4, 2, 9), (1, 6, 3, 7), (2, 6, 1, 11), (3, 3, 2))
    assert starts(w, Conservative, events="by-plan") == [1, 4, 11, 2, 8]


def test_P22_who_ends_as_planned_has_left_already():
    # The submission at 3 is seen first. Job 0 ends then as planned, so job 1 has its processors and
    # job 2 waits.
    first = {"ties": "submissions-first", "events": "by-plan"}
    assert starts(jobs(4, (0, 3, 3), (1, 1, 4, 6), (3, 1, 1)), Conservative, **first) == [0, 3, 4]
    late = jobs(4, (0, 3, 3, 9), (1, 1, 4, 6), (3, 1, 1))
    assert starts(late, Conservative, **first) == [0, 4, 3]
    assert starts(late, **first) == [0, 4, 3]
    assert starts(late.replace(estimate=late.run_time), **first) == [0, 3, 4]


def test_P23_a_reservation_until_the_start():
    # The head, reserved at 2, lets no job pass on its two extra processors from then on; until due,
    # it is made again.
    assert starts(LATE, lifetime="until-due") == starts(LATE) == [0, 7, 4]
    assert starts(LATE, lifetime="until-start") == [0, 7, 7]
    # Before that it is as in P10, whose test has both.


def test_P24_extra_processors_once_such_a_reservation_is_due():
    assert starts(LATE, lifetime="until-start", overdue="extra") == [0, 7, 4]
    # One processor is extra; job 2 uses it up, and nothing gives it back.
    w = jobs(4, (0, 20, 2, 5), (1, 5, 3), (2, 4, 1, 30), (7, 30, 1))
    assert starts(w, lifetime="until-start", overdue="extra")[2:] == [2, 20]
    assert starts(w, lifetime="until-due")[2:] == [2, 7]
    assert starts(w, lifetime="until-due", overdue="nobody")[2:] == [2, 20]


def test_P25_extra_processors_counted_at_every_pass():
    # The one extra processor of the reserved time, 5, is free again when job 2 has ended at 4.
    w = jobs(4, (0, 5, 3), (1, 9, 3), (1, 3, 1, 11), (2, 2, 1))
    for way in ("until-due", "until-start"):
        assert starts(w, lifetime=way) == [0, 5, 1, 5]
        assert starts(w, lifetime=way, recount="pass") == [0, 5, 1, 4]
    # Corrected at 5, job 0 is planned to end at 20: at 6 the head lacks a processor, and none is
    # extra.
    w = jobs(4, (0, 20, 2), (1, 5, 3), (6, 8, 1))
    late = {"predictor": Virtual(0, -0.75), "lifetime": "until-start", "overdue": "extra"}
    assert starts(w, **late)[2] == 6
    assert starts(w, **late, recount="pass")[2] == 20
    # Jobs 0 and 1 end at the reserved time. Of them the first suffices, and leaves nothing over.
    w = jobs(4, (0, 8, 2), (0, 8, 1), (1, 5, 3), (1, 20, 1))
    lasting = {"lifetime": "until-start", "recount": "pass"}
    assert starts(w, **lasting)[3] == 1
    assert starts(w, **lasting, shadow="first")[3] == 8


def zero_for_the_third(last):
    """Return jobs of which the third is predicted to run 0 s by its user's first job;
    `last` is the run time of the fifth.
    """
    rows = (0, 1, 2, 1000), (2, 10, 3), (2, 20, 3, 100), (2, 10, 5), (2, last, 1)
    return jobs(8, *rows).replace(user=np.array([1, 2, 1, 3, 4]))


def test_P26_a_prediction_of_0_s_counts_as_1_s():
    # At 2 the fourth job is blocked until the third one's planned end at 3. Only a job of 1 s may
    # pass.
    schedulers = (EASY, {}), (Conservative, {}), (PVEasy, {"venture": "no"})
    for scheduler, more in schedulers:
        for last, start in (1, 2), (2, 22), (5, 22):
            found = done(zero_for_the_third(last), scheduler, predictor=Last(), **more)
            assert found.start.tolist() == [0, 2, 2, 12, start]
            assert found.prediction[2] == 1
    # With an estimate of 0 the running job is past its plan at once, as without predictions.
    w = jobs(4, (0, 9, 3, 0), (0, 2, 4), (0, 1, 1))
    assert starts(w) == starts(w, predictor=Virtual(0, -1)) == [0, 9, 11]


def test_P27_of_jobs_past_their_plan_the_one_planned_to_end_earlier_counts_first():
    # The head needs one processor of the two overdue jobs. If the narrow one counts first, nothing
    # is left over.
    for wide, narrow, start in (6, 5, 20), (5, 6, 8):
        w = jobs(4, (0, 20, 2, wide), (0, 20, 1, narrow), (8, 5, 2), (8, 30, 1))
        assert starts(w, shadow="first") == [0, 0, 20, start]


def test_P28_a_job_has_to_end_before_the_shadow_time():
    w = jobs(4, (0, 10, 3), (0, 5, 4), (2, 8, 1), (3, 6, 1))
    assert starts(w) == [0, 10, 2, 15]
    assert starts(w, strict=True) == [0, 10, 15, 3]
    assert starts(w, strict=True, candidates="shortest") == [0, 10, 15, 3]


def test_P29_plans_that_do_not_age():
    # Of 100 s planned, job 0 runs 50. At 20 it is planned to end at 120, so that job 2 passes the
    # head, and again at 40.
    w = jobs(4, (0, 50, 3, 100), (1, 5, 4), (20, 90, 1), (20, 10, 1))
    assert starts(w)[:3] == [0, 50, 55]
    assert starts(w, plans="unaged")[:3] == [0, 110, 20]
    # No prediction expires: at 40 job 0, predicted to run 25 s, is expected at 65.
    w = jobs(4, (0, 60, 3, 100), (1, 5, 4), (40, 20, 1, 20))
    late = {"predictor": Virtual(0, -0.75), "correction": "now"}
    assert starts(w, **late)[2] == 65
    assert starts(w, **late, plans="unaged")[2] == 40
    # A reservation that lasts is made with such a plan once.
    w = jobs(4, (0, 50, 3, 100), (1, 5, 4), (20, 82, 1))
    assert starts(w, plans="unaged")[2] == 20
    assert starts(w, plans="unaged", lifetime="until-start")[2] == 55


def test_P30_a_predictor_is_notified_of_starts_after_the_pass():
    class Begun(Predictor, name="begun"):
        """As many seconds as jobs have begun, and one."""

        def start(self, workload):
            self.begun = []

        def begin(self, job, now):
            self.begun.append(job.id)

        def predict(self, job, now):
            return len(self.begun) + 1

    w = jobs(4, (0, 9, 1), (0, 9, 1), (0, 9, 1), (1, 9, 1))
    for scheduler in (EASY(), EASY(candidates="shortest"), Conservative(), LargestAreaFirst()):
        found = simulate(w, replace(scheduler, predictor=Begun()))
        assert found.prediction.tolist() == [1, 1, 1, 4]
    one_by_one = EASY(Begun(), events="one-by-one")
    assert simulate(w, one_by_one).prediction.tolist() == [1, 2, 3, 4]


def test_P31_a_limit_on_the_candidates():
    # Two jobs fit and end in time. They are the second and the third behind the head, and the third
    # is shorter.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (1, 9, 2), (1, 8, 1), (1, 7, 1), (2, 1, 4))
    for limit, first in ((0, 15), (1, 15), (2, 1), (None, 1)):
        assert starts(w, EASY, candidates_limit=limit)[3] == first
    assert starts(w, EASY, candidates_limit=1, candidates="shortest")[3:5] == [15, 1]
    assert starts(w, OrderedEASY, order=lambda w: -w.processors, candidates_limit=3)[3] == 1


def test_P32_no_extra_processors():
    # One processor is extra at the shadow time, 10. A job of 9 s is in time, one of 10 s is not.
    for last, start in (9, 1), (10, 10):
        w = jobs(4, (0, 10, 2), (1, 5, 3), (1, last, 1))
        assert starts(w)[2] == starts(w, extra="not-used-up")[2] == 1
        for lifetime in ("recomputed", "until-due", "until-start"):
            assert starts(w, extra="none", lifetime=lifetime)[2] == start


def test_candidates_move_up_to_the_limit_when_others_have_started():
    # Job 3 is the only candidate until it starts at 1; job 4 is, at the submission at 2, without an
    # end.
    w = jobs(4, (0, 10, 2), (1, 5, 4), (1, 9, 1), (1, 8, 1), (2, 1, 4))
    assert starts(w, EASY, candidates_limit=1)[2:4] == [1, 2]
