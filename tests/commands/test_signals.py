"""SIGINT, SIGTERM and SIGHUP: each ends a command with a line, its exit code, and no process left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from replication.simulator import paths

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
SAID = {
    signal.SIGINT: "replication: interrupted\n",
    signal.SIGTERM: "replication: ended by SIGTERM\n",
    signal.SIGHUP: "replication: ended by SIGHUP\n",
}
#: A command of its own: it starts a process in a session of its own, then does what is asked for.
COMMAND = """
import hashlib, subprocess, sys, time
from replication import commands, __main__
from replication.simulator import signals
signals.GRACE = 0.5
def work():
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    print(child.pid, flush=True)
    {work}
commands.names = lambda: ["try"]
commands.load = lambda name: commands.Command("try", callback=work)
sys.exit(__main__.main(["try"]))
"""
WORK = {
    "Python": "time.sleep(60)",
    # Not a step of Python's until it is done: no exception can end it.
    "compiled code": "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10**9)",
    "code that goes on": """
    while True:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            pass
""",
}


def started(code):
    """The program, and the process that it started."""
    program = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=paths.ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background has the signal of the keyboard ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return program, int(program.stdout.readline())


def ended(pid):
    """Whether a process is there no more, within some seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("work", WORK)
def test_a_signal_ends_a_command_in_order(work, number):
    program, child = started(COMMAND.format(work=WORK[work]))
    program.send_signal(number)
    _, said = program.communicate(timeout=30)
    assert program.returncode == 128 + number
    assert said == SAID[number]
    assert ended(child)


def test_a_second_signal_ends_it_at_once():
    code = COMMAND.replace("signals.GRACE = 0.5", "signals.GRACE = 60")
    program, child = started(code.format(work=WORK["compiled code"]))
    program.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=30)
    assert (program.returncode, said) == (143, SAID[signal.SIGTERM])
    assert ended(child)


def test_what_nohup_ignores_stays_ignored():
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + COMMAND
    program, child = started(code.format(work="time.sleep(1); child.kill(); child.wait()"))
    program.send_signal(signal.SIGHUP)
    _, said = program.communicate(timeout=30)
    assert (program.returncode, said) == (0, "")


def test_a_sweep_that_is_ended_keeps_what_was_done(tmp_path):
    words = [
        *(sys.executable, "-m", "replication", "sweep", "KTH-SP2", "--f", "0:9000:1"),
        *("--folder", str(tmp_path / "kept"), "--out", str(tmp_path / "table.csv")),
    ]
    offline = os.environ | {"REPLICATION_OFFLINE": "1", "REPLICATION_TRACES": ""}
    program = subprocess.Popen(
        words, cwd=paths.ROOT, env=offline, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 240
    while not list((tmp_path / "kept").glob("*")) and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=30)
    assert program.returncode == 128 + signal.SIGTERM
    assert said.endswith(SAID[signal.SIGTERM])
    assert not (tmp_path / "table.csv").exists()
    assert list((tmp_path / "kept").glob("*"))
