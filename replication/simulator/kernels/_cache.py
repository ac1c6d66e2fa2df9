"""The folder of compiled code, named by a hash of the kernels' sources.

numba notices a change in a function's own file, but not in a kernel that is called from another;
with this name, a change in any kernel starts a new folder.
"""

import hashlib
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

import numba
from numba.core import caching, event

from replication.simulator import paths

_PREFIX = "kernels-"
_SOURCES = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
_load_index = caching.IndexDataCacheFile._load_index
_NOT_COMPILED = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")  # settings without effect on the code


def set_cache_folder():
    """Point numba, and the processes that this one starts, to the first writable folder."""
    # Settings such as NUMBA_BOUNDSCHECK change the compiled code, which numba's own cache does not
    # notice.
    settings = sorted(
        f"{key}={value}"
        for key, value in os.environ.items()
        if key.startswith("NUMBA_") and key not in _NOT_COMPILED
    )
    identity = "\n".join([sys.version, numba.__version__, *settings]).encode()
    name = _PREFIX + hashlib.sha256(b"\n".join([*_SOURCES, identity])).hexdigest()[:16]
    roots = [paths.BUILD, paths.CACHE]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        inherited = Path(chosen).name.startswith(_PREFIX)
        roots.insert(0, Path(chosen).parent if inherited else Path(chosen))
    folder = next((root / name for root in roots if _is_usable(root / name)), None)
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        print(f"{folder}: compiled kernels are kept here; set NUMBA_CACHE_DIR", file=sys.stderr)
    os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(folder)
    caching.IndexDataCacheFile._load_index = _readable_index
    if multiprocessing.current_process().name == "MainProcess":
        event.register("numba:compile", _Notice())


def _is_usable(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _readable_index(file):
    """Return the index of a function's stored code; an empty one if it cannot be read, so that the
    function is compiled again.

    An index names classes by their modules, which may be gone, or have another name here.
    """
    try:
        return _load_index(file)
    except Exception:
        return {}


class _Notice(event.Listener):
    """Say once, to whoever waits at a terminal or in a notebook, that kernels are compiled."""

    def __init__(self):
        self.is_given = False

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        is_kernel = module.startswith(__package__)  # others take a tenth of a second
        if is_kernel and not self.is_given and (sys.stderr.isatty() or "ipykernel" in sys.modules):
            self.is_given = True
            print("compiling the kernels, once: about 20 s", file=sys.stderr, flush=True)

    def on_end(self, event):
        pass
