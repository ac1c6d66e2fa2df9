"""From accounting logs of TORQUE or PBS to a trace.

A line is ``date;type;job;key=value key=value ...``. Of the types only E, the end of a run, is a job; the
others are counted. What is decided, and counted:

* The submission is the creation of the job (``ctime``), else when it was queued (``qtime``).
* The run time is from ``start`` to ``end``, in which the job holds its processors, else
  ``resources_used.walltime``.
* The size that was asked for is ``Resource_List.nodes`` (nodes times ``ppn``, summed over ``+``), else
  ``procs``, ``size``, ``select``, ``ncpus`` or ``nodect``. The size that was given is
  ``total_execution_slots``, else the slots that ``exec_host`` names.
* A job that was requeued has an E record for each run. Each run is a job, because the machine was busy with
  it; the earlier ones get new numbers, and ``preceding_job`` ties them together.
* A job that never started is left out.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's
account file.
"""

import gzip
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from replication.logs import swf
from replication.logs.accounting.anonymous import Anonymiser
from replication.logs.accounting.conversion import Conversion, header, numbered, peak

TYPES = {
    "A": "aborted",
    "B": "reservation begins",
    "C": "checkpoint",
    "D": "deletion",
    "E": "end",
    "F": "reservation ends",
    "K": "reservation removed",
    "L": "licence",
    "P": "provisioning",
    "Q": "queued",
    "R": "rerun",
    "S": "start",
    "T": "restart",
    "U": "reservation asked for",
    "Y": "reservation confirmed",
    "M": "moved",
    "N": "node",
    "c": "clear",
    "k": "reservation removed by its owner",
    "p": "provisioning ends",
    "e": "end of a subjob",
    "s": "attributes of a start",
    "u": "update",
    "a": "altered",
}
NEVER_STARTED = "ended without having started"
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")


class TorqueError(ValueError):
    """An accounting log that cannot be used: names file, line, field, value and what is allowed."""


@dataclass(slots=True)
class Run:
    """One run of a job; times are Unix times, s; -1 where unknown."""

    id: str
    submit: int
    start: int
    end: int
    allocated: int
    requested: int
    limit: int
    status: int
    user: str
    group: str
    name: str
    queue: str
    number: int = -1
    preceding: int = -1


def convert(paths, processors=None, per_node=None, zone=None, key=None):
    """Read accounting logs.

    Parameters
    ----------
    paths : sequence of str or Path
        Files, gzipped or not, in any order; ``-`` for standard input. Logs of one machine.
    processors : int, optional
        Size of the machine; by default the most that were in use at once.
    per_node : int, optional
        Processors of a node, for jobs of which only the number of nodes is known.
    zone : str, optional
        Time zone of the machine, noted in the header; the log's own times need none.
    key : bytes, optional
        Key of the names' numbers, see `replication.logs.accounting.anonymous`; by default drawn and not kept.

    Returns
    -------
    replication.logs.accounting.conversion.Conversion

    Raises
    ------
    TorqueError
        For a line that is no accounting record, a value that such logs do not have, or no job that ran.
    """
    left_out, remarks, records = Counter({NEVER_STARTED: 0}), Counter(), 0
    runs = []
    for path in paths:
        for where, line in _lines(path):
            records += 1
            run = _run(where, line, per_node, left_out, remarks)
            runs += [run] if run else []
    if not runs:
        reasons = ", ".join(f"{count} {what}" for what, count in left_out.items() if count)
        raise TorqueError(
            f"{', '.join(map(str, paths))}: no job that ran among {records} records "
            f"({reasons or 'none left out'})"
        )
    runs = _without_repeats(runs, left_out)
    _number(runs, remarks)
    _remark(runs, remarks)
    assumed = _assumed(runs, remarks, processors, per_node, key)
    trace = _trace(runs, paths, zone, processors or _peak(runs), Anonymiser(key), assumed)
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    return Conversion(
        source,
        "accounting log of TORQUE or PBS",
        trace,
        records,
        tuple(left_out.items()),
        tuple(remarks.items()),
        tuple(assumed),
    )


