"""Agreement with other simulators on every start time; the facts are in data/agreement.toml.

The paper's results come from one of these simulators.
"""

import hashlib

import numpy as np
import pandas as pd

import replication as rp
from replication.simulator import paths
from replication.simulator.paths import toml

TABLE = paths.DATA / "agreement.toml"


def facts() -> dict:
    """Return data/agreement.toml: ``rules`` for `replication.simulator.logs.registry.load`,
    ``simulator`` by key, and a list of every ``run``.
    """
    return toml(TABLE)


def sha256(start) -> str:
    """Return the hash of start times as in data/agreement.toml."""
    return hashlib.sha256(np.ascontiguousarray(start, "<i8").tobytes()).hexdigest()


def table(load, decided=True) -> pd.DataFrame:
    """Return every run of another simulator with the scheduler of ours that gives the same starts.

    Columns: simulator, run, log, jobs, ours, its wait and our wait (means, s), and same (whether
    all starts are equal), where that is decided. ``load(log, **rules)`` returns a log's jobs.
    """
    logs, rows = {}, []
    for run in facts()["run"]:
        log, simulator = run["log"], facts()["simulator"][run["simulator"]]
        if log not in logs:
            logs[log] = load(log, **facts()["rules"])
        start = rp.simulate(logs[log], run["ours"]).start
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


def differences() -> pd.DataFrame:
    """Return for each simulator how it treats the events of an instant, where it differs from the
    default.
    """
    return pd.DataFrame(
        {
            "simulator": f"{simulator['name']} ({simulator['version']})",
            "source": simulator["where"],
            "does differently": simulator["differs"],
        }
        for simulator in facts()["simulator"].values()
    )
