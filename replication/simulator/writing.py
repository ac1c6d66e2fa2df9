"""Write files: complete or not at all, and never over an input."""

import contextlib
import errno
import gzip
import math
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from replication.simulator.errors import InputError

STANDARD_OUTPUT = "-"
#: Significant digits of a number in a result, and the largest number that counts as 0.
DIGITS, NOTHING = 9, 1e-10


class OutputError(InputError):
    """An output that is an input or no regular file; the message names it."""


def check(target: str | os.PathLike, inputs: Iterable[str | os.PathLike] = ()) -> None:
    """Raise for an unusable output before any work is done; ``-`` is standard output.

    Raises
    ------
    OutputError
        For one of the inputs, under any name, and for anything but a regular file.
    OSError
        For a folder, or a file in a folder that does not exist.
    """
    target = Path(target)
    if str(target) == STANDARD_OUTPUT:
        return
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; expected a file", str(target))
    if not Path(os.path.realpath(target)).parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(target))
    if target.exists() and not target.is_file():
        raise OutputError(f"{target}: not a regular file; expected a file, or - (standard output)")
    for source in inputs:
        if target.is_file() and os.path.exists(source) and os.path.samefile(target, source):
            raise OutputError(f"{target}: is the input {source}; expected another file")


@contextlib.contextmanager
def open_output(target: Any, inputs: Iterable[str | os.PathLike] = ()) -> Iterator[BinaryIO]:
    """Open an output for writing bytes; it replaces `target` when the block ends without an error.

    ``-`` is standard output, and an open binary file is used as it is. The content of a name that
    ends in ``.gz`` is compressed, without a date, so that equal outputs are equal files. Errors are
    those of `check`.
    """
    if hasattr(target, "write"):
        yield target
        return
    check(target, inputs)
    if str(target) == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    final = Path(os.path.realpath(target))
    if final.exists() and not os.access(final, os.W_OK):
        raise PermissionError(errno.EACCES, "Permission denied", str(target))
    descriptor, partial = tempfile.mkstemp(".part", f".{final.name}.", final.parent)
    try:
        with open(descriptor, "wb") as file:
            if final.suffix == ".gz":
                with gzip.GzipFile("", "wb", 6, file, 0) as packed:
                    yield packed
            else:
                yield file
        os.umask(mask := os.umask(0))
        os.chmod(partial, final.stat().st_mode if final.exists() else 0o666 & ~mask)
        os.replace(partial, final)
    except BaseException as error:
        Path(partial).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:  # no space left, for instance
            error.filename = str(target)
        raise


def write(target: str | os.PathLike, data: bytes) -> None:
    """Write bytes to a file; create its folder if necessary."""
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    with open_output(target) as file:
        file.write(data)


def report(line: str) -> None:
    """Print a message on standard error."""
    print(f"replication: {line}", file=sys.stderr, flush=True)


def rounded(value: Any) -> Any:
    """Return a real number as results are written; anything else as it is, parts of lists one by
    one.

    The last bits of a number depend on the processor: vectorised logarithms differ there, and sums
    of a linear algebra library have an order of their own. So a number has `DIGITS` significant
    digits, a whole number all of them, and what is left of a difference of two equal numbers,
    `NOTHING` or less, is 0.
    """
    if isinstance(value, tuple | list):
        return type(value)(map(rounded, value))
    if not isinstance(value, float) or not math.isfinite(value) or value.is_integer():
        return value
    return 0.0 if abs(value) <= NOTHING else float(f"{value:.{DIGITS}g}")


def frame_csv(frame: pd.DataFrame) -> bytes:
    """Return a table as CSV without its index; numbers are exact."""
    return frame.to_csv(index=False, lineterminator="\n").encode()
