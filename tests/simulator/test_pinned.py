"""Start times of whole real logs, as they were when they were written down: nothing has changed.

A part by default: every scheduler, predictor and reading on one whole log. REPLICATION_WHOLE=1 asks for all
of them, which takes minutes.
"""

import csv
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from replication.simulator import text, traces
from replication.simulator.simulation import simulate


def pinned():
    """The rows of pinned_starts.csv: all, or those of one log and EASY on the longest queue."""
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
    """A row as the name of its test."""
    return " ".join(row[key] for key in ("log", "scheduler", "estimates", "options")).strip()


@pytest.fixture(scope="module")
def logs():
    """The logs that were read, by name."""
    return {}


@pytest.mark.parametrize("row", pinned(), ids=named)
def test_starts_are_as_they_were(row, logs):
    name = row["log"]
    if traces.locate(name) is None:
        pytest.skip(f"the log {name} is not on this machine: its start times are not compared")
    if name not in logs:
        logs[name] = traces.load(name)
    # The rows call EASY on predictions a scheduler of its own.
    words = [row["scheduler"].replace("easy-predicted", "easy"), *row["options"].split()]
    scheduler, estimates = text.scheduler(",".join(words)), text.estimates(row["estimates"])
    start = simulate(logs[name], scheduler, estimates, seed=1).start
    found = hashlib.sha256(np.ascontiguousarray(start, "<i8").tobytes()).hexdigest()
    assert found == row["starts_sha256"]
