"""What the tab key offers, as bash asks for it."""

import os
import shutil
import subprocess
import sys

import pytest

from replication import commands
from replication.__main__ import main
from replication.simulator import paths, text
from replication.simulator.schedulers import Scheduler


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """What bash offers after some words; the last word may be a part of one."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed: completion is not tested")
    folder = tmp_path_factory.mktemp("completion")
    program = folder / "replication"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m replication "$@"\n')
    program.chmod(0o755)
    script = subprocess.run([program, "completion", "bash"], capture_output=True, cwd=paths.ROOT)
    ask = (
        'COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMPREPLY=()\n'
        'compopt() { :; }; _replication_completion replication; echo "${COMPREPLY[*]}"'
    )
    (folder / "ask.sh").write_text(f"{script.stdout.decode()}\n{ask}\n")

    def offered(*words):
        done = subprocess.run(
            ["bash", str(folder / "ask.sh"), "replication", *words],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=paths.ROOT,
            env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
        )
        assert done.stderr == ""
        return done.stdout.split()

    return offered


def test_the_commands_are_offered(complete):
    assert set(commands.names()) <= set(complete(""))
    assert complete("sim") == ["simulate"]


@pytest.mark.parametrize(
    "words, offered",
    [
        (("simulate", "--form"), ["--format"]),
        (("simulate", "--format", "ba"), ["batsim"]),
        (("simulate", "--scheduler", ""), text.names(Scheduler)),
        (("simulate", "--estimates", "per"), ["perfect"]),
        (("simulate", "KTH"), ["KTH-SP2", "KTH-SP2-2"]),
        (("traces", "f"), ["fetch"]),
        (("traces", "describe", "--ov"), ["--overrun"]),
        (("traces", "describe", "--size", "a"), ["allocated"]),
        (("convert", "slurm", "--part"), ["--partitions"]),
        (("convert", "torque", "--part"), []),
        (("cluster", "log.txt", "--si"), ["--size"]),
        (("sweep", "--model", ""), ["random", "deterministic", "log", "modal"]),
        (("sweep", "CTC"), ["CTC-SP2"]),
        (("figures", "--only", "heel_and_toe/fig01"), ["heel_and_toe/fig01"]),
    ],
)
def test_what_may_follow_is_offered(complete, words, offered):
    assert complete(*words) == offered


@pytest.mark.parametrize(
    "shell, last",
    [("bash", "_replication_completion_setup;"), ("zsh", "compdef"), ("fish", "complete ")],
)
def test_the_command_prints_it(capsys, shell, last):
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert "_REPLICATION_COMPLETE" in said
    assert last in said
