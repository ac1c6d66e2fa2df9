"""Compiled kernels are read from a folder of one's own, as they were written, or compiled anew."""

import importlib.util
import os
import random
import subprocess
import sys

import numba
import pytest

from replication.simulator import paths
from replication.simulator.kernels import _caching as caching
from tests.faults import TIMES

KERNEL = "from numba import njit\n\n@njit(cache=True)\ndef twice(x):\n    return 2 * x\n"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Imports a kernel afresh, as another process would; the function."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # which numba reads again at times
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    source = tmp_path / "small_kernel.py"
    source.write_text(KERNEL)
    caching._tell_once.cache_clear()

    def fresh():
        spec = importlib.util.spec_from_file_location("small_kernel", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    return fresh


def read_from_cache(function):
    """Whether a function came from its cache file, once it has run."""
    assert function(21) == 42
    return sum(function.stats.cache_hits.values()) == 1


def flipped(content, seed):
    """With one bit that is another."""
    draw = random.Random(seed)
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


BAD = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    **{f"flipped {k}": lambda content, k=k: flipped(content, k) for k in range(TIMES)},
    "foreign": lambda content: b"something else " * 20,
    "without checksum": lambda content: content[:-32],
}


@pytest.mark.parametrize("how", BAD)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_bad_file_is_compiled_anew_in_a_line(kernel, tmp_path, capsys, ending, how):
    assert not read_from_cache(kernel())
    assert read_from_cache(kernel())
    (path,) = tmp_path.rglob(f"*.{ending}")
    path.write_bytes(BAD[how](path.read_bytes()))
    capsys.readouterr()
    assert not read_from_cache(kernel())
    said = capsys.readouterr().err
    assert said == f"replication: {path}: a damaged compiled kernel; it is compiled anew\n"
    assert read_from_cache(kernel())
    assert capsys.readouterr().err == ""


def test_a_full_disk_is_named_and_no_reason_to_stop(kernel, tmp_path, capsys, monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.importlib.import_module("numba.core.caching").os, "replace", full)
    assert not read_from_cache(kernel())
    said = capsys.readouterr().err
    assert "No space left on device; the compiled kernel is not kept" in said
    assert said.count("\n") <= 2


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, monkeypatch, capsys, mode):
    monkeypatch.setattr(caching.paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(caching.platformdirs, "user_cache_path", lambda _: tmp_path / "cache")
    folder = caching._folder()
    assert folder.is_relative_to(tmp_path / "build")
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(mode)
    assert caching._folder().is_relative_to(tmp_path / "cache")
    assert f"{folder}: others can write to it" in capsys.readouterr().err


def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    assert caching.is_private(tmp_path)
    monkeypatch.setattr(caching.os, "geteuid", lambda: os.getuid() + 1)
    assert not caching.is_private(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    monkeypatch.undo()
    assert not caching.is_private(link)


def test_without_any_folder_kernels_run_uncached_and_it_is_said_once(tmp_path):
    """As in a read-only checkout without a home folder; the processes it starts need not say it again."""
    source = tmp_path / "small_kernel.py"
    source.write_text(KERNEL.replace("cache=True", "cache=True, nogil=True"))
    code = f"""
import importlib.util, os, subprocess, sys
from pathlib import Path
from replication.simulator import paths
paths.BUILD = Path("/proc/nowhere")
os.environ["XDG_CACHE_HOME"] = "/proc/nowhere"
import replication.simulator.kernels
spec = importlib.util.spec_from_file_location("replication.small_kernel", {str(source)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.twice(21), "NUMBA_CACHE_DIR" in os.environ)
again = "from replication.simulator import paths; from pathlib import Path; paths.BUILD = Path('/proc/nowhere');"
subprocess.run([sys.executable, "-c", again + "import replication.simulator.kernels"], check=True)
"""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "REPLICATION_"))}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=paths.ROOT, env=clean, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "42 False\n"
    assert done.stderr.count("\n") == 1
    assert "every run compiles them anew" in done.stderr
