"""Fields of ``sacct``'s output: durations, limits, sizes, states.

Any other value is an error, because a guess would change run times silently.

Source: the manual page sacct(1) of Slurm 2.6 to 25.11, section "Job Accounting Fields".
"""

import re
from datetime import timedelta

from replication_cluster.conversion import WORDS, FieldError

NEVER = frozenset({"", "Unknown", "None", "N/A", "NONE"})
NO_LIMIT = frozenset({"UNLIMITED", "Partition_Limit", "INVALID", "Unknown", ""})
# SWF status of each state; None for jobs that have not ended.
STATES = {"": -1} | {
    state: None if status == "unfinished" else int(status)
    for status, states in WORDS["slurm"]["states"].items()
    for state in states
}

_DURATION = re.compile(
    r"(?:([0-9]{1,6})-)?(?:([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{1,9})(?:\.[0-9]+)?"
)
_CPU = re.compile(r"(?:^|,)cpu=([0-9]{1,12})(?:,|$)")
_SCALE = {"": 1, "K": 1_000, "M": 1_000_000}
_COUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([KM]?)")


def duration(text):
    """Return the seconds of ``[days-][hours:]minutes:seconds[.micro]``; None where there is none."""
    if text in NEVER:
        return None
    found = _DURATION.fullmatch(text)
    if not found:
        raise FieldError("expected [days-]hours:minutes:seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return int(timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds())


def limit(text, minutes=False):
    """Return the seconds of a time limit, from ``Timelimit`` or from ``TimelimitRaw`` (minutes); None for no limit."""
    if text in NEVER or text in NO_LIMIT or text.casefold() == "partition_limit":
        return None
    return 60 * count(text) if minutes else duration(text)


def count(text):
    """Return a number of processors or nodes: ``64``, or ``1.5K`` as old versions shorten it; None where empty."""
    if text in NEVER:
        return None
    found = _COUNT.fullmatch(text)
    if not found:
        raise FieldError("expected a whole number >= 0")
    number = float(found[1]) * _SCALE[found[2]]
    if not number.is_integer():
        raise FieldError("expected a whole number >= 0")
    return int(number)


def tres_processors(text):
    """Return the processors in a list of resources such as ``billing=4,cpu=4,node=1``; None where not listed."""
    found = _CPU.search(text)
    return int(found[1]) if found else None


def state(text):
    """Return the name of a state in `STATES`; ``CANCELLED by 123`` and ``CANCELLED+`` are accepted."""
    word = text.split(maxsplit=1)[0] if text else ""
    word = WORDS["slurm"]["short"].get(word, word)
    if word.endswith("+"):
        longer = [name for name in STATES if name.startswith(word[:-1])]
        word = longer[0] if len(longer) == 1 else word
    if word not in STATES:
        raise FieldError(f"expected {', '.join(filter(None, STATES))}")
    return word
