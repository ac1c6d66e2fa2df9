"""Shared fixtures: where the real logs are, and a loud skip when they are not."""

import os
from pathlib import Path

import pytest

from replication.simulator import paths, traces


def trace_folder():
    """The first folder that holds any real log, or None."""
    for folder in paths.trace_folders():
        if Path(folder).is_dir() and any(Path(folder).glob("*.swf.gz")):
            return Path(folder)
    return None


FOLDER = trace_folder()
if FOLDER is not None:
    os.environ["REPLICATION_TRACES"] = str(FOLDER)


def pytest_report_header(config):
    """Say on the first lines whether the real logs take part."""
    return "real logs: " + (
        "found" if FOLDER else "NOT FOUND - every test that needs them is skipped"
    )


@pytest.fixture(scope="session")
def real_log():
    """A function from a registry name to its Workload; skips where the log is not there."""

    def load(name, **rules):
        if traces.locate(name) is None:
            pytest.skip(f"real log {name} is not on this machine (set TRACES=folder)")
        return traces.load(name, **rules)

    return load
