"""Conservative backfilling and largest area first: by hand, on a real log, and their guarantees."""

import numpy as np
import pytest
from hypothesis import given, settings

from replication.simulator.predictors import CVH, Clairvoyant, Request, Tsafrir
from replication.simulator.schedulers import EASY, Conservative, LargestAreaFirst
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.workloads import jobs, workloads

SCHEDULERS = (Conservative, LargestAreaFirst)


@pytest.mark.parametrize("predictor", [Request(), Clairvoyant(), Tsafrir(), CVH()], ids=repr)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_kernel_and_reference_agree_on_a_real_log(real_log, scheduler, predictor):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(2000, 2400))
    agree(workload, scheduler(predictor, order="submissions-first"))


def test_conservative_protects_the_second_in_line_too():
    # Job 2 is reserved 10 to 20, with job 3 running in its gap; job 4, which needs the whole machine, from 20
    # on. Job 5 takes the processor that job 2 leaves over: EASY starts it, which delays job 4.
    w = jobs(4, (0, 10, 2), (1, 10, 3), (1, 8, 1), (1, 8, 4), (2, 30, 1))
    easy, careful = (simulate(w, s).start.tolist() for s in (EASY(), Conservative()))
    assert easy[:3] == careful[:3]
    assert easy[4] == 2 and careful[4] > 2
    assert careful[3] < easy[3]


def at_submission(workload, done, k):
    """Return the first reservation of job k: its start if all unfinished jobs run as long as requested and no job follows."""
    known = np.where(done.end <= workload.submit[k], workload.run_time, workload.estimate)
    return simulate(workload.replace(run_time=known).take(slice(0, k + 1)), Conservative()).start[k]


@settings(max_examples=150, deadline=None)
@given(workloads(most=20))
def test_no_job_starts_later_than_reserved_at_submission(workload):
    workload = workload.replace(run_time=workload.run_time + 1, estimate=workload.estimate + 1)
    done = simulate(workload, Conservative())
    for k in range(len(workload)):
        assert done.start[k] <= at_submission(workload, done, k)


def test_largest_area_first_goes_by_the_prediction():
    w = jobs(4, (0, 5, 4), (1, 2, 4, 9), (1, 8, 4, 8))
    assert simulate(w, LargestAreaFirst()).start.tolist() == [0, 5, 7]
    assert simulate(w, LargestAreaFirst(predictor=Clairvoyant())).start.tolist() == [0, 13, 5]
