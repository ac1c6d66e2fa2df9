"""The script that completes commands with the tab key, as bash runs it."""

import shutil
import subprocess

import pytest

from replication import commands
from replication.__main__ import main
from replication.schedule import text
from replication.schedulers import Scheduler


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """What bash offers after some words; the last word may be a part of one."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed: completion is not tested")
    from replication.commands.completion import script

    path = tmp_path_factory.mktemp("completion") / "replication.sh"
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _replication; echo "${COMPREPLY[*]}"'
    path.write_text(f"{script()}{ask}\n")

    def offered(*words):
        done = subprocess.run(
            ["bash", str(path), "replication", *words], capture_output=True, text=True, timeout=30
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
        (("simulate", "KTH"), ["KTH-SP2", "KTH-SP2-2"]),
        (("traces", "f"), ["fetch"]),
        (("traces", "describe", "--ov"), ["--overrun"]),
        (("traces", "describe", "--size", "a"), ["allocated"]),
        (("convert", "slurm", "--part"), ["--partitions"]),
        (("convert", "torque", "--part"), []),
        (("cluster", "log.txt", "--si"), ["--size"]),
        (("sweep", "--model", ""), ["random", "deterministic", "log", "modal"]),
        (("sweep", "CTC"), ["CTC-SP2"]),
    ],
)
def test_what_may_follow_is_offered(complete, words, offered):
    assert complete(*words) == offered


@pytest.mark.parametrize(
    "shell, first", [("bash", "# Completion"), ("zsh", "autoload -U +X bashcompinit")]
)
def test_the_command_prints_it(capsys, shell, first):
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert said.startswith(first)
    assert said.endswith("complete -o default -F _replication replication\n")
