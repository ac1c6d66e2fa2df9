"""A test for each sentence that no log of the conformance suite can state, and the lists of
sentences, logs and tests.
"""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings

import replication as rp
from conformance import suite
from replication.simulator import paths
from replication.simulator.schedulers import options
from replication.simulator.schedules import measures
from tests.workloads import jobs, workloads

SENTENCE = re.compile(r"^- \*\*([A-Z]\d+)\*\* ", re.MULTILINE)
TEST = re.compile(r"^def test_([A-Z]\d+)_", re.MULTILINE)


def starts(workload, scheduler=rp.PaperEASY, **options):
    return rp.simulate(workload, scheduler(**options)).validate().start.tolist()


def test_every_sentence_has_one_number_and_logs_or_one_test():
    pages = [paths.ROOT / "contrib/conformance/sentences.md", paths.ROOT / "docs/semantics.md"]
    pages += sorted((paths.ROOT / "docs/semantics").glob("*.md"))
    sentences = sum((SENTENCE.findall(page.read_text("utf-8")) for page in pages), [])
    files = sorted((paths.ROOT / "tests/simulator").glob("test_*.py"))
    tests = sum((TEST.findall(file.read_text("utf-8")) for file in files), [])
    logs = {log.sentence for log in suite.logs()}
    assert Counter(sentences) == Counter([*logs, *tests])
    assert len(sentences) > 100


def test_E1_time_is_whole_seconds():
    schedule = rp.simulate(jobs(4, (0, 3, 4), (1, 2, 4)), estimates=np.array([3.4, 2.6]))
    assert schedule.start.dtype == np.int64
    assert schedule.estimate.tolist() == [3, 3]


def test_E16_modelled_estimates_are_rounded_and_never_short():
    w = jobs(4, *[(0, r, 1) for r in range(200)])
    for model in (rp.FModel(0.01), rp.FModel(3), rp.Deterministic(0.3), rp.Perfect()):
        _, estimate = model.make(w)
        assert estimate.dtype == np.int64
        assert (estimate >= w.run_time).all()
    assert rp.Deterministic(0.1).make(jobs(4, (0, 3, 1), (0, 7, 1)))[1].tolist() == [3, 8]


def test_E17_scaled_submissions_are_rounded_and_keep_their_order():
    w = jobs(4, (0, 1, 1), (1, 1, 1), (2, 1, 1), (9, 1, 1)).scaled(0.4)
    assert w.submit.tolist() == [0, 0, 1, 4]
    assert w.job_id.tolist() == [1, 2, 3, 4]


def test_E18_trimming():
    n = 250
    end = np.arange(1, n + 1)
    end[1:3] = 1  # a tie: three jobs end first
    submit = np.zeros(n, int)
    submit[-1] = 248
    kept = measures.measured_jobs(submit, end)
    # 1 % of 250 is 2.5: two are left out, and of the three that end at 1 s those are the first two.
    assert np.flatnonzero(~kept).tolist() == [0, 1, n - 2, n - 1]


@settings(max_examples=150, deadline=None)
@given(workloads(overrun=True))
def test_P8_the_estimate_gives_plain_easy(workload):
    plain = rp.simulate(workload).validate()
    planned = options.columns(rp.EASY().simulated(workload, workload.estimate, 1))
    for column in ("start", "backfilled", "prediction", "first_prediction"):
        assert planned[column].tolist() == getattr(plain, column).tolist()


def test_P19_who_passes_a_waiting_job_is_backfilled():
    w = jobs(4, (0, 5, 3), (1, 5, 4), (2, 3, 1), (20, 1, 4))
    for scheduler in (rp.LargestAreaFirst(), rp.Conservative()):
        assert rp.simulate(w, scheduler).backfilled.tolist() == [False, False, True, False]


def test_P29_plans_that_do_not_age():
    # Of 100 s planned, job 0 runs 50. At 20 it is planned to end at 120, so that job 2 passes the
    # head, and again at 40.
    w = jobs(4, (0, 50, 3, 100), (1, 5, 4), (20, 90, 1), (20, 10, 1))
    assert starts(w)[:3] == [0, 50, 55]
    assert starts(w, plans="unaged")[:3] == [0, 110, 20]
    # No prediction expires: at 40 job 0, predicted to run 25 s, is expected at 65.
    w = jobs(4, (0, 60, 3, 100), (1, 5, 4), (40, 20, 1, 20))
    late = {"predictor": rp.Virtual(0, -0.75), "correction": "now"}
    assert starts(w, **late)[2] == 65
    assert starts(w, **late, plans="unaged")[2] == 40
    # A reservation that lasts is made with such a plan once.
    w = jobs(4, (0, 50, 3, 100), (1, 5, 4), (20, 82, 1))
    assert starts(w, plans="unaged")[2] == 20
    assert starts(w, plans="unaged", lifetime="until-start")[2] == 55


def test_P30_a_predictor_is_notified_of_starts_after_the_pass():
    class Begun(rp.Predictor, name="begun"):
        """As many seconds as jobs have begun, and one."""

        def start(self, workload):
            self.begun = []

        def begin(self, job, now):
            self.begun.append(job.id)

        def predict(self, job, now):
            return len(self.begun) + 1

    w = jobs(4, (0, 9, 1), (0, 9, 1), (0, 9, 1), (1, 9, 1))
    for scheduler in (
        rp.EASY(),
        rp.EASY(candidates="shortest"),
        rp.Conservative(),
        rp.LargestAreaFirst(),
    ):
        schedule = rp.simulate(w, replace(scheduler, predictor=Begun()))
        assert schedule.prediction.tolist() == [1, 1, 1, 4]
    one_by_one = rp.PaperEASY(Begun(), events="one-by-one")
    assert rp.simulate(w, one_by_one).prediction.tolist() == [1, 2, 3, 4]


def test_R1_the_queue_is_in_the_order_of_the_function_and_of_arrival():
    w = jobs(4, (0, 10, 4), (1, 5, 4), (2, 5, 3), (3, 5, 3))
    assert starts(w, rp.OrderedEASY, order=lambda w: w.processors) == [0, 20, 10, 15]


def test_R2_a_later_job_becomes_the_head():
    w = jobs(4, (0, 10, 4), (1, 5, 3), (9, 5, 4))
    assert starts(w, rp.OrderedEASY, order=lambda w: -w.processors) == [0, 15, 10]


def test_R7_one_reservation_is_easy():
    assert rp.EASY(reservations=1) == rp.EASY()


def test_R8_jobs_past_a_blocked_one_are_backfilled():
    w = jobs(4, (0, 10, 3), (1, 10, 2), (2, 5, 4), (3, 18, 1))
    assert rp.simulate(w, rp.EASY(reservations=2)).backfilled.tolist() == [False] * 4
    assert rp.simulate(w, rp.EASY()).backfilled.tolist() == [False, False, False, True]
