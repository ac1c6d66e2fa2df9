"""Runs of the page's modules in node."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

NODE = shutil.which("node")


@pytest.fixture
def node(tmp_path):
    """A function that runs a mode of ``driver.mjs`` and returns its answer; skips without node."""
    if NODE is None:
        pytest.skip("node is not installed: the page's modules are NOT tested")

    def run(mode, inputs):
        (tmp_path / "given.json").write_text(json.dumps(inputs))
        command = [NODE, Path(__file__).with_name("driver.mjs"), mode, tmp_path]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def written(tmp_path):
    """A function that writes a workload for the driver and returns its description."""

    def write(workload, name="jobs"):
        w = workload
        columns = w.submit, w.run_time, w.processors, w.estimate
        np.concatenate(columns).astype("<i8").tofile(tmp_path / name)
        return {"file": name, "n": len(w), "machine": w.machine, "drawKey": w.draw_key}

    return write
