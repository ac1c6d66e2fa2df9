"""Schedulers that plan with predictions against their readable twins on real logs, every predictor with each.

A part of each log by default. REPLICATION_WHOLE=1 asks for whole logs: minutes each under EASY, far longer
under conservative backfilling, whose twin makes every reservation again at every end.
"""

import os

import pytest

from tests.simulator import test_conservative, test_predicted
from tests.simulator.test_predicted import AS_CODED, PREDICTORS

pytestmark = pytest.mark.slow
LOGS = ("KTH-SP2", "CTC-SP2", "SDSC-SP2")


def part(workload, jobs):
    """Some hundred jobs after the log's first thousands, or all."""
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
@pytest.mark.parametrize("scheduler", test_conservative.TWINS)
def test_other_schedulers(real_log, scheduler, log, predictor):
    test_conservative.agree(part(real_log(log, paper="top_percent"), 150), scheduler, predictor)
