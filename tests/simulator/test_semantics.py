"""One test for each numbered sentence on EASY, and the lists of all sentences and their tests."""

import re

import numpy as np

from replication.simulator import paths
from replication.simulator.estimates import Deterministic, FModel, Perfect
from replication.simulator.schedulers import EASY, FCFS
from replication.simulator.schedules import measures
from replication.simulator.simulation import simulate
from tests.workloads import jobs


def starts(workload, scheduler=EASY(), estimate=None):
    return simulate(workload, scheduler, estimate).validate().start.tolist()


def passed(workload):
    return np.flatnonzero(simulate(workload).backfilled).tolist()


SENTENCE = re.compile(r"^- \*\*([A-Z]\d+)\*\* ", re.MULTILINE)
TEST = re.compile(r"^def test_([A-Z]\d+)_", re.MULTILINE)


def test_every_sentence_has_one_number_and_one_test():
    pages = [paths.ROOT / "contrib/conformance/sentences.md", paths.ROOT / "docs/semantics.md"]
    pages += sorted((paths.ROOT / "docs/semantics").glob("*.md"))
    sentences = [one for page in pages for one in SENTENCE.findall(page.read_text("utf-8"))]
    folders = paths.ROOT / "tests", paths.ROOT / "notebooks"
    files = [file for folder in folders for file in sorted(folder.rglob("test_*.py"))]
    tests = [one for file in files for one in TEST.findall(file.read_text("utf-8"))]
    assert sorted(sentences) == sorted(tests)
    assert len(set(sentences)) == len(sentences) > 100


def test_E1_time_is_whole_seconds():
    schedule = simulate(jobs(4, (0, 3, 4), (1, 2, 4)), estimates=np.array([3.4, 2.6]))
    assert schedule.start.dtype == np.int64
    assert schedule.estimate.tolist() == [3, 3]


def test_E2_ends_then_submissions_then_one_pass():
    # Job 2 comes at the instant job 1 ends and starts at once: the end is taken first.
    assert starts(jobs(4, (0, 5, 4), (5, 3, 4), (5, 1, 1))) == [0, 5, 8]
    # At 5 the first job ends and four come. All are in the queue when the one pass is made: the
    # head is blocked behind the second job until 9, one of the others is in time for that, one is
    # not.
    assert starts(jobs(4, (0, 5, 2), (0, 9, 2), (5, 2, 4), (5, 9, 1), (5, 4, 1), (5, 4, 1)))[
        2:
    ] == [9, 11, 5, 5]


def test_E3_a_job_of_no_length_ends_at_once_and_another_pass_follows():
    assert starts(jobs(4, (0, 0, 4), (0, 0, 4), (0, 2, 4))) == [0, 0, 0]


def test_E4_queue_order_is_submission_then_job_number():
    # Both come while job 1 runs, at the same instant: the one with the lower number is the head.
    assert starts(jobs(4, (0, 5, 4), (1, 2, 3), (1, 2, 3)), FCFS()) == [0, 5, 7]


def test_E5_heads_start_while_they_fit_and_are_regular():
    w = jobs(4, (0, 5, 4), (1, 2, 2), (1, 2, 2), (1, 2, 2))
    assert starts(w) == [0, 5, 5, 7]
    assert passed(w) == []


def test_E6_fcfs_lets_nobody_pass_a_blocked_head():
    w = jobs(4, (0, 5, 3), (1, 2, 4), (2, 1, 1))
    assert starts(w, FCFS()) == [0, 5, 7]
    assert starts(w, EASY()) == [0, 5, 2]


def test_E7_only_the_head_has_a_reservation_and_it_is_recomputed():
    # Job 3 is second in the queue and could start at 10, after job 1, beside which job 2 does not
    # fit. Job 4 delays it, which is allowed, because only job 2 is protected.
    w = jobs(4, (0, 10, 2), (1, 5, 4), (2, 8, 2), (3, 7, 2))
    assert starts(w) == [0, 10, 2, 15]
    # Job 1 is estimated to end at 20 but ends at 5: the reservation moves up to 12, and job 4,
    # which would have been in time for the old one, is judged against the new one.
    early = jobs(4, (0, 5, 2, 20), (0, 12, 1), (1, 4, 4), (2, 9, 2), (3, 9, 1))
    assert starts(early) == [0, 0, 12, 16, 3]


def test_E8_shadow_time_is_the_earliest_estimated_end_at_which_the_head_fits():
    # Ends estimated at 4, 8, 12 with 1 processor each; the head needs 3 of 4: shadow 8, not 12.
    running = [(0, 4, 1), (0, 8, 1), (0, 12, 1)]
    assert starts(jobs(4, *running, (1, 5, 3), (1, 7, 1)))[3:] == [8, 1]
    assert starts(jobs(4, *running, (1, 5, 3), (1, 8, 1)))[3:] == [8, 8 + 5 - 1]


