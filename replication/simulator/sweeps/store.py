"""Stored results: the rows of each task in one SQLite file, under a hash of everything that they depend on.

Several processes may use one store at the same time. Each entry has a checksum; a damaged entry counts as missing.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import zlib
from pathlib import Path
from typing import Any, Self

from replication.simulator import paths, writing

RESULTS = paths.BUILD / "results"
FILE = "results.sqlite"
WAIT = 60.0  # s, for another process that writes
_SCHEMA = "create table if not exists results (key text primary key, rows blob, checksum blob)"

Rows = dict[str, list]


class Store:
    """The stored results in a folder.

    Parameters
    ----------
    folder : str or pathlib.Path
        Created if necessary. If it is not writable, a message reports this, and new results are not stored.
    """

    def __init__(self, folder: str | os.PathLike):
        self.path = Path(folder).absolute() / FILE
        self.damaged = 0
        self._writable = True
        with self._handle_errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()

    @contextlib.contextmanager
    def _handle_errors(self):
        """Store no new results where nothing can be written; begin a new file where this one is no database."""
        try:
            yield
        except OSError as problem:
            self._give_up(problem.strerror)
        except sqlite3.OperationalError as problem:  # no right to write, or no locks
            self._give_up(problem)
        except sqlite3.DatabaseError as problem:
            self._set_aside(problem)

    def _connect(self):
        connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        connection.text_factory = bytes  # damage may turn a blob into text
        with contextlib.suppress(sqlite3.OperationalError):  # some file systems do not support it
            connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute(_SCHEMA)
        return connection

    def _give_up(self, problem):
        writing.report(f"{self.path}: {problem}; new results are not stored")
        self._writable, self._connection = False, None
        with contextlib.suppress(sqlite3.Error):
            if self.path.is_file():
                connection = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True)
                connection.execute("select count(*) from results")
                self._connection = connection

    def _set_aside(self, problem):
        """Rename a file that is no longer a database, and begin a new one."""
        aside = self.path.with_suffix(".damaged")
        for part in ("-wal", "-shm"):
            Path(f"{self.path}{part}").unlink(missing_ok=True)
        self.path.replace(aside)
        writing.report(
            f"{self.path}: {problem}; renamed to {aside.name}, results are computed again"
        )
        self._connection = self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._connection is not None:
            self._connection.close()

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
        if not self._writable:
            return
        packed = zlib.compress(json.dumps(rows).encode(), 1)
        entry = key, packed, _checksum(key, packed)
        with self._handle_errors():
            self._connection.execute("insert or replace into results values (?, ?, ?)", entry)


def _checksum(key: str, packed: Any) -> bytes:
    return hashlib.sha256(key.encode() + bytes(packed)).digest()
