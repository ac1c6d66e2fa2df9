"""Text and JSON input, compressed or not."""

import io
import itertools
import json
import re
from pathlib import Path

import pandas as pd

from replication.simulator.errors import InputError
from replication.simulator.logs.kinds import recognize
from replication.simulator.logs.swf import display_name, read_bytes

#: A step into a nested record: a name, the entry of a list with a value, and the further steps.
_STEP = re.compile(r"([^.\[]*)(?:\[([^\]]*)\])?\.?(.*)", re.DOTALL)
_BLANK = re.compile(r"\s*,?\s*")


class LogError(InputError):
    """A file that cannot be used; one line with file, place, value and what is allowed."""


def names(paths):
    """Return the name of one or several input files for messages."""
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{display_name(paths[0])}{more}"


def paths_of(source):
    """Return a path, or several, as a list; ``~`` is the home of the user, and a folder stands for
    its files, except hidden ones and marks such as ``_SUCCESS``.
    """
    paths = [source] if isinstance(source, str | Path) else source
    paths = [Path(path).expanduser() for path in paths]
    inside = (sorted(path.glob("**/[!._]*")) if path.is_dir() else [path] for path in paths)
    return [str(path) for path in itertools.chain.from_iterable(inside) if not path.is_dir()]


def open_text(path, reads, newline=None):
    """Open a text file, compressed or not; ``-`` is standard input. Invalid UTF-8 is replaced.

    Its attribute ``kind`` is the name of its kind, or None; see
    `replication.simulator.logs.kinds.recognize`.

    Parameters
    ----------
    path : str or Path
    reads : sequence of str
        Names of the kinds that are read; a file of no known kind is opened, too.
    newline : str, optional

    Raises
    ------
    LogError
        For a missing file, a damaged compressed one, one that is too large, and one of another
        kind.
    """
    try:
        data = read_bytes(path, LogError)
    except OSError as error:
        raise LogError(f"{display_name(path)}: {error.strerror}") from None
    kind = recognize(data)
    if kind and kind.name not in reads:
        raise LogError(f"{display_name(path)}: {kind}")
    file = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", "replace", newline)
    file.kind = kind and kind.name
    return file


def lines(file):
    """Yield the number, from 1, and the text of each line of an open file that is not blank."""
    return ((k, line.rstrip("\n")) for k, line in enumerate(file, 1) if not line.isspace())


def json_records(file, name, column=None):
    """Yield the place, the id (or None) and the record of each record of JSON.

    A file has one document or several, such as one a line. A document is a record, which has a
    `column` if one is given, a list of them, or an object that has them by id, in its ``jobs``, by
    columns as pandas writes them, or, in a file of one document, in its only list of objects. A
    damaged line is a text, not a record.
    """
    text, decoder, number = file.read().rstrip(), json.JSONDecoder(), 0
    at = _BLANK.match(text).end()
    while at < len(text):
        try:
            value, end = decoder.raw_decode(text, at)
            whole = not number and not text[end:].strip()
            entries = _entries(value, column, whole)
        except (ValueError, RecursionError) as error:
            if not number:
                raise LogError(f"{name}: {error}; expected JSON") from None
            end = (text.find("\n", at) + 1 or len(text) + 1) - 1
            entries = [(None, text[at:end])]
        at = _BLANK.match(text, end).end()
        for key, record in entries:
            number += 1
            yield f"{name}, record {number}", key, record


def _entries(value, column, whole):
    """Return the (id, record) pairs of a JSON document."""
    if isinstance(value, dict):
        inner = at(value, column) if column else None
        if isinstance(inner, dict | list):
            return [(None, record) for record in pd.DataFrame(value).to_dict("records")]
        if inner is not None:
            return [(None, value)]
        value = next((value[key] for key in ("jobs", "Jobs") if key in value), value)
    if isinstance(value, dict):
        if value and all(isinstance(entry, dict) for entry in value.values()):
            return [*value.items()]
        lists = [of for of in value.values() if isinstance(of, list) and of]
        lists = [of for of in lists if all(isinstance(entry, dict) for entry in of)]
        value = lists[0] if whole and column and len(lists) == 1 else value
    return [(None, entry) for entry in (value if isinstance(value, list) else [value])]


def flat(record, prefix=""):
    """Yield the (name, value) pairs of a nested record; nested names have dots."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def at(record, path):
    """Return the value of a nested record at a name with dots, None if there is none.

    In a list, ``attempts.-1.end_time`` takes an entry by its number,
    ``resources[type=VCPU].value`` the first one with a value, and a name those of all entries.
    """
    if isinstance(record, dict) and path in record:
        return record[path]
    name, choice, rest = _STEP.fullmatch(path).groups()
    if isinstance(record, dict):
        value = record.get(name)
    elif not isinstance(record, list):
        return None
    elif re.fullmatch("-?[0-9]{1,9}", name):
        k = int(name)
        value = record[k] if -len(record) <= k < len(record) else None
    else:
        values = (at(entry, path) for entry in record)
        lists = (of if isinstance(of, list) else [of] for of in values if of is not None)
        return [*itertools.chain.from_iterable(lists)] or None
    if choice:
        key, _, wanted = choice.partition("=")
        entries = value if isinstance(value, list) else [value]
        value = next((entry for entry in entries if str(at(entry, key)) == wanted), None)
    return at(value, rest) if rest and value is not None else value