def _lines(path):
    """Each line with its place, blank ones left out."""
    try:
        if str(path) == "-":
            yield from (
                (f"standard input, line {k}", line)
                for k, line in enumerate(sys.stdin, 1)
                if line.strip()
            )
            return
        opened = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8", errors="replace") as file:
            yield from (
                (f"{path}, line {k}", line) for k, line in enumerate(file, 1) if line.strip()
            )
    except (OSError, EOFError) as error:
        raise TorqueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _run(where, line, per_node, left_out, remarks):
    """The run that an E record tells of; None for other records and for jobs that never started."""
    parts = line.rstrip("\r\n").split(";", 3)
    if len(parts) != 4 or parts[1] not in TYPES:
        raise TorqueError(
            f"{where}: {line.strip()[:60]!r}, allowed: date;type;job;key=value ..., "
            f"with a type of {', '.join(TYPES)}"
        )
    if parts[1] != "E":
        left_out[f"records of type {parts[1]} ({TYPES[parts[1]]})"] += 1
        return None
    fields = dict(_pairs(parts[3]))
    start, end = _whole(where, fields, "start"), _whole(where, fields, "end")
    used = duration(where, "resources_used.walltime", fields.get("resources_used.walltime"))
    if start <= 0:
        left_out[NEVER_STARTED] += 1
        return None
    if end < 0:
        end = start + max(used, 0)
        remarks["without an end: start plus the wall time used"] += 1
    submit = next(
        (t for t in (_whole(where, fields, name) for name in ("ctime", "qtime", "etime")) if t > 0),
        start,
    )
    requested, nodes_only = _requested(where, fields, per_node)
    remarks["sized by nodes only"] += nodes_only
    exit_status = fields.get("Exit_status", "")
    return Run(
        parts[2],
        submit,
        start,
        max(end, start),
        _allocated(where, fields),
        requested,
        duration(where, "Resource_List.walltime", fields.get("Resource_List.walltime")),
        1 if exit_status == "0" else -1 if exit_status == "" else 0,
        fields.get("user", ""),
        fields.get("group", ""),
        fields.get("jobname", ""),
        fields.get("queue", ""),
    )


