"""From accounting logs of TORQUE or PBS to a trace; what is decided, and counted, stands in docs/formats.md.

A line is ``date;type;job;key=value key=value ...``. Of the types only E, the end of a run, is a job.

Source: appendix "Job Logging and Accounting" of the TORQUE 6 administrator's guide; pbs_server's account file.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np

from replication.cluster.accounting import conversion
from replication.cluster.accounting.conversion import Account, FieldError, ends
from replication.simulator import files

TYPES = conversion.WORDS["torque"]["types"]
NEVER_STARTED = "ended without having started"
NAMES = {"user": "user", "group": "group", "jobname": "name", "queue": "queue"}
_SLOT = "[0-9]{1,9}"
_KEY = re.compile(r"(?:^|\s)([A-Za-z_][\w.]*)=")


class TorqueError(ValueError):
    """An accounting log that cannot be used: names file, line, field, value and what is allowed."""


def convert(paths, processors=None, per_node=None, zone=None, key=None):
    """Read accounting logs of one machine, gzipped or not, in any order; ``-`` is standard input.
    What may be given is as of `replication.cluster.accounting.slurm.convert`, but the time zone is
    only noted in the header: the log's own times need none. TorqueError for a line that is no
    accounting record, a value that such logs do not have, or no job that ran.
    """
    called = ", ".join(map(files.called, paths))
    account = Account(called, TorqueError, zone, processors, per_node, key)
    account.left_out[NEVER_STARTED] = 0
    texts = account.texts(_ended(paths, account), ["id", *USED])
    runs = account.checked(_started(texts, account), "ran")
    # Overlapping logs tell of one run twice.
    repeated = runs.duplicated(["id", "start"], keep="last")
    account.left_out["repeated records of one run"] = int(repeated.sum())
    runs = _tied(runs[~repeated].sort_values(["submit", "start", "id"]), account)
    no_limit = "without a wall time limit, so without estimate"
    account.remark(runs, {no_limit: runs["limit"] < 0})
    source = Path(str(paths[0])).name + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")
    system = "TORQUE or PBS"
    return account.conversion(runs, source, system, f"accounting log of {system}", path=paths[0])


def _ended(paths, account):
    """Place, job and used fields of every E record; the others are counted."""
    for path in paths:
        try:
            for number, line in files.lines(path, TorqueError):
                place = f"{files.called(path)}, line {number}"
                parts = line.split(";", 3)
                if len(parts) != 4 or parts[1] not in TYPES:
                    raise TorqueError(
                        f"{place}: {files.shown(line.strip())}, allowed: date;type;job;key=value ..., "
                        f"with a type of {', '.join(TYPES)}"
                    )
                account.records += 1
                if parts[1] == "E":
                    fields = dict(_pairs(parts[3]))
                    yield place, parts[2], *(fields.get(name, "") for name in USED)
                else:
                    account.left_out[f"records of type {parts[1]} ({TYPES[parts[1]]})"] += 1
        except OSError as error:
            raise TorqueError(f"{path}: {error.strerror}") from None


def _pairs(text):
    """The (key, value) pairs of a record; a value runs up to the next key, so it may have blanks."""
    found = list(_KEY.finditer(text))
    for here, after in zip(found, [*found[1:], None]):
        yield here[1], text[here.end() : after.start() if after else len(text)].strip()


def _started(texts, account):
    """The runs that records tell of, but for jobs that never started."""

    def read(name, by, rows):
        """Numbers of a field, -1 where a record lacks it."""
        found = account.read(rows[name], name, lambda text: by(text) if text else -1)
        return found.astype(np.float64)

    start, end, used = (
        read(name, by, texts)
        for name, by in (("start", unix), ("end", unix), ("resources_used.walltime", duration))
    )
    began = start > 0
    texts, start = account.leave(texts, ~began, NEVER_STARTED), start[began]
    end, used = end[began], used[began]
    account.remarks["without an end: start plus the wall time used"] += int((end < 0).sum())
    end = np.where(end < 0, start + np.maximum(used, 0), end)
    submit = start
    for name in ("etime", "qtime", "ctime"):
        given = read(name, unix, texts)
        submit = np.where(given > 0, given, submit)
    requested = np.full(len(texts), -1.0)
    for name, by in SIZES.items():
        here = (requested < 0) & (texts[name] != "").to_numpy()
        requested[here] = read(name, by, texts[here])
    requested[here] *= account.per_node  # of nodect, the last
    account.remarks["sized by nodes only"] += int(here.sum())
    account.sized_by_nodes += int(here.sum())
    allocated = read("total_execution_slots", count, texts)
    here = allocated < 0
    allocated[here] = read("exec_host", slots, texts[here])
    return texts.rename(columns=NAMES).assign(
        submit=submit,
        start=start,
        run_time=np.maximum(end - start, 0),
        allocated=allocated,
        requested=requested,
        limit=read("Resource_List.walltime", duration, texts),
        status=texts["Exit_status"].map({"0": 1, "": -1}).fillna(0),
        suspended=0,
    )


def unix(text):
    """A Unix time, s."""
    if not re.fullmatch(r"-?[0-9]{1,11}", text):
        raise FieldError("allowed: a Unix time in whole seconds")
    return int(text)


def duration(text):
    """Seconds of a length such as ``48:00:00``, ``2:00:00:00`` or ``3600``."""
    if not re.fullmatch(r"[0-9]{1,9}(:[0-9]{1,2}){0,3}", text):
        raise FieldError("allowed: seconds, or [[days:]hours:]minutes:seconds")
    weights = (1, 60, 3600, 86400)
    return sum(int(part) * weight for part, weight in zip(reversed(text.split(":")), weights))


def count(text):
    """A number of processors or nodes."""
    if not re.fullmatch(_SLOT, text):
        raise FieldError(f"{files.shown(text)}, allowed: a whole number")
    return int(text)


def listed(text, unit):
    """Processors of a list such as ``2:ppn=16:xe+nid00012:ppn=8``, a number of nodes or one by its name, or
    ``2:ncpus=16:mem=4gb+1:ncpus=1``.
    """
    total = 0
    for part in text.partition("#")[0].split("+"):
        first, *properties = part.split(":")
        each = [p.removeprefix(f"{unit}=") for p in properties if p.startswith(f"{unit}=")]
        named = unit == "ppn" and not first.isdecimal()
        total += count("1" if named else first) * count([*each, "1"][0])
    return total


def slots(text):
    """Slots of hosts such as ``nid00012/0-15+nid00013/3``, ``nid00012/0,2-4`` or ``nid00012/0*16``; -1 for none."""
    total = 0
    for host in filter(None, text.split("+")):
        _, _, places = host.partition("/")
        ends = [part.partition("-") for part in places.split(",")]
        if re.fullmatch(rf"{_SLOT}\*{_SLOT}", places):
            total += int(places.partition("*")[2])
        elif not re.fullmatch(rf"{_SLOT}(-{_SLOT})?(,{_SLOT}(-{_SLOT})?)*", places) or any(
            last and int(last) < int(first) for first, _, last in ends
        ):
            raise FieldError(
                f"{files.shown(host)}, allowed: host/slot, host/first-last or host/0*slots"
            )
        else:
            total += sum(int(last or first) - int(first) + 1 for first, _, last in ends)
    return total or -1


#: What says how large a run is to be, the best first.
SIZES = {
    "Resource_List.nodes": partial(listed, unit="ppn"),
    "Resource_List.neednodes": partial(listed, unit="ppn"),
    "Resource_List.select": partial(listed, unit="ncpus"),
} | {f"Resource_List.{name}": count for name in ("procs", "size", "ncpus", "nodect")}
USED = (
    *("ctime", "qtime", "etime", "start", "end", "Exit_status", "exec_host"),
    *("total_execution_slots", "resources_used.walltime", "Resource_List.walltime"),
    *(*NAMES, *SIZES),
)


def _tied(runs, account):
    """Runs with numbers 1, 2, ... in order of submission, those of one job tied together."""
    runs = runs.assign(number=np.arange(1, len(runs) + 1), think_time=-1)
    before = runs.assign(end=ends(runs)).groupby("id")[["number", "end"]].shift()
    runs["preceding"] = before["number"].fillna(-1)
    # Back in the queue since the run before it ended.
    back = np.fmax(runs["submit"], before["end"])
    runs["submit"] = np.minimum(back, runs["start"]).where(before["end"].notna(), runs["submit"])
    again = int(before["number"].notna().sum())
    if again:
        account.remarks["further runs of requeued jobs, each a job of its own"] += again
    return runs.sort_values(["submit", "number"])
