"""From accounting logs of TORQUE or PBS to a trace; what is decided, and counted, stands in docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Of the types only E, the end of a run, is a job.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's account file.
"""

import re
from pathlib import Path

from replication.logs import files
from replication.logs.accounting import conversion
from replication.logs.accounting.conversion import Account, Run

TYPES = conversion.WORDS["torque"]["types"]
NEVER_STARTED = "ended without having started"
#: Of a Resource_List, how large a run is, the best first; of those that are lists, what they are called and what counts.
_SIZES = ("nodes", "neednodes", "select", "procs", "size", "ncpus", "nodect")
_LISTS = {
    "nodes": ("Resource_List.nodes", "ppn"),
    "neednodes": ("Resource_List.nodes", "ppn"),
    "select": ("Resource_List.select", "ncpus"),
}
_SLOT = "[0-9]{1,9}"
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")


class TorqueError(ValueError):
    """An accounting log that cannot be used: names file, line, field, value and what is allowed."""


def convert(paths, processors=None, per_node=None, zone=None, key=None):
    """Read accounting logs of one machine, gzipped or not, in any order; ``-`` is standard input.
    What may be given is as of `replication.logs.accounting.slurm.convert`, but the time zone is
    only noted in the header: the log's own times need none. TorqueError for a line that is no
    accounting record, a value that such logs do not have, or no job that ran.
    """
    called = ", ".join(map(files.called, paths))
    account, runs = Account(called, TorqueError, zone, processors, per_node, key), []
    account.left_out[NEVER_STARTED] = 0
    for path in paths:
        for where, line in _lines(path):
            account.records += 1
            run = _run(where, line, account)
            runs += [run] if run else []
    account.refuse_none(runs, "ran")
    unique = {(run.id, run.start): run for run in runs}  # overlapping logs tell of one run twice
    account.left_out["repeated records of one run"] = len(runs) - len(unique)
    runs = sorted(unique.values(), key=lambda run: (run.submit, run.start, run.id))
    _number(runs, account)
    no_limit = "without a wall time limit, so without estimate"
    account.remark(runs, {no_limit: lambda run: run.limit < 0})
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    system = "TORQUE or PBS"
    return account.conversion(runs, source, system, f"accounting log of {system}", path=paths[0])


def _lines(path):
    """Each line with its place."""
    try:
        for k, line in files.lines(path, TorqueError):
            yield f"{files.called(path)}, line {k}", line
    except OSError as error:
        raise TorqueError(f"{path}: {error.strerror}") from None


def _run(where, line, account):
    """The run that an E record tells of; None for other records and for jobs that never started."""
    parts = line.split(";", 3)
    if len(parts) != 4 or parts[1] not in TYPES:
        raise TorqueError(
            f"{where}: {files.shown(line.strip())}, allowed: date;type;job;key=value ..., "
            f"with a type of {', '.join(TYPES)}"
        )
    if parts[1] != "E":
        account.left_out[f"records of type {parts[1]} ({TYPES[parts[1]]})"] += 1
        return None
    fields = dict(_pairs(parts[3]))
    start, end = _whole(where, fields, "start"), _whole(where, fields, "end")
    used = duration(where, "resources_used.walltime", fields.get("resources_used.walltime"))
    if start <= 0:
        account.left_out[NEVER_STARTED] += 1
        return None
    if end < 0:
        end = start + max(used, 0)
        account.remarks["without an end: start plus the wall time used"] += 1
    submit = next(
        (t for t in (_whole(where, fields, name) for name in ("ctime", "qtime", "etime")) if t > 0),
        start,
    )
    requested, nodes_only = _requested(where, fields, account.per_node)
    account.remarks["sized by nodes only"] += nodes_only
    account.sized_by_nodes += nodes_only
    status = {"0": 1, "": -1}.get(fields.get("Exit_status", ""), 0)
    run = Run(
        parts[2],
        submit,
        start,
        max(end - start, 0),
        _allocated(where, fields),
        requested,
        duration(where, "Resource_List.walltime", fields.get("Resource_List.walltime")),
        status,
        *(fields.get(name, "") for name in ("user", "group", "jobname", "queue")),
    )
    return conversion.within_limits(run, where, TorqueError)


