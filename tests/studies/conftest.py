"""A workload that the tests of studies share."""

import pytest

from tests.workloads import random_jobs


@pytest.fixture(scope="session")
def random_log():
    return random_jobs(400, 32, 30 * 24 * 3600, 4000, 9000, name="some")
