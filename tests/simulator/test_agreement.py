"""Start times of other simulators, job by job: the scheduler
that data/agreement.toml names does the same.
"""

import pytest

from notebooks.top_percent import agreement
from replication.simulator.logs import registry
from replication.simulator.simulation import simulate


@pytest.fixture(scope="module")
def logs():
    """The logs that were read, by name."""
    return {}


@pytest.mark.parametrize(
    "run",
    agreement.facts()["run"],
    ids=lambda run: f"{run['simulator']} {run['policy']} {run['log']}",
)
def test_every_job_starts_when_it_does_there(run, logs):
    if registry.locate(run["log"]) is None:
        pytest.skip(f"the log {run['log']} is not on this machine: start times are not compared")
    if run["log"] not in logs:
        logs[run["log"]] = registry.load(run["log"], **agreement.facts()["rules"])
    workload = logs[run["log"]]
    assert (len(workload), workload.machine) == (run["jobs"], run["processors"])
    start = simulate(workload, run["ours"]).start
    assert round(float((start - workload.submit).mean()), 3) == run["mean_wait_s"]
    assert agreement.sha256(start) == run["starts_sha256"]