def test_E9_all_that_end_at_the_shadow_time_count_as_extra():
    # Both running jobs end at 8; the head needs 2 of 4: with both counted 2 are extra, with one
    # alone 0.
    assert starts(jobs(4, (0, 8, 2), (0, 8, 1), (1, 5, 2), (1, 20, 1)))[2:] == [8, 1]


def test_E10_the_queue_behind_the_head_is_tried_once_in_order():
    # One processor is idle until 10 and two jobs would fit in it: the earlier one gets it.
    assert starts(jobs(4, (0, 10, 3), (1, 5, 4), (2, 6, 1), (2, 3, 1)))[1:] == [10, 2, 15]
    # The third in line is too wide, which does not stop the fourth.
    assert starts(jobs(4, (0, 10, 3), (1, 5, 4), (2, 6, 2), (2, 3, 1)))[1:] == [10, 15, 2]


def test_E11_ending_exactly_at_the_shadow_time_is_early_enough():
    assert starts(jobs(4, (0, 10, 3), (1, 5, 4), (2, 8, 1)))[2] == 2
    assert starts(jobs(4, (0, 10, 3), (1, 5, 4), (2, 9, 1)))[2] == 15
    # The same in the pass after an end: job 1 ends at 2, and job 3 waits until then.
    rows = (0, 10, 3), (0, 2, 1), (1, 5, 4)
    assert starts(jobs(4, *rows, (1, 8, 1)))[3] == 2
    assert starts(jobs(4, *rows, (1, 9, 1)))[3] == 15


def test_E12_jobs_that_outlive_the_shadow_time_use_up_the_extra_processors():
    # The head needs 3 of 4, so 1 is extra. Two long jobs of one processor ask for it; the first
    # gets it.
    w = jobs(4, (0, 10, 2), (1, 5, 3), (2, 50, 1), (2, 50, 1), (3, 7, 1))
    assert starts(w)[1:] == [10, 2, 15, 3]
    assert passed(w) == [2, 4]


def test_E13_a_job_started_stays():
    schedule = simulate(jobs(4, (0, 10, 3, 30), (1, 5, 4), (2, 20, 1, 20))).validate()
    # The end of job 1 at 10 comes 20 s before its estimate; job 3, started past the head, is left
    # to run.
    assert schedule.start.tolist() == [0, 22, 2]
    assert schedule.times_killed.tolist() == [0, 0, 0]


def test_E14_only_estimates_enter_decisions():
    # Job 3 truly ends at 3, but is estimated to end after the shadow time: it waits.
    assert starts(jobs(4, (0, 10, 3), (1, 5, 4), (2, 1, 1, 100)))[2] == 15
    # Job 1 truly ends at 10, but the reservation is at its estimated end.
    assert starts(jobs(4, (0, 10, 3, 40), (1, 5, 4), (2, 9, 1, 38)))[2] == 2


def test_E15_a_job_past_its_estimate_is_taken_to_end_now():
    # At 6 job 1 is past its estimate of 5: the head is expected at any moment, so nothing that
    # lasts may pass it, and the processor that the head leaves over is extra.
    late = (0, 20, 3, 5)
    assert starts(jobs(4, late, (1, 5, 4), (6, 3, 1)))[1:] == [20, 25]
    assert starts(jobs(4, late, (1, 5, 3), (6, 3, 1)))[1:] == [20, 6]


def test_E16_modelled_estimates_are_rounded_and_never_short():
    w = jobs(4, *[(0, r, 1) for r in range(200)])
    for model in (FModel(0.01), FModel(3), Deterministic(0.3), Perfect()):
        _, estimate = model.make(w)
        assert estimate.dtype == np.int64
        assert (estimate >= w.run_time).all()
    assert Deterministic(0.1).make(jobs(4, (0, 3, 1), (0, 7, 1)))[1].tolist() == [3, 8]


def test_E17_scaled_submissions_are_rounded_and_keep_their_order():
    w = jobs(4, (0, 1, 1), (1, 1, 1), (2, 1, 1), (9, 1, 1)).scaled(0.4)
    assert w.submit.tolist() == [0, 0, 1, 4]
    assert w.job_id.tolist() == [1, 2, 3, 4]


def test_E18_trimming():
    n = 250
    end = np.arange(1, n + 1)
    end[1] = 1  # a tie: jobs 0 and 1 end first, together with job 2 at 2 s
    end[2] = 1
    submit = np.zeros(n, int)
    submit[-1] = 248
    kept = measures.measured_jobs(submit, end)
    # 1 % of 250 is 2.5: two are left out, and of the three that end at 1 s those are the first two.
    assert np.flatnonzero(~kept).tolist() == [0, 1, n - 2, n - 1]
