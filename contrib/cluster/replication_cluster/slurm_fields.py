"""Fields of ``sacct``'s output: durations, limits, sizes, states.

Any other value is an error, because a guess would change run times silently.

Source: the manual page sacct(1) of Slurm 2.6 to 25.11, section "Job Accounting Fields".
"""

import re

from replication_cluster.account import WORDS, FieldError, number
from replication_cluster.records import Column
from replication_cluster.times import NO_VALUE, length

NEVER = frozenset({"", "Unknown", "None", "N/A", "NONE", "INVALID"})
NO_LIMIT = frozenset({"UNLIMITED", "Partition_Limit"})
# SWF status of each state; None for jobs that have not ended.
STATES = {"": -1} | {
    state: None if status == "unfinished" else int(status)
    for status, states in WORDS["slurm"]["states"].items()
    for state in states
}

_JSON_PATHS = {name: path.split(".") for name, path in WORDS["slurm"]["json"].items()}
_JSON_IDS = ("array", "task", "waiting", "leader", "offset")

_SCALE = {"K": 1_000, "M": 1_000_000}
WHOLE = "expected a whole number >= 0"


def duration(text):
    """Return the whole seconds of a duration such as ``[days-][hours:]minutes:seconds``; None where
    there is none.
    """
    if text in NEVER:
        return None
    if (seconds := length(text, short=True)) is None:
        raise FieldError("expected [days-]hours:minutes:seconds")
    return int(seconds)


def limit(text, minutes=False):
    """Return the seconds of a time limit, from ``Timelimit`` or from ``TimelimitRaw`` (minutes);
    None for no limit.
    """
    if text in NEVER or text in NO_LIMIT or text.casefold() == "partition_limit":
        return None
    if not minutes:
        return duration(text)
    minutes = count(text)
    return None if minutes is None else 60 * minutes


def count(text):
    """Return a whole number: ``64``, or ``1.5K`` as old versions shorten it; None where empty, or
    NO_VAL of Slurm.
    """
    if text in NEVER:
        return None
    scale = _SCALE.get(text[-1], 1)
    value = scale * number(text[:-1] if scale > 1 else text, WHOLE)
    if not value.is_integer():
        raise FieldError(WHOLE)
    return int(value) if value < NO_VALUE else None


def resource(text, name):
    """Return the number of a resource in a list such as ``billing=4,cpu=4,node=1``, or the sum over
    its types (``gres/gpu:h100=4``); None where not listed.
    """
    listed = dict(part.partition("=")[::2] for part in text.split(","))
    typed = [count(n) or 0 for key, n in listed.items() if key.startswith(f"{name}:")]
    return count(listed[name]) if name in listed else sum(typed) if typed else None


def state(text):
    """Return the name of a state: one of `STATES`, or another word.

    ``CANCELLED by 123`` and ``CANCELLED+`` are accepted.
    """
    word = text.split(maxsplit=1)[0] if text else ""
    word = WORDS["slurm"]["short"].get(word, word)
    if word.endswith("+"):
        longer = [name for name in STATES if name.startswith(word[:-1])]
        word = longer[0] if len(longer) == 1 else word
    return word


def of_json(job):
    """Return the fields of a job of ``sacct --json`` as texts by the names of `accounting.toml`."""
    fields = {name: _json_text(job, path) for name, path in _JSON_PATHS.items()}
    array, task, waiting, leader, offset = (fields.pop(name) for name in _JSON_IDS)
    fields["shown"] = fields["id"]
    if array not in ("", "0") and (task or waiting):
        fields["shown"] = f"{array}_[{waiting}]" if waiting else f"{array}_{task}"
    elif leader not in ("", "0"):
        fields["shown"] = f"{leader}+{offset}"
    for name, fallback in (("user", "association"), ("group", "account")):
        fallback = fields.pop(fallback)
        fields[name] = fields[name] or fallback
    for which in ("allocated", "requested"):
        listed = job.get("tres", {}).get(which) or ()
        fields[f"{which}_tres"] = ",".join(
            f"{'/'.join(filter(None, (entry['type'], entry.get('name'))))}={entry['count']}"
            for entry in listed
        )
    return fields | {"suspended": f"{fields['suspended'] or 0}s"}


def _json_text(job, path):
    """Return a value of JSON as text. Whole numbers are plain, or ``{"set": true, "infinite":
    false, "number": 5}`` in newer versions.
    """
    value = job
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        number = value.get("number") if value.get("set") else None
        value = "UNLIMITED" if value.get("infinite") else number
    if isinstance(value, list):
        value = value[0] if value else None
    return "" if value is None else str(value)


JOB = WORDS["slurm"]["job"]  # an id, which is no step's
_COLUMNS = {
    name: (re.compile(kind["pattern"]), kind["evident"])
    for kind in WORDS["slurm"]["pattern"]
    for name in kind["columns"].split()
}


def column(name, used):
    """Return a column of sacct's output, by its name, and whether it is used."""
    return Column(name if used else None, *_COLUMNS.get(name, (None, False)))
