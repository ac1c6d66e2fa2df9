"""The one way in which anything here writes a file.

A regular file, or the one that a link leads to, is replaced whole: its name never stands for half of what was
to be written. What is not a regular file (a device, a pipe, standard output) is written through. The hidden
file that is written first is locked, so that what a killed run left behind can be told from what is being
written, and is removed by the next run that writes in that folder.
"""

import contextlib
import csv
import errno
import fcntl
import functools
import io
import os
import re
import secrets
import stat
import sys
from pathlib import Path

STANDARD_OUTPUT = "-"
_PARTIAL = re.compile(r"\.replication-[0-9a-f]{16}\.part")
_DESCRIPTORS = re.compile(r"/proc/\d+(/task/\d+)?/fd")

#: What a spreadsheet would take for a formula: all but a number, and a number followed by words.
_FORMULA = re.compile(
    r"[=@\t\r]|[+-](?!(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?( ?%)?( [\w\s().,%+-]*)?$)", re.IGNORECASE
)


class OutputError(ValueError):
    """An output that would destroy an input; the message names it."""


def check(target, inputs=()):
    """Refuse an output that cannot be meant, before any work is done.

    Parameters
    ----------
    target : str or pathlib.Path
        ``-`` is standard output.
    inputs : iterable of str or pathlib.Path
        Files that are read; those that do not exist are ignored.

    Raises
    ------
    OutputError
        If `target` is one of the inputs and a regular file, under whatever name.
    OSError
        If it is a folder, or in a folder that does not exist.
    """
    if str(target) == STANDARD_OUTPUT:
        return
    target = Path(target)
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, "is a folder; allowed: the name of a file", str(target)
        )
    if not target.exists() and not _followed(target).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(target))
    for source in inputs:
        if target.is_file() and os.path.exists(source) and os.path.samefile(target, source):
            raise OutputError(f"{target}: is read as {source}; allowed: to write to another file")


@contextlib.contextmanager
def opened(target, inputs=()):
    """A binary file to write an output to.

    Parameters
    ----------
    target : str, pathlib.Path or binary file
        ``-`` is standard output; a file is written to as it is.
    inputs : iterable of str or pathlib.Path
        What `target` must not be, see `check`.

    Yields
    ------
    binary file

    Raises
    ------
    OutputError, OSError
        As `check`; and where the writing fails. The error names `target`, which is as it was before.
    """
    if hasattr(target, "write"):
        yield target
        return
    check(target, inputs)
    if str(target) == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    with _naming(target):
        through = _through(Path(target))
        if through is not None:
            with open(through, "wb") as file:
                yield file
            return
        final = _followed(target)
        _may_replace(final)
        with claimed(final.parent) as (descriptor, partial), open(descriptor, "wb") as file:
            with contextlib.suppress(OSError):
                os.fchmod(descriptor, stat.S_IMODE(final.stat().st_mode))
            yield file
            file.flush()
            os.fsync(descriptor)
            os.replace(partial, final)


@contextlib.contextmanager
def _naming(target):
    """Failures name what the person named, not the hidden file; and a full disk names nothing by itself."""
    try:
        yield
    except OSError as error:
        hidden = error.filename is None or _PARTIAL.fullmatch(os.path.basename(str(error.filename)))
        if error.errno and hidden:
            error.filename, error.filename2 = str(target), None
        raise


def write(target, data, inputs=()):
    """Write some bytes; a folder that is not there is made.

    Parameters
    ----------
    target : str or pathlib.Path
    data : bytes
    inputs : iterable of str or pathlib.Path
        What `target` must not be, see `check`.
    """
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    with opened(target, inputs) as file:
        file.write(data)


def create(path, data, mode=0o600):
    """Write a file that is not there yet; the first of several processes at once makes it.

    Parameters
    ----------
    path : str or pathlib.Path
    data : bytes
    mode : int
        Who may read it.

    Returns
    -------
    bool
        Whether it was made; False where there was one, which is left as it is.
    """
    with claimed(_followed(path).parent) as (descriptor, partial), open(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)
        file.write(data)
        file.flush()
        os.fsync(descriptor)
        try:
            os.link(partial, path)
        except FileExistsError:
            return False
    return True


def tell(line):
    """Say a line to the person at the terminal, aside of what a command prints."""
    print(f"replication: {line}", file=sys.stderr, flush=True)


def as_text(cell):
    """A cell of a table such that no spreadsheet takes it for a formula.

    Parameters
    ----------
    cell : object

    Returns
    -------
    object
        Text that would be a formula with an apostrophe in front, all else as it is.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def csv_bytes(columns, rows):
    """A table as CSV with plain line ends, its text safe in a spreadsheet.

    Parameters
    ----------
    columns : iterable of str
    rows : iterable of iterable

    Returns
    -------
    bytes
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([as_text(name) for name in columns])
    table.writerows([as_text(cell) for cell in row] for row in rows)
    return text.getvalue().encode()


def frame_csv(frame):
    """A data frame as CSV without its index; a number reads back as the same number.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    bytes
    """
    changed = {}
    for name in frame.select_dtypes(exclude="number"):
        safe = frame[name].map(as_text)
        if not safe.equals(frame[name]):
            changed[name] = safe
    safe = frame.assign(**changed).rename(columns=as_text)
    return safe.to_csv(index=False, lineterminator="\n").encode()


def _followed(target):
    """Where a link leads to, also one to a file that is not there yet."""
    return Path(os.path.realpath(target))


def _through(target):
    """What to open where `target` is not to be replaced: its name, or the descriptor it stands for."""
    try:
        there = os.stat(target)
    except FileNotFoundError:
        return None
    # /dev/stdout, /dev/fd/3: the file may be a regular one, but it is the shell that has opened it.
    if _DESCRIPTORS.fullmatch(os.path.realpath(target.parent)) and target.name.isdigit():
        return os.dup(int(target.name))
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), there):
                return os.dup(descriptor)
    return None if stat.S_ISREG(there.st_mode) else target


def _may_replace(final):
    """A file that cannot be written to is not replaced either."""
    if final.exists() and not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, "Permission denied", str(final))


@contextlib.contextmanager
def claimed(folder):
    """A new hidden file in a folder, whose name goes when the block ends; what it was linked to stays.

    Parameters
    ----------
    folder : pathlib.Path

    Yields
    ------
    descriptor : int
        Open and locked; for the caller to close.
    partial : pathlib.Path
    """
    _clean_once(folder)
    partial = folder / f".replication-{secrets.token_hex(8)}.part"
    descriptor = _create_locked(partial)
    try:
        yield descriptor, partial
    finally:
        partial.unlink(missing_ok=True)


def _create_locked(partial):
    while True:
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)  # another run cleaned it up before it was locked


@functools.cache
def _clean_once(folder):
    """Remove what killed runs left in a folder; once a process is enough."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if _PARTIAL.fullmatch(entry.name)]:
            with contextlib.suppress(OSError):
                _remove_if_unlocked(entry.path)


def _remove_if_unlocked(path):
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(descriptor)
