"""Anonymous numbers for the names of users, groups and jobs."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from replication_cluster.files import LogError

KEY_BYTES = 32
NAME_BITS = 48  # two of 100,000 names get the same number with a probability of 1 in 56,000


class Anonymiser:
    """Numbers for names by a keyed hash; the same key gives the same numbers in every log.

    Without the key, nobody can find the name of a number, not even from a list of all names.

    Parameters
    ----------
    key : bytes, optional
        At least 16 bytes; by default random and not kept.
    """

    def __init__(self, key=None):
        self._key = secrets.token_bytes(KEY_BYTES) if key is None else key
        if len(self._key) < 16:
            raise LogError(f"key: {len(self._key)} bytes; expected 16 or more")
        self._numbers = {}

    def number(self, kind, name):
        """Return the number of a name of some kind (user, group, job), below 2**48; -1 for an empty
        name.
        """
        if not name:
            return -1
        if (kind, name) not in self._numbers:
            digest = hmac.new(self._key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
            self._numbers[kind, name] = int.from_bytes(digest[: NAME_BITS // 8], "big")
        return self._numbers[kind, name]


def read_key(path):
    """Return the key in a file; a missing file is created with a random key, readable by its owner
    only.
    """
    path = os.path.expanduser(path)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "wb") as file:
            file.write(f"{secrets.token_hex(KEY_BYTES)}\n".encode())
    key = Path(path).read_bytes().strip()
    if len(key) < 16:
        raise LogError(f"{path}: {len(key)} bytes; expected 16 or more")
    return key
