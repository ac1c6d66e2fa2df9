"""Recognise what kind of file a user has, by its first bytes: one answer for all commands.

``kinds.toml`` in this folder has the kinds, and the command that reads each of them.
"""

import re
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path

HEAD = 1 << 16  # bytes


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Parameters
    ----------
    name : str
        A word, such as ``"sacct"``.
    description : str
    pattern : str
        Regular expression of its first bytes.
    reader : str
        The command that reads it; empty if there is none.
    hint : str
        What to do where there is none.
    binary : bool
        Whether it is no text.
    """

    name: str
    description: str
    pattern: str
    reader: str = ""
    hint: str = ""
    binary: bool = False

    def __str__(self):
        way = f"{self.reader} reads it" if self.reader else "no command reads it"
        return f"{self.description}; {way}{f' ({self.hint})' if self.hint else ''}"


_TABLES = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))["kind"]
KINDS = tuple(FileKind(**table) for table in _TABLES)


def recognize(source: bytes | str | Path) -> FileKind | None:
    """Return the kind of a file, by its first bytes; None if it is of no known kind.

    Parameters
    ----------
    source : bytes, str or pathlib.Path
        The first bytes of the content, decompressed, or the path of a file, gzipped or not.

    Raises
    ------
    OSError
        If the file cannot be opened.
    """
    if not isinstance(source, bytes):
        with open(source, "rb") as file:
            source = file.read(HEAD)
        if source[:2] == b"\x1f\x8b":
            try:
                source = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(source, HEAD)
            except zlib.error:
                return None
    text = source[:HEAD].removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").lstrip(b"\t\n\r ")
    head = text.decode("latin-1")
    return next((kind for kind in KINDS if re.search(kind.pattern, head, re.M | re.S)), None)
