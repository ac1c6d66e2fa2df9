"""Shared fixtures: where the real logs are, and a loud skip when they are not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import small_project
from hypothesis import HealthCheck, settings

from replication.report import results
from replication.simulator import paths
from replication.simulator.logs import registry

# A study's notebook imports the modules beside it.
sys.path += sorted(str(folder) for folder in (paths.ROOT / "studies").iterdir() if folder.is_dir())

# No test depends on the speed of the machine.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


def trace_folder():
    """The first folder that holds any real log, or None."""
    for folder in paths.trace_folders():
        if Path(folder).is_dir() and any(Path(folder).glob("*.swf.gz")):
            return Path(folder)
    return None


FOLDER = trace_folder()
if FOLDER is not None:
    os.environ["REPLICATION_TRACES"] = str(FOLDER)


def pytest_configure(config):
    """Compile the kernels on all processors, before each parallel worker compiles all of them."""
    parallel = getattr(config.option, "numprocesses", None)
    if parallel and not hasattr(config, "workerinput") and not config.option.collectonly:
        subprocess.run([sys.executable, "-m", "replication", "warm"], check=True)


def pytest_report_header(config):
    """Say on the first lines whether the real logs take part."""
    return "real logs: " + (
        "found" if FOLDER else "NOT FOUND - every test that needs them is skipped"
    )


@pytest.fixture(autouse=True)
def _tables_of_one_test():
    """Keep what a test reads of tables of its own from the next one."""
    yield
    small_project.forget()


@pytest.fixture(autouse=True)
def results_of_this_run(tmp_path_factory, monkeypatch):
    """A folder of output that the processes of this run share, so that no stored result is older
    than the code.
    """
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "output"
    monkeypatch.setattr(paths, "BUILD", folder / "build")
    return folder


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """The folder of the small project with its results, committed."""
    root = tmp_path_factory.mktemp("small")
    with pytest.MonkeyPatch.context() as patch:
        small_project.enter(root, patch=patch.setattr)
        small_project.build(root)
    small_project.forget()
    return root


@pytest.fixture
def project(drawn, tmp_path, monkeypatch):
    """A copy of the small project, which the package uses."""
    shutil.copytree(drawn, tmp_path, dirs_exist_ok=True)
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    return tmp_path


@pytest.fixture(scope="session")
def recorded():
    """The committed results."""
    return results.collect("paper")


@pytest.fixture(scope="session")
def real_log():
    """A function from a registry name to its Workload; skips where the log is not there."""

    def load(name, **rules):
        if registry.locate(name) is None:
            pytest.skip(f"real log {name} is not on this machine (set TRACES=folder)")
        return registry.load(name, **rules)

    return load
