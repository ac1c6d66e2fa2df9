"""Text and JSON input, plain or gzipped, and output files that appear only when complete."""

import bz2
import gzip
import io
import itertools
import json
import lzma
import os
import re
import sys
import zlib
from pathlib import Path

from replication_cluster.kinds import HEAD, recognize

MAX_BYTES = 1 << 36  # decompressed
MAX_LINE = 1 << 20  # characters
STANDARD_INPUT = "-"
#: What opens a compressed file, by its first bytes.
_OPEN = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ": lzma.open, b"BZh": bz2.open}
_BLANK = re.compile(r"\s*,?\s*")


class LogError(ValueError):
    """A file that cannot be used; one line with file, place, value and what is allowed."""


def display_name(path):
    """Return the name of an input file for messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def names(paths):
    """Return the name of one or several input files for messages."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{display_name(paths[0])}{more}"


def paths_of(source):
    """Return a path, or several, as a list; ``~`` is the home of the user."""
    paths = [source] if isinstance(source, str | Path) else source
    return [os.path.expanduser(path) for path in paths]


def quoted(value, length=60):
    """Return a value for a message: quoted, escaped, and cut to `length` characters."""
    text = str(value)
    return repr(text if len(text) <= length else f"{text[:length]}... ({len(text):,} characters)")


class _Limited(io.RawIOBase):
    """A binary stream that fails after `MAX_BYTES` bytes."""

    def __init__(self, stream, name):
        self._stream, self._name, self._total = stream, name, 0

    def readable(self):
        return True

    def readinto(self, buffer):
        try:
            data = self._stream.read(len(buffer))
        except EOFError:
            raise LogError(f"{self._name}: the compressed file is truncated") from None
        except (OSError, zlib.error, lzma.LZMAError) as error:
            raise LogError(f"{self._name}: the file is damaged ({error})") from None
        self._total += len(data)
        if self._total > MAX_BYTES:
            raise LogError(f"{self._name}: more than {MAX_BYTES >> 30} GiB decompressed")
        buffer[: len(data)] = data
        return len(data)


def open_text(path, reads, newline=None):
    """Open a text file, compressed or not; ``-`` is standard input. Invalid UTF-8 is replaced.

    Its attribute ``kind`` is the name of its kind (`replication_cluster.kinds.recognize`), or None.

    Parameters
    ----------
    path : str or Path
    reads : sequence of str
        Names of the kinds that are read; a file of no known kind is opened, too.
    newline : str, optional

    Raises
    ------
    LogError
        On opening, for a missing file and one of another kind; while reading, for damaged
        compressed files and excessive size.
    """
    name = display_name(path)
    try:
        raw = sys.stdin.buffer if str(path) == STANDARD_INPUT else open(path, "rb")
    except OSError as error:
        raise LogError(f"{name}: {error.strerror}") from None
    head = raw.peek(8)
    unpack = next((of for begin, of in _OPEN.items() if head.startswith(begin)), None)
    stream = _Limited(unpack(raw) if unpack else raw, name)
    stream = io.BufferedReader(stream, HEAD)
    kind = recognize(stream.peek(HEAD))
    if kind and kind.name not in reads:
        raise LogError(f"{name}: {kind}")
    file = io.TextIOWrapper(stream, "utf-8-sig", "replace", newline)
    file.kind = kind and kind.name
    return file


def lines(file, name):
    """Yield the number, from 1, and the text of each line of an open file that is not blank; `name`
    is for messages.
    """
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise LogError(f"{name}, line {number}: longer than {MAX_LINE:,} characters")
        if not line.isspace():
            yield number, line.rstrip("\n")


def json_records(file, name):
    """Yield the place, the id (or None) and the record of each record of JSON.

    A file has one document or several, such as one a line. A document is a record, a list of them,
    or an object that has them by id or in its ``jobs``. A damaged line is a text, not a record.
    """
    text, decoder, number = file.read().rstrip(), json.JSONDecoder(), 0
    at = _BLANK.match(text).end()
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
            entries = _entries(value)
        except (ValueError, RecursionError) as error:
            if not number:
                raise LogError(f"{name}: {error}; expected JSON") from None
            end = (text.find("\n", at) + 1 or len(text) + 1) - 1
            entries = [(None, text[at:end])]
        at = _BLANK.match(text, end).end()
        for key, record in entries:
            number += 1
            yield f"{name}, record {number}", key, record


def _entries(value):
    """Return the (id, record) pairs of a JSON document."""
    if isinstance(value, dict):
        inner = next((value[key] for key in ("jobs", "Jobs") if key in value), None)
        by_id = value if inner is None else inner
        if isinstance(by_id, dict) and by_id and all(isinstance(v, dict) for v in by_id.values()):
            return [*by_id.items()]
        value = value if inner is None else inner
    return [(None, entry) for entry in (value if isinstance(value, list) else [value])]


def flat(record, prefix=""):
    """Yield the (name, value) pairs of a nested record; nested names have dots."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def at(record, path):
    """Return the value of a nested record at a name with dots, such as ``attempts.-1.end_time``,
    None if there is none; a name within a list gives the values of all its entries.
    """
    first, _, rest = path.partition(".")
    if isinstance(record, dict):
        found = record.get(first)
    elif not isinstance(record, list):
        return None
    elif re.fullmatch("-?[0-9]{1,9}", first):
        k = int(first)
        found = record[k] if -len(record) <= k < len(record) else None
    else:
        values = (at(entry, path) for entry in record)
        lists = (of if isinstance(of, list) else [of] for of in values if of is not None)
        return [*itertools.chain.from_iterable(lists)] or None
    return at(found, rest) if rest and found is not None else found


def check_output(path, *inputs):
    """Raise LogError if `path` is a folder, lies in no folder, is no regular file, or is one of the
    inputs.
    """
    path = Path(path).expanduser()
    if not path.parent.is_dir():
        raise LogError(f"{path}: {path.parent} is no folder")
    if path.exists() and not path.is_file():
        raise LogError(f"{path}: not a regular file")
    for source in paths_of(filter(None, inputs)):
        if path.exists() and Path(source).exists() and path.samefile(source):
            raise LogError(f"{path}: also an input; choose another output")


def write(path, data):
    """Write bytes to a file, gzipped if its name ends in ``.gz``; an existing file is replaced at
    once.
    """
    path = Path(path).expanduser().resolve()
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("xb") as file:  # never through a link that somebody else has put there
            file.write(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
