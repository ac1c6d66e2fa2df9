"""One test for each numbered sentence on PV-EASY."""

import numpy as np

from replication.simulator.predictors import Clairvoyant, Estimate, Last, Virtual
from replication.simulator.schedulers import PVEasy
from replication.simulator.simulation import simulate
from tests.workloads import jobs


def pv(workload, predictor=Clairvoyant(), **options):
    return simulate(workload, PVEasy(predictor=predictor, **options)).validate()


def starts(workload, **options):
    return pv(workload, **options).start.tolist()


def killed(workload, **options):
    return pv(workload, **options).killed_runs.tolist()


def test_V1_priority_is_queue_order():
    # Job 2 waits; jobs 3 and 4 pass it. When it can start, the later of them goes first.
    w = jobs(4, (0, 10, 2), (1, 5, 3), (2, 50, 1), (3, 50, 1))
    assert killed(w) == [[3, 3, 10]]


def test_V2_heads_start_while_they_fit_and_are_regular():
    schedule = pv(jobs(4, (0, 5, 4), (1, 2, 2), (1, 2, 2), (1, 2, 2)))
    assert schedule.start.tolist() == [0, 5, 5, 7]
    assert not schedule.backfilled.any()


def test_V3_jobs_of_lower_priority_than_the_head_are_the_shadow_load():
    # At 10 the head, job 2, can have job 3's processor, which is shadow; job 0's is not.
    w = jobs(4, (0, 99, 1), (0, 10, 2), (1, 5, 3), (2, 50, 1))
    assert killed(w) == [[3, 2, 10]]
    assert starts(w)[2] == 10


def test_V4_the_lowest_priority_is_preempted_first_and_no_more_than_needed():
    # Jobs 2 and 3 pass job 1, which needs four of five processors: at 10 one of them must go, the
    # later one.
    w = jobs(5, (0, 10, 3), (1, 5, 4), (2, 50, 1), (2, 50, 1))
    schedule = pv(w)
    assert schedule.killed_runs.tolist() == [[3, 2, 10]]
    assert schedule.start.tolist() == [0, 10, 2, 15]
    # The wide job of lowest priority is stopped, though the narrow one above it would have done.
    assert killed(jobs(6, (0, 10, 3), (1, 5, 4), (2, 50, 1), (2, 50, 2))) == [[3, 2, 10]]


def test_V5_no_job_is_preempted_unless_the_head_then_starts():
    # Job 1 needs the whole machine; stopping job 2 at 5 would not do, as job 0 runs until 10.
    w = jobs(4, (0, 10, 1), (0, 5, 2), (1, 5, 4), (2, 7, 1))
    schedule = pv(w)
    assert schedule.killed_runs.tolist() == []
    assert schedule.start.tolist() == [0, 0, 10, 2]


def test_V6_a_preempted_job_returns_to_its_place_and_may_start_at_once():
    # Job 3 is stopped for job 1 and is then ahead of job 4, which waits since before.
    w = jobs(4, (0, 10, 2), (1, 5, 4), (2, 50, 2), (3, 20, 1))
    schedule = pv(w)
    assert schedule.killed_runs.tolist() == [[2, 2, 10]]
    assert schedule.start.tolist() == [0, 10, 15, 15]
    # At 10 both shadow jobs are stopped, lowest priority first, although the wide one would have
    # done; the narrow one starts again within the same pass.
    again = pv(jobs(6, (0, 10, 2), (1, 5, 5), (2, 50, 3), (3, 50, 1)))
    assert again.killed_runs.tolist() == [[3, 3, 10], [2, 2, 10]]
    assert again.start.tolist() == [0, 10, 15, 10]


def test_V7_a_job_no_waiting_job_outranks_is_sunny():
    # Job 2 passes job 1. Job 1 starts at 10, from when on job 2 is sunny: job 3, which comes then,
    # waits.
    w = jobs(4, (0, 10, 3), (1, 5, 3), (2, 50, 1), (11, 5, 4))
    schedule = pv(w)
    assert schedule.killed_runs.tolist() == []
    assert schedule.start.tolist() == [0, 10, 2, 52]