def _pairs(text):
    """The (key, value) pairs of a record; a value runs up to the next key, so it may have blanks."""
    found = list(_KEY.finditer(text))
    for here, after in zip(found, [*found[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _whole(where, fields, name):
    """A Unix time, -1 where the record lacks it."""
    value = fields.get(name, "-1")
    if not re.fullmatch(r"-?\d{1,12}", value):
        raise TorqueError(f"{where}: {name} {value!r}, allowed: a Unix time in whole seconds")
    return int(value)


def duration(where, name, value):
    """Seconds of a length such as ``48:00:00``, ``2:00:00:00`` or ``3600``; -1 for none.

    Raises
    ------
    TorqueError
        For anything else.
    """
    if value is None or value == "":
        return -1
    if not re.fullmatch(r"\d{1,9}(:\d{1,2}){0,3}", value):
        raise TorqueError(
            f"{where}: {name} {value!r}, allowed: seconds, or [[days:]hours:]minutes:seconds"
        )
    weights = (1, 60, 3600, 86400)
    return sum(int(part) * weight for part, weight in zip(reversed(value.split(":")), weights))


def _requested(where, fields, per_node):
    """Processors asked for, and whether only a number of nodes is known."""
    nodes = fields.get("Resource_List.nodes") or fields.get("Resource_List.neednodes")
    if nodes:
        return _of_nodes(where, nodes), False
    if fields.get("Resource_List.select"):
        return _of_select(where, fields["Resource_List.select"]), False
    for name in ("procs", "size", "ncpus"):
        if fields.get(f"Resource_List.{name}"):
            return _count(where, f"Resource_List.{name}", fields[f"Resource_List.{name}"]), False
    if fields.get("Resource_List.nodect"):
        return _count(where, "Resource_List.nodect", fields["Resource_List.nodect"]) * (
            per_node or 1
        ), True
    return -1, False


def _count(where, name, value):
    if not re.fullmatch(r"\d{1,9}", value):
        raise TorqueError(f"{where}: {name} {value!r}, allowed: a whole number")
    return int(value)


def _of_nodes(where, text):
    """Processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``: a number of nodes, or one by its name."""
    total = 0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        per_node = [p.removeprefix("ppn=") for p in properties if p.startswith("ppn=")] or ["1"]
        nodes = first if first.isdigit() else "1"
        total += _count(where, "Resource_List.nodes", nodes) * _count(
            where, "Resource_List.nodes ppn", per_node[0]
        )
    return total


def _of_select(where, text):
    """Processors of a list such as ``2:ncpus=16:mem=4gb+1:ncpus=1``."""
    total = 0
    for part in text.split("+"):
        first, *properties = part.split(":")
        cpus = [p.removeprefix("ncpus=") for p in properties if p.startswith("ncpus=")] or ["1"]
        total += _count(where, "Resource_List.select", first) * _count(
            where, "Resource_List.select ncpus", cpus[0]
        )
    return total


def _allocated(where, fields):
    """Processors that the run was given, -1 where the record does not say."""
    if fields.get("total_execution_slots"):
        return _count(where, "total_execution_slots", fields["total_execution_slots"])
    hosts = fields.get("exec_host", "")
    total = sum(_slots(where, host) for host in hosts.split("+") if host)
    return total or -1


def _slots(where, host):
    """Slots of one host: ``nid00012/0-15``, ``nid00012/3``, ``nid00012/0,2-4`` or ``nid00012/0*16``."""
    _, _, places = host.partition("/")
    if re.fullmatch(r"\d+\*\d+", places):
        return int(places.partition("*")[2])
    if not re.fullmatch(r"(\d+(-\d+)?)(,\d+(-\d+)?)*", places):
        raise TorqueError(
            f"{where}: exec_host {host!r}, allowed: host/slot, host/first-last or host/0*slots"
        )
    ends = [part.partition("-") for part in places.split(",")]
    return sum(int(last or first) - int(first) + 1 for first, _, last in ends)


def _without_repeats(runs, left_out):
    """Each run once: overlapping logs tell of one run twice."""
    unique = {(run.id, run.start): run for run in runs}
    left_out["repeated records of one run"] = len(runs) - len(unique)
    return sorted(unique.values(), key=lambda run: (run.submit, run.start, run.id))


def _number(runs, remarks):
    """Numbers 1, 2, ... in order of submission; runs of one job are tied together."""
    before = {}
    for number, run in enumerate(runs, 1):
        run.number = number
        if run.id in before:
            run.preceding = before[run.id].number
            # Back in the queue since the run before it ended.
            run.submit = min(max(run.submit, before[run.id].end), run.start)
            remarks["further runs of requeued jobs, each a job of its own"] += 1
        before[run.id] = run
    runs.sort(key=lambda run: (run.submit, run.number))


def _remark(runs, remarks):
    """Count what is unusual about runs that are kept."""
    unusual = {
        "without a wall time limit, so without estimate": lambda run: run.limit < 0,
        "ran longer than their limit": lambda run: 0 <= run.limit < run.end - run.start,
        "of unknown size": lambda run: max(run.allocated, run.requested) < 0,
        "started before their submission, so their wait is unknown": lambda run: (
            run.start < run.submit
        ),
    }
    for what, true_of in unusual.items():
        remarks[what] += sum(map(true_of, runs))


def _peak(runs):
    """Most processors in use at once."""
    sizes = [max(run.allocated if run.allocated > 0 else run.requested, 0) for run in runs]
    columns = [run.start for run in runs], [run.end - run.start for run in runs], sizes
    most = max(peak(*(np.array(values, np.int64) for values in columns)), max(sizes))
    if most < 1:
        raise TorqueError("no job with a size, so the machine's is not known; give --processors")
    return most


def _assumed(runs, remarks, processors, per_node, key):
    """What the log does not say, a sentence each."""
    found = []
    if processors is None:
        found.append(
            f"The machine has {_peak(runs)} processors: the most that the log's jobs held at once."
        )
    if remarks["sized by nodes only"]:
        found.append(
            f"{remarks['sized by nodes only']} jobs have nodes only: a node counts as "
            f"{per_node or 1} processor{'s' if (per_node or 1) > 1 else ''}."
        )
    if key is None:
        found.append(
            "Users, groups and job names became numbers with a key that is not kept: "
            "another conversion gives other numbers."
        )
    return found


def _trace(runs, paths, zone, processors, anonymiser, assumed):
    first, last = min(run.submit for run in runs), max(run.end for run in runs)

    def column(value):
        return np.array([value(run) for run in runs], np.int64)

    def names(kind, what):
        return column(lambda run: anonymiser.number(kind, getattr(run, what)))

    return swf.Trace.from_columns(
        column(lambda run: run.submit - first),
        path=str(paths[0]),
        comments=header(
            "TORQUE or PBS", first, last, zone or "unknown", processors, 0, assumed, len(runs)
        ),
        job_id=column(lambda run: run.number),
        wait=column(lambda run: max(-1, run.start - run.submit)),
        run_time=column(lambda run: run.end - run.start),
        allocated_processors=column(lambda run: run.allocated),
        requested_processors=column(lambda run: run.requested),
        requested_time=column(lambda run: run.limit),
        status=column(lambda run: run.status),
        user=names("user", "user"),
        group=names("group", "group"),
        executable=names("name", "name"),
        queue=numbered([run.queue for run in runs]),
        preceding_job=column(lambda run: run.preceding),
    )
