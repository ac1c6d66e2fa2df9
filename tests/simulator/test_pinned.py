"""Schedules on whole real logs, compared with pinned hashes.

By default every scheduler, predictor and option on one log; all rows with REPLICATION_WHOLE=1,
which takes minutes. The long tests add three modern logs, on one of which 21,869 jobs wait at once.
"""

import csv
import hashlib
import os

import numpy as np
import pytest

import replication as rp
from replication.simulator import paths
from replication.simulator.logs import cleaning, registry, swf
from replication.simulator.observation import observe
from replication.simulator.simulation import simulate

# Size of the machine of each log in pinned_long_queues.csv, processors.
MACHINES = {"RICC-2010-2": 8192, "HPC2N-2002-2.2-cln": 240, "CEA-Curie-2011-2.1-cln": 93312}
DROP = ("no-run-time", "zero-run-time", "no-processors", "larger-than-machine")


def rows_of(name):
    """Return the rows of a file in ``data/``."""
    with open(paths.DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def pinned():
    """Return the rows of pinned_starts.csv: all, or those of one log
    and of EASY on the log with the longest queue.
    """
    rows = rows_of("pinned_starts.csv")
    if os.environ.get("REPLICATION_WHOLE"):
        return rows
    longest = [("SDSC-BLUE", scheduler) for scheduler in ("EASY()", "FCFS()")]
    return [r for r in rows if r["log"] == "KTH-SP2-2" or (r["log"], r["scheduler"]) in longest]


def named(row):
    """Return the name of a row's test."""
    return " ".join(row[key] for key in ("log", "scheduler", "estimates"))


@pytest.fixture(scope="module")
def logs():
    """Return a cache of logs by name."""
    return {}


def simulated(row, workload):
    """Return the schedule of a row's run."""
    return simulate(workload, row["scheduler"], row["estimates"], seed=1)


def sha256(*columns):
    """Return the hash of columns."""
    content = b"".join(np.asarray(column).astype("<i8").tobytes() for column in columns)
    return hashlib.sha256(content).hexdigest()


def of_columns(schedule):
    """Return the hash of all columns of a schedule and, for textbook EASY and the interventions in
    wild backfills, of what is observed.
    """
    columns, scheduler = [*schedule.columns().values()], schedule.scheduler
    is_paper_easy = isinstance(scheduler, rp.PaperEASY)
    intervenes = is_paper_easy and scheduler.permissions(schedule.workload, 1).any()
    if scheduler == rp.EASY() or intervenes:
        seen = observe(schedule.workload, schedule.estimates, 1, schedule.scheduler)
        columns += [seen.shortest, seen.wild, seen.events, seen.delay]
    return sha256(*columns)


@pytest.mark.parametrize("row", pinned(), ids=named)
def test_schedules_are_as_they_were(row, logs):
    name = row["log"]
    if registry.locate(name) is None:
        pytest.skip(f"the log {name} is not on this machine")
    if name not in logs:
        logs[name] = registry.load(name)
    schedule = simulated(row, logs[name])
    assert sha256(schedule.start) == row["starts_sha256"]
    assert of_columns(schedule) == row["columns_sha256"]


@pytest.mark.slow
@pytest.mark.parametrize("row", rows_of("pinned_long_queues.csv"), ids=named)
def test_starts_with_long_queues_are_as_they_were(row, logs):
    name = row["log"]
    files = [folder / f"{name}.swf.gz" for folder in paths.trace_folders()]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        pytest.skip(f"the log {name} is not on this machine")
    if name not in logs:
        trace = swf.read(file, bad_lines="skip")
        rules = {"size": "requested", "overrun": "raise-estimate", "rules": DROP}
        names = {"name": name, "draw_key": name}
        logs[name] = cleaning.workload(
            trace, MACHINES[name], **rules, **names, smaller_machine=True
        )
    assert sha256(simulated(row, logs[name]).start) == row["starts_sha256"]
