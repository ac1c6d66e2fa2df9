"""Files of the Parallel Workloads Archive: found on this machine, or fetched and checked before use."""

import contextlib
import fcntl
import gzip
import hashlib
import os
import zlib
from pathlib import Path

OFFLINE = "REPLICATION_OFFLINE"
TIMEOUTS = 4, 15  # s, to connect and between two pieces
_PIECE = 1 << 16


class ArchiveError(ValueError):
    """A file that is not what it should be."""


class Unreachable(ArchiveError):
    """A file that cannot be fetched from here."""


def offline():
    """Whether the network must not be tried (``REPLICATION_OFFLINE`` is set and not 0)."""
    return os.environ.get(OFFLINE, "0") not in ("", "0")


def locate(file, folders):
    """The first of `folders` that holds `file`, gzipped or not.

    Parameters
    ----------
    file : str
        Name ending in ``.gz``.
    folders : iterable of Path

    Returns
    -------
    Path or None
    """
    places = (folder / name for folder in folders for name in (file, file.removesuffix(".gz")))
    return next((place for place in places if place.is_file()), None)


def content_hash(path):
    """sha256, in hexadecimal, of the decompressed bytes of a file, gzipped or not.

    Raises
    ------
    ArchiveError
        If the gzip is truncated or damaged.
    """
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            unpacked = gzip.GzipFile(fileobj=file) if packed else file
            while piece := unpacked.read(_PIECE):
                digest.update(piece)
    except (EOFError, gzip.BadGzipFile, zlib.error) as damage:
        raise ArchiveError(f"{path}: the gzip is damaged ({damage})") from None
    return digest.hexdigest()


def check(path, sha256):
    """Refuse a file whose decompressed bytes have another hash.

    Raises
    ------
    ArchiveError
        Naming the file, the hash found and the one expected.
    """
    found = content_hash(path)
    if found != sha256:
        raise ArchiveError(f"{path}: sha256 of the decompressed file is {found}, expected {sha256}")


def fetch(address, target, sha256):
    """Fetch a file unless it is there; its final name only ever belongs to a whole and checked file.

    What an interrupted transfer left behind (``.part``) is continued. Of processes that want the same
    folder at the same time, one fetches and the others wait.

    Parameters
    ----------
    address : str
        Must begin with ``https://``.
    target : Path
    sha256 : str
        Hash of the decompressed content.

    Raises
    ------
    Unreachable
        If the network is switched off or does not answer.
    ArchiveError
        For another kind of address, or other content than expected.
    """
    if not address.startswith("https://"):
        raise ArchiveError(f"{address}: allowed: addresses that begin with https://")
    if offline() and not target.exists():
        raise Unreachable(f"{OFFLINE} is set")
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(target.parent):
        if target.exists():
            check(target, sha256)
            return
        import pooch

        pooch.get_logger().setLevel("WARNING")
        # pooch's own hash is of the file as it comes, but only that of the content is known.
        pooch.retrieve(
            address,
            known_hash=None,
            fname=target.name,
            path=target.parent,
            downloader=_Resuming(target.name, sha256),
        )


@contextlib.contextmanager
def _alone_in(folder):
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Resuming:
    """A pooch downloader that continues a partial file and hands over only what has the right content."""

    def __init__(self, name, sha256):
        self.name, self.sha256 = name, sha256

    def __call__(self, url, output_file, pooch):
        part = Path(output_file).parent / f"{self.name}.part"
        _receive(url, part)
        try:
            check(part, self.sha256)
        except ArchiveError as wrong:
            part.unlink()
            raise ArchiveError(f"{url}: {wrong}") from None
        os.replace(part, output_file)


def _receive(url, part):
    """Append what is still missing to `part`, or start afresh where the server sends all."""
    import requests
    import urllib3

    done = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    try:
        with (
            _session() as session,
            session.get(url, headers=headers, stream=True, timeout=TIMEOUTS) as answer,
        ):
            if done and answer.status_code == requests.codes.range_not_satisfiable:
                return
            answer.raise_for_status()
            partial = answer.status_code == requests.codes.partial_content
            with open(part, "ab" if partial else "wb") as file:
                for piece in answer.raw.stream(_PIECE, decode_content=False):
                    file.write(piece)
    except (requests.RequestException, urllib3.exceptions.HTTPError) as failure:
        raise Unreachable(f"{url}: {_reason(failure)}") from None


def _session():
    import requests

    session = requests.Session()
    session.adapters.pop("http://")  # not even after a redirection
    return session


def _reason(failure):
    import requests

    if isinstance(failure, requests.Timeout):
        return "no answer in time"
    if isinstance(failure, requests.HTTPError):
        return f"answers {failure.response.status_code}"
    if isinstance(failure, requests.exceptions.InvalidSchema):
        return "leads away from https"
    return "no connection"
