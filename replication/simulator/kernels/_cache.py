"""The folder of the compiled kernels, named by a hash of the code in this package.

numba notices a change in a function's own file, but not in a kernel that is called from another;
with this name, a change in any kernel starts a new folder. The hash is taken at import. Docstrings,
comments and blank lines do not enter, neither here nor in what numba compares. Below
``NUMBA_CACHE_DIR``, if that is set, the folder has the same name. In it the code is filed by
module, where numba would file it by the absolute path, so that a checkout that was moved or copied
with its folder ``build`` finds its kernels.
"""

import functools
import hashlib
import os
import pickle
import sys
import tempfile
from pathlib import Path
from types import CodeType

import numba
from numba.core import caching

from replication.simulator import paths

_PREFIX = "kernels-"
_PACKAGE = Path(__file__).resolve().parents[2]


class PackageLocator(caching.UserProvidedCacheLocator):
    """Files the compiled code of this package by the folder of its source inside the package.

    A function is known by its place among the functions of its file, and a file by its code.
    """

    def get_source_stamp(self):
        """Return the hash of the code of the function's file."""
        return _code(self._py_file)[0]

    def get_disambiguator(self):
        """Return the number of the function in its file, from 1."""
        return str(sum(line <= self._lineno for line in _code(self._py_file)[1]))

    @classmethod
    def get_suitable_cache_subpath(cls, py_file):
        """Return the folder of the source inside the package, such as ``simulator.kernels``."""
        return ".".join(Path(py_file).resolve().relative_to(_PACKAGE).parent.parts)

    @classmethod
    def from_function(cls, py_func, py_file):
        """Return the locator of a function of this package; None for others, filed as usual."""
        inside = Path(py_file).resolve().is_relative_to(_PACKAGE)
        return super().from_function(py_func, py_file) if inside else None


@functools.cache
def _code(source):
    """Return a hash of the code of a file without its docstrings,
    and the first lines of its functions.
    """
    digest, lines = hashlib.sha256(), set()

    def add(code):
        consts = [
            sorted(map(repr, one)) if isinstance(one, frozenset) else one  # in no fixed order
            for one in code.co_consts
            if not isinstance(one, CodeType)
        ]
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        facts = code.co_qualname, code.co_flags, code.co_argcount, code.co_exceptiontable
        digest.update(f"{facts} {names} {consts} ".encode() + code.co_code)
        for one in code.co_consts:
            if isinstance(one, CodeType):
                lines.add(one.co_firstlineno)
                add(one)

    add(compile(Path(source).read_bytes(), "", "exec", optimize=2))
    return digest.hexdigest(), lines


def _hash_sources():
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return "\n".join(f"{source.name} {_code(str(source))[0]}" for source in sources)


_KERNEL_HASH = _hash_sources()


class CheckedFile(caching.IndexDataCacheFile):
    """Compiled code with checksums: a damaged file counts as absent."""

    def _dump(self, obj):
        data = super()._dump(obj)
        return hashlib.sha256(data).digest() + data

    def _save_index(self, overloads):
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump((self._version, self._source_stamp, overloads)))

    def _load_index(self):
        try:
            version, stamp, overloads = self._read(self._index_path)
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _load_data(self, name):
        return self._read(self._data_path(name))

    def _read(self, path):
        content = Path(path).read_bytes()
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            raise OSError(f"{path}: damaged")
        return pickle.loads(content[32:])  # as numba does, and with a checksum


def _cache_file(cache_path, *given, **named):
    """Return the files of a function's compiled code, with checksums in our folder."""
    ours = Path(cache_path).is_relative_to(numba.config.CACHE_DIR or os.devnull)
    return (CheckedFile if ours else CheckedFile.__base__)(cache_path, *given, **named)


def set_cache_folder():
    """Point numba, and the processes that this one starts, to the first writable folder."""
    # Settings such as NUMBA_BOUNDSCHECK change the compiled code, which numba's own cache does not
    # notice.
    settings = sorted(
        f"{key}={value}"
        for key, value in os.environ.items()
        if key.startswith("NUMBA_") and key not in ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
    )
    identity = "\n".join([_KERNEL_HASH, sys.version, numba.__version__, *settings])
    name = _PREFIX + hashlib.sha256(identity.encode()).hexdigest()[:16]
    roots = [paths.BUILD, paths.CACHE]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        inherited = Path(chosen).name.startswith(_PREFIX)
        roots.insert(0, Path(chosen).parent if inherited else Path(chosen))
    folder = next((root / name for root in roots if _is_usable(root / name)), None)
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        print(f"{folder}: compiled kernels are kept here; set NUMBA_CACHE_DIR", file=sys.stderr)
    os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = str(folder)
    if not numba.config.CACHE_LOCATOR_CLASSES:
        usual = [kind.__name__ for kind in caching.CacheImpl._locator_classes]
        own = f"{__name__}.{PackageLocator.__name__}"
        numba.config.CACHE_LOCATOR_CLASSES = ",".join([own, *usual])
        caching.IndexDataCacheFile = _cache_file


def _is_usable(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
