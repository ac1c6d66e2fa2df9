"""Anonymous numbers for the names of users, groups and jobs."""

import contextlib
import hashlib
import hmac
import secrets
from pathlib import Path

from replication_cluster.files import LogError

KEY_BYTES, LEAST_BYTES = 32, 16
NAME_BITS = 48  # two of 100,000 names get the same number with a probability of 1 in 56,000


def numbers(key, kind, names):
    """Return numbers for names by a keyed hash; the same key gives the same numbers in every log.

    Without the key, nobody can find the name of a number, not even from a list of all names.

    Parameters
    ----------
    key : bytes, at least 16
    kind : str
        Such as user, group or name.
    names : pandas.Series of str

    Returns
    -------
    pandas.Series of int
        Below 2**48; -1 for empty names.

    Raises
    ------
    LogError
        For a shorter key.
    """
    if len(key) < LEAST_BYTES:
        raise LogError(f"key: {len(key)} bytes; expected {LEAST_BYTES} or more")
    number_of = {"": -1}
    for name in {*names} - {""}:
        digest = hmac.new(key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
        number_of[name] = int.from_bytes(digest[: NAME_BITS // 8], "big")
    return names.map(number_of)


def read_key(path):
    """Return the key in a file; a missing file is created with a random key, readable by its owner
    only.
    """
    if path is None:
        return None
    path = Path(path).expanduser()
    with contextlib.suppress(FileExistsError):
        path.touch(0o600, exist_ok=False)
        path.write_text(f"{secrets.token_hex(KEY_BYTES)}\n")
    key = path.read_bytes().strip()
    if len(key) < LEAST_BYTES:
        raise LogError(f"{path}: {len(key)} bytes; expected {LEAST_BYTES} or more")
    return key
