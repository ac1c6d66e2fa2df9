"""What stands in the fields of ``sacct``'s output: times, durations, limits, node lists, sizes, states.

Source: the manual page sacct(1) of Slurm 2.6 to 25.11, section "Job Accounting Fields". A value these do not
describe is an error, because guessing would change run times without a word.
"""

import functools
import re
from datetime import UTC, datetime, timedelta

NEVER = frozenset({"", "Unknown", "None", "N/A", "NONE"})
NO_LIMIT = frozenset({"UNLIMITED", "Partition_Limit", "INVALID", "Unknown", ""})
NO_NODES = frozenset({"", "None assigned", "(unknown)", "(null)", "None", "Unknown"})

# SWF's status of each state: 1 completed, 0 failed, 5 cancelled; None: the job had not ended.
STATES = {
    "COMPLETED": 1,
    "COMPLETING": None,
    "FAILED": 0,
    "TIMEOUT": 0,
    "NODE_FAIL": 0,
    "OUT_OF_MEMORY": 0,
    "BOOT_FAIL": 0,
    "DEADLINE": 0,
    "LAUNCH_FAILED": 0,
    "PREEMPTED": 0,
    "REQUEUED": 0,
    "RESIZING": 1,
    "CANCELLED": 5,
    "REVOKED": 5,
    "PENDING": None,
    "RUNNING": None,
    "SUSPENDED": None,
    "STOPPED": None,
    "CONFIGURING": None,
    "REQUEUE_HOLD": None,
    "REQUEUE_FED": None,
    "SPECIAL_EXIT": None,
    "SIGNALING": None,
    "STAGE_OUT": None,
    "RESV_DEL_HOLD": None,
    "UPDATE_DB": None,
}
SHORT = {
    "CD": "COMPLETED",
    "F": "FAILED",
    "TO": "TIMEOUT",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "BF": "BOOT_FAIL",
    "DL": "DEADLINE",
    "PR": "PREEMPTED",
    "RQ": "REQUEUED",
    "RS": "RESIZING",
    "CA": "CANCELLED",
    "RV": "REVOKED",
    "PD": "PENDING",
    "R": "RUNNING",
    "S": "SUSPENDED",
}

_DURATION = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")
_LOCAL = re.compile(r"(\d{4}-\d\d-\d\dT\d\d):(\d\d):(\d\d)")
_CPU = re.compile(r"(?:^|,)cpu=(\d+)")
_SCALE = {"": 1, "K": 1_000, "M": 1_000_000}
_COUNT = re.compile(r"(\d+(?:\.\d+)?)([KM]?)")


class FieldError(ValueError):
    """A value that sacct does not write; the message says what is allowed."""


class Clock:
    """Turns sacct's times into Unix time.

    Parameters
    ----------
    zone : datetime.tzinfo, optional
        Where the times without an offset were written; UTC by default.

    Attributes
    ----------
    local, repeated : int
        Times without an offset so far, and those of them in an hour that came twice.
    """

    def __init__(self, zone=None):
        self._zone = zone or UTC
        self._hour = functools.lru_cache(1 << 16)(self._hour)
        self.repeated = self.local = 0

    def seconds(self, text):
        """Unix time of a date, s; None where there is none (Unknown, None, empty)."""
        if text in NEVER:
            return None
        local = _LOCAL.fullmatch(text)
        if local:
            start, twice = self._hour(local[1])
            self.repeated += twice
            self.local += 1
            return start + 60 * int(local[2]) + int(local[3])
        if text.isdigit():
            return int(text)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise FieldError(
                "allowed: YYYY-MM-DDTHH:MM:SS with or without an offset, seconds since 1970, "
                "Unknown (run sacct without SLURM_TIME_FORMAT)"
            ) from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=self._zone)
        return int(moment.timestamp())

    def _hour(self, text):
        """Unix time of a local hour's beginning, and whether the clock was put back so that it came twice."""
        try:
            hour = datetime.strptime(text, "%Y-%m-%dT%H").replace(tzinfo=self._zone)
        except ValueError as error:
            raise FieldError(f"{error}; allowed: a date that exists") from None
        first, second = hour.timestamp(), hour.replace(fold=1).timestamp()
        # In the hour that is left out in spring the two differ as well, the other way round.
        return int(first), second > first


def duration(text):
    """Seconds of ``[days-][hours:]minutes:seconds[.micro]``; None where there is none."""
    if text in NEVER:
        return None
    found = _DURATION.fullmatch(text)
    if not found:
        raise FieldError("allowed: [days-]hours:minutes:seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return int(timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds())


def limit(text, minutes=False):
    """Seconds of a time limit, from ``Timelimit`` or from ``TimelimitRaw`` (minutes); None for no limit."""
    if text in NO_LIMIT or text.casefold() == "partition_limit":
        return None
    if minutes:
        return 60 * count(text)
    return duration(text)


def count(text):
    """A number of processors or nodes: ``64``, or ``1.5K`` as old versions shorten it; None where empty."""
    if text in NEVER:
        return None
    found = _COUNT.fullmatch(text)
    if not found:
        raise FieldError("allowed: a whole number from 0")
    number = float(found[1]) * _SCALE[found[2]]
    if not number.is_integer():
        raise FieldError("allowed: a whole number from 0")
    return int(number)


def tres_processors(text):
    """Processors in a list of resources such as ``billing=4,cpu=4,node=1``; None where not listed."""
    found = _CPU.search(text)
    return int(found[1]) if found else None


def state(text):
    """SWF status of a job's state, and the state; ``CANCELLED by 123`` and ``CANCELLED+`` are taken."""
    word = text.split(maxsplit=1)[0] if text else ""
    word = SHORT.get(word, word)
    if word.endswith("+"):
        longer = [name for name in STATES if name.startswith(word[:-1])]
        word = longer[0] if len(longer) == 1 else word
    if word not in STATES:
        raise FieldError(f"allowed: {', '.join(STATES)}")
    return STATES[word], word


@functools.lru_cache(1 << 16)
def nodes(text):
    """Names in a node list such as ``n[001-003,07],gpu1``.

    Returns
    -------
    tuple of str
    """
    return (
        () if text in NO_NODES else tuple(name for part in _split(text) for name in _expand(part))
    )


def _split(text):
    """The list's parts: at commas outside brackets."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            yield part
            part = ""
        else:
            part += letter
    if depth:
        raise FieldError("allowed: names and ranges such as n[001-003,07]")
    yield part


def _expand(part):
    """All names of one part; brackets are expanded from the left."""
    head, bracket, rest = part.partition("[")
    if not bracket:
        yield part
        return
    ranges, _, tail = rest.partition("]")
    for piece in ranges.split(","):
        first, _, last = piece.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            raise FieldError("allowed: names and ranges such as n[001-003,07]")
        for number in range(int(first), int(last or first) + 1):
            yield from _expand(f"{head}{number:0{len(first)}d}{tail}")
