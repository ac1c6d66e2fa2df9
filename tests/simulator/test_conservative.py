"""Conservative backfilling and largest area first: on a real log,
and the guarantee of conservative backfilling.
"""

import numpy as np
import pytest
from hypothesis import given, settings

from replication.simulator.predictors import CVH, Clairvoyant, Estimate, Tsafrir
from replication.simulator.schedulers import Conservative, LargestAreaFirst
from replication.simulator.simulation import simulate
from tests.agreement import agree
from tests.workloads import workloads

SCHEDULERS = (Conservative, LargestAreaFirst)


@pytest.mark.parametrize("predictor", [Estimate(), Clairvoyant(), Tsafrir(), CVH()], ids=repr)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_kernel_and_reference_agree_on_a_real_log(real_log, scheduler, predictor):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(2000, 2400))
    agree(workload, scheduler(predictor, ties="submissions-first"))


def at_submission(workload, done, k):
    """Return the first reservation of job k: its start if all unfinished jobs run as long as
    requested and no job follows.
    """
    known = np.where(done.end <= workload.submit[k], workload.run_time, workload.estimate)
    return simulate(workload.replace(run_time=known).take(slice(0, k + 1)), Conservative()).start[k]


@settings(max_examples=150, deadline=None)
@given(workloads(most=20))
def test_no_job_starts_later_than_reserved_at_submission(workload):
    workload = workload.replace(run_time=workload.run_time + 1, estimate=workload.estimate + 1)
    done = simulate(workload, Conservative())
    for k in range(len(workload)):
        assert done.start[k] <= at_submission(workload, done, k)
