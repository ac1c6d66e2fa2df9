"""Stored results: the rows of each task in one SQLite file, which several processes may use."""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from replication.simulator import paths, writing

#: Below the folder of all output, see `replication.simulator.paths.BUILD`.
RESULTS = Path("build/results")
FILE = "results.sqlite"
WAIT = 60.0  # s, for another process that writes

Rows = dict[str, list]


class Store(contextlib.AbstractContextManager):
    """The stored results in a folder.

    A file that cannot be used is reported once; from then on nothing is read or stored.

    Parameters
    ----------
    folder : str or pathlib.Path
        Created if necessary; `RESULTS` is where stored results are by default.
    """

    def __init__(self, folder: str | os.PathLike):
        folder = paths.BUILD / "results" if folder is RESULTS else Path(folder)
        self.path = folder.absolute() / FILE
        self._connection = None
        with self._errors_end_use():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
            self._connection.execute("pragma synchronous = normal")
            schema = "create table if not exists tasks (key text primary key, rows text)"
            self._connection.execute(schema)

    @contextlib.contextmanager
    def _errors_end_use(self):
        try:
            yield
        except (OSError, sqlite3.Error, ValueError) as problem:
            self.__exit__()
            readable = isinstance(problem, OSError | sqlite3.OperationalError)
            advice = "" if readable else "; delete the file to store results again"
            reason = getattr(problem, "strerror", None) or problem
            writing.report(f"{self.path}: {reason}; results are not stored{advice}")

    def __exit__(self, *_exception: object) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def get(self, key: str, columns: Iterable[str] = ()) -> Rows | None:
        """Return the rows stored under a key; None without rows of such columns."""
        if self._connection is None:
            return None
        with self._errors_end_use():
            select = "select rows from tasks where key = ?"
            entry = self._connection.execute(select, (key,)).fetchone()
            rows = json.loads(entry[0]) if entry and entry[0] else None
            return rows if isinstance(rows, dict) and rows.keys() >= {*columns} else None
        return None

    def put(self, key: str, rows: Rows) -> None:
        """Store the rows of a task."""
        if self._connection is not None:
            with self._errors_end_use():
                entry = key, json.dumps(rows)
                self._connection.execute("insert or replace into tasks values (?, ?)", entry)
