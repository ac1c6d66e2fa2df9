"""The one way in which anything here writes a file.

A regular file, or the one that a link leads to, is replaced whole: its name never stands for half of what was
to be written. What is not a regular file (a device, a pipe, standard output) is written through. The hidden
file that is written first is locked, so that what a killed run left behind can be told from what is being
written, and is removed by the next run that writes in that folder.
"""

import contextlib
import errno
import fcntl
import functools
import gzip
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
    """Refuse an output that cannot be meant, before any work is done: OutputError for one of the
    inputs and a regular file, under whatever name; OSError for a folder, or in a folder that
    does not exist. Inputs that do not exist are ignored; ``-`` is standard output.
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
    """A binary file to write an output to; ``-`` is standard output, and an open file is written to
    as it is. What goes to a name that ends in ``.gz`` is compressed; it carries no time and no name,
    so that equal outputs are equal files. Errors are those of `check` and of writing: they name
    `target`, which is then as it was before.
    """
    if hasattr(target, "write"):
        yield target
        return
    check(target, inputs)
    packed = str(target).endswith(".gz")
    with (
        _opened(target) as file,
        gzip.GzipFile("", "wb", 6, file, 0) if packed else contextlib.nullcontext(file) as out,
    ):
        yield out


@contextlib.contextmanager
def _opened(target):
    """See `opened`."""
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
        if final.exists() and not os.access(final, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied", str(final))
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


def write(target, data):
    """Write some bytes; a folder that is not there is made."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    with opened(target) as file:
        file.write(data)


def create(path, data):
    """Write a file that is not there yet, for its owner alone to read, and say whether it was made: the
    first of several processes at once makes it, and one that was there is left as it is.
    """
    with claimed(_followed(path).parent) as (descriptor, partial), open(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
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
    """A cell of a table such that no spreadsheet takes it for a formula: text that would be one
    with an apostrophe in front, all else as it is.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def frame_csv(frame):
    """A data frame as CSV with plain line ends and without its index, its text safe in a spreadsheet; a number reads
    back as the same number.
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


@contextlib.contextmanager
def claimed(folder):
    """A new hidden file in a folder: its descriptor, open, locked and for the caller to close, and
    its path. The name goes when the block ends; what it was linked to stays.
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
