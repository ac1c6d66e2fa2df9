"""From accounting logs of TORQUE or PBS to a trace; what is decided, and counted, stands in docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Of the types only E, the end of a run, is a job.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's account file.
"""

import re
from pathlib import Path

from replication.logs import files
from replication.logs.accounting import conversion
from replication.logs.accounting.conversion import Account, Run, Told

TYPES = conversion.WORDS["torque"]["types"]
NEVER_STARTED = "ended without having started"
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
    told = Told(zone, processors, per_node, key)
    account, runs = Account(", ".join(map(files.called, paths)), TorqueError, told), []
    account.left_out[NEVER_STARTED] = 0
    for path in paths:
        for where, line in _lines(path):
            account.records += 1
            run = _run(where, line, account)
            runs += [run] if run else []
    account.refuse_none(runs, "ran")
    runs = _without_repeats(runs, account)
    _number(runs, account)
    no_limit = "without a wall time limit, so without estimate"
    account.remark(runs, {no_limit: lambda run: run.limit < 0})
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    form = "accounting log of TORQUE or PBS"
    return account.conversion(runs, source, "TORQUE or PBS", form, path=paths[0])


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
    requested, nodes_only = _requested(where, fields, account.told.per_node)
    account.remarks["sized by nodes only"] += nodes_only
    account.sized_by_nodes += nodes_only
    exit_status = fields.get("Exit_status", "")
    run = Run(
        parts[2],
        submit,
        start,
        max(end - start, 0),
        _allocated(where, fields),
        requested,
        duration(where, "Resource_List.walltime", fields.get("Resource_List.walltime")),
        1 if exit_status == "0" else -1 if exit_status == "" else 0,
        fields.get("user", ""),
        fields.get("group", ""),
        fields.get("jobname", ""),
        fields.get("queue", ""),
    )
    return conversion.within_limits(run, where, TorqueError)


def _pairs(text):
    """The (key, value) pairs of a record; a value runs up to the next key, so it may have blanks."""
    found = list(_KEY.finditer(text))
    for here, after in zip(found, [*found[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _whole(where, fields, name):
    """A Unix time, -1 where the record lacks it."""
    value = fields.get(name, "-1")
    if not re.fullmatch(r"-?[0-9]{1,11}", value):
        raise TorqueError(
            f"{where}: {name} {files.shown(value)}, allowed: a Unix time in whole seconds"
        )
    return int(value)


def duration(where, name, value):
    """Seconds of a length such as ``48:00:00``, ``2:00:00:00`` or ``3600``; -1 for none."""
    if value is None or value == "":
        return -1
    if not re.fullmatch(r"[0-9]{1,9}(:[0-9]{1,2}){0,3}", value):
        raise TorqueError(
            f"{where}: {name} {files.shown(value)}, allowed: seconds, or [[days:]hours:]minutes:seconds"
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
    count = conversion.number(value)
    if count is None:
        raise TorqueError(f"{where}: {name} {files.shown(value)}, allowed: a whole number")
    return count


def _of_nodes(where, text):
    """Processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``: a number of nodes, or one by its name."""
    total = 0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        per_node = [p.removeprefix("ppn=") for p in properties if p.startswith("ppn=")] or ["1"]
        nodes = first if first.isdecimal() else "1"
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
    if re.fullmatch(rf"{_SLOT}\*{_SLOT}", places):
        return int(places.partition("*")[2])
    ends = [part.partition("-") for part in places.split(",")]
    if not re.fullmatch(rf"{_SLOT}(-{_SLOT})?(,{_SLOT}(-{_SLOT})?)*", places) or any(
        last and int(last) < int(first) for first, _, last in ends
    ):
        raise TorqueError(
            f"{where}: exec_host {files.shown(host)}, allowed: host/slot, host/first-last or "
            "host/0*slots"
        )
    return sum(int(last or first) - int(first) + 1 for first, _, last in ends)


def _without_repeats(runs, account):
    """Each run once: overlapping logs tell of one run twice."""
    unique = {(run.id, run.start): run for run in runs}
    account.left_out["repeated records of one run"] = len(runs) - len(unique)
    return sorted(unique.values(), key=lambda run: (run.submit, run.start, run.id))


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