def _pairs(text):
    """The (key, value) pairs of a record; a value runs up to the next key, so it may have blanks."""
    found = list(_KEY.finditer(text))
    for here, after in zip(found, [*found[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _refuse(where, name, value, allowed):
    raise TorqueError(f"{where}: {name} {files.shown(value)}, allowed: {allowed}")


def _whole(where, fields, name):
    """A Unix time, -1 where the record lacks it."""
    value = fields.get(name, "-1")
    if not re.fullmatch(r"-?[0-9]{1,11}", value):
        _refuse(where, name, value, "a Unix time in whole seconds")
    return int(value)


def duration(where, name, value):
    """Seconds of a length such as ``48:00:00``, ``2:00:00:00`` or ``3600``; -1 for none."""
    if value is None or value == "":
        return -1
    if not re.fullmatch(r"[0-9]{1,9}(:[0-9]{1,2}){0,3}", value):
        _refuse(where, name, value, "seconds, or [[days:]hours:]minutes:seconds")
    weights = (1, 60, 3600, 86400)
    return sum(int(part) * weight for part, weight in zip(reversed(value.split(":")), weights))


def _requested(where, fields, per_node):
    """Processors asked for, and whether only a number of nodes is known."""
    asked = {name: fields.get(f"Resource_List.{name}") for name in _SIZES}
    name = next((name for name in _SIZES if asked[name]), None)
    if name is None:
        return -1, False
    if name in _LISTS:
        return _listed(where, name, asked[name]), False
    count = _count(where, f"Resource_List.{name}", asked[name])
    return (count * per_node, True) if name == "nodect" else (count, False)


def _count(where, name, value):
    count = conversion.number(value)
    return _refuse(where, name, value, "a whole number") if count is None else count


def _listed(where, name, text):
    """Processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``, a number of nodes or one by its name, or
    ``2:ncpus=16:mem=4gb+1:ncpus=1``.
    """
    called, unit = _LISTS[name]
    total = 0
    for part in (text if name == "select" else text.partition("#")[0]).split("+"):
        first, *properties = part.split(":")
        each = [p.removeprefix(f"{unit}=") for p in properties if p.startswith(f"{unit}=")]
        count = first if first.isdecimal() or name == "select" else "1"
        total += _count(where, called, count) * _count(where, f"{called} {unit}", [*each, "1"][0])
    return total


def _allocated(where, fields):
    """Processors that the run was given, -1 where the record does not say."""
    if fields.get("total_execution_slots"):
        return _count(where, "total_execution_slots", fields["total_execution_slots"])
    hosts = fields.get("exec_host", "")
    return sum(_slots(where, host) for host in hosts.split("+") if host) or -1


def _slots(where, host):
    """Slots of one host: ``nid00012/0-15``, ``nid00012/3``, ``nid00012/0,2-4`` or ``nid00012/0*16``."""
    _, _, places = host.partition("/")
    if re.fullmatch(rf"{_SLOT}\*{_SLOT}", places):
        return int(places.partition("*")[2])
    ends = [part.partition("-") for part in places.split(",")]
    if not re.fullmatch(rf"{_SLOT}(-{_SLOT})?(,{_SLOT}(-{_SLOT})?)*", places) or any(
        last and int(last) < int(first) for first, _, last in ends
    ):
        _refuse(where, "exec_host", host, "host/slot, host/first-last or host/0*slots")
    return sum(int(last or first) - int(first) + 1 for first, _, last in ends)


def _number(runs, account):
    """Numbers 1, 2, ... in order of submission; runs of one job are tied together."""
    before = {}
    for number, run in enumerate(runs, 1):
        run.number = number
        if run.id in before:
            run.preceding = before[run.id].number
            # Back in the queue since the run before it ended.
            run.submit = min(max(run.submit, before[run.id].end), run.start)
            account.remarks["further runs of requeued jobs, each a job of its own"] += 1
        before[run.id] = run
    runs.sort(key=lambda run: (run.submit, run.number))
