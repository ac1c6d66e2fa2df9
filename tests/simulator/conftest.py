"""The conformance suite can be imported, and names of schedulers, models and predictors that the
tests of a file define are forgotten after it.
"""

import sys

import pytest

import replication as rp
from replication.simulator import paths

sys.path.append(str(paths.ROOT / "contrib/conformance"))


@pytest.fixture(autouse=True, scope="module")
def families():
    known = {one: dict(one.members) for one in (rp.Scheduler, rp.EstimateModel, rp.Predictor)}
    yield
    for family, members in known.items():
        family.members.clear()
        family.members.update(members)
