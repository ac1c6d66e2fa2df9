"""Where compiled kernels are kept, and what is believed of what lies there.

numba does not notice that a kernel called from another module changed. So the folder its compiled code is
kept in is named by a hash of every kernel source, numba and Python: a change anywhere starts a fresh folder.
This has to be settled before numba is imported. numba's files are pickles of machine code: they are read only
from a folder that nobody else can write to, and only if they end with the checksum of what is in front of it.
"""

import functools
import hashlib
import importlib
import importlib.util
import os
import pickle
import re
import shutil
import stat
import sys
import time
from pathlib import Path

import platformdirs

from replication.simulator import paths, writing

KEPT_FOLDERS = 3
_HOUR = 3600
_COMPILES = re.compile(
    rb"^(from|import) (numba|replication\.simulator\.kernels\.uncounted)\b", re.MULTILINE
)
_CHECKSUM = hashlib.sha256().digest_size
_SAID = (
    "REPLICATION_UNCACHED"  # set for the processes that this one starts: they need not say it again
)


@functools.cache
def kernel_hash():
    """Hash of the kernel sources, for provenance: sha256, in hexadecimal.

    It covers the names and the bytes of all sources in this folder, and of those elsewhere in the package that compile
    anything.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[2]
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        if source.parent == Path(__file__).parent or _COMPILES.search(content):
            name = source.relative_to(package).as_posix()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def settle():
    """Point numba to a folder, and make it check what it reads there; without one, nothing is kept."""
    # A folder of ours, inherited from the process that started this one, may be that of older sources.
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(chosen) if chosen and Path(chosen).parent.name != "kernels" else _folder()
    if folder is not None:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
        if "numba" in sys.modules:
            sys.modules["numba"].config.CACHE_DIR = str(folder)
        caching = importlib.import_module("numba.core.caching")
        caching.IndexDataCacheFile = checked(caching.IndexDataCacheFile)
        return
    os.environ.pop("NUMBA_CACHE_DIR", None)
    if _SAID not in os.environ:
        os.environ[_SAID] = "1"
        writing.tell(
            "no folder to keep compiled kernels in, so every run compiles them anew; "
            "NUMBA_CACHE_DIR can name one"
        )
    dispatcher = importlib.import_module("numba.core.dispatcher").Dispatcher
    dispatcher.enable_caching = _unless_ours(dispatcher.enable_caching)


def _folder():
    """The first folder that can be used; None if there is none."""
    for parent in (paths.BUILD, platformdirs.user_cache_path("replication")):
        folder = parent / "kernels" / _folder_name()
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            if not is_private(folder):
                writing.tell(
                    f"{folder}: others can write to it; compiled kernels there are not used"
                )
                continue
            os.utime(folder)
            _remove_old(folder.parent)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def is_private(folder):
    """Whether a folder (a Path) is this user's own, and nobody else can write to it."""
    found = os.lstat(folder)
    others = stat.S_IWGRP | stat.S_IWOTH
    return (
        stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & others
    )


def checked(base):
    """numba's reader and writer of cache files, with a checksum behind each, which other readers pass over.

    `base` is ``numba.core.caching.IndexDataCacheFile``.
    """

    class Checked(base):
        def _load_index(self):
            return super()._load_index() if _is_whole(self._index_path) else {}

        def _load_data(self, name):
            if not _is_whole(self._data_path(name)):
                raise OSError(f"{name} is not what was written")  # numba compiles anew
            return super()._load_data(name)

        def _save_index(self, overloads):
            index = self._dump((self._source_stamp, overloads))
            self._write(self._index_path, pickle.dumps(self._version, protocol=-1) + index)

        def _save_data(self, name, data):
            self._write(self._data_path(name), self._dump(data))

        def _write(self, path, content):
            try:
                with self._open_for_write(path) as file:
                    file.write(content + hashlib.sha256(content).digest())
            except OSError as error:
                _tell_once(f"{path}: {error.strerror}; the compiled kernel is not kept")

    return Checked


def _is_whole(path):
    """Whether a file ends with the checksum of what is in front; a missing one is not, and that is no news."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return False
    if hashlib.sha256(content[:-_CHECKSUM]).digest() == content[-_CHECKSUM:]:
        return True
    _tell_once(f"{path}: a damaged compiled kernel; it is compiled anew")
    return False


@functools.cache
def _tell_once(line):
    writing.tell(line)


def _unless_ours(enable_caching):
    @functools.wraps(enable_caching)
    def enable(self):
        if self.py_func.__module__.partition(".")[0] != "replication":
            enable_caching(self)

    return enable


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


def _remove_old(parent):
    # A folder used within the hour may belong to a process that still compiles into it.
    used = {folder: folder.stat().st_mtime for folder in parent.iterdir() if folder.is_dir()}
    for folder in sorted(used, key=used.get, reverse=True)[KEPT_FOLDERS:]:
        if time.time() - used[folder] > _HOUR:
            shutil.rmtree(folder, ignore_errors=True)
