"""A short round of the fuzzer; ``make fuzz`` goes on for longer, with inputs that are new each time."""

import pytest
from hypothesis import HealthCheck, given, settings

from replication.cluster import tables
from replication.simulator import simulation, text
from tests.fuzz.targets import MAP, TARGETS

EXAMPLES = {"command": 25, "schedules": 40, "table": 60, "map": 60}


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """No input pays for the kernels."""
    simulation.warm()


# Inputs that a longer round found, as small as they went.
FOUND = [
    ("table", ([(0, 10**5, 1, {}, ",more")], [("double", 0.375, b"", 0)], False)),
    ("map", ([], {"submit": "5"}, [])),
    ("command", ("simulate", [("--seed", "\x1b")])),
    ("command", ("simulate", [("--drop", "9" * 5000)])),
    ("command", ("sweep", [("--f", "9" * 5000)])),
    ("command", ("sweep", [("--f", "9" * 30)])),
    ("text", (text.scheduler, "top" + "9" * 5000)),
    ("schedules", ([(1, 0, 0, 1, 1)], [(1, 0, 0, 1, 1)], 4, [(0, 4, "1e300")], [])),
]


@pytest.mark.parametrize(("name", "one"), FOUND)
def test_what_was_found_once_is_not_found_again(name, one):
    TARGETS[name][1](one)


def test_a_column_that_is_there_twice_is_named(tmp_path):
    (tmp_path / "jobs.csv").write_text("in,ran,nodes,nodes\n1,2,3,3\n")
    (tmp_path / "map.toml").write_text(MAP)
    with pytest.raises(tables.TableError, match="column nodes is there twice"):
        tables.convert(tmp_path / "jobs.csv", tmp_path / "map.toml")


@pytest.mark.parametrize("name", TARGETS)
def test_what_must_hold_holds(name):
    inputs, check = TARGETS[name]
    settings(
        max_examples=EXAMPLES.get(name, 150),
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )(given(inputs)(check))()
