"""All predictors with all schedulers on real logs, compared with the reference implementations.

A part of each log by default; whole logs with REPLICATION_WHOLE=1, which takes minutes each under EASY and much longer under
conservative backfilling.
"""

import os

import pytest

from tests.simulator import test_conservative, test_predicted
from tests.simulator.test_predicted import AS_CODED, PREDICTORS

pytestmark = pytest.mark.slow
LOGS = ("KTH-SP2", "CTC-SP2", "SDSC-SP2")


def part(workload, jobs):
    """Return `jobs` jobs after the first 5,000, or all."""
    return (
        workload if os.environ.get("REPLICATION_WHOLE") else workload.take(slice(5000, 5000 + jobs))
    )


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
@pytest.mark.parametrize("log", LOGS)
def test_easy(real_log, log, predictor):
    workload = part(real_log(log, paper="top_percent"), 600)
    test_predicted.agree(workload, predictor)
    test_predicted.agree(workload, predictor, **AS_CODED)


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("scheduler", test_conservative.REFERENCES)
def test_other_schedulers(real_log, scheduler, log, predictor):
    test_conservative.agree(part(real_log(log, paper="top_percent"), 150), scheduler, predictor)
