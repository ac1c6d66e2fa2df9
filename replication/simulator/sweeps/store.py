"""Stored results: the rows of each task in one SQLite file, under a hash of all they depend on.

Several processes may use one store at the same time. Each entry has a checksum; a damaged entry
counts as missing.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import zlib
from pathlib import Path
from typing import Any

from replication.simulator import paths, writing

RESULTS = paths.BUILD / "results"
FILE = "results.sqlite"
WAIT = 60.0  # s, for another process that writes
_SCHEMA = "create table if not exists results (key text primary key, rows blob, checksum blob)"

Rows = dict[str, list]


class Store(contextlib.AbstractContextManager):
    """The stored results in a folder.

    Parameters
    ----------
    folder : str or pathlib.Path
        Created if necessary. If its file cannot be used, a message reports this, and no results are
        stored.
    """

    def __init__(self, folder: str | os.PathLike):
        self.path = Path(folder).absolute() / FILE
        self.damaged, self._connection = 0, None
        with self._handle_errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connect()

    def _connect(self):
        self._connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        self._connection.text_factory = bytes  # damage may turn a blob into text
        with contextlib.suppress(sqlite3.OperationalError):  # some file systems do not support it
            self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = normal")
        self._connection.execute(_SCHEMA)

    @contextlib.contextmanager
    def _handle_errors(self):
        """Continue without a file that cannot be used; rename one that is no database,
        and begin a new one.
        """
        try:
            yield
        except (OSError, sqlite3.OperationalError, sqlite3.IntegrityError) as problem:
            # no right to write, no locks, or a row that is refused
            reason = getattr(problem, "strerror", None) or problem
            writing.report(f"{self.path}: {reason}; new results are not stored")
            self.close()
        except sqlite3.DatabaseError as problem:
            self.close()
            aside = self.path.with_suffix(".damaged")
            for part in ("-wal", "-shm"):
                Path(f"{self.path}{part}").unlink(missing_ok=True)
            self.path.replace(aside)
            writing.report(
                f"{self.path}: {problem}; renamed to {aside.name}, results are computed again"
            )
            self._connect()

    def close(self) -> None:
        """Close the file; further results are neither read nor stored."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def get(self, key: str) -> Rows | None:
        """Return the rows stored under a key, or None where they are absent or damaged."""
        if self._connection is None:
            return None
        with self._handle_errors():
            entry = self._connection.execute(
                "select rows, checksum from results where key = ?", (key,)
            ).fetchone()
            if entry is None:
                return None
            if isinstance(entry[0], bytes) and _checksum(key, entry[0]) == entry[1]:
                return json.loads(zlib.decompress(entry[0]))
            self.damaged += 1
        return None

    def put(self, key: str, rows: Rows) -> None:
        """Store the rows of a task."""
        if self._connection is None:
            return
        packed = zlib.compress(json.dumps(rows).encode(), 1)
        entry = key, packed, _checksum(key, packed)
        with self._handle_errors():
            self._connection.execute("insert or replace into results values (?, ?, ?)", entry)


def _checksum(key: str, packed: Any) -> bytes:
    return hashlib.sha256(key.encode() + bytes(packed)).digest()
