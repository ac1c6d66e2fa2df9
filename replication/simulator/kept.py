"""Results that are computed once: each task's rows, found again by a hash of all they depend on.

What a task finds depends on the task alone, so tasks may run in any order, on any number of workers, in
threads or on other machines; and a run that was stopped goes on where it was.

Results lie one behind the other in few files. Each is a record: a head (task's key, length, checksums) and the
rows as a compressed Arrow stream. A record is appended by one process alone, which holds a lock on the file,
so two runs at once write to two files. A record that a killed run left unfinished is cut off. One that is not
what its checksums say is named, its file is set aside, and its task is computed again.
"""

import contextlib
import errno
import fcntl
import functools
import hashlib
import itertools
import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa

from replication.simulator import engines, paths, writing

RESULTS = paths.BUILD / "results"
ENDING = ".kept"
LARGEST = 256 << 20  # bytes of a file that is still appended to
AT_ONCE = 10_000  # results that are read in one go
_FILE = b"replication kept results 1\n"
_MAGIC = b"\x89KEPT\r\n\n"
_HEAD = struct.Struct("<8s32sQ32s")  # magic, key, length, sha256 of key and rows
_CHECK = 16  # bytes of the head's own sha256, behind it
HEAD = _HEAD.size + _CHECK  # bytes in front of the rows
_END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)


class Kept:
    """The results in a folder.

    Parameters
    ----------
    folder : str or pathlib.Path
        Made if it is not there. If nothing can be written to it, that is said, and new results are not kept.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self._places = {}  # places of a key's records, as (descriptor, offset, length, sha256)
        self._open = {}  # path of each file by its descriptor
        self._bad = {}  # descriptors of files to set aside, and how many results are lost with each
        self._end = None  # descriptor of the file that is appended to, locked
        self._writable = True
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._writable = os.access(self.folder, os.W_OK)
        except OSError as error:
            if error.errno not in _NOT_OURS:
                raise
            self._writable = False
        if not self._writable:
            writing.tell(f"{self.folder}: cannot be written to; new results are not kept")
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            with contextlib.suppress(FileNotFoundError):  # set aside by another process
                self._read(path)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        for descriptor in {*self._open, self._end} - {None}:
            os.close(descriptor)
        self._open, self._end, self._places = {}, None, {}

    def get(self, key):
        """A task's rows.

        Parameters
        ----------
        key : str
            64 hexadecimal digits.

        Returns
        -------
        bytes or None
            As `packed` gives them.
        """
        places = self._places.get(bytes.fromhex(key), [])
        for place in [*places]:
            rows = _whole(bytes.fromhex(key), *place)
            if rows is not None:
                return rows
            places.remove(place)
            self._bad[place[0]] = self._bad.get(place[0], 0) + 1
        return None

    def put(self, key, rows):
        """Keep a task's rows.

        Parameters
        ----------
        key : str
        rows : bytes
            From `packed`.
        """
        if not self._writable:
            return
        if self._end is None:
            self._end = self._claim()
        _append(self._end, _record(bytes.fromhex(key), rows))

    def set_aside(self):
        """Set files with bad results aside and keep their good ones; say so in a line for each."""
        for descriptor, lost in self._bad.items():
            path = self._open[descriptor]
            what = f"{lost} damaged {'result' if lost == 1 else 'results'}" if lost else "damaged"
            aside = None
            if self._writable:
                with contextlib.suppress(FileNotFoundError):
                    aside = self._replace_by_good_ones(descriptor, path)
            where = f"set aside as {aside.name}" if aside else "left as it is"
            writing.tell(f"{path}: {what}; {where}, and computed again")
        self._bad = {}

    def _read(self, path):
        """Note where the records of a file are."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._open[descriptor] = path
        found = _scan(descriptor)
        for key, *place in found.records:
            self._places.setdefault(key, []).append((descriptor, *place))
        if found.bad:
            self._bad[descriptor] = 0
        elif found.cut and self._writable and _lock(descriptor):
            # Nobody writes to it now, so nobody will finish it.
            writing.tell(f"{path}: the last result was cut off; it is computed again")
            os.truncate(path, found.end)
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _claim(self):
        """A file to append to, locked: one that nobody appends to, or a new one."""
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            with contextlib.suppress(OSError):
                descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
                if _lock(descriptor) and _is_at(descriptor, path):
                    found = _scan(descriptor)
                    if not found.bad and found.end < LARGEST:
                        os.ftruncate(descriptor, found.end)
                        return descriptor
                os.close(descriptor)
        return self._new([])

    def _new(self, records):
        """A new file that holds some records, open and locked."""
        with writing.claimed(self.folder) as (descriptor, partial):
            for piece in itertools.chain([_FILE], records):
                _append(descriptor, piece)
            for number in itertools.count(1):
                with contextlib.suppress(FileExistsError):
                    os.link(partial, self.folder / f"{number:03}{ENDING}")
                    break
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
            return descriptor

    def _replace_by_good_ones(self, descriptor, path):
        """Where a file went; None where another process writes to it, or has set it aside already."""
        if not (_lock(descriptor) and _is_at(descriptor, path)):
            return None
        good = (
            (key, rows)
            for key, *place in _scan(descriptor).records
            if (rows := _whole(key, descriptor, *place)) is not None
        )
        first = next(good, None)
        if first is not None:
            os.close(self._new(_record(*one) for one in itertools.chain([first], good)))
        for number in itertools.count(1):
            aside = path.with_name(f"{path.name}.damaged{number if number > 1 else ''}")
            if not aside.exists():
                path.rename(aside)
                return aside


