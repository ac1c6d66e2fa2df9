"""What stands in the fields of ``sacct``'s output: times, durations, limits, node lists, sizes, states.

Source: the manual page sacct(1) of Slurm 2.6 to 25.11, section "Job Accounting Fields". A value these do not
describe is an error, because guessing would change run times without a word.
"""

import functools
import re
from datetime import timedelta

from replication.cluster.accounting.conversion import WORDS, FieldError

NEVER = frozenset({"", "Unknown", "None", "N/A", "NONE"})
NO_LIMIT = frozenset({"UNLIMITED", "Partition_Limit", "INVALID", "Unknown", ""})
NO_NODES = frozenset({"", "None assigned", "(unknown)", "(null)", "None", "Unknown"})
# SWF's status of each state; None where the job had not ended.
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
_LAST_NUMBER = re.compile(r"(.*?)(?:([0-9]{1,9})([^0-9]*))?", re.DOTALL)
_BRACKETS = re.compile(r"\[(.*?)\]")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_NODES = "allowed: names and ranges such as n[001-003,07]"
_MOST_RANGES = 100_000  # that a node list may stand for


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
    if text in NEVER or text in NO_LIMIT or text.casefold() == "partition_limit":
        return None
    return 60 * count(text) if minutes else duration(text)


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
    """A job's state by its name in `STATES`; ``CANCELLED by 123`` and ``CANCELLED+`` are taken."""
    word = text.split(maxsplit=1)[0] if text else ""
    word = WORDS["slurm"]["short"].get(word, word)
    if word.endswith("+"):
        longer = [name for name in STATES if name.startswith(word[:-1])]
        word = longer[0] if len(longer) == 1 else word
    if word not in STATES:
        raise FieldError(f"allowed: {', '.join(filter(None, STATES))}")
    return word


@functools.lru_cache(1 << 16)
def nodes(text):
    """What a node list such as ``n[001-003,07],gpu1`` names, as ranges: its names are never written
    out. A range is the names with ``{}`` and the width of the number in its place, the first
    number and the last; a name without numbers has 0 and 0.
    """
    if text in NO_NODES:
        return ()
    found = []
    for part in _split(text):
        found += _blocks(part, _MOST_RANGES - len(found))
    return tuple(found)


def held(blocks):
    """How many nodes there are in ranges as `nodes` gives them, each counted once."""
    total, name, reached = 0, None, 0
    for pattern, first, last in sorted(set(blocks)):
        if pattern != name:
            name, reached = pattern, first - 1
        total += max(0, last - max(first - 1, reached))
        reached = max(reached, last)
    return total


def _split(text):
    """The list's parts: at commas outside brackets, which do not nest."""
    if not re.fullmatch(r"(?:[^\[\]]|\[[^\[\]]*\])*", text):
        raise FieldError(_NODES)
    return re.findall(r"(?:[^\[\],]|\[[^\[\]]*\])+", text)


def _blocks(part, most):
    """The ranges of one part, at most so many; all brackets but the last are written out, since a range has one
    number, which is the last of a name without brackets.
    """
    listed = "[" in part
    *outer, inner, tail = (
        _BRACKETS.split(part) if listed else _LAST_NUMBER.fullmatch(part).groups("")
    )
    heads = [""]
    for place, piece in enumerate(outer):
        ranges = _ranges(piece) if place % 2 else None
        if ranges is None:
            heads = [head + piece for head in heads]
            continue
        _refuse_too_many(len(heads) * sum(last - first + 1 for first, last, _ in ranges), most)
        heads = [
            f"{head}{number:0{width}d}"
            for head in heads
            for first, last, width in ranges
            for number in range(first, last + 1)
        ]
    ranges = _ranges(inner)
    _refuse_too_many(max(1, len(heads) * len(ranges)), most)
    found = [(f"{head}{{{w}}}{tail}", a, b) for a, b, w in ranges for head in heads]
    return found if found or listed else [(part, 0, 0)]


def _refuse_too_many(count, most):
    if count > most:
        raise FieldError(f"{_NODES}, that stand for up to {_MOST_RANGES:,} ranges")


def _ranges(text):
    """Ranges such as ``001-003,07`` as (first, last, width); numbers that need no zeros in front have width 0."""
    found = []
    for one in text.split(",") if text else ():
        match = _RANGE.fullmatch(one)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first:
            raise FieldError(_NODES)
        width = len(match[1])
        full = 10 ** (width - 1)  # from here on a number has that many digits
        if first < full:
            found.append((first, min(last, full - 1), width))
        if last >= full:
            found.append((max(first, full), last, 0))
    return found
