"""The conformance logs:
compiled kernels and reference implementations give every expected schedule.
"""

import tomllib

import pandas as pd
import pytest

import notebooks.paper_easy  # noqa: F401, the logs name its scheduler
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.schedulers import Scheduler
from replication.simulator.simulation import simulate
from tests.agreement import agree

FOLDER = paths.ROOT / "contrib/conformance"
LOGS = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["log"]


def test_the_manifest_lists_every_file():
    names = {log["name"] for log in LOGS}
    for folder in ("logs", "schedules"):
        assert {path.stem for path in (FOLDER / folder).iterdir()} == names


@pytest.mark.parametrize("log", LOGS, ids=[log["name"] for log in LOGS])
def test_kernel_and_reference_give_the_schedule(log):
    workload = registry.load(FOLDER / "logs" / f"{log['name']}.swf", drop=(), overrun="as-is")
    expected = pd.read_csv(FOLDER / "schedules" / f"{log['name']}.csv")
    schedule = agree(workload, Scheduler.check(log["scheduler"]))
    start, end = schedule.start.tolist(), schedule.end.tolist()
    assert (start, end) == (expected.start.tolist(), expected.end.tolist())
    if "other_scheduler" in log:
        other = simulate(workload, log["other_scheduler"])
        assert (other.start.tolist(), other.end.tolist()) != (start, end)