class _Scan:
    """What a file holds, by its heads alone."""

    def __init__(self):
        self.records = []  # (key, offset of the rows, their length, sha256 of key and rows)
        self.end = 0  # behind the last record
        self.bad = self.cut = False


def _scan(descriptor):
    found, size = _Scan(), os.fstat(descriptor).st_size
    if os.pread(descriptor, len(_FILE), 0) != _FILE:
        found.bad = True
    at = found.end = len(_FILE)
    while at < size:
        head = os.pread(descriptor, HEAD, at)
        if len(head) < HEAD and _MAGIC.startswith(head[: len(_MAGIC)]):
            found.cut = True
            break
        if not _is_head(head):
            found.bad = True
            next_one = os.pread(descriptor, size - at, at).find(_MAGIC, 1)
            if next_one < 0:
                break
            at += next_one
            continue
        _, key, length, checksum = _HEAD.unpack_from(head)
        if at + HEAD + length > size:
            found.cut = True
            break
        found.records.append((key, at + HEAD, length, checksum))
        at = found.end = at + HEAD + length
    return found


def _is_head(head):
    return (
        len(head) == HEAD
        and head.startswith(_MAGIC)
        and hashlib.sha256(head[: _HEAD.size]).digest()[:_CHECK] == head[_HEAD.size :]
    )


def _record(key, rows):
    head = _HEAD.pack(_MAGIC, key, len(rows), hashlib.sha256(key + rows).digest())
    return head + hashlib.sha256(head).digest()[:_CHECK] + rows


def _whole(key, descriptor, offset, length, checksum):
    """Rows as they lie in a file; None where they are not what the head says."""
    rows = os.pread(descriptor, length, offset)
    return rows if hashlib.sha256(key + rows).digest() == checksum else None


def _append(descriptor, data):
    """Append all of some bytes, or nothing."""
    before = os.fstat(descriptor).st_size
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except BaseException:
        os.ftruncate(descriptor, before)
        raise


