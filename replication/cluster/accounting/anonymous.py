"""Names made anonymous with a keyed hash: the same key gives the same numbers in every log.

Whoever lacks the key cannot tell which number is whose, not even with a list of all names to try.
"""

import hashlib
import hmac
import secrets
from pathlib import Path

from replication.simulator import writing

BITS = 48  # a collision among 100,000 names has a chance of 1 in 56,000, and is found
KEY_BYTES = 32


class AnonymousError(ValueError):
    """A key that cannot be used, or two names that it gives one number."""


class Anonymiser:
    """Gives numbers for names, by a key of at least 16 bytes; by default one drawn at random and
    kept by nobody.
    """

    def __init__(self, key=None):
        self._key = secrets.token_bytes(KEY_BYTES) if key is None else key
        if len(self._key) < 16:
            raise AnonymousError(f"the key has {len(self._key)} bytes, allowed: 16 or more")
        self._numbers, self._names = {}, {}

    def number(self, kind, name):
        """The number of a name, 0 to 2**48 - 1, or -1 for an empty one. A user and a group of one
        name, which are of another `kind`, get different numbers; two names of a kind with one
        number are refused.
        """
        if not name:
            return -1
        if (kind, name) not in self._numbers:
            digest = hmac.new(self._key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
            number = int.from_bytes(digest[: BITS // 8], "big")
            if self._names.setdefault((kind, number), name) != name:
                raise AnonymousError(
                    f"the key gives two names of kind {kind!r} the number {number}; use another key"
                )
            self._numbers[kind, name] = number
        return self._numbers[kind, name]


def key_from(path):
    """The key in a file; a file that does not exist is made with a random one, readable by its
    owner only.

    Of processes that want the same new file at the same time, one makes it and all use its key.
    """
    path = Path(path)
    if not path.exists():
        writing.create(path, f"{secrets.token_hex(KEY_BYTES)}\n".encode())
    key = path.read_bytes().strip()
    if len(key) < 16:
        raise AnonymousError(f"{path}: the key has {len(key)} bytes, allowed: 16 or more")
    return key