def test_V8_the_reservation_leaves_the_shadow_load_out():
    # Job 2 is shadow and lasts until 32; job 1 is reserved for 10 all the same. At 3 two jobs ask
    # for the last processor. Neither is predicted to end by 10, so the first in the queue goes ...
    rows = [(0, 10, 2), (1, 5, 4), (2, 30, 1), (3, 9, 1)]
    assert killed(jobs(4, *rows, (3, 8, 1)))[0] == [3, 3, 10]
    # ... and where the second is, it goes.
    assert starts(jobs(4, *rows, (3, 6, 1)))[4] == 3
    # The processors of a shadow job that ends at 5 are there from the start: job 1 is reserved for
    # 10, and the last job, which is in time for that, goes before a longer one.
    rows = [(0, 10, 1), (1, 5, 4), (2, 3, 2), (3, 20, 1)]
    assert starts(jobs(4, *rows, (3, 6, 1)))[4] == 3


def test_V9_the_shortest_prediction_that_is_in_time_goes_first():
    # One processor is free until 10. Jobs 3 and 4 are equally short, so job 3 goes.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 8, 1), (2, 7, 1), (2, 7, 1), (2, 6, 4))
    assert starts(w)[3] == 2
    assert min(starts(w)[k] for k in (2, 4, 5)) > 2


def test_V10_then_the_jobs_that_fit_in_order_of_priority():
    # Neither of the two ends by 10: the first in the queue goes, the longer one, and is stopped for
    # job 1.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1), (2, 50, 1))
    schedule = pv(w)
    assert schedule.killed_runs.tolist() == [[2, 2, 10]]
    assert pv(w, venture="no").killed_runs.tolist() == []


def test_V11_a_killed_job_starts_from_zero():
    schedule = pv(jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1)))
    assert schedule.start.tolist() == [0, 10, 15]
    assert schedule.end[2] == 75


def test_V12_predictions_are_made_at_every_pass():
    # User 1's job 0 ends at 10, at a tenth of its estimate. Job 3, of the same user, waited then.
    w = jobs(4, (0, 10, 2, 100), (0, 20, 2), (1, 5, 4), (2, 5, 2, 50)).replace(
        user=np.array([1, 2, 2, 1])
    )
    w = w.replace(processors=np.array([2, 2, 4, 2]))
    assert pv(w, Last()).prediction[3] == 5
    assert pv(w, Last(), refresh="submission").prediction[3] == 50


def test_V13_an_outlived_prediction_gives_way_to_the_estimate():
    # User 1's job 0 was accurate to a tenth, so job 1 (estimate 100) is predicted to end at 15 and
    # ends at 40. At 20 the head is reserved for 105, its estimate, so jobs 3 and 4 are in time and
    # the shorter goes first.
    rows = [(0, 5, 3, 50), (5, 35, 3, 100), (6, 5, 4), (20, 30, 1), (20, 9, 1)]
    w = jobs(4, *rows).replace(user=np.array([1, 1, 2, 3, 4]))
    assert starts(w, predictor=Last())[4] == 20
    # Taken to end now, neither is in time and the first in the queue goes.
    assert killed(w, predictor=Last(), correction="now")[0][:2] == [3, 20]


def test_V14_last_is_the_accuracy_of_the_users_last_finished_job():
    w = jobs(4, (0, 10, 1, 100), (20, 40, 1, 80), (100, 5, 1, 60), (100, 5, 1, 70))
    w = w.replace(user=np.array([1, 1, 1, 2]))
    assert pv(w, Last()).prediction.tolist() == [100, 8, 30, 70]


def test_V15_a_suspended_job_goes_on_where_it_was():
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1))
    schedule = pv(w, preemption="suspend", cost=3)
    assert schedule.start[2] == 15
    assert schedule.end[2] == 15 + 3 + (60 - 8)
    assert schedule.wait[2] == schedule.end[2] - 2 - 60


