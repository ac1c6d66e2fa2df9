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
    families = rp.Scheduler, rp.EstimateModel, rp.Predictor
    members_before = {family: dict(family.members) for family in families}
    yield
    for family, members in members_before.items():
        family.members.clear()
        family.members.update(members)
