"""The parameters of a notebook: JSON types, checked once, then frozen."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from replication.basics.hints import did_you_mean
from replication.pages import record

SCALES = ("paper", "quick")
NAME_HINT = "lower-case letters, digits and _"


class PageError(ValueError):
    """A parameter or an output that a page refuses; the message names it and what is allowed."""


@dataclass(frozen=True)
class Parameters:
    """What one table or figure is drawn from.

    Parameters
    ----------
    name : str
        ``paper/item``: the notebook's folder and its stem.
    scale : str
        ``paper`` for all jobs and seeds, ``quick`` for the first jobs of each log; a notebook asks `quick`
        where it may also do with fewer seeds or a coarser grid.
    logs : list of str
        Registry names; empty for an item that needs none.
    seed : int
        0 or more.
    workers : int
        Threads that simulate, 1 or more.
    settings : dict
        Parameters that only this item has, JSON types; they are kept in its record.

    Raises
    ------
    PageError
        If a parameter is not of its type, or not among the valid ones.
    """

    name: str
    scale: str = "paper"
    logs: tuple = ()
    seed: int = 1
    workers: int = 1
    settings: dict = field(default_factory=dict)

    def __post_init__(self):
        self._check_name()
        if self.scale not in SCALES:
            raise PageError(f"{self.name}: scale {self.scale!r}, allowed: {', '.join(SCALES)}")
        for parameter, least in (("seed", 0), ("workers", 1)):
            value = getattr(self, parameter)
            if type(value) is not int or value < least:
                allowed = f"a whole number from {least} up"
                raise PageError(f"{self.name}: {parameter} {value!r}, allowed: {allowed}")
        self._check_logs()
        if not isinstance(self.settings, Mapping) or not _plain(self.settings):
            raise PageError(
                f"{self.name}: settings {self.settings!r}, allowed: a dict of JSON types "
                "(text keys, no NaN or infinity, lists rather than tuples)"
            )
        object.__setattr__(self, "logs", tuple(self.logs))

    def _check_name(self):
        parts = str(self.name).split("/")
        if parts[0] not in record.PAPERS:
            raise PageError(
                f"page {self.name!r}: paper {parts[0]!r}, allowed: {', '.join(record.PAPERS)}"
            )
        if len(parts) != 2 or not is_word(parts[1]):
            raise PageError(f"page {self.name!r}, allowed: paper/item with {NAME_HINT}")

    def _check_logs(self):
        if not isinstance(self.logs, list | tuple) or not all(
            isinstance(log, str) for log in self.logs
        ):
            raise PageError(f"{self.name}: logs {self.logs!r}, allowed: a list of names")
        if len(set(self.logs)) < len(self.logs):
            raise PageError(f"{self.name}: logs {', '.join(self.logs)}: each name once")
        known = known_logs() if self.logs else []
        for log in self.logs:
            if log not in known:
                raise PageError(
                    f"{self.name}: unknown log {log!r}{did_you_mean(log, known)}; "
                    f"known: {', '.join(known)}"
                )

    @property
    def paper(self):
        """Short name of the paper."""
        return self.name.split("/")[0]

    @property
    def item(self):
        """Name of the table or figure."""
        return self.name.split("/")[1]

    @property
    def quick(self):
        """True at quick scale."""
        return self.scale == "quick"


def known_logs():
    """Names of the logs that a page may ask for.

    Returns
    -------
    list of str
    """
    from replication.logs import traces

    return list(traces.names())


def is_word(text):
    """Whether a text can be the name of an item or an output.

    Parameters
    ----------
    text : object

    Returns
    -------
    bool
    """
    return isinstance(text, str) and re.fullmatch("[a-z0-9_]+", text) is not None


def _plain(value):
    """True for what JSON holds without change."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | bool | int)
