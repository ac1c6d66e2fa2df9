"""Files as they come: plain or gzipped, by name, through a pipe or on standard input, in pieces and within limits."""

import gzip
import sys
import zlib
from contextlib import nullcontext

import numpy as np

PIECE = 1 << 18  # bytes read at once
LONGEST_LINE = 1 << 20  # bytes
MOST_BLANK = 1_000_000  # lines with nothing in them
MOST_BYTES = 1 << 36  # decompressed
# Decompressed to packed; logs have 5 to 30, what is made to fill a memory has 1000.
MOST_RATIO = 200
FREE_BYTES = 1 << 26  # decompressed, up to which the ratio does not matter
STANDARD_INPUT = "-"

_WIDE = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"
_SHOWN = 60  # characters of a value in a message


def shown(value, most=_SHOWN):
    """A value for a message: quoted, control characters escaped, long ones shortened."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)")


def called(path):
    """What a file is called in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def pieces(path, error):
    """The decompressed content of a file in pieces: a file, a pipe, or ``-`` for standard input;
    gzipped or not, whatever its name. `error` is raised, in one line that names the file, for a
    damaged or truncated gzip, text in UTF-16 or with carriage returns for line ends, and more
    bytes than `MOST_BYTES` or `MOST_RATIO` allows.
    """
    name, lines, total = called(path), 0, 0
    standard = str(path) == STANDARD_INPUT
    with nullcontext(sys.stdin.buffer) if standard else open(path, "rb") as file:
        packed = _Counted(file) if file.peek(1)[:1] == b"\x1f" else None
        unpacked = gzip.GzipFile(fileobj=packed) if packed else file
        while True:
            try:
                piece = unpacked.read(PIECE)
            except EOFError:
                raise error(f"{name}, after line {lines}: the gzip is truncated") from None
            except (gzip.BadGzipFile, zlib.error) as damage:
                raise error(f"{name}, after line {lines}: the gzip is damaged ({damage})") from None
            if not piece:
                return
            if total == 0:
                _refuse_other_text(name, piece, error)
            total += len(piece)
            if total > MOST_BYTES:
                raise error(f"{name}: more than {MOST_BYTES >> 30} GiB; allowed: up to that")
            if packed and total > max(FREE_BYTES, MOST_RATIO * packed.count):
                raise error(
                    f"{name}: {total / packed.count:,.0f} times as large decompressed; "
                    f"allowed: up to {MOST_RATIO} times"
                )
            lines += line_ends(piece)
            yield piece


def line_ends(text):
    """How many line feeds there are: `bytes.count` takes ten times as long where lines are short."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))


def lines(path, error):
    """The lines of a file that are not blank, as text without their ends, with their numbers from 1; see `pieces`."""
    rest, number, blank = b"", 0, 0
    for piece in pieces(path, error):
        piece = piece.removeprefix(_MARK) if number == 0 and not rest else piece
        *whole, rest = (rest + piece).split(b"\n")
        for number, line in enumerate(whole, number + 1):
            if line and not line.isspace():
                yield number, line.rstrip(b"\r").decode("utf-8", "replace")
                continue
            blank += 1
            if blank > MOST_BLANK:
                raise error(
                    f"{called(path)}, line {number}: more than {MOST_BLANK:,} blank lines; allowed: up to that"
                )
        if len(rest) > LONGEST_LINE:
            raise error(
                f"{called(path)}, line {number + 1}: longer than {LONGEST_LINE:,} bytes; "
                "allowed: up to that"
            )
    if rest and not rest.isspace():
        yield number + 1, rest.rstrip(b"\r").decode("utf-8", "replace")


class _Counted:
    """A file that counts the bytes read from it, for pipes do not tell."""

    def __init__(self, file):
        self._file, self.count = file, 0

    def read(self, size=-1):
        found = self._file.read(size)
        self.count += len(found)
        return found


def _refuse_other_text(name, text, error):
    """Refuse what is no text of single bytes in lines, by its beginning."""
    wide = len(text) >= 8 and any(
        all(text[:8][a::2]) and not any(text[:8][b::2]) for a, b in ((0, 1), (1, 0))
    )
    if text[:2] in _WIDE or wide:
        raise error(f"{name}: text in UTF-16; allowed: UTF-8, so save it as that")
    if b"\n" not in text and b"\r" in text[:-1]:
        raise error(
            f"{name}: lines end with carriage returns alone (CR); allowed: line feeds (LF or CRLF)"
        )
