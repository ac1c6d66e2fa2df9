"""A short round of the fuzzer; ``make fuzz`` goes on for longer, with inputs that are new each time."""

import pytest
from hypothesis import HealthCheck, given, settings

from replication.schedule import simulation
from tests.fuzz.targets import TARGETS

EXAMPLES = {"command": 25, "schedules": 40, "table": 60, "map": 60}


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No input pays for the kernels."""
    simulation.warm()


@pytest.mark.parametrize("name", TARGETS)
def test_what_must_hold_holds(name):
    inputs, check = TARGETS[name]
    settings(
        max_examples=EXAMPLES.get(name, 150),
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )(given(inputs)(check))()
