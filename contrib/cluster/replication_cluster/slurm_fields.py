"""Fields of ``sacct``'s output: durations, limits, sizes, states.

Any other value is an error, because a guess would change run times silently.

Source: the manual page sacct(1) of Slurm 2.6 to 25.11, section "Job Accounting Fields".
"""

import re
from datetime import timedelta

from replication_cluster.conversion import NO_VALUE, WORDS, FieldError

NEVER = frozenset({"", "Unknown", "None", "N/A", "NONE", "INVALID"})
NO_LIMIT = frozenset({"UNLIMITED", "Partition_Limit"})
# SWF status of each state; None for jobs that have not ended.
STATES = {"": -1} | {
    state: None if status == "unfinished" else int(status)
    for status, states in WORDS["slurm"]["states"].items()
    for state in states
}

_DURATION = re.compile(
    r"(?:([0-9]{1,6})-)?(?:([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{1,9})(?:\.[0-9]+)?"
)
_STATE = re.compile("[A-Z]{2}[A-Z_]{1,30}")
_SCALE = {"": 1, "K": 1_000, "M": 1_000_000}
_COUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([KM]?)")


def duration(text):
    """Return the seconds of ``[days-][hours:]minutes:seconds[.micro]``; None where
    there is none.
    """
    if text in NEVER:
        return None
    found = _DURATION.fullmatch(text)
    if not found:
        raise FieldError("expected [days-]hours:minutes:seconds")
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return int(timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds).total_seconds())


def limit(text, minutes=False):
    """Return the seconds of a time limit, from ``Timelimit`` or from ``TimelimitRaw`` (minutes);
    None for no limit.
    """
    if text in NEVER or text in NO_LIMIT or text.casefold() == "partition_limit":
        return None
    if not minutes:
        return duration(text)
    number = count(text)
    return None if number is None else 60 * number


def count(text):
    """Return a whole number: ``64``, or ``1.5K`` as old versions shorten it; None where empty, or
    NO_VAL of Slurm.
    """
    if text in NEVER:
        return None
    found = _COUNT.fullmatch(text)
    if not found:
        raise FieldError("expected a whole number >= 0")
    number = float(found[1]) * _SCALE[found[2]]
    if not number.is_integer():
        raise FieldError("expected a whole number >= 0")
    return int(number) if number < NO_VALUE else None


def resource(text, name):
    """Return the number of a resource in a list such as ``billing=4,cpu=4,node=1``; None where not
    listed.
    """
    listed = dict(part.partition("=")[::2] for part in text.split(","))
    return count(listed.get(name, ""))


def state(text):
    """Return the name of a state: one of `STATES`, or the word of a newer version of Slurm.

    ``CANCELLED by 123`` and ``CANCELLED+`` are accepted.
    """
    word = text.split(maxsplit=1)[0] if text else ""
    word = WORDS["slurm"]["short"].get(word, word)
    if word.endswith("+"):
        longer = [name for name in STATES if name.startswith(word[:-1])]
        word = longer[0] if len(longer) == 1 else word
    if word not in STATES and not _STATE.fullmatch(word):
        raise FieldError(f"expected {', '.join(filter(None, STATES))}")
    return word


def of_json(job):
    """Return the fields of a job of ``sacct --json`` as texts by the names of `accounting.toml`.

    Whole numbers are plain, or ``{"set": true, "infinite": false, "number": 5}`` in newer versions.
    """

    def text(*path):
        value = job
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, dict):
            value = (
                "UNLIMITED"
                if value.get("infinite")
                else value.get("number")
                if value.get("set")
                else None
            )
        if isinstance(value, list):
            value = value[0] if value else None
        return "" if value is None else str(value)

    def resources(which):
        listed = job.get("tres", {}).get(which) or ()
        return ",".join(f"{one['type']}={one['count']}" for one in listed)

    array, task = text("array", "job_id"), text("array", "task_id")
    waiting, shown = text("array", "task"), text("job_id")
    if array not in ("", "0") and (task or waiting):
        shown = f"{array}_[{waiting}]" if waiting else f"{array}_{task}"
    elif (leader := text("het", "job_id")) not in ("", "0"):
        shown = f"{leader}+{text('het', 'job_offset')}"
    times = {
        "submit": "submission",
        "start": "start",
        "end": "end",
        "elapsed_raw": "elapsed",
        "limit_raw": "limit",
    }
    return {
        "id": text("job_id"),
        "shown": shown,
        **{name: text("time", key) for name, key in times.items()},
        "suspended": f"0:{text('time', 'suspended') or 0}",
        "allocated_tres": resources("allocated"),
        "requested": text("required", "CPUs"),
        "requested_tres": resources("requested"),
        "nodes": text("allocation_nodes"),
        "state": text("state", "current"),
        "user": text("user") or text("association", "user"),
        "group": text("group") or text("account"),
        **{name: text(name) for name in ("name", "partition", "cluster")},
    }
