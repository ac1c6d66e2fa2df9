"""Files of the Parallel Workloads Archive: found on this machine, or fetched and checked before use.

What is known of a file is the hash of its decompressed content, for an archive may pack it anew.
"""

import hashlib
import os
from urllib.parse import urlsplit

from replication.simulator import files, writing

OFFLINE = "REPLICATION_OFFLINE"
TIMEOUTS = 4, 15  # s, to connect and between two pieces
MOST_BYTES = 1 << 28  # of a download


class ArchiveError(ValueError):
    """A file that is not what it should be."""


class Unreachable(ArchiveError):
    """A file that cannot be fetched from here."""


def offline():
    """Whether the network must not be tried (``REPLICATION_OFFLINE`` is set and not 0)."""
    return os.environ.get(OFFLINE, "0") not in ("", "0")


def check(path, sha256):
    """Refuse a damaged gzip, and a file whose decompressed bytes have another hash."""
    digest = hashlib.sha256()
    for piece in files.pieces(path, ArchiveError):
        digest.update(piece)
    if digest.hexdigest() != sha256:
        raise ArchiveError(
            f"{path}: sha256 of the decompressed file is {digest.hexdigest()}, expected {sha256}"
        )


def fetch(address, target, sha256):
    """Fetch a file unless it is there; its final name only ever belongs to a whole and checked
    file. The address begins with ``https://``, and no other host is asked, whatever a
    redirection says. `Unreachable` if the network is switched off, does not answer or leads
    elsewhere; `ArchiveError` for more than `MOST_BYTES` or other content.
    """
    if not address.startswith("https://"):
        raise ArchiveError(f"{address}: allowed: addresses that begin with https://")
    if target.exists():
        check(target, sha256)
        return
    if offline():
        raise Unreachable(f"{OFFLINE} is set")

    target.parent.mkdir(parents=True, exist_ok=True)
    with writing.claimed(target.parent) as (descriptor, partial):
        with open(descriptor, "wb") as file:
            _receive(address, file)
            file.flush()
            try:
                check(partial, sha256)
            except ArchiveError as wrong:
                said = str(wrong).removeprefix(str(partial))
                raise ArchiveError(f"{address}{said}") from None
            os.replace(partial, target)


def _receive(url, file):
    """Write what the server sends."""
    import requests
    import urllib3

    size = 0
    try:
        with (
            _session(url) as session,
            session.get(
                url, headers={"Accept-Encoding": "identity"}, stream=True, timeout=TIMEOUTS
            ) as answer,
        ):
            answer.raise_for_status()
            for piece in answer.raw.stream(files.PIECE, decode_content=False):
                size += len(piece)
                if size > MOST_BYTES:
                    raise ArchiveError(
                        f"{url}: more than {MOST_BYTES >> 20} MiB; allowed: up to that"
                    )
                file.write(piece)
            expected = answer.headers.get("Content-Length", str(size))
            if expected != str(size):
                raise Unreachable(f"{url}: {size} of {expected} bytes came")
    except (requests.RequestException, urllib3.exceptions.HTTPError) as failure:
        raise Unreachable(f"{url}: {_reason(failure)}") from None


def _session(url):
    """A session that can ask the host of `url` by https, and no other."""
    import requests

    session = requests.Session()
    session.mount(f"https://{urlsplit(url).netloc}/", session.adapters["https://"])
    for prefix in ("http://", "https://"):
        session.adapters.pop(prefix)
    return session


def _reason(failure):
    import requests

    if isinstance(failure, requests.Timeout):
        return "no answer in time"
    if isinstance(failure, requests.HTTPError):
        return f"answers {failure.response.status_code}"
    if isinstance(failure, requests.exceptions.InvalidSchema):
        return "leads to another host or away from https"
    return "no connection"
