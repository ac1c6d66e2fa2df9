"""Recognise what kind of file a user has, by its first bytes: one answer for all commands.

``kinds.toml`` has the kinds, and the command that reads each of them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from replication.simulator.paths import toml

HEAD = 1 << 16  # bytes


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Parameters
    ----------
    name, description : str
    pattern : str
        Regular expression of its first bytes.
    reader : str
        The command that reads it; empty if there is none.
    hint : str
        What to do where there is none.
    """

    name: str
    description: str
    pattern: str
    reader: str = ""
    hint: str = ""

    def __str__(self):
        way = f"{self.reader} reads it" if self.reader else "no command reads it"
        return f"{self.description}; {way}{f' ({self.hint})' if self.hint else ''}"


KINDS = tuple(Kind(**kind) for kind in toml(Path(__file__).with_name("kinds.toml"))["kind"])


def recognize(content: bytes) -> Kind | None:
    """Return the kind of a file.

    Parameters
    ----------
    content : bytes
        The file, decompressed, of which the first `HEAD` bytes decide.

    Returns
    -------
    Kind or None
        None for no known kind.
    """
    text = content[:HEAD].removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").lstrip(b"\t\n\r ")
    head = text.decode("latin-1")
    return next((kind for kind in KINDS if re.search(kind.pattern, head, re.M | re.S)), None)
