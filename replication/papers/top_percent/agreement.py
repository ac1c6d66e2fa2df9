"""Which of our schedulers starts every job when another simulator does; the facts stand in data/agreement.toml.

The paper's results come from one of these simulators.
"""

import hashlib

import numpy as np
import pandas as pd

from replication.simulator import paths, text
from replication.simulator.paths import toml
from replication.simulator.simulation import simulate

TABLE = paths.DATA / "agreement.toml"


def facts():
    """What data/agreement.toml holds: ``rules`` for `replication.simulator.traces.load`, ``simulator``
    by key, and a list of every ``run``.
    """
    return toml(TABLE)


def sha256(start):
    """Hash of start times, as data/agreement.toml has it."""
    return hashlib.sha256(np.ascontiguousarray(start, "<i8").tobytes()).hexdigest()


def table(load, decided=True):
    """Every run beside the scheduler that does the same: simulator, run, log, jobs, ours, wait of
    the simulator and ours (means, s), and whether all starts are the same, where that is decided.

    ``load(log, **rules)`` returns a log's jobs.
    """
    logs, rows = {}, []
    for run in facts()["run"]:
        log, simulator = run["log"], facts()["simulator"][run["simulator"]]
        if log not in logs:
            logs[log] = load(log, **facts()["rules"])
        start = simulate(logs[log], text.scheduler(run["ours"])).start
        rows.append(
            {
                "simulator": f"{simulator['name']} ({simulator['version']})",
                "run": run["policy"],
                "log": log,
                "jobs": run["jobs"],
                "ours": run["ours"],
                "its wait": run["mean_wait_s"],
                "our wait": float((start - logs[log].submit).mean()),
                "same": sha256(start) == run["starts_sha256"] if decided else None,
            }
        )
    return pd.DataFrame(rows)


def differences():
    """What each simulator does at an instant other than the default reading."""
    return pd.DataFrame(
        {
            "simulator": f"{simulator['name']} ({simulator['version']})",
            "source": simulator["where"],
            "does differently": simulator["differs"],
        }
        for simulator in facts()["simulator"].values()
    )