def _lock(descriptor):
    """Whether this process now is the only one that may append; not where there are no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_at(descriptor, path):
    return os.path.samestat(os.fstat(descriptor), os.stat(path))


def packed(columns):
    """Rows as they are kept: a compressed Arrow stream.

    Parameters
    ----------
    columns : dict of str to list

    Returns
    -------
    bytes
    """
    table = pa.table([_array(values) for values in columns.values()], names=[*columns])
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as file:
        file.write_table(table)
    return zlib.compress(stream.getvalue(), 1)


def _array(values):
    """As pa.array, which takes ten times as long for a few numbers."""
    column = np.array(values) if len(values) and isinstance(values[0], int | float) else None
    if column is None or column.dtype.char not in "ld":  # logical values too, and some missing
        return pa.array(values)
    kind = pa.float64() if column.dtype.char == "d" else pa.int64()
    return pa.Array.from_buffers(kind, len(column), [None, pa.py_buffer(column)], 0)


def unpacked(rows):
    """Tables of rows that were `packed`.

    Parameters
    ----------
    rows : iterable of bytes

    Returns
    -------
    list of pyarrow.Table
        In their order, each of many rows that have the same columns.
    """
    found, schema, joined = [], b"", []
    for stream in map(zlib.decompress, rows):
        if not joined or len(joined) > AT_ONCE or not stream.startswith(schema):
            found += _joined(schema, joined)
            schema, joined = pa.ipc.open_stream(stream).schema.serialize().to_pybytes(), []
        joined.append(stream[len(schema) : -len(_END)])
    return found + _joined(schema, joined)


def _joined(schema, batches):
    """One table of many streams, which takes a tenth of the time of one table each."""
    if not batches:
        return []
    whole = b"".join((schema, *batches, _END))
    return [pa.ipc.open_stream(whole).read_all().combine_chunks()]


def computed(compute, task):
    """What `compute` gives for a task, `packed`: done where the task runs."""
    return packed(compute(task))


def results(tasks, compute, workers=1, engine=None, folder=RESULTS, progress=None):
    """Run tasks, or read what was found before.

    Parameters
    ----------
    tasks : iterable
        Hashable, each with a `key` (64 hexadecimal digits, or None where it is never kept) and `jobs` (how much
        work it is).
    compute : Callable
        ``compute(task)`` returns its rows as a dict of str to list, plain data.
    workers : int
        Threads or processes; threads do, where compiled loops let go of the interpreter's lock.
    engine : str or concurrent.futures.Executor, optional
        Where to run, see `replication.simulator.engines.opened`; by default what ``REPLICATION_ENGINE`` says, or threads.
    folder : pathlib.Path, optional
        Where results are kept; nowhere for None.
    progress : bool, optional
        False to say nothing of how far it is, see `replication.simulator.engines.computed`.

    Returns
    -------
    list of pyarrow.Table
        The rows in the order of the tasks; tables follow one another where columns change.

    Raises
    ------
    EngineError, SetAside
        For an engine that does not exist; and for tasks that cannot be run, once all others are kept.
    """
    tasks = list(tasks)
    keys = {task: None if folder is None else task.key for task in tasks}
    with contextlib.ExitStack() as stack:
        kept = stack.enter_context(Kept(folder)) if any(keys.values()) else None
        found = {task: kept.get(key) if key else None for task, key in keys.items()}
        if kept:
            kept.set_aside()
        missing = [task for task, rows in found.items() if rows is None]
        if missing:
            named = engine or os.environ.get(engines.NAMED_BY) or "threads"
            opened = stack.enter_context(engines.opened(named, workers))
            pack = functools.partial(computed, compute)
            for task, rows in engines.computed(missing, pack, opened, progress):
                found[task] = rows
                if keys[task]:
                    kept.put(keys[task], rows)
    return unpacked(found[task] for task in tasks)


def run(tasks, compute, *others, **how):
    """What `results` gives as one table.

    Returns
    -------
    pandas.DataFrame
        The rows in the order of the tasks.
    """
    found = results(tasks, compute, *others, **how)
    return pa.concat_tables(found, promote_options="permissive").to_pandas()
