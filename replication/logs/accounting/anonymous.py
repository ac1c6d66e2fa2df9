"""Names made anonymous with a keyed hash: the same key gives the same numbers in every log.

Whoever lacks the key cannot tell which number is whose, not even with a list of all names to try.
"""

import hashlib
import hmac
import secrets
from pathlib import Path

from replication.basics import writing

BITS = 48  # a collision among 100,000 names has a chance of 1 in 56,000, and is found
KEY_BYTES = 32


class AnonymousError(ValueError):
    """A key that cannot be used, or two names that it gives one number."""


class Anonymiser:
    """Gives numbers for names.

    Parameters
    ----------
    key : bytes, optional
        At least 16 bytes; by default drawn at random and kept by nobody.

    Raises
    ------
    AnonymousError
        If the key is shorter.
    """

    def __init__(self, key=None):
        self._key = secrets.token_bytes(KEY_BYTES) if key is None else key
        if len(self._key) < 16:
            raise AnonymousError(f"the key has {len(self._key)} bytes, allowed: 16 or more")
        self._numbers, self._names = {}, {}

    def number(self, kind, name):
        """The number of a name.

        Parameters
        ----------
        kind : str
            What is named, such as ``user``: a user and a group of one name get different numbers.
        name : str

        Returns
        -------
        int
            From 0 to 2**48 - 1; -1 for an empty name.

        Raises
        ------
        AnonymousError
            If another name of this kind has the number already.
        """
        if not name:
            return -1
        known = self._numbers.get((kind, name))
        if known is not None:
            return known
        digest = hmac.new(self._key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
        number = int.from_bytes(digest[: BITS // 8], "big")
        if self._names.setdefault((kind, number), name) != name:
            raise AnonymousError(
                f"the key gives two names of kind {kind!r} the number {number}; use another key"
            )
        self._numbers[kind, name] = number
        return number


def key_from(path):
    """The key in a file; a file that does not exist is made with a random one, readable by its owner only.

    Of processes that want the same new file at the same time, one makes it and all use its key.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    bytes

    Raises
    ------
    AnonymousError
        If the file holds fewer than 16 bytes.
    """
    path = Path(path)
    if not path.exists():
        writing.create(path, f"{secrets.token_hex(KEY_BYTES)}\n".encode())
    key = path.read_bytes().strip()
    if len(key) < 16:
        raise AnonymousError(f"{path}: the key has {len(key)} bytes, allowed: 16 or more")
    return key
