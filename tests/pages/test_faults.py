"""Whatever happens to those who draw, the next run draws the same bytes, and nothing half-made is left."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest

from replication.simulator import paths
from tests.faults import TIMES

ITEMS = ("heel_and_toe/fig01", "heel_and_toe/fig02")


def started(folder, workers=2, limit=None):
    """Another process that draws two items from stand-ins, in a folder of its own but with the kernels of all."""
    kernels = folder / "build" / "kernels"
    if not kernels.is_symlink():
        kernels.parent.mkdir(parents=True)
        kernels.symlink_to(paths.BUILD / "kernels")
    words = [sys.executable, "-m", "replication", "figures", "--only", *ITEMS, "--scale", "quick"]
    variables = {"OUTPUT": str(folder), "OFFLINE": "1", "TRACES": ""}
    return subprocess.Popen(
        [*words, "--workers", str(workers)],
        cwd=paths.ROOT,
        env=os.environ | {f"REPLICATION_{name}": value for name, value in variables.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=limit,
    )


def drawn(folder):
    """All that was drawn, by name; of a record what is not who drew it and when."""
    found = {}
    for path in [*(folder / "build").glob("quick/*/*"), *(folder / "build").glob("stand-in/*/*")]:
        content = path.read_bytes()
        found[path.name] = (
            json.loads(content) | {"run": None} if path.suffix == ".json" else content
        )
    return found


def ended(process, code=0):
    said, _ = process.communicate(timeout=500)
    assert process.returncode == code, said
    assert "Traceback" not in said, said
    return said


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder in which nothing happened to a run, what it drew, and how long it took, s."""
    folder, begun = tmp_path_factory.mktemp("whole"), time.monotonic()
    ended(started(folder))
    found = drawn(folder)
    assert {"fig01.png", "fig02.png", "fig02.csv", "fig02.json"} <= set(found)
    return folder, found, time.monotonic() - begun


def test_what_a_kill_or_a_full_disk_cuts_short_is_drawn_again_as_it_would_have_been(
    tmp_path, whole
):
    _, undisturbed, seconds = whole
    draw = random.Random(11)
    for _ in range(TIMES):
        for _ in range(2):
            process = started(tmp_path)
            time.sleep(seconds * draw.random())
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        assert "File too large" in ended(started(tmp_path, limit=full), 1)
        ended(started(tmp_path))
        assert drawn(tmp_path) == undisturbed
        assert [*tmp_path.rglob("*.part")] == []


def full():
    """From here on no file gets larger than 20,000 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_two_at_once_mend_what_flipped_bits_have_spoilt(whole):
    folder, undisturbed, _ = whole
    draw = random.Random(3)
    for _ in range(TIMES):
        for path in (folder / "build").rglob("*"):
            if path.is_file() and "kernels" not in path.parts:
                content = bytearray(path.read_bytes() or b" ")
                content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
                path.write_bytes(content)
        for process in [started(folder), started(folder, workers=1)]:
            ended(process)
        assert drawn(folder) == undisturbed
        assert [*folder.rglob("*.part")] == []
