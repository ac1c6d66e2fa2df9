"""A type checker finds unknown names and wrong options of the public interface."""

import subprocess
import sys
from typing import get_args

from replication.simulator.logs import registry
from replication.simulator.paths import ROOT

SCRIPT = """\
import replication as rp

kth = rp.load("KTH-SP2")
run = rp.simulate(kth, rp.EASY(candidates="shortest"), rp.FModel(2), seed=1)
rp.Ezzy()
rp.EASY(candidate="shortest")
rp.EASY(candidates="sfj")
run.nothing
rp.simulate(kth, rp.EASY(), seed="a")
rp.load("KTH-SP2", overrun="pv")
"""


def test_wrong_names_and_options_are_reported(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    # The types of numpy take ten seconds, once.
    command += ["--cache-dir", str(ROOT / "build/mypy"), "--no-error-summary", "script.py"]
    run = subprocess.run(
        command, cwd=tmp_path, env={"MYPYPATH": str(ROOT)}, capture_output=True, text=True
    )
    lines = [int(line.split(":")[1]) for line in run.stdout.splitlines() if "error:" in line]
    assert lines == [5, 6, 7, 8, 9, 10], run.stdout + run.stderr


def test_types_list_the_registered_logs():
    assert list(get_args(registry.LogName)) == registry.names()
