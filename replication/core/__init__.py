"""Compiled kernels: arrays in, arrays out.

numba does not notice that a kernel called from another module changed. So the folder its compiled code is
kept in is named by a hash of every kernel source, numba and Python: a change anywhere starts a fresh folder.
This has to be settled before numba is imported, hence here, and without importing numba.
"""

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import time
from pathlib import Path

from replication.basics import paths

KEPT_FOLDERS = 3
_HOUR = 3600
_COMPILES = re.compile(rb"^(from|import) (numba|replication\.core\.uncounted)\b", re.MULTILINE)


@functools.cache
def kernel_hash():
    """Hash of the kernel sources, for provenance and for the keys of cached results.

    Returns
    -------
    str
        sha256, in hexadecimal, of the names and the bytes of all sources in this folder, and of those
        elsewhere in the package that compile anything.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        if source.parent == Path(__file__).parent or _COMPILES.search(content):
            name = source.relative_to(package).as_posix()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _folder_name():
    # Settings such as NUMBA_BOUNDSCHECK change the compiled code; numba's own cache does not look at them.
    settings = sorted(
        f"{key}={value}"
        for key, value in os.environ.items()
        if key.startswith("NUMBA_") and key != "NUMBA_CACHE_DIR"
    )
    numba = Path(importlib.util.find_spec("numba").origin).parent / "_version.py"
    identity = "\n".join([kernel_hash(), sys.version, *settings]).encode() + numba.read_bytes()
    return hashlib.sha256(identity).hexdigest()[:16]


def _parents():
    """Places for kernel folders: the checkout, or the user's cache where that is read-only."""
    yield paths.BUILD / "kernels"
    import platformdirs

    yield platformdirs.user_cache_path("replication") / "kernels"


def _remove_old(parent):
    # A folder used within the hour may belong to a process that still compiles into it.
    used = {folder: folder.stat().st_mtime for folder in parent.iterdir() if folder.is_dir()}
    for folder in sorted(used, key=used.get, reverse=True)[KEPT_FOLDERS:]:
        if time.time() - used[folder] > _HOUR:
            shutil.rmtree(folder, ignore_errors=True)


def _point_numba_here():
    # A folder of ours, inherited from the process that started this one, may be that of older sources.
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen and Path(chosen).parent.name != "kernels":
        return
    for parent in _parents():
        folder = parent / _folder_name()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
            _remove_old(parent)
        except OSError:
            continue
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
        if "numba" in sys.modules:
            sys.modules["numba"].config.CACHE_DIR = str(folder)
        return


_point_numba_here()