def test_V16_a_job_with_checkpoints_goes_on_from_the_last():
    # A checkpoint of 1 s after each 3 s of work: stopped after 11 s, 6 s of work are safe. 54 s are
    # left, with 17 more checkpoints.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1))
    schedule = pv(w, preemption="checkpoint", interval=3, cost=1)
    # Jobs 0 and 1 write checkpoints too: 10 s of work take 13, 5 s take 6.
    assert schedule.end[:2].tolist() == [13, 19]
    assert schedule.killed_runs.tolist() == [[2, 2, 13]]
    assert schedule.end[2] == 19 + 54 + 17


def test_V17_a_job_is_planned_with_what_is_left_of_it():
    # Job 4 has 8 of its 20 s behind it when it is stopped at 10. At 15 three processors are free
    # until 40 and job 5, of 15 s, wants all of them: with 12 s left job 4 goes first, with 20 s it
    # waits for job 5.
    w = jobs(4, (0, 40, 1), (0, 10, 2), (1, 5, 3), (1, 9, 4), (2, 20, 1), (5, 15, 3))
    assert killed(w) == [[4, 2, 10], [4, 30, 40]]
    assert [run for run in killed(w, preemption="suspend") if run[0] == 4] == [[4, 2, 10]]
    assert starts(w, preemption="suspend")[4] == 15


def test_V18_a_preempted_job_that_returns_at_the_next_event():
    # As in V6; at 10 the narrow job fits again, and waits for the submission at 12.
    w = jobs(6, (0, 10, 2), (1, 5, 5), (2, 50, 3), (3, 50, 1), (12, 1, 6))
    assert pv(w).start.tolist()[3] == 10
    assert pv(w, restart="next-event").start.tolist()[3] == 12


def test_V19_easys_backfilling_in_place_of_venture_backfilling():
    # Job 2 would end at 22, after the reservation at 10; job 3 ends in time.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 20, 1), (3, 7, 1))
    assert starts(w, venture="easy") == [0, 10, 15, 3]
    assert killed(w) == [[2, 2, 10]] and killed(w, venture="easy") == []
    # In queue order: job 2, not the shorter job 3.
    w = jobs(4, (0, 10, 3), (1, 5, 4), (2, 7, 1), (2, 4, 1))
    assert starts(w, venture="easy")[2:] == [2, 15]
    assert starts(w, venture="no")[3] == 2
    # The head leaves one processor over, which job 2 takes and uses up.
    w = jobs(5, (0, 10, 3), (1, 5, 4), (2, 50, 1), (2, 50, 1))
    assert starts(w, venture="easy")[1:3] == [10, 2] and starts(w, venture="easy")[3] > 2
    assert starts(w, venture="no")[2] > 2
    # At 13 the head, job 2, is expected at 17 by the sunny load, and at 53 by the whole load with
    # job 3, so that job 4 starts.
    w = jobs(5, (0, 12, 3), (1, 5, 3), (2, 5, 5), (3, 50, 1), (13, 10, 1))
    assert killed(w, venture="easy") == [[4, 13, 17], [3, 3, 17]]
    assert killed(w, venture="no") == []


def test_V20_a_lasting_reservation_stays_until_the_head_starts():
    # The head, job 3, is expected at 80. Job 0 ends early, at 10; computed again it would be 60,
    # and job 4, which is planned to end at 70, would not start.
    w = jobs(3, (0, 10, 1, 100), (0, 60, 1), (0, 80, 1), (1, 5, 2), (2, 60, 1))
    plain = {"predictor": Estimate(), "venture": "no"}
    assert killed(w, **plain) == []
    for form in ("until-due", "until-start"):
        assert killed(w, **plain, lifetime=form) == [[4, 10, 60]]

    # The head, job 1, is expected at 15. At 20 that is past; computed again it would be 30.
    w, plain = jobs(3, (0, 30, 2), (1, 5, 3), (20, 6, 1)), {"predictor": Virtual(0, -0.5)}
    assert starts(w, **plain, venture="no")[2] == 20
    for form in ("until-due", "until-start"):
        assert starts(w, **plain, venture="no", lifetime=form)[2] == 35
