"""Start times on whole real logs, compared with pinned hashes.

By default every scheduler, predictor and option on one log; all rows with REPLICATION_WHOLE=1, which takes minutes.
"""

import csv
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from replication.simulator import text
from replication.simulator.logs import registry
from replication.simulator.simulation import simulate


def pinned():
    """Return the rows of pinned_starts.csv: all, or those of one log and of EASY on the log with the longest queue."""
    with open(Path(__file__).parent / "pinned_starts.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if os.environ.get("REPLICATION_WHOLE"):
        return rows
    return [
        row
        for row in rows
        if row["log"] == "KTH-SP2-2"
        or (row["log"] == "SDSC-BLUE" and row["scheduler"] in ("easy", "fcfs"))
    ]


def named(row):
    """Return the name of a row's test."""
    return " ".join(row[key] for key in ("log", "scheduler", "estimates", "options")).strip()


@pytest.fixture(scope="module")
def logs():
    """Return a cache of logs by name."""
    return {}


@pytest.mark.parametrize("row", pinned(), ids=named)
def test_starts_are_as_they_were(row, logs):
    name = row["log"]
    if registry.locate(name) is None:
        pytest.skip(f"the log {name} is not on this machine")
    if name not in logs:
        logs[name] = registry.load(name)
    # The rows name EASY on predictions easy-predicted.
    words = [row["scheduler"].replace("easy-predicted", "easy"), *row["options"].split()]
    scheduler, estimates = text.scheduler(",".join(words)), text.estimates(row["estimates"])
    start = simulate(logs[name], scheduler, estimates, seed=1).start
    found = hashlib.sha256(np.ascontiguousarray(start, "<i8").tobytes()).hexdigest()
    assert found == row["starts_sha256"]
